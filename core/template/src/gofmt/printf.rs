//! Format strings.
#![expect(clippy::wildcard_enum_match_arm, reason = "only integers are numbers here")]

use alloc::string::ToString as _;

use super::{Brief, Flags, Printer};
use crate::Value;
use crate::quote::chunks;
use crate::value::Type;

/// Widths and precisions beyond this are not numbers to Go.
const TOO_LARGE: i64 = 1_000_000;

/// Where in the format we are, and which operand is next.
struct Cursor<'f> {
    format: &'f [u8],
    at: usize,
    operand: usize,
    /// The verb names an operand that is there.
    good: bool,
    after_index: bool,
    reordered: bool,
}

impl Cursor<'_> {
    fn byte(&self) -> Option<u8> {
        self.format.get(self.at).copied()
    }

    /// A number at the cursor; a crazy one swallows the rest of the format.
    fn number(&mut self) -> Option<usize> {
        let (number, end) = parse_number(self.format, self.at, self.format.len());
        self.at = end;
        number
    }

    /// `[n]`: the operand to take next.
    fn index(&mut self, operands: usize) {
        self.after_index = false;
        if self.byte() != Some(b'[') {
            return;
        }
        self.reordered = true;
        let rest = self.format.get(self.at..).unwrap_or(&[]);
        let close = if rest.len() < 3 {
            None
        } else {
            rest.iter().skip(1).position(|byte| *byte == b']')
        };
        let Some(close) = close.map(|place| place + 1) else {
            self.good = false;
            self.at += 1;
            return;
        };
        let (number, end) = parse_number(rest, 1, close);
        self.at += close + 1;
        let index = number.filter(|_| end == close).and_then(|number| number.checked_sub(1));
        match index {
            Some(index) if index < operands => {
                self.operand = index;
                self.after_index = true;
            }
            _ => {
                self.good = false;
                self.after_index = number.is_some() && end == close;
            }
        }
    }
}

fn parse_number(text: &[u8], start: usize, end: usize) -> (Option<usize>, usize) {
    let mut number: i64 = 0;
    let mut at = start;
    let mut found = false;
    while at < end {
        let Some(digit) = text.get(at).filter(|byte| byte.is_ascii_digit()) else {
            break;
        };
        if number > TOO_LARGE {
            return (None, end);
        }
        number = number * 10 + i64::from(digit - b'0');
        found = true;
        at += 1;
    }
    (usize::try_from(number).ok().filter(|_| found), at)
}

impl Printer<'_> {
    pub(super) fn printf(&mut self, format: &[u8], values: &[Value]) {
        let mut cursor = Cursor {
            format,
            at: 0,
            operand: 0,
            good: true,
            after_index: false,
            reordered: false,
        };
        while self.breach.is_none() {
            cursor.good = true;
            let rest = format.get(cursor.at..).unwrap_or(&[]);
            let plain = rest.iter().position(|byte| *byte == b'%').unwrap_or(rest.len());
            self.write(rest.get(..plain).unwrap_or(rest));
            cursor.at += plain;
            if cursor.at >= format.len() {
                break;
            }
            cursor.at += 1;
            if !self.verb(&mut cursor, values) {
                break;
            }
        }
        if !cursor.reordered && cursor.operand < values.len() {
            self.extra(values.get(cursor.operand..).unwrap_or(&[]));
        }
    }

    /// What follows a percent sign; answers whether the format goes on.
    fn verb(&mut self, cursor: &mut Cursor<'_>, values: &[Value]) -> bool {
        self.flags = Flags::default();
        if let (Some(verb @ (b's' | b'd' | b'v')), Some(value)) = (cursor.byte(), values.get(cursor.operand))
            && self.plain_verb(verb, value)
        {
            cursor.at += 1;
            cursor.operand += 1;
            return true;
        }
        self.read_flags(cursor);
        // A lower-case verb right behind the flags takes the short way, which leaves `after_index` as it was.
        let short = cursor.byte().is_some_and(|byte| byte.is_ascii_lowercase()) && cursor.operand < values.len();
        if !short {
            cursor.index(values.len());
            self.read_width(cursor, values);
            self.read_precision(cursor, values);
            if !cursor.after_index {
                cursor.index(values.len());
            }
        }
        let verb = match cursor.byte() {
            Some(byte) if byte.is_ascii() => char::from(byte),
            _ => {
                let Some(unit) = chunks(cursor.format.get(cursor.at..).unwrap_or(&[])).next() else {
                    self.text("%!(NOVERB)");
                    return false;
                };
                unit.unwrap_or('\u{fffd}')
            }
        };
        // What is no UTF-8 is one byte long.
        let valid = cursor
            .format
            .get(cursor.at..)
            .unwrap_or(&[])
            .starts_with(verb.encode_utf8(&mut [0; 4]).as_bytes());
        cursor.at += if valid { verb.len_utf8() } else { 1 };
        if verb == '%' {
            self.text("%");
        } else if !cursor.good {
            self.trouble(verb, "(BADINDEX)");
        } else if let Some(value) = values.get(cursor.operand) {
            if matches!(verb, 'v' | 'w') {
                self.flags.sharp_v = core::mem::take(&mut self.flags.sharp);
                self.flags.plus_v = core::mem::take(&mut self.flags.plus);
            }
            self.arg(value, verb);
            cursor.operand += 1;
        } else {
            self.trouble(verb, "(MISSING)");
        }
        true
    }

    /// A verb without flags on a value that is a plain text or number; answers whether it was one.
    fn plain_verb(&mut self, verb: u8, value: &Value) -> bool {
        match (verb, value) {
            (b's' | b'v', Value::String(text)) => self.write(text),
            (b'd' | b'v', Value::Int(..) | Value::Uint(..)) | (b'v', Value::Float(_) | Value::Bool(_)) => {
                let Some(text) = Brief::of(value) else { return false };
                self.write(&text);
            }
            _ => return false,
        }
        true
    }

    fn trouble(&mut self, verb: char, what: &str) {
        self.text("%!");
        self.char(verb);
        self.text(what);
    }

    fn read_flags(&mut self, cursor: &mut Cursor<'_>) {
        while let Some(byte) = cursor.byte() {
            match byte {
                b'#' => self.flags.sharp = true,
                b'0' => self.flags.zero = true,
                b'+' => self.flags.plus = true,
                b'-' => self.flags.minus = true,
                b' ' => self.flags.space = true,
                _ => return,
            }
            cursor.at += 1;
        }
    }

    fn read_width(&mut self, cursor: &mut Cursor<'_>, values: &[Value]) {
        if cursor.byte() != Some(b'*') {
            self.flags.width = cursor.number();
            if cursor.after_index && self.flags.width.is_some() {
                cursor.good = false;
            }
            return;
        }
        cursor.at += 1;
        let width = int_operand(cursor, values);
        if width.is_none() {
            self.text("%!(BADWIDTH)");
        }
        if width.is_some_and(|width| width < 0) {
            self.flags.minus = true;
            self.flags.zero = false;
        }
        self.flags.width = width.and_then(|width| usize::try_from(width.unsigned_abs()).ok());
        cursor.after_index = false;
    }

    fn read_precision(&mut self, cursor: &mut Cursor<'_>, values: &[Value]) {
        if cursor.byte() != Some(b'.') || cursor.at + 1 >= cursor.format.len() {
            return;
        }
        cursor.at += 1;
        if cursor.after_index {
            cursor.good = false;
        }
        cursor.index(values.len());
        if cursor.byte() != Some(b'*') {
            self.flags.precision = Some(cursor.number().unwrap_or(0));
            return;
        }
        cursor.at += 1;
        self.flags.precision = int_operand(cursor, values).and_then(|precision| usize::try_from(precision).ok());
        if self.flags.precision.is_none() {
            self.text("%!(BADPREC)");
        }
        cursor.after_index = false;
    }

    fn extra(&mut self, values: &[Value]) {
        self.flags = Flags::default();
        self.text("%!(EXTRA ");
        for (place, value) in values.iter().enumerate() {
            self.text(if place > 0 { ", " } else { "" });
            if value.is_nil() {
                self.text("<nil>");
                continue;
            }
            let name = Type::of(value, self.heap).to_string();
            self.text(&name);
            self.text("=");
            self.arg(value, 'v');
        }
        self.text(")");
    }
}

/// The operand for a `*`, if it is an integer of sane size.
fn int_operand(cursor: &mut Cursor<'_>, values: &[Value]) -> Option<i64> {
    let value = values.get(cursor.operand)?;
    cursor.operand += 1;
    let number = match value {
        Value::Int(_, i) | Value::Duration(i) => *i,
        Value::Uint(_, u) => i64::try_from(*u).ok()?,
        _ => return None,
    };
    Some(number).filter(|number| (-TOO_LARGE..=TOO_LARGE).contains(number))
}
