//! Recorded cases: a line of JSON each, the first names the tool.

use std::fs;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{Answer, Question, generate};

/// A case with Helm's answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// What it is about: a function, or what once differed.
    pub about: String,
    /// What was asked: a template of the chart that all generated templates are put into,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// or a chart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chart: Option<Question>,
    /// What Helm answered.
    pub answer: Answer,
}

impl Row {
    /// What was asked.
    #[must_use]
    pub fn question(&self) -> Question {
        match (&self.chart, &self.template) {
            (Some(chart), _) => chart.clone(),
            (None, template) => generate::question(&generate::Body {
                definitions: String::new(),
                text: template.clone().unwrap_or_default(),
            }),
        }
    }
}

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data/helm").join(name)
}

/// Cases that once differed.
///
/// # Panics
/// When they cannot be read.
#[must_use]
pub fn found() -> Vec<Row> {
    read("found.jsonl")
}

/// Calls of Helm's own functions.
///
/// # Panics
/// When they cannot be read.
#[must_use]
pub fn functions() -> Vec<Row> {
    read("functions.jsonl")
}

/// Helm's and Go's own types as templates see them.
///
/// # Panics
/// When they cannot be read.
#[must_use]
pub fn objects() -> Vec<Row> {
    read("objects.jsonl")
}

fn read(name: &str) -> Vec<Row> {
    let text = fs::read_to_string(path(name)).unwrap_or_default();
    let rows = text.lines().skip(1);
    rows.map(|line| serde_json::from_str(line).expect("a row a line"))
        .collect()
}

/// Writes a table of `tool`'s answers.
///
/// # Panics
/// When it cannot be written.
pub fn write(name: &str, tool: &str, rows: &[Row]) {
    let mut text = format!("{}\n", serde_json::json!({ "tool": tool }));
    for row in rows {
        text.push_str(&serde_json::to_string(row).expect("a row is JSON"));
        text.push('\n');
    }
    fs::write(path(name), text).expect("the table can be written");
}
