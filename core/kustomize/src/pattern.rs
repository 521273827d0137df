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

impl Pattern {
    /// A pattern that the whole text must match.
    pub(crate) fn anchored(pattern: &str) -> Result<Self, String> {
        if is_literal(pattern) {
            return Ok(Self::Literal(pattern.to_string(), true));
        }
        Self::regex(pattern, &format!("^(?:{pattern})$"))
    }

    /// A pattern that something in the text must match.
    pub(crate) fn anywhere(pattern: &str) -> Result<Self, String> {
        if is_literal(pattern) {
            return Ok(Self::Literal(pattern.to_string(), false));
        }
        Self::regex(pattern, pattern)
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
