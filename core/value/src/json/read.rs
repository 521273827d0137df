//! Reading JSON as Go's `json.Unmarshal` does: the last of two equal keys wins, broken UTF-8 and lone surrogates
//! become U+FFFD, nothing but white space may follow.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use super::{Error, ErrorKind};
use crate::limits::passes;
use crate::{Limits, Map, Number, Numbers, Value};

/// Reads one value, integers kept.
///
/// # Errors
/// When the text is not JSON, or passes a limit.
pub fn parse(text: impl AsRef<[u8]>, limits: &Limits) -> Result<Value, Error> {
    parse_with(text, limits, Numbers::Exact)
}

/// Reads one value; `numbers` says what its numbers become.
///
/// # Errors
/// When the text is not JSON, or passes a limit.
pub fn parse_with(text: impl AsRef<[u8]>, limits: &Limits, numbers: Numbers) -> Result<Value, Error> {
    let (value, out_of_range) = parse_in_part(text, limits, numbers)?;
    out_of_range.map_or(Ok(value), Err)
}

/// As [`parse_with`], but what can be read is there beside the error about a number that is beyond a float's range:
/// such numbers are null in it. The error is that of the first one.
///
/// # Errors
/// When the text is not JSON, or passes a limit.
pub fn parse_in_part(
    text: impl AsRef<[u8]>,
    limits: &Limits,
    numbers: Numbers,
) -> Result<(Value, Option<Error>), Error> {
    let text = text.as_ref();
    let mut reader = Reader {
        text,
        at: 0,
        depth: limits.effective_depth(),
        limit: limits.effective_depth(),
        numbers,
        out_of_range: None,
    };
    if text.len() > limits.bytes {
        return Err(reader.limit("bytes", limits.bytes));
    }
    reader.skip_space();
    let value = reader.value()?;
    reader.skip_space();
    if reader.at < text.len() {
        return Err(reader.unexpected("after top-level value"));
    }
    Ok((value, reader.out_of_range))
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    depth: usize,
    limit: usize,
    numbers: Numbers,
    /// The first number that is beyond a float's range.
    out_of_range: Option<Error>,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.peek() {
            self.at += 1;
        }
    }

    /// An error whose words show nothing of the text.
    fn error(&self, kind: ErrorKind, message: impl Into<String>) -> Error {
        let message = message.into();
        self.error_as_go(kind, message.clone(), message)
    }

    fn limit(&self, of: &'static str, limit: usize) -> Error {
        self.error(ErrorKind::Limit { of, limit }, passes(of, limit))
    }

    fn error_as_go(&self, kind: ErrorKind, shown: String, message: String) -> Error {
        let before = &self.text[..self.at.min(self.text.len())];
        let line_start = before.iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1);
        let line = before.split(|&b| b == b'\n').count();
        Error {
            kind,
            shown,
            message,
            line,
            column: before.len() - line_start + 1,
        }
    }

    /// The error for the byte at hand between tokens, in Go's words.
    fn unexpected(&self, place: &str) -> Error {
        match self.peek() {
            None => self.error(ErrorKind::Eof, "unexpected end of JSON input"),
            Some(_) => self.unexpected_inside(place),
        }
    }

    /// The error for the byte at hand in a token: Go tries a space at the end of the text.
    fn unexpected_inside(&self, place: &str) -> Error {
        let kind = if self.at < self.text.len() {
            ErrorKind::Syntax
        } else {
            ErrorKind::Eof
        };
        let byte = quote(self.peek().unwrap_or(b' '));
        let go = format!("invalid character {byte} {place}");
        self.error_as_go(kind, format!("invalid character {place}"), go)
    }

    fn value(&mut self) -> Result<Value, Error> {
        match self.peek() {
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::array),
            Some(b'"') => Ok(Value::String(self.string()?)),
            Some(b't') => self.literal("true", Value::Bool(true)),
            Some(b'f') => self.literal("false", Value::Bool(false)),
            Some(b'n') => self.literal("null", Value::Null),
            Some(b'-' | b'0'..=b'9') => {
                let number = self.number()?;
                let is_beyond = matches!(number, Number::Float(f) if !f.is_finite());
                Ok(if is_beyond { Value::Null } else { Value::Number(number) })
            }
            _ => Err(self.unexpected("looking for beginning of value")),
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Result<Value, Error>) -> Result<Value, Error> {
        if self.depth == 0 {
            return Err(self.limit("levels of nesting", self.limit));
        }
        self.depth -= 1;
        self.at += 1;
        let value = read(self);
        self.depth += 1;
        value
    }

    fn array(&mut self) -> Result<Value, Error> {
        let mut items = Vec::new();
        self.skip_space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Value::Array(items));
        }
        loop {
            self.skip_space();
            items.push(self.value()?);
            self.skip_space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Ok(Value::Array(items));
                }
                _ => return Err(self.unexpected("after array element")),
            }
        }
    }

    fn object(&mut self) -> Result<Value, Error> {
        let mut map = Map::new();
        self.skip_space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Value::Object(map));
        }
        loop {
            self.skip_space();
            if self.peek() != Some(b'"') {
                return Err(self.unexpected("looking for beginning of object key string"));
            }
            let key = self.string()?;
            self.skip_space();
            if self.peek() != Some(b':') {
                return Err(self.unexpected("after object key"));
            }
            self.at += 1;
            self.skip_space();
            let value = self.value()?;
            map.insert(key, value);
            self.skip_space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return Ok(Value::Object(map));
                }
                _ => return Err(self.unexpected("after object key:value pair")),
            }
        }
    }

    fn literal(&mut self, word: &str, value: Value) -> Result<Value, Error> {
        for expected in word.bytes() {
            if self.peek() != Some(expected) {
                let place = format!("in literal {word} (expecting {})", quote(expected));
                return Err(self.unexpected_inside(&place));
            }
            self.at += 1;
        }
        Ok(value)
    }

    fn digits(&mut self, place: &str) -> Result<(), Error> {
        if !matches!(self.peek(), Some(b'0'..=b'9')) {
            return Err(self.unexpected_inside(place));
        }
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        Ok(())
    }

    fn number(&mut self) -> Result<Number, Error> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits("in numeric literal")?;
        }
        let mut integer = true;
        if self.peek() == Some(b'.') {
            self.at += 1;
            integer = false;
            self.digits("after decimal point in numeric literal")?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            integer = false;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits("in exponent of numeric literal")?;
        }
        // Only ASCII was passed over.
        let text = str::from_utf8(&self.text[start..self.at]).unwrap_or_default();
        if integer && self.numbers == Numbers::Exact {
            if let Ok(i) = text.parse() {
                return Ok(Number::Int(i));
            }
            if let Ok(u) = text.parse() {
                return Ok(Number::Uint(u));
            }
        }
        let f = text.parse::<f64>().unwrap_or(f64::INFINITY);
        if !f.is_finite() && self.out_of_range.is_none() {
            // Go checks the whole text before it looks at numbers.
            let go = format!("cannot unmarshal number {text} into Go value of type float64");
            let message = "a number is beyond what a float holds".into();
            self.out_of_range = Some(self.error_as_go(ErrorKind::Number, message, go));
        }
        Ok(Number::Float(f))
    }

    fn string(&mut self) -> Result<String, Error> {
        self.at += 1;
        let mut out = Vec::new();
        let mut start = self.at;
        loop {
            match self.peek() {
                Some(b'"') => {
                    out.extend_from_slice(&self.text[start..self.at]);
                    self.at += 1;
                    return Ok(replace_broken(out));
                }
                Some(b'\\') => {
                    out.extend_from_slice(&self.text[start..self.at]);
                    self.escape(&mut out)?;
                    start = self.at;
                }
                Some(byte) if byte >= b' ' => self.at += 1,
                _ => return Err(self.unexpected("in string literal")),
            }
        }
    }

    fn escape(&mut self, out: &mut Vec<u8>) -> Result<(), Error> {
        self.at += 1;
        let byte = match self.peek() {
            Some(b'u') => {
                self.at += 1;
                let c = self.unicode_escape()?;
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                return Ok(());
            }
            Some(b'b') => 0x08,
            Some(b'f') => 0x0C,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(byte @ (b'"' | b'\\' | b'/')) => byte,
            _ => return Err(self.unexpected_inside("in string escape code")),
        };
        self.at += 1;
        out.push(byte);
        Ok(())
    }

    fn hex4(&mut self) -> Result<u32, Error> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|b| char::from(b).to_digit(16));
            let Some(digit) = digit else {
                return Err(self.unexpected_inside("in \\u hexadecimal character escape"));
            };
            code = code * 16 + digit;
            self.at += 1;
        }
        Ok(code)
    }

    /// The character after `\u`; a surrogate without its other half is U+FFFD, and what follows it stays.
    fn unicode_escape(&mut self) -> Result<char, Error> {
        let high = self.hex4()?;
        if !(0xD800..0xDC00).contains(&high) {
            return Ok(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        let back = self.at;
        if self.text[self.at..].starts_with(b"\\u") {
            self.at += 2;
            let low = self.hex4()?;
            if (0xDC00..0xE000).contains(&low) {
                let code = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.at = back;
        }
        Ok(char::REPLACEMENT_CHARACTER)
    }
}

/// Text with each byte that is no part of a character replaced by U+FFFD (Go replaces byte by byte).
pub(crate) fn replace_broken(bytes: Vec<u8>) -> String {
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => return text,
        Err(error) => error.into_bytes(),
    };
    let mut out = String::with_capacity(bytes.len() + 8);
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        for _ in chunk.invalid() {
            out.push(char::REPLACEMENT_CHARACTER);
        }
    }
    out
}

/// A string in Go's notation (`%q`), as its errors show keys.
pub(crate) fn quote_go(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.extend(c.escape_unicode().filter(|c| !matches!(c, '{' | '}'))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A byte as Go's JSON errors show it.
fn quote(byte: u8) -> String {
    match byte {
        b'\'' => "'\\''".to_string(),
        b'"' => "'\"'".to_string(),
        b'\\' => "'\\\\'".to_string(),
        b'\n' => "'\\n'".to_string(),
        b'\r' => "'\\r'".to_string(),
        b'\t' => "'\\t'".to_string(),
        0x07 => "'\\a'".to_string(),
        0x08 => "'\\b'".to_string(),
        0x0B => "'\\v'".to_string(),
        0x0C => "'\\f'".to_string(),
        0..0x20 | 0x7F => format!("'\\x{byte:02x}'"),
        0x80..0xA0 | 0xAD => format!("'\\u{byte:04x}'"),
        _ => format!("'{}'", char::from(byte)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::to_canonical;

    fn check(text: &str, expect: &str) {
        let value = parse(text, &Limits::default()).unwrap();
        assert_eq!(to_canonical(&value), expect, "{text}");
    }

    fn check_error(text: &str, expect: &str) {
        let error = parse(text, &Limits::default()).unwrap_err();
        let Error {
            message, line, column, ..
        } = error;
        assert_eq!(format!("{message} at line {line} column {column}"), expect, "{text}");
    }

    #[test]
    fn values_are_read_as_go_reads_them() {
        check(
            " [1, 2.50, -0, 1E3, \"a\\u00e9\\ud83d\\ude00\\/\" ,null,true,false,{}, [] ] ",
            "[1,2.5,0,1000,\"aé😀/\",null,true,false,{},[]]",
        );
        check(r#"{"a":1,"b":2,"a":{"c":3}}"#, r#"{"a":{"c":3},"b":2}"#);
        check("18446744073709551615", "18446744073709551615");
        check("18446744073709551616", "18446744073709552000");
        check(r#""\ud800x\udc00\ud800\u0041""#, "\"\u{fffd}x\u{fffd}\u{fffd}A\"");
    }

    #[test]
    fn broken_utf8_becomes_replacement_characters_byte_by_byte() {
        let value = parse(b"\"a\xff\xe2\x80z\"", &Limits::default()).unwrap();
        assert_eq!(value, Value::from("a\u{fffd}\u{fffd}\u{fffd}z"));
    }

    #[test]
    fn floats_are_all_there_is_when_asked_for() {
        let value = parse_with("[1,-0]", &Limits::default(), Numbers::Float).unwrap();
        assert_eq!(value, Value::Array(alloc::vec![Value::from(1.0), Value::from(-0.0)]));
    }

    #[test]
    fn errors_say_what_go_says_and_where() {
        check_error("", "unexpected end of JSON input at line 1 column 1");
        check_error(
            "[1,\n x]",
            "invalid character 'x' looking for beginning of value at line 2 column 2",
        );
        check_error("[1 2]", "invalid character '2' after array element at line 1 column 4");
        check_error("{\"a\" 1}", "invalid character '1' after object key at line 1 column 6");
        check_error(
            "{\"a\":1 1}",
            "invalid character '1' after object key:value pair at line 1 column 8",
        );
        check_error(
            "{a:1}",
            "invalid character 'a' looking for beginning of object key string at line 1 column 2",
        );
        check_error(
            "[1,]",
            "invalid character ']' looking for beginning of value at line 1 column 4",
        );
        check_error(
            "trux",
            "invalid character 'x' in literal true (expecting 'e') at line 1 column 4",
        );
        check_error("01", "invalid character '1' after top-level value at line 1 column 2");
        check_error(
            "1.x",
            "invalid character 'x' after decimal point in numeric literal at line 1 column 3",
        );
        check_error("\"\n\"", "invalid character '\\n' in string literal at line 1 column 2");
        check_error(
            "\"\\q\"",
            "invalid character 'q' in string escape code at line 1 column 3",
        );
        check_error(
            "1e999",
            "cannot unmarshal number 1e999 into Go value of type float64 at line 1 column 6",
        );
    }

    #[test]
    fn depth_and_size_are_bounded_without_a_deep_stack() {
        let deep = "[".repeat(100_000);
        let error = parse(
            &deep,
            &Limits {
                depth: usize::MAX,
                ..Limits::default()
            },
        )
        .unwrap_err();
        let limit = ErrorKind::Limit {
            of: "levels of nesting",
            limit: crate::MAX_DEPTH,
        };
        assert_eq!((error.kind(), error.column()), (limit, crate::MAX_DEPTH + 1));
        assert!(error.message().contains("limit of 1000"), "{error}");
        let error = parse(
            "[[]]",
            &Limits {
                bytes: 3,
                ..Limits::default()
            },
        )
        .unwrap_err();
        assert!(error.message().contains("limit of 3 bytes"), "{error}");
    }
}
