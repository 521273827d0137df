//! How a scalar is written: which style it may have, and each style's text.

use alloc::string::String;

use super::writer::{Place, WIDTH, Writer};
use crate::yaml::error::Dialect;
use crate::yaml::resolve::{self, Resolved};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    SingleQuoted,
    DoubleQuoted,
    Literal,
}

/// What the text of a scalar allows.
#[expect(clippy::struct_excessive_bools, reason = "four answers about one text")]
#[derive(Clone, Copy, Debug)]
struct Analysis {
    multiline: bool,
    plain: bool,
    single_quoted: bool,
    block: bool,
}

/// Whether a line break stands in `text`.
pub(super) fn is_multiline(text: &str) -> bool {
    text.contains(is_break)
}

pub(super) fn is_break(c: char) -> bool {
    matches!(c, '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// libyaml's idea of what can stand unescaped; characters beyond 16 bits cannot.
pub(super) fn is_printable(c: char) -> bool {
    matches!(c, '\n' | ' '..='~' | '\u{a0}'..='\u{fefe}' | '\u{ff00}'..='\u{fffd}')
}

/// The style of the string `text`: plain if it reads back as text, a literal block if it has line breaks.
pub(super) fn style(text: &str, simple_key: bool) -> Style {
    let wanted = if text.contains('\n') {
        Style::Literal
    } else if resolve::plain(text, Dialect::Helm) == Resolved::Str && !is_base60(text) {
        Style::Plain
    } else {
        return Style::DoubleQuoted;
    };
    let allowed = analyze(text);
    if simple_key && allowed.multiline {
        return Style::DoubleQuoted;
    }
    match wanted {
        Style::Plain if allowed.plain => Style::Plain,
        Style::Plain if allowed.single_quoted => Style::SingleQuoted,
        Style::Literal if allowed.block && !simple_key => Style::Literal,
        Style::Plain | Style::SingleQuoted | Style::DoubleQuoted | Style::Literal => Style::DoubleQuoted,
    }
}

/// Whether the text is a number in base 60, which other readers of YAML 1.1 know.
pub(super) fn is_base60(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let whole = unsigned.split_once('.').map_or(unsigned, |(whole, _)| whole);
    let fraction = &unsigned[whole.len()..];
    let mut parts = whole.split(':');
    let first = parts.next().unwrap_or_default();
    let mut count = 0;
    let sixties = parts.all(|part| {
        count += 1;
        matches!(part.as_bytes(), [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9'])
    });
    sixties
        && count > 0
        && first.starts_with(|c: char| c.is_ascii_digit())
        && first.bytes().all(|b| b.is_ascii_digit() || b == b'_')
        && fraction.bytes().skip(1).all(|b| b.is_ascii_digit() || b == b'_')
}

fn analyze(text: &str) -> Analysis {
    let mut block_indicators = text.starts_with("---") || text.starts_with("...");
    let (mut line_breaks, mut special, mut break_space, mut space_break) = (false, false, false, false);
    let (mut previous_space, mut previous_break, mut previous_blank) = (false, false, true);
    let mut chars = text.chars().peekable();
    let mut first = true;
    while let Some(c) = chars.next() {
        let blank_follows = chars.peek().is_none_or(|next| matches!(next, ' ' | '\t'));
        block_indicators |= match c {
            '#' => first || previous_blank,
            ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@' | '`' => first,
            '?' | '-' => first && blank_follows,
            ':' => blank_follows,
            _ => false,
        };
        special |= !is_printable(c);
        let breaks = is_break(c);
        if c == ' ' {
            break_space |= previous_break;
        } else if breaks {
            line_breaks = true;
            space_break |= previous_space;
        }
        previous_space = c == ' ';
        previous_break = breaks;
        previous_blank = breaks || matches!(c, ' ' | '\t' | '\0');
        first = false;
    }
    let edge = |c: char| c == ' ' || is_break(c);
    let escapes = space_break || special;
    Analysis {
        multiline: line_breaks,
        plain: !(text.starts_with(edge)
            || text.ends_with(edge)
            || break_space
            || escapes
            || line_breaks
            || block_indicators),
        single_quoted: !(break_space || escapes),
        block: !(text.ends_with(' ') || escapes),
    }
}

impl<C> Writer<C> {
    pub(super) fn write_scalar(&mut self, text: &str, style: Style, place: Place) {
        let fold = place != Place::SimpleKey;
        match style {
            Style::Plain => self.write_plain(text, fold),
            Style::SingleQuoted => self.write_single_quoted(text, fold),
            Style::DoubleQuoted => self.write_double_quoted(text, fold),
            Style::Literal => self.write_literal(text),
        }
    }

    fn write_plain(&mut self, text: &str, fold: bool) {
        if !self.whitespace {
            self.put(' ');
        }
        let budget = (WIDTH + 1).saturating_sub(self.column);
        if text.is_ascii() && (!fold || text.len() <= budget) {
            self.out.push_str(text);
            self.column += text.len();
        } else {
            let mut spaces = false;
            let mut chars = text.chars().peekable();
            while let Some(c) = chars.next() {
                if c == ' ' && fold && !spaces && self.column > WIDTH && chars.peek() != Some(&' ') {
                    self.line(self.scalar_indent);
                } else {
                    self.put(c);
                    self.indention &= c == ' ';
                }
                spaces = c == ' ';
            }
        }
        self.whitespace = false;
        self.indention = false;
    }

    fn write_single_quoted(&mut self, text: &str, fold: bool) {
        self.indicator("'", true, false, false);
        let (mut spaces, mut breaks) = (false, false);
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let next = chars.peek().map(|(_, c)| *c);
            if c == ' ' {
                let foldable = fold && !spaces && self.column > WIDTH && at > 0 && next.is_some_and(|c| c != ' ');
                if foldable {
                    self.line(self.scalar_indent);
                } else {
                    self.put(c);
                }
                spaces = true;
            } else if is_break(c) {
                if !breaks && c == '\n' {
                    self.line_break();
                }
                self.out.push(c);
                self.column = 0;
                self.indention = true;
                breaks = true;
            } else {
                if breaks {
                    self.line(self.scalar_indent);
                }
                if c == '\'' {
                    self.put('\'');
                }
                self.put(c);
                self.indention = false;
                spaces = false;
                breaks = false;
            }
        }
        self.indicator("'", false, false, false);
    }

    fn write_double_quoted(&mut self, text: &str, fold: bool) {
        self.indicator("\"", true, false, false);
        // libyaml's test for a byte order mark looks at the beginning of the text whatever the place.
        let mark = text.starts_with('\u{feff}');
        let mut spaces = false;
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            if mark || !is_printable(c) || is_break(c) || c == '"' || c == '\\' {
                self.escape(c);
                spaces = false;
            } else if c == ' ' {
                let next = chars.peek().map(|(_, c)| *c);
                if fold && !spaces && self.column > WIDTH && at > 0 && next.is_some() {
                    self.line(self.scalar_indent);
                    if next == Some(' ') {
                        self.put('\\');
                    }
                } else {
                    self.put(c);
                }
                spaces = true;
            } else {
                self.put(c);
                spaces = false;
            }
        }
        self.indicator("\"", false, false, false);
    }

    fn escape(&mut self, c: char) {
        let before = self.out.len();
        push_escape(&mut self.out, c);
        self.column += self.out.len() - before;
    }

    fn write_literal(&mut self, text: &str) {
        self.indicator("|", true, false, false);
        if text.starts_with(|c| c == ' ' || is_break(c)) {
            self.indicator("2", false, false, false);
        }
        let mut ends = text.chars().rev().map(is_break);
        match (ends.next(), ends.next()) {
            (None | Some(false), _) => self.indicator("-", false, false, false),
            (Some(true), None | Some(true)) => self.indicator("+", false, false, false),
            (Some(true), Some(false)) => {}
        }
        self.line_break();
        self.indention = true;
        self.whitespace = true;
        let mut breaks = true;
        for c in text.chars() {
            if is_break(c) {
                self.out.push(c);
                self.column = 0;
                self.indention = true;
                breaks = true;
            } else {
                if breaks {
                    self.line(self.scalar_indent);
                }
                self.put(c);
                self.indention = false;
                breaks = false;
            }
        }
    }
}

/// The escape of `c` in a double-quoted scalar.
pub(super) fn push_escape(out: &mut String, c: char) {
    out.push('\\');
    let short = match c {
        '\0' => '0',
        '\u{7}' => 'a',
        '\u{8}' => 'b',
        '\t' => 't',
        '\n' => 'n',
        '\u{b}' => 'v',
        '\u{c}' => 'f',
        '\r' => 'r',
        '\u{1b}' => 'e',
        '"' => '"',
        '\\' => '\\',
        '\u{85}' => 'N',
        '\u{a0}' => '_',
        '\u{2028}' => 'L',
        '\u{2029}' => 'P',
        _ => {
            let (letter, digits) = match u32::from(c) {
                0..=0xFF => ('x', 2),
                0x100..=0xFFFF => ('u', 4),
                _ => ('U', 8),
            };
            out.push(letter);
            for place in (0..digits).rev() {
                let digit = char::from_digit(u32::from(c) >> (4 * place) & 15, 16).unwrap_or('0');
                out.push(digit.to_ascii_uppercase());
            }
            return;
        }
    };
    out.push(short);
}
