//! `index`, `slice`, `len`.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "of the many kinds of values, the rest is alike here"
)]

use alloc::format;

use crate::exec::Slot;
use crate::value::{Elem, ObjectKind, Type, UintKind};
use crate::{CallError, Context, Value};

type Result<T> = core::result::Result<T, CallError>;

/// An index between 0 and `max`, both included as in Go.
fn index_number(context: &Context, index: &Value, max: usize) -> Result<usize> {
    let number = match index {
        Value::Int(_, i) | Value::Duration(i) => *i,
        #[expect(clippy::cast_possible_wrap, reason = "Go converts so")]
        Value::Uint(_, u) => *u as i64,
        Value::Nil => return Err("cannot index slice/array with nil".into()),
        _ => {
            let name = Type::of(index, &context.heap);
            return Err(format!("cannot index slice/array with type {name}").into());
        }
    };
    match usize::try_from(number) {
        Ok(place) if place <= max => Ok(place),
        _ => Err(format!("index out of range: {number}").into()),
    }
}

/// A place that an element is at; one past the end is Go's panic.
fn element<T>(found: Option<T>, what: &str) -> Result<T> {
    found.ok_or_else(|| format!("reflect: {what} index out of range").into())
}

pub(super) fn index(context: &mut Context, operands: &mut [Value], held: u64) -> Result<Slot> {
    let Some((item, indexes)) = operands.split_first() else {
        return Ok(Slot::default());
    };
    if item.is_nil() {
        return Err("index of untyped nil".into());
    }
    let mut slot = Slot::new(item.clone(), held & 1 == 1);
    for index in indexes {
        slot = index_once(context, &slot, index)?;
    }
    Ok(slot)
}

fn index_once(context: &mut Context, slot: &Slot, index: &Value) -> Result<Slot> {
    match &slot.value {
        Value::List(list) => {
            let place = index_number(context, index, list.len())?;
            let value = element(context.heap.items(*list).get(place), "slice")?.clone();
            Ok(Slot::new(value, context.heap.list_elem(*list) == Elem::Any))
        }
        Value::String(text) | Value::Bytes(text) => {
            let what = if matches!(slot.value, Value::String(_)) {
                "string"
            } else {
                "slice"
            };
            let place = index_number(context, index, text.len())?;
            let byte = *element(text.get(place), what)?;
            Ok(Slot::plain(Value::Uint(UintKind::Uint8, u64::from(byte))))
        }
        Value::Map(map) => {
            let map = *map;
            let elem = context.heap.map_elem(map);
            let key = map_key(context, index)?;
            if let Some(value) = context.heap.get(map, &key) {
                return Ok(Slot::new(value.clone(), elem == Elem::Any));
            }
            let zero = context.heap.zero_of(elem)?;
            Ok(Slot::new(zero, elem == Elem::Any))
        }
        Value::Object(object) if object.kind() == ObjectKind::Map => {
            let key = map_key(context, index)?;
            Ok(Slot::plain(
                object
                    .field(&key.to_text())
                    .unwrap_or(Value::Bytes(crate::Str::default())),
            ))
        }
        Value::Nil => Err("index of nil pointer".into()),
        other => {
            let name = alloc::string::ToString::to_string(&Type::of(other, &context.heap));
            Err(format!("can't index item of type {}", name.trim_start_matches('*')).into())
        }
    }
}

fn map_key(context: &Context, index: &Value) -> Result<crate::Str> {
    match index {
        Value::String(key) => Ok(key.clone()),
        Value::Nil => Err("value is nil; should be of type string".into()),
        other => Err(format!("value has type {}; should be string", Type::of(other, &context.heap)).into()),
    }
}

pub(super) fn slice(context: &mut Context, operands: &mut [Value], held: u64) -> Result<Slot> {
    let Some((item, indexes)) = operands.split_first() else {
        return Ok(Slot::default());
    };
    if item.is_nil() {
        return Err("slice of untyped nil".into());
    }
    let _ = held;
    if indexes.len() > 3 {
        return Err(format!("too many slice indexes: {}", indexes.len()).into());
    }
    let len = match item {
        Value::String(_) if indexes.len() == 3 => return Err("cannot 3-index slice a string".into()),
        Value::String(text) | Value::Bytes(text) => text.len(),
        Value::List(list) => list.len(),
        other => return Err(format!("can't slice item of type {}", Type::of(other, &context.heap)).into()),
    };
    let mut bounds = [0, len, len];
    for (bound, index) in bounds.iter_mut().zip(indexes) {
        *bound = index_number(context, index, len)?;
    }
    let [start, end, cap] = bounds;
    if start > end {
        return Err(format!("invalid slice index: {start} > {end}").into());
    }
    if indexes.len() == 3 && end > cap {
        return Err(format!("invalid slice index: {end} > {cap}").into());
    }
    let value = match item {
        Value::String(text) => Value::String(text.get(start..end).unwrap_or(&[]).into()),
        Value::Bytes(text) => Value::Bytes(text.get(start..end).unwrap_or(&[]).into()),
        Value::List(list) => Value::List(element(context.heap.slice(*list, start, end), "slice")?),
        _ => Value::Nil,
    };
    Ok(Slot::plain(value))
}

pub(super) fn len(context: &mut Context, operands: &mut [Value], held: u64) -> Result<Slot> {
    let item = operands.first().cloned().unwrap_or_default();
    let len = match &item {
        Value::Nil if held & 1 == 1 => return Err("len of nil pointer".into()),
        Value::Nil => return Err("reflect: call of reflect.Value.Type on zero Value".into()),
        Value::String(text) | Value::Bytes(text) => text.len(),
        Value::List(list) => list.len(),
        Value::Map(map) => context.heap.map_len(*map),
        Value::Object(object) if object.kind() == ObjectKind::Map => object.entries().len(),
        other => {
            // A pointer is followed first.
            let name = alloc::string::ToString::to_string(&Type::of(other, &context.heap));
            return Err(format!("len of type {}", name.trim_start_matches('*')).into());
        }
    };
    Ok(Slot::plain(Value::int(i64::try_from(len).unwrap_or(i64::MAX))))
}
