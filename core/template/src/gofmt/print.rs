//! One value under one verb.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "of the many kinds of values, the rest is alike here"
)]

use alloc::format;
use alloc::string::{String, ToString as _};

use super::Printer;
use crate::limits::MAX_VALUE_DEPTH;
use crate::value::time::{MONTHS, WEEKDAYS};
use crate::value::{Elem, IntKind, ListRef, MapRef, Object, ObjectKind, Type, duration_text};
use crate::{Limit, Value};

impl Printer<'_> {
    /// An operand.
    pub(super) fn arg(&mut self, value: &Value, verb: char) {
        if value.is_nil() {
            match verb {
                'T' | 'v' => self.pad(b"<nil>"),
                _ => self.bad_verb(None, verb),
            }
            return;
        }
        match verb {
            'T' => {
                let name = Type::of(value, self.heap).to_string();
                self.string(name.as_bytes());
            }
            'p' => self.pointer(value, verb),
            _ => self.value(value, verb, 0),
        }
    }

    /// A value, at some depth within the operand.
    fn value(&mut self, value: &Value, verb: char, depth: usize) {
        if depth > MAX_VALUE_DEPTH {
            self.breach = self.breach.or(Some(Limit::ValueDepth));
        }
        if self.breach.is_some() || self.method(value, verb) {
            return;
        }
        match value {
            Value::Nil => self.text("<nil>"),
            Value::Bool(b) => match verb {
                't' | 'v' => self.boolean(*b),
                _ => self.bad_verb(Some(value), verb),
            },
            Value::Int(_, i) | Value::Duration(i) => self.int(value, *i < 0, i.unsigned_abs(), true, verb),
            Value::Uint(_, u) => self.int(value, false, *u, false, verb),
            Value::Float(f) => self.float_value(value, *f, verb),
            Value::Complex(parts) => self.complex(value, **parts, verb),
            Value::String(text) => self.string_value(value, text, verb),
            Value::Bytes(bytes) => self.bytes(bytes, verb, depth),
            Value::List(list) => self.list(value, *list, verb, depth),
            Value::Map(map) => self.map(value, *map, verb, depth),
            Value::Time(time) => {
                let text = time.to_string();
                self.string_value(value, text.as_bytes(), verb);
            }
            Value::Error(text) => {
                self.text("&");
                self.fields(
                    &[("s".into(), Value::String(text.clone()))],
                    "errors.errorString",
                    verb,
                    depth,
                );
            }
            Value::Object(object) => self.object(value, object.as_ref(), verb, depth),
            Value::Function(_) => self.pointer(value, verb),
        }
    }

    /// What `Error` or `String` says, if the type has one and the verb takes text.
    fn method(&mut self, value: &Value, verb: char) -> bool {
        if self.erroring {
            return false;
        }
        // An error is wrapped by `Errorf` alone; of bytes each one is bad.
        if verb == 'w' && !matches!(value, Value::Bytes(_)) {
            self.bad_verb(Some(value), verb);
            return true;
        }
        if self.flags.sharp_v || !matches!(verb, 'v' | 's' | 'x' | 'X' | 'q') {
            return false;
        }
        let Some(text) = method_text(value) else { return false };
        self.string_value(value, text.as_bytes(), verb);
        true
    }

    /// A verb that does not suit the value.
    pub(super) fn bad_verb(&mut self, value: Option<&Value>, verb: char) {
        let outer = core::mem::replace(&mut self.erroring, true);
        self.text("%!");
        self.char(verb);
        self.text("(");
        match value {
            Some(value) if !value.is_nil() => {
                let name = Type::of(value, self.heap).to_string();
                self.text(&name);
                self.text("=");
                self.arg(value, 'v');
            }
            _ => self.text("<nil>"),
        }
        self.text(")");
        self.erroring = outer;
    }

    fn int(&mut self, value: &Value, negative: bool, magnitude: u64, signed: bool, verb: char) {
        // Two's complement, for the verbs that take a code point.
        let code = if negative { magnitude.wrapping_neg() } else { magnitude };
        match verb {
            'v' if self.flags.sharp_v && !signed => self.hex_number(magnitude),
            'v' | 'd' => self.integer(negative, magnitude, 10, verb, false),
            'b' => self.integer(negative, magnitude, 2, verb, false),
            'o' | 'O' => self.integer(negative, magnitude, 8, verb, false),
            'x' | 'X' => self.integer(negative, magnitude, 16, verb, verb == 'X'),
            'c' => self.rune(code),
            'q' => self.quoted_rune(code),
            'U' => self.unicode(code),
            _ => self.bad_verb(Some(value), verb),
        }
    }

    /// With `0x` in front.
    fn hex_number(&mut self, magnitude: u64) {
        let sharp = core::mem::replace(&mut self.flags.sharp, true);
        self.integer(false, magnitude, 16, 'v', false);
        self.flags.sharp = sharp;
    }

    fn float_value(&mut self, value: &Value, f: f64, verb: char) {
        match verb {
            'v' => self.float(f, 'g', None),
            'b' | 'g' | 'G' | 'x' | 'X' => self.float(f, verb, None),
            'f' | 'e' | 'E' => self.float(f, verb, Some(6)),
            'F' => self.float(f, 'f', Some(6)),
            _ => self.bad_verb(Some(value), verb),
        }
    }

    fn complex(&mut self, value: &Value, (real, imaginary): (f64, f64), verb: char) {
        if !matches!(verb, 'v' | 'b' | 'g' | 'G' | 'x' | 'X' | 'f' | 'F' | 'e' | 'E') {
            self.bad_verb(Some(value), verb);
            return;
        }
        self.text("(");
        self.float_value(value, real, verb);
        let plus = core::mem::replace(&mut self.flags.plus, true);
        self.float_value(value, imaginary, verb);
        self.flags.plus = plus;
        self.text("i)");
    }

    fn string_value(&mut self, value: &Value, text: &[u8], verb: char) {
        match verb {
            'v' if self.flags.sharp_v => self.quoted(text),
            'v' | 's' => self.string(text),
            'x' | 'X' => self.hex(text, verb == 'X'),
            'q' => self.quoted(text),
            _ => self.bad_verb(Some(value), verb),
        }
    }

    fn bytes(&mut self, bytes: &[u8], verb: char, depth: usize) {
        match verb {
            's' => self.string(bytes),
            'x' | 'X' => self.hex(bytes, verb == 'X'),
            'q' => self.quoted(bytes),
            'v' if self.flags.sharp_v => {
                self.text(if depth == 0 { "[]byte{" } else { "[]uint8{" });
                for (place, byte) in bytes.iter().enumerate() {
                    self.text(if place > 0 { ", " } else { "" });
                    self.hex_number(u64::from(*byte));
                }
                self.text("}");
            }
            _ => {
                self.text("[");
                for (place, byte) in bytes.iter().enumerate() {
                    self.text(if place > 0 { " " } else { "" });
                    let element = Value::Uint(crate::value::UintKind::Uint8, u64::from(*byte));
                    self.int(&element, false, u64::from(*byte), false, verb);
                }
                self.text("]");
            }
        }
    }

    /// An element; a nil one is that of an interface, or a nil pointer.
    fn element(&mut self, value: &Value, elem: Elem, verb: char, depth: usize) {
        if !value.is_nil() {
            self.value(value, verb, depth + 1);
        } else if self.flags.sharp_v {
            self.text(elem.name());
            self.text("(nil)");
        } else {
            self.text("<nil>");
        }
    }

    fn list(&mut self, value: &Value, list: ListRef, verb: char, depth: usize) {
        let heap = self.heap;
        let elem = heap.list_elem(list);
        if self.flags.sharp_v {
            let name = Type::of(value, heap).to_string();
            self.text(&name);
            if heap.is_nil_list(list) {
                self.text("(nil)");
                return;
            }
        }
        let (open, between, close) = if self.flags.sharp_v {
            ("{", ", ", "}")
        } else {
            ("[", " ", "]")
        };
        self.text(open);
        for (place, item) in heap.items(list).iter().enumerate() {
            self.text(if place > 0 { between } else { "" });
            self.element(item, elem, verb, depth);
        }
        self.text(close);
    }

    fn map(&mut self, value: &Value, map: MapRef, verb: char, depth: usize) {
        let heap = self.heap;
        let elem = heap.map_elem(map);
        if self.flags.sharp_v {
            let name = Type::of(value, heap).to_string();
            self.text(&name);
            if heap.is_nil_map(map) {
                self.text("(nil)");
                return;
            }
        }
        let (open, between, close) = if self.flags.sharp_v {
            ("{", ", ", "}")
        } else {
            ("map[", " ", "]")
        };
        self.text(open);
        for (place, (key, item)) in heap.entries(map).enumerate() {
            self.text(if place > 0 { between } else { "" });
            self.value(&Value::String(key.clone()), verb, depth + 1);
            self.text(":");
            self.element(item, elem, verb, depth);
        }
        self.text(close);
    }

    fn object(&mut self, value: &Value, object: &dyn Object, verb: char, depth: usize) {
        let name = object.go_type();
        match object.kind() {
            ObjectKind::Struct => self.fields(&object.printed(), name, verb, depth),
            ObjectKind::Pointer if depth == 0 => {
                self.text(if self.follows { "" } else { "&" });
                self.fields(&object.printed(), name.trim_start_matches('*'), verb, depth);
            }
            ObjectKind::Map => {
                let (open, between, close) = if self.flags.sharp_v {
                    ("{", ", ", "}")
                } else {
                    ("map[", " ", "]")
                };
                self.text(if self.flags.sharp_v { name } else { "" });
                self.text(open);
                for (place, (key, item)) in object.entries().iter().enumerate() {
                    self.text(if place > 0 { between } else { "" });
                    self.value(&Value::String(key.clone()), verb, depth + 1);
                    self.text(":");
                    self.element(item, Elem::Any, verb, depth);
                }
                self.text(close);
            }
            ObjectKind::Pointer | ObjectKind::Opaque => self.pointer(value, verb),
        }
    }

    fn fields(&mut self, fields: &[(crate::Str, Value)], name: &str, verb: char, depth: usize) {
        self.text(if self.flags.sharp_v { name } else { "" });
        self.text("{");
        for (place, (key, item)) in fields.iter().enumerate() {
            if place > 0 {
                self.text(if self.flags.sharp_v { ", " } else { " " });
            }
            if self.flags.plus_v || self.flags.sharp_v {
                self.write(key);
                self.text(":");
            }
            self.element(item, Elem::Any, verb, depth);
        }
        self.text("}");
    }

    /// What has an address in Go. Ours is a number that stays the same from run to run.
    fn pointer(&mut self, value: &Value, verb: char) {
        let address: u64 = match value {
            Value::Map(map) => 0xc000_000000 + 48 * map.place(),
            Value::List(_) | Value::Bytes(_) | Value::Function(_) | Value::Error(_) => 0xc000_100000,
            Value::Object(object) if object.kind() != ObjectKind::Struct => 0xc000_200000,
            _ => {
                self.bad_verb(Some(value), verb);
                return;
            }
        };
        match verb {
            'v' if self.flags.sharp_v => {
                let name = Type::of(value, self.heap);
                self.text(&format!("({name})("));
                self.hex_number(address);
                self.text(")");
            }
            'v' | 'p' => {
                let sharp = self.flags.sharp;
                self.flags.sharp = !sharp;
                self.integer(false, address, 16, 'v', false);
                self.flags.sharp = sharp;
            }
            'b' | 'o' | 'd' | 'x' | 'X' => self.int(value, false, address, false, verb),
            _ => self.bad_verb(Some(value), verb),
        }
    }
}

/// What the value's `Error` or `String` method says.
pub(crate) fn method_text(value: &Value) -> Option<String> {
    let name = |names: &[&str], place: i64, what: &str| {
        let known = usize::try_from(place).ok().and_then(|place| names.get(place));
        known.map_or_else(|| format!("%!{what}({place})"), |name| (*name).to_string())
    };
    match value {
        Value::Time(time) => Some(time.to_string()),
        Value::Duration(nanos) => Some(duration_text(*nanos)),
        Value::Error(text) => Some(text.to_string()),
        Value::Object(object) => object.text(),
        Value::Int(IntKind::Month, i) => Some(name(&MONTHS, i.saturating_sub(1), "Month")),
        Value::Int(IntKind::Weekday, i) => Some(name(&WEEKDAYS, *i, "Weekday")),
        _ => None,
    }
}
