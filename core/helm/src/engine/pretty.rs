//! `toYamlPretty`: YAML as yaml.v3 writes Go's values with two spaces: lists are indented below their keys, structs have
//! the lower-case names of their fields, bytes that are no text are binary.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use convoy_template::value::{Heap, PlainError};
use convoy_template::{Limit, MAX_VALUE_DEPTH, Meter, Str, Value, lossy};
use convoy_value::yaml::v3;

use super::files::base64;
use super::shape::Shape;
use crate::gofloat;

/// `value` as YAML without a line break at the end: of at most `max` bytes, for which `meter` pays.
pub(super) fn write(heap: &Heap, value: &Value, max: usize, meter: &mut Meter) -> Result<String, PlainError> {
    let mut writer = Writer {
        heap,
        out: String::new(),
        max,
        meter,
    };
    writer.node(value, 0, Place::Root)?;
    let written = writer.out.len() - usize::from(writer.out.ends_with('\n'));
    writer.out.truncate(written);
    Ok(writer.out)
}

const STEP: usize = 2;

/// What stands in front of a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Root,
    Item,
    Value,
}

struct Writer<'h, 'm> {
    heap: &'h Heap,
    out: String,
    max: usize,
    meter: &'m mut Meter,
}

impl Writer<'_, '_> {
    /// A node and the end of its line; `indent` is where the collection begins that it is or is in.
    fn node(&mut self, value: &Value, indent: usize, place: Place) -> Result<(), PlainError> {
        if indent > STEP * MAX_VALUE_DEPTH {
            return Err(PlainError::Limit(Limit::ValueDepth));
        }
        if self.out.len() > self.max {
            return Err(PlainError::Limit(Limit::Text(self.max)));
        }
        let before = self.out.len();
        match Shape::of(self.heap, value) {
            Shape::List(items) if !items.is_empty() => return self.list(&items, indent, place),
            Shape::Map(members, _) if !members.is_empty() => return self.map(&members, indent, place),
            Shape::Struct(fields) if !fields.is_empty() => {
                let fields = fields.into_iter().map(|(name, value)| {
                    let name = lossy(&name).to_lowercase();
                    (Str::from(name), value)
                });
                return self.members(&fields.collect::<Vec<_>>(), indent, place);
            }
            scalar => {
                if place == Place::Value {
                    self.out.push(' ');
                }
                self.scalar(&scalar, indent + STEP)?;
            }
        }
        self.out.push('\n');
        let written = self.out.len() - before;
        self.meter.spend(4 + written as u64 / 64).map_err(PlainError::Limit)
    }

    fn scalar(&mut self, scalar: &Shape, indent: usize) -> Result<(), PlainError> {
        match scalar {
            Shape::Nil => self.out.push_str("null"),
            Shape::Bool(b) => self.out.push_str(if *b { "true" } else { "false" }),
            Shape::Int(i) => self.out.push_str(&format!("{i}")),
            Shape::Uint(u) => self.out.push_str(&format!("{u}")),
            Shape::Float(f) if f.is_nan() => self.out.push_str(".nan"),
            Shape::Float(f) if f.is_infinite() => self.out.push_str(if *f < 0.0 { "-.inf" } else { ".inf" }),
            Shape::Float(f) => self.out.push_str(&gofloat::general(*f)),
            Shape::Text(text) => self.text(text, indent, false),
            Shape::Time(time) => self.out.push_str(&time.rfc3339_nano()),
            Shape::List(_) => self.out.push_str("[]"),
            Shape::Map(..) | Shape::Struct(_) => self.out.push_str("{}"),
            Shape::Other(name) => return Err(PlainError::Unsupported(name.clone())),
        }
        Ok(())
    }

    fn text(&mut self, text: &Str, indent: usize, simple_key: bool) {
        match text.as_str() {
            Some(text) => v3::push_text(&mut self.out, text, indent, simple_key),
            None => v3::push_tagged(&mut self.out, "!!binary", &in_lines(&base64(text)), indent),
        }
    }

    fn list(&mut self, items: &[Value], indent: usize, place: Place) -> Result<(), PlainError> {
        let indent = self.open(indent, place);
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.indent(indent);
            }
            self.out.push_str("- ");
            self.node(item, indent, Place::Item)?;
        }
        Ok(())
    }

    fn map(&mut self, members: &[(Str, Value)], indent: usize, place: Place) -> Result<(), PlainError> {
        let keys: Vec<_> = members.iter().map(|(key, _)| key.to_text()).collect();
        self.meter.spend(members.len() as u64).map_err(PlainError::Limit)?;
        let members: Vec<(Str, Value)> = v3::order(&keys)
            .into_iter()
            .filter_map(|place| members.get(place).cloned())
            .collect();
        self.members(&members, indent, place)
    }

    fn members(&mut self, members: &[(Str, Value)], indent: usize, place: Place) -> Result<(), PlainError> {
        let indent = self.open(indent, place);
        for (index, (key, value)) in members.iter().enumerate() {
            if index > 0 {
                self.indent(indent);
            }
            if key.as_str().is_none_or(v3::is_simple_key) {
                self.text(key, indent + STEP, true);
                self.out.push(':');
                self.node(value, indent, Place::Value)?;
            } else {
                self.out.push_str("? ");
                self.text(key, indent + STEP, false);
                self.out.push('\n');
                self.indent(indent);
                self.out.push_str(": ");
                self.node(value, indent, Place::Item)?;
            }
        }
        Ok(())
    }

    /// Goes to where a collection begins: behind the dash of an item, on the line below a key.
    fn open(&mut self, indent: usize, place: Place) -> usize {
        match place {
            Place::Root => indent,
            Place::Item => indent + STEP,
            Place::Value => {
                self.out.push('\n');
                self.indent(indent + STEP);
                indent + STEP
            }
        }
    }

    fn indent(&mut self, indent: usize) {
        self.out.extend(core::iter::repeat_n(' ', indent));
    }
}

/// Long base64 in lines, as yaml.v3 breaks it.
fn in_lines(text: &str) -> String {
    const LINE: usize = 70;
    if text.len() < LINE {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + text.len() / LINE + 1);
    let mut rest = text;
    while !rest.is_empty() {
        let (line, after) = rest.split_at(rest.len().min(LINE));
        out.push_str(line);
        out.push('\n');
        rest = after;
    }
    out
}
