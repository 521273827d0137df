//! The keys of a store.

use std::fmt;

use convoy_domain::secret::Secret;
use sha2::{Digest as _, Sha256};

/// Most keys of a file.
const MOST_KEYS: usize = 64;
/// Most bytes of a file of keys.
const MOST_BYTES: usize = 64 * 1024;

/// Names a key without telling it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeyId([u8; Self::BYTES]);

impl KeyId {
    /// Its length.
    pub(super) const BYTES: usize = 8;

    pub(super) const fn new(bytes: [u8; Self::BYTES]) -> Self {
        Self(bytes)
    }

    pub(super) const fn bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A key of 32 bytes.
#[derive(Clone)]
pub struct Key {
    id: KeyId,
    bytes: Secret<[u8; 32]>,
}

impl Key {
    /// A key of these bytes.
    #[must_use]
    pub fn new(bytes: [u8; 32]) -> Self {
        let digest: [u8; 32] = Sha256::new()
            .chain_update(b"convoy key id")
            .chain_update(bytes)
            .finalize()
            .into();
        let mut id = [0; KeyId::BYTES];
        id.copy_from_slice(&digest[..KeyId::BYTES]);
        Self {
            id: KeyId::new(id),
            bytes: Secret::new(bytes),
        }
    }

    /// Its name.
    #[must_use]
    pub const fn id(&self) -> KeyId {
        self.id
    }

    pub(super) fn bytes(&self) -> &[u8; 32] {
        self.bytes.expose()
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({})", self.id)
    }
}

/// Why a file holds no keys. Texts never show what it holds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidKeys {
    /// Nothing but comments and empty lines.
    #[error("there is no key")]
    None,
    /// Too many keys or bytes.
    #[error("the file passes the limit `{limit}` of {most}")]
    Limit {
        /// Which.
        limit: &'static str,
        /// The limit.
        most: usize,
    },
    /// A line that is no key.
    #[error("line {line} is no key: expected 32 bytes as base64 or as 64 hexadecimal digits")]
    Line {
        /// Its number, from 1.
        line: usize,
    },
    /// The same key twice.
    #[error("line {line} repeats the key `{id}`")]
    Twice {
        /// Its number, from 1.
        line: usize,
        /// The key's name.
        id: KeyId,
    },
}

/// Keys: the first seals, all of them open.
#[derive(Clone, Debug)]
pub struct Keyring {
    first: Key,
    others: Vec<Key>,
}

impl Keyring {
    /// Reads one key a line, as base64 or hexadecimal digits; empty lines and those that start with `#` are passed over.
    ///
    /// # Errors
    /// [`InvalidKeys`], which names the line.
    pub fn parse(text: &str) -> Result<Self, InvalidKeys> {
        if text.len() > MOST_BYTES {
            return Err(InvalidKeys::Limit {
                limit: "bytes of a key file",
                most: MOST_BYTES,
            });
        }
        let mut keys: Vec<Key> = Vec::new();
        for (line, text) in (1..).zip(text.lines()) {
            let text = text.trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let key = Key::new(key_bytes(text).ok_or(InvalidKeys::Line { line })?);
            if keys.iter().any(|other| other.id == key.id) {
                return Err(InvalidKeys::Twice { line, id: key.id });
            }
            keys.push(key);
        }
        if keys.len() > MOST_KEYS {
            return Err(InvalidKeys::Limit {
                limit: "keys of a key file",
                most: MOST_KEYS,
            });
        }
        let mut keys = keys.into_iter();
        let first = keys.next().ok_or(InvalidKeys::None)?;
        Ok(Self {
            first,
            others: keys.collect(),
        })
    }

    /// The key that seals.
    #[must_use]
    pub const fn sealing(&self) -> &Key {
        &self.first
    }

    pub(super) fn find(&self, id: KeyId) -> Option<&Key> {
        std::iter::once(&self.first)
            .chain(&self.others)
            .find(|key| key.id == id)
    }
}

fn key_bytes(text: &str) -> Option<[u8; 32]> {
    use data_encoding::{BASE64, HEXLOWER_PERMISSIVE};
    let bytes = match text.len() {
        64 => HEXLOWER_PERMISSIVE.decode(text.as_bytes()).ok()?,
        44 => BASE64.decode(text.as_bytes()).ok()?,
        _ => return None,
    };
    bytes.try_into().ok()
}
