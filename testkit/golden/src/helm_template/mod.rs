//! Whole charts through our engine and through Helm's: what is asked, what is answered, and who answers.
//!
//! - [`generate`] makes questions from a seed.
//! - [`Sdk`] is Helm's own code in one process that answers any number of questions, refusals too.
//! - [`ask_command`] is `helm template` itself: many templates in one chart, one process.
//! - [`found`] holds cases that once differed.

mod command;
mod difference;
pub mod functions;
pub mod generate;
pub mod objects;
mod ours;
mod rows;
mod sdk;

pub use command::ask_command;
pub use difference::{Difference, differences, is_known, same};
pub use ours::{answer, on_a_large_stack};
pub use rows::{Row, found, functions as function_rows, objects as object_rows, write};
pub use sdk::Sdk;

use serde::{Deserialize, Serialize};

/// A chart, and what `helm template rel CHART -n ns` is given with it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// Paths below the chart's folder, with their texts.
    pub files: Vec<(String, String)>,
    /// Texts of values files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    /// `--set` and its kin, with their texts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sets: Vec<(String, String)>,
}

/// What is printed, or the error after `Error: `.
pub type Answer = Result<String, String>;

impl Question {
    /// The files of a chart that has nothing but its name.
    #[must_use]
    pub fn chart(name: &str) -> Self {
        Self {
            files: vec![(
                "Chart.yaml".into(),
                format!("apiVersion: v2\nname: {name}\nversion: 1.2.3\nappVersion: \"4.5\"\n"),
            )],
            ..Self::default()
        }
    }

    /// The same with another file.
    #[must_use]
    pub fn with(mut self, path: impl Into<String>, text: impl Into<String>) -> Self {
        self.files.push((path.into(), text.into()));
        self
    }
}
