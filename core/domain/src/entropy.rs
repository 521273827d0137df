//! The installation's key, from which charts draw what looks random.
//!
//! Each draw is keyed by the Release's namespace and name, so that a Release that is deleted and made again over the
//! same volumes has the same passwords, and by the call within its template, so that an unrelated edit keeps them.
//!
//! # Invariant
//! The key itself is never printed: its id is a hash of it.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use convoy_helm::KeyedEntropy;
use jiff::Timestamp;
use sha2::{Digest, Sha256};

use crate::id::ReleaseId;
use crate::secret::Secret;

/// Entry of the Secret that holds the key.
pub const KEY_ENTRY: &str = "key";

/// Name of the Secret that holds the key, in convoy's own namespace, when nothing else is said.
pub const DEFAULT_SECRET: &str = "convoy-entropy-key";

/// Raised when all draws of all Releases shall change; it never was.
const GENERATION: u64 = 0;

/// Why bytes are no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a key has at least {least} bytes, and this one has {bytes}")]
pub struct ShortKey {
    /// Bytes at hand.
    pub bytes: usize,
    /// Bytes needed.
    pub least: usize,
}

/// The key of an installation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntropyKey(Secret<Vec<u8>>);

impl EntropyKey {
    /// Bytes of a key that convoy makes.
    pub const BYTES: usize = 32;
    /// Bytes of the shortest key that is taken.
    pub const LEAST: usize = 16;

    /// Takes a key.
    ///
    /// # Errors
    /// When it is too short to be one.
    pub fn new(bytes: Vec<u8>) -> Result<Self, ShortKey> {
        if bytes.len() < Self::LEAST {
            return Err(ShortKey {
                bytes: bytes.len(),
                least: Self::LEAST,
            });
        }
        Ok(Self(Secret::new(bytes)))
    }

    /// A name for the key that tells nothing of it: 16 hex digits.
    #[must_use]
    pub fn id(&self) -> String {
        let hash = Sha256::new()
            .chain_update(b"convoy entropy key id\n")
            .chain_update(self.0.expose())
            .finalize();
        short(&hash)
    }

    /// A name for some content that tells nothing of it to anyone without the key, however few contents are possible: 16
    /// hex digits.
    #[must_use]
    pub fn mark(&self, content: &[u8]) -> String {
        let key = self.0.expose();
        let inner = Sha256::new()
            .chain_update(b"convoy mark\n")
            .chain_update((key.len() as u64).to_be_bytes())
            .chain_update(key)
            .chain_update(content)
            .finalize();
        short(&Sha256::digest(inner))
    }

    /// What the chart of a Release draws from.
    pub(crate) fn draws(&self, release: &ReleaseId) -> KeyedEntropy {
        KeyedEntropy::new(self.0.expose(), release.namespace(), release.name(), GENERATION)
    }
}

/// The first 16 hex digits.
fn short(hash: &[u8]) -> String {
    hash.iter().take(8).fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// The time that templates see: that of the revision if it has one, but not before the Release was made.
#[must_use]
pub fn clock(revision: Option<Timestamp>, created: Timestamp) -> Timestamp {
    revision.map_or(created, |revision| revision.max(created))
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;
    use alloc::{format, vec};

    use super::*;

    #[test]
    fn a_key_has_an_id_and_never_prints() {
        let key = |byte| EntropyKey::new(vec![byte; 32]).unwrap();
        assert_eq!(key(7).id(), key(7).id());
        assert_ne!(key(7).id(), key(8).id());
        assert_eq!(key(7).id().len(), 16);
        assert_eq!(key(7).mark(b"a"), key(7).mark(b"a"));
        assert_ne!(key(7).mark(b"a"), key(8).mark(b"a"));
        assert_ne!(key(7).mark(b"a"), key(7).mark(b"b"));
        assert_eq!(format!("{:?}", key(65)), "EntropyKey(***)");
        assert_eq!(
            EntropyKey::new(vec![1; 15]).unwrap_err().to_string(),
            "a key has at least 16 bytes, and this one has 15"
        );
    }

    #[test]
    fn the_clock_is_the_later_of_revision_and_creation() {
        let at = |seconds| Timestamp::from_second(seconds).unwrap();
        assert_eq!(clock(None, at(5)), at(5));
        assert_eq!(clock(Some(at(4)), at(5)), at(5));
        assert_eq!(clock(Some(at(6)), at(5)), at(6));
    }
}
