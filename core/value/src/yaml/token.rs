//! What the scanner finds.

use alloc::borrow::Cow;

use super::error::Mark;

/// How a scalar was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    Quoted,
    Block,
    /// A block in which line breaks are folded.
    Folded,
}

/// One piece of the text, or a boundary that indentation implies.
#[derive(Debug)]
pub(super) enum Kind<'a> {
    StreamEnd,
    VersionDirective { major: u8, minor: u8 },
    TagDirective { handle: &'a str, prefix: Cow<'a, str> },
    DocumentStart,
    DocumentEnd,
    BlockSequenceStart,
    BlockMappingStart,
    BlockEnd,
    FlowSequenceStart,
    FlowSequenceEnd,
    FlowMappingStart,
    FlowMappingEnd,
    BlockEntry,
    FlowEntry,
    Key,
    Value,
    Alias(&'a str),
    Anchor(&'a str),
    Tag { handle: &'a str, suffix: Cow<'a, str> },
    Scalar { text: Cow<'a, str>, style: Style },
}

#[derive(Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind<'a>,
    pub(super) mark: Mark,
}
