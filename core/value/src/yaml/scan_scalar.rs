//! Plain and quoted scalars.
//!
//! A scalar that stands in the text as it is becomes a slice of it; only folded lines and escapes need a copy.

use alloc::borrow::Cow;
use alloc::string::String;

use super::cursor::Cursor;
use super::error::Mark;
use super::scanner::{Scan, Scanner};
use super::token::{Kind, Style};

/// A scalar in the making: what was copied, and the stretch of text after it that is not copied yet.
struct Pieces<'a> {
    copied: String,
    start: usize,
    end: usize,
    borrowed: bool,
    leading: &'a str,
    trailing: String,
}

impl<'a> Pieces<'a> {
    fn new(start: usize) -> Self {
        Self {
            copied: String::new(),
            start,
            end: start,
            borrowed: true,
            leading: "",
            trailing: String::new(),
        }
    }

    /// Copies the stretch; the next one begins at `start`.
    fn flush(&mut self, cursor: &Cursor<'a>, start: usize) {
        self.borrowed = false;
        self.copied.push_str(cursor.slice(self.start, self.end));
        self.start = start;
        self.end = start;
    }

    /// Remembers a line break between two lines of the scalar.
    fn line_break(&mut self, first: bool, value: &'a str) {
        if first {
            self.leading = value;
        } else {
            self.trailing.push_str(value);
        }
    }

    /// Folds the remembered breaks: one `\n` is a space, more are one fewer; separators stay.
    fn fold(&mut self, cursor: &Cursor<'a>, start: usize) {
        self.flush(cursor, start);
        if self.leading != "\n" {
            self.copied.push_str(self.leading);
        } else if self.trailing.is_empty() {
            self.copied.push(' ');
        }
        self.copied.push_str(&self.trailing);
        self.leading = "";
        self.trailing.clear();
    }

    fn finish(mut self, cursor: &Cursor<'a>) -> Cow<'a, str> {
        if self.borrowed {
            return Cow::Borrowed(cursor.slice(self.start, self.end));
        }
        self.copied.push_str(cursor.slice(self.start, self.end));
        Cow::Owned(self.copied)
    }
}

/// What a byte of a plain scalar asks for.
static PLAIN_STOPS: [bool; 256] = stops(b" \t\r\n:\xC2\xE2");
static FLOW_STOPS: [bool; 256] = stops(b" \t\r\n:\xC2\xE2,?[]{}");
static SINGLE_STOPS: [bool; 256] = stops(b" \t\r\n\xC2\xE2'");
static DOUBLE_STOPS: [bool; 256] = stops(b" \t\r\n\xC2\xE2\"\\");

const fn stops(list: &[u8]) -> [bool; 256] {
    let mut table = [false; 256];
    let mut i = 0;
    while i < list.len() {
        table[list[i] as usize] = true;
        i += 1;
    }
    table
}

/// Bytes up to the first one that `table` names.
#[inline]
fn run(bytes: &[u8], table: &[bool; 256]) -> usize {
    bytes.iter().position(|&b| table[usize::from(b)]).unwrap_or(bytes.len())
}

impl<'a> Scanner<'a> {
    pub(super) fn scan_plain_scalar(&mut self) -> Scan<()> {
        let mark = self.cursor.mark();
        let indent = self.indent + 1;
        let mut pieces = Pieces::new(self.cursor.pos());
        let mut leading_blanks = false;
        loop {
            if self.cursor.at_document_indicator() || self.cursor.peek(0) == b'#' {
                break;
            }
            let start = self.cursor.pos();
            let len = self.plain_run();
            if len > 0 {
                if leading_blanks {
                    pieces.fold(&self.cursor, start);
                    leading_blanks = false;
                }
                self.cursor.skip_text(len);
                pieces.end = start + len;
            }
            if !(self.cursor.is_blank(0) || self.cursor.break_len(0) > 0) {
                break;
            }
            self.plain_blanks(&mut pieces, &mut leading_blanks, indent, mark)?;
            if self.flow_level == 0 && i64::from(self.cursor.column()) < indent {
                break;
            }
        }
        if leading_blanks {
            self.simple_key_allowed = true;
        }
        let kind = Kind::Scalar {
            text: pieces.finish(&self.cursor),
            style: Style::Plain,
        };
        self.push(kind, mark);
        Ok(())
    }

    /// Length of the word at hand.
    fn plain_run(&self) -> usize {
        let bytes = self.cursor.rest();
        let flow = self.flow_level > 0;
        let table = if flow { &FLOW_STOPS } else { &PLAIN_STOPS };
        let mut len = 0;
        loop {
            len += run(&bytes[len..], table);
            match bytes.get(len) {
                Some(b':') if !self.cursor.is_blankz(len + 1) => len += 1,
                Some(0xC2 | 0xE2) if self.cursor.break_len(len) == 0 => len += 1,
                _ => return len,
            }
        }
    }

    fn plain_blanks(&mut self, pieces: &mut Pieces<'a>, leading: &mut bool, indent: i64, mark: Mark) -> Scan<()> {
        loop {
            if self.cursor.is_blank(0) {
                let indentation = *leading && i64::from(self.cursor.column()) < indent;
                if indentation && self.cursor.peek(0) == b'\t' {
                    return self.fail("found a tab character that violates indentation", mark);
                }
                self.cursor.skip(1);
                continue;
            }
            let value = self.cursor.take_break();
            if value.is_empty() {
                return Ok(());
            }
            pieces.line_break(!*leading, value);
            *leading = true;
        }
    }

    pub(super) fn scan_quoted_scalar(&mut self, single: bool) -> Scan<()> {
        let mark = self.cursor.mark();
        self.cursor.skip(1);
        let quote = if single { b'\'' } else { b'"' };
        let mut pieces = Pieces::new(self.cursor.pos());
        loop {
            if self.cursor.at_document_indicator() {
                return self.fail("found unexpected document indicator", mark);
            }
            if self.cursor.at_end() {
                return self.fail("found unexpected end of stream", mark);
            }
            let mut leading_blanks = self.quoted_run(&mut pieces, single, mark)?;
            pieces.end = self.cursor.pos();
            if self.cursor.peek(0) == quote {
                break;
            }
            while !self.cursor.at_end() {
                if self.cursor.is_blank(0) {
                    self.cursor.skip(1);
                    continue;
                }
                let value = self.cursor.take_break();
                if value.is_empty() {
                    break;
                }
                pieces.line_break(!leading_blanks, value);
                leading_blanks = true;
            }
            if leading_blanks {
                pieces.fold(&self.cursor, self.cursor.pos());
            }
        }
        self.cursor.skip(1);
        let kind = Kind::Scalar {
            text: pieces.finish(&self.cursor),
            style: Style::Quoted,
        };
        self.push(kind, mark);
        Ok(())
    }

    /// Passes over what is not blank; answers whether it ended with an escaped line break.
    fn quoted_run(&mut self, pieces: &mut Pieces<'a>, single: bool, mark: Mark) -> Scan<bool> {
        let table = if single { &SINGLE_STOPS } else { &DOUBLE_STOPS };
        loop {
            let bytes = self.cursor.rest();
            let mut len = run(bytes, table);
            while matches!(bytes.get(len), Some(0xC2 | 0xE2)) && self.cursor.break_len(len) == 0 {
                len += 1;
                len += run(&bytes[len..], table);
            }
            self.cursor.skip_text(len);
            match self.cursor.peek(0) {
                b'\'' if single && self.cursor.peek(1) == b'\'' => {
                    pieces.end = self.cursor.pos() + 1;
                    pieces.flush(&self.cursor, self.cursor.pos() + 2);
                    self.cursor.skip(2);
                }
                b'\\' if !single => {
                    pieces.end = self.cursor.pos();
                    if self.cursor.break_len(1) > 0 {
                        self.cursor.skip(1);
                        self.cursor.take_break();
                        pieces.flush(&self.cursor, self.cursor.pos());
                        return Ok(true);
                    }
                    let c = self.escape(mark)?;
                    pieces.flush(&self.cursor, self.cursor.pos());
                    pieces.copied.push(c);
                }
                _ => return Ok(false),
            }
        }
    }

    /// The character that an escape stands for.
    fn escape(&mut self, mark: Mark) -> Scan<char> {
        let digits = match self.cursor.peek(1) {
            b'x' => 2,
            b'u' => 4,
            b'U' => 8,
            code => {
                let Some(c) = simple_escape(code) else {
                    return self.fail("found unknown escape character", mark);
                };
                self.cursor.skip(2);
                return Ok(c);
            }
        };
        self.cursor.skip(2);
        self.check_reading(digits)?;
        let mut value: u32 = 0;
        for ahead in 0..digits {
            let Some(digit) = char::from(self.cursor.peek(ahead)).to_digit(16) else {
                return self.fail("did not find expected hexdecimal number", mark);
            };
            value = value << 4 | digit;
        }
        let Some(c) = char::from_u32(value) else {
            return self.fail("found invalid Unicode character escape code", mark);
        };
        self.cursor.skip(digits);
        Ok(c)
    }
}

fn simple_escape(code: u8) -> Option<char> {
    Some(match code {
        b'0' => '\0',
        b'a' => '\u{7}',
        b'b' => '\u{8}',
        b't' | b'\t' => '\t',
        b'n' => '\n',
        b'v' => '\u{b}',
        b'f' => '\u{c}',
        b'r' => '\r',
        b'e' => '\u{1b}',
        b' ' => ' ',
        b'"' => '"',
        b'\'' => '\'',
        b'\\' => '\\',
        b'N' => '\u{85}',
        b'_' => '\u{a0}',
        b'L' => '\u{2028}',
        b'P' => '\u{2029}',
        _ => return None,
    })
}
