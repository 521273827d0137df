//! Takes a set of fields out of a value.

use serde_json::Value;

use super::item_element;
use crate::fields::{FieldSet, PathElement};
use crate::types::{ListKind, Type, View};

/// The value without the members of the set (and without what is below them).
pub(crate) fn remove(ty: &Type, value: &Value, set: &FieldSet) -> Value {
    match ty.view(Some(value)) {
        View::Map(map) if !map.atomic => {
            let Some(object) = value.as_object() else {
                return value.clone();
            };
            let kept = object.iter().filter_map(|(name, child)| {
                let step = PathElement::field(name);
                if set.has_member(&step) {
                    return None;
                }
                let child = match set.below(&step) {
                    Some(below) if !below.is_empty() => remove(map.child(name), child, below),
                    Some(_) | None => child.clone(),
                };
                Some((name.clone(), child))
            });
            let kept: serde_json::Map<String, Value> = kept.collect();
            if kept.is_empty() && !object.is_empty() {
                Value::Null
            } else {
                Value::Object(kept)
            }
        }
        View::List(element, kind) if *kind != ListKind::Atomic => {
            let Some(items) = value.as_array() else {
                return value.clone();
            };
            let kept = items.iter().filter_map(|item| {
                let Some(step) = item_element(kind, element, item) else {
                    return Some(item.clone());
                };
                if set.has_member(&step) {
                    return None;
                }
                Some(match set.below(&step) {
                    Some(below) if !below.is_empty() => remove(element, item, below),
                    Some(_) | None => item.clone(),
                })
            });
            let kept: Vec<Value> = kept.collect();
            if kept.is_empty() && !items.is_empty() {
                Value::Null
            } else {
                Value::Array(kept)
            }
        }
        View::Leaf | View::Map(_) | View::List(..) => value.clone(),
    }
}
