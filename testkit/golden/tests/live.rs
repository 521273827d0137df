//! Generated cases, ours against the Go libraries themselves: fixed seeds, and a few new ones in every run.

use std::time::{SystemTime, UNIX_EPOCH};

use convoy_testkit_golden::generate::{self, Random};
use convoy_testkit_golden::oracle::{Op, Oracle, agree};
use convoy_testkit_golden::reduce::reduce;
use convoy_value::{Limits, json};

/// Cases of each kind for the fixed seeds.
const CASES: u64 = 4_000;

/// `CONVOY_GOLDEN_SEED` and `CONVOY_GOLDEN_CASES` repeat or lengthen a run.
fn seeds() -> Vec<u64> {
    let number = |name| {
        std::env::var(name)
            .ok()
            .and_then(|text: String| text.parse::<u64>().ok())
    };
    let new = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| time.as_secs())
        << 20;
    let cases = number("CONVOY_GOLDEN_CASES").unwrap_or(CASES);
    match number("CONVOY_GOLDEN_SEED") {
        Some(seed) => vec![seed],
        None => (0..cases).chain(new..new + cases / 10).collect(),
    }
}

/// Whether a text that is being reduced still asks what `op` answers.
fn is_question(op: Op, text: &str) -> bool {
    let read = || json::parse(text, &Limits::default()).ok();
    match op {
        Op::Emit => read().is_some(),
        Op::JsonPatch | Op::MergePatch => {
            read().is_some_and(|question| question.get("document").is_some() && question.get("patch").is_some())
        }
        Op::Helm
        | Op::HelmStrict
        | Op::HelmValues
        | Op::HelmDocuments
        | Op::Kustomize
        | Op::KustomizeBuilt
        | Op::KustomizeDocuments
        | Op::Json
        | Op::JsonAny => true,
    }
}

fn compare(ops: &[Op], make: impl Fn(&mut Random) -> String) {
    let Some(mut oracle) = Oracle::start() else { return };
    let mut failures = Vec::new();
    for seed in seeds() {
        // A byte order mark in the middle makes Go's reader lose characters, depending on where its buffer ends.
        let text = make(&mut Random::new(seed)).replace('\u{feff}', "");
        for &op in ops {
            let mut differs = |text: &str| {
                if !is_question(op, text) {
                    return false;
                }
                let ours = op.ours(text.as_bytes());
                let go = oracle.ask(op, text.as_bytes());
                // Go's own answers can differ between runs: the natural order of keys is no total order, and two
                // keys that become the same text are set in the order of a Go map.
                let mut again = || oracle.ask(op, text.as_bytes());
                // And the patch library panics when it compares with a null in a sequence.
                let panics = go.as_ref().is_err_and(|error| error.starts_with("panic: "));
                !agree(op, &ours, &go) && !panics && (0..200).all(|_| again() == go)
            };
            if !differs(&text) {
                continue;
            }
            let small = reduce(&text, differs);
            let (ours, go) = (op.ours(small.as_bytes()), oracle.ask(op, small.as_bytes()));
            failures.push(format!(
                "seed {seed} {op:?}\n  text {small:?}\n  ours {ours:?}\n  go   {go:?}"
            ));
            assert!(failures.len() < 12, "too many differences\n{}", failures.join("\n"));
        }
    }
    assert!(
        failures.is_empty(),
        "{} differences\n{}",
        failures.len(),
        failures.join("\n")
    );
}

const READERS: &[Op] = &[Op::Helm, Op::HelmStrict, Op::HelmValues, Op::Kustomize];

#[test]
fn structured_texts_are_read_as_go_reads_them() {
    compare(READERS, generate::structured_text);
}

#[test]
fn streams_are_read_as_go_reads_them() {
    compare(&[Op::KustomizeDocuments, Op::HelmDocuments], generate::structured_text);
}

#[test]
fn broken_texts_are_refused_where_go_refuses_them() {
    compare(READERS, |random| {
        let text = generate::structured_text(random);
        generate::mutated_text(random, &text)
    });
}

#[test]
fn soup_is_read_or_refused_as_by_go() {
    compare(READERS, generate::soup);
}

#[test]
fn values_are_written_as_go_writes_them() {
    compare(&[Op::Emit], |random| json::to_canonical(&generate::value(random, 4)));
}

#[test]
fn json_is_read_and_written_as_by_go() {
    compare(&[Op::Json, Op::JsonAny], |random| {
        let value = generate::value(random, 4);
        let text = serde_json::to_string(&value).unwrap();
        if random.one_in(3) {
            generate::mutated_text(random, &text)
        } else {
            text
        }
    });
}

#[test]
fn patches_apply_as_in_go() {
    compare(&[Op::JsonPatch], generate::json_patch);
}

#[test]
fn patches_merge_as_in_go() {
    compare(&[Op::MergePatch], generate::merge_patch);
}
