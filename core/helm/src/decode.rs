//! YAML into typed fields, as sigs.k8s.io/yaml and Go's `encoding/json` do it: names of fields match whatever their
//! case, a null leaves the field alone, and a number or boolean is text where text is wanted.
//!
//! # Invariant
//! An error that is a plain text names kinds and fields, never a value.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use convoy_value::{Limits, Map, Number, Value, yaml};

use crate::gofloat;
use crate::reason::Reason;

/// Where a field is: the Go type that holds it and the path of field names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    structure: &'a str,
    path: &'a str,
}

impl<'a> Place<'a> {
    pub(crate) fn new(structure: &'a str, path: &'a str) -> Self {
        Self { structure, path }
    }

    fn mismatch(self, value: &Value, want: &str) -> String {
        let place = if self.path.is_empty() {
            format!("value of type {want}")
        } else {
            format!("struct field {}.{} of type {want}", self.structure, self.path)
        };
        format!(
            "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {} into Go {place}",
            kind(value)
        )
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Reads YAML, with the error that sigs.k8s.io/yaml gives.
pub(crate) fn read(text: &[u8]) -> Result<Value, Reason> {
    yaml::helm::parse(text, &Limits::default()).map_err(|error| refused(&error))
}

/// The error that sigs.k8s.io/yaml gives.
pub(crate) fn refused(error: &yaml::Error) -> Reason {
    Reason::yaml(error).after("error converting YAML to JSON: ")
}

/// The map that a Go structure of type `structure` is read from; `None` for null.
pub(crate) fn structure<'a>(value: &'a Value, place: Place<'_>, name: &str) -> Result<Option<&'a Map>, String> {
    match value {
        Value::Null => Ok(None),
        Value::Object(map) => Ok(Some(map)),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Err(place.mismatch(value, name)),
    }
}

/// The value of a field, by any case of its name; of several the last in the order of keys, as Go reads them.
pub(crate) fn field<'a>(map: &'a Map, name: &str) -> Option<&'a Value> {
    let candidates = map.iter().filter(|(key, _)| key.eq_ignore_ascii_case(name));
    candidates.max_by(|a, b| a.0.cmp(b.0)).map(|(_, value)| value)
}

/// A scalar as text; `None` leaves the field alone.
fn as_text(value: &Value, place: Place<'_>) -> Result<Option<String>, String> {
    if value.is_null() {
        return Ok(None);
    }
    plain(value).map(Some).ok_or_else(|| place.mismatch(value, "string"))
}

/// A text, number or boolean as text; `None` for what is none of them.
pub(crate) fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(b) => Some(b.to_string()),
        Value::Number(Number::Float(f)) => Some(gofloat::general(*f)),
        Value::Number(number) => Some(gofloat::display(number)),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Reads a text field into `target`.
pub(crate) fn text(map: &Map, name: &str, structure: &str, path: &str, target: &mut String) -> Result<(), String> {
    if let Some(value) = field(map, name)
        && let Some(text) = as_text(value, Place::new(structure, path))?
    {
        *target = text;
    }
    Ok(())
}

/// Reads a boolean field.
pub(crate) fn boolean(map: &Map, name: &str, structure: &str, path: &str) -> Result<Option<bool>, String> {
    match field(map, name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Bool(b)) => Ok(Some(*b)),
        Some(other) => Err(Place::new(structure, path).mismatch(other, "bool")),
    }
}

/// The elements of a list field; `None` if it is absent or null.
pub(crate) fn list<'a>(
    map: &'a Map,
    name: &str,
    structure: &str,
    path: &str,
    want: &str,
) -> Result<Option<&'a [Value]>, String> {
    match field(map, name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Array(items)) => Ok(Some(items)),
        Some(other) => Err(Place::new(structure, path).mismatch(other, want)),
    }
}

/// A list of texts; nulls are empty.
pub(crate) fn texts(map: &Map, name: &str, structure: &str, path: &str) -> Result<Option<Vec<String>>, String> {
    let Some(items) = list(map, name, structure, path, "[]string")? else {
        return Ok(None);
    };
    let place = Place::new(structure, path);
    let texts = items.iter().map(|item| Ok(as_text(item, place)?.unwrap_or_default()));
    texts.collect::<Result<_, String>>().map(Some)
}

/// A map of texts, in the order of keys; `None` if absent or null.
pub(crate) fn text_map(
    map: &Map,
    name: &str,
    structure: &str,
    path: &str,
) -> Result<Option<Vec<(String, String)>>, String> {
    let place = Place::new(structure, path);
    match field(map, name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Object(entries)) => {
            let mut texts = entries
                .iter()
                .map(|(key, value)| Ok((key.to_string(), as_text(value, place)?.unwrap_or_default())))
                .collect::<Result<Vec<_>, String>>()?;
            texts.sort();
            Ok(Some(texts))
        }
        Some(other) => Err(place.mismatch(other, "map[string]string")),
    }
}
