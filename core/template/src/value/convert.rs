//! From the ordered values of the other crates into a heap, and back.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "of the many kinds of values, few hold text"
)]

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use convoy_value::{Map, Number, Value as Plain};

use super::{Elem, Heap, Type, UintKind, Value};
use crate::limits::{MAX_PLAIN, MAX_VALUE_DEPTH};
use crate::meter::Meter;
use crate::{Limit, Str};

/// A value that has no plain form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlainError {
    /// Functions and the like.
    #[error("json: unsupported type: {0}")]
    Unsupported(String),
    /// A number that JSON has no text for, in Go's words.
    #[error("{0}")]
    NotFinite(String),
    /// Deeper than the limit: a cycle, most likely.
    #[error("{0}")]
    Limit(Limit),
}

/// What a plain value costs, with the entry that holds it, about.
const NODE: usize = 96;
/// What its allocations cost beside, about.
const TEXT: usize = 32;
const LIST: usize = 96;
const OBJECT: usize = 320;

/// What a copy may still take.
struct Allowance<'m> {
    /// Bytes of memory, and the limit that is met when there are none.
    room: usize,
    breach: Limit,
    /// Bytes of the shortest text of it.
    text: usize,
    max_text: usize,
    meter: &'m mut Meter,
}

impl Allowance<'_> {
    fn pay(&mut self, value: &Value, depth: usize) -> Result<(), Limit> {
        let (shown, memory) = match value {
            // Texts of several lines are indented by depth.
            Value::String(text) | Value::Bytes(text) if text.len() > 22 => {
                let breaks = text.split(|byte| *byte == b'\n').skip(1).count();
                (text.len(), TEXT + text.len() + 2 * depth * breaks)
            }
            Value::String(text) | Value::Bytes(text) => (text.len(), TEXT + (2 * depth + 1) * text.len()),
            Value::List(_) => (2, LIST),
            Value::Map(_) | Value::Object(_) => (2, OBJECT),
            _ => (1, 0),
        };
        // What is made here is indented by depth too.
        self.take(shown, NODE + 2 * depth + memory)?;
        self.meter.spend(4 + shown as u64 / 64)
    }

    fn key(&mut self, key: &Str) -> Result<(), Limit> {
        self.take(key.len(), TEXT + key.len())
    }

    fn take(&mut self, shown: usize, memory: usize) -> Result<(), Limit> {
        self.text = self.text.checked_sub(shown).ok_or(Limit::Text(self.max_text))?;
        self.room = self.room.checked_sub(memory).ok_or(self.breach)?;
        Ok(())
    }
}

impl Heap {
    /// Copies a plain value into the heap: objects become `map[string]interface {}`, arrays `[]interface {}`,
    /// integers `int64`, floats `float64`.
    ///
    /// # Errors
    /// When the limit is met.
    pub fn import(&mut self, plain: &Plain) -> Result<Value, Limit> {
        Ok(match plain {
            Plain::Null => Value::Nil,
            Plain::Bool(b) => Value::Bool(*b),
            Plain::Number(number) => number_value(number),
            Plain::String(text) => {
                self.charge(text.len())?;
                Value::string(text.as_str())
            }
            Plain::Array(items) => {
                let items = items
                    .iter()
                    .map(|item| self.import(item))
                    .collect::<Result<Vec<_>, _>>()?;
                Value::List(self.list(items)?)
            }
            Plain::Object(entries) => {
                let mut imported = Vec::with_capacity(entries.len());
                for (key, value) in entries.iter() {
                    imported.push((Str::from(key), self.import(value)?));
                }
                imported.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
                Value::Map(self.sorted_map(imported)?)
            }
        })
    }

    /// The plain form of `value`, as Go's `encoding/json` sees it: keys in order, times and durations as JSON has
    /// them, `[]byte` as base64, structs of the host as objects.
    ///
    /// # Errors
    /// When it holds a function, is deeper than 200, or would take more memory than the heap may still grow: maps that
    /// hold each other often are few here and many there.
    pub fn export(&self, value: &Value) -> Result<Plain, PlainError> {
        self.export_within(value, usize::MAX, &mut Meter::endless())
    }

    /// The same, if its shortest text has at most `text` bytes and `meter` pays for it.
    pub(crate) fn export_within(&self, value: &Value, text: usize, meter: &mut Meter) -> Result<Plain, PlainError> {
        let room = self.room();
        let breach = if room < MAX_PLAIN {
            Limit::Heap(self.limit())
        } else {
            Limit::Plain
        };
        let mut allowance = Allowance {
            room: room.min(MAX_PLAIN),
            breach,
            text,
            max_text: text,
            meter,
        };
        self.export_at(value, 0, &mut allowance)
    }

    fn export_at(&self, value: &Value, depth: usize, room: &mut Allowance<'_>) -> Result<Plain, PlainError> {
        if depth > MAX_VALUE_DEPTH {
            return Err(PlainError::Limit(Limit::ValueDepth));
        }
        room.pay(value, depth).map_err(PlainError::Limit)?;
        Ok(match value {
            Value::Nil => Plain::Null,
            Value::Bool(b) => Plain::Bool(*b),
            Value::Int(_, i) | Value::Duration(i) => Plain::from(*i),
            Value::Uint(_, u) => Plain::from(*u),
            Value::Float(f) => Plain::from(*f),
            Value::String(text) => Plain::from(text.to_text().into_owned()),
            Value::Bytes(bytes) => Plain::from(base64(bytes)),
            Value::List(list) => {
                if self.is_nil_list(*list) {
                    return Ok(Plain::Null);
                }
                let items = self
                    .items(*list)
                    .iter()
                    .map(|item| self.export_at(item, depth + 1, room));
                Plain::Array(items.collect::<Result<_, _>>()?)
            }
            Value::Map(map) => {
                if self.is_nil_map(*map) {
                    return Ok(Plain::Null);
                }
                let entries = self.entries(*map).map(|(key, value)| {
                    room.key(key).map_err(PlainError::Limit)?;
                    Ok((key.to_text().into_owned(), self.export_at(value, depth + 1, room)?))
                });
                Plain::Object(entries.collect::<Result<Map, PlainError>>()?)
            }
            Value::Time(time) => Plain::from(time.rfc3339_nano()),
            Value::Error(_) => Plain::Object(Map::new()),
            Value::Object(object) => {
                if let Some(value) = object.json() {
                    return self.export_at(&value, depth + 1, room);
                }
                let mut entries = Map::new();
                for (key, value) in object.entries() {
                    room.key(&key).map_err(PlainError::Limit)?;
                    entries.insert(key.to_text().into_owned(), self.export_at(&value, depth + 1, room)?);
                }
                Plain::Object(entries)
            }
            Value::Complex(_) | Value::Function(_) => {
                return Err(PlainError::Unsupported(Type::of(value, self).to_string()));
            }
        })
    }

    /// The zero value of an element type.
    pub(crate) fn zero_of(&mut self, elem: Elem) -> Result<Value, Limit> {
        Ok(match elem {
            Elem::Any | Elem::Other(_) => Value::Nil,
            Elem::String => Value::string(""),
            Elem::Int => Value::int(0),
            Elem::Float => Value::Float(0.0),
            Elem::Bytes => Value::Bytes(crate::Str::default()),
            Elem::List => Value::List(self.nil_list(Elem::Any)?),
            Elem::Strings => Value::List(self.nil_list(Elem::String)?),
            Elem::Map => Value::Map(self.nil_map(Elem::Any)?),
        })
    }
}

fn number_value(number: &Number) -> Value {
    match number {
        Number::Int(i) => Value::int64(*i),
        Number::Uint(u) => Value::Uint(UintKind::Uint64, *u),
        Number::Float(f) => Value::Float(*f),
        Number::Big(_) => Value::Float(number.as_f64()),
    }
}

/// Standard base64, with padding.
pub(super) fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0u32, |group, byte| group << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            if place <= chunk.len() {
                out.push(char::from(ALPHABET[(group >> (18 - 6 * place) & 63) as usize]));
            } else {
                out.push('=');
            }
        }
    }
    out
}
