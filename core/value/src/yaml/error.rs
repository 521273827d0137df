//! Why a text is not the YAML that a reader accepts.
//!
//! # Invariant
//! What an error shows of itself holds nothing of the text: a Secret's value may stand anywhere in it, even where its
//! author meant a key or an alias. Only [`Error::go_message`] quotes the text, as Go's libraries do.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;

use crate::limits::passes;

/// What kind of defect it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Bytes that are no text, or characters that YAML forbids.
    Encoding,
    /// The text breaks the grammar.
    Syntax,
    /// An alias names no anchor.
    UnknownAnchor,
    /// An alias names a node that holds the alias itself.
    Alias,
    /// A key stands twice in one mapping, for a reader that refuses that.
    DuplicateKey,
    /// A key that has no form as text (a null, a sequence, a mapping).
    Key,
    /// `<<` with something that is no mapping.
    Merge,
    /// A value that does not fit its tag, or that JSON cannot hold (`.nan`, `.inf`).
    Value,
    /// A bound of [`crate::Limits`] is passed, or go-yaml's own on aliases.
    Limit {
        /// What is bounded.
        of: &'static str,
        /// The bound.
        limit: usize,
    },
}

/// A text that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} at line {} column {}", .0.message, .0.line, .0.column)]
pub struct Error(Box<Details>);

/// What an error holds; apart, so that results stay small.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Details {
    kind: ErrorKind,
    grammatical: bool,
    message: Cow<'static, str>,
    line: usize,
    column: usize,
    go: String,
}

impl Error {
    /// `message` holds nothing of the text; `go` is the whole of Go's text.
    pub(super) fn new(kind: ErrorKind, message: impl Into<Cow<'static, str>>, mark: Mark, go: String) -> Self {
        let (line, column) = (mark.line as usize + 1, mark.column as usize + 1);
        let grammatical = match kind {
            ErrorKind::Encoding | ErrorKind::Syntax | ErrorKind::UnknownAnchor | ErrorKind::Limit { .. } => true,
            ErrorKind::Alias | ErrorKind::DuplicateKey | ErrorKind::Key | ErrorKind::Merge | ErrorKind::Value => false,
        };
        Self(Box::new(Details {
            kind,
            grammatical,
            message: message.into(),
            line,
            column,
            go,
        }))
    }

    /// A limit of ours, which Go's libraries do not know.
    pub(super) fn limit(of: &'static str, limit: usize, mark: Mark) -> Self {
        let message = passes(of, limit);
        let go = format!("yaml: line {}: {message}", mark.line + 1);
        Self::new(ErrorKind::Limit { of, limit }, message, mark, go)
    }

    /// go-yaml's limit on the share of a document that aliases make up. Go looks at it after the grammar.
    pub(super) fn alias_share(mark: Mark) -> Self {
        let message = "aliases pass go-yaml's limit of 99% of a document's nodes, or less (down to 10%) of more than \
                       400000 nodes";
        let go = "yaml: document contains excessive aliasing".into();
        let kind = ErrorKind::Limit {
            of: "percent of a document by aliases",
            limit: 99,
        };
        let mut error = Self::new(kind, message, mark, go);
        error.0.grammatical = false;
        error
    }

    /// Whether the error stands before all those that concern values.
    pub(super) fn is_grammatical(&self) -> bool {
        self.0.grammatical
    }

    /// What kind of defect it is.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The defect, without its place and without anything of the text.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Line, from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        self.0.line
    }

    /// Column in characters, from 1.
    #[must_use]
    pub fn column(&self) -> usize {
        self.0.column
    }

    /// The text of the Go library's error, with the line as that library counts it: templates can print it, so
    /// that it is part of what a chart renders to. It quotes the text, so that it may hold a Secret's value.
    #[must_use]
    pub fn go_message(&self) -> &str {
        &self.0.go
    }

    /// The same error, its lines counted from `first` (from 1) on: for a text that was cut out of another.
    #[must_use]
    pub fn with_first_line(mut self, first: usize) -> Self {
        self.0.line += first.saturating_sub(1);
        self
    }
}

/// A place in the text: line and column from 0, index and column in characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) index: u32,
    pub(super) line: u32,
    pub(super) column: u32,
}

impl Mark {
    /// The beginning of a line, counted from 1.
    pub(super) fn at_line(line: usize) -> Self {
        Self {
            line: u32::try_from(line.saturating_sub(1)).unwrap_or(u32::MAX),
            ..Self::default()
        }
    }
}

/// What is wrong with a line that begins with `---` and goes on.
pub(super) const BAD_SEPARATOR: &str = "a document separator has more than a comment behind it";

/// Which layer found a defect of syntax: Go's libraries count its line differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layer {
    Reader,
    Scanner,
    Parser,
}

/// A defect of syntax, before it is known which library's words to use.
#[derive(Clone, Debug)]
pub(super) struct Defect {
    pub(super) layer: Layer,
    pub(super) problem: &'static str,
    pub(super) problem_mark: Mark,
    pub(super) context_mark: Mark,
}

/// Which library a reader follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// `go.yaml.in/yaml/v2` below `sigs.k8s.io/yaml`.
    Helm,
    /// `go.yaml.in/yaml/v3` below kyaml.
    Kustomize,
}

impl Defect {
    /// The error that the library of `dialect` gives for this defect.
    pub(super) fn into_error(self, dialect: Dialect) -> Error {
        let kind = if self.layer == Layer::Reader {
            ErrorKind::Encoding
        } else {
            ErrorKind::Syntax
        };
        let go = match self.go_line(dialect) {
            0 => format!("yaml: {}", self.problem),
            line => format!("yaml: line {line}: {}", self.problem),
        };
        Error::new(kind, self.problem, self.problem_mark, go)
    }

    /// The line that Go prints, 0 for none: it counts from 0 for the parser and from 1 for the scanner.
    fn go_line(&self, dialect: Dialect) -> u32 {
        if self.layer == Layer::Reader {
            return 0;
        }
        let (first, second) = match dialect {
            Dialect::Helm => (self.problem_mark.line, self.context_mark.line),
            Dialect::Kustomize => (self.context_mark.line, self.problem_mark.line),
        };
        let scanner = u32::from(self.layer == Layer::Scanner);
        if first != 0 {
            first + scanner
        } else if second != 0 {
            second + if dialect == Dialect::Kustomize { scanner } else { 0 }
        } else {
            0
        }
    }
}
