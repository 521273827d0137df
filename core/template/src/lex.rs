//! From text to tokens, one at a time.
//!
//! A source is bytes, and the lexer reads characters: each byte that is no UTF-8 is U+FFFD to it, as to Go. Places are
//! those of the bytes.
//!
//! # Invariant
//! Every call moves forward or answers [`Kind::Eof`] or [`Kind::Error`]; after one of these, every call answers
//! [`Kind::Eof`].

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;

use crate::quote;
use crate::text::Characters;
use crate::token::{Kind, Token};

const SPACES: [char; 4] = [' ', '\t', '\r', '\n'];

#[derive(Debug)]
pub(crate) struct Lexer<'s> {
    read: &'s Characters<'s>,
    source: &'s str,
    left: &'s str,
    right: &'s str,
    pos: usize,
    start: usize,
    line: usize,
    start_line: usize,
    paren_depth: usize,
    inside: bool,
    failed: bool,
}

fn is_space(c: char) -> bool {
    SPACES.contains(&c)
}

fn is_alphanumeric(c: char) -> bool {
    c == '_' || c.is_alphanumeric() && (c.is_ascii() || crate::unicode::is_letter_or_digit(c))
}

fn has_left_trim(text: &str) -> bool {
    text.strip_prefix('-').is_some_and(|rest| rest.starts_with(SPACES))
}

fn has_right_trim(text: &str) -> bool {
    text.strip_prefix(SPACES).is_some_and(|rest| rest.starts_with('-'))
}

impl<'s> Lexer<'s> {
    pub(crate) fn new(source: &'s Characters<'_>, left: &'s str, right: &'s str) -> Self {
        Self {
            read: source,
            source: source.text(),
            left,
            right,
            pos: 0,
            start: 0,
            line: 1,
            start_line: 1,
            paren_depth: 0,
            inside: false,
            failed: false,
        }
    }

    /// The next token.
    pub(crate) fn token(&mut self) -> Token<'s> {
        if self.failed {
            return self.emit_text(Kind::Eof, Cow::Borrowed("EOF"));
        }
        if self.inside { self.action() } else { self.text() }
    }

    fn rest(&self) -> &'s str {
        self.source.get(self.pos..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.pos += c.len_utf8();
        self.line += usize::from(c == '\n');
        Some(c)
    }

    fn accept(&mut self, set: &str) -> bool {
        let found = self.peek().is_some_and(|c| set.contains(c));
        if found {
            self.next();
        }
        found
    }

    fn accept_run(&mut self, set: &str) {
        while self.accept(set) {}
    }

    fn emit(&mut self, kind: Kind) -> Token<'s> {
        let text = self.source.get(self.start..self.pos).unwrap_or("");
        self.emit_text(kind, Cow::Borrowed(text))
    }

    fn emit_text(&mut self, kind: Kind, text: Cow<'s, str>) -> Token<'s> {
        let (pos, end) = (self.read.place(self.start), self.read.place(self.pos));
        let token = Token {
            kind,
            len: u32::try_from(end - pos).unwrap_or(u32::MAX),
            pos,
            line: self.start_line,
            text,
        };
        self.start = self.pos;
        self.start_line = self.line;
        token
    }

    fn error(&mut self, message: impl Into<String>) -> Token<'s> {
        self.failed = true;
        self.emit_text(Kind::Error, Cow::Owned(message.into()))
    }

    /// Moves on by `count` bytes of text that were looked at, and forgets them.
    fn skip(&mut self, count: usize) {
        self.advance(count);
        self.start = self.pos;
        self.start_line = self.line;
    }

    fn advance(&mut self, count: usize) {
        let passed = self.rest().get(..count).unwrap_or("");
        self.line += passed.bytes().filter(|byte| *byte == b'\n').count();
        self.pos += passed.len();
    }

    fn text(&mut self) -> Token<'s> {
        loop {
            let Some(found) = self.rest().find(self.left) else {
                self.advance(self.rest().len());
                let kind = if self.pos > self.start { Kind::Text } else { Kind::Eof };
                return self.emit(kind);
            };
            let before = self.rest().get(..found).unwrap_or("");
            let after = self.rest().get(found + self.left.len()..).unwrap_or("");
            let kept = if has_left_trim(after) {
                before.trim_end_matches(SPACES)
            } else {
                before
            };
            self.advance(kept.len());
            if !kept.is_empty() {
                let token = self.emit(Kind::Text);
                self.skip(before.len() - kept.len());
                return token;
            }
            self.skip(before.len());
            if let Some(token) = self.left_delim() {
                return token;
            }
        }
    }

    /// The left delimiter, or nothing after a comment.
    fn left_delim(&mut self) -> Option<Token<'s>> {
        let after = self.rest().get(self.left.len()..).unwrap_or("");
        let marker = if has_left_trim(after) { 2 } else { 0 };
        if after.get(marker..).is_some_and(|body| body.starts_with("/*")) {
            self.skip(self.left.len() + marker);
            return self.comment();
        }
        self.advance(self.left.len());
        let token = self.emit(Kind::LeftDelim);
        self.skip(marker);
        self.inside = true;
        self.paren_depth = 0;
        Some(token)
    }

    fn comment(&mut self) -> Option<Token<'s>> {
        let Some(end) = self.rest().get(2..).and_then(|body| body.find("*/")) else {
            return Some(self.error("unclosed comment"));
        };
        let (trim, delim) = match self.right_delim_at(self.pos + end + 4) {
            Some(trim) => (trim, if trim { 2 } else { 0 } + self.right.len()),
            None => return Some(self.error("comment ends before closing delimiter")),
        };
        self.skip(end + 4 + delim);
        if trim {
            self.trim_following();
        }
        None
    }

    fn trim_following(&mut self) {
        let rest = self.rest();
        self.skip(rest.len() - rest.trim_start_matches(SPACES).len());
    }

    /// Whether a right delimiter is at `pos`, and if so, whether a trim marker is before it.
    fn right_delim_at(&self, pos: usize) -> Option<bool> {
        let rest = self.source.get(pos..)?;
        if has_right_trim(rest) && rest.get(2..).is_some_and(|rest| rest.starts_with(self.right)) {
            return Some(true);
        }
        rest.starts_with(self.right).then_some(false)
    }

    fn right_delim(&mut self, trim: bool) -> Token<'s> {
        if trim {
            self.skip(2);
        }
        self.advance(self.right.len());
        let token = self.emit(Kind::RightDelim);
        if trim {
            self.trim_following();
        }
        self.inside = false;
        token
    }

    fn action(&mut self) -> Token<'s> {
        if let Some(trim) = self.right_delim_at(self.pos) {
            if self.paren_depth == 0 {
                return self.right_delim(trim);
            }
            return self.error("unclosed left paren");
        }
        let Some(c) = self.peek() else {
            return self.error("unclosed action");
        };
        match c {
            _ if is_space(c) => self.space(),
            '"' => self.quoted(c, Kind::String, "unterminated quoted string"),
            '\'' => self.quoted(c, Kind::CharConstant, "unterminated character constant"),
            '`' => self.raw_quoted(),
            '$' => self.variable(),
            '.' => self.dot(),
            '+' | '-' | '0'..='9' => self.number(),
            _ if is_alphanumeric(c) => self.identifier(),
            _ => self.punctuation(c),
        }
    }

    fn punctuation(&mut self, c: char) -> Token<'s> {
        self.next();
        match c {
            '=' => self.emit(Kind::Assign),
            ':' => {
                if self.next() == Some('=') {
                    return self.emit(Kind::Declare);
                }
                self.error("expected :=")
            }
            '|' => self.emit(Kind::Pipe),
            '(' => {
                self.paren_depth += 1;
                self.emit(Kind::LeftParen)
            }
            ')' => {
                let Some(depth) = self.paren_depth.checked_sub(1) else {
                    return self.error("unexpected right paren");
                };
                self.paren_depth = depth;
                self.emit(Kind::RightParen)
            }
            ' '..='~' => self.emit(Kind::Char),
            _ => self.error(format!("unrecognized character in action: {}", unicode_name(Some(c)))),
        }
    }

    /// A run of spaces; the last one belongs to a trim marker if that follows.
    fn space(&mut self) -> Token<'s> {
        let run = self.rest().len() - self.rest().trim_start_matches(SPACES).len();
        // The spaces are one byte each.
        if self.right_delim_at(self.pos + run - 1) == Some(true) {
            if run == 1 {
                return self.right_delim(true);
            }
            self.advance(run - 1);
        } else {
            self.advance(run);
        }
        self.emit(Kind::Space)
    }

    fn quoted(&mut self, end: char, kind: Kind, message: &str) -> Token<'s> {
        self.next();
        loop {
            match self.next() {
                Some('\\') if !matches!(self.next(), None | Some('\n')) => {}
                None | Some('\n' | '\\') => return self.error(message),
                Some(c) if c == end => return self.emit(kind),
                Some(_) => {}
            }
        }
    }

    fn raw_quoted(&mut self) -> Token<'s> {
        self.next();
        let Some(end) = self.rest().find('`') else {
            return self.error("unterminated raw quoted string");
        };
        self.advance(end + 1);
        self.emit(Kind::RawString)
    }

    fn at_terminator(&self) -> bool {
        match self.peek() {
            None | Some(' ' | '\t' | '\r' | '\n' | '.' | ',' | '|' | ':' | ')' | '(') => true,
            Some(_) => self.rest().starts_with(self.right),
        }
    }

    fn bad_character(&mut self) -> Token<'s> {
        let c = self.peek();
        self.error(format!("bad character {}", unicode_name(c)))
    }

    fn word(&mut self) {
        while self.peek().is_some_and(is_alphanumeric) {
            self.next();
        }
    }

    fn identifier(&mut self) -> Token<'s> {
        self.word();
        if !self.at_terminator() {
            return self.bad_character();
        }
        let word = self.source.get(self.start..self.pos).unwrap_or("");
        let kind = match word {
            "true" | "false" => Kind::Bool,
            _ => Kind::keyword(word).unwrap_or(Kind::Identifier),
        };
        self.emit(kind)
    }

    fn variable(&mut self) -> Token<'s> {
        self.next();
        if self.at_terminator() {
            return self.emit(Kind::Variable);
        }
        self.word();
        if !self.at_terminator() {
            return self.bad_character();
        }
        self.emit(Kind::Variable)
    }

    fn dot(&mut self) -> Token<'s> {
        if self.rest().as_bytes().get(1).is_some_and(u8::is_ascii_digit) {
            return self.number();
        }
        // At the end of the source, Go takes the dot for the start of a number, which it is not.
        self.next();
        if self.at_terminator() {
            return self.emit(Kind::Dot);
        }
        self.word();
        if !self.at_terminator() {
            return self.bad_character();
        }
        self.emit(Kind::Field)
    }

    fn number(&mut self) -> Token<'s> {
        if !self.scan_number() {
            return self.bad_number();
        }
        if matches!(self.peek(), Some('+' | '-')) {
            let ends_in_i = self.scan_number() && self.source.get(..self.pos).is_some_and(|s| s.ends_with('i'));
            return if ends_in_i {
                self.emit(Kind::Complex)
            } else {
                self.bad_number()
            };
        }
        self.emit(Kind::Number)
    }

    fn bad_number(&mut self) -> Token<'s> {
        let text = self.source.get(self.start..self.pos).unwrap_or("");
        self.error(format!("bad number syntax: {}", quote::quote(text.as_bytes(), false)))
    }

    fn scan_number(&mut self) -> bool {
        const DECIMAL: &str = "0123456789_";
        const HEX: &str = "0123456789abcdefABCDEF_";
        self.accept("+-");
        let mut digits = DECIMAL;
        if self.accept("0") {
            if self.accept("xX") {
                digits = HEX;
            } else if self.accept("oO") {
                digits = "01234567_";
            } else if self.accept("bB") {
                digits = "01_";
            }
        }
        self.accept_run(digits);
        if self.accept(".") {
            self.accept_run(digits);
        }
        let exponent = if digits == DECIMAL {
            "eE"
        } else if digits == HEX {
            "pP"
        } else {
            ""
        };
        if self.accept(exponent) {
            self.accept("+-");
            self.accept_run(DECIMAL);
        }
        self.accept("i");
        if self.peek().is_some_and(is_alphanumeric) {
            self.next();
            return false;
        }
        true
    }
}

/// As Go's `%#U`; the end of the text is -1 there.
fn unicode_name(c: Option<char>) -> String {
    match c {
        None => "U+FFFFFFFFFFFFFFFF".into(),
        Some(c) if quote::is_print(c) => format!("U+{:04X} '{c}'", u32::from(c)),
        Some(c) => format!("U+{:04X}", u32::from(c)),
    }
}
