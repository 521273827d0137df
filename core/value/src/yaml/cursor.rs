//! A place in the text that moves on, counting lines and columns as libyaml does.

use super::error::Mark;

/// Reads bytes ahead and moves by characters and lines. A byte behind the end reads as 0, which the text itself
/// never holds.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    pos: usize,
    mark: Mark,
    ascii: bool,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            pos: 0,
            mark: Mark::default(),
            ascii: text.is_ascii(),
        }
    }

    pub(super) fn mark(&self) -> Mark {
        self.mark
    }

    pub(super) fn column(&self) -> u32 {
        self.mark.column
    }

    pub(super) fn pos(&self) -> usize {
        self.pos
    }

    /// Bytes that are left.
    pub(super) fn left(&self) -> usize {
        self.text.len() - self.pos
    }

    pub(super) fn at_end(&self) -> bool {
        self.pos >= self.text.len()
    }

    /// The text between two places where characters begin.
    pub(super) fn slice(&self, from: usize, to: usize) -> &'a str {
        self.text.get(from..to).unwrap_or_default()
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        &self.text.as_bytes()[self.pos..]
    }

    /// The byte `ahead` of the place.
    #[inline]
    pub(super) fn peek(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.pos + ahead).copied().unwrap_or(0)
    }

    /// Length in bytes of the line break `ahead` of the place, 0 if there is none.
    #[inline]
    pub(super) fn break_len(&self, ahead: usize) -> usize {
        break_len(&self.text.as_bytes()[(self.pos + ahead).min(self.text.len())..])
    }

    pub(super) fn is_blank(&self, ahead: usize) -> bool {
        matches!(self.peek(ahead), b' ' | b'\t')
    }

    /// A space, a tab, a line break or the end.
    #[inline]
    pub(super) fn is_blankz(&self, ahead: usize) -> bool {
        match self.peek(ahead) {
            b' ' | b'\t' | b'\r' | b'\n' | 0 => true,
            0xC2 | 0xE2 => self.break_len(ahead) > 0,
            _ => false,
        }
    }

    /// A line break or the end.
    pub(super) fn is_breakz(&self, ahead: usize) -> bool {
        self.peek(ahead) == 0 || self.break_len(ahead) > 0
    }

    /// Moves over `bytes` ASCII bytes, none of them a line break.
    #[inline]
    pub(super) fn skip(&mut self, bytes: usize) {
        self.pos += bytes;
        let bytes = small(bytes);
        self.mark.index += bytes;
        self.mark.column += bytes;
    }

    /// Moves over `bytes` bytes of whole characters, none of them a line break.
    #[inline]
    pub(super) fn skip_text(&mut self, bytes: usize) {
        let chars = if self.ascii {
            bytes
        } else {
            self.text[self.pos..self.pos + bytes].chars().count()
        };
        self.pos += bytes;
        let chars = small(chars);
        self.mark.index += chars;
        self.mark.column += chars;
    }

    /// Moves over one line break, if there is one; answers what it counts for in a scalar: `\n`, or the
    /// separator itself.
    pub(super) fn take_break(&mut self) -> &'a str {
        let len = self.break_len(0);
        if len == 0 {
            return "";
        }
        let bytes = self.rest();
        let value = if len == 3 {
            self.slice(self.pos, self.pos + 3)
        } else {
            "\n"
        };
        self.mark.index += if bytes.starts_with(b"\r\n") { 2 } else { 1 };
        self.mark.line += 1;
        self.mark.column = 0;
        self.pos += len;
        value
    }

    /// Moves to the next line break or the end; answers what was passed over.
    pub(super) fn take_line(&mut self) -> &'a str {
        let start = self.pos;
        let bytes = self.rest();
        let mut len = 0;
        loop {
            match bytes[len..]
                .iter()
                .position(|&b| matches!(b, b'\n' | b'\r' | 0xC2 | 0xE2))
            {
                None => {
                    len = bytes.len();
                    break;
                }
                Some(more) => {
                    len += more;
                    if break_len(&bytes[len..]) > 0 {
                        break;
                    }
                    len += 1;
                }
            }
        }
        self.skip_text(len);
        self.slice(start, start + len)
    }

    /// Whether `---` or `...` stands here as a line's first word.
    pub(super) fn at_document_indicator(&self) -> bool {
        self.mark.column == 0
            && (self.rest().starts_with(b"---") || self.rest().starts_with(b"..."))
            && self.is_blankz(3)
    }

    /// Whether only blanks stand between here and the beginning of the line.
    pub(super) fn begins_line(&self) -> bool {
        let passed = &self.text.as_bytes()[..self.pos];
        let behind = passed.trim_ascii_end();
        // White space that is no blank is a line break here; so is what ends like NEL, LS or PS.
        passed[behind.len()..].iter().any(|b| !matches!(b, b' ' | b'\t'))
            || behind.ends_with("\u{85}".as_bytes())
            || behind.ends_with("\u{2028}".as_bytes())
            || behind.ends_with("\u{2029}".as_bytes())
    }

    /// Moves the end to a new line, as libyaml does when the last line has no break.
    pub(super) fn force_new_line(&mut self) {
        if self.mark.column != 0 {
            self.mark.column = 0;
            self.mark.line += 1;
        }
    }
}

fn small(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[inline]
fn break_len(bytes: &[u8]) -> usize {
    match bytes {
        [b'\r', b'\n', ..] | [0xC2, 0x85, ..] => 2,
        [b'\n' | b'\r', ..] => 1,
        [0xE2, 0x80, 0xA8 | 0xA9, ..] => 3,
        _ => 0,
    }
}
