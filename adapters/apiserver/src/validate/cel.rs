//! Rules of `x-kubernetes-validations`.

use kube_cel::{ErrorKind, RootContext, Validator};
use serde_json::Value;

use crate::status::{FieldError, FieldErrorKind};

/// A longer rule is refused when the definition is created.
pub(crate) const MAX_RULE_BYTES: usize = 16_384;

/// Whether a schema has any rule.
pub(crate) fn has_rules(schema: &Value) -> bool {
    match schema {
        Value::Object(map) => map.contains_key("x-kubernetes-validations") || map.values().any(has_rules),
        Value::Array(items) => items.iter().any(has_rules),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// What the rules find wrong.
pub(crate) fn check(schema: &Value, object: &Value, old: Option<&Value>, context: &RootContext) -> Vec<FieldError> {
    let Err(errors) = Validator::new().validate_with_context(schema, object, old, Some(context)) else {
        return Vec::new();
    };
    errors
        .into_vec()
        .into_iter()
        .map(|error| field_error(object, &error))
        .collect()
}

fn field_error(object: &Value, error: &kube_cel::ValidationError) -> FieldError {
    let path = error.field_path.trim_start_matches('.').to_owned();
    if error.kind != ErrorKind::ValidationFailure {
        return FieldError::invalid_omitted(path, &error.message);
    }
    match error.reason.as_deref() {
        Some("FieldValueForbidden") => return FieldError::forbidden(path, &error.message),
        Some("FieldValueRequired") => return FieldError::required(path, &error.message),
        Some(_) | None => {}
    }
    let scalar = find(object, &path).filter(|value| !value.is_object() && !value.is_array());
    let mut found = match scalar {
        Some(value) => FieldError::invalid(path, value, &error.message),
        None => FieldError::invalid_omitted(path, &error.message),
    };
    if error.reason.as_deref() == Some("FieldValueDuplicate") {
        found.kind = FieldErrorKind::Duplicate;
    }
    found
}

/// The value at a path such as `spec.items[0].name`.
fn find<'a>(object: &'a Value, path: &str) -> Option<&'a Value> {
    path.split(['.', '[', ']'])
        .filter(|step| !step.is_empty())
        .try_fold(object, |value, step| {
            if value.is_array() {
                value.get(step.parse::<usize>().ok()?)
            } else {
                value.get(step)
            }
        })
}
