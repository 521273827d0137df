//! Regular expressions as Go's `regexp` reads them, bounded in size; a plain text needs none.

use alloc::format;
use alloc::string::{String, ToString as _};

use regex_automata::meta::{Config, Regex};
use regex_automata::util::syntax;

use crate::meter::Meter;

/// The most bytes of a pattern, and of what it is compiled to.
const MAX_PATTERN: usize = 4 << 10;
const MAX_COMPILED: usize = 256 << 10;

/// Bytes of a compiled pattern that one step looks at.
const MEMORY_OF_STEP: usize = 4 << 10;

/// A pattern.
#[derive(Debug)]
pub(crate) enum Pattern {
    /// A text without any character that is special: matches itself (`true`), or whatever holds it.
    Literal(String, bool),
    Regex(alloc::boxed::Box<Regex>),
}

/// Whether nothing in `text` is special in a pattern.
pub(crate) fn is_literal(text: &str) -> bool {
    !text.contains(['\\', '.', '+', '*', '?', '(', ')', '|', '[', ']', '{', '}', '^', '$'])
}

/// The most repetitions that Go counts.
const MAX_REPEAT: usize = 1_000;

/// A pattern of Go in the syntax of our engine: a brace that counts nothing is itself, and so is what only our engine gives
/// a meaning to in a class.
fn translated(pattern: &str) -> Result<String, String> {
    let mut out = String::with_capacity(pattern.len() + 8);
    let mut in_class = false;
    let mut chars = pattern.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some((_, next @ ('<' | '>'))) => out.push(next),
                Some((_, next)) => out.extend(['\\', next]),
                None => out.push('\\'),
            },
            '[' if !in_class => {
                in_class = true;
                out.push('[');
                // A bracket at the beginning closes nothing.
                for first in ["^]", "]", "^"] {
                    if pattern[at + 1..].starts_with(first) {
                        out.push_str(if first == "^" { "^" } else { first.trim_end_matches(']') });
                        if first.ends_with(']') {
                            out.push_str("\\]");
                        }
                        for _ in 0..first.len() {
                            chars.next();
                        }
                        break;
                    }
                }
            }
            '[' if !pattern[at + 1..].starts_with(':') => out.push_str("\\["),
            ']' => {
                // `[:alpha:]` is a part of a class.
                in_class &= pattern[..at].ends_with(':') && pattern[..at].contains("[:");
                out.push(']');
            }
            '&' | '~' if in_class => out.extend(['\\', c]),
            '{' if !in_class => match counted(&pattern[at + 1..]) {
                None => out.push_str("\\{"),
                Some(most) if most > MAX_REPEAT => {
                    return Err(format!("`{pattern}` repeats more than {MAX_REPEAT} times"));
                }
                Some(_) => out.push('{'),
            },
            c => out.push(c),
        }
    }
    Ok(out)
}

/// The greatest number in `n}`, `n,}` or `n,m}`, if `text` begins with one of them.
fn counted(text: &str) -> Option<usize> {
    let (inner, _) = text.split_once('}')?;
    let (least, most) = inner.split_once(',').unwrap_or((inner, ""));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    (is_number(least) && (most.is_empty() || is_number(most))).then(|| {
        let number = |text: &str| text.parse().unwrap_or(if text.is_empty() { 0 } else { usize::MAX });
        number(least).max(number(most))
    })
}

impl Pattern {
    /// A pattern that the whole text must match.
    pub(crate) fn anchored(pattern: &str) -> Result<Self, String> {
        if is_literal(pattern) {
            return Ok(Self::Literal(pattern.to_string(), true));
        }
        Self::regex(pattern, &format!("^(?:{})$", translated(pattern)?))
    }

    /// A pattern that something in the text must match.
    pub(crate) fn anywhere(pattern: &str) -> Result<Self, String> {
        if is_literal(pattern) {
            return Ok(Self::Literal(pattern.to_string(), false));
        }
        Self::regex(pattern, &translated(pattern)?)
    }

    fn regex(shown: &str, pattern: &str) -> Result<Self, String> {
        if pattern.len() > MAX_PATTERN {
            return Err(format!("a pattern passes the limit of {MAX_PATTERN} bytes"));
        }
        let config = Config::new().nfa_size_limit(Some(MAX_COMPILED)).utf8_empty(false);
        Regex::builder()
            .configure(config)
            .syntax(syntax::Config::new().unicode(false).utf8(false).nest_limit(100))
            .build(pattern)
            .map(|regex| Self::Regex(alloc::boxed::Box::new(regex)))
            .map_err(|error| match error.size_limit() {
                Some(limit) => format!("the pattern `{shown}` passes the limit of {limit} bytes when it is compiled"),
                None => format!("`{shown}` is no regular expression"),
            })
    }

    /// Whether `text` matches. A search takes time in proportion to the text times the pattern; without steps for it,
    /// nothing matches, and the meter knows why.
    pub(crate) fn is_match(&self, text: &str, meter: &Meter) -> bool {
        match self {
            Self::Literal(literal, true) => literal == text,
            Self::Literal(literal, false) => meter.step(1 + text.len() / 64).is_ok() && text.contains(&**literal),
            Self::Regex(regex) => {
                let size = regex.memory_usage() / MEMORY_OF_STEP;
                let steps = 1 + text.len().saturating_mul(1 + size) / 8;
                meter.step(steps).is_ok() && regex.is_match(text)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_mean_what_they_mean_in_go() {
        for (pattern, expect) in [
            (r"\${NAME}", Some(r"\$\{NAME}")),
            ("a{2}b{1,}c{1,3}", Some("a{2}b{1,}c{1,3}")),
            ("a{,2}", Some(r"a\{,2}")),
            ("[[a&&b]", Some(r"[\[a\&\&b]")),
            ("[]a]", Some(r"[\]a]")),
            ("[^]a]", Some(r"[^\]a]")),
            ("[[:alpha:]x]", Some("[[:alpha:]x]")),
            (r"\<a\>", Some("<a>")),
            ("a{1001}", None),
        ] {
            assert_eq!(translated(pattern).ok().as_deref(), expect, "{pattern}");
        }
    }
}
