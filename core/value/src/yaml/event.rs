//! What the parser finds: the grammar's view of the tokens.

use alloc::borrow::Cow;

use super::error::Mark;
use super::token::Style;

/// A tag as far as the readers tell tags apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tag {
    /// No tag.
    None,
    /// `!`: explicitly not resolved.
    NonSpecific,
    Null,
    Bool,
    Str,
    Int,
    Float,
    Timestamp,
    Binary,
    Merge,
    /// Any other: what carries it stays text.
    Other,
}

impl Tag {
    /// The tag that `name` is, in its long form.
    pub(super) fn from_long(name: &str) -> Self {
        match name.strip_prefix("tag:yaml.org,2002:") {
            Some("null") => Self::Null,
            Some("bool") => Self::Bool,
            Some("str") => Self::Str,
            Some("int") => Self::Int,
            Some("float") => Self::Float,
            Some("timestamp") => Self::Timestamp,
            Some("binary") => Self::Binary,
            Some("merge") => Self::Merge,
            None if name == "!" => Self::NonSpecific,
            Some(_) | None => Self::Other,
        }
    }

    /// The short form, as errors show it.
    pub(super) fn short(self) -> &'static str {
        match self {
            Self::None | Self::NonSpecific | Self::Other => "!",
            Self::Null => "!!null",
            Self::Bool => "!!bool",
            Self::Str => "!!str",
            Self::Int => "!!int",
            Self::Float => "!!float",
            Self::Timestamp => "!!timestamp",
            Self::Binary => "!!binary",
            Self::Merge => "!!merge",
        }
    }
}

/// A scalar with all that says what it means.
#[derive(Clone, Debug)]
pub(super) struct Scalar<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) style: Style,
    pub(super) tag: Tag,
    /// Whether it stands in a sequence or mapping with brackets.
    pub(super) in_flow: bool,
}

#[derive(Debug)]
pub(super) enum Event<'a> {
    StreamEnd,
    DocumentStart,
    DocumentEnd,
    Alias(&'a str),
    Scalar {
        scalar: Scalar<'a>,
        anchor: Option<&'a str>,
    },
    SequenceStart {
        anchor: Option<&'a str>,
    },
    SequenceEnd,
    MappingStart {
        anchor: Option<&'a str>,
    },
    MappingEnd,
}

/// An event and where it begins.
pub(super) type Located<'a> = (Event<'a>, Mark);
