//! Ours against the answers that Go gave when they were recorded.

use convoy_testkit_golden::oracle::agree;
use convoy_testkit_golden::{cases, table};

fn check(name: &str, at_least: usize) {
    let (tool, recorded) = table::load(name);
    assert!(tool.tool.contains("sigs.k8s.io/yaml v1.6.0"), "{}", tool.tool);
    assert!(recorded.len() >= at_least, "{} cases", recorded.len());
    let mut failures = Vec::new();
    for case in &recorded {
        let ours = case.op.ours(&case.input());
        let go = case.answer().map(str::to_owned).map_err(str::to_owned);
        if !agree(case.op, &ours, &go) {
            failures.push(format!("{:?} {:?}\n  ours {ours:?}\n  go   {go:?}", case.op, case.text));
        }
    }
    assert!(
        failures.is_empty(),
        "{} of {}\n{}",
        failures.len(),
        recorded.len(),
        failures.join("\n")
    );
}

#[test]
fn scalars_mean_what_go_makes_of_them() {
    check("scalars", 1_500);
}

#[test]
fn nodes_are_read_as_go_reads_them() {
    check("nodes", 1_500);
}

#[test]
fn broken_texts_are_refused_in_go_s_words() {
    check("broken", 700);
}

#[test]
fn streams_are_cut_as_go_cuts_them() {
    check("streams", 150);
}

#[test]
fn generated_texts_are_read_as_go_reads_them() {
    check("generated", 300);
}

#[test]
fn json_is_read_and_written_as_by_go() {
    check("json", 300);
}

#[test]
fn values_are_written_as_go_writes_them() {
    check("emit", 800);
}

#[test]
fn patches_apply_as_in_go() {
    check("json-patch", 550);
    check("merge-patch", 550);
}

/// A case that is added and not recorded would never be compared.
#[test]
fn every_case_is_recorded() {
    for questions in cases::all() {
        let (_, recorded) = table::load(questions.table);
        let missing = questions.cases.len() - recorded.len();
        // What Go answers at random is left out.
        assert!(
            missing * 50 <= questions.cases.len(),
            "{} cases of {} are not recorded",
            missing,
            questions.table
        );
    }
}
