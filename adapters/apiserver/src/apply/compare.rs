//! What a write changed.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::item_element;
use crate::fields::{FieldSet, PathElement};
use crate::types::{ListKind, MapView, Type, View};

/// Fields by what happened to them.
#[derive(Debug, Default, Clone)]
pub(crate) struct Comparison {
    pub(crate) added: FieldSet,
    pub(crate) modified: FieldSet,
    pub(crate) removed: FieldSet,
}

impl Comparison {
    /// The comparison without these fields and what is below them.
    pub(super) fn without(self, ignored: &FieldSet) -> Self {
        Self {
            added: self.added.recursive_difference(ignored),
            modified: self.modified.recursive_difference(ignored),
            removed: self.removed.recursive_difference(ignored),
        }
    }
}

/// Compares two values of one type.
pub(crate) fn compare(ty: &Type, before: &Value, after: &Value) -> Comparison {
    let mut out = Comparison::default();
    walk(ty, Some(before), Some(after), &mut Vec::new(), &mut out);
    out
}

fn walk(ty: &Type, before: Option<&Value>, after: Option<&Value>, path: &mut Vec<PathElement>, out: &mut Comparison) {
    let form = |value: Option<&Value>| value.map(|value| (value.is_object(), value.is_array()));
    // A null takes the form of what it stands against.
    let (left, right) = (
        before.filter(|value| !value.is_null()),
        after.filter(|value| !value.is_null()),
    );
    let changed_form = ty.is_any() && left.is_some() && right.is_some() && form(left) != form(right);
    match ty.view(right.or(left)) {
        View::Map(map) if !(changed_form || map.atomic || empty(before) && empty(after)) => {
            fields(&map, before, after, path, out);
        }
        View::List(element, kind) if *kind != ListKind::Atomic && !(empty(before) && empty(after)) => {
            items(element, kind, before, after, path, out);
        }
        View::Leaf | View::Map(_) | View::List(..) => {
            if let (Some(left), Some(right)) = (before, after)
                && !equal(left, right)
            {
                out.modified.insert(path);
            }
        }
    }
    if before.is_none() {
        out.added.insert(path);
    } else if after.is_none() {
        out.removed.insert(path);
    }
}

fn empty(value: Option<&Value>) -> bool {
    value.is_none_or(|value| {
        value.is_null()
            || value.as_object().is_some_and(serde_json::Map::is_empty)
            || value.as_array().is_some_and(Vec::is_empty)
    })
}

/// Equality in which 1 and 1.0 are the same number.
pub(super) fn equal(left: &Value, right: &Value) -> bool {
    if left.is_number() && right.is_number() {
        return left == right || left.as_f64() == right.as_f64();
    }
    if let (Some(left), Some(right)) = (left.as_array(), right.as_array()) {
        return left.len() == right.len() && left.iter().zip(right).all(|(left, right)| equal(left, right));
    }
    if let (Some(left), Some(right)) = (left.as_object(), right.as_object()) {
        return left.len() == right.len()
            && left
                .iter()
                .all(|(name, value)| right.get(name).is_some_and(|other| equal(value, other)));
    }
    left == right
}

fn fields(
    map: &MapView<'_>,
    before: Option<&Value>,
    after: Option<&Value>,
    path: &mut Vec<PathElement>,
    out: &mut Comparison,
) {
    let (left, right) = (before.and_then(Value::as_object), after.and_then(Value::as_object));
    let names: BTreeSet<&String> = left.into_iter().chain(right).flat_map(serde_json::Map::keys).collect();
    for name in names {
        path.push(PathElement::field(name));
        let (old, new) = (left.and_then(|map| map.get(name)), right.and_then(|map| map.get(name)));
        walk(map.child(name), old, new, path, out);
        path.pop();
    }
}

fn index<'a>(element: &Type, kind: &ListKind, list: Option<&'a Value>) -> BTreeMap<PathElement, Vec<&'a Value>> {
    let mut out: BTreeMap<PathElement, Vec<&Value>> = BTreeMap::new();
    for item in list.and_then(Value::as_array).into_iter().flatten() {
        if let Some(step) = item_element(kind, element, item) {
            out.entry(step).or_default().push(item);
        }
    }
    out
}

fn items(
    element: &Type,
    kind: &ListKind,
    before: Option<&Value>,
    after: Option<&Value>,
    path: &mut Vec<PathElement>,
    out: &mut Comparison,
) {
    let (left, right) = (index(element, kind, before), index(element, kind, after));
    let steps: BTreeSet<&PathElement> = left.keys().chain(right.keys()).collect();
    for step in steps {
        let none = Vec::new();
        let (old, new) = (left.get(step).unwrap_or(&none), right.get(step).unwrap_or(&none));
        path.push(step.clone());
        if old.len() <= 1 && new.len() <= 1 {
            walk(element, old.first().copied(), new.first().copied(), path, out);
        } else if old.is_empty() {
            out.added.insert(path);
        } else if new.is_empty() {
            out.removed.insert(path);
        } else if old.len() != new.len() || !old.iter().zip(new).all(|(old, new)| equal(old, new)) {
            out.modified.insert(path);
        }
        path.pop();
    }
}
