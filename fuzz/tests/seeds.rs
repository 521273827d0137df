//! Every target on its seeds.

use std::fs;
use std::path::Path;

#[test]
fn every_target_accepts_its_seeds() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (name, body) in convoy_fuzz::TARGETS {
        assert!(
            root.join("fuzz_targets").join(name).with_extension("rs").is_file(),
            "{name} has no target"
        );
        let mut seeds = 0;
        for entry in fs::read_dir(root.join("seeds").join(name)).expect("a target has seeds") {
            body(&fs::read(entry.expect("a seed").path()).expect("a seed can be read"));
            seeds += 1;
        }
        assert!(seeds > 0, "{name} has no seeds");
    }
}
