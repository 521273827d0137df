//! Digests: what names content in a registry.

use std::fmt;

use ring::digest::{Context, SHA256, SHA512};

/// The digest of some bytes, as `sha256:<64 hex digits>` or `sha512:<128 hex digits>`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(String);

/// Why a text is no digest, or bytes are not what a digest names.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DigestError {
    /// Another form.
    #[error("`{0}` is no digest of sha256 or sha512")]
    Malformed(String),
    /// Other bytes.
    #[error("its digest is {found} in place of {expected}")]
    Differs {
        /// What was asked for.
        expected: Digest,
        /// What came.
        found: Digest,
    },
}

impl Digest {
    /// Reads a digest.
    ///
    /// # Errors
    /// For other algorithms, other lengths, and digits in upper case, which registries do not know.
    pub fn parse(text: &str) -> Result<Self, DigestError> {
        let hex = |digits: &str, length: usize| {
            let digit = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
            digits.len() == length && digits.bytes().all(digit)
        };
        let known = match text.split_once(':') {
            Some(("sha256", digits)) => hex(digits, 64),
            Some(("sha512", digits)) => hex(digits, 128),
            Some(_) | None => false,
        };
        if known {
            Ok(Self(text.to_owned()))
        } else {
            Err(DigestError::Malformed(text.chars().take(150).collect()))
        }
    }

    /// The sha256 of some bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let mut hasher = Hasher::sha256();
        hasher.update(bytes);
        hasher.finish()
    }

    /// As it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What computes a digest of the same kind.
    #[must_use]
    pub fn hasher(&self) -> Hasher {
        if self.0.starts_with("sha512:") {
            Hasher {
                name: "sha512",
                context: Context::new(&SHA512),
            }
        } else {
            Hasher::sha256()
        }
    }

    /// Whether these are the bytes that it names.
    ///
    /// # Errors
    /// When they are others.
    pub fn check(&self, bytes: &[u8]) -> Result<(), DigestError> {
        let mut hasher = self.hasher();
        hasher.update(bytes);
        self.check_finished(hasher)
    }

    /// As [`Self::check`], of what a hasher was given.
    ///
    /// # Errors
    /// As [`Self::check`].
    pub fn check_finished(&self, hasher: Hasher) -> Result<(), DigestError> {
        let found = hasher.finish();
        if found == *self {
            Ok(())
        } else {
            Err(DigestError::Differs {
                expected: self.clone(),
                found,
            })
        }
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Computes a digest piece by piece.
#[derive(Clone)]
pub struct Hasher {
    name: &'static str,
    context: Context,
}

impl fmt::Debug for Hasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Hasher {
    fn sha256() -> Self {
        Self {
            name: "sha256",
            context: Context::new(&SHA256),
        }
    }

    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.context.update(bytes);
    }

    /// The digest of all bytes that were added.
    #[must_use]
    pub fn finish(self) -> Digest {
        let hex = data_encoding::HEXLOWER.encode(self.context.finish().as_ref());
        Digest(format!("{}:{hex}", self.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &str = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    #[test]
    fn both_algorithms_and_nothing_else_are_read() {
        let check = |text: &str, expect: bool| assert_eq!(Digest::parse(text).is_ok(), expect, "{text}");
        check(EMPTY, true);
        check(&format!("sha512:{}", "0".repeat(128)), true);
        check(&EMPTY.to_uppercase(), false);
        check(&EMPTY[..70], false);
        check(&EMPTY[7..], false);
        check(&format!("md5:{}", "0".repeat(32)), false);
        check(&format!("sha256:{}", "g".repeat(64)), false);
        check("", false);
        check("sha256:../../../etc", false);
    }

    #[test]
    fn bytes_are_told_apart() {
        let empty = Digest::parse(EMPTY).unwrap();
        assert_eq!(Digest::of(b""), empty);
        assert_eq!(empty.check(b""), Ok(()));
        let error = empty.check(b"x").unwrap_err();
        assert!(error.to_string().starts_with("its digest is sha256:2d7116"), "{error}");
        let long = Digest::parse(&format!("sha512:{}", "0".repeat(128))).unwrap();
        let DigestError::Differs { found, .. } = long.check(b"").unwrap_err() else {
            panic!("zeros are no digest");
        };
        assert!(found.as_str().starts_with("sha512:cf83e1357eefb8bd"), "{found}");
    }
}
