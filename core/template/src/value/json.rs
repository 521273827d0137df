//! JSON of a value where it lies, as Go's `encoding/json` writes it.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "of the many kinds of values, few hold others"
)]

use alloc::format;
use alloc::string::{String, ToString as _};

use convoy_value::{Number, json};

use super::convert::base64;
use super::{Heap, Object, PlainError, Type, Value};
use crate::limits::MAX_VALUE_DEPTH;
use crate::meter::Meter;
use crate::{Limit, Str};

/// The text of `value`, of at most `max` bytes, for which `meter` pays: keys of maps in order of their bytes, fields of
/// structs in order of declaration.
pub(crate) fn write(heap: &Heap, value: &Value, max: usize, meter: &mut Meter) -> Result<String, PlainError> {
    let mut writer = Writer {
        heap,
        out: String::new(),
        max,
        meter,
    };
    writer.value(value, 0)?;
    Ok(writer.out)
}

struct Writer<'h, 'm> {
    heap: &'h Heap,
    out: String,
    max: usize,
    meter: &'m mut Meter,
}

impl Writer<'_, '_> {
    fn value(&mut self, value: &Value, depth: usize) -> Result<(), PlainError> {
        if depth > MAX_VALUE_DEPTH {
            return Err(PlainError::Limit(Limit::ValueDepth));
        }
        let before = self.out.len();
        match value {
            Value::Nil => self.out.push_str("null"),
            Value::Bool(b) => self.out.push_str(if *b { "true" } else { "false" }),
            Value::Int(_, i) | Value::Duration(i) => json::push_number(&mut self.out, &Number::Int(*i)),
            Value::Uint(_, u) => json::push_number(&mut self.out, &Number::Uint(*u)),
            Value::Float(f) if f.is_finite() => json::push_number(&mut self.out, &Number::Float(*f)),
            Value::Float(f) => return Err(not_finite(*f)),
            Value::String(text) => json::push_bytes(&mut self.out, text),
            Value::Bytes(bytes) => json::push_bytes(&mut self.out, base64(bytes).as_bytes()),
            Value::Time(time) => json::push_bytes(&mut self.out, time.rfc3339_nano().as_bytes()),
            Value::Error(_) => self.out.push_str("{}"),
            Value::List(list) if self.heap.is_nil_list(*list) => self.out.push_str("null"),
            Value::Map(map) if self.heap.is_nil_map(*map) => self.out.push_str("null"),
            Value::List(list) => self.items(self.heap.items(*list), depth)?,
            Value::Map(map) => self.members(self.heap.entries(*map), depth)?,
            Value::Object(object) => return self.object(object.as_ref(), depth),
            Value::Complex(_) | Value::Function(_) => {
                return Err(PlainError::Unsupported(Type::of(value, self.heap).to_string()));
            }
        }
        // What others hold has paid for itself.
        let own = match value {
            Value::List(_) | Value::Map(_) => 0,
            _ => self.out.len() - before,
        };
        self.pay(own)
    }

    fn pay(&mut self, bytes: usize) -> Result<(), PlainError> {
        if self.out.len() > self.max {
            return Err(PlainError::Limit(Limit::Text(self.max)));
        }
        self.meter.spend(4 + bytes as u64 / 64).map_err(PlainError::Limit)
    }

    fn items(&mut self, items: &[Value], depth: usize) -> Result<(), PlainError> {
        self.out.push('[');
        for (place, item) in items.iter().enumerate() {
            if place > 0 {
                self.out.push(',');
            }
            self.value(item, depth + 1)?;
        }
        self.out.push(']');
        Ok(())
    }

    fn members<'v>(
        &mut self,
        members: impl Iterator<Item = (&'v Str, &'v Value)>,
        depth: usize,
    ) -> Result<(), PlainError> {
        self.out.push('{');
        for (place, (key, value)) in members.enumerate() {
            if place > 0 {
                self.out.push(',');
            }
            json::push_bytes(&mut self.out, key);
            self.out.push(':');
            self.value(value, depth + 1)?;
        }
        self.out.push('}');
        Ok(())
    }

    fn object(&mut self, object: &dyn Object, depth: usize) -> Result<(), PlainError> {
        if let Some(value) = object.json() {
            return self.value(&value, depth + 1);
        }
        let members = object.entries();
        self.members(members.iter().map(|(key, value)| (key, value)), depth)?;
        self.pay(0)
    }
}

fn not_finite(f: f64) -> PlainError {
    let shown = if f.is_nan() {
        "NaN"
    } else if f < 0.0 {
        "-Inf"
    } else {
        "+Inf"
    };
    PlainError::NotFinite(format!("json: unsupported value: {shown}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    use crate::value::Struct;

    fn check(value: &Value, heap: &Heap, expect: &str) {
        let text = write(heap, value, 1_000, &mut Meter::endless());
        assert_eq!(text.unwrap_or_else(|error| error.to_string()), expect);
    }

    #[test]
    fn values_are_written_as_go_writes_them() {
        let mut heap = Heap::default();
        let map = heap.map().unwrap();
        for (key, value) in [
            (&b"b"[..], Value::int(-1)),
            (b"\xfe", Value::Float(1e21)),
            (b"\xff", Value::string(Str::from(&b"<\xe2\x82"[..]))),
            (b"a", Value::Bytes(Str::from(&b"\xff"[..]))),
        ] {
            heap.insert(map, Str::from(key), value).unwrap();
        }
        check(
            &Value::Map(map),
            &heap,
            "{\"a\":\"/w==\",\"b\":-1,\"\\ufffd\":1e+21,\"\\ufffd\":\"\\u003c\\ufffd\\ufffd\"}",
        );
        let nil = Value::Map(heap.nil_map(crate::value::Elem::Any).unwrap());
        let list = heap.list(vec![Value::Nil, nil, Value::Bool(true)]).unwrap();
        check(&Value::List(list), &heap, "[null,null,true]");
        let fields = Struct::new("a.B").field("Z", 1.5).unexported("y", true).field("A", "x");
        check(&fields.into_value(), &heap, "{\"Z\":1.5,\"A\":\"x\"}");
    }

    #[test]
    fn what_has_no_json_is_named() {
        let heap = Heap::default();
        check(&Value::Float(f64::NAN), &heap, "json: unsupported value: NaN");
        check(&Value::Float(f64::NEG_INFINITY), &heap, "json: unsupported value: -Inf");
        check(
            &Value::Complex(alloc::boxed::Box::new((0.0, 1.0))),
            &heap,
            "json: unsupported type: complex128",
        );
    }

    #[test]
    fn shared_and_cyclic_values_end_at_a_limit() {
        let mut heap = Heap::default();
        let mut inner = Value::string("x");
        for _ in 0..60 {
            inner = Value::List(heap.list(vec![inner.clone(), inner]).unwrap());
        }
        check(&inner, &heap, "limit of the length of a text exceeded (1000)");
        let map = heap.map().unwrap();
        heap.insert(map, "self", Value::Map(map)).unwrap();
        let text = write(&heap, &Value::Map(map), usize::MAX, &mut Meter::endless());
        assert_eq!(text, Err(PlainError::Limit(Limit::ValueDepth)));
    }
}
