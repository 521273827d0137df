//! Why something failed, in two renderings: Helm's, which may quote values, and one that holds none.

use alloc::string::String;
use core::fmt;

use convoy_value::yaml;

/// A text as `helm template` prints it, and the same without anything that a value may have put into it.
///
/// # Invariant
/// What is displayed, and what a debug print shows, holds no part of a value: a Secret may have given it. Only
/// [`Reason::go_text`] quotes values.
#[derive(Clone, PartialEq, Eq)]
pub struct Reason {
    go: String,
    /// Absent if both are the same.
    shown: Option<String>,
}

impl Reason {
    /// A text that quotes no value.
    pub(crate) fn plain(text: impl Into<String>) -> Self {
        Self {
            go: text.into(),
            shown: None,
        }
    }

    /// Helm's text, and what is shown in its place.
    pub(crate) fn hiding(go: impl Into<String>, shown: impl Into<String>) -> Self {
        Self {
            go: go.into(),
            shown: Some(shown.into()),
        }
    }

    /// Why a text is no YAML: with its place in place of what stands there.
    pub(crate) fn yaml(error: &yaml::Error) -> Self {
        Self::hiding(error.go_message(), alloc::format!("{error}"))
    }

    /// The same behind `prefix` in both renderings.
    pub(crate) fn after(self, prefix: &str) -> Self {
        let behind = |text: String| [prefix, &text].concat();
        Self {
            go: behind(self.go),
            shown: self.shown.map(behind),
        }
    }

    /// As Helm prints it; it may quote values.
    #[must_use]
    pub fn go_text(&self) -> &str {
        &self.go
    }

    /// Without values.
    #[must_use]
    pub fn shown(&self) -> &str {
        self.shown.as_deref().unwrap_or(&self.go)
    }
}

/// Of texts that quote no value: kinds, names of fields, and files of the chart.
impl From<String> for Reason {
    fn from(text: String) -> Self {
        Self::plain(text)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.shown())
    }
}

impl fmt::Debug for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.shown(), f)
    }
}
