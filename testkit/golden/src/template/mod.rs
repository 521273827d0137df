//! Templates with Sprig, against Go's `text/template` with Sprig at the versions that Helm is built of.
//!
//! - [`spec`] says what each function takes, [`generate`] makes calls and whole templates from a seed.
//! - [`ours`] renders a case with our engine, [`oracle`] asks Go, one process for a batch.

pub mod generate;
pub mod known;
pub mod oracle;
pub mod ours;
pub mod pools;
pub mod random;
pub mod record;
pub mod shape;
pub mod spec;

use serde::{Deserialize, Serialize};

/// A template to execute on the [data](spec::DATA) of all cases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// The source.
    pub template: String,
    /// `default`, `zero` or `error`.
    #[serde(default = "zero")]
    pub missing: String,
}

fn zero() -> String {
    "zero".into()
}

impl Case {
    /// A case with Helm's rule for absent keys.
    #[must_use]
    pub fn new(template: impl Into<String>) -> Self {
        Self {
            template: template.into(),
            missing: zero(),
        }
    }
}

/// What came of a case: the text in base64, or the error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// What was written.
    Ok(String),
    /// Why the template cannot be parsed.
    Parse(String),
    /// Why executing it failed.
    Error(String),
}

/// A case and its recorded answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recorded {
    /// The function it is about.
    pub function: String,
    /// The template.
    pub template: String,
    /// What Go answered.
    pub answer: Answer,
}
