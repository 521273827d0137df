//! What goes wrong, in Go's words.

use alloc::boxed::Box;
use alloc::string::{String, ToString as _};

use crate::Limit;

/// A template that cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("template: {template}:{line}: {message}")]
pub struct ParseError {
    /// The name under which the text was parsed.
    pub template: String,
    /// Line, from 1.
    pub line: usize,
    /// What is wrong, as Go says it.
    pub message: String,
    /// The bound that was met, if that is the reason.
    pub limit: Option<Limit>,
}

/// An execution that failed. What was written until then is lost.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct ExecError {
    /// The whole text as Go prints it: place, context, message.
    pub text: String,
    /// The template that was executing.
    pub template: String,
    /// Line, from 1; 0 when there is no place.
    pub line: usize,
    /// Column in bytes, from 0 as Go counts.
    pub column: usize,
    /// The bound that was met, if that is the reason.
    pub limit: Option<Limit>,
}

/// What a function answers instead of a value; the engine puts the place in front.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CallError {
    message: Box<str>,
    limit: Option<Limit>,
}

impl CallError {
    /// An error with this text.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into().into_boxed_str(),
            limit: None,
        }
    }

    /// The bound that was met, if that is the reason.
    #[must_use]
    pub fn limit(&self) -> Option<Limit> {
        self.limit
    }
}

impl From<Limit> for CallError {
    fn from(limit: Limit) -> Self {
        Self {
            message: limit.to_string().into_boxed_str(),
            limit: Some(limit),
        }
    }
}

impl From<String> for CallError {
    fn from(message: String) -> Self {
        Self::new(message)
    }
}

impl From<&str> for CallError {
    fn from(message: &str) -> Self {
        Self::new(message)
    }
}

impl From<ExecError> for CallError {
    fn from(error: ExecError) -> Self {
        Self {
            message: error.text.into_boxed_str(),
            limit: error.limit,
        }
    }
}

impl From<ParseError> for CallError {
    fn from(error: ParseError) -> Self {
        Self {
            message: error.to_string().into_boxed_str(),
            limit: error.limit,
        }
    }
}
