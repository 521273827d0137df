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
    let text = plain(context, &value)?
        .map(|value| super::pretty::write(&value))
        .unwrap_or_default();
    context.afford_text(text.len())?;
    Ok(text)
}

fn json_text(context: &mut Context, value: &Value) -> Result<Result<String, String>, CallError> {
    let text = plain(context, value)?.and_then(|value| {
        if value.is_finite() {
            Ok(json::to_canonical(&value))
        } else {
            Err(not_finite(&value))
        }
    });
    if let Ok(text) = &text {
        context.afford_text(text.len())?;
    }
    Ok(text)
}

fn not_finite(value: &Plain) -> String {
    let shown = match value {
        Plain::Number(number) if number.as_f64().is_nan() => "NaN",
        Plain::Number(number) if number.as_f64() < 0.0 => "-Inf",
        Plain::Number(_) => "+Inf",
        Plain::Array(items) => {
            return items
                .iter()
                .find(|item| !item.is_finite())
                .map(not_finite)
                .unwrap_or_default();
        }
        Plain::Object(map) => {
            return map
                .values()
                .find(|item| !item.is_finite())
                .map(not_finite)
                .unwrap_or_default();
        }
        Plain::Null | Plain::Bool(_) | Plain::String(_) => "",
    };
    format!("json: unsupported value: {shown}")
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

fn read_json(text: &[u8]) -> Result<Plain, String> {
    json::parse_with(text, &Limits::default(), Numbers::Float).map_err(|error| error.message().to_string())
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
    as_map(context, read_json(&text), "")
}

pub(super) fn from_json_array(context: &mut Context, text: Str) -> Result<Value, CallError> {
    context.afford_text(text.len())?;
    as_list(context, read_json(&text), "")
}
