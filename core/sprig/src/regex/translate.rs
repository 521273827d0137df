//! From Go's syntax to that of the engine, with Go's errors.
//!
//! Both descend from RE2. Where they differ, Go's meaning is spelled out: classes like `\d` are ASCII, `\Q…\E` is
//! literal, a brace that is no repetition is a brace, and brackets, ampersands and tildes in a class are themselves.

use alloc::format;
use alloc::string::String;

use super::size::{Excess, MAX_COPIES, Size};

type Result<T> = core::result::Result<T, String>;

/// States of a class that is written out, of any character, and of a class of Unicode, about.
const CLASS: u64 = 12;
const ANY: u64 = 12;
const UNICODE: u64 = 300;

/// The classes that have names in brackets.
const NAMES: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper", "word",
    "xdigit",
];

fn error(what: &str, expression: &str) -> String {
    format!("error parsing regexp: {what}: `{expression}`")
}

struct Translator<'p> {
    whole: &'p str,
    rest: &'p str,
    out: String,
    depth: usize,
    /// The repetition before this place, if the last thing was one.
    repeat: Option<&'p str>,
    /// Whether something that can be repeated was last.
    has_atom: bool,
    size: Size,
}

/// The engine's pattern for Go's `pattern`, with its states, about; or Go's error.
pub(super) fn translate(pattern: &str) -> Result<(String, u64)> {
    let mut translator = Translator {
        whole: pattern,
        rest: pattern,
        out: String::with_capacity(pattern.len() + 16),
        depth: 0,
        repeat: None,
        has_atom: false,
        size: Size::default(),
    };
    while let Some(c) = translator.peek() {
        translator.piece(c)?;
    }
    if translator.depth > 0 {
        return Err(error("missing closing )", pattern));
    }
    let states = translator.size.finish();
    let states = states.map_err(|excess| too_large(excess, "", pattern))?;
    Ok((translator.out, states))
}

/// Go's error for an expression that asks for too much, by the last operator or as a whole.
fn too_large(excess: Excess, operator: &str, pattern: &str) -> String {
    match excess {
        Excess::Copies => error("invalid repeat count", operator),
        Excess::Height => error("expression nests too deeply", pattern),
        Excess::Size => error("expression too large", pattern),
    }
}

fn push_literal(out: &mut String, c: char) {
    if c.is_ascii_alphanumeric() || !c.is_ascii() {
        out.push(c);
    } else {
        out.push_str(&format!("\\x{{{:X}}}", u32::from(c)));
    }
}

/// How often a repetition asks for what is before it: at least, and at most.
fn bounds(operator: &str) -> (u64, Option<u64>) {
    let counted = operator.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    let Some(counted) = counted else {
        return match operator {
            "?" => (0, Some(1)),
            "+" => (1, None),
            _ => (0, None),
        };
    };
    let (least, most) = counted
        .split_once(',')
        .map_or((counted, counted), |(least, most)| (least, most));
    (least.parse().unwrap_or(0), most.parse().ok())
}

/// What a letter behind a backslash stands for, outside and inside of brackets.
fn perl_class(c: char) -> Option<(&'static str, bool)> {
    Some(match c {
        'd' => ("0-9", false),
        'D' => ("0-9", true),
        's' => ("\\t\\n\\x0C\\r\\x20", false),
        'S' => ("\\t\\n\\x0C\\r\\x20", true),
        'w' => ("0-9A-Za-z_", false),
        'W' => ("0-9A-Za-z_", true),
        _ => return None,
    })
}

impl Translator<'_> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or("");
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.skip(c.len_utf8());
        Some(c)
    }

    /// Something that can be repeated, of so many states.
    fn atom(&mut self, states: u64) {
        self.repeat = None;
        self.has_atom = true;
        self.size.atom(states);
    }

    fn literal(&mut self, c: char) {
        self.repeat = None;
        self.has_atom = true;
        self.size.literal();
        push_literal(&mut self.out, c);
    }

    fn piece(&mut self, c: char) -> Result<()> {
        match c {
            '\\' => self.escape(),
            '[' => self.class(),
            '(' => self.group(),
            ')' => {
                self.depth = self
                    .depth
                    .checked_sub(1)
                    .ok_or_else(|| error("unexpected )", self.whole))?;
                self.copy(')');
                self.repeat = None;
                self.has_atom = true;
                let closed = self.size.close();
                closed.map_err(|excess| too_large(excess, "", self.whole))
            }
            '|' => {
                self.copy('|');
                self.size.alternative();
                self.repeat = None;
                self.has_atom = false;
                Ok(())
            }
            '*' | '+' | '?' => self.repetition(1),
            '{' => self.brace(),
            '^' | '$' | '.' => {
                self.copy(c);
                self.atom(if c == '.' { ANY } else { 1 });
                Ok(())
            }
            _ => {
                self.next();
                self.literal(c);
                Ok(())
            }
        }
    }

    /// A repetition, or a brace that is one.
    fn brace(&mut self) -> Result<()> {
        if let Some(len) = self.counted()? {
            return self.repetition(len);
        }
        self.next();
        self.literal('{');
        Ok(())
    }

    fn copy(&mut self, c: char) {
        self.next();
        self.out.push(c);
    }

    /// The length of `{n}`, `{n,}` or `{n,m}` here, if it is one.
    fn counted(&self) -> Result<Option<usize>> {
        let Some(end) = self.rest.find('}') else {
            return Ok(None);
        };
        let inside = self.rest.get(1..end).unwrap_or("");
        let (least, most) = inside
            .split_once(',')
            .map_or((inside, None), |(least, most)| (least, Some(most)));
        let is_number = |text: &str| {
            !text.is_empty()
                && text.bytes().all(|byte| byte.is_ascii_digit())
                && (text == "0" || !text.starts_with('0'))
        };
        if !is_number(least) || most.is_some_and(|most| !most.is_empty() && !is_number(most)) {
            return Ok(None);
        }
        let value = |text: &str| text.parse::<u32>().ok().filter(|count| u64::from(*count) <= MAX_COPIES);
        let bad = || error("invalid repeat count", self.rest.get(..=end).unwrap_or(""));
        let least = value(least).ok_or_else(bad)?;
        if let Some(most) = most.filter(|most| !most.is_empty())
            && value(most).ok_or_else(bad)? < least
        {
            return Err(bad());
        }
        Ok(Some(end + 1))
    }

    /// A repetition of `len` bytes, and the question mark that makes it lazy.
    fn repetition(&mut self, len: usize) -> Result<()> {
        let operator = self.rest.get(..len).unwrap_or("");
        if let Some(previous) = self.repeat {
            let start = self.whole.len() - self.rest.len() - previous.len();
            let both = self.whole.get(start..start + previous.len() + len).unwrap_or(operator);
            return Err(error("invalid nested repetition operator", both));
        }
        if !self.has_atom {
            return Err(error("missing argument to repetition operator", operator));
        }
        let before = self.rest;
        self.out.push_str(operator);
        self.skip(len);
        if self.rest.starts_with('?') {
            self.copy('?');
        }
        let written = before.get(..before.len() - self.rest.len());
        self.repeat = written;
        let (least, most) = bounds(operator);
        let repeated = self.size.repeat(least, most, operator.starts_with('{'));
        repeated.map_err(|excess| too_large(excess, written.unwrap_or(operator), self.whole))
    }

    fn group(&mut self) -> Result<()> {
        self.depth += 1;
        if !self.rest.starts_with("(?") {
            self.copy('(');
            self.size.open(true);
            self.repeat = None;
            self.has_atom = false;
            return Ok(());
        }
        self.repeat = None;
        self.has_atom = false;
        if self.rest.starts_with("(?P<") || self.rest.starts_with("(?<") {
            return self.named_group();
        }
        self.flags()
    }

    fn named_group(&mut self) -> Result<()> {
        if self.rest.starts_with("(?<=") || self.rest.starts_with("(?<!") {
            return Err(error(
                "invalid or unsupported Perl syntax",
                self.rest.get(..4).unwrap_or(""),
            ));
        }
        let Some(end) = self.rest.find('>') else {
            return Err(error("invalid named capture", self.rest));
        };
        let head = self.rest.get(..=end).unwrap_or("");
        let name = head.rsplit('<').next().unwrap_or("").trim_end_matches('>');
        if name.is_empty() || !name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric()) {
            return Err(error("invalid named capture", head));
        }
        self.size.open(true);
        if name.starts_with(|c: char| c.is_ascii_digit()) {
            // The engine has no such names: the group is there by number only.
            self.out.push('(');
        } else {
            self.out.push_str(&format!("(?P<{name}>"));
        }
        self.skip(end + 1);
        Ok(())
    }

    /// `(?i)`, `(?s-m:…)` and the like.
    fn flags(&mut self) -> Result<()> {
        let mut len = 2;
        let mut negative = false;
        let mut any = false;
        for c in self.rest.get(2..).unwrap_or("").chars() {
            len += c.len_utf8();
            match c {
                'i' | 'm' | 's' | 'U' => any = true,
                '-' if !negative => {
                    negative = true;
                    any = false;
                }
                ':' | ')' if !negative || any => {
                    let head = self.rest.get(..len).unwrap_or("");
                    if head == "(?)" {
                        break;
                    }
                    self.out.push_str(head);
                    self.skip(len);
                    if c == ')' {
                        self.depth -= 1;
                    } else {
                        self.size.open(false);
                    }
                    return Ok(());
                }
                _ => break,
            }
        }
        if len <= 2 {
            return Err(error("missing argument to repetition operator", "?"));
        }
        Err(error(
            "invalid or unsupported Perl syntax",
            self.rest.get(..len).unwrap_or(""),
        ))
    }

    fn escape(&mut self) -> Result<()> {
        let start = self.rest;
        self.next();
        let Some(c) = self.next() else {
            return Err(error("trailing backslash at end of expression", ""));
        };
        if let Some((class, negated)) = perl_class(c) {
            self.atom(if negated { CLASS } else { 1 });
            self.out.push_str(if negated { "[^" } else { "[" });
            self.out.push_str(class);
            self.out.push(']');
            return Ok(());
        }
        match c {
            'b' | 'B' | 'A' | 'z' | 'C' => self.atom(1),
            'p' | 'P' => self.atom(UNICODE),
            'Q' => {
                self.repeat = None;
                self.has_atom = true;
            }
            _ => {}
        }
        match c {
            'b' => self.out.push_str("(?-u:\\b)"),
            'B' => self.out.push_str("(?-u:\\B)"),
            'A' => self.out.push_str("\\A"),
            'z' => self.out.push_str("\\z"),
            'C' => self.out.push_str("(?s-u:.)"),
            'Q' => self.quoted(),
            'p' | 'P' => self.unicode_class(c, start)?,
            _ => {
                let literal = self.escaped_char(c, start)?;
                self.literal(literal);
            }
        }
        Ok(())
    }

    /// `\Q…\E`, or to the end.
    fn quoted(&mut self) {
        let end = self.rest.find("\\E");
        let literal = self.rest.get(..end.unwrap_or(self.rest.len())).unwrap_or("");
        for c in literal.chars() {
            self.literal(c);
        }
        self.has_atom = self.has_atom && !literal.is_empty();
        self.skip(end.map_or(self.rest.len(), |end| end + 2));
    }

    /// `\pL`, `\p{Greek}`, `\p{^Greek}`.
    fn unicode_class(&mut self, c: char, start: &str) -> Result<()> {
        let bad = |len: usize| error("invalid character class range", start.get(..len).unwrap_or(start));
        let Some(first) = self.next() else {
            return Err(bad(start.len()));
        };
        if first != '{' {
            self.out.push_str(&format!("\\{c}{{{first}}}"));
            return Ok(());
        }
        let Some(end) = self.rest.find('}') else {
            return Err(bad(start.len()));
        };
        let name = self.rest.get(..end).unwrap_or("");
        let (name, inverted) = name.strip_prefix('^').map_or((name, false), |name| (name, true));
        if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') || name.is_empty() {
            return Err(bad(start.len() - self.rest.len() + end + 1));
        }
        let letter = if (c == 'P') == inverted { 'p' } else { 'P' };
        if name == "Any" {
            self.out.push_str(if letter == 'p' {
                "[\\x{0}-\\x{10FFFF}]"
            } else {
                "[^\\x{0}-\\x{10FFFF}]"
            });
        } else {
            self.out.push_str(&format!("\\{letter}{{{name}}}"));
        }
        self.skip(end + 1);
        Ok(())
    }

    /// The character that an escape stands for.
    fn escaped_char(&mut self, c: char, start: &str) -> Result<char> {
        let bad = |rest: &str| {
            error(
                "invalid escape sequence",
                start.get(..start.len() - rest.len()).unwrap_or(start),
            )
        };
        Ok(match c {
            'a' => '\u{7}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            'x' => {
                let (digits, skip) = if let Some(braced) = self.rest.strip_prefix('{') {
                    let end = braced.find('}').ok_or_else(|| bad(self.rest))?;
                    (braced.get(..end).unwrap_or(""), end + 2)
                } else {
                    (self.rest.get(..2).unwrap_or(""), 2)
                };
                let code = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
                let code = code.ok_or_else(|| bad(self.rest.get(skip.min(self.rest.len())..).unwrap_or("")))?;
                self.skip(skip);
                code
            }
            '0'..='7' => {
                let digits = self
                    .rest
                    .bytes()
                    .take(2)
                    .take_while(|byte| (b'0'..=b'7').contains(byte))
                    .count();
                if c != '0' && digits == 0 {
                    return Err(bad(self.rest));
                }
                let more = self.rest.get(..digits).unwrap_or("");
                let code = u32::from_str_radix(&format!("{c}{more}"), 8)
                    .ok()
                    .and_then(char::from_u32);
                self.skip(digits);
                code.ok_or_else(|| bad(self.rest))?
            }
            c if c.is_ascii() && !c.is_ascii_alphanumeric() => c,
            _ => return Err(bad(self.rest)),
        })
    }

    /// `[…]`.
    fn class(&mut self) -> Result<()> {
        let start = self.rest;
        self.copy('[');
        if self.rest.starts_with('^') {
            self.copy('^');
        }
        let mut first = true;
        loop {
            let Some(c) = self.peek() else {
                return Err(error("missing closing ]", start));
            };
            if c == ']' && !first {
                self.copy(']');
                let written = start.get(..start.len() - self.rest.len()).unwrap_or(start);
                self.atom(if written.contains("\\p") || written.contains("\\P") {
                    UNICODE
                } else {
                    CLASS
                });
                return Ok(());
            }
            first = false;
            if self.named_class()? || self.class_escape()? {
                continue;
            }
            self.class_range(start)?;
        }
    }

    /// `[:alpha:]`.
    fn named_class(&mut self) -> Result<bool> {
        if !self.rest.starts_with("[:") {
            return Ok(false);
        }
        let Some(end) = self.rest.get(2..).and_then(|rest| rest.find(":]")) else {
            return Ok(false);
        };
        let class = self.rest.get(..end + 4).unwrap_or("");
        let name = class
            .trim_start_matches("[:")
            .trim_start_matches('^')
            .trim_end_matches(":]");
        if !NAMES.contains(&name) {
            return Err(error("invalid character class range", class));
        }
        self.out.push_str(class);
        self.skip(class.len());
        Ok(true)
    }

    /// A class within a class: `\d`, `\pL`.
    fn class_escape(&mut self) -> Result<bool> {
        let start = self.rest;
        let mut chars = self.rest.chars();
        if chars.next() != Some('\\') {
            return Ok(false);
        }
        let Some(c) = chars.next() else { return Ok(false) };
        if let Some((class, negated)) = perl_class(c) {
            self.out.push_str(if negated { "[^" } else { "[" });
            self.out.push_str(class);
            self.out.push(']');
            self.skip(2);
            return Ok(true);
        }
        if matches!(c, 'p' | 'P') {
            self.skip(2);
            self.unicode_class(c, start)?;
            return Ok(true);
        }
        Ok(false)
    }

    fn class_char(&mut self, class: &str) -> Result<char> {
        let start = self.rest;
        match self.next() {
            None => Err(error("missing closing ]", class)),
            Some('\\') => match self.next() {
                None => Err(error("trailing backslash at end of expression", "")),
                Some(c) => self.escaped_char(c, start),
            },
            Some(c) => Ok(c),
        }
    }

    /// A character, or two with a hyphen between.
    fn class_range(&mut self, class: &str) -> Result<()> {
        let start = self.rest;
        let low = self.class_char(class)?;
        let is_range = self.rest.starts_with('-') && !self.rest.starts_with("-]") && self.rest.len() > 1;
        push_literal(&mut self.out, low);
        if !is_range {
            return Ok(());
        }
        self.next();
        let high = self.class_char(class)?;
        if high < low {
            let range = start.get(..start.len() - self.rest.len()).unwrap_or(start);
            return Err(error("invalid character class range", range));
        }
        self.out.push('-');
        push_literal(&mut self.out, high);
        Ok(())
    }
}
