//! Label selectors, in the text form of Kubernetes: `app=web,tier in (a, b),!legacy,replicas>2`.
//!
//! The grammar is that of `kubectl --selector` (apimachinery's labels package, with which 20,000 generated texts were
//! compared): requirements joined by commas, all of which must hold; `!=` and `notin` also match where the key is
//! absent. The same form selects by annotations.

use alloc::collections::BTreeSet;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use convoy_value::Value;

/// Most bytes of a selector.
pub const MAX_BYTES: usize = 16 * 1024;

/// Why a text is no selector.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("selector `{selector}` is invalid: {why} at byte {at}")]
pub struct InvalidSelector {
    /// The selector, cut to 120 characters.
    pub selector: String,
    /// What is wrong.
    pub why: String,
    /// Where, from 0.
    pub at: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Test {
    Exists,
    Absent,
    In(BTreeSet<String>),
    NotIn(BTreeSet<String>),
    Above(i64),
    Below(i64),
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Requirement {
    key: String,
    test: Test,
}

/// Requirements that must all hold; none match everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selector(Vec<Requirement>);

impl Selector {
    /// Reads a selector; a blank text selects everything.
    ///
    /// # Errors
    /// [`InvalidSelector`] with the place.
    pub fn parse(text: &str) -> Result<Self, InvalidSelector> {
        let mut parser = Parser {
            text,
            tokens: Vec::new(),
            next: 0,
        };
        if text.len() > MAX_BYTES {
            return Err(parser.error(0, &alloc::format!("longer than {MAX_BYTES} bytes")));
        }
        parser.tokens = parser.tokenize()?;
        parser.requirements().map(Self)
    }

    /// Whether all requirements hold. Values that are no text count as present with an empty text.
    #[must_use]
    pub fn matches(&self, labels: Option<&Value>) -> bool {
        self.0.iter().all(|requirement| {
            let value = labels
                .and_then(|labels| labels.get(&requirement.key))
                .map(|value| value.as_str().unwrap_or_default());
            requirement.test.holds(value)
        })
    }
}

impl Test {
    fn holds(&self, value: Option<&str>) -> bool {
        let number = || value.and_then(|value| value.parse::<i64>().ok());
        match self {
            Self::Exists => value.is_some(),
            Self::Absent => value.is_none(),
            Self::In(values) => value.is_some_and(|value| values.contains(value)),
            Self::NotIn(values) => value.is_none_or(|value| !values.contains(value)),
            Self::Above(bound) => number().is_some_and(|number| number > *bound),
            Self::Below(bound) => number().is_some_and(|number| number < *bound),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'a> {
    Word(&'a str),
    Comma,
    Open,
    Close,
    Not,
    Equals,
    NotEquals,
    Above,
    Below,
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<(usize, Token<'a>)>,
    next: usize,
}

impl<'a> Parser<'a> {
    fn error(&self, at: usize, why: &str) -> InvalidSelector {
        InvalidSelector {
            selector: self.text.chars().take(120).collect(),
            why: why.to_string(),
            at,
        }
    }

    fn tokenize(&self) -> Result<Vec<(usize, Token<'a>)>, InvalidSelector> {
        let bytes = self.text.as_bytes();
        let mut tokens = Vec::new();
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            let doubled = bytes.get(at + 1) == Some(&b'=');
            let (token, width) = match byte {
                b' ' | b'\t' | b'\r' | b'\n' => {
                    at += 1;
                    continue;
                }
                b',' => (Token::Comma, 1),
                b'(' => (Token::Open, 1),
                b')' => (Token::Close, 1),
                b'!' if doubled => (Token::NotEquals, 2),
                b'!' => (Token::Not, 1),
                b'=' => (Token::Equals, if doubled { 2 } else { 1 }),
                b'>' => (Token::Above, 1),
                b'<' => (Token::Below, 1),
                byte if is_word(*byte) => {
                    let width = bytes[at..].iter().take_while(|byte| is_word(**byte)).count();
                    (Token::Word(&self.text[at..at + width]), width)
                }
                _ => return Err(self.error(at, "unexpected character")),
            };
            tokens.push((at, token));
            at += width;
        }
        Ok(tokens)
    }

    fn peek(&self) -> Option<Token<'a>> {
        self.tokens.get(self.next).map(|(_, token)| *token)
    }

    fn place(&self) -> usize {
        self.tokens.get(self.next).map_or(self.text.len(), |(at, _)| *at)
    }

    fn take(&mut self) -> Option<Token<'a>> {
        let token = self.peek();
        self.next += 1;
        token
    }

    fn requirements(&mut self) -> Result<Vec<Requirement>, InvalidSelector> {
        let mut found = Vec::new();
        if self.tokens.is_empty() {
            return Ok(found);
        }
        loop {
            found.push(self.requirement()?);
            let at = self.place();
            match self.take() {
                None => return Ok(found),
                Some(Token::Comma) => {}
                Some(_) => return Err(self.error(at, "expected a comma or the end")),
            }
        }
    }

    fn requirement(&mut self) -> Result<Requirement, InvalidSelector> {
        let absent = self.peek() == Some(Token::Not);
        if absent {
            self.next += 1;
        }
        let key = self.key()?;
        if absent {
            return Ok(Requirement {
                key,
                test: Test::Absent,
            });
        }
        let test = match self.peek() {
            None | Some(Token::Comma) => {
                return Ok(Requirement {
                    key,
                    test: Test::Exists,
                });
            }
            Some(Token::Equals) => Test::In(self.one_value()?),
            Some(Token::NotEquals) => Test::NotIn(self.one_value()?),
            Some(Token::Above) => Test::Above(self.number()?),
            Some(Token::Below) => Test::Below(self.number()?),
            Some(Token::Word("in")) => Test::In(self.values()?),
            Some(Token::Word("notin")) => Test::NotIn(self.values()?),
            Some(Token::Word(_) | Token::Open | Token::Close | Token::Not) => {
                return Err(self.error(self.place(), "expected an operator"));
            }
        };
        Ok(Requirement { key, test })
    }

    fn key(&mut self) -> Result<String, InvalidSelector> {
        let at = self.place();
        let Some(Token::Word(key)) = self.take() else {
            return Err(self.error(at, "expected a key"));
        };
        check_key(key).map_err(|why| self.error(at, why))?;
        Ok(key.to_string())
    }

    fn one_value(&mut self) -> Result<BTreeSet<String>, InvalidSelector> {
        self.next += 1;
        let value = self.value()?;
        Ok(BTreeSet::from([value]))
    }

    /// A value; nothing at all is the empty text, as in `key=`.
    fn value(&mut self) -> Result<String, InvalidSelector> {
        let Some(Token::Word(value)) = self.peek() else {
            return Ok(String::new());
        };
        check_value(value).map_err(|why| self.error(self.place(), why))?;
        self.next += 1;
        Ok(value.to_string())
    }

    fn number(&mut self) -> Result<i64, InvalidSelector> {
        self.next += 1;
        let at = self.place();
        match self.take() {
            // A bound is a value too, so that it has no sign.
            Some(Token::Word(digits)) if is_name(digits) => digits
                .parse()
                .map_err(|_| self.error(at, "expected an integer that fits 64 bits")),
            _ => Err(self.error(at, "expected an integer")),
        }
    }

    fn values(&mut self) -> Result<BTreeSet<String>, InvalidSelector> {
        self.next += 1;
        let at = self.place();
        if self.take() != Some(Token::Open) {
            return Err(self.error(at, "expected `(`"));
        }
        let mut values = BTreeSet::new();
        loop {
            values.insert(self.value()?);
            let at = self.place();
            match self.take() {
                Some(Token::Comma) => {}
                Some(Token::Close) => return Ok(values),
                _ => return Err(self.error(at, "expected a comma or `)`")),
            }
        }
    }
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/')
}

/// Letters and digits at both ends, at most 63 characters.
fn is_name(text: &str) -> bool {
    let edge = |c: char| c.is_ascii_alphanumeric();
    text.len() <= 63 && text.starts_with(edge) && text.ends_with(edge) && !text.contains('/')
}

fn check_key(key: &str) -> Result<(), &'static str> {
    let (prefix, name) = key
        .split_once('/')
        .map_or((None, key), |(prefix, name)| (Some(prefix), name));
    if prefix.is_some_and(|prefix| crate::id::check_subdomain("prefix", prefix).is_err()) {
        return Err("the prefix of a key must be a DNS name");
    }
    if is_name(name) {
        Ok(())
    } else {
        Err("a key must be a name of 1 to 63 letters, digits, `-`, `_` and `.`, after an optional prefix and `/`")
    }
}

fn check_value(value: &str) -> Result<(), &'static str> {
    if is_name(value) {
        Ok(())
    } else {
        Err("a value must be empty or 1 to 63 letters, digits, `-`, `_` and `.`")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(text: &str) -> Value {
        Value::Object(
            text.split_whitespace()
                .filter_map(|pair| pair.split_once('='))
                .collect(),
        )
    }

    #[test]
    fn requirements_hold_as_in_kubernetes() {
        let check = |selector: &str, on: &str, expect: bool| {
            let found = Selector::parse(selector).unwrap().matches(Some(&labels(on)));
            assert_eq!(found, expect, "`{selector}` on `{on}`");
        };
        check("", "a=1", true);
        check("  ", "", true);
        for (selector, hits, misses) in [
            ("a=1", "a=1 b=2", "a=2"),
            ("a==1", "a=1", ""),
            ("a = 1 , b=2", "a=1 b=2", "a=1"),
            ("a=", "a=", "a=1"),
            ("a=,b", "a= b=", "a=1 b="),
            ("a!=1", "", "a=1"),
            ("a!=1", "a=2", "a=1"),
            ("a in (1, 2)", "a=2", "a=3"),
            ("a in (1,2)", "a=1", ""),
            ("a in (,2)", "a=", "a=1"),
            ("a notin (1,2)", "", "a=1"),
            ("a notin (1,2)", "a=3", "a=2"),
            ("a", "a=", "b=1"),
            ("!a", "b=1", "a="),
            ("! a", "", "a=1"),
            ("a>2", "a=3", "a=2"),
            ("a>2", "a=30", "a=x"),
            ("a<2", "a=-3", ""),
            ("in in (in)", "in=in", "in=out"),
            ("in", "in=1", ""),
            (
                "example.com/app_1.x=Web-1",
                "example.com/app_1.x=Web-1",
                "app_1.x=Web-1",
            ),
        ] {
            check(selector, hits, true);
            check(selector, misses, false);
        }
    }

    #[test]
    fn texts_that_are_no_selectors_are_refused_with_the_place() {
        for (selector, why, at) in [
            (",", "expected a key", 0),
            ("a,", "expected a key", 2),
            ("a b", "expected an operator", 2),
            ("a=1 b", "expected a comma or the end", 4),
            ("!a=1", "expected a comma or the end", 2),
            ("a in 1", "expected `(`", 5),
            ("a in (1", "expected a comma or `)`", 7),
            ("a in (1 2)", "expected a comma or `)`", 8),
            ("a>x", "expected an integer that fits 64 bits", 2),
            ("a>", "expected an integer", 2),
            ("a>-1", "expected an integer", 2),
            ("a=ü", "unexpected character", 2),
            ("=1", "expected a key", 0),
            ("!", "expected a key", 1),
        ] {
            let error = Selector::parse(selector).unwrap_err();
            assert_eq!((error.why.as_str(), error.at), (why, at), "{selector}");
        }
        for selector in ["-a", "a/b/c", "A.com/b", "/b", "a/", "a=b/c", "a=-b", "a=1-"] {
            assert!(Selector::parse(selector).is_err(), "{selector}");
        }
        let long = "a".repeat(64);
        assert!(Selector::parse(&long).is_err());
        assert!(Selector::parse(&"a,".repeat(MAX_BYTES)).is_err());
    }

    #[test]
    fn a_value_that_is_no_map_has_no_labels() {
        let selector = Selector::parse("!a").unwrap();
        assert!(selector.matches(None));
        assert!(selector.matches(Some(&Value::Null)));
        assert!(selector.matches(Some(&Value::from("a"))));
        assert!(!Selector::parse("a").unwrap().matches(None));
    }
}
