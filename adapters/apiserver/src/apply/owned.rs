//! The fields that a configuration names.

use serde_json::Value;

use super::item_element;
use crate::fields::{FieldSet, PathElement};
use crate::types::{ListKind, Type, View};

/// The set of fields that this value of this type sets.
pub(crate) fn field_set(ty: &Type, value: &Value) -> FieldSet {
    let mut set = FieldSet::default();
    walk(ty, value, &mut Vec::new(), &mut set);
    set
}

fn walk(ty: &Type, value: &Value, path: &mut Vec<PathElement>, set: &mut FieldSet) {
    match ty.view(Some(value)) {
        View::Leaf | View::List(_, ListKind::Atomic) => set.insert(path),
        View::Map(map) if map.atomic => set.insert(path),
        View::Map(map) => {
            for (name, child) in value.as_object().into_iter().flatten() {
                path.push(PathElement::field(name));
                walk(map.child(name), child, path, set);
                let empty = child.is_null() || child.as_object().is_some_and(serde_json::Map::is_empty);
                if empty || map.field(name).is_none() {
                    set.insert(path);
                }
                path.pop();
            }
        }
        View::List(element, kind) => {
            for item in value.as_array().into_iter().flatten() {
                let Some(step) = item_element(kind, element, item) else {
                    continue;
                };
                path.push(step);
                walk(element, item, path, set);
                set.insert(path);
                path.pop();
            }
        }
    }
}
