//! Values as JSON can hold them.

use convoy_value::{Map, Number, Value};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::text::unicode;

/// Any value, at most four levels deep.
pub fn value() -> impl Strategy<Value = Value> + Clone {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        number().prop_map(Value::Number),
        unicode().prop_map(Value::String),
    ];
    leaf.prop_recursive(4, 48, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::Array),
            map(inner).prop_map(Value::Object),
        ]
    })
}

/// A map of such values.
pub fn map(values: impl Strategy<Value = Value> + Clone) -> impl Strategy<Value = Map> + Clone {
    vec((unicode(), values), 0..6).prop_map(|entries| entries.into_iter().collect())
}

/// Numbers that JSON can hold, with the odd ones often.
fn number() -> impl Strategy<Value = Number> + Clone {
    prop_oneof![
        (-100_i64..100).prop_map(Number::Int),
        any::<i64>().prop_map(Number::Int),
        (i64::MAX.unsigned_abs() + 1..).prop_map(Number::Uint),
        any::<f64>().prop_filter_map("JSON has no such float", finite),
        prop::sample::select(vec![
            0.0,
            -0.0,
            0.5,
            1e21,
            1e20,
            1_152_921_504_606_846_976.0,
            1e-7,
            123_456_789.0,
            f64::MAX,
            f64::MIN_POSITIVE
        ])
        .prop_map(Number::Float),
    ]
}

fn finite(float: f64) -> Option<Number> {
    float.is_finite().then_some(Number::Float(float))
}

/// The same value with the keys of every map in another order.
pub fn reordered(value: &Value) -> BoxedStrategy<Value> {
    match value {
        Value::Object(map) => {
            let entries: Vec<_> = map
                .iter()
                .map(|(key, value)| {
                    reordered(value).prop_map({
                        let key = key.to_string();
                        move |value| (key.clone(), value)
                    })
                })
                .collect();
            entries
                .prop_shuffle()
                .prop_map(|entries| Value::Object(entries.into_iter().collect()))
                .boxed()
        }
        Value::Array(items) => items
            .iter()
            .map(reordered)
            .collect::<Vec<_>>()
            .prop_map(Value::Array)
            .boxed(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Just(value.clone()).boxed(),
    }
}
