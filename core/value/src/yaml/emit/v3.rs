//! Scalars and the order of keys as yaml.v3 writes them, for those who write the structure themselves.
//!
//! Other than yaml.v2 it folds nothing, knows fewer booleans but quotes what v2 would read as one, lets tabs stand in
//! blocks, and puts letters before other characters where digits are in front of them.

use alloc::string::String;
use alloc::vec::Vec;

use super::letters::{is_digit, is_letter};
use super::order::merge_sort;
use super::scalar::{is_base60, is_break, is_printable, push_escape};
use crate::yaml::error::Dialect;
use crate::yaml::resolve::{self, Resolved};

/// The longest key, in bytes, that is written in front of its `:`.
const MAX_SIMPLE_KEY: usize = 128;

/// Whether yaml.v3 writes the key `text` in front of its `:`, and not behind a `?`.
#[must_use]
pub fn is_simple_key(text: &str) -> bool {
    text.len() <= MAX_SIMPLE_KEY && !text.contains(is_break)
}

/// The places of a mapping's keys in the order in which it is written.
#[must_use]
pub fn order<K: AsRef<str>>(keys: &[K]) -> Vec<usize> {
    merge_sort((0..keys.len()).collect(), |a, b| {
        less(keys[a].as_ref(), keys[b].as_ref())
    })
}

/// The string `text`; further lines of it are indented by `indent` spaces. A key that is [simple](is_simple_key) stands
/// on one line.
pub fn push_text(out: &mut String, text: &str, indent: usize, simple_key: bool) {
    if is_text(text) {
        push_styled(out, text, indent, simple_key);
    } else if text.contains('\n') && !simple_key {
        push_literal_or_quoted(out, text, indent);
    } else {
        push_double_quoted(out, text);
    }
}

/// The scalar `text` under a tag that says what it is, so that its looks do not matter.
pub fn push_tagged(out: &mut String, tag: &str, text: &str, indent: usize) {
    out.push_str(tag);
    out.push(' ');
    push_styled(out, text, indent, false);
}

/// Whether a plain `text` is read as a string, by yaml.v2 too.
fn is_text(text: &str) -> bool {
    let old_bool = matches!(
        text,
        "y" | "Y" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" | "n" | "N" | "no" | "No" | "NO" | "off" | "Off" | "OFF"
    );
    !old_bool && resolve::plain(text, Dialect::Kustomize) == Resolved::Str && !is_base60(text)
}

fn push_styled(out: &mut String, text: &str, indent: usize, simple_key: bool) {
    if text.contains('\n') && !simple_key {
        return push_literal_or_quoted(out, text, indent);
    }
    let allowed = analyze(text);
    if allowed.plain {
        out.push_str(text);
    } else if allowed.single_quoted {
        push_single_quoted(out, text, indent);
    } else {
        push_double_quoted(out, text);
    }
}

fn push_literal_or_quoted(out: &mut String, text: &str, indent: usize) {
    if analyze(text).block {
        push_literal(out, text, indent);
    } else {
        push_double_quoted(out, text);
    }
}

/// Which styles a text allows, line breaks aside.
#[derive(Clone, Copy, Debug)]
struct Allowed {
    plain: bool,
    single_quoted: bool,
    block: bool,
}

fn analyze(text: &str) -> Allowed {
    let mut indicators = text.starts_with("---") || text.starts_with("...");
    let (mut tabs, mut special, mut break_space, mut space_break) = (false, false, false, false);
    let (mut previous_space, mut previous_break, mut previous_blank) = (false, false, true);
    let mut first = true;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let blank_follows = chars.peek().is_none_or(|next| matches!(next, ' ' | '\t'));
        indicators |= match c {
            '#' => first || previous_blank,
            ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@' | '`' => first,
            '?' | '-' => first && blank_follows,
            ':' => blank_follows,
            _ => false,
        };
        tabs |= c == '\t';
        special |= c != '\t' && !is_printable(c);
        let breaks = is_break(c);
        break_space |= c == ' ' && previous_break;
        space_break |= breaks && previous_space;
        previous_space = c == ' ';
        previous_break = breaks;
        previous_blank = breaks || matches!(c, ' ' | '\t' | '\0');
        first = false;
    }
    let edge = |c: char| c == ' ' || is_break(c);
    let quotable = !(break_space || space_break || tabs || special);
    Allowed {
        plain: quotable
            && !(text.is_empty() || text.starts_with(edge) || text.ends_with(edge))
            && !(indicators || text.contains(is_break)),
        single_quoted: quotable,
        block: !(text.ends_with(' ') || space_break || special),
    }
}

fn push_single_quoted(out: &mut String, text: &str, indent: usize) {
    out.push('\'');
    let mut breaks = false;
    for c in text.chars() {
        if is_break(c) {
            if !breaks && c == '\n' {
                out.push('\n');
            }
            out.push(c);
            breaks = true;
            continue;
        }
        if breaks {
            // The break itself has begun the line.
            out.extend(core::iter::repeat_n(' ', indent));
        }
        if c == '\'' {
            out.push('\'');
        }
        out.push(c);
        breaks = false;
    }
    out.push('\'');
}

fn push_double_quoted(out: &mut String, text: &str) {
    // The library looks for a byte order mark at the beginning of the text whatever the place.
    let mark = text.starts_with('\u{feff}');
    out.push('"');
    for c in text.chars() {
        if mark || !is_printable(c) || is_break(c) || c == '"' || c == '\\' {
            push_escape(out, c);
        } else {
            out.push(c);
        }
    }
    out.push('"');
}

fn push_literal(out: &mut String, text: &str, indent: usize) {
    out.push('|');
    if text.starts_with(|c| c == ' ' || is_break(c)) {
        out.push('2');
    }
    let mut ends = text.chars().rev().map(is_break);
    match (ends.next(), ends.next()) {
        (None | Some(false), _) => out.push('-'),
        (Some(true), None | Some(true)) => out.push('+'),
        (Some(true), Some(false)) => {}
    }
    let mut breaks = true;
    out.push('\n');
    for c in text.chars() {
        if is_break(c) {
            out.push(c);
            breaks = true;
            continue;
        }
        if breaks {
            out.extend(core::iter::repeat_n(' ', indent));
        }
        out.push(c);
        breaks = false;
    }
    // What follows begins a line of its own.
    if breaks && out.ends_with('\n') {
        out.pop();
    }
}

/// Whether key `a` comes before key `b`.
fn less(a: &str, b: &str) -> bool {
    let mut digits = false;
    let mut in_front = a.char_indices().zip(b.chars());
    let Some(((at, x), y)) = in_front.find(|((_, x), y)| {
        digits = if x == y { is_digit(*x) } else { digits };
        x != y
    }) else {
        return a.chars().count() < b.chars().count();
    };
    match (is_letter(x), is_letter(y)) {
        (true, true) => return x < y,
        (true, false) => return digits,
        (false, true) => return !digits,
        (false, false) => {}
    }
    let (head, a, b) = (&a[..at], &a[at..], &b[at..]);
    // A zero at the difference counts only behind other digits.
    let in_number = head.chars().rev().take_while(|c| is_digit(*c)).any(|c| c != '0');
    let start = i64::from((x == '0' || y == '0') && in_number);
    let (a_number, a_digits) = super::order::number(start, a);
    let (b_number, b_digits) = super::order::number(start, b);
    (a_number, a_digits, x) < (b_number, b_digits, y)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_written_as_v3_writes_them() {
        let check = |text: &str, expect: &str| {
            let mut out = String::new();
            push_text(&mut out, text, 2, false);
            assert_eq!(out, expect, "{text:?}");
        };
        check("plain text", "plain text");
        check("", "\"\"");
        check("on", "\"on\"");
        check("true", "\"true\"");
        check("2020-01-02", "\"2020-01-02\"");
        check("12:30:45", "\"12:30:45\"");
        check("- a", "'- a'");
        check("it's: x", "'it''s: x'");
        check("a\tb", "\"a\\tb\"");
        check("a\n\tb\n", "|\n  a\n  \tb");
        check("a\n\nb", "|-\n  a\n\n  b");
        check(" a\n", "|2\n   a");
        check("a\n\n", "|+\n  a\n");
        check("a \nb", "\"a \\nb\"");
        check(&"word ".repeat(40), &alloc::format!("'{}'", "word ".repeat(40)));
    }

    #[test]
    fn letters_come_first_behind_digits_only() {
        let check = |keys: &[&str], expect: &[usize]| assert_eq!(order(keys), expect, "{keys:?}");
        check(&["a1-", "a1b"], &[1, 0]);
        check(&["ab", "a-"], &[1, 0]);
        check(&["a10", "a02", "a2", "a"], &[3, 2, 1, 0]);
        check(&["b", "A", "é", ""], &[3, 1, 0, 2]);
    }
}
