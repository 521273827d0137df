//! The three patches that are not applies.

mod strategic;

pub(crate) use strategic::strategic;

use serde_json::{Map, Value};

use crate::status::ApiError;

/// A JSON patch with more operations is refused.
const MAX_OPERATIONS: usize = 10_000;

/// RFC 7386: nulls remove, objects merge, everything else replaces.
pub(crate) fn merge(target: &mut Value, patch: &Value) {
    let Some(fields) = patch.as_object() else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    if let Some(object) = target.as_object_mut() {
        for (name, value) in fields {
            if value.is_null() {
                object.remove(name);
            } else {
                merge(object.entry(name.clone()).or_insert(Value::Null), value);
            }
        }
    }
}

/// RFC 6902.
///
/// # Errors
/// 400 when the patch cannot be read, 422 when it does not fit the object.
pub(crate) fn json(target: &mut Value, patch: &Value) -> Result<(), ApiError> {
    if patch
        .as_array()
        .is_some_and(|operations| operations.len() > MAX_OPERATIONS)
    {
        let why = format!("The allowed maximum operations in a JSON patch is {MAX_OPERATIONS}");
        return Err(ApiError::new(413, "RequestEntityTooLarge", why));
    }
    let patch: json_patch::Patch = serde_json::from_value(patch.clone())
        .map_err(|error| ApiError::bad_request(format!("error decoding patch: {error}")))?;
    json_patch::patch(target, &patch).map_err(|error| {
        tracing::debug!(%error, "a JSON patch does not fit");
        ApiError {
            details: serde_json::json!({}),
            ..ApiError::new(
                422,
                "Invalid",
                "the server rejected our request due to an error in our request",
            )
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_merge_patch_removes_by_null_and_merges_objects() {
        let mut target = json!({"a": {"b": 1, "c": 2}, "d": [1]});
        merge(
            &mut target,
            &json!({"a": {"b": null, "e": {"f": null, "g": 1}}, "d": [2]}),
        );
        assert_eq!(target, json!({"a": {"c": 2, "e": {"g": 1}}, "d": [2]}));
    }

    #[test]
    fn a_json_patch_that_does_not_fit_is_refused() {
        let mut target = json!({"a": 1});
        super::json(&mut target, &json!([{"op": "replace", "path": "/a", "value": 2}])).unwrap();
        assert_eq!(target, json!({"a": 2}));
        assert_eq!(
            super::json(&mut target, &json!([{"op": "test", "path": "/a", "value": 1}]))
                .unwrap_err()
                .code,
            422
        );
        assert_eq!(super::json(&mut target, &json!({"op": "x"})).unwrap_err().code, 400);
    }
}
