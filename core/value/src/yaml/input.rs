//! From bytes to characters that YAML allows.
//!
//! The whole text is checked once, before scanning: what the scanner sees is valid UTF-8 without NUL, so that a
//! missing byte can stand for the end.

use alloc::borrow::Cow;
use alloc::string::String;

/// Text up to its end, or up to the first thing that is not allowed.
#[derive(Debug)]
pub(super) struct Input<'a> {
    pub(super) text: Cow<'a, str>,
    /// What stands behind `text`, if it is not the end.
    pub(super) broken: Option<Broken>,
}

/// Something that is not allowed in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Broken {
    pub(super) problem: &'static str,
    /// Go reads in pieces and checks each as a whole: a scanner that gets to this place in the text meets the
    /// problem, even if it stands further on.
    pub(super) seen_from: usize,
}

/// Bytes of the pieces that Go reads.
const PIECE: usize = 512;

/// Where the piece begins that holds the `width` bytes at `at`; a character is never cut.
fn piece_start(text: &str, at: usize, width: usize) -> usize {
    let mut start = 0;
    while start + PIECE < at + width {
        start = if start + PIECE < text.len() {
            text.floor_char_boundary(start + PIECE)
        } else {
            at
        };
    }
    start
}

/// Bytes of the character, or what was to be one, that begins with `first`.
fn width(first: u8) -> usize {
    match first {
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF7 => 4,
        _ => 1,
    }
}

const CONTROL: &str = "control characters are not allowed";

/// Decodes by the byte order mark, as libyaml does; without one the text is UTF-8.
pub(super) fn decode(bytes: &[u8]) -> Input<'_> {
    match bytes {
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xEF, 0xBB, 0xBF, rest @ ..] => utf8(rest),
        bytes => utf8(bytes),
    }
}

fn utf8(bytes: &[u8]) -> Input<'_> {
    let (text, mut broken) = match str::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            let (good, rest) = bytes.split_at(error.valid_up_to());
            (str::from_utf8(good).unwrap_or_default(), Some(utf8_problem(rest)))
        }
    };
    let allowed = allowed_prefix(text);
    if allowed < text.len() {
        broken = Some(CONTROL);
    }
    let broken = broken.map(|problem| Broken {
        problem,
        seen_from: piece_start(text, allowed, width(bytes[allowed])),
    });
    Input {
        text: Cow::Borrowed(&text[..allowed]),
        broken,
    }
}

/// The words of Go's reader for a sequence that is no UTF-8.
fn utf8_problem(rest: &[u8]) -> &'static str {
    let Some(&first) = rest.first() else { return CONTROL };
    let width = width(first);
    if width == 1 {
        return "invalid leading UTF-8 octet";
    }
    if rest.len() < width {
        return "incomplete UTF-8 octet sequence";
    }
    if rest[1..width].iter().any(|byte| byte & 0xC0 != 0x80) {
        return "invalid trailing UTF-8 octet";
    }
    let value = rest[1..width]
        .iter()
        .fold(u32::from(first) & (0x7F >> width), |v, b| v << 6 | u32::from(b & 0x3F));
    let least = [0, 0, 0x80, 0x800, 0x1_0000][width];
    if value < least {
        "invalid length of a UTF-8 sequence"
    } else {
        "invalid Unicode character"
    }
}

/// How many bytes at the start hold only characters that YAML allows.
fn allowed_prefix(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let plain = bytes[at..]
            .iter()
            .position(|&byte| !PLAIN[usize::from(byte)])
            .unwrap_or(bytes.len() - at);
        at += plain;
        let allowed = match bytes[at..] {
            [] => break,
            // U+0080 to U+009F, but NEL.
            [0xC2, second, ..] => second >= 0xA0 || second == 0x85,
            // U+FFFE and U+FFFF.
            [0xEF, 0xBF, third, ..] => third < 0xBE,
            [first, ..] => first >= 0x80,
        };
        if !allowed {
            return at;
        }
        at += 1;
    }
    bytes.len()
}

/// Bytes that need no second look.
static PLAIN: [bool; 256] = {
    let mut table = [true; 256];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = byte == 0x09 || byte == 0x0A || byte == 0x0D;
        byte += 1;
    }
    table[0x7F] = false;
    table[0xC2] = false;
    table[0xEF] = false;
    table
};

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Input<'static> {
    let (pairs, odd) = bytes.as_chunks::<2>();
    let mut text = String::with_capacity(pairs.len());
    let mut broken = (!odd.is_empty()).then_some("incomplete UTF-16 character");
    for decoded in char::decode_utf16(pairs.iter().map(|pair| unit(*pair))) {
        match decoded {
            Ok(c) => text.push(c),
            Err(error) => {
                broken = Some(match error.unpaired_surrogate() {
                    0xDC00.. => "unexpected low surrogate area",
                    _ => "expected low surrogate area",
                });
                break;
            }
        }
    }
    let allowed = allowed_prefix(&text);
    if allowed < text.len() {
        text.truncate(allowed);
        broken = Some(CONTROL);
    }
    let broken = broken.map(|problem| Broken {
        problem,
        seen_from: piece_start(&text, text.len(), 1),
    });
    Input {
        text: Cow::Owned(text),
        broken,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], text: &str, broken: Option<&str>) {
        let input = decode(bytes);
        assert_eq!(
            (input.text.as_ref(), input.broken.map(|broken| broken.problem)),
            (text, broken),
            "{bytes:x?}"
        );
    }

    #[test]
    fn byte_order_marks_choose_the_encoding_and_vanish() {
        check("aé".as_bytes(), "aé", None);
        check(b"\xEF\xBB\xBFa", "a", None);
        check(b"\xFF\xFEa\0\x3D\xD8\x00\xDE", "a😀", None);
        check(b"\xFE\xFF\0a\0b", "ab", None);
        check(b"\xFE\xFF\0a\0", "a", Some("incomplete UTF-16 character"));
        check(b"\xFE\xFF\0a\xDC\x00\0b", "a", Some("unexpected low surrogate area"));
    }

    #[test]
    fn a_problem_is_seen_from_the_beginning_of_its_piece() {
        for (good, seen_from) in [(0, 0), (511, 0), (512, 512), (1100, 1024)] {
            let mut bytes = alloc::vec![b'a'; good];
            bytes.push(0);
            assert_eq!(decode(&bytes).broken.map(|broken| broken.seen_from), Some(seen_from));
        }
    }

    #[test]
    fn text_ends_at_the_first_thing_that_is_not_allowed() {
        for (bytes, text, broken) in [
            (&b"ab\x00c"[..], "ab", CONTROL),
            (b"ab\x7fc", "ab", CONTROL),
            (b"ab\xC2\x80c", "ab", CONTROL),
            (b"ab\xEF\xBF\xBEc", "ab", CONTROL),
            (b"ab\xFFc", "ab", "invalid leading UTF-8 octet"),
            (b"ab\xC3", "ab", "incomplete UTF-8 octet sequence"),
            (b"ab\xC3c", "ab", "invalid trailing UTF-8 octet"),
            (b"ab\xC0\x80", "ab", "invalid length of a UTF-8 sequence"),
            (b"ab\xED\xA0\x80", "ab", "invalid Unicode character"),
        ] {
            check(bytes, text, Some(broken));
        }
        check(
            "\u{85}\u{a0}\u{feff}\u{fffd}\u{10ffff}\t\r\n~".as_bytes(),
            "\u{85}\u{a0}\u{feff}\u{fffd}\u{10ffff}\t\r\n~",
            None,
        );
    }
}
