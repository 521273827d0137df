//! Go's string and character literals: read and written.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::text::push_format;

/// The bytes of a raw string, which is the first `len` bytes of `source`, with its quotes; `None` when it is malformed.
pub(crate) fn unquote_raw(source: &[u8], len: usize) -> Option<Vec<u8>> {
    let raw = source.get(..len)?.strip_prefix(b"`")?.strip_suffix(b"`")?;
    Some(raw.iter().copied().filter(|byte| *byte != b'\r').collect())
}

/// The bytes of a quoted string, with its quotes; `None` when it is malformed.
pub(crate) fn unquote(literal: &str) -> Option<Vec<u8>> {
    let body = literal.strip_prefix('"')?.strip_suffix('"')?;
    let mut out = Vec::with_capacity(body.len());
    let mut rest = body;
    while !rest.is_empty() {
        if !rest.starts_with('\\') {
            let end = rest.find('\\').unwrap_or(rest.len());
            let (plain, after) = rest.split_at(end);
            if plain.contains(['"', '\n']) {
                return None;
            }
            out.extend_from_slice(plain.as_bytes());
            rest = after;
            continue;
        }
        let (unit, after) = unescape(rest, '"')?;
        unit.push(&mut out);
        rest = after;
    }
    Some(out)
}

/// The character of a constant such as `'\n'`, with its quotes: its number, or the message for what is wrong.
pub(crate) fn unquote_char(literal: &str) -> Result<i64, String> {
    let invalid = || String::from("invalid syntax");
    let body = literal.strip_prefix('\'').ok_or_else(invalid)?;
    let (number, tail) = match body.chars().next().ok_or_else(invalid)? {
        '\\' => {
            let (unit, tail) = unescape(body, '\'').ok_or_else(invalid)?;
            (unit.number(), tail)
        }
        '\'' => return Err(invalid()),
        c => (i64::from(u32::from(c)), body.get(c.len_utf8()..).unwrap_or("")),
    };
    if tail != "'" {
        return Err(format!("malformed character constant: {literal}"));
    }
    Ok(number)
}

/// A character, or a byte that an escape gave.
enum Unit {
    Char(char),
    Byte(u8),
}

impl Unit {
    fn push(&self, out: &mut Vec<u8>) {
        match self {
            Self::Char(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            Self::Byte(byte) => out.push(*byte),
        }
    }

    fn number(&self) -> i64 {
        match self {
            Self::Char(c) => i64::from(u32::from(*c)),
            Self::Byte(byte) => i64::from(*byte),
        }
    }
}

/// Reads one escape at the start of `text`.
fn unescape(text: &str, quote: char) -> Option<(Unit, &str)> {
    let mut chars = text.strip_prefix('\\')?.chars();
    let kind = chars.next()?;
    let rest = chars.as_str();
    let simple = |c| Some((Unit::Char(c), rest));
    match kind {
        'a' => simple('\u{7}'),
        'b' => simple('\u{8}'),
        'f' => simple('\u{c}'),
        'n' => simple('\n'),
        'r' => simple('\r'),
        't' => simple('\t'),
        'v' => simple('\u{b}'),
        '\\' => simple('\\'),
        '\'' | '"' if kind == quote => simple(kind),
        'x' => {
            let (code, rest) = radix(rest, 2, 16)?;
            Some((Unit::Byte(u8::try_from(code).ok()?), rest))
        }
        'u' | 'U' => {
            let (code, rest) = radix(rest, if kind == 'u' { 4 } else { 8 }, 16)?;
            Some((Unit::Char(char::from_u32(code)?), rest))
        }
        '0'..='7' => {
            let (code, rest) = radix(text.get(1..)?, 3, 8)?;
            Some((Unit::Byte(u8::try_from(code).ok()?), rest))
        }
        _ => None,
    }
}

fn radix(text: &str, digits: usize, base: u32) -> Option<(u32, &str)> {
    let number = text.get(..digits)?;
    if !number.chars().all(|c| c.is_digit(base)) {
        return None;
    }
    Some((u32::from_str_radix(number, base).ok()?, text.get(digits..)?))
}

/// Whether Go prints the character as it is: letters, marks, numbers, punctuation, symbols and the space.
pub(crate) fn is_print(c: char) -> bool {
    if c.is_ascii() {
        return (' '..='~').contains(&c);
    }
    // Debugging text escapes just those characters, but marks too at its start; hence the letter before.
    let mut text = String::from("a");
    text.push(c);
    let mut escaped = text.escape_debug();
    escaped.next();
    escaped.next() == Some(c)
}

/// Pieces of a text: characters, and bytes that are no UTF-8.
pub(crate) fn chunks(bytes: &[u8]) -> impl Iterator<Item = Result<char, u8>> + '_ {
    bytes.utf8_chunks().flat_map(|chunk| {
        let valid = chunk.valid().chars().map(Ok);
        valid.chain(chunk.invalid().iter().map(|byte| Err(*byte)))
    })
}

/// The text as a Go literal in double quotes, as `strconv.Quote`, or with ASCII only.
pub(crate) fn quote(bytes: &[u8], ascii: bool) -> String {
    let mut out = String::with_capacity(bytes.len() + 2);
    out.push('"');
    let is_plain = |byte: &u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\');
    if bytes.iter().all(is_plain)
        && let Ok(text) = core::str::from_utf8(bytes)
    {
        out.push_str(text);
        out.push('"');
        return out;
    }
    for unit in chunks(bytes) {
        match unit {
            Ok(c) => push_escaped(&mut out, c, '"', ascii),
            Err(byte) => push_format(&mut out, format_args!("\\x{byte:02x}")),
        }
    }
    out.push('"');
    out
}

/// The character as a Go literal in single quotes.
pub(crate) fn quote_char(c: char, ascii: bool) -> String {
    let mut out = String::from("'");
    push_escaped(&mut out, c, '\'', ascii);
    out.push('\'');
    out
}

fn push_escaped(out: &mut String, c: char, quote: char, ascii: bool) {
    if c == quote || c == '\\' {
        out.push('\\');
        out.push(c);
        return;
    }
    if (!ascii || c.is_ascii()) && is_print(c) {
        out.push(c);
        return;
    }
    let short = match c {
        '\u{7}' => "\\a",
        '\u{8}' => "\\b",
        '\u{c}' => "\\f",
        '\n' => "\\n",
        '\r' => "\\r",
        '\t' => "\\t",
        '\u{b}' => "\\v",
        _ => {
            let code = u32::from(c);
            match code {
                0..0x20 | 0x7f => push_format(out, format_args!("\\x{code:02x}")),
                0x20..0x1_0000 => push_format(out, format_args!("\\u{code:04x}")),
                _ => push_format(out, format_args!("\\U{code:08x}")),
            }
            return;
        }
    };
    out.push_str(short);
}

/// Whether the text can stand between backquotes: no backquote, no control character but the tab, UTF-8, no
/// byte order mark.
pub(crate) fn can_backquote(bytes: &[u8]) -> bool {
    chunks(bytes).all(|unit| unit.is_ok_and(|c| c == '\t' || !(c < ' ' || matches!(c, '`' | '\u{7f}' | '\u{feff}'))))
}
