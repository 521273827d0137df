//! Canonical JSON.
//!
//! # Invariant
//! The bytes depend on the value alone, never on the order in which a map was filled: keys are sorted by bytes.
//! There is no white space, and `<`, `>`, `&`, U+2028 and U+2029 are escaped, as Go does for HTML's sake.

use alloc::string::String;
use alloc::vec::Vec;

use crate::{Map, Number, Value, gofloat};

/// The canonical text of `value`.
///
/// Numbers that JSON cannot hold (NaN, infinities), which no reader here produces, become `null`.
#[must_use]
pub fn to_canonical(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out, &mut |_| {});
    out
}

/// Hands the canonical text of `value` to `sink`, piece by piece: for hashing without holding the whole.
pub fn write_canonical(value: &Value, sink: &mut impl FnMut(&[u8])) {
    let mut buffer = String::with_capacity(FLUSH * 2);
    write(value, &mut buffer, &mut |buffer| {
        if buffer.len() >= FLUSH {
            sink(buffer.as_bytes());
            buffer.clear();
        }
    });
    if !buffer.is_empty() {
        sink(buffer.as_bytes());
    }
}

/// Bytes that are gathered before they are handed on.
const FLUSH: usize = 4096;

fn write(value: &Value, out: &mut String, flush: &mut impl FnMut(&mut String)) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => push_number(out, number),
        Value::String(text) => push_string(out, text),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(item, out, flush);
            }
            out.push(']');
        }
        Value::Object(map) => write_map(map, out, flush),
    }
    flush(out);
}

fn write_map(map: &Map, out: &mut String, flush: &mut impl FnMut(&mut String)) {
    out.push('{');
    let mut first = true;
    let mut entry = |key: &str, value: &Value, out: &mut String| {
        if !core::mem::take(&mut first) {
            out.push(',');
        }
        push_string(out, key);
        out.push(':');
        write(value, out, flush);
    };
    if map.keys().is_sorted() {
        for (key, value) in map.iter() {
            entry(key, value, out);
        }
    } else {
        let mut entries: Vec<(&str, &Value)> = map.iter().collect();
        entries.sort_unstable_by_key(|(key, _)| *key);
        for (key, value) in entries {
            entry(key, value, out);
        }
    }
    out.push('}');
}

/// A number as Go writes the value that it holds; digits beyond 64 bits are a float there.
pub fn push_number(out: &mut String, number: &Number) {
    use core::fmt::Write as _;
    // Writing into a String cannot fail.
    let _ = match number {
        Number::Int(i) => write!(out, "{i}"),
        Number::Uint(u) => write!(out, "{u}"),
        Number::Float(f) => {
            gofloat::push_json(out, *f);
            Ok(())
        }
        Number::Big(_) => {
            gofloat::push_json(out, number.as_f64());
            Ok(())
        }
    };
}

/// Bytes of a string that need a second look: what is escaped, and the first of LINE and PARAGRAPH SEPARATOR.
static SPECIAL: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = true;
        byte += 1;
    }
    table[b'"' as usize] = true;
    table[b'\\' as usize] = true;
    table[b'<' as usize] = true;
    table[b'>' as usize] = true;
    table[b'&' as usize] = true;
    table[0xE2] = true;
    table
};

/// A string in quotes, escaped as Go does.
pub(crate) fn push_string(out: &mut String, text: &str) {
    out.push('"');
    push_escaped(out, text);
    out.push('"');
}

/// Bytes as a string in quotes, as Go writes a string: what is no UTF-8 becomes the escape of U+FFFD, byte by byte.
pub fn push_bytes(out: &mut String, bytes: &[u8]) {
    out.push('"');
    for chunk in bytes.utf8_chunks() {
        push_escaped(out, chunk.valid());
        for _ in chunk.invalid() {
            out.push_str("\\ufffd");
        }
    }
    out.push('"');
}

fn push_escaped(out: &mut String, text: &str) {
    const HEX: [char; 16] = [
        '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f',
    ];
    let bytes = text.as_bytes();
    let mut start = 0;
    let mut at = 0;
    while let Some(plain) = bytes[at..].iter().position(|&byte| SPECIAL[usize::from(byte)]) {
        at += plain;
        let byte = bytes[at];
        let separator = matches!(bytes[at..], [0xE2, 0x80, 0xA8 | 0xA9, ..]);
        if byte == 0xE2 && !separator {
            at += 1;
            continue;
        }
        out.push_str(&text[start..at]);
        if separator {
            out.push_str(if bytes[at + 2] == 0xA8 { "\\u2028" } else { "\\u2029" });
            at += 3;
        } else {
            match byte {
                b'"' => out.push_str("\\\""),
                b'\\' => out.push_str("\\\\"),
                b'\n' => out.push_str("\\n"),
                b'\r' => out.push_str("\\r"),
                b'\t' => out.push_str("\\t"),
                0x08 => out.push_str("\\b"),
                0x0C => out.push_str("\\f"),
                _ => {
                    out.push_str("\\u00");
                    out.push(HEX[usize::from(byte >> 4)]);
                    out.push(HEX[usize::from(byte & 15)]);
                }
            }
            at += 1;
        }
        start = at;
    }
    out.push_str(&text[start..]);
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    fn check(value: impl Into<Value>, expect: &str) {
        let value = value.into();
        assert_eq!(to_canonical(&value), expect);
        let mut streamed = Vec::new();
        write_canonical(&value, &mut |bytes| streamed.extend_from_slice(bytes));
        assert_eq!(streamed, expect.as_bytes());
    }

    #[test]
    fn scalars_are_written_as_go_writes_them() {
        check(Value::Null, "null");
        check(true, "true");
        check(-7, "-7");
        check(Value::Number(Number::Uint(u64::MAX)), "18446744073709551615");
        check(2.0, "2");
        check(
            Value::Number(Number::Big("18446744073709551616".into())),
            "18446744073709552000",
        );
        check(
            "a<b>&\u{2028}\u{2029}\u{8}\u{c}\n\r\t\u{1}\"\\\u{7f}é😀/",
            "\"a\\u003cb\\u003e\\u0026\\u2028\\u2029\\b\\f\\n\\r\\t\\u0001\\\"\\\\\u{7f}é😀/\"",
        );
    }

    #[test]
    fn bytes_that_are_no_text_are_escaped_one_by_one() {
        let mut out = String::new();
        push_bytes(&mut out, b"a<\xffb\xe2\x82\xef\xbf\xbd");
        assert_eq!(out, "\"a\\u003c\\ufffdb\\ufffd\\ufffd\u{fffd}\"");
    }

    #[test]
    fn keys_are_sorted_by_bytes_whatever_the_order_of_insertion() {
        let map: Map = [("b", 1), ("a", 2), ("B", 3), ("a.", 4), ("é", 5), ("", 6)]
            .into_iter()
            .collect();
        check(map, r#"{"":6,"B":3,"a":2,"a.":4,"b":1,"é":5}"#);
    }

    #[test]
    fn what_is_streamed_in_pieces_is_the_same_text() {
        let items: Vec<Value> = (0..5_000).map(Value::from).collect();
        let value = Value::Array(vec![Value::Array(items), Value::Null]);
        check(value.clone(), &to_canonical(&value));
    }
}
