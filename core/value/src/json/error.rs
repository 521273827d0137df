//! Why a text is not JSON.
//!
//! # Invariant
//! What an error displays holds nothing of the text, which may be a secret. Only [`Error::message`] quotes it, as Go
//! does.

use alloc::string::String;

/// What kind of defect it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text breaks the grammar.
    Syntax,
    /// The text ends too early.
    Eof,
    /// A number is beyond what a float holds.
    Number,
    /// A bound of [`crate::Limits`] is passed.
    Limit {
        /// What is bounded.
        of: &'static str,
        /// The bound.
        limit: usize,
    },
}

/// A text that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{shown} at line {line} column {column}")]
pub struct Error {
    pub(super) kind: ErrorKind,
    /// The defect without anything of the text.
    pub(super) shown: String,
    /// Go's words, wherever Go has some.
    pub(super) message: String,
    pub(super) line: usize,
    pub(super) column: usize,
}

impl Error {
    /// What kind of defect it is.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// What Go's `encoding/json` says, without the place: templates can print it. It quotes the text, so that it may
    /// hold a secret; what the error displays does not.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Line, from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        self.line
    }

    /// Column in bytes, from 1.
    #[must_use]
    pub fn column(&self) -> usize {
        self.column
    }
}
