//! `kustomize-seeds FIRST COUNT [SHOWN]` builds generated kustomizations as we do and as kustomize's packages do, and
//! prints the differences, the first of them made small, with kubectl's word on them. With `REFUSALS` in the environment,
//! what the tool refuses follows, with ours beside it.
#![expect(clippy::print_stdout, reason = "a command prints")]

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::{env, thread};

use convoy_testkit_golden::components;
use convoy_testkit_golden::generate::Random;
use convoy_testkit_golden::kustomize_build::compare::{self, TOP};
use convoy_testkit_golden::kustomize_build::{self as kustomize, oracle::Oracle, refusals};

fn main() {
    let numbers: Vec<u64> = env::args().skip(1).filter_map(|number| number.parse().ok()).collect();
    let (first, count) = (
        numbers.first().copied().unwrap_or(0),
        numbers.get(1).copied().unwrap_or(1_000),
    );
    let shown = numbers
        .get(2)
        .and_then(|shown| usize::try_from(*shown).ok())
        .unwrap_or(10);
    let Some(kubectl) = components::find("kubectl") else {
        return;
    };
    let (next, found, built) = (AtomicU64::new(first), AtomicUsize::new(0), AtomicUsize::new(0));
    let refusals = env::var_os("REFUSALS").is_some();
    let work = || {
        let Some(mut oracle) = Oracle::start() else { return };
        let mut judge = |tree: &kustomize::Tree| oracle.build(tree, TOP);
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= first + count {
                return;
            }
            let tree = kustomize::tree(&mut Random::new(seed));
            let (ours, theirs) = (kustomize::ours_of(&tree, TOP), judge(&tree));
            built.fetch_add(usize::from(theirs.is_ok()), Ordering::Relaxed);
            if let (Err(ours), Err(theirs), true) = (&ours, &theirs, refusals) {
                let class = |class: Option<&'static str>| class.unwrap_or("?");
                let (a, b) = (class(refusals::of_ours(ours)), class(refusals::of_tool(theirs)));
                println!("refused {seed}\t{b}\t{a}\t{}\t{ours}", theirs.replace('\n', " "));
            }
            if compare::agree(&ours, &theirs) {
                continue;
            }
            if found.fetch_add(1, Ordering::Relaxed) < shown {
                let tree = compare::reduce(&mut judge, tree);
                let mut kubectl = |tree: &kustomize::Tree| kustomize::theirs(&kubectl, tree, TOP);
                println!("seed {seed}\n{}", compare::show(&mut kubectl, &tree));
            } else {
                println!("seed {seed} differs");
            }
        }
    };
    thread::scope(|scope| {
        scope.spawn(work);
        work();
    });
    println!(
        "{count} seeds, {} built by the tool, {} differ",
        built.into_inner(),
        found.into_inner()
    );
}
