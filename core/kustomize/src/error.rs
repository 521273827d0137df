//! Why a build fails.

use alloc::string::String;

/// A build that fails: which file, which field of it and which object are at fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No kustomization, or more than one, in a directory.
    #[error("`{directory}`: {problem}")]
    Missing {
        /// The directory.
        directory: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A file that cannot be used.
    #[error("`{file}`: {problem}")]
    File {
        /// The file.
        file: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A kustomization's field that cannot be applied.
    #[error("`{file}`: `{field}`: {problem}")]
    Field {
        /// The kustomization.
        file: String,
        /// Its field.
        field: &'static str,
        /// What is wrong, with the object at fault where there is one.
        problem: String,
    },
    /// Something that is fetched from elsewhere.
    #[error("`{file}`: `{field}`: `{url}` is remote, and nothing is fetched")]
    Remote {
        /// The kustomization.
        file: String,
        /// Its field.
        field: &'static str,
        /// Where it is.
        url: String,
    },
    /// A bound is passed.
    #[error("the build passes the limit of {limit} {of}")]
    Limit {
        /// What is bounded.
        of: &'static str,
        /// The bound.
        limit: usize,
    },
}
