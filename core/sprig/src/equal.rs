//! `reflect.DeepEqual`.

use convoy_template::value::{Heap, Type};
use convoy_template::{Context, Limit, MAX_VALUE_DEPTH, Meter, Value};

/// Whether two values have the same type and the same content. Handles to one map are equal whatever is in it.
///
/// # Errors
/// When a value is too deep to tell, or there are no steps left for all that they hold.
pub fn deep_equal(context: &mut Context, a: &Value, b: &Value) -> Result<bool, Limit> {
    let mut meter = context.meter();
    let mut work = Work {
        parts: 0,
        meter: &mut meter,
    };
    let equal = equal(context.heap(), a, b, 0, &mut work).and_then(|equal| work.pay().map(|()| equal));
    context.settle(&meter);
    equal
}

/// What is compared, in quarters of a step.
struct Work<'m> {
    parts: u64,
    meter: &'m mut Meter,
}

impl Work<'_> {
    fn add(&mut self, value: &Value) -> Result<(), Limit> {
        self.parts += match value {
            Value::String(text) | Value::Bytes(text) => 1 + text.len() as u64 / 64,
            Value::List(_) | Value::Map(_) | Value::Object(_) => 16,
            _ => 1,
        };
        if self.parts > 1_024 { self.pay() } else { Ok(()) }
    }

    fn pay(&mut self) -> Result<(), Limit> {
        let steps = self.parts / 4;
        self.parts = 0;
        self.meter.spend(steps)
    }
}

#[expect(clippy::float_cmp, reason = "Go compares so")]
fn equal(heap: &Heap, a: &Value, b: &Value, depth: usize, work: &mut Work<'_>) -> Result<bool, Limit> {
    if depth > MAX_VALUE_DEPTH {
        return Err(Limit::ValueDepth);
    }
    work.add(a)?;
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
        (Value::List(one), Value::List(other)) => {
            if one == other {
                return Ok(true);
            }
            if !same_type(heap, a, b) || heap.is_nil_list(*one) != heap.is_nil_list(*other) || one.len() != other.len()
            {
                return Ok(false);
            }
            for (a, b) in heap.items(*one).iter().zip(heap.items(*other)) {
                if !equal(heap, a, b, depth + 1, work)? {
                    return Ok(false);
                }
            }
            true
        }
        (Value::Map(one), Value::Map(other)) => {
            if one == other {
                return Ok(true);
            }
            if !same_type(heap, a, b)
                || heap.is_nil_map(*one) != heap.is_nil_map(*other)
                || heap.map_len(*one) != heap.map_len(*other)
            {
                return Ok(false);
            }
            for ((a_key, a), (b_key, b)) in heap.entries(*one).zip(heap.entries(*other)) {
                if a_key != b_key || !equal(heap, a, b, depth + 1, work)? {
                    return Ok(false);
                }
            }
            true
        }
        (Value::Object(a), Value::Object(b)) => {
            if alloc::sync::Arc::ptr_eq(a, b) {
                return Ok(true);
            }
            let (one, other) = (a.entries(), b.entries());
            if a.go_type() != b.go_type() || a.text() != b.text() || one.len() != other.len() {
                return Ok(false);
            }
            for ((a_key, a), (b_key, b)) in one.iter().zip(&other) {
                if a_key != b_key || !equal(heap, a, b, depth + 1, work)? {
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
    if let (Value::Map(a), Value::Map(b)) = (a, b)
        && heap.map_name(*a).is_none()
        && heap.map_name(*b).is_none()
    {
        return heap.map_elem(*a) == heap.map_elem(*b);
    }
    Type::of(a, heap).to_string() == Type::of(b, heap).to_string()
}
