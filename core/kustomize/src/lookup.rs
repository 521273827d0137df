//! Finding one node by the parts of a path: keys, indices, `-` for the last, `[key=value]`.

use alloc::format;
use alloc::string::String;
use alloc::string::ToString as _;

use crate::node::Node;

/// One part of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part<'p> {
    Index(usize),
    Last,
    Element(&'p str, &'p str),
    Key(&'p str),
}

/// Reads a part of a path.
///
/// # Errors
/// For a wildcard, a negative index and brackets without `=`.
pub(crate) fn part(part: &str) -> Result<Part<'_>, String> {
    if let Ok(index) = part.parse::<i64>() {
        return usize::try_from(index)
            .map(Part::Index)
            .map_err(|_| format!("array index {index} cannot be negative"));
    }
    match part {
        "-" => Ok(Part::Last),
        "*" => Err("wildcard is not supported here".into()),
        _ => match part.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            Some(inner) => inner
                .split_once('=')
                .map(|(key, value)| Part::Element(key, value))
                .ok_or_else(|| "list path element must contain fieldName=fieldValue for element to match".to_string()),
            None => Ok(Part::Key(part)),
        },
    }
}

/// Refuses a field name that kyaml takes for something else.
pub(crate) fn check_key(name: &str) -> Result<(), String> {
    match part(name)? {
        Part::Key(_) => Ok(()),
        Part::Index(_) | Part::Last | Part::Element(..) => Err(format!("`{name}` is no field name")),
    }
}

/// The node that `path` names, if it is there.
///
/// # Errors
/// When a part does not fit what is there.
pub(crate) fn get<'n>(node: &'n Node, path: &[String]) -> Result<Option<&'n Node>, String> {
    let mut at = node;
    for text in path.iter().map(|part| part.trim()).filter(|part| !part.is_empty()) {
        let next = match part(text)? {
            Part::Key(key) => match at {
                Node::Map(map) => map.get(key),
                at if at.is_null() => None,
                Node::Scalar(_) | Node::Seq(_) => return Err(format!("`{key}`: a mapping was expected")),
            },
            Part::Index(index) => elements(at)?.get(index),
            Part::Last => Some(elements(at)?.last().ok_or("the sequence has no last element")?),
            Part::Element(key, value) => elements(at)?.iter().find(|item| is_element(item, key, value)),
        };
        match next {
            Some(next) => at = next,
            None => return Ok(None),
        }
    }
    Ok(Some(at))
}

fn elements(node: &Node) -> Result<&[Node], String> {
    match node {
        Node::Seq(items) => Ok(items),
        node if node.is_null() => Ok(&[]),
        Node::Scalar(_) | Node::Map(_) => Err("a sequence was expected".into()),
    }
}

fn is_element(item: &Node, key: &str, value: &str) -> bool {
    if key.is_empty() {
        return item.text() == value;
    }
    item.get(key).is_some_and(|field| field.text() == value)
}
