//! `toYaml`, `fromJson` and their kin.

#![expect(
    clippy::needless_pass_by_value,
    reason = "the types of its operands are the signature of a function"
)]

use alloc::format;
use alloc::string::{String, ToString as _};

use convoy_template::value::PlainError;
use convoy_template::{CallError, Context, Str, Value};
use convoy_value::{Limits, Map, Numbers, Value as Plain, json, yaml};

/// YAML without its last line break.
pub(super) fn marshal(value: &Plain) -> Result<String, String> {
    let mut text = yaml::marshal(value).map_err(|error| error.to_string())?;
    if text.ends_with('\n') {
        text.pop();
    }
    Ok(text)
}

/// The plain form, or why Go has none; a limit is an error of the call.
pub(super) fn plain(context: &mut Context, value: &Value) -> Result<Result<Plain, String>, CallError> {
    match context.export(value) {
        Err(PlainError::Limit(limit)) => Err(limit.into()),
        other => Ok(other.map_err(|error| error.to_string())),
    }
}

fn yaml_text(context: &mut Context, value: &Value) -> Result<Result<String, String>, CallError> {
    let text = plain(context, value)?.and_then(|value| marshal(&value));
    if let Ok(text) = &text {
        context.afford_text(text.len())?;
    }
    Ok(text)
}

pub(super) fn to_yaml(context: &mut Context, value: Value) -> Result<String, CallError> {
    Ok(yaml_text(context, &value)?.unwrap_or_default())
}

pub(super) fn must_to_yaml(context: &mut Context, value: Value) -> Result<String, CallError> {
    yaml_text(context, &value)?.map_err(|error| CallError::new(format!("error marshaling into JSON: {error}")))
}

pub(super) fn to_yaml_pretty(context: &mut Context, value: Value) -> Result<String, CallError> {
    let mut meter = context.meter();
    let text = super::pretty::write(context.heap(), &value, context.limits().text, &mut meter);
    context.settle(&meter);
    text.map_err(|error| match error {
        PlainError::Limit(limit) => limit.into(),
        PlainError::Unsupported(name) => CallError::new(format!("cannot marshal type: {name}")),
        PlainError::NotFinite(reason) => CallError::new(reason),
    })
}

fn json_text(context: &mut Context, value: &Value) -> Result<Result<String, String>, CallError> {
    match context.json(value) {
        Err(PlainError::Limit(limit)) => Err(limit.into()),
        other => Ok(other.map_err(|error| error.to_string())),
    }
}

pub(super) fn to_json(context: &mut Context, value: Value) -> Result<String, CallError> {
    Ok(json_text(context, &value)?.unwrap_or_default())
}

pub(super) fn must_to_json(context: &mut Context, value: Value) -> Result<String, CallError> {
    json_text(context, &value)?.map_err(CallError::new)
}

fn kind(value: &Plain) -> &'static str {
    match value {
        Plain::Null => "null",
        Plain::Bool(_) => "bool",
        Plain::Number(_) => "number",
        Plain::String(_) => "string",
        Plain::Array(_) => "array",
        Plain::Object(_) => "object",
    }
}

fn mismatch(value: &Plain, want: &str) -> String {
    format!("json: cannot unmarshal {} into Go value of type {want}", kind(value))
}

fn read_yaml(text: &[u8]) -> Result<Plain, String> {
    yaml::helm::parse_values(text, &Limits::default())
        .map_err(|error| format!("error converting YAML to JSON: {}", error.go_message()))
}

/// JSON, with the first number that no float holds, which is null in the value.
fn read_json(text: &[u8]) -> Result<(Plain, Option<String>), String> {
    match json::parse_in_part(text, &Limits::default(), Numbers::Float) {
        Err(error) => Err(error.message().to_string()),
        Ok((value, beyond)) => Ok((value, beyond.map(|error| format!("json: {}", error.message())))),
    }
}

const WRAP: &str = "error unmarshaling JSON: while decoding JSON: ";

/// A map, or one with the reason under `Error`.
fn as_map(context: &mut Context, read: Result<Plain, String>, wrap: &str) -> Result<Value, CallError> {
    let read = read.and_then(|value| match value {
        Plain::Object(map) => Ok(map),
        Plain::Null => Ok(Map::new()),
        other => Err(format!("{wrap}{}", mismatch(&other, "map[string]interface {}"))),
    });
    let map = read.unwrap_or_else(|reason| [("Error", reason)].into_iter().collect());
    Ok(context.heap_mut().import(&Plain::Object(map))?)
}

/// A list, or one with the reason alone.
fn as_list(context: &mut Context, read: Result<Plain, String>, wrap: &str) -> Result<Value, CallError> {
    let read = read.and_then(|value| match value {
        Plain::Array(items) => Ok(items),
        Plain::Null => Ok(alloc::vec::Vec::new()),
        other => Err(format!("{wrap}{}", mismatch(&other, "[]interface {}"))),
    });
    let items = read.unwrap_or_else(|reason| [Plain::from(reason)].into());
    Ok(context.heap_mut().import(&Plain::Array(items))?)
}

pub(super) fn from_yaml(context: &mut Context, text: Str) -> Result<Value, CallError> {
    context.afford_text(text.len())?;
    as_map(context, read_yaml(&text), WRAP)
}

pub(super) fn from_yaml_array(context: &mut Context, text: Str) -> Result<Value, CallError> {
    context.afford_text(text.len())?;
    as_list(context, read_yaml(&text), WRAP)
}

pub(super) fn from_json(context: &mut Context, text: Str) -> Result<Value, CallError> {
    context.afford_text(text.len())?;
    let read = read_json(&text).and_then(|(value, beyond)| match (value, beyond) {
        // What could be read is there beside the error.
        (Plain::Object(mut map), Some(reason)) => {
            map.insert("Error", Plain::from(reason));
            Ok(Plain::Object(map))
        }
        (Plain::Null, Some(_)) => Err(mismatch(&Plain::from(0.0), "map[string]interface {}")),
        (value, _) => Ok(value),
    });
    as_map(context, read, "")
}

pub(super) fn from_json_array(context: &mut Context, text: Str) -> Result<Value, CallError> {
    context.afford_text(text.len())?;
    let read = read_json(&text).and_then(|(value, beyond)| match (value, beyond) {
        (Plain::Array(_), Some(reason)) => Err(reason),
        (Plain::Null, Some(_)) => Err(mismatch(&Plain::from(0.0), "[]interface {}")),
        (value, _) => Ok(value),
    });
    as_list(context, read, "")
}
