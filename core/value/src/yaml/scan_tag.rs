//! Directives, anchors, aliases and tags.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use super::error::Mark;
use super::scanner::{Scan, Scanner};
use super::token::Kind;

/// Digits of a version number.
const MAX_VERSION_DIGITS: usize = 2;

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

fn is_uri(byte: u8) -> bool {
    is_word(byte) || b";/?:@&=+$,.!~*'()[]%".contains(&byte)
}

impl<'a> Scanner<'a> {
    fn skip_blanks(&mut self) {
        while self.cursor.is_blank(0) {
            self.cursor.skip(1);
        }
    }

    /// Letters, digits, `_` and `-`.
    fn take_word(&mut self) -> &'a str {
        let start = self.cursor.pos();
        let len = self.cursor.rest().iter().take_while(|&&b| is_word(b)).count();
        self.cursor.skip(len);
        self.cursor.slice(start, start + len)
    }

    pub(super) fn scan_anchor(&mut self) -> Scan<()> {
        let mark = self.cursor.mark();
        let alias = self.cursor.peek(0) == b'*';
        self.cursor.skip(1);
        let name = self.take_word();
        let ends = self.cursor.is_blankz(0) || b"?:,]}%@`".contains(&self.cursor.peek(0));
        if name.is_empty() || !ends {
            return self.fail("did not find expected alphabetic or numeric character", mark);
        }
        let kind = if alias { Kind::Alias(name) } else { Kind::Anchor(name) };
        self.push(kind, mark);
        Ok(())
    }

    pub(super) fn scan_directive(&mut self) -> Scan<()> {
        let mark = self.cursor.mark();
        self.cursor.skip(1);
        let name = self.take_word();
        if name.is_empty() {
            return self.fail("could not find expected directive name", mark);
        }
        if !self.cursor.is_blankz(0) {
            return self.fail("found unexpected non-alphabetical character", mark);
        }
        let kind = match name {
            "YAML" => self.version_directive(mark)?,
            "TAG" => self.tag_directive(mark)?,
            _ => return self.fail("found unknown directive name", mark),
        };
        self.skip_blanks();
        if self.cursor.peek(0) == b'#' {
            self.cursor.take_line();
        }
        if !self.cursor.is_breakz(0) {
            return self.fail("did not find expected comment or line break", mark);
        }
        self.cursor.take_break();
        self.push(kind, mark);
        Ok(())
    }

    fn version_directive(&mut self, mark: Mark) -> Scan<Kind<'a>> {
        self.skip_blanks();
        let major = self.version_number(mark)?;
        if self.cursor.peek(0) != b'.' {
            return self.fail("did not find expected digit or '.' character", mark);
        }
        self.cursor.skip(1);
        let minor = self.version_number(mark)?;
        Ok(Kind::VersionDirective { major, minor })
    }

    fn version_number(&mut self, mark: Mark) -> Scan<u8> {
        let digits = self.cursor.rest().iter().take_while(|b| b.is_ascii_digit()).count();
        if digits == 0 {
            return self.fail("did not find expected version number", mark);
        }
        if digits > MAX_VERSION_DIGITS {
            self.cursor.skip(MAX_VERSION_DIGITS);
            return self.fail("found extremely long version number", mark);
        }
        let start = self.cursor.pos();
        self.cursor.skip(digits);
        Ok(self.cursor.slice(start, start + digits).parse().unwrap_or(u8::MAX))
    }

    fn tag_directive(&mut self, mark: Mark) -> Scan<Kind<'a>> {
        self.skip_blanks();
        let handle = self.tag_handle(true, mark)?;
        if !self.cursor.is_blank(0) {
            return self.fail("did not find expected whitespace", mark);
        }
        self.skip_blanks();
        let prefix = self.tag_uri("", false, mark)?;
        if !self.cursor.is_blankz(0) {
            return self.fail("did not find expected whitespace or line break", mark);
        }
        Ok(Kind::TagDirective { handle, prefix })
    }

    pub(super) fn scan_tag(&mut self) -> Scan<()> {
        let mark = self.cursor.mark();
        let kind = if self.cursor.peek(1) == b'<' {
            self.cursor.skip(2);
            let suffix = self.tag_uri("", false, mark)?;
            if self.cursor.peek(0) != b'>' {
                return self.fail("did not find the expected '>'", mark);
            }
            self.cursor.skip(1);
            Kind::Tag { handle: "", suffix }
        } else {
            let handle = self.tag_handle(false, mark)?;
            if handle.len() > 1 && handle.ends_with('!') {
                Kind::Tag {
                    handle,
                    suffix: self.tag_uri("", false, mark)?,
                }
            } else {
                // It was no handle, but the beginning of the tag.
                let suffix = self.tag_uri(handle.get(1..).unwrap_or_default(), true, mark)?;
                if suffix.is_empty() {
                    Kind::Tag {
                        handle: "",
                        suffix: Cow::Borrowed("!"),
                    }
                } else {
                    Kind::Tag { handle: "!", suffix }
                }
            }
        };
        if !self.cursor.is_blankz(0) {
            return self.fail("did not find expected whitespace or line break", mark);
        }
        self.push(kind, mark);
        Ok(())
    }

    /// `!`, `!!` or `!name!`; outside a directive also `!name`, which is no handle.
    fn tag_handle(&mut self, directive: bool, mark: Mark) -> Scan<&'a str> {
        if self.cursor.peek(0) != b'!' {
            return self.fail("did not find expected '!'", mark);
        }
        let start = self.cursor.pos();
        self.cursor.skip(1);
        self.take_word();
        if self.cursor.peek(0) == b'!' {
            self.cursor.skip(1);
        } else if directive && self.cursor.pos() > start + 1 {
            return self.fail("did not find expected '!'", mark);
        }
        Ok(self.cursor.slice(start, self.cursor.pos()))
    }

    /// What may stand in a tag, behind `head`, escapes resolved; empty only behind a `handle`.
    fn tag_uri(&mut self, head: &'a str, handle: bool, mark: Mark) -> Scan<Cow<'a, str>> {
        let start = self.cursor.pos();
        let len = self.cursor.rest().iter().take_while(|&&b| is_uri(b)).count();
        if len == 0 && !handle {
            return self.fail("did not find expected tag URI", mark);
        }
        let text = self.cursor.slice(start, start + len);
        if !text.contains('%') {
            self.cursor.skip(len);
            return Ok(Cow::Borrowed(self.cursor.slice(start - head.len(), start + len)));
        }
        let mut bytes = Vec::from(head);
        while is_uri(self.cursor.peek(0)) {
            if self.cursor.peek(0) == b'%' {
                self.uri_escape(&mut bytes, mark)?;
            } else {
                bytes.push(self.cursor.peek(0));
                self.cursor.skip(1);
            }
        }
        Ok(Cow::Owned(crate::json::replace_broken(bytes)))
    }

    /// The octets of one escaped character.
    fn uri_escape(&mut self, bytes: &mut Vec<u8>, mark: Mark) -> Scan<()> {
        let mut left = None;
        while left != Some(0) {
            let digit = |ahead| char::from(self.cursor.peek(ahead)).to_digit(16);
            let octet = match (self.cursor.peek(0), digit(1), digit(2)) {
                (b'%', Some(high), Some(low)) => u8::try_from(high << 4 | low).unwrap_or(0),
                _ => return self.fail("did not find URI escaped octet", mark),
            };
            left = match (left, octet) {
                (None, 0..=0x7F) => Some(0),
                (None, 0xC0..=0xDF) => Some(1),
                (None, 0xE0..=0xEF) => Some(2),
                (None, 0xF0..=0xF7) => Some(3),
                (None, _) => return self.fail("found an incorrect leading UTF-8 octet", mark),
                (Some(left), 0x80..=0xBF) => Some(left - 1),
                (Some(_), _) => return self.fail("found an incorrect trailing UTF-8 octet", mark),
            };
            bytes.push(octet);
            self.cursor.skip(3);
        }
        Ok(())
    }
}
