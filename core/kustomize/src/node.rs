//! Objects while kustomize works on them: like [`Value`], but a scalar keeps its text beside what it is.
//!
//! Kustomize changes texts and keeps tags, so that `port: 80` into which a text is copied is a number afterwards, and a
//! version `1.10` in an annotation becomes the text "1.10". Only when an object is printed does a scalar become a value.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use convoy_value::{Limits, Map, Number, Value, json, yaml};

use crate::folded;

/// What a scalar is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    /// Whatever its text looks like: kustomize made it.
    None,
    /// Text.
    Str,
    /// Text in a folded block.
    Folded,
    Null,
    Bool,
    Int,
    Float,
    Time,
}

/// A scalar: its text as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Scalar {
    pub(crate) text: String,
    pub(crate) tag: Tag,
    /// Whether quotes make it text. A null has them if it is nothing in a collection with brackets.
    pub(crate) quoted: bool,
    /// Scalars of one object with one number, not 0, are one node to kustomize: what changes one changes all.
    pub(crate) shared: u32,
}

/// A node of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    Scalar(Scalar),
    Seq(Vec<Node>),
    Map(Entries),
}

/// The entries of a mapping, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Entries(pub(crate) Vec<(String, Node)>);

impl Entries {
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.0.iter().find(|(known, _)| known == key).map(|(_, node)| node)
    }

    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        self.0.iter_mut().find(|(known, _)| known == key).map(|(_, node)| node)
    }

    /// Sets `key`, which keeps its place.
    pub(crate) fn set(&mut self, key: &str, node: Node) {
        match self.get_mut(key) {
            Some(place) => *place = node,
            None => self.0.push((key.to_string(), node)),
        }
    }

    pub(crate) fn remove(&mut self, key: &str) -> Option<Node> {
        let place = self.0.iter().position(|(known, _)| known == key)?;
        Some(self.0.remove(place).1)
    }

    /// The mapping under `key`, made if it is not there or null; nothing if something else is there.
    pub(crate) fn map_mut(&mut self, key: &str) -> Option<&mut Entries> {
        if self.get(key).is_none_or(Node::is_null) {
            self.set(key, Node::Map(Entries::default()));
        }
        match self.get_mut(key) {
            Some(Node::Map(map)) => Some(map),
            Some(Node::Scalar(_) | Node::Seq(_)) | None => None,
        }
    }
}

/// What a text without quotes and tag is.
fn tag_of(text: &str) -> Tag {
    match text.as_bytes().first() {
        None => return Tag::Null,
        Some(b'0'..=b'9' | b'+' | b'-' | b'.' | b'~' | b'n' | b'N' | b't' | b'T' | b'f' | b'F') => {}
        Some(_) => return Tag::Str,
    }
    match yaml::kustomize::plain(text) {
        Value::Null => Tag::Null,
        Value::Bool(_) => Tag::Bool,
        Value::Number(Number::Int(_) | Number::Uint(_)) => {
            if text.contains(['.', 'e', 'E']) && !text.contains(['x', 'X']) {
                Tag::Float
            } else {
                Tag::Int
            }
        }
        Value::Number(_) => Tag::Float,
        Value::String(found) if found == text => Tag::Str,
        Value::String(_) | Value::Array(_) | Value::Object(_) => Tag::Time,
    }
}

/// Whether kustomize can write `key`: without quotes it must be a text.
pub(crate) fn is_text_key(key: &str) -> bool {
    tag_of(key) == Tag::Str
}

/// Whether YAML 1.1 takes a text without quotes for something else, as kyaml asks go-yaml v2.
fn looks_like_other(text: &str) -> bool {
    const BEGINNINGS: &[u8] = b"0123456789+-.~nNtTfFyYoO";
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-./_".contains(byte);
    match text.as_bytes() {
        [] => false,
        [first, ..] if !BEGINNINGS.contains(first) && text.bytes().all(|byte| plain(&byte)) => false,
        _ if text.contains('\n') => false,
        _ => yaml::helm::parse(text, &Limits::default()).is_ok_and(|value| value.as_str().is_none()),
    }
}

impl Scalar {
    /// A text.
    pub(crate) fn string(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            tag: Tag::Str,
            quoted: false,
            shared: 0,
        }
    }

    /// What its text looks like.
    pub(crate) fn untagged(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            tag: Tag::None,
            quoted: false,
            shared: 0,
        }
    }

    /// A scalar without quotes.
    fn plain(text: String) -> Self {
        let tag = tag_of(&text);
        Self {
            text,
            tag,
            quoted: false,
            shared: 0,
        }
    }

    /// Whether it is written in quotes.
    pub(crate) fn has_quotes(&self) -> bool {
        self.quoted && self.tag != Tag::Null
    }

    /// Whether kyaml takes it for a text.
    pub(crate) fn is_string(&self) -> bool {
        matches!(self.tag, Tag::Str | Tag::Folded | Tag::None)
    }

    /// The value that it is printed as; or, if it is not written before, the one that it is.
    fn value(&self, written: bool) -> Result<Value, String> {
        if !written && self.tag == Tag::Folded {
            return Ok(Value::String(self.text.clone()));
        }
        if !written && self.tag == Tag::Null && self.quoted {
            return Ok(Value::Null);
        }
        if self.tag == Tag::Folded {
            return Ok(Value::String(folded::rewritten(&self.text)));
        }
        if self.quoted || self.tag == Tag::Str {
            return Ok(Value::String(self.text.clone()));
        }
        let found = tag_of(&self.text);
        if self.tag == Tag::None || found == self.tag || (self.tag, found) == (Tag::Float, Tag::Int) {
            return Ok(match found {
                Tag::Str => Value::String(self.text.clone()),
                Tag::None | Tag::Folded | Tag::Null | Tag::Bool | Tag::Int | Tag::Float | Tag::Time => {
                    yaml::kustomize::plain(&self.text)
                }
            });
        }
        // The text is not shown: it may be a secret.
        Err(format!("a {} holds another kind of value", self.tag.name()))
    }
}

impl Tag {
    fn name(self) -> &'static str {
        match self {
            Self::None | Self::Str | Self::Folded => "text",
            Self::Null => "null",
            Self::Bool => "boolean",
            Self::Int => "whole number",
            Self::Float => "number",
            Self::Time => "time",
        }
    }
}

impl Node {
    pub(crate) fn string(text: impl Into<String>) -> Self {
        Self::Scalar(Scalar::string(text))
    }

    pub(crate) fn untagged(text: impl Into<String>) -> Self {
        Self::Scalar(Scalar::untagged(text))
    }

    pub(crate) fn empty_map() -> Self {
        Self::Map(Entries::default())
    }

    /// From a reader that keeps texts as they are written, where a big number is any scalar that is no text.
    pub(crate) fn from_written(value: Value) -> Self {
        match value {
            Value::Null => Self::Scalar(Scalar {
                text: "null".into(),
                tag: Tag::Null,
                quoted: false,
                shared: 0,
            }),
            Value::Bool(b) => Self::Scalar(Scalar {
                text: b.to_string(),
                tag: Tag::Bool,
                quoted: false,
                shared: 0,
            }),
            Value::Number(Number::Big(text)) => {
                let text = String::from(text);
                if text.starts_with(yaml::kustomize::NOTHING) {
                    return Self::Scalar(Scalar {
                        quoted: true,
                        ..Scalar::plain(String::new())
                    });
                }
                Self::Scalar(match text.strip_prefix(yaml::kustomize::FOLDED) {
                    Some(folded) => Scalar {
                        tag: Tag::Folded,
                        ..Scalar::string(folded)
                    },
                    None => Scalar::plain(text),
                })
            }
            number @ Value::Number(_) => Self::Scalar(Scalar::plain(json::to_canonical(&number))),
            Value::String(text) => {
                // What looks like something else had quotes.
                let quoted = tag_of(&text) != Tag::Str;
                Self::Scalar(Scalar {
                    text,
                    tag: Tag::Str,
                    quoted,
                    shared: 0,
                })
            }
            Value::Array(items) => Self::Seq(items.into_iter().map(Self::from_written).collect()),
            Value::Object(map) => Self::Map(Entries(
                map.into_iter()
                    .map(|(key, value)| (key, Self::from_written(value)))
                    .collect(),
            )),
        }
    }

    /// The value that it is printed as.
    ///
    /// # Errors
    /// When a scalar's text is not what its tag says, with the path to it.
    pub(crate) fn to_value(&self) -> Result<Value, String> {
        self.value(true)
    }

    /// The value that it is, without the marks that kyaml's writer leaves.
    ///
    /// # Errors
    /// As [`Node::to_value`].
    pub(crate) fn decoded(&self) -> Result<Value, String> {
        self.value(false)
    }

    fn value(&self, written: bool) -> Result<Value, String> {
        Ok(match self {
            Self::Scalar(scalar) => scalar.value(written)?,
            Self::Seq(items) => Value::Array(items.iter().map(|item| item.value(written)).collect::<Result<_, _>>()?),
            Self::Map(map) => {
                let mut out = Map::new();
                for (key, node) in &map.0 {
                    if key.starts_with(yaml::kustomize::TWICE) {
                        return Err(node.text().to_string());
                    }
                    out.insert(
                        key.as_str(),
                        node.value(written).map_err(|problem| format!("`{key}`: {problem}"))?,
                    );
                }
                Value::Object(out)
            }
        })
    }

    pub(crate) fn as_map(&self) -> Option<&Entries> {
        match self {
            Self::Map(map) => Some(map),
            Self::Scalar(_) | Self::Seq(_) => None,
        }
    }

    pub(crate) fn as_map_mut(&mut self) -> Option<&mut Entries> {
        match self {
            Self::Map(map) => Some(map),
            Self::Scalar(_) | Self::Seq(_) => None,
        }
    }

    pub(crate) fn as_seq(&self) -> Option<&[Node]> {
        match self {
            Self::Seq(items) => Some(items),
            Self::Scalar(_) | Self::Map(_) => None,
        }
    }

    pub(crate) fn as_scalar(&self) -> Option<&Scalar> {
        match self {
            Self::Scalar(scalar) => Some(scalar),
            Self::Seq(_) | Self::Map(_) => None,
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.as_map()?.get(key)
    }

    /// The text of a scalar; nothing for what has none.
    pub(crate) fn text(&self) -> &str {
        self.as_scalar().map_or("", |scalar| &scalar.text)
    }

    pub(crate) fn is_null(&self) -> bool {
        self.as_scalar().is_some_and(|scalar| scalar.tag == Tag::Null)
    }

    /// Null, or a collection without anything in it.
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::Scalar(scalar) => scalar.tag == Tag::Null,
            Self::Seq(items) => items.is_empty(),
            Self::Map(map) => map.0.is_empty(),
        }
    }

    /// Null, or a mapping without entries.
    pub(crate) fn is_empty_map(&self) -> bool {
        match self {
            Self::Scalar(_) => self.is_null(),
            Self::Seq(_) => false,
            Self::Map(map) => map.0.is_empty(),
        }
    }

    /// Takes the place of a scalar, whose quotes stay.
    ///
    /// # Errors
    /// When a collection stands there.
    pub(crate) fn set_scalar(&mut self, mut new: Scalar) -> Result<(), String> {
        match self {
            Self::Scalar(old) => {
                new.quoted = old.has_quotes();
                new.shared = old.shared;
                *old = new;
                Ok(())
            }
            Self::Seq(_) => Err("a scalar was expected, not a sequence".into()),
            Self::Map(_) => Err("a scalar was expected, not a mapping".into()),
        }
    }

    /// Puts a text in quotes if it looks like something else to older tools: so kyaml does whenever it sets a field.
    pub(crate) fn quote_made(&mut self) {
        if let Self::Scalar(scalar) = self
            && matches!(scalar.tag, Tag::None | Tag::Str)
            && !scalar.quoted
        {
            scalar.quoted = looks_like_other(&scalar.text);
        }
    }

    /// Puts every text in quotes, as JSON has it.
    pub(crate) fn quote(&mut self) {
        match self {
            Self::Scalar(scalar) => scalar.quoted |= scalar.tag == Tag::Str,
            Self::Seq(items) => items.iter_mut().for_each(Self::quote),
            Self::Map(map) => map.0.iter_mut().for_each(|(_, node)| node.quote()),
        }
    }

    /// Runs `visit` over every scalar that is shared; answers how many nodes it is.
    pub(crate) fn each_shared(&mut self, visit: &mut dyn FnMut(&mut Scalar)) -> usize {
        match self {
            Self::Scalar(scalar) => {
                if scalar.shared != 0 {
                    visit(scalar);
                }
                1
            }
            Self::Seq(items) => 1 + items.iter_mut().map(|item| item.each_shared(visit)).sum::<usize>(),
            Self::Map(map) => 1 + map.0.iter_mut().map(|(_, node)| node.each_shared(visit)).sum::<usize>(),
        }
    }

    /// How many nodes it is, itself among them.
    pub(crate) fn count(&self) -> usize {
        match self {
            Self::Scalar(_) => 1,
            Self::Seq(items) => 1 + items.iter().map(Self::count).sum::<usize>(),
            Self::Map(map) => 1 + map.0.iter().map(|(_, node)| node.count()).sum::<usize>(),
        }
    }

    /// How deep it nests, and about how many bytes it takes.
    pub(crate) fn extent(&self) -> (usize, usize) {
        const NODE: usize = 32;
        let inner = |nodes: &mut dyn Iterator<Item = (usize, &Self)>| {
            nodes.fold((0, NODE), |(depth, bytes), (key, node)| {
                let (deeper, more) = node.extent();
                (depth.max(deeper), bytes + key + more)
            })
        };
        match self {
            Self::Scalar(scalar) => (0, NODE + scalar.text.len()),
            Self::Seq(items) => {
                let (depth, bytes) = inner(&mut items.iter().map(|item| (0, item)));
                (depth + 1, bytes)
            }
            Self::Map(map) => {
                let (depth, bytes) = inner(&mut map.0.iter().map(|(key, node)| (key.len(), node)));
                (depth + 1, bytes)
            }
        }
    }
}
