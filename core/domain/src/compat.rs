//! Whose behaviour is kept where convoy goes beyond the pages.

use core::fmt;
use core::str::FromStr;

/// Whether the pages' sentences hold that this version improves on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compat {
    /// This version's own behaviour.
    #[default]
    Current,
    /// What the pages say of convoy v0.9.
    V0_9,
}

/// A text that names no version whose behaviour can be kept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("only `v0.9` can be named")]
pub struct UnknownVersion;

impl FromStr for Compat {
    type Err = UnknownVersion;

    fn from_str(text: &str) -> Result<Self, UnknownVersion> {
        match text {
            "v0.9" => Ok(Self::V0_9),
            _ => Err(UnknownVersion),
        }
    }
}

impl fmt::Display for Compat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Current => "current",
            Self::V0_9 => "v0.9",
        })
    }
}

impl Compat {
    /// Whether the pages' sentences hold.
    #[must_use]
    pub const fn is_v0_9(self) -> bool {
        matches!(self, Self::V0_9)
    }
}
