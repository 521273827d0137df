//! Ours against `kubectl kustomize`: fixed seeds, and new ones in every run.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use convoy_testkit_golden::components;
use convoy_testkit_golden::generate::Random;
use convoy_testkit_golden::kustomize_build::compare::{self, TOP};
use convoy_testkit_golden::kustomize_build::{self as kustomize, Tree, oracle::Oracle};

/// Fixed seeds; a tenth as many are new. A new one on which both sides refuse for different reasons is shown only: about
/// one tree in a thousand has two faults, of which each side names another. `CONVOY_GOLDEN_CASES` asks for another number.
const CASES: u64 = 400;
/// Seeds on which kubectl itself is asked, too.
const COMMANDS: u64 = 16;
/// Differences that are made small and shown.
const SHOWN: usize = 3;

fn seeds() -> Vec<u64> {
    if let Some(seed) = number("CONVOY_GOLDEN_SEED") {
        return vec![seed];
    }
    let cases = number("CONVOY_GOLDEN_CASES").unwrap_or(CASES);
    let new = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| time.as_secs())
        << 20;
    (0..cases).chain(new..new + cases / 10).collect()
}

fn is_new(seed: u64) -> bool {
    seed >= 1 << 40
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

#[test]
fn generated_kustomizations_build_as_the_tool_builds_them() {
    let (seeds, next, failures) = (seeds(), AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        let Some(mut oracle) = Oracle::start() else { return };
        while let Some(seed) = seeds.get(next.fetch_add(1, Ordering::Relaxed)) {
            let tree = kustomize::tree(&mut Random::new(*seed));
            let mut judge = |tree: &Tree| oracle.build(tree, TOP);
            if !compare::differ(&mut judge, &tree) {
                continue;
            }
            if is_new(*seed) && compare::both_refuse(&mut judge, &tree) {
                println!("seed {seed}: refused for different reasons");
                continue;
            }
            let mut failures = failures.lock().expect("nobody panics");
            let text = if failures.len() < SHOWN {
                let small = compare::reduce(&mut judge, tree);
                format!("seed {seed}\n{}", compare::show(&mut judge, &small))
            } else {
                format!("seed {seed}")
            };
            failures.push(text);
        }
    };
    thread::scope(|scope| {
        scope.spawn(work);
        work();
    });
    let failures = failures.into_inner().expect("nobody panics");
    assert!(
        failures.is_empty(),
        "{} of {} differ\n{}",
        failures.len(),
        seeds.len(),
        failures.join("\n")
    );
}

#[test]
fn the_oracle_answers_as_kubectl_does() {
    let (Some(kubectl), Some(mut oracle)) = (components::find("kubectl"), Oracle::start()) else {
        return;
    };
    for seed in 0..COMMANDS {
        let tree = kustomize::tree(&mut Random::new(seed));
        let (command, packages) = (kustomize::theirs(&kubectl, &tree, TOP), oracle.build(&tree, TOP));
        assert!(
            compare::agree(&command, &packages),
            "seed {seed}\n{command:?}\n{packages:?}"
        );
    }
}
