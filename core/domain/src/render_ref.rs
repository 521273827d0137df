//! The name of a render: the hash of its bytes.

use alloc::string::String;
use core::fmt;

/// `sha256:` and 64 hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RenderRef([u8; 32]);

/// A text that is no renderRef.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a renderRef: expected `sha256:` and 64 lower-case hex digits")]
pub struct InvalidRenderRef(pub String);

impl RenderRef {
    /// The ref of a digest.
    #[must_use]
    pub const fn from_digest(digest: [u8; 32]) -> Self {
        Self(digest)
    }

    /// The first 12 hex digits, for people.
    #[must_use]
    pub fn short(&self) -> String {
        alloc::format!("{self}")
            .chars()
            .skip("sha256:".len())
            .take(12)
            .collect()
    }
}

impl core::str::FromStr for RenderRef {
    type Err = InvalidRenderRef;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refuse = || InvalidRenderRef(text.chars().take(80).collect());
        let hex = text.strip_prefix("sha256:").ok_or_else(refuse)?.as_bytes();
        if hex.len() != 64 {
            return Err(refuse());
        }
        let mut digest = [0; 32];
        for (byte, pair) in digest.iter_mut().zip(hex.chunks_exact(2)) {
            *byte = match (digit(pair[0]), digit(pair[1])) {
                (Some(high), Some(low)) => high << 4 | low,
                _ => return Err(refuse()),
            };
        }
        Ok(Self(digest))
    }
}

const fn digit(hex: u8) -> Option<u8> {
    match hex {
        b'0'..=b'9' => Some(hex - b'0'),
        b'a'..=b'f' => Some(hex - b'a' + 10),
        _ => None,
    }
}

impl fmt::Display for RenderRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("sha256:")?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for RenderRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
