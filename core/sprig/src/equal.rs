//! `reflect.DeepEqual`.

use convoy_template::value::{Heap, Type};
use convoy_template::{Limit, MAX_VALUE_DEPTH, Value};

/// Whether two values have the same type and the same content. Handles to one map are equal whatever is in it.
///
/// # Errors
/// When a value is too deep to tell.
pub fn deep_equal(heap: &Heap, a: &Value, b: &Value) -> Result<bool, Limit> {
    equal(heap, a, b, 0)
}

#[expect(clippy::float_cmp, reason = "Go compares so")]
fn equal(heap: &Heap, a: &Value, b: &Value, depth: usize) -> Result<bool, Limit> {
    if depth > MAX_VALUE_DEPTH {
        return Err(Limit::ValueDepth);
    }
    Ok(match (a, b) {
        (Value::Nil, Value::Nil) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Int(a_kind, a), Value::Int(b_kind, b)) => a_kind == b_kind && a == b,
        (Value::Uint(a_kind, a), Value::Uint(b_kind, b)) => a_kind == b_kind && a == b,
        (Value::Float(a), Value::Float(b)) => a == b,
        (Value::Complex(a), Value::Complex(b)) => a == b,
        (Value::String(a), Value::String(b))
        | (Value::Bytes(a), Value::Bytes(b))
        | (Value::Error(a), Value::Error(b)) => a == b,
        (Value::Time(a), Value::Time(b)) => a == b,
        (Value::Duration(a), Value::Duration(b)) => a == b,
        (Value::List(left), Value::List(right)) => {
            if left == right {
                return Ok(true);
            }
            if !same_type(heap, a, b)
                || heap.is_nil_list(*left) != heap.is_nil_list(*right)
                || left.len() != right.len()
            {
                return Ok(false);
            }
            for (a, b) in heap.items(*left).iter().zip(heap.items(*right)) {
                if !equal(heap, a, b, depth + 1)? {
                    return Ok(false);
                }
            }
            true
        }
        (Value::Map(left), Value::Map(right)) => {
            if left == right {
                return Ok(true);
            }
            if !same_type(heap, a, b)
                || heap.is_nil_map(*left) != heap.is_nil_map(*right)
                || heap.map_len(*left) != heap.map_len(*right)
            {
                return Ok(false);
            }
            for ((a_key, a), (b_key, b)) in heap.entries(*left).zip(heap.entries(*right)) {
                if a_key != b_key || !equal(heap, a, b, depth + 1)? {
                    return Ok(false);
                }
            }
            true
        }
        (Value::Object(a), Value::Object(b)) => {
            if alloc::sync::Arc::ptr_eq(a, b) {
                return Ok(true);
            }
            let (left, right) = (a.entries(), b.entries());
            if a.go_type() != b.go_type() || a.text() != b.text() || left.len() != right.len() {
                return Ok(false);
            }
            for ((a_key, a), (b_key, b)) in left.iter().zip(&right) {
                if a_key != b_key || !equal(heap, a, b, depth + 1)? {
                    return Ok(false);
                }
            }
            true
        }
        _ => false,
    })
}

fn same_type(heap: &Heap, a: &Value, b: &Value) -> bool {
    use alloc::string::ToString as _;
    Type::of(a, heap).to_string() == Type::of(b, heap).to_string()
}
