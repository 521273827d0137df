//! What stands in for what is not set.

use convoy_template::value::{Heap, ObjectKind, Type};
use convoy_template::{Context, Function, Functions, Rest, Value};

pub(crate) fn register(functions: &mut Functions) {
    functions
        .insert(Function::over(
            "default",
            alloc::vec![Type::Any, Type::Any],
            true,
            |context, operands| match operands {
                [_, given, ..] if !is_empty(context.heap(), given) => core::mem::take(given),
                [default, ..] => core::mem::take(default),
                [] => Value::Nil,
            },
        ))
        .add("empty", |context: &mut Context, value: Value| {
            is_empty(context.heap(), &value)
        })
        .insert(Function::over(
            "coalesce",
            alloc::vec![Type::Any],
            true,
            |context, values| {
                let given = values.iter_mut().find(|value| !is_empty(context.heap(), value));
                given.map(core::mem::take).unwrap_or_default()
            },
        ))
        .add("all", |context: &mut Context, Rest(values): Rest<Value>| {
            values.iter().all(|value| !is_empty(context.heap(), value))
        })
        .add("any", |context: &mut Context, Rest(values): Rest<Value>| {
            values.iter().any(|value| !is_empty(context.heap(), value))
        })
        .add(
            "ternary",
            |_: &mut Context, yes: Value, no: Value, test: bool| if test { yes } else { no },
        );
}

/// Whether a value is the zero of its type; structs never are.
pub(crate) fn is_empty(heap: &Heap, value: &Value) -> bool {
    match value {
        Value::Nil => true,
        Value::Bool(b) => !*b,
        Value::Int(_, i) | Value::Duration(i) => *i == 0,
        Value::Uint(_, u) => *u == 0,
        Value::Float(f) => *f == 0.0,
        Value::Complex(parts) => **parts == (0.0, 0.0),
        Value::String(text) | Value::Bytes(text) => text.is_empty(),
        Value::List(list) => list.is_empty(),
        Value::Map(map) => heap.map_len(*map) == 0,
        Value::Object(object) => object.kind() == ObjectKind::Map && object.entries().is_empty(),
        _ => false,
    }
}
