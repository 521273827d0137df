//! Server-side apply: typed merging with ownership of fields.
//!
//! [`merge`] lays a configuration over the live object, [`field_set`] names the fields of a configuration, [`compare`]
//! names what a write changed, [`remove`] takes fields out, [`Managers`] is `metadata.managedFields`, and
//! [`apply`] and [`update`] decide who owns what afterwards. All pure.
//!
//! # Invariant
//! An apply without `force` never changes a value that another manager owns.

mod compare;
mod managers;
mod merge;
mod owned;
#[cfg(test)]
mod properties;
mod remove;
mod updater;

pub(crate) use compare::compare;
pub(crate) use managers::{Manager, Managers, Operation};
pub(crate) use merge::{MergeError, check_lists, merge};
pub(crate) use owned::field_set;
pub(crate) use updater::{Conflict, Refusal, Scope, apply, update};

use serde_json::Value;

use crate::fields::{Atom, PathElement};
use crate::types::{ListKind, Scalar, Type, View};

/// A key field of a built-in kind that is absent counts as empty; one of a custom resource is an error.
fn zero_key(ty: &Type) -> Option<Value> {
    match ty {
        Type::Scalar(Scalar::String) => Some(Value::from("")),
        Type::Scalar(Scalar::Int32 | Scalar::Int64) => Some(Value::from(0)),
        Type::Scalar(_)
        | Type::Any { .. }
        | Type::Map { .. }
        | Type::Struct(_)
        | Type::Named { .. }
        | Type::List { .. } => None,
    }
}

/// The step that leads to an item of a granular list; none when its key fields are absent.
fn item_element(kind: &ListKind, element: &Type, item: &Value) -> Option<PathElement> {
    match kind {
        ListKind::Atomic => None,
        ListKind::Set => Some(PathElement::Value(Atom(item.clone()))),
        ListKind::Map(keys) => {
            let View::Map(map) = element.view(Some(item)) else {
                return None;
            };
            let object = item.as_object()?;
            let mut fields: Vec<(String, Atom)> = keys
                .iter()
                .filter_map(|key| {
                    let default = || {
                        map.field(key)
                            .and_then(|field| field.default.clone().or_else(|| zero_key(&field.ty)))
                    };
                    let value = object
                        .get(key)
                        .filter(|value| !value.is_null())
                        .cloned()
                        .or_else(default)?;
                    Some((key.clone(), Atom(value)))
                })
                .collect();
            fields.sort();
            (!fields.is_empty()).then_some(PathElement::Key(fields))
        }
    }
}
