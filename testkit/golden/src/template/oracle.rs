//! Go's answers.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::Value as Json;

use super::{Answer, Case, spec};
use crate::components;
use crate::encoding::from_base64;

/// The versions that answer, if the oracle is installed.
///
/// # Panics
/// When it does not run.
#[must_use]
pub fn version() -> Option<String> {
    let program = components::find("template-oracle")?;
    let output = Command::new(program).arg("version").output().expect("the oracle runs");
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Go's answers to `cases`, if the oracle is installed.
///
/// # Panics
/// When it fails, or answers something else than agreed.
#[must_use]
pub fn ask(cases: &[Case]) -> Option<Vec<Answer>> {
    let program = components::find("template-oracle")?;
    let data: Json = serde_json::from_str(spec::DATA).expect("the data is JSON");
    let mut child = Command::new(program)
        .env("TZ", "UTC")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the oracle starts");
    let mut stdin = child.stdin.take().expect("the oracle listens");
    let lines: Vec<String> = cases
        .iter()
        .map(|case| {
            let line = serde_json::json!({
                "template": case.template, "missing": case.missing, "data": data, "sprig": true,
            });
            format!("{line}\n")
        })
        .collect();
    let writer = std::thread::spawn(move || {
        for line in lines {
            stdin.write_all(line.as_bytes()).expect("the oracle reads");
        }
    });
    let output = child.wait_with_output().expect("the oracle ends");
    writer.join().expect("all cases were written");
    assert!(
        output.status.success(),
        "the oracle failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).expect("answers are text");
    let answers: Vec<Answer> = text.lines().map(answer).collect();
    assert_eq!(answers.len(), cases.len(), "an answer for each case");
    Some(answers)
}

fn answer(line: &str) -> Answer {
    let json: Json = serde_json::from_str(line).expect("an answer is JSON");
    let text = |key: &str| json.get(key).and_then(Json::as_str).map(str::to_owned);
    match (text("parse"), text("error")) {
        (Some(error), _) => Answer::Parse(error),
        (None, Some(error)) => Answer::Error(error),
        (None, None) => Answer::Ok(text("out").unwrap_or_default()),
    }
}

/// An answer as people read it.
#[must_use]
pub fn readable(answer: &Answer) -> String {
    match answer {
        Answer::Ok(out) => format!(
            "ok {:?}",
            String::from_utf8_lossy(&from_base64(out).unwrap_or_default())
        ),
        Answer::Parse(error) => format!("parse error {error}"),
        Answer::Error(error) => format!("error {error}"),
    }
}
