//! Builds take time in proportion to their objects.

use std::hint::black_box;
use std::time::Duration;

use convoy_kustomize::{Files, Options, build};
use convoy_testkit_golden::kustomize_build::Tree;
use convoy_testkit_golden::{kustomize_sizes as sizes, measure};

/// What four times the objects may cost: four times as much, and the noise of a busy machine. Quadratic is sixteen.
const MOST: f64 = 8.0;

fn cost(tree: &Tree) -> Duration {
    let files: Files = tree.iter().map(|(path, text)| (path, text.as_bytes())).collect();
    let once = || {
        let started = measure::thread_time();
        let built = build(&files, "", &Options::default()).expect("it builds");
        black_box(built.to_yaml()).expect("it is written");
        measure::thread_time().saturating_sub(started)
    };
    (0..4).map(|_| once()).min().unwrap_or_default()
}

#[test]
fn four_times_the_objects_cost_about_four_times_as_much() {
    for (name, tree) in [
        ("plain", sizes::plain as fn(usize) -> Tree),
        ("overlay", sizes::overlay),
    ] {
        let (less, more) = (cost(&tree(1_000)), cost(&tree(4_000)));
        let factor = more.as_secs_f64() / less.as_secs_f64();
        assert!(factor < MOST, "{name}: {less:?}, {more:?}: {factor:.1} times");
    }
}
