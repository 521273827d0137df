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

    /// The text, with U+FFFD for what is not UTF-8.
    #[must_use]
    pub fn to_text(&self) -> Cow<'_, str> {
        // The search for what is not UTF-8 is slower than the check that there is nothing.
        self.as_str()
            .map_or_else(|| String::from_utf8_lossy(self.as_bytes()), Cow::Borrowed)
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
                Str::from(String::from_utf8_lossy(&bytes).into_owned()),
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
