//! Globs of `.Files.Glob`, with the rules of gobwas/glob and `/` as separator.
//!
//! `*` and `?` stop at slashes, `**` does not; `[abc]`, `[!a-z]`, `{a,b}` and escapes. A pattern that cannot be read
//! matches everything, because that is what Helm falls back to.

use alloc::string::String;
use alloc::vec::Vec;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    /// Anything without a slash.
    Any,
    /// Anything.
    Super,
    /// One character, no slash.
    Single,
    /// One of these characters, or none of them.
    List(Vec<char>, bool),
    /// One character between these, or none such.
    Range(char, char, bool),
    /// One of several sequences.
    Choice(Vec<Vec<Part>>),
}

/// A compiled pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Glob {
    parts: Vec<Part>,
}

/// Braces within braces.
const DEPTH: usize = 32;

impl Glob {
    pub(crate) fn new(pattern: &str) -> Self {
        let chars: Vec<char> = pattern.chars().collect();
        let mut reader = Reader { chars: &chars, at: 0 };
        let parts = reader.sequence(0).unwrap_or_else(|| [Part::Super].into());
        Self { parts }
    }

    pub(crate) fn matches(&self, name: &str) -> bool {
        let name: Vec<char> = name.chars().collect();
        let mut from = alloc::vec![false; name.len() + 1];
        from[0] = true;
        run(&self.parts, &name, from)[name.len()]
    }
}

struct Reader<'c> {
    chars: &'c [char],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    /// Parts up to the end, or, within braces, up to a comma or closing brace; `None` when malformed.
    fn sequence(&mut self, depth: usize) -> Option<Vec<Part>> {
        let mut parts = Vec::new();
        while let Some(c) = self.peek() {
            match c {
                ',' | '}' if depth > 0 => break,
                '*' => {
                    self.at += 1;
                    if self.peek() == Some('*') {
                        self.at += 1;
                        parts.push(Part::Super);
                    } else {
                        parts.push(Part::Any);
                    }
                }
                '?' => {
                    self.at += 1;
                    parts.push(Part::Single);
                }
                '[' => {
                    self.at += 1;
                    parts.push(self.class()?);
                }
                '{' => {
                    self.at += 1;
                    parts.push(self.choice(depth + 1)?);
                }
                _ => parts.push(Part::Text(self.text(depth))),
            }
        }
        Some(parts)
    }

    fn choice(&mut self, depth: usize) -> Option<Part> {
        if depth > DEPTH {
            return None;
        }
        let mut choices = Vec::new();
        loop {
            choices.push(self.sequence(depth)?);
            match self.next() {
                Some(',') => {}
                _ => return Some(Part::Choice(choices)),
            }
        }
    }

    fn text(&mut self, depth: usize) -> String {
        let mut text = String::new();
        while let Some(c) = self.peek() {
            let breaks = matches!(c, '?' | '*' | '[' | '{') || depth > 0 && matches!(c, ',' | '}');
            if breaks {
                break;
            }
            self.at += 1;
            match c {
                '\\' => text.extend(self.next()),
                c => text.push(c),
            }
        }
        text
    }

    /// What follows an opening bracket.
    fn class(&mut self) -> Option<Part> {
        let negated = self.peek() == Some('!');
        self.at += usize::from(negated);
        let first = self.peek()?;
        if self.chars.get(self.at + 1) == Some(&'-') {
            self.at += 2;
            let last = self.next()?;
            return (self.next()? == ']' && last >= first).then_some(Part::Range(first, last, negated));
        }
        let mut list = Vec::new();
        loop {
            match self.next()? {
                ']' => break,
                '\\' => list.push(self.next()?),
                c => list.push(c),
            }
        }
        (!list.is_empty()).then_some(Part::List(list, negated))
    }
}

/// The places that can be reached after `parts`, from the places `from`.
fn run(parts: &[Part], name: &[char], from: Vec<bool>) -> Vec<bool> {
    parts.iter().fold(from, |from, part| step(part, name, &from))
}

fn step(part: &Part, name: &[char], from: &[bool]) -> Vec<bool> {
    let mut to = alloc::vec![false; from.len()];
    let mut one = |accept: &dyn Fn(char) -> bool| {
        for (at, c) in name.iter().enumerate() {
            to[at + 1] |= from[at] && accept(*c);
        }
    };
    match part {
        Part::Single => one(&|c| c != '/'),
        Part::List(list, negated) => one(&|c| list.contains(&c) != *negated),
        Part::Range(low, high, negated) => one(&|c| (*low..=*high).contains(&c) != *negated),
        Part::Text(text) => {
            let text: Vec<char> = text.chars().collect();
            for at in 0..from.len() {
                if from[at] && name[at..].starts_with(&text) {
                    to[at + text.len()] = true;
                }
            }
        }
        Part::Any | Part::Super => {
            let mut alive = false;
            for at in 0..from.len() {
                let stopped = *part == Part::Any && at > 0 && name[at - 1] == '/';
                alive = from[at] || alive && !stopped;
                to[at] = alive;
            }
        }
        Part::Choice(choices) => {
            for choice in choices {
                for (place, reached) in to.iter_mut().zip(run(choice, name, from.to_vec())) {
                    *place |= reached;
                }
            }
        }
    }
    to
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match_as_gobwas_matches_them() {
        let check = |pattern: &str, name: &str, expect: bool| {
            assert_eq!(Glob::new(pattern).matches(name), expect, "{pattern} {name}");
        };
        check("*.txt", "a.txt", true);
        check("*.txt", "b/a.txt", false);
        check("**.txt", "b/a.txt", true);
        check("b/*", "b/a.txt", true);
        check("b/*", "b/c/a.txt", false);
        check("b/**", "b/c/a.txt", true);
        check("**/a", "a", false);
        check("{a,b/*}.y", "b/c.y", true);
        check("[a-c]x", "bx", true);
        check("[!a-c]x", "bx", false);
        check("[ab]", "b", true);
        check("a\\*", "a*", true);
        check("?", "/", false);
        check("", "", true);
        check("[", "anything/at/all", true);
        check("[]", "anything", true);
    }

    #[test]
    fn a_hostile_pattern_ends() {
        let pattern = "*a".repeat(200);
        assert!(!Glob::new(&pattern).matches(&"a".repeat(199)));
        assert!(Glob::new(&"{".repeat(100)).matches("x"));
    }
}
