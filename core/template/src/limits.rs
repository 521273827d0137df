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
    /// 50 million steps, 1,000 templates, 12,000 levels, 64 MiB of output and per text, 512 MiB of values.
    fn default() -> Self {
        Self {
            steps: 50_000_000,
            templates: 1_000,
            nesting: 12_000,
            output: 64 << 20,
            heap: 512 << 20,
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

/// Bytes, about, of the plain copy of one value that a function writes as JSON, YAML or TOML.
pub const MAX_PLAIN: usize = 256 << 20;

/// Which bound was met, and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// [`Limits::steps`].
    Steps(u64),
    /// [`Limits::templates`].
    Templates(usize),
    /// [`Limits::nesting`].
    Nesting(usize),
    /// [`Limits::output`].
    Output(usize),
    /// [`Limits::heap`].
    Heap(usize),
    /// [`Limits::text`].
    Text(usize),
    /// [`MAX_SOURCE`].
    Source,
    /// [`MAX_PARSE_DEPTH`].
    ParseDepth,
    /// [`MAX_VALUE_DEPTH`].
    ValueDepth,
    /// [`MAX_PLAIN`].
    Plain,
    /// Bytes of a compiled regular expression.
    Expression(usize),
    /// The cancel flag was raised.
    Cancelled,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, number) = match *self {
            Self::Steps(steps) => ("template steps", steps),
            Self::Templates(templates) => ("template recursion", templates as u64),
            Self::Nesting(levels) => ("nesting while executing", levels as u64),
            Self::Output(bytes) => ("template output", bytes as u64),
            Self::Heap(bytes) => ("template memory", bytes as u64),
            Self::Text(bytes) => ("the length of a text", bytes as u64),
            Self::Source => ("template size", MAX_SOURCE as u64),
            Self::ParseDepth => ("template nesting", MAX_PARSE_DEPTH as u64),
            Self::ValueDepth => ("value nesting", MAX_VALUE_DEPTH as u64),
            Self::Plain => ("the memory of a value that is written", MAX_PLAIN as u64),
            Self::Expression(bytes) => ("the size of a compiled regular expression", bytes as u64),
            Self::Cancelled => return f.write_str("cancelled"),
        };
        write!(f, "limit of {name} exceeded ({number})")
    }
}
