//! Asks Go about every template function again: `cargo run -p convoy-testkit-golden --bin record-templates`.
#![expect(clippy::print_stderr, reason = "what it is for is to print")]

use convoy_testkit_golden::template::record;

fn main() {
    let (count, left_out) = record::record();
    eprintln!("{count} rows; left out: {left_out:?}");
}
