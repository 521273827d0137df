//! JSON merge patch.

use super::{Error, depth};
use crate::{Limits, Map, Value};

/// `document` with `patch` merged in: members that are null in the patch go, mappings merge, all else is replaced.
///
/// # Errors
/// When the patch is a scalar, the document is null, or the result nests deeper than `limits` allow.
pub fn merge(document: &Value, patch: &Value, limits: &Limits) -> Result<Value, Error> {
    let limit = limits.effective_depth();
    if depth(patch) > limit {
        return Err(Error::Limit {
            of: "levels of nesting",
            limit,
        });
    }
    match (document, patch) {
        (Value::Null, _) => Err(Error::Malformed("nothing can be merged into a null")),
        (Value::Object(document), Value::Object(patch)) => {
            let mut merged = document.clone();
            merge_maps(&mut merged, patch);
            Ok(Value::Object(merged))
        }
        (_, Value::Object(_) | Value::Array(_)) => Ok(without_nulls(patch)),
        (_, Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => {
            Err(Error::Malformed("a merge patch is a mapping or a sequence"))
        }
    }
}

fn merge_maps(document: &mut Map, patch: &Map) {
    for (key, new) in patch.iter() {
        match (document.get_mut(key), new) {
            (_, Value::Null) => {
                document.remove(key);
            }
            (Some(Value::Object(old)), Value::Object(new)) => merge_maps(old, new),
            // A sequence in place of a mapping keeps its nulls; elsewhere they go.
            (Some(old @ Value::Object(_)), new) => *old = new.clone(),
            (Some(old), new) => *old = without_nulls(new),
            (None, new) => {
                document.insert(key, without_nulls(new));
            }
        }
    }
}

/// A copy without the members of mappings that are null; null items of sequences stay.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let kept = map.iter().filter(|(_, value)| !value.is_null());
            Value::Object(kept.map(|(key, value)| (key, without_nulls(value))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(without_nulls).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}
