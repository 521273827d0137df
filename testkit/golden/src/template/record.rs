//! Recorded answers for every function: a file of JSON lines, of which the first names what answered.

use std::fs;
use std::path::PathBuf;

use super::{Answer, Case, Recorded, generate, oracle, ours, random, spec};
use crate::generate::Random;

/// Calls of each function that are recorded.
const CALLS: usize = 44;

/// The table of functions whose answers are always the same.
pub const FUNCTIONS: &str = "functions";
/// The table of those whose answers are not: see [`random`].
pub const RANDOM: &str = "random";

fn path(table: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("data/template/{table}.jsonl"))
}

/// What answered, and all rows of a table.
///
/// # Panics
/// When the table cannot be read.
#[must_use]
pub fn load(table: &str) -> (String, Vec<Recorded>) {
    let text = fs::read_to_string(path(table)).expect("the table is there");
    let mut lines = text.lines();
    let tool = lines.next().unwrap_or_default().to_owned();
    (
        tool,
        lines
            .map(|line| serde_json::from_str(line).expect("a row a line"))
            .collect(),
    )
}

/// Asks the oracle again, and writes both tables; answers how many rows there are and which were left out because
/// they are known to differ.
///
/// # Panics
/// When the oracle is absent or a table cannot be written.
#[must_use]
pub fn record() -> (usize, Vec<String>) {
    let mut source = Random::new(20_261_130);
    let mut rows: Vec<(&str, Case)> = Vec::new();
    for (name, kinds) in spec::FUNCTIONS {
        let calls = generate::calls(&mut source, name, kinds, CALLS);
        rows.extend(calls.into_iter().map(|case| (*name, case)));
    }
    let (count, left_out) = write(FUNCTIONS, rows, |_, _, answer| answer.clone());
    let (more, none) = write(RANDOM, random::cases(), random::normalised);
    assert!(none.is_empty(), "cases that are chosen are all compared: {none:?}");
    let functions = ours::functions();
    assert!(functions.names().count() > 150, "the functions are there");
    (count + more, left_out)
}

fn write(table: &str, rows: Vec<(&str, Case)>, kept: impl Fn(&str, &str, &Answer) -> Answer) -> (usize, Vec<String>) {
    let cases: Vec<Case> = rows.iter().map(|(_, case)| case.clone()).collect();
    let answers = oracle::ask(&cases).expect("testkit/components/install puts the oracle there");
    let tool = oracle::version().unwrap_or_default();
    let mut text = format!("{}\n", serde_json::json!({ "tool": tool }));
    let (mut count, mut left_out) = (0, Vec::new());
    for ((function, case), answer) in rows.into_iter().zip(answers) {
        if is_known_difference(&case, &answer) {
            left_out.push(case.template);
            continue;
        }
        count += 1;
        let row = Recorded {
            function: function.into(),
            answer: kept(function, &case.template, &answer),
            template: case.template,
        };
        text.push_str(&serde_json::to_string(&row).expect("a row is JSON"));
        text.push('\n');
    }
    fs::write(path(table), text).expect("the table can be written");
    (count, left_out)
}

/// Where we are known to differ, and why. Each line is one reason.
#[must_use]
pub fn is_known_difference(case: &Case, theirs: &Answer) -> bool {
    let template = &case.template;
    let has = |parts: &[&str]| parts.iter().any(|part| template.contains(part));
    let formats = template.replace("printf \"%T\"", "");
    // Unexported fields of structs are printed by verbs that do not take the struct's text.
    (formats.contains("printf") && has(&["semver", ".time"]))
        // Bytes that are no UTF-8 are escaped in JSON, quoted by dates, and dropped by the word splitters.
        || (has(&["\\xff"]) && has(&["Json", "oDate", "snakecase", "kebabcase", "egex"]))
        || has(&["b64dec"]) && has(&["Json"])
        // Go shows what lies between the length and the capacity of a slice.
        || (has(&["lice "]) && has(&[" 5", " 7", " 10"]))
        // Copying a version loses its fields in Go.
        || (has(&["deepCopy", "DeepCopy"]) && has(&["semver"]))
        // A number beyond a float leaves the rest of the value behind in Go.
        || has(&["1e400"])
        // What Go prints as an address.
        || matches!(theirs, Answer::Error(text) if text.contains("0xc0"))
        // Ours has a limit there.
        || matches!(theirs, Answer::Ok(text) if text.len() > 1 << 20)
}
