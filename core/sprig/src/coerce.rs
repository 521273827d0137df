//! Values as texts and numbers, by the rules of Sprig and of `spf13/cast`.

use alloc::string::String;
use alloc::vec::Vec;

use convoy_template::value::{ListRef, UintKind, kind_of};
use convoy_template::{CallError, Context, Limit, Str, Value};

/// The text of a value: strings and bytes as they are, everything else as `%v` prints it.
///
/// # Errors
/// When it is too long or too deep.
pub fn text_of(context: &Context, value: &Value) -> Result<Str, Limit> {
    match value {
        Value::String(text) | Value::Bytes(text) => Ok(text.clone()),
        _ => context.to_text(value).map(Str::from),
    }
}

/// The elements of a list, whatever it is declared to hold; `None` if it is none.
pub(crate) fn elements(context: &Context, value: &Value) -> Option<Vec<Value>> {
    match value {
        Value::List(list) => Some(context.heap().items(*list).to_vec()),
        Value::Bytes(bytes) => Some(
            bytes
                .iter()
                .map(|byte| Value::Uint(UintKind::Uint8, u64::from(*byte)))
                .collect(),
        ),
        _ => None,
    }
}

/// The elements of what must be a list; `message` goes before the name of any other kind.
pub(crate) fn list_or(context: &Context, value: &Value, message: &str) -> Result<Vec<Value>, CallError> {
    if value.is_nil() {
        return Err(crate::NIL_DEREFERENCE.into());
    }
    elements(context, value).ok_or_else(|| alloc::format!("{message} {}", kind_of(value)).into())
}

/// A list of texts: the elements without nils, or the value itself.
pub(crate) fn texts(context: &Context, value: &Value) -> Result<Vec<Str>, Limit> {
    if let Some(items) = elements(context, value) {
        return items
            .iter()
            .filter(|item| !item.is_nil())
            .map(|item| text_of(context, item))
            .collect();
    }
    if value.is_nil() {
        return Ok(Vec::new());
    }
    Ok(alloc::vec![text_of(context, value)?])
}

/// A `[]interface {}` as a value.
pub(crate) fn list(context: &mut Context, items: Vec<Value>) -> Result<ListRef, CallError> {
    Ok(context.heap_mut().list(items)?)
}

/// A float as an integer as the processor converts it: what does not fit is the least one.
#[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
pub(crate) fn float_to_int(float: f64) -> i64 {
    if (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&float) {
        float as i64
    } else {
        i64::MIN
    }
}

/// As `cast.ToInt64`: what is no number is 0.
#[must_use]
pub fn to_int(value: &Value) -> i64 {
    match value {
        Value::Bool(b) => i64::from(*b),
        Value::Int(_, i) => *i,
        #[expect(clippy::cast_possible_wrap, reason = "Go wraps")]
        Value::Uint(_, u) => *u as i64,
        Value::Float(f) => float_to_int(*f),
        Value::String(text) => text
            .as_str()
            .and_then(|text| parse_int(without_zero_decimals(text)))
            .unwrap_or(0),
        _ => 0,
    }
}

/// `12.00` without its decimals, if they are zeros.
fn without_zero_decimals(text: &str) -> &str {
    let kept = text.trim_end_matches('0');
    match kept.strip_suffix('.') {
        Some(whole) if kept.len() < text.len() => whole,
        _ => text,
    }
}

/// As `strconv.ParseInt(text, 0, 64)`: with prefixes and underscores.
pub(crate) fn parse_int(text: &str) -> Option<i64> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, text.get(1..)?),
        b'+' => (false, text.get(1..)?),
        _ => (false, text),
    };
    let magnitude = i128::from(convoy_template::parse_uint(digits)?);
    i64::try_from(if negative { -magnitude } else { magnitude }).ok()
}

/// As `cast.ToFloat64`.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "the nearest float is what Go takes")]
pub fn to_float(value: &Value) -> f64 {
    match value {
        Value::Bool(b) => f64::from(u8::from(*b)),
        Value::Int(_, i) => *i as f64,
        Value::Uint(_, u) => *u as f64,
        Value::Float(f) => *f,
        Value::String(text) => text.as_str().and_then(parse_float).unwrap_or(0.0),
        _ => 0.0,
    }
}

/// As `strconv.ParseFloat`, with the names of what is not finite.
fn parse_float(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let sign = if text.starts_with('-') { -1.0 } else { 1.0 };
    let lower: String = unsigned.to_ascii_lowercase();
    match lower.as_str() {
        "inf" | "infinity" => Some(sign * f64::INFINITY),
        "nan" if unsigned == text => Some(f64::NAN),
        _ => convoy_template::parse_float(text),
    }
}
