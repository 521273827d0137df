//! Go's strings: bytes that are UTF-8 by habit only.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::borrow::Borrow;
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::Deref;

/// Appends formatted text; writing into a string cannot fail.
pub(crate) fn push_format(out: &mut String, text: fmt::Arguments<'_>) {
    let _ = fmt::Write::write_fmt(out, text);
}

/// Whether nothing but white space is in `bytes`, that of Unicode included.
pub(crate) fn is_blank(bytes: &[u8]) -> bool {
    match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
        None => true,
        Some(b'\x0b' | 0x80..) => core::str::from_utf8(bytes).is_ok_and(|text| text.trim().is_empty()),
        Some(_) => false,
    }
}

/// The characters that Go finds in `bytes`: each byte that is no part of UTF-8 is one U+FFFD.
#[must_use]
pub fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    match core::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(
            crate::quote::chunks(bytes)
                .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
                .collect(),
        ),
    }
}

/// Bytes as the characters that Go finds in them (see [`lossy`]), with the way back from a place in the text to the place
/// in the bytes.
#[derive(Debug)]
pub struct Characters<'b> {
    text: Cow<'b, str>,
    /// Where U+FFFD stands for a byte that is no UTF-8.
    stand_ins: Vec<usize>,
}

impl<'b> Characters<'b> {
    /// The characters of `bytes`.
    #[must_use]
    pub fn new(bytes: &'b [u8]) -> Self {
        if let Ok(text) = core::str::from_utf8(bytes) {
            return Self {
                text: Cow::Borrowed(text),
                stand_ins: Vec::new(),
            };
        }
        let (mut text, mut stand_ins) = (String::new(), Vec::new());
        for unit in crate::quote::chunks(bytes) {
            text.push(unit.unwrap_or_else(|_| {
                stand_ins.push(text.len());
                char::REPLACEMENT_CHARACTER
            }));
        }
        Self {
            text: Cow::Owned(text),
            stand_ins,
        }
    }

    /// The characters.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The place in the bytes of a place in the text.
    #[must_use]
    pub fn place(&self, at: usize) -> usize {
        const LONGER: usize = char::REPLACEMENT_CHARACTER.len_utf8() - 1;
        at - LONGER * self.stand_ins.partition_point(|place| *place < at)
    }
}

/// What a handle holds itself: most names and values of real templates, for which nothing is allocated or counted.
const INLINE: usize = 22;

#[derive(Clone)]
enum Repr {
    Inline(u8, [u8; INLINE]),
    Shared(Arc<[u8]>),
    /// A long text that was built in a buffer, which is kept as it is.
    Built(Arc<Vec<u8>>),
}

/// An immutable string of bytes. A clone costs a counter at most.
#[derive(Clone)]
pub struct Str(Repr);

impl Str {
    /// The bytes.
    #[must_use]
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Repr::Inline(len, bytes) => bytes.get(..usize::from(*len)).unwrap_or(bytes),
            Repr::Shared(bytes) => bytes,
            Repr::Built(bytes) => bytes,
        }
    }

    /// The text, with U+FFFD for what is not UTF-8: see [`lossy`].
    #[must_use]
    pub fn to_text(&self) -> Cow<'_, str> {
        lossy(self.as_bytes())
    }

    /// The text, if it is UTF-8.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        core::str::from_utf8(self.as_bytes()).ok()
    }

    #[inline]
    fn inline(bytes: &[u8]) -> Option<Self> {
        let mut kept = [0; INLINE];
        kept.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(Self(Repr::Inline(u8::try_from(bytes.len()).ok()?, kept)))
    }
}

impl Default for Str {
    #[inline]
    fn default() -> Self {
        Self(Repr::Inline(0, [0; INLINE]))
    }
}

impl Deref for Str {
    type Target = [u8];
    #[inline]
    fn deref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl Borrow<[u8]> for Str {
    #[inline]
    fn borrow(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl PartialEq for Str {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            // What is behind the end is zero in both: a comparison of words, without a call.
            (Repr::Inline(len, bytes), Repr::Inline(other_len, other)) => len == other_len && bytes == other,
            _ => self.as_bytes() == other.as_bytes(),
        }
    }
}

impl Eq for Str {}

impl PartialOrd for Str {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Str {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_bytes().cmp(other.as_bytes())
    }
}

/// As that of its bytes.
impl Hash for Str {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_bytes().hash(state);
    }
}

impl fmt::Debug for Str {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_text(), f)
    }
}

impl fmt::Display for Str {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_text())
    }
}

impl From<&str> for Str {
    fn from(text: &str) -> Self {
        Self::from(text.as_bytes())
    }
}

impl From<String> for Str {
    fn from(text: String) -> Self {
        Self::from(text.into_bytes())
    }
}

impl From<&[u8]> for Str {
    fn from(bytes: &[u8]) -> Self {
        Self::inline(bytes).unwrap_or_else(|| Self(Repr::Shared(Arc::from(bytes))))
    }
}

impl From<Vec<u8>> for Str {
    fn from(bytes: Vec<u8>) -> Self {
        // A buffer that is mostly empty is not worth keeping.
        if bytes.len() <= INLINE || bytes.capacity() / 2 > bytes.len() {
            return Self::from(bytes.as_slice());
        }
        Self(Repr::Built(Arc::new(bytes)))
    }
}

impl PartialEq<str> for Str {
    fn eq(&self, other: &str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl PartialEq<&str> for Str {
    fn eq(&self, other: &&str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn every_byte_that_is_no_text_is_a_character_of_its_own() {
        let check = |bytes: &[u8], expect: &str| assert_eq!(lossy(bytes), expect, "{bytes:?}");
        check("é€😀".as_bytes(), "é€😀");
        check(b"a\xe2\x82", "a\u{fffd}\u{fffd}");
        check(
            b"\xed\xa0\x80\xf0\x9f\x98",
            "\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}",
        );
        check(b"\xff\xef\xbf\xbd", "\u{fffd}\u{fffd}");
    }

    #[test]
    fn places_in_the_characters_lead_back_to_the_bytes() {
        let bytes = b"a\xffb\xfe\xef\xbf\xbdc";
        let read = Characters::new(bytes);
        assert_eq!(read.text(), "a\u{fffd}b\u{fffd}\u{fffd}c");
        let places: Vec<usize> = read.text().char_indices().map(|(at, _)| read.place(at)).collect();
        assert_eq!(places, [0, 1, 2, 3, 4, 7]);
        assert_eq!(read.place(read.text().len()), bytes.len());
    }

    /// Short and long, from slices and from buffers: the same bytes, equal, ordered and hashed alike.
    #[test]
    fn every_form_of_a_text_is_the_same_text() {
        for len in [0, 1, INLINE - 1, INLINE, INLINE + 1, 1_000] {
            let bytes = vec![b'x'; len];
            let mut roomy = Vec::with_capacity(len * 4 + 64);
            roomy.extend_from_slice(&bytes);
            let forms = [
                Str::from(bytes.as_slice()),
                Str::from(bytes.clone()),
                Str::from(roomy),
                Str::from(lossy(&bytes).into_owned()),
            ];
            for form in &forms {
                assert_eq!(form.as_bytes(), bytes);
                assert_eq!(form, &forms[0]);
                assert_eq!(form.cmp(&forms[0]), Ordering::Equal);
                assert!(form < &Str::from("y"));
            }
        }
    }
}
