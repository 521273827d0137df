//! A store of blobs under keys.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

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
    /// What kind of failure it is, as a label of metrics.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => "not_found",
            Self::Unavailable { .. } => "unavailable",
            Self::Denied { .. } => "denied",
            Self::Corrupt { .. } => "corrupt",
            Self::Other { .. } => "other",
        }
    }

    /// Whether the same call may succeed later.
    #[must_use]
    pub const fn is_transient(&self) -> bool {
        match self {
            Self::Unavailable { .. } => true,
            Self::NotFound { .. } | Self::Denied { .. } | Self::Corrupt { .. } | Self::Other { .. } => false,
        }
    }
}

/// The bytes of one blob in order, piece by piece, so that nobody holds all of them.
#[async_trait]
pub trait Pieces: Send {
    /// The next piece, never empty; `None` at the end. Nothing may be asked after an error.
    async fn next(&mut self) -> Result<Option<Vec<u8>>, BlobError>;
}

/// A store of blobs. Keys are `/`-separated, relative, without empty, `.` or `..` parts.
#[async_trait]
pub trait BlobStore: Send + Sync + core::fmt::Debug {
    /// Writes whole or not at all; replaces what is there.
    async fn put(&self, key: &str, bytes: Vec<u8>) -> Result<(), BlobError>;
    /// As [`put`](Self::put), holding a few pieces at a time. When `pieces` fails, nothing is written and the answer is
    /// its error.
    async fn put_pieces(&self, key: &str, pieces: &mut dyn Pieces) -> Result<(), BlobError>;
    /// Writes only when nothing is there.
    async fn put_if_absent(&self, key: &str, bytes: Vec<u8>) -> Result<Written, BlobError>;
    /// The bytes; [`BlobError::NotFound`] when absent.
    async fn get(&self, key: &str) -> Result<Vec<u8>, BlobError>;
    /// As [`get`](Self::get), piece by piece. They are of one version of the blob, or end in an error.
    async fn get_pieces(&self, key: &str) -> Result<Box<dyn Pieces>, BlobError>;
    /// Whether the key has a blob.
    async fn exists(&self, key: &str) -> Result<bool, BlobError>;
    /// All keys that start with `prefix`, a literal text, in byte order, without a delimiter.
    async fn list(&self, prefix: &str) -> Result<Vec<String>, BlobError>;
    /// Deletes; an absent key is no error.
    async fn delete(&self, key: &str) -> Result<(), BlobError>;
    /// Deletes many in as few calls as the backend can, in any order. Answers the keys that may be there still, each
    /// with why; an absent key is no error.
    async fn delete_many(&self, keys: Vec<String>) -> Vec<(String, BlobError)>;
    /// The calls since the store was opened.
    fn calls(&self) -> StoreCalls {
        StoreCalls::default()
    }
}

/// What calls of one kind with one answer came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallTotal {
    /// How many.
    pub calls: u64,
    /// Bytes of blobs that they carried, either way.
    pub bytes: u64,
    /// Time that they took together, the wait for their turn included.
    pub time: Duration,
}

/// Counters of a store's calls by kind (the name of the method) and answer (`ok`, `not_found`, `unavailable`, `denied`,
/// `corrupt`, `other`): few names, so that they may be labels of a metric.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoreCalls {
    /// By kind and answer.
    pub totals: BTreeMap<(&'static str, &'static str), CallTotal>,
    /// Requests that went to a server for them, pages of lists, parts of blobs and retries among them.
    pub requests: u64,
}

impl StoreCalls {
    /// How many calls of a kind there were, whatever their answer.
    #[must_use]
    pub fn of(&self, kind: &str) -> u64 {
        let totals = self.totals.iter().filter(|((call, _), _)| *call == kind);
        totals.map(|(_, total)| total.calls).sum()
    }
}
