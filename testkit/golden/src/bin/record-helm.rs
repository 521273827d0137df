//! Asks Helm again about its own functions, its objects, and what once differed:
//! `cargo run -p convoy-testkit-golden --bin record-helm [FILE]`.
//!
//! FILE has further cases that once differed, a question as JSON a line, as a failing test prints it.
#![expect(clippy::print_stderr, reason = "what it is for is to print")]

use convoy_testkit_golden::generate::Random;
use convoy_testkit_golden::helm_template::{
    self, Question, Row, Sdk, answer, ask_command, functions, is_known, objects, on_a_large_stack, same,
};

/// Calls of each function that are recorded.
const CALLS: usize = 26;
const TOOL: &str = "helm v4.2.3";

fn main() {
    on_a_large_stack(record);
}

fn record() {
    let mut sdk = Sdk::start().expect("testkit/components/install puts it there");
    let mut random = Random::new(20_261_130);
    let mut rows: Vec<Row> = Vec::new();
    for (name, kinds) in functions::FUNCTIONS {
        let mut calls: Vec<String> = Vec::new();
        for _ in 0..CALLS * 6 {
            let call = functions::call(&mut random, name, kinds);
            if calls.len() < CALLS && !calls.contains(&call) {
                calls.push(call);
            }
        }
        rows.extend(calls.into_iter().map(|call| Row {
            about: (*name).to_owned(),
            template: Some(format!("{{{{ {call} }}}}")),
            chart: None,
            answer: Err(String::new()),
        }));
    }
    let rows = answered(&mut sdk, rows);
    eprintln!("{} calls of Helm's functions", rows.len());
    helm_template::write("functions.jsonl", TOOL, &rows);
    let rows = objects::templates().map(|(object, template)| Row {
        about: object.into(),
        template: Some(template),
        chart: None,
        answer: Err(String::new()),
    });
    let mut rows = answered(&mut sdk, rows.collect());
    for row in rows.iter_mut().filter(|row| objects::names_the_build(&row.about)) {
        row.answer = ask_command(&row.question()).expect("testkit/components/install puts helm there");
    }
    eprintln!("{} views of objects", rows.len());
    helm_template::write("objects.jsonl", TOOL, &rows);
    let mut found = helm_template::found();
    if let Some(path) = std::env::args().nth(1) {
        let text = std::fs::read_to_string(path).expect("the file can be read");
        for line in text.lines() {
            let chart: Question = serde_json::from_str(line).expect("a question a line");
            if !found.iter().any(|row| row.question() == chart) {
                found.push(Row {
                    about: "once differed".into(),
                    template: None,
                    chart: Some(chart),
                    answer: Err(String::new()),
                });
            }
        }
    }
    let rows = answered(&mut sdk, found);
    eprintln!("{} cases that once differed", rows.len());
    helm_template::write("found.jsonl", TOOL, &rows);
}

/// Rows that Helm answers each time alike, with its answers, without those that are known to differ.
fn answered(sdk: &mut Sdk, mut rows: Vec<Row>) -> Vec<Row> {
    let questions: Vec<Question> = rows.iter().map(Row::question).collect();
    for (row, answer) in rows.iter_mut().zip(sdk.ask(&questions)) {
        row.answer = answer;
    }
    rows.retain(|row| {
        let ours = answer(&row.question());
        same(&ours, &row.answer) || !is_known(&row.answer, &ours)
    });
    let questions: Vec<Question> = rows.iter().map(Row::question).collect();
    for _ in 0..8 {
        let again = sdk.ask(&questions);
        let mut steady = rows.iter().zip(&again).map(|(row, answer)| same(answer, &row.answer));
        let steady: Vec<bool> = steady.by_ref().collect();
        if steady.contains(&false) {
            let mut keep = steady.into_iter();
            rows.retain(|_| keep.next().unwrap_or(true));
            return answered(sdk, rows);
        }
    }
    rows
}
