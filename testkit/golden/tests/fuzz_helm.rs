//! The bodies of the fuzz targets for charts, values and versions, on their seeds and on damaged copies of them.

#[expect(unreachable_pub, reason = "public in the crate where they live")]
#[path = "../../../fuzz/src/helm.rs"]
mod bodies;

use std::fs;
use std::path::Path;

use convoy_testkit_golden::generate::Random;

type Target = (&'static str, fn(&[u8]));

const TARGETS: &[Target] = &[
    ("semver", bodies::semver),
    ("helm_values", bodies::helm_values),
    ("chart_archive", bodies::chart_archive),
    ("helm_index", bodies::helm_index),
    ("helm_template", bodies::helm_template),
];

/// Damaged copies of each seed.
const COPIES: u64 = 120;

fn seeds(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz/seeds")
        .join(name);
    let mut paths: Vec<_> = fs::read_dir(folder)
        .expect("a target has seeds")
        .map(|entry| entry.expect("a seed").path())
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "{name} has no seeds");
    paths
        .into_iter()
        .map(|path| fs::read(path).expect("a seed can be read"))
        .collect()
}

/// A few bytes changed, taken out, doubled or taken from another seed.
fn damage(random: &mut Random, seed: &[u8], other: &[u8]) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=random.below(4) {
        let place = random.below(bytes.len() + 1);
        let end = (place + random.below(12)).min(bytes.len());
        match random.below(5) {
            0 => bytes.insert(place, u8::try_from(random.below(256)).unwrap_or(0)),
            1 => drop(bytes.drain(place..end)),
            2 => {
                let again = bytes[place..end].to_vec();
                bytes.splice(place..place, again);
            }
            3 => {
                let from = random.below(other.len() + 1);
                let to = (from + random.below(40)).min(other.len());
                bytes.splice(place..end, other[from..to].iter().copied());
            }
            _ => {
                if let Some(byte) = bytes.get_mut(place) {
                    *byte = *b"{}[]:,.\"'\n -\\0=~^<>|&*!%#".get(random.below(25)).unwrap_or(&b'x');
                }
            }
        }
    }
    bytes
}

fn on_large_stack(work: impl FnOnce() + Send + 'static) {
    let worker = std::thread::Builder::new().stack_size(256 << 20).spawn(work);
    worker.expect("a thread starts").join().expect("no body fails");
}

#[test]
fn the_bodies_hold_on_their_seeds() {
    on_large_stack(|| {
        for (name, body) in TARGETS {
            for seed in seeds(name) {
                body(&seed);
            }
        }
    });
}

#[test]
fn the_bodies_hold_on_damaged_seeds() {
    on_large_stack(|| {
        for (name, body) in TARGETS {
            let seeds = seeds(name);
            for (place, seed) in seeds.iter().enumerate() {
                for copy in 0..COPIES {
                    let mut random = Random::new(copy * 1_000 + place as u64);
                    let other = &seeds[random.below(seeds.len())];
                    body(&damage(&mut random, seed, other));
                }
            }
        }
    });
}
