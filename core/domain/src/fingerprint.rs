//! A short name for everything that a render and its apply are made from.
//!
//! Equal fingerprints mean that nothing has to be rendered again; a change of any part gives another one.

use alloc::string::String;
use core::fmt::Write;

use sha2::{Digest, Sha256};

/// Collects parts; each is framed by its length, so that no two lists of parts run together.
#[derive(Clone, Debug, Default)]
pub struct Fingerprint(Sha256);

impl Fingerprint {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a named part.
    #[must_use]
    pub fn with(mut self, name: &str, part: &str) -> Self {
        for text in [name, part] {
            self.0.update((text.len() as u64).to_be_bytes());
            self.0.update(text);
        }
        self
    }

    /// Adds named entries, in the order given.
    #[must_use]
    pub fn with_entries<'a>(self, name: &str, entries: impl IntoIterator<Item = (&'a String, &'a String)>) -> Self {
        entries
            .into_iter()
            .fold(self.with(name, ""), |fingerprint, (key, value)| {
                fingerprint.with(key, value)
            })
            .with(name, "end")
    }

    /// 32 hex digits.
    #[must_use]
    pub fn finish(self) -> String {
        self.0.finalize().iter().take(16).fold(String::new(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_do_not_run_together() {
        let of = |parts: &[(&str, &str)]| {
            parts
                .iter()
                .fold(Fingerprint::new(), |f, (name, part)| f.with(name, part))
                .finish()
        };
        assert_eq!(of(&[("a", "b")]), of(&[("a", "b")]));
        assert_ne!(of(&[("a", "b")]), of(&[("ab", "")]));
        assert_ne!(of(&[("a", "b"), ("c", "")]), of(&[("a", "b")]));
        assert_eq!(of(&[("a", "b")]).len(), 32);
    }
}
