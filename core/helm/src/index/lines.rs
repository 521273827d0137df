//! The lines of a text in block style, and the collections that they make.
//!
//! # Invariant
//! `None` anywhere ends the reading: the text is for the whole reader. Nothing here is lenient.

use alloc::vec::Vec;

use super::scalars;

/// How deep collections may be nested.
const DEPTH: usize = 16;

/// How many keys a mapping may have whose keys are only compared.
const KEYS: usize = 64;

/// Bytes of a key.
const KEY_BYTES: usize = 128;

/// A line with something on it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'t> {
    /// The column of its first character.
    pub(super) indent: usize,
    pub(super) content: &'t str,
}

impl<'t> Line<'t> {
    /// What follows the dash of an item.
    fn item(&self) -> Option<&'t str> {
        self.content.strip_prefix("- ")
    }
}

/// Reads lines, one ahead.
#[derive(Debug)]
pub(super) struct Lines<'t> {
    rest: &'t str,
    /// The line that is read next; `None` at the end.
    pub(super) line: Option<Line<'t>>,
    /// Whether there are comments between that and the line before.
    pub(super) commented: bool,
}

impl<'t> Lines<'t> {
    pub(super) fn new(text: &'t str) -> Option<Self> {
        let mut lines = Self {
            rest: text,
            line: None,
            commented: false,
        };
        lines.advance()?;
        if lines.line.is_some_and(|line| line.indent == 0 && line.content == "---") {
            lines.advance()?;
        }
        Some(lines)
    }

    /// The next line as it is, without its end; `None` within at the end of the text.
    #[expect(
        clippy::option_option,
        reason = "outside: whether it is plain; inside: whether it is there"
    )]
    pub(super) fn raw(&mut self) -> Option<Option<&'t str>> {
        if self.rest.is_empty() {
            return Some(None);
        }
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        let line = line.strip_suffix('\r').unwrap_or(line);
        scalars::is_printable(line).then_some(Some(line))
    }

    /// What has not been read, to come back to.
    pub(super) fn mark(&self) -> &'t str {
        self.rest
    }

    pub(super) fn back(&mut self, mark: &'t str) {
        self.rest = mark;
    }

    /// Goes to the next line that has something on it besides a comment.
    pub(super) fn advance(&mut self) -> Option<()> {
        self.commented = false;
        self.line = loop {
            let Some(raw) = self.raw()? else { break None };
            let content = raw.trim_start_matches(' ');
            if content.starts_with('#') {
                self.commented = true;
            } else if !content.is_empty() {
                let indent = raw.len() - content.len();
                let content = content.trim_end_matches(' ');
                break Some(Line { indent, content });
            }
        };
        Some(())
    }

    /// The column of the next line, if it is within a collection in column `outer`.
    fn inside(&self, outer: usize) -> Option<usize> {
        self.line.map(|line| line.indent).filter(|indent| *indent > outer)
    }

    /// Reads a mapping whose keys are in column `indent`: `visit` gets each key and what is behind it on its line, and
    /// reads the value to its end. No key comes twice.
    pub(super) fn mapping(
        &mut self,
        indent: usize,
        mut visit: impl FnMut(&mut Self, &'t str, &'t str) -> Option<()>,
    ) -> Option<()> {
        let mut keys: Vec<&str> = Vec::new();
        self.members(indent, |lines, key, value| {
            if keys.len() == KEYS || keys.contains(&key) {
                return None;
            }
            keys.push(key);
            visit(lines, key, value)
        })
    }

    /// As [`Self::mapping`], but for the caller to see that no key comes twice.
    pub(super) fn members(
        &mut self,
        indent: usize,
        mut visit: impl FnMut(&mut Self, &'t str, &'t str) -> Option<()>,
    ) -> Option<()> {
        while let Some(line) = self.line {
            if line.indent < indent {
                break;
            }
            if line.indent > indent {
                return None;
            }
            let (key, value) = split_key(line.content)?;
            visit(self, key, value)?;
        }
        Some(())
    }

    /// Reads a sequence whose dashes are in column `indent`: `visit` gets what is behind the dash, as the next line, and
    /// reads it to its end.
    pub(super) fn items(&mut self, indent: usize, mut visit: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        while let Some(line) = self.line {
            if line.indent > indent {
                return None;
            }
            let Some(item) = line.item().filter(|_| line.indent == indent) else {
                break;
            };
            let content = item.trim_start_matches(' ');
            self.line = Some(Line {
                indent: indent + 2 + item.len() - content.len(),
                content,
            });
            visit(self)?;
        }
        Some(())
    }

    /// Behind a key in column `outer` with nothing on its line: the column of the sequence that is its value.
    pub(super) fn sequence_below(&mut self, outer: usize) -> Option<usize> {
        self.advance()?;
        let line = self.line?;
        (line.indent >= outer && line.item().is_some()).then_some(line.indent)
    }

    /// Behind a key in column `outer` with nothing on its line: the column of the mapping that is its value.
    pub(super) fn mapping_below(&mut self, outer: usize) -> Option<usize> {
        self.advance()?;
        let line = self.line?;
        (line.indent > outer && line.item().is_none()).then_some(line.indent)
    }

    /// Passes over the value that begins with `value`, behind a key in column `outer`.
    pub(super) fn skip(&mut self, value: &'t str, outer: usize, depth: usize) -> Option<()> {
        if !value.is_empty() {
            return scalars::skip(self, value, outer);
        }
        self.advance()?;
        let Some(line) = self.line else { return Some(()) };
        if line.item().is_some() && line.indent >= outer {
            self.skip_sequence(line.indent, depth)
        } else if line.indent > outer {
            self.skip_mapping(line.indent, depth)
        } else {
            Some(())
        }
    }

    fn skip_mapping(&mut self, indent: usize, depth: usize) -> Option<()> {
        if depth == DEPTH {
            return None;
        }
        self.mapping(indent, |lines, _, value| lines.skip(value, indent, depth + 1))
    }

    fn skip_sequence(&mut self, indent: usize, depth: usize) -> Option<()> {
        if depth == DEPTH {
            return None;
        }
        self.items(indent, |lines| {
            let line = lines.line?;
            if split_key(line.content).is_some() {
                lines.skip_mapping(line.indent, depth + 1)
            } else {
                scalars::skip(lines, line.content, indent)
            }
        })
    }

    /// A text on one line, of which it is plain to see that it is one.
    pub(super) fn text(&mut self, value: &'t str, outer: usize) -> Option<&'t str> {
        let text = scalars::text(value)?;
        self.advance()?;
        self.inside(outer).is_none().then_some(text)
    }
}

/// The key of a member and what is behind it.
fn split_key(content: &str) -> Option<(&str, &str)> {
    let bytes = content.as_bytes();
    let part = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'/' | b'-');
    let length = bytes.iter().take_while(part).count();
    let key = &content[..length];
    let value = content[length..].strip_prefix(':')?;
    let plain = (1..=KEY_BYTES).contains(&length) && scalars::is_surely_text(key);
    match value.strip_prefix(' ') {
        Some(value) if plain => Some((key, value.trim_start_matches(' '))),
        None if plain && value.is_empty() => Some((key, "")),
        Some(_) | None => None,
    }
}
