//! Recorded answers.
//!
//! A table is a file of JSON lines: first what answered, then one case a line. Recorded tables are compared on
//! every run; `cargo run -p convoy-testkit-golden --bin record` asks the tools again.

use std::fs;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::oracle::Op;

/// What answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tool {
    /// Names and versions.
    pub tool: String,
}

/// A question and its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// What is asked.
    pub op: Op,
    /// The text; Latin-1 characters stand for bytes if `bytes` is set.
    pub text: String,
    /// Whether `text` holds bytes.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub bytes: bool,
    /// The answer, unless the text is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ok: Option<String>,
    /// Why the text is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub err: Option<String>,
}

impl Case {
    /// A case with its answer.
    #[must_use]
    pub fn new(op: Op, text: &[u8], answer: Result<String, String>) -> Self {
        let (ok, err) = match answer {
            Ok(ok) => (Some(ok), None),
            Err(err) => (None, Some(err)),
        };
        match str::from_utf8(text) {
            Ok(text) => Self {
                op,
                text: text.into(),
                bytes: false,
                ok,
                err,
            },
            Err(_) => Self {
                op,
                text: text.iter().map(|&b| char::from(b)).collect(),
                bytes: true,
                ok,
                err,
            },
        }
    }

    /// The bytes that were asked about.
    #[must_use]
    pub fn input(&self) -> Vec<u8> {
        if self.bytes {
            self.text
                .chars()
                .map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?'))
                .collect()
        } else {
            self.text.clone().into_bytes()
        }
    }

    /// The recorded answer.
    ///
    /// # Errors
    /// When the text was refused.
    pub fn answer(&self) -> Result<&str, &str> {
        match (&self.ok, &self.err) {
            (Some(ok), _) => Ok(ok),
            (None, err) => Err(err.as_deref().unwrap_or_default()),
        }
    }
}

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("data")
        .join(format!("{name}.jsonl"))
}

/// The table `name`.
///
/// # Panics
/// When it cannot be read.
#[must_use]
pub fn load(name: &str) -> (Tool, Vec<Case>) {
    let text = fs::read_to_string(path(name)).expect("the table is there");
    let mut lines = text.lines();
    let tool = serde_json::from_str(lines.next().unwrap_or_default()).expect("the first line names the tool");
    (
        tool,
        lines
            .map(|line| serde_json::from_str(line).expect("a case a line"))
            .collect(),
    )
}

/// Writes the table `name`.
///
/// # Panics
/// When it cannot be written.
pub fn save(name: &str, tool: &Tool, cases: &[Case]) {
    let mut text = serde_json::to_string(tool).expect("a tool is JSON");
    text.push('\n');
    for case in cases {
        text.push_str(&serde_json::to_string(case).expect("a case is JSON"));
        text.push('\n');
    }
    fs::write(path(name), text).expect("the table can be written");
}
