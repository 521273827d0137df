//! What the repository's top level holds, and what no committed file may mention.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// The six names of the design.
const SIX: &[&str] = &["Cargo.toml", "core", "adapters", "app", "testkit", "fuzz"];

/// What stands beside them, as in every repository.
const BESIDE: &[&str] = &[
    ".ci",
    ".gitattributes",
    ".gitignore",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "Cargo.lock",
    "LICENSE",
    "README.md",
    "clippy.toml",
    "deny.toml",
    "docs",
    "examples",
    "rustfmt.toml",
];

/// Folders of single machines, without the slashes around them, so that this file does not mention them either.
const MACHINE_FOLDERS: &[&str] = &["root", "work"];

/// The files that git tracks in the repository at `root`, relative to it.
///
/// # Panics
/// When git does not answer: a rule that cannot look must not pass.
#[must_use]
pub fn tracked_files(root: &Path) -> Vec<String> {
    // The checkout may belong to another user than the one who runs the tests.
    let output = Command::new("git")
        .args(["-c", "safe.directory=*", "ls-files", "-z"])
        .current_dir(root)
        .output()
        .expect("git runs");
    assert!(
        output.status.success(),
        "git ls-files: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let names = output.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    names.map(|name| String::from_utf8_lossy(name).into_owned()).collect()
}

/// Names at the top level that do not belong there, and those of the six that are missing.
#[must_use]
pub fn top_level_breaches(tracked: &[String]) -> Vec<String> {
    let found: BTreeSet<&str> = tracked.iter().filter_map(|name| name.split('/').next()).collect();
    let known: BTreeSet<&str> = SIX.iter().chain(BESIDE).copied().collect();
    let surplus = found
        .difference(&known)
        .map(|name| format!("`{name}` does not belong at the top level"));
    let missing = SIX
        .iter()
        .filter(|name| !found.contains(*name))
        .map(|name| format!("`{name}` is missing"));
    surplus.chain(missing).collect()
}

/// Lines of `text` that name a path of one machine only.
#[must_use]
pub fn machine_path_breaches(text: &str) -> Vec<(usize, String)> {
    let mut breaches = Vec::new();
    for (number, line) in text.lines().enumerate() {
        for folder in MACHINE_FOLDERS {
            let path = format!("/{folder}/");
            let begins = |at: usize| {
                let before = line[..at].chars().next_back();
                before.is_none_or(|c| !(c.is_alphanumeric() || "_.-~)}*".contains(c)))
            };
            if line.match_indices(&path).any(|(at, _)| begins(at)) {
                breaches.push((number + 1, format!("`{path}` is a path of one machine")));
            }
        }
    }
    breaches
}
