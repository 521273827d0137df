//! Ours against `kubectl kustomize`: fixed seeds, and new ones in every run.

use std::time::{SystemTime, UNIX_EPOCH};

use convoy_testkit_golden::components;
use convoy_testkit_golden::generate::Random;
use convoy_testkit_golden::kustomize_build::{self as kustomize, Answer, Tree};

/// Fixed seeds; as many again are new. `CONVOY_GOLDEN_CASES` asks for another number.
const CASES: u64 = 40;

fn seeds() -> Vec<u64> {
    if let Some(seed) = std::env::var("CONVOY_GOLDEN_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok())
    {
        return vec![seed];
    }
    let cases = std::env::var("CONVOY_GOLDEN_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok())
        .unwrap_or(CASES);
    let new = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| time.as_secs())
        << 20;
    (0..cases).chain(new..new + cases).collect()
}

fn agrees(ours: &Answer, theirs: &Answer) -> bool {
    match (ours, theirs) {
        (Ok(ours), Ok(theirs)) => ours == theirs,
        (Err(_), Err(_)) => true,
        (Ok(_), Err(_)) | (Err(_), Ok(_)) => false,
    }
}

fn show(tree: &Tree) -> String {
    tree.iter()
        .map(|(path, text)| format!("# {path}\n{text}"))
        .collect::<Vec<_>>()
        .join("\n")
}

/// The tree with as few files and lines as still make a difference.
fn reduce(kubectl: &std::path::PathBuf, tree: Tree) -> Tree {
    let differs = |tree: &Tree| {
        !agrees(
            &kustomize::ours_of(tree, "top"),
            &kustomize::theirs(kubectl, tree, "top"),
        )
    };
    let mut best = tree;
    for path in best.keys().cloned().collect::<Vec<_>>() {
        let mut smaller = best.clone();
        smaller.remove(&path);
        if differs(&smaller) && smaller.contains_key("top/kustomization.yaml") {
            best = smaller;
        }
    }
    best
}

#[test]
fn generated_kustomizations_build_as_the_tool_builds_them() {
    let Some(kubectl) = components::find("kubectl") else {
        return;
    };
    let mut failures = Vec::new();
    for seed in seeds() {
        let tree = kustomize::tree(&mut Random::new(seed));
        let (ours, theirs) = (
            kustomize::ours_of(&tree, "top"),
            kustomize::theirs(&kubectl, &tree, "top"),
        );
        if !agrees(&ours, &theirs) && failures.len() < 3 {
            let tree = reduce(&kubectl, tree);
            let (ours, theirs) = (
                kustomize::ours_of(&tree, "top"),
                kustomize::theirs(&kubectl, &tree, "top"),
            );
            failures.push(format!(
                "seed {seed}\n{}\n== ours {ours:#?}\n== theirs {theirs:#?}",
                show(&tree)
            ));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n").replace("\\n", "\n"));
}
