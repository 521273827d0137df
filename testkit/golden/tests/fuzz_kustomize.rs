//! The bodies of the fuzz targets for kustomizations on their seeds, on the recorded cases, and on both with a few bytes
//! changed: the targets themselves are in `fuzz/`, outside of the workspace.

#[expect(unreachable_pub, reason = "public in the crate where they live")]
#[path = "../../../fuzz/src/kustomize.rs"]
mod bodies;

use std::fs;
use std::path::{Path, PathBuf};

use convoy_testkit_golden::generate::Random;
use convoy_testkit_golden::kustomize_build::Tree;

type Target = (&'static str, fn(&[u8]));

const TARGETS: &[Target] = &[
    ("kustomization", bodies::kustomization),
    ("kustomize_patch", bodies::kustomize_patch),
    ("kustomize_replacements", bodies::kustomize_replacements),
    ("kustomize_paths", bodies::kustomize_paths),
];

/// What means something in YAML, in a path or in a pattern.
const MARKS: &[u8] = b"{}[]:,-*&!|>'\"%@ \n0a$/.=(+";

fn below(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let files = fs::read_dir(folder).expect("the folder is there");
    files.map(|file| file.expect("a file").path()).collect()
}

/// The bytes with a few of them changed, left out or doubled.
fn changed(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(out.len().max(1));
        match random.below(3) {
            0 if !out.is_empty() => {
                out.remove(at);
            }
            1 if !out.is_empty() => out[at] = MARKS[random.below(MARKS.len())],
            _ => {
                let copy = out.get(at..(at + 8).min(out.len())).unwrap_or_default().to_vec();
                out.splice(at..at, copy);
            }
        }
    }
    out
}

#[test]
fn the_bodies_hold_on_their_seeds_and_on_what_is_near_them() {
    for (name, body) in TARGETS {
        let seeds = below(&format!("../../fuzz/seeds/{name}"));
        assert!(!seeds.is_empty(), "{name} has no seeds");
        for (number, seed) in seeds.iter().enumerate() {
            let bytes = fs::read(seed).expect("a seed can be read");
            body(&bytes);
            let mut random = Random::new(number as u64);
            (0..40).for_each(|_| body(&changed(&bytes, &mut random)));
        }
    }
}

#[test]
fn the_bodies_hold_on_kustomizations_that_were_recorded() {
    #[derive(serde::Deserialize)]
    struct Case {
        files: Tree,
    }
    for feature in below("data/kustomize") {
        for case in fs::read_dir(feature).expect("a folder of cases") {
            let text = fs::read(case.expect("a case").path()).expect("a case can be read");
            let case: Case = serde_json::from_slice(&text).expect("a case");
            bodies::kustomization(case.files["kustomization.yaml"].as_bytes());
        }
    }
}
