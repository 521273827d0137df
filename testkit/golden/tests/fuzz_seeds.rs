//! The bodies of the fuzz targets on their seeds, on the cases of the recorded tables, and on random values: the
//! targets themselves are in `fuzz/`, outside of the workspace.

#[expect(unreachable_pub, reason = "public in the crate where they live")]
#[path = "../../../fuzz/src/value.rs"]
mod bodies;

use std::fs;
use std::path::Path;

use convoy_testkit_golden::generate::Random;
use convoy_testkit_golden::oracle::Op;
use convoy_testkit_golden::table;

type Target = (&'static str, fn(&[u8]));

const TARGETS: &[Target] = &[
    ("yaml_helm", bodies::yaml_helm),
    ("yaml_kustomize", bodies::yaml_kustomize),
    ("json", bodies::json),
    ("yaml_roundtrip", bodies::yaml_roundtrip),
    ("json_patch", bodies::json_patch),
];

#[test]
fn the_bodies_hold_on_their_seeds() {
    for (name, body) in TARGETS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../fuzz/seeds")
            .join(name);
        let seeds: Vec<_> = fs::read_dir(folder).expect("a target has seeds").collect();
        assert!(!seeds.is_empty(), "{name} has no seeds");
        for seed in seeds {
            body(&fs::read(seed.expect("a seed").path()).expect("a seed can be read"));
        }
    }
}

#[test]
fn the_bodies_hold_on_what_was_recorded() {
    for name in ["scalars", "nodes", "broken", "streams", "generated", "json"] {
        for case in table::load(name).1 {
            match case.op {
                Op::Kustomize | Op::KustomizeBuilt | Op::KustomizeDocuments => bodies::yaml_kustomize(&case.input()),
                Op::Json | Op::JsonAny | Op::Emit | Op::JsonPatch | Op::MergePatch => bodies::json(&case.input()),
                Op::Helm | Op::HelmStrict | Op::HelmValues | Op::HelmDocuments => bodies::yaml_helm(&case.input()),
            }
        }
    }
}

#[test]
fn patches_hold_on_what_was_recorded() {
    for name in ["json-patch", "merge-patch"] {
        for case in table::load(name).1 {
            bodies::json_patch(&case.input());
        }
    }
}

#[test]
fn random_values_come_back() {
    for seed in 0..5_000 {
        let mut random = Random::new(seed);
        let bytes: Vec<u8> = (0..random.below(200)).map(|_| (random.bits() & 0xFF) as u8).collect();
        bodies::yaml_roundtrip(&bytes);
    }
}
