//! `toToml`, as `BurntSushi`'s library writes TOML: what is no table first, then the tables, each two spaces deeper.
//!
//! Texts are written as they are, so that bytes that are no UTF-8 stay in what is written.

#![expect(
    clippy::needless_pass_by_value,
    reason = "the types of its operands are the signature of a function"
)]

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use convoy_template::value::Heap;
use convoy_template::{CallError, Context, Limit, MAX_VALUE_DEPTH, Meter, Str, Value};

use super::shape::Shape;
use crate::gofloat;

/// Why there is no TOML.
#[derive(Debug)]
enum Refused {
    /// In the words of the library.
    Reason(String),
    Limit(Limit),
}

impl From<&str> for Refused {
    fn from(reason: &str) -> Self {
        Self::Reason(reason.into())
    }
}

fn text(context: &mut Context, value: &Value) -> Result<Result<Vec<u8>, String>, CallError> {
    if value.is_nil() {
        return Err(CallError::new("reflect: call of reflect.Value.Type on zero Value"));
    }
    let mut meter = context.meter();
    let text = encode(context.heap(), value, context.limits().text, &mut meter);
    context.settle(&meter);
    match text {
        Ok(text) => Ok(Ok(text)),
        Err(Refused::Reason(reason)) => Ok(Err(reason)),
        Err(Refused::Limit(limit)) => Err(limit.into()),
    }
}

/// TOML, or the text of the error.
pub(super) fn to_toml(context: &mut Context, value: Value) -> Result<Str, CallError> {
    Ok(text(context, &value)?.map_or_else(Str::from, Str::from))
}

/// TOML, or an error.
pub(super) fn must_to_toml(context: &mut Context, value: Value) -> Result<Str, CallError> {
    text(context, &value)?.map(Str::from).map_err(CallError::new)
}

/// The text of `value`, of at most `max` bytes, for which `meter` pays.
fn encode(heap: &Heap, value: &Value, max: usize, meter: &mut Meter) -> Result<Vec<u8>, Refused> {
    let mut writer = Writer {
        heap,
        out: Vec::new(),
        max,
        meter,
    };
    match Shape::of(heap, value) {
        Shape::Map(members, _) | Shape::Struct(members) => writer.members(&[], members)?,
        Shape::List(items) if writer.is_tables(&items)? => {
            return Err("toml: top-level values must be Go maps or structs".into());
        }
        Shape::Other(name) => {
            return Err(Refused::Reason(format!("unsupported type for key '': {name}")));
        }
        other => writer.element(other, 0)?,
    }
    Ok(writer.out)
}

struct Writer<'h, 'm> {
    heap: &'h Heap,
    out: Vec<u8>,
    max: usize,
    meter: &'m mut Meter,
}

impl Writer<'_, '_> {
    /// Pays for a value at some depth.
    fn pay(&mut self, depth: usize) -> Result<(), Refused> {
        if depth > MAX_VALUE_DEPTH {
            return Err(Refused::Limit(Limit::ValueDepth));
        }
        if self.out.len() > self.max {
            return Err(Refused::Limit(Limit::Text(self.max)));
        }
        self.meter.spend(4).map_err(Refused::Limit)
    }

    fn put(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    fn line_break(&mut self) {
        if !self.out.is_empty() {
            self.out.push(b'\n');
        }
    }

    fn indent(&mut self, path: &[Str]) {
        for _ in 1..path.len() {
            self.put("  ");
        }
    }

    /// Whether a list holds tables and nothing else.
    fn is_tables(&self, items: &[Value]) -> Result<bool, Refused> {
        if items.iter().any(Value::is_nil) {
            return Err("toml: cannot encode array with nil element".into());
        }
        let is_table = |item: &Value| matches!(Shape::of(self.heap, item), Shape::Map(..) | Shape::Struct(_));
        Ok(!items.is_empty() && items.iter().all(is_table))
    }

    /// The members of a table, with those of the tables in it behind the others.
    fn members(&mut self, path: &[Str], members: Vec<(Str, Value)>) -> Result<(), Refused> {
        self.pay(path.len())?;
        let (mut direct, mut tables) = (Vec::new(), Vec::new());
        for (key, value) in members {
            let shape = Shape::of(self.heap, &value);
            let is_table = match &shape {
                Shape::Nil | Shape::Map(_, true) => continue,
                Shape::Map(..) | Shape::Struct(_) => true,
                Shape::List(items) => self.is_tables(items)?,
                _ => false,
            };
            if is_table { &mut tables } else { &mut direct }.push((key, shape));
        }
        for (key, shape) in direct.into_iter().chain(tables) {
            self.member(path, key, shape)?;
        }
        Ok(())
    }

    fn member(&mut self, path: &[Str], key: Str, shape: Shape) -> Result<(), Refused> {
        let path: Vec<Str> = path.iter().cloned().chain([key.clone()]).collect();
        match shape {
            Shape::Map(members, _) | Shape::Struct(members) => {
                if path.len() == 1 {
                    self.line_break();
                }
                self.header(&path, "[", "]");
                self.members(&path, members)
            }
            Shape::List(items) if self.is_tables(&items)? => {
                for item in items {
                    self.line_break();
                    self.header(&path, "[[", "]]");
                    if let Shape::Map(members, _) | Shape::Struct(members) = Shape::of(self.heap, &item) {
                        self.members(&path, members)?;
                    }
                }
                Ok(())
            }
            other => {
                self.indent(&path);
                self.key(&key);
                self.put(" = ");
                self.element(other, path.len())?;
                self.line_break();
                Ok(())
            }
        }
    }

    fn header(&mut self, path: &[Str], open: &str, close: &str) {
        self.indent(path);
        self.put(open);
        for (place, key) in path.iter().enumerate() {
            self.put(if place > 0 { "." } else { "" });
            self.key(key);
        }
        self.put(close);
        self.line_break();
    }

    fn element(&mut self, shape: Shape, depth: usize) -> Result<(), Refused> {
        self.pay(depth)?;
        match shape {
            Shape::Nil => return Err("toml: cannot encode array with nil element".into()),
            Shape::Bool(b) => self.put(if b { "true" } else { "false" }),
            Shape::Int(i) => self.put(&i.to_string()),
            Shape::Uint(u) => self.put(&u.to_string()),
            Shape::Float(f) => self.put(&float_text(f)),
            Shape::Text(text) => self.quoted(&text),
            Shape::Time(time) => self.put(&time.rfc3339_nano()),
            Shape::List(items) => {
                self.is_tables(&items)?;
                self.put("[");
                for (index, item) in items.iter().enumerate() {
                    self.put(if index > 0 { ", " } else { "" });
                    self.element(Shape::of(self.heap, item), depth + 1)?;
                }
                self.put("]");
            }
            Shape::Map(members, _) | Shape::Struct(members) => self.inline(members, depth)?,
            Shape::Other(name) => return Err(Refused::Reason(format!("unsupported type: {name}"))),
        }
        Ok(())
    }

    /// A table in one line, tables in it behind the others.
    fn inline(&mut self, members: Vec<(Str, Value)>, depth: usize) -> Result<(), Refused> {
        let shapes = members
            .into_iter()
            .map(|(key, value)| (key, Shape::of(self.heap, &value)))
            .filter(|(_, shape)| !matches!(shape, Shape::Nil | Shape::Map(_, true)));
        let is_table = |shape: &Shape| matches!(shape, Shape::Map(..) | Shape::Struct(_));
        let (tables, direct): (Vec<_>, Vec<_>) = shapes.partition(|(_, shape)| is_table(shape));
        self.put("{");
        for (index, (key, shape)) in direct.into_iter().chain(tables).enumerate() {
            self.put(if index > 0 { ", " } else { "" });
            self.key(&key);
            self.put(" = ");
            self.element(shape, depth + 1)?;
        }
        self.put("}");
        Ok(())
    }

    fn key(&mut self, key: &Str) {
        let bare = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        if !key.is_empty() && key.iter().all(bare) {
            self.out.extend_from_slice(key);
        } else {
            self.quoted(key);
        }
    }

    fn quoted(&mut self, text: &[u8]) {
        self.put("\"");
        for byte in text {
            match byte {
                b'"' => self.put("\\\""),
                b'\\' => self.put("\\\\"),
                0x08 => self.put("\\b"),
                b'\t' => self.put("\\t"),
                b'\n' => self.put("\\n"),
                0x0c => self.put("\\f"),
                b'\r' => self.put("\\r"),
                0..0x20 | 0x7f => self.put(&format!("\\u{byte:04x}")),
                _ => self.out.push(*byte),
            }
        }
        self.put("\"");
    }
}

fn float_text(f: f64) -> String {
    if f.is_nan() {
        return if f.is_sign_negative() { "-nan" } else { "nan" }.into();
    }
    if f.is_infinite() {
        return if f < 0.0 { "-inf" } else { "inf" }.into();
    }
    let text = gofloat::general(f);
    if text.contains(['e', '.']) { text } else { text + ".0" }
}

#[cfg(test)]
mod tests {
    use convoy_value::{Limits, yaml};

    use super::*;

    #[test]
    fn tables_come_after_what_is_none() {
        let check = |text: &str, expect: &str| {
            let mut heap = Heap::default();
            let value = yaml::helm::parse_values(text, &Limits::default()).unwrap();
            let value = heap.import(&value).unwrap();
            let shown = match encode(&heap, &value, usize::MAX, &mut Meter::endless()) {
                Ok(text) => String::from_utf8(text).unwrap(),
                Err(Refused::Reason(reason)) => reason,
                Err(Refused::Limit(limit)) => limit.to_string(),
            };
            assert_eq!(shown, expect);
        };
        check(
            "{b: {c: x, d: {e: 1.5}}, a: [1, two], z: null, l: [{k: v}]}",
            "a = [1.0, \"two\"]\n\n[b]\n  c = \"x\"\n  [b.d]\n    e = 1.5\n\n[[l]]\n  k = \"v\"\n",
        );
        check("{'a b': \"x\\n\\\"\"}", "\"a b\" = \"x\\n\\\"\"\n");
        check("{a: [null]}", "toml: cannot encode array with nil element");
    }
}
