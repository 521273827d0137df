//! What YAML can say and JSON cannot: numbers that are not finite, and mappings whose keys have no text.
//!
//! Go's libraries notice when they write JSON, so that such a value does no harm where a later one with the same
//! key replaces it. Therefore the composer leaves it in place, and looks for it in what is left of the document.

use alloc::format;

use super::{Composer, Result};
use crate::yaml::error::{Error, ErrorKind};
use crate::{Number, Value};

/// The bits of a NaN that no text resolves to: it stands for a mapping.
const MAPPING: u64 = 0x7FF8_0000_0000_0A1A;

/// What stands in the place of a mapping that JSON cannot hold.
pub(super) fn mapping() -> Value {
    Value::Number(Number::Float(f64::from_bits(MAPPING)))
}

impl Composer<'_, '_> {
    /// Refuses a document of which something is beyond JSON.
    pub(super) fn check_json(&self, value: &Value) -> Result<()> {
        if let Some(error) = &self.unsupported
            && find(value, &|f| f.to_bits() == MAPPING).is_some()
        {
            return Err(error.clone());
        }
        let Some((mark, f)) = self
            .not_finite
            .and_then(|mark| Some((mark, find(value, &|f| !f.is_finite())?)))
        else {
            return Ok(());
        };
        let name = match f {
            f if f.is_nan() => "NaN",
            f64::INFINITY => "+Inf",
            _ => "-Inf",
        };
        let message = "JSON cannot hold a number that is not finite";
        Err(Error::new(
            ErrorKind::Value,
            message,
            mark,
            format!("json: unsupported value: {name}"),
        ))
    }
}

/// The first float in `value` that `is` accepts.
fn find(value: &Value, is: &impl Fn(f64) -> bool) -> Option<f64> {
    match value {
        Value::Number(Number::Float(f)) => is(*f).then_some(*f),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
        Value::Array(items) => items.iter().find_map(|item| find(item, is)),
        Value::Object(map) => map.values().find_map(|item| find(item, is)),
    }
}
