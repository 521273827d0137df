//! Why a build fails.

use alloc::string::{String, ToString as _};

use crate::meter::Breach;

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
    #[error("{message}")]
    Limit {
        /// Where, and which bound.
        message: String,
        /// What is bounded.
        of: &'static str,
        /// The bound.
        limit: usize,
    },
    /// The caller's flag went up.
    #[error("{message}")]
    Cancelled {
        /// Where.
        message: String,
    },
}

impl Error {
    /// The error as what it is when a bound was passed on the way to it.
    pub(crate) fn because(self, breach: Option<Breach>) -> Self {
        let message = self.to_string();
        match breach {
            None => self,
            Some(Breach::Limit { of, limit }) => Self::Limit { message, of, limit },
            Some(Breach::Cancelled) => Self::Cancelled { message },
        }
    }
}
