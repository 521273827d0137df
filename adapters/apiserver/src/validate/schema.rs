//! Custom resources against their structural schema.

use std::collections::BTreeMap;

use regex::Regex;
use serde_json::{Map, Value, json};

use crate::status::{FieldError, type_name};

/// The patterns of a schema, compiled once.
pub(crate) type Patterns = BTreeMap<String, Option<Regex>>;

/// A pattern whose program is larger than this is not checked.
const MAX_PATTERN_BYTES: usize = 1 << 20;

/// At most this many errors are reported for one object.
const MAX_ERRORS: usize = 100;

/// Compiles every pattern that occurs in a schema.
pub(crate) fn patterns_of(schema: &Value) -> Patterns {
    let mut out = Patterns::new();
    collect(schema, &mut out);
    out
}

fn collect(schema: &Value, out: &mut Patterns) {
    if let Some(pattern) = schema.get("pattern").and_then(Value::as_str) {
        let build = || {
            regex::RegexBuilder::new(pattern)
                .size_limit(MAX_PATTERN_BYTES)
                .build()
                .ok()
        };
        out.entry(pattern.to_owned()).or_insert_with(build);
    }
    match schema {
        Value::Object(map) => map.values().for_each(|value| collect(value, out)),
        Value::Array(items) => items.iter().for_each(|value| collect(value, out)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// What is wrong with a value, by this schema.
pub(crate) fn check(schema: &Value, value: &Value, patterns: &Patterns) -> Vec<FieldError> {
    let mut errors = Vec::new();
    Checker { patterns }.check(schema, value, "", &mut errors);
    errors.truncate(MAX_ERRORS);
    errors
}

struct Checker<'a> {
    patterns: &'a Patterns,
}

fn child(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

impl Checker<'_> {
    fn check(&self, schema: &Value, value: &Value, path: &str, errors: &mut Vec<FieldError>) {
        if errors.len() >= MAX_ERRORS {
            return;
        }
        if value.is_null() && schema.get("nullable") == Some(&json!(true)) {
            return;
        }
        if !self.type_fits(schema, value, path, errors) {
            return;
        }
        Self::enumeration(schema, value, path, errors);
        if let Some(text) = value.as_str() {
            self.string(schema, text, path, errors);
        }
        if value.is_number() {
            number(schema, value, path, errors);
        }
        if let Some(items) = value.as_array() {
            self.array(schema, items, path, errors);
        }
        if let Some(object) = value.as_object() {
            self.object(schema, object, path, errors);
        }
        self.combinations(schema, value, path, errors);
    }

    fn type_fits(&self, schema: &Value, value: &Value, path: &str, errors: &mut Vec<FieldError>) -> bool {
        let _ = self;
        let actual = type_name(value);
        let wrong = |want: &str| {
            FieldError::wrong_type(
                path,
                value,
                &format!("{path} in body must be of type {want}: \"{actual}\""),
            )
        };
        if schema.get("x-kubernetes-int-or-string") == Some(&json!(true)) {
            let fits = value.is_string() || is_integer(value);
            if !fits {
                errors.push(wrong("integer,string"));
            }
            return fits;
        }
        let Some(want) = schema.get("type").and_then(Value::as_str) else {
            return true;
        };
        let fits = match want {
            "integer" => is_integer(value),
            "number" => value.is_number(),
            other => actual == other,
        };
        if !fits {
            errors.push(wrong(want));
            if want == "integer" && value.is_f64() {
                let why = format!("Checked value must be of type integer (default format) in {path}");
                errors.push(FieldError::invalid("", &json!(""), &why));
            }
        }
        fits
    }

    fn enumeration(schema: &Value, value: &Value, path: &str, errors: &mut Vec<FieldError>) {
        let Some(allowed) = schema.get("enum").and_then(Value::as_array) else {
            return;
        };
        if !allowed.contains(value) {
            let allowed: Vec<String> = allowed
                .iter()
                .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
                .collect();
            errors.push(FieldError::not_supported(path, value, &allowed));
        }
    }

    fn string(&self, schema: &Value, text: &str, path: &str, errors: &mut Vec<FieldError>) {
        let length = text.chars().count() as u64;
        if let Some(max) = schema.get("maxLength").and_then(Value::as_u64)
            && length > max
        {
            errors.push(FieldError::too_long(path, max));
        } else if let Some(min) = schema.get("minLength").and_then(Value::as_u64)
            && length < min
        {
            let why = format!("{path} in body should be at least {min} chars long");
            errors.push(FieldError::invalid(path, &json!(text), &why));
        } else if let Some(pattern) = schema.get("pattern").and_then(Value::as_str)
            && let Some(Some(regex)) = self.patterns.get(pattern)
            && !regex.is_match(text)
        {
            let why = format!("{path} in body should match '{pattern}'");
            errors.push(FieldError::invalid(path, &json!(text), &why));
        }
        if let Some(format) = schema.get("format").and_then(Value::as_str)
            && !super::format::fits(format, text)
        {
            let why = format!("{path} in body must be of type {format}: {}", json!(text));
            let kind = crate::status::FieldErrorKind::TypeInvalid;
            errors.push(FieldError {
                kind,
                ..FieldError::invalid(path, &json!(text), &why)
            });
        }
    }

    fn array(&self, schema: &Value, items: &[Value], path: &str, errors: &mut Vec<FieldError>) {
        let length = items.len() as u64;
        if let Some(max) = schema.get("maxItems").and_then(Value::as_u64)
            && length > max
        {
            errors.push(FieldError::too_many(path, items.len(), max));
        }
        if let Some(min) = schema.get("minItems").and_then(Value::as_u64)
            && length < min
        {
            let why = format!("{path} in body should have at least {min} items");
            errors.push(FieldError::invalid(path, &json!(length), &why));
        }
        if let Some(of) = schema.get("items") {
            for (at, item) in items.iter().enumerate() {
                self.check(of, item, &format!("{path}[{at}]"), errors);
            }
        }
        unique(schema, items, path, errors);
    }

    fn object(&self, schema: &Value, object: &Map<String, Value>, path: &str, errors: &mut Vec<FieldError>) {
        let length = object.len() as u64;
        if let Some(max) = schema.get("maxProperties").and_then(Value::as_u64)
            && length > max
        {
            errors.push(FieldError::too_many(path, object.len(), max));
        }
        if let Some(min) = schema.get("minProperties").and_then(Value::as_u64)
            && length < min
        {
            let why = format!("{path} in body should have at least {min} properties");
            errors.push(FieldError::invalid(path, &json!(length), &why));
        }
        for name in schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
        {
            if !object.contains_key(name) {
                errors.push(FieldError::required(child(path, name), ""));
            }
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        let additional = schema
            .get("additionalProperties")
            .filter(|additional| additional.is_object());
        for (name, value) in object {
            if let Some(of) = properties.and_then(|known| known.get(name)).or(additional) {
                self.check(of, value, &child(path, name), errors);
            }
        }
        if schema.get("x-kubernetes-embedded-resource") == Some(&json!(true)) {
            for name in ["apiVersion", "kind"] {
                if object.get(name).and_then(Value::as_str).unwrap_or("").is_empty() {
                    errors.push(FieldError::required(child(path, name), "must not be empty"));
                }
            }
        }
    }

    fn good(&self, schema: &Value, value: &Value, path: &str) -> bool {
        let mut errors = Vec::new();
        self.check(schema, value, path, &mut errors);
        errors.is_empty()
    }

    /// The errors of the alternative that has the fewest.
    fn nearest(&self, alternatives: &[Value], value: &Value, path: &str) -> Vec<FieldError> {
        let found = alternatives.iter().map(|of| {
            let mut errors = Vec::new();
            self.check(of, value, path, &mut errors);
            errors
        });
        found.min_by_key(Vec::len).unwrap_or_default()
    }

    fn combinations(&self, schema: &Value, value: &Value, path: &str, errors: &mut Vec<FieldError>) {
        if schema.get("x-kubernetes-int-or-string") == Some(&json!(true)) {
            return;
        }
        let list = |name: &str| schema.get(name).and_then(Value::as_array);
        let empty = json!("");
        if let Some(all) = list("allOf") {
            for of in all {
                self.check(of, value, path, errors);
            }
        }
        if let Some(any) = list("anyOf")
            && !any.iter().any(|of| self.good(of, value, path))
        {
            let why = format!("\"{path}\" must validate at least one schema (anyOf)");
            errors.push(FieldError::invalid("", &empty, &why));
            errors.extend(self.nearest(any, value, path));
        }
        if let Some(one) = list("oneOf") {
            let count = one.iter().filter(|of| self.good(of, value, path)).count();
            if count != 1 {
                let found = if count == 0 {
                    "Found none valid".to_owned()
                } else {
                    format!("Found {count} valid alternatives")
                };
                let why = format!("\"{path}\" must validate one and only one schema (oneOf). {found}");
                errors.push(FieldError::invalid("", &empty, &why));
                if count == 0 {
                    errors.extend(self.nearest(one, value, path));
                }
            }
        }
        if let Some(not) = schema.get("not")
            && self.good(not, value, path)
        {
            let why = format!("\"{path}\" must not validate the schema (not)");
            errors.push(FieldError::invalid(path, &empty, &why));
        }
    }
}

fn is_integer(value: &Value) -> bool {
    value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|float| float.fract() == 0.0)
}

fn number(schema: &Value, value: &Value, path: &str, errors: &mut Vec<FieldError>) {
    let Some(actual) = value.as_f64() else { return };
    let exclusive = |name: &str| schema.get(name) == Some(&json!(true));
    if let Some(min) = schema.get("minimum")
        && let Some(bound) = min.as_f64()
    {
        let strict = exclusive("exclusiveMinimum");
        if actual < bound || (strict && actual <= bound) {
            let word = if strict {
                "greater than"
            } else {
                "greater than or equal to"
            };
            errors.push(FieldError::invalid(
                path,
                value,
                &format!("{path} in body should be {word} {min}"),
            ));
        }
    }
    if let Some(max) = schema.get("maximum")
        && let Some(bound) = max.as_f64()
    {
        let strict = exclusive("exclusiveMaximum");
        if actual > bound || (strict && actual >= bound) {
            let word = if strict { "less than" } else { "less than or equal to" };
            errors.push(FieldError::invalid(
                path,
                value,
                &format!("{path} in body should be {word} {max}"),
            ));
        }
    }
    if let Some(of) = schema.get("multipleOf")
        && let Some(factor) = of.as_f64()
        && factor > 0.0
        && (actual / factor).fract() != 0.0
    {
        errors.push(FieldError::invalid(
            path,
            value,
            &format!("{path} in body should be a multiple of {of}"),
        ));
    }
    let range = match schema.get("format").and_then(Value::as_str) {
        Some("int32") => Some((f64::from(i32::MIN), f64::from(i32::MAX))),
        _ => None,
    };
    if let Some((low, high)) = range
        && !(low..=high).contains(&actual)
    {
        let why = format!("{path} in body must be of type int32: \"{value}\"");
        errors.push(FieldError::invalid(path, value, &why));
    }
}

/// Items of sets and keyed lists must differ.
fn unique(schema: &Value, items: &[Value], path: &str, errors: &mut Vec<FieldError>) {
    let key = match schema.get("x-kubernetes-list-type").and_then(Value::as_str) {
        Some("set") => |item: &Value, _: &[&str]| item.clone(),
        Some("map") => |item: &Value, keys: &[&str]| {
            let fields = keys
                .iter()
                .filter_map(|key| Some(((*key).to_owned(), item.get(*key)?.clone())));
            Value::Object(fields.collect())
        },
        _ => return,
    };
    let keys = schema.get("x-kubernetes-list-map-keys").and_then(Value::as_array);
    let keys: Vec<&str> = keys.into_iter().flatten().filter_map(Value::as_str).collect();
    let mut seen = std::collections::BTreeSet::new();
    for (at, item) in items.iter().enumerate() {
        let key = key(item, &keys);
        if !seen.insert(key.to_string()) {
            errors.push(FieldError::duplicate(format!("{path}[{at}]"), &key));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(schema: &Value, value: &Value) -> Vec<String> {
        let errors = check(schema, value, &patterns_of(schema));
        errors
            .into_iter()
            .map(|error| format!("{}: {}", error.field, error.message))
            .collect()
    }

    #[test]
    fn each_keyword_has_its_message() {
        for (schema, value, expect) in [
            (
                json!({"type": "integer"}),
                json!("x"),
                "a: Invalid value: \"string\": a in body must be of type integer: \"string\"",
            ),
            (
                json!({"type": "string", "enum": ["b", "c"]}),
                json!("x"),
                "a: Unsupported value: \"x\": supported values: \"b\", \"c\"",
            ),
            (
                json!({"type": "string", "pattern": "^b$"}),
                json!("x"),
                "a: Invalid value: \"x\": a in body should match '^b$'",
            ),
            (
                json!({"type": "integer", "minimum": 1}),
                json!(0),
                "a: Invalid value: 0: a in body should be greater than or equal to 1",
            ),
            (
                json!({"type": "string", "maxLength": 1}),
                json!("xx"),
                "a: Too long: may not be more than 1 byte",
            ),
            (
                json!({"type": "array", "maxItems": 1}),
                json!([1, 2]),
                "a: Too many: 2: must have at most 1 item",
            ),
            (
                json!({"type": "object", "required": ["b"]}),
                json!({}),
                "a.b: Required value",
            ),
            (
                json!({"type": "array", "x-kubernetes-list-type": "set"}),
                json!(["q", "q"]),
                "a[1]: Duplicate value: \"q\"",
            ),
        ] {
            let root = json!({"type": "object", "properties": {"a": schema}});
            assert_eq!(errors(&root, &json!({"a": value})), [expect]);
        }
    }

    #[test]
    fn nullable_integers_or_strings_and_unknown_forms_pass() {
        let schema = json!({"type": "object", "properties": {"a": {"type": "string", "nullable": true},
            "b": {"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}]}}});
        assert!(errors(&schema, &json!({"a": null, "b": "50%", "c": [1]})).is_empty());
        assert_eq!(errors(&schema, &json!({"b": true})).len(), 1);
    }
}
