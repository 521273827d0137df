//! Recorded answers for every function: a file of JSON lines, of which the first names what answered.

use std::fs;
use std::path::PathBuf;

use super::{Answer, Case, Recorded, generate, known, oracle, ours, random, spec};
use crate::encoding::from_base64;
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
    let functions = ours::functions();
    let (base, data) = ours::data();
    for ((function, case), answer) in rows.into_iter().zip(answers) {
        let ours = ours::render(&case, &functions, &base, &data);
        let is_random = table == RANDOM;
        if !is_random && is_known_difference(&answer, &ours) {
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

/// Whether we are known to differ from an answer of Go's.
#[must_use]
pub fn is_known_difference(theirs: &Answer, ours: &Answer) -> bool {
    let whole = |answer: &Answer| match answer {
        Answer::Ok(text) => {
            let bytes = from_base64(text).unwrap_or_default();
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        }
        Answer::Parse(error) | Answer::Error(error) => Err(error.clone()),
    };
    theirs != ours && known::difference(&whole(theirs), &whole(ours)).is_some()
}
