//! Randomness, for keys.

use alloc::string::String;

/// The source of randomness gives nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no randomness: {why}")]
pub struct EntropyError {
    /// What was said.
    pub why: String,
}

/// Makes bytes that nobody can guess.
pub trait Entropy: Send + Sync + core::fmt::Debug {
    /// Fills `bytes`.
    ///
    /// # Errors
    /// When there is no randomness to be had; `bytes` may not be used then.
    fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError>;
}
