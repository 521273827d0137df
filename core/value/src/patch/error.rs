//! Why a patch does not apply.

use alloc::string::String;

/// A patch that is none, or does not apply; the document is as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The patch is no list of operations, or an operation lacks a member or names no known kind.
    #[error("the patch is malformed: {0}")]
    Malformed(&'static str),
    /// Operation number `index` (from 0): what its path names is not there, or is no collection.
    #[error("operation {index}: the path `{path}` is missing")]
    Missing {
        /// Which operation.
        index: usize,
        /// Its path, or the path that it takes from.
        path: String,
    },
    /// Operation number `index` (from 0) tests for another value.
    #[error("operation {index}: the value at `{path}` is not the one that is tested for")]
    TestFailed {
        /// Which operation.
        index: usize,
        /// The path that it tests.
        path: String,
    },
    /// A bound is passed.
    #[error("the patch passes the limit of {limit} {of}")]
    Limit {
        /// What is bounded.
        of: &'static str,
        /// The bound.
        limit: usize,
    },
}
