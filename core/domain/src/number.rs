//! Numbers as Kubernetes reads them from JSON: 64-bit signed integers where the text is one, else floats.
//!
//! A renderer may leave a number in another form (`1.0`, `-0.0`, an unsigned integer); the API server, and a stored
//! render that is read back, know only these two. So a render settles them before it is named.
//!
//! # Invariant
//! Settling twice is settling once, and a settled value reads back from its canonical JSON as itself.

use convoy_value::{Number, Value, json};

use crate::object::Object;

/// Integers up to here are floats of the same digits.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Settles every number of an object.
pub fn settle(object: &mut Object) {
    object
        .as_map_mut()
        .iter_mut()
        .for_each(|(_, value)| settle_value(value));
}

fn settle_value(value: &mut Value) {
    match value {
        Value::Null | Value::Bool(_) | Value::String(_) => {}
        Value::Number(number) => {
            if let Some(settled) = settled(number) {
                *number = settled;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(settle_value),
        Value::Object(map) => map.iter_mut().for_each(|(_, value)| settle_value(value)),
    }
}

/// The other form of a number, if it needs one.
fn settled(number: &Number) -> Option<Number> {
    match number {
        Number::Int(_) => None,
        Number::Uint(_) | Number::Big(_) => {
            Some(number.as_i64().map_or_else(|| read_back(number.as_f64()), Number::Int))
        }
        Number::Float(float) => (integral(*float)).then(|| read_back(*float)),
    }
}

/// Whether Go writes a float without a point or exponent.
#[expect(
    clippy::float_cmp,
    reason = "whether it is an integer is asked, not whether it is near one"
)]
fn integral(float: f64) -> bool {
    float.abs() < EXACT && float == truncated(float) || float.abs() >= EXACT && float.abs() < 1e21
}

/// A float below [`EXACT`] without what is after its point.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "the float is far within the range of exact integers"
)]
fn truncated(float: f64) -> f64 {
    float as i64 as f64
}

/// What the text of a float is read as. The digits are those of the text, which are not always those of the float.
fn read_back(float: f64) -> Number {
    match json::to_canonical(&Value::from(float)).parse::<i64>() {
        Ok(integer) => Number::Int(integer),
        Err(_) => Number::Float(float),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The right column is what apimachinery's `unstructured` holds after reading Go's JSON of the left one.
    #[test]
    fn numbers_become_what_kubernetes_reads() {
        for (number, expect) in [
            (Number::Int(-7), Number::Int(-7)),
            (Number::Float(1.0), Number::Int(1)),
            (Number::Float(-0.0), Number::Int(0)),
            (Number::Float(-3.0), Number::Int(-3)),
            (Number::Float(1.5), Number::Float(1.5)),
            (Number::Float(1e20), Number::Float(1e20)),
            (Number::Float(1e21), Number::Float(1e21)),
            (Number::Float(1e-7), Number::Float(1e-7)),
            (
                Number::Float(9_007_199_254_740_992.0),
                Number::Int(9_007_199_254_740_992),
            ),
            (
                Number::Float(1_152_921_504_606_846_976.0),
                Number::Int(1_152_921_504_606_847_000),
            ),
            (Number::Uint(7), Number::Int(7)),
            (Number::Uint(u64::MAX), Number::Float(18_446_744_073_709_551_615.0)),
            (
                Number::Big("18446744073709551616".into()),
                Number::Float(18_446_744_073_709_551_616.0),
            ),
            (Number::Big("12".into()), Number::Int(12)),
        ] {
            let mut value = Value::Array(alloc::vec![Value::Number(number.clone())]);
            settle_value(&mut value);
            let once = value.clone();
            assert_eq!(value, Value::Array(alloc::vec![Value::Number(expect)]), "{number:?}");
            settle_value(&mut value);
            assert_eq!(value, once, "{number:?}");
        }
    }
}
