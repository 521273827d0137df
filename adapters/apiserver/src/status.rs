//! Failures as Kubernetes `Status` objects.
//!
//! Reasons, codes and wording follow the ones a Kubernetes API server prints, because clients branch on the reason
//! and people search for the message.

use serde_json::{Value, json};

/// A refusal, as the client will see it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub(crate) struct ApiError {
    pub(crate) code: u16,
    pub(crate) reason: &'static str,
    pub(crate) message: String,
    pub(crate) details: Value,
}

/// One wrong field of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FieldError {
    pub(crate) field: String,
    pub(crate) kind: FieldErrorKind,
    pub(crate) message: String,
}

/// How a field is wrong; the reason of its cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FieldErrorKind {
    Required,
    Invalid,
    NotSupported,
    Duplicate,
    Forbidden,
    TooLong,
    TooMany,
    TypeInvalid,
    NotFound,
}

impl FieldErrorKind {
    fn reason(self) -> &'static str {
        match self {
            Self::Required => "FieldValueRequired",
            Self::Invalid => "FieldValueInvalid",
            Self::NotSupported => "FieldValueNotSupported",
            Self::Duplicate => "FieldValueDuplicate",
            Self::Forbidden => "FieldValueForbidden",
            Self::TooLong => "FieldValueTooLong",
            Self::TooMany => "FieldValueTooMany",
            Self::TypeInvalid => "FieldValueTypeInvalid",
            Self::NotFound => "FieldValueNotFound",
        }
    }
}

/// A value as field errors print it: strings quoted, the rest as JSON.
pub(crate) fn shown(value: &Value) -> String {
    let mut text = value.to_string();
    if text.len() > 1024 {
        let mut end = 1024;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        text.push('…');
    }
    text
}

impl FieldError {
    pub(crate) fn required(field: impl Into<String>, detail: &str) -> Self {
        let message = if detail.is_empty() {
            "Required value".to_owned()
        } else {
            format!("Required value: {detail}")
        };
        Self {
            field: field.into(),
            kind: FieldErrorKind::Required,
            message,
        }
    }

    pub(crate) fn invalid(field: impl Into<String>, value: &Value, detail: &str) -> Self {
        let value = shown(value);
        Self {
            field: field.into(),
            kind: FieldErrorKind::Invalid,
            message: format!("Invalid value: {value}: {detail}"),
        }
    }

    /// A value that is too long to repeat.
    pub(crate) fn invalid_omitted(field: impl Into<String>, detail: &str) -> Self {
        Self {
            field: field.into(),
            kind: FieldErrorKind::Invalid,
            message: format!("Invalid value: {detail}"),
        }
    }

    pub(crate) fn wrong_type(field: impl Into<String>, value: &Value, detail: &str) -> Self {
        Self {
            field: field.into(),
            kind: FieldErrorKind::TypeInvalid,
            message: format!("Invalid value: \"{}\": {detail}", type_name(value)),
        }
    }

    pub(crate) fn not_supported(field: impl Into<String>, value: &Value, allowed: &[String]) -> Self {
        let quoted: Vec<String> = allowed.iter().map(|value| json!(value).to_string()).collect();
        let list = quoted.join(", ");
        Self {
            field: field.into(),
            kind: FieldErrorKind::NotSupported,
            message: format!("Unsupported value: {}: supported values: {list}", shown(value)),
        }
    }

    pub(crate) fn duplicate(field: impl Into<String>, value: &Value) -> Self {
        Self {
            field: field.into(),
            kind: FieldErrorKind::Duplicate,
            message: format!("Duplicate value: {}", shown(value)),
        }
    }

    pub(crate) fn forbidden(field: impl Into<String>, detail: &str) -> Self {
        Self {
            field: field.into(),
            kind: FieldErrorKind::Forbidden,
            message: format!("Forbidden: {detail}"),
        }
    }

    pub(crate) fn too_long(field: impl Into<String>, max: u64) -> Self {
        Self {
            field: field.into(),
            kind: FieldErrorKind::TooLong,
            message: format!(
                "Too long: may not be more than {max} byte{}",
                if max == 1 { "" } else { "s" }
            ),
        }
    }

    pub(crate) fn too_many(field: impl Into<String>, actual: usize, max: u64) -> Self {
        Self {
            field: field.into(),
            kind: FieldErrorKind::TooMany,
            message: format!(
                "Too many: {actual}: must have at most {max} item{}",
                if max == 1 { "" } else { "s" }
            ),
        }
    }

    /// Whether rules are not evaluated on an object with this error.
    pub(crate) fn blocks_rules(&self) -> bool {
        match self.kind {
            FieldErrorKind::Required
            | FieldErrorKind::NotSupported
            | FieldErrorKind::TooLong
            | FieldErrorKind::TooMany
            | FieldErrorKind::TypeInvalid => true,
            FieldErrorKind::Invalid
            | FieldErrorKind::Duplicate
            | FieldErrorKind::Forbidden
            | FieldErrorKind::NotFound => false,
        }
    }

    fn line(&self) -> String {
        format!("{}: {}", self.place(), self.message)
    }

    fn place(&self) -> &str {
        if self.field.is_empty() { "<nil>" } else { &self.field }
    }
}

/// The JSON type of a value as schema messages name it.
pub(crate) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// `plural.group`, or the plural alone in the core group.
pub(crate) fn qualified(group: &str, name: &str) -> String {
    if group.is_empty() {
        name.to_owned()
    } else {
        format!("{name}.{group}")
    }
}

fn details(group: &str, kind: &str, name: &str) -> Value {
    let mut out = serde_json::Map::new();
    if !name.is_empty() {
        out.insert("name".into(), json!(name));
    }
    if !group.is_empty() {
        out.insert("group".into(), json!(group));
    }
    out.insert("kind".into(), json!(kind));
    Value::Object(out)
}

impl ApiError {
    pub(crate) fn new(code: u16, reason: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            reason,
            message: message.into(),
            details: Value::Null,
        }
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    pub(crate) fn not_found(group: &str, plural: &str, name: &str) -> Self {
        let resource = qualified(group, plural);
        Self {
            details: details(group, plural, name),
            ..Self::new(404, "NotFound", format!("{resource} \"{name}\" not found"))
        }
    }

    pub(crate) fn no_such_resource() -> Self {
        Self {
            details: json!({}),
            ..Self::new(404, "NotFound", "the server could not find the requested resource")
        }
    }

    pub(crate) fn already_exists(group: &str, plural: &str, name: &str) -> Self {
        let resource = qualified(group, plural);
        Self {
            details: details(group, plural, name),
            ..Self::new(409, "AlreadyExists", format!("{resource} \"{name}\" already exists"))
        }
    }

    pub(crate) fn conflict(group: &str, plural: &str, name: &str, why: &str) -> Self {
        let resource = qualified(group, plural);
        Self {
            details: details(group, plural, name),
            ..Self::new(
                409,
                "Conflict",
                format!("Operation cannot be fulfilled on {resource} \"{name}\": {why}"),
            )
        }
    }

    pub(crate) fn modified(group: &str, plural: &str, name: &str) -> Self {
        let why = "the object has been modified; please apply your changes to the latest version and try again";
        Self::conflict(group, plural, name, why)
    }

    pub(crate) fn forbidden(group: &str, plural: &str, name: &str, why: &str) -> Self {
        let resource = qualified(group, plural);
        Self {
            details: details(group, plural, name),
            ..Self::new(403, "Forbidden", format!("{resource} \"{name}\" is forbidden: {why}"))
        }
    }

    pub(crate) fn invalid(group: &str, kind: &str, name: &str, errors: &[FieldError]) -> Self {
        let what = qualified(group, kind);
        let lines: Vec<String> = errors.iter().map(FieldError::line).collect();
        let why = if lines.len() == 1 {
            lines.concat()
        } else {
            format!("[{}]", lines.join(", "))
        };
        let causes: Vec<Value> = errors
            .iter()
            .map(|error| json!({"reason": error.kind.reason(), "message": error.message, "field": error.place()}))
            .collect();
        let mut details = details(group, kind, name);
        details["causes"] = Value::Array(causes);
        Self {
            details,
            ..Self::new(422, "Invalid", format!("{what} \"{name}\" is invalid: {why}"))
        }
    }

    pub(crate) fn method_not_allowed() -> Self {
        Self {
            details: json!({}),
            ..Self::new(
                405,
                "MethodNotAllowed",
                "the server does not allow this method on the requested resource",
            )
        }
    }

    pub(crate) fn expired(message: impl Into<String>) -> Self {
        Self::new(410, "Expired", message)
    }

    /// The `Status` object that goes over the wire.
    pub(crate) fn to_status(&self) -> Value {
        let mut status = json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
            "message": self.message, "reason": self.reason, "details": self.details, "code": self.code,
        });
        if let Some(map) = status.as_object_mut() {
            map.retain(|name, value| !(name == "details" && value.is_null() || name == "reason" && value == ""));
        }
        status
    }
}
