//! A store of blobs under keys.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use async_trait::async_trait;

/// Whether `put_if_absent` wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// The key was absent and has the bytes now.
    Created,
    /// The key was there and is unchanged.
    Existed,
}

/// Why a call failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BlobError {
    /// No blob has the key.
    #[error("no blob at `{key}`")]
    NotFound {
        /// The key.
        key: String,
    },
    /// The store does not answer now.
    #[error("store is unavailable for `{key}`: {why}")]
    Unavailable {
        /// The key or prefix.
        key: String,
        /// What the backend said, without credentials.
        why: String,
    },
    /// Credentials or permissions do not suffice.
    #[error("access to `{key}` is denied: {why}")]
    Denied {
        /// The key or prefix.
        key: String,
        /// What the backend said, without credentials.
        why: String,
    },
    /// The stored bytes are not what they must be.
    #[error("blob at `{key}` is corrupt: {why}")]
    Corrupt {
        /// The key.
        key: String,
        /// What is wrong.
        why: String,
    },
    /// Anything else.
    #[error("store call for `{key}` failed: {why}")]
    Other {
        /// The key or prefix.
        key: String,
        /// What the backend said, without credentials.
        why: String,
    },
}

impl BlobError {
    /// Whether the same call may succeed later.
    #[must_use]
    pub const fn is_transient(&self) -> bool {
        match self {
            Self::Unavailable { .. } => true,
            Self::NotFound { .. } | Self::Denied { .. } | Self::Corrupt { .. } | Self::Other { .. } => false,
        }
    }
}

/// A store of blobs. Keys are `/`-separated, relative, without empty, `.` or `..` parts.
#[async_trait]
pub trait BlobStore: Send + Sync + core::fmt::Debug {
    /// Writes whole or not at all; replaces what is there.
    async fn put(&self, key: &str, bytes: Vec<u8>) -> Result<(), BlobError>;
    /// Writes only when nothing is there.
    async fn put_if_absent(&self, key: &str, bytes: Vec<u8>) -> Result<Written, BlobError>;
    /// The bytes; [`BlobError::NotFound`] when absent.
    async fn get(&self, key: &str) -> Result<Vec<u8>, BlobError>;
    /// Whether the key has a blob.
    async fn exists(&self, key: &str) -> Result<bool, BlobError>;
    /// All keys that start with `prefix`, a literal text, in byte order, without a delimiter.
    async fn list(&self, prefix: &str) -> Result<Vec<String>, BlobError>;
    /// Deletes; an absent key is no error.
    async fn delete(&self, key: &str) -> Result<(), BlobError>;
}
