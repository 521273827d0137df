//! Our templates and functions against Go's: recorded answers always, the oracle where it is installed.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use convoy_testkit_golden::generate::Random;
use convoy_testkit_golden::template::{Answer, Case, Recorded, generate, oracle, ours, random, record, spec};

/// Seeds that are always tried; one of the moment comes on top.
const SEEDS: [u64; 3] = [1, 2, 3];

/// Compares a batch with the oracle, if it is there.
fn compare(seed: u64, cases: &[Case]) {
    let Some(theirs) = oracle::ask(cases) else { return };
    let functions = ours::functions();
    let (base, data) = ours::data();
    let mut differences = Vec::new();
    for (case, theirs) in cases.iter().zip(&theirs) {
        let ours = ours::render(case, &functions, &base, &data);
        if ours != *theirs && !record::is_known_difference(theirs, &ours) {
            differences.push(format!(
                "{} [missingkey={}]\n  go:   {}\n  ours: {}",
                case.template,
                case.missing,
                oracle::readable(theirs),
                oracle::readable(&ours)
            ));
        }
    }
    assert!(
        differences.is_empty(),
        "seed {seed}: {} differ:\n{}",
        differences.len(),
        differences.join("\n")
    );
}

fn seeds() -> Vec<u64> {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    SEEDS.into_iter().chain([now]).collect()
}

/// Compares a recorded table with our answers.
fn check_recorded(table: &str, compared: impl Fn(&Recorded, &Answer) -> Answer) {
    let functions = ours::functions();
    let (base, data) = ours::data();
    let (tool, recorded) = record::load(table);
    assert!(tool.contains("sprig"), "{tool}");
    let mut differences = Vec::new();
    for row in &recorded {
        let ours = ours::render(&Case::new(row.template.as_str()), &functions, &base, &data);
        let ours = compared(row, &ours);
        if ours != row.answer {
            differences.push(format!(
                "{}\n  go:   {}\n  ours: {}",
                row.template,
                oracle::readable(&row.answer),
                oracle::readable(&ours)
            ));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn recorded_answers_of_every_function_are_ours() {
    check_recorded(record::FUNCTIONS, |_, ours| ours.clone());
}

#[test]
fn random_answers_have_the_shape_of_those_that_were_recorded() {
    check_recorded(record::RANDOM, |row, ours| {
        random::normalised(&row.function, &row.template, ours)
    });
}

#[test]
fn every_function_has_twenty_recorded_answers() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for table in [record::FUNCTIONS, record::RANDOM] {
        for row in record::load(table).1 {
            *counts.entry(row.function).or_default() += 1;
        }
    }
    for name in ours::functions().names() {
        let is_elsewhere = spec::COMPARED_ELSEWHERE.iter().any(|(known, _)| *known == name);
        let rows = counts.get(name).copied().unwrap_or(0);
        // Functions of no operand have few different calls.
        let wanted = if name == "hello" { 1 } else { 20 };
        assert!(is_elsewhere || rows >= wanted, "`{name}` has {rows} rows");
    }
}

#[test]
fn calls_of_every_function_answer_as_go_does() {
    for seed in seeds() {
        let mut random = Random::new(seed);
        let calls = spec::FUNCTIONS
            .iter()
            .flat_map(|(name, kinds)| generate::calls(&mut random, name, kinds, 12));
        let calls: Vec<Case> = calls.collect();
        compare(seed, &calls);
    }
}

#[test]
fn generated_templates_answer_as_go_does() {
    for seed in seeds() {
        let mut random = Random::new(seed);
        let cases: Vec<Case> = (0..1_500).map(|_| generate::template(&mut random)).collect();
        compare(seed, &cases);
    }
}

/// Otherwise the comparison above would see errors only.
#[test]
fn many_generated_templates_run_to_their_end() {
    let functions = ours::functions();
    let (base, data) = ours::data();
    let mut random = Random::new(7);
    let answers: Vec<Answer> = (0..1_000)
        .map(|_| ours::render(&generate::template(&mut random), &functions, &base, &data))
        .collect();
    let whole = answers.iter().filter(|answer| matches!(answer, Answer::Ok(_))).count();
    let executed = answers
        .iter()
        .filter(|answer| !matches!(answer, Answer::Parse(_)))
        .count();
    assert!(whole > 150 && executed > 400, "{whole} run, {executed} parse");
}
