//! Bounds on what the readers accept.

use alloc::format;
use alloc::string::String;

/// The deepest nesting that [`Limits::depth`] can ask for: values are walked and dropped recursively, so that
/// a larger number would put the stack at risk.
pub const MAX_DEPTH: usize = 1_000;

/// Bounds on one input text. A breach is an error that names the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the text.
    pub bytes: usize,
    /// Nesting depth of sequences and mappings; values above [`MAX_DEPTH`] count as that.
    pub depth: usize,
    /// Bytes that aliases may add to one document (YAML only).
    pub alias_bytes: usize,
    /// Documents in one stream (YAML only).
    pub documents: usize,
}

impl Default for Limits {
    /// 16 MiB of text, depth 200, 10 MiB from aliases, 10,000 documents.
    fn default() -> Self {
        Self {
            bytes: 16 << 20,
            depth: 200,
            alias_bytes: 10 << 20,
            documents: 10_000,
        }
    }
}

impl Limits {
    /// The depth that is enforced.
    pub(crate) fn effective_depth(&self) -> usize {
        self.depth.min(MAX_DEPTH)
    }
}

/// What a number in a text becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Numbers {
    /// Integers stay integers, as Kubernetes reads objects.
    #[default]
    Exact,
    /// Whatever is no text keeps its text, as [`crate::Number::Big`]: nulls, booleans, times and numbers alike. Only
    /// the Kustomize reader knows it; what such a text is, `yaml::kustomize::plain` says.
    AsWritten,
    /// Every number is a float, as Go's `encoding/json` reads into an untyped value: Helm's values, `fromYaml` and
    /// `fromJson`.
    Float,
}

/// The words for a bound that is passed; `of` is what is bounded.
pub(crate) fn passes(of: &str, limit: usize) -> String {
    match of {
        "levels of nesting" => format!("the nesting passes the limit of {limit}"),
        of => format!("the text passes the limit of {limit} {of}"),
    }
}
