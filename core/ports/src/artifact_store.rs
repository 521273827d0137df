//! Where fetched artifacts are kept.

use alloc::boxed::Box;
use alloc::string::String;

use async_trait::async_trait;
use convoy_domain::artifact::Artifact;
use convoy_domain::sharing::ArtifactKey;

/// Why a store could not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArtifactStoreError {
    /// It cannot be read or written now.
    #[error("the artifact store cannot {what}: {why}")]
    Unavailable {
        /// Which step.
        what: &'static str,
        /// What was said.
        why: String,
    },
    /// What is stored is not what was stored; it is forgotten.
    #[error("a stored artifact is damaged: {why}")]
    Damaged {
        /// What is wrong with it.
        why: String,
    },
}

/// What a store has done since it was opened, and holds now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreUsage {
    /// Reads that found the artifact.
    pub hits: u64,
    /// Reads that did not.
    pub misses: u64,
    /// Artifacts that made room for others.
    pub evictions: u64,
    /// Artifacts that it holds.
    pub entries: u64,
    /// Bytes that it holds; never more than its bound.
    pub bytes: u64,
}

/// Keeps artifacts within a bound of bytes; those that were used longest ago make room.
///
/// A store is a cache: nothing depends on what it keeps. It never holds more than its bound, so that it keeps nothing
/// that is larger.
#[async_trait]
pub trait ArtifactStore: Send + Sync + core::fmt::Debug {
    /// The artifact, if it is kept, exactly as it was put.
    async fn get(&self, key: &ArtifactKey) -> Result<Option<Artifact>, ArtifactStoreError>;
    /// Keeps an artifact, or does not; answers whether it does.
    async fn put(&self, key: &ArtifactKey, artifact: &Artifact) -> Result<bool, ArtifactStoreError>;
    /// Counters.
    fn usage(&self) -> StoreUsage;
}
