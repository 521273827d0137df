//! `eq`, `ne`, `lt`, `le`, `gt`, `ge`: values of one basic kind, and integers across signs.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "of the many kinds of values, the rest is alike here"
)]

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::sync::Arc;

use crate::exec::Slot;
use crate::value::{Heap, Type, kind_of};
use crate::{CallError, Context, Str, Value, gofmt};

type Result<T> = core::result::Result<T, CallError>;

const BAD_TYPE: &str = "invalid type for comparison";

/// Kinds that compare among themselves.
enum Basic<'v> {
    Bool(bool),
    Complex((f64, f64)),
    Int(i64),
    Float(f64),
    String(&'v Str),
    Uint(u64),
    None,
}

fn basic(value: &Value) -> Basic<'_> {
    match value {
        Value::Bool(b) => Basic::Bool(*b),
        Value::Int(_, i) | Value::Duration(i) => Basic::Int(*i),
        Value::Uint(_, u) => Basic::Uint(*u),
        Value::Float(f) => Basic::Float(*f),
        Value::Complex(parts) => Basic::Complex(**parts),
        Value::String(text) => Basic::String(text),
        _ => Basic::None,
    }
}

fn answer(truth: bool) -> Slot {
    Slot::plain(Value::Bool(truth))
}

pub(super) fn eq(context: &mut Context, operands: &mut [Value], _: u64) -> Result<Slot> {
    let Some((first, rest)) = operands.split_first() else {
        return Ok(answer(false));
    };
    if rest.is_empty() {
        return Err("missing argument for comparison".into());
    }
    for other in rest {
        if equal(&context.heap, first, other, context.limits().text)? {
            return Ok(answer(true));
        }
    }
    Ok(answer(false))
}

fn two(operands: &[Value]) -> (&Value, &Value) {
    const NIL: &Value = &Value::Nil;
    (operands.first().unwrap_or(NIL), operands.get(1).unwrap_or(NIL))
}

pub(super) fn ne(context: &mut Context, operands: &mut [Value], _: u64) -> Result<Slot> {
    let (a, b) = two(operands);
    Ok(answer(!equal(&context.heap, a, b, context.limits().text)?))
}

pub(super) fn lt(context: &mut Context, operands: &mut [Value], _: u64) -> Result<Slot> {
    let (a, b) = two(operands);
    Ok(answer(less(&context.heap, a, b)?))
}

pub(super) fn le(context: &mut Context, operands: &mut [Value], _: u64) -> Result<Slot> {
    let (a, b) = two(operands);
    Ok(answer(less_or_equal(context, a, b)?))
}

pub(super) fn gt(context: &mut Context, operands: &mut [Value], _: u64) -> Result<Slot> {
    let (a, b) = two(operands);
    Ok(answer(!less_or_equal(context, a, b)?))
}

pub(super) fn ge(context: &mut Context, operands: &mut [Value], _: u64) -> Result<Slot> {
    let (a, b) = two(operands);
    Ok(answer(!less(&context.heap, a, b)?))
}

fn less_or_equal(context: &Context, a: &Value, b: &Value) -> Result<bool> {
    Ok(less(&context.heap, a, b)? || equal(&context.heap, a, b, context.limits().text)?)
}

fn incompatible(heap: &Heap, a: &Value, b: &Value) -> CallError {
    let (a, b) = (Type::of(a, heap), Type::of(b, heap));
    format!("incompatible types for comparison: {a} and {b}").into()
}

#[expect(clippy::float_cmp, reason = "Go compares so")]
fn equal(heap: &Heap, a: &Value, b: &Value, max: usize) -> Result<bool> {
    Ok(match (basic(a), basic(b)) {
        (Basic::Bool(a), Basic::Bool(b)) => a == b,
        (Basic::Complex(a), Basic::Complex(b)) => a == b,
        (Basic::Int(a), Basic::Int(b)) => a == b,
        (Basic::Float(a), Basic::Float(b)) => a == b,
        (Basic::String(a), Basic::String(b)) => a == b,
        (Basic::Uint(a), Basic::Uint(b)) => a == b,
        (Basic::Int(i), Basic::Uint(u)) | (Basic::Uint(u), Basic::Int(i)) => u64::try_from(i) == Ok(u),
        (Basic::None, Basic::None) => return equal_others(heap, a, b, max),
        _ if a.is_nil() || b.is_nil() => false,
        _ => return Err(incompatible(heap, a, b)),
    })
}

/// Whether a value is nil of its type.
fn is_nil(heap: &Heap, value: &Value) -> bool {
    match value {
        Value::Nil => true,
        Value::List(list) => heap.is_nil_list(*list),
        Value::Map(map) => heap.is_nil_map(*map),
        _ => false,
    }
}

/// Maps, slices and structs: equal to nil only, unless Go can compare them.
fn equal_others(heap: &Heap, a: &Value, b: &Value, max: usize) -> Result<bool> {
    let shown = |value: &Value| -> Result<String> {
        let text = gofmt::printf(heap, b"%s", core::slice::from_ref(value), max)?;
        Ok(Str::from(text).to_string())
    };
    if !a.is_nil() && !b.is_nil() && kind_of(a) != kind_of(b) {
        let (a_type, b_type) = (Type::of(a, heap), Type::of(b, heap));
        let plain = Str::from(gofmt::value(heap, b, max)?);
        return Err(format!("non-comparable types {}: {a_type}, {b_type}: {plain}", shown(a)?).into());
    }
    if is_nil(heap, a) || is_nil(heap, b) {
        return Ok(is_nil(heap, a) == is_nil(heap, b));
    }
    match (a, b) {
        (Value::Time(a), Value::Time(b)) => Ok(a == b),
        (Value::Object(a), Value::Object(b)) => Ok(Arc::ptr_eq(a, b)),
        (Value::Error(_), _) => Ok(false),
        _ => Err(format!("non-comparable type {}: {}", shown(b)?, Type::of(b, heap)).into()),
    }
}

fn less(heap: &Heap, a: &Value, b: &Value) -> Result<bool> {
    Ok(match (basic(a), basic(b)) {
        (Basic::None, _)
        | (_, Basic::None)
        | (Basic::Bool(_), Basic::Bool(_))
        | (Basic::Complex(_), Basic::Complex(_)) => {
            return Err(BAD_TYPE.into());
        }
        (Basic::Int(a), Basic::Int(b)) => a < b,
        (Basic::Float(a), Basic::Float(b)) => a < b,
        (Basic::String(a), Basic::String(b)) => a < b,
        (Basic::Uint(a), Basic::Uint(b)) => a < b,
        (Basic::Int(a), Basic::Uint(b)) => u64::try_from(a).is_ok_and(|a| a < b) || a < 0,
        (Basic::Uint(a), Basic::Int(b)) => u64::try_from(b).is_ok_and(|b| a < b),
        _ => return Err(incompatible(heap, a, b)),
    })
}
