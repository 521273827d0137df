//! Asks the Go libraries all questions of the recorded tables again: `cargo run -p convoy-testkit-golden --bin record`.
#![expect(clippy::print_stderr, reason = "what it is for is to print")]

use convoy_testkit_golden::cases;
use convoy_testkit_golden::oracle::Oracle;
use convoy_testkit_golden::table::{Case, Tool, save};

fn main() {
    let mut oracle = Oracle::start().expect("testkit/components/install puts it there");
    let tool = Tool { tool: oracle.version() };
    for questions in cases::all() {
        let mut recorded = Vec::new();
        for (op, text) in questions.cases {
            let first = oracle.ask(op, &text);
            // What Go answers at random is no answer.
            if (0..10).all(|_| oracle.ask(op, &text) == first) {
                recorded.push(Case::new(op, &text, first));
            }
        }
        save(questions.table, &tool, &recorded);
        eprintln!("{}: {} cases", questions.table, recorded.len());
    }
}
