//! Bounds on parsing and executing, and the name of the one that was met.

use core::fmt;

/// Bounds on one [`Context`](crate::Context) and on what is parsed for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Steps: nodes walked, commands evaluated, and what functions charge for their work.
    pub steps: u64,
    /// Templates within templates, by `template`, `include` or whatever calls back.
    pub templates: usize,
    /// Nested blocks, parentheses and templates while executing. Each level takes up to 2 KiB of stack in an
    /// optimised build, so that the default needs a thread with 32 MiB.
    pub nesting: usize,
    /// Bytes that one execution may write.
    pub output: usize,
    /// Bytes of dictionaries, lists and texts made while executing; what is dropped is not given back.
    pub heap: usize,
    /// Bytes of one text that a function makes.
    pub text: usize,
}

impl Default for Limits {
    /// 50 million steps, 1,000 templates, 12,000 levels, 64 MiB of output and per text, 1 GiB of values.
    fn default() -> Self {
        Self {
            steps: 50_000_000,
            templates: 1_000,
            nesting: 12_000,
            output: 64 << 20,
            heap: 1 << 30,
            text: 64 << 20,
        }
    }
}

/// Bytes of one template's source.
pub const MAX_SOURCE: usize = 16 << 20;

/// Depth of blocks and parentheses in one template's source.
pub const MAX_PARSE_DEPTH: usize = 200;

/// Depth of values within values that a printer or a comparison follows.
pub const MAX_VALUE_DEPTH: usize = 200;

/// Which bound was met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// [`Limits::steps`].
    Steps,
    /// [`Limits::templates`].
    Templates,
    /// [`Limits::nesting`].
    Nesting,
    /// [`Limits::output`].
    Output,
    /// [`Limits::heap`].
    Heap,
    /// [`Limits::text`].
    Text,
    /// [`MAX_SOURCE`].
    Source,
    /// [`MAX_PARSE_DEPTH`].
    ParseDepth,
    /// [`MAX_VALUE_DEPTH`].
    ValueDepth,
    /// The cancel flag was raised.
    Cancelled,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Steps => "limit of template steps exceeded",
            Self::Templates => "limit of template recursion exceeded",
            Self::Nesting => "limit of nesting while executing exceeded",
            Self::Output => "limit of template output exceeded",
            Self::Heap => "limit of template memory exceeded",
            Self::Text => "limit of the length of a text exceeded",
            Self::Source => "limit of template size exceeded",
            Self::ParseDepth => "limit of template nesting exceeded",
            Self::ValueDepth => "limit of value nesting exceeded",
            Self::Cancelled => "cancelled",
        })
    }
}
