//! YAML as sigs.k8s.io/yaml writes it, which is Helm's `toYaml` and Kustomize's output.
//!
//! That library turns a value into JSON, reads it with yaml.v2 and writes the result: so the numbers and the few
//! strings that JSON and YAML understand differently go through the same conversions here.

mod letters;
mod order;
mod scalar;
mod through_json;
pub mod v3;
mod writer;

use alloc::borrow::Cow;
use alloc::string::String;

use crate::Value;

pub use through_json::MarshalError;

/// `value` as YAML, with a line break at the end; every value has a form, and reads back as the same value.
///
/// It is [`marshal`]'s text wherever that has one and keeps the value. Strings that Go refuses, or changes on the
/// way, are written with escapes; `<<` is quoted as a key, lest it be a merge; negative zero keeps its sign.
#[must_use]
pub fn to_string(value: &Value) -> String {
    writer::write(value, true, |text, _| {
        Ok::<_, core::convert::Infallible>(Cow::Borrowed(text))
    })
    .unwrap_or_else(|never| match never {})
}

/// `value` as Go's library writes it, byte for byte, faults included.
///
/// # Errors
/// When that library refuses the value; `toYaml` is empty then.
pub fn marshal(value: &Value) -> Result<String, MarshalError> {
    if !value.is_finite() {
        return Err(MarshalError::NotFinite);
    }
    writer::write(value, false, through_json::convert)
}
