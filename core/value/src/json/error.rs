//! Why a text is not JSON.

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
    /// A bound of [`crate::Limits`] is passed; the message names it.
    Limit,
}

/// A text that could not be read; the message is Go's wherever Go has one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message} at line {line} column {column}")]
pub struct Error {
    pub(super) kind: ErrorKind,
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

    /// What Go's `encoding/json` says, without the place.
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
