//! How fast kustomizations build against `kubectl kustomize`, in one run on one machine, and in how much memory.
//!
//! `cargo build --release -p convoy && cargo bench -p convoy-testkit-golden --bench kustomize [-- PART…]`; a part of a
//! name picks cases. Both sides run as processes and must print the same text; processor time is that of the cheapest
//! run, peak memory that of the largest. The tool is slower than quadratic: 4,000 plain objects take it a minute or two.
#![expect(clippy::print_stdout, reason = "what it is for is to print")]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use convoy_testkit_golden::kustomize_build::Tree;
use convoy_testkit_golden::measure::{self, Cost};
use convoy_testkit_golden::{components, kustomize_sizes as sizes};

/// A case: its name, its files, and how often each side runs.
type Case = (&'static str, Tree, usize, usize);

fn main() {
    if measure::answer_if_asked() {
        return;
    }
    let Some(kubectl) = components::find("kubectl") else {
        return;
    };
    let convoy = convoy();
    let picks: Vec<String> = env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let cases: [Case; 7] = [
        ("small", sizes::small(), 20, 10),
        ("plain 500", sizes::plain(500), 10, 2),
        ("plain 1,000", sizes::plain(1_000), 10, 1),
        ("plain 4,000", sizes::plain(4_000), 5, 1),
        ("overlay 500", sizes::overlay(500), 10, 2),
        ("overlay 1,000", sizes::overlay(1_000), 10, 1),
        ("overlay 2,000", sizes::overlay(2_000), 5, 1),
    ];
    println!(
        "{:14} {:>11} {:>9} {:>7} {:>12} {:>9} {:>7}",
        "case", "kubectl ms", "ours ms", "ratio", "kubectl MiB", "ours MiB", "ratio"
    );
    let mut costs = BTreeMap::new();
    for (name, tree, ours, theirs) in cases {
        if !picks.is_empty() && !picks.iter().any(|pick| name.contains(pick.as_str())) {
            continue;
        }
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        lay(folder.path(), &tree);
        check_texts(&convoy, &kubectl, folder.path());
        let ours = measure::alone(&convoy, &words(&["render", "kustomize"], folder.path()), ours);
        let theirs = measure::alone(&kubectl, &words(&["kustomize"], folder.path()), theirs);
        show(name, theirs, ours);
        costs.insert(name, ours);
    }
    for kind in ["plain", "overlay"] {
        let large = if kind == "plain" {
            "plain 4,000"
        } else {
            "overlay 2,000"
        };
        if let (Some(less), Some(more)) = (costs.get(&*format!("{kind} 1,000")), costs.get(large)) {
            let factor = more.cpu.as_secs_f64() / less.cpu.as_secs_f64();
            println!("{large} costs {factor:.2} times {kind} 1,000");
        }
    }
}

/// The release build of our command, from the folder that this one is built in or from `CONVOY_BIN`.
fn convoy() -> PathBuf {
    if let Some(path) = env::var_os("CONVOY_BIN") {
        return path.into();
    }
    let me = env::current_exe().expect("a process knows its program");
    let target = me.ancestors().nth(3).expect("a benchmark is in a target folder");
    target.join("release").join("convoy")
}

fn lay(folder: &Path, tree: &Tree) {
    for (path, text) in tree {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a folder can be made");
        fs::write(path, text).expect("a file can be written");
    }
}

fn words(first: &[&str], folder: &Path) -> Vec<OsString> {
    first.iter().map(OsString::from).chain([folder.into()]).collect()
}

fn check_texts(convoy: &Path, kubectl: &Path, folder: &Path) {
    let text = |program: &Path, first: &[&str]| {
        let output = Command::new(program)
            .args(words(first, folder))
            .output()
            .expect("the program runs");
        assert!(
            output.status.success(),
            "`{}` fails: {}",
            program.display(),
            String::from_utf8_lossy(&output.stderr)
        );
        output.stdout
    };
    assert!(
        text(convoy, &["render", "kustomize"]) == text(kubectl, &["kustomize"]),
        "the texts of `{}` differ",
        folder.display()
    );
}

fn show(name: &str, theirs: Cost, ours: Cost) {
    let millis = |cost: Cost| cost.cpu.as_secs_f64() * 1e3;
    let mib = |cost: Cost| f64::from(u32::try_from(cost.peak_kib).unwrap_or(u32::MAX)) / 1024.0;
    println!(
        "{name:14} {:11.1} {:9.2} {:7.1} {:12.1} {:9.1} {:7.1}",
        millis(theirs),
        millis(ours),
        millis(theirs) / millis(ours),
        mib(theirs),
        mib(ours),
        mib(theirs) / mib(ours)
    );
}
