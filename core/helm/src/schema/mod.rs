//! `values.schema.json`: whether values are what a chart says they are.
//!
//! JSON Schema, drafts 4, 6, 7, 2019-09 and 2020-12, as a validator over the schema's own text. References stay within
//! the document: a file or an address is refused, never loaded.
//!
//! # Invariant
//! The time is bounded by [`STEPS`] and the stack by [`DEPTH`], whatever schema and values are.

#![expect(clippy::wildcard_enum_match_arm, reason = "a keyword looks at one kind of value")]

mod array;
mod check;
mod document;
mod failure;
mod number;
mod object;
mod text_format;
mod validate;

use alloc::format;
use alloc::string::{String, ToString as _};

use convoy_value::{Limits, Map, Numbers, Value, json};

use crate::chart::Chart;
use crate::reason::Reason;
use document::Document;
use validate::Validator;

/// Schemas applied to values in one validation.
pub const STEPS: usize = 2_000_000;
/// Schemas within schemas.
pub const DEPTH: usize = 300;

/// Validates the values of a chart and of the charts below it; the text of everything that is wrong.
pub(crate) fn validate_chart(chart: &Chart, values: &Map) -> Result<(), Reason> {
    let (mut go, mut shown) = (String::new(), String::new());
    collect(chart, values, &mut |reason: Reason| {
        go.push_str(reason.go_text());
        shown.push_str(reason.shown());
    });
    if go.is_empty() {
        Ok(())
    } else {
        Err(Reason::hiding(go, shown))
    }
}

fn collect(chart: &Chart, values: &Map, failed: &mut dyn FnMut(Reason)) {
    if let Some(schema) = &chart.schema
        && let Err(reason) = apply(schema, &Value::Object(values.clone()))
    {
        failed(reason.after(&format!("{}:\n", chart.name())));
    }
    for sub in &chart.dependencies {
        match values.get(sub.name()) {
            None | Some(Value::Null) => {}
            Some(Value::Object(values)) => collect(sub, values, failed),
            Some(other) => failed(Reason::plain(format!(
                "{}:\ninvalid type for values: expected object (map), got {}\n",
                sub.name(),
                go_type(other)
            ))),
        }
    }
}

fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(convoy_value::Number::Int(_)) => "int64",
        Value::Number(_) => "float64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}

/// Validates one value; the text of everything that is wrong.
///
/// # Errors
/// When the schema is none or the value does not meet it, in the words of Helm.
pub fn validate(schema: &[u8], value: &Value) -> Result<(), String> {
    apply(schema, value).map_err(|reason| reason.go_text().to_string())
}

fn apply(schema: &[u8], value: &Value) -> Result<(), Reason> {
    let blank = schema.iter().all(u8::is_ascii_whitespace);
    let schema = json::parse_with(schema, &Limits::default(), Numbers::Exact)
        .map_err(|error| decoder_message(error.message(), blank))?;
    let document = Document::new(&schema)?;
    check::check(&document)?;
    Validator::new(&document).run(value)
}

/// What Go's decoder of a stream says where its reader of a whole text says `message`.
fn decoder_message(message: &str, blank: bool) -> String {
    match message {
        "unexpected end of JSON input" if blank => "EOF".into(),
        "unexpected end of JSON input" => "unexpected EOF".into(),
        message if message.ends_with("after top-level value") => "invalid character after top-level value".into(),
        message => message.into(),
    }
}

#[cfg(test)]
mod tests;
