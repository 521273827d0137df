//! Fields of objects that a transformer works on: which types, and the path.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use crate::ids::Gvk;
use crate::lookup;
use crate::meter::Meter;
use crate::node::{Entries, Node, Scalar};
use crate::paths;

/// A field of some types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FieldSpec {
    /// The types; what is empty is any.
    pub(crate) gvk: Gvk,
    /// The path as it is written.
    pub(crate) path: String,
    /// Its parts.
    pub(crate) parts: Vec<String>,
    /// Whether it is made where it is not.
    pub(crate) create: bool,
}

impl FieldSpec {
    pub(crate) fn new(gvk: Gvk, path: &str, create: bool) -> Self {
        Self {
            gvk,
            path: path.to_string(),
            parts: paths::split(path, '/'),
            create,
        }
    }

    /// A field of every type.
    pub(crate) fn any(path: &str, create: bool) -> Self {
        Self::new(Gvk::default(), path, create)
    }

    /// Whether the first of two names what the second does.
    pub(crate) fn covers(&self, other: &FieldSpec) -> bool {
        self.gvk.is_selected(&other.gvk) && self.path == other.path
    }
}

/// What stands in a field that is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Make {
    /// Nothing is made.
    Nothing,
    /// A scalar without text.
    Scalar,
    /// A mapping.
    Map,
}

impl Make {
    fn node(self) -> Node {
        match self {
            Self::Nothing | Self::Scalar => Node::untagged(""),
            Self::Map => Node::empty_map(),
        }
    }
}

/// Runs `set` over the field of `object`, if its type has one.
///
/// # Errors
/// When something on the way is a scalar, or `set` refuses what is there.
pub(crate) fn apply(
    object: &mut Node,
    spec: &FieldSpec,
    make: Make,
    meter: &Meter,
    set: &mut dyn FnMut(&mut Node) -> Result<(), String>,
) -> Result<(), String> {
    meter.step(1)?;
    let gvk = &spec.gvk;
    if *gvk != Gvk::default() && !Gvk::of(object).is_selected(gvk) {
        return Ok(());
    }
    let make = if spec.create { make } else { Make::Nothing };
    walk(object, &spec.parts, make, meter, set).map_err(|problem| format!("field `{}`: {problem}", spec.path))
}

fn walk(
    node: &mut Node,
    parts: &[String],
    make: Make,
    meter: &Meter,
    set: &mut dyn FnMut(&mut Node) -> Result<(), String>,
) -> Result<(), String> {
    meter.step(1)?;
    let Some((part, rest)) = parts.split_first() else {
        return set(node);
    };
    if node.is_null() {
        return Ok(());
    }
    match node {
        Node::Seq(items) => items
            .iter_mut()
            .try_for_each(|item| walk(item, parts, make, meter, set)),
        Node::Scalar(_) => Err("expected sequence or mapping node".into()),
        Node::Map(map) => match field(map, part, rest.is_empty(), make)? {
            Some(field) => walk(field, rest, make, meter, set),
            None => Ok(()),
        },
    }
}

/// The field `part` of a mapping, made if that is wanted.
fn field<'n>(map: &'n mut Entries, part: &str, last: bool, make: Make) -> Result<Option<&'n mut Node>, String> {
    let name = part.strip_suffix("[]").unwrap_or(part);
    let sequence = name.len() < part.len();
    let name = name.trim();
    if name.is_empty() {
        return Err("cannot set or create an empty field name".into());
    }
    lookup::check_key(name)?;
    let wanted = match (sequence, make, last) {
        (true, _, _) => Some(Node::Seq(Vec::new())),
        (false, Make::Nothing, _) => None,
        (false, make, true) => Some(make.node()),
        (false, _, false) => Some(Node::empty_map()),
    };
    let Some(found) = map.get(name) else {
        return Ok(match wanted {
            Some(wanted) if !sequence => {
                map.set(name, wanted);
                map.get_mut(name)
            }
            _ => None,
        });
    };
    if found.is_null()
        && let Some(wanted) = wanted
    {
        let wanted = match wanted {
            Node::Scalar(_) => Node::Scalar(Scalar::string(found.text())),
            collection @ (Node::Seq(_) | Node::Map(_)) => collection,
        };
        map.set(name, wanted);
    }
    Ok(map.get_mut(name))
}
