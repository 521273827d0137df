//! Shell scripts are read by a linter, end at the first failure, and can be run.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use convoy_testkit_arch::{layout, repository};
use convoy_testkit_controlplane::component::require;

/// The committed scripts: files that begin with a line that names a shell.
fn scripts() -> Vec<PathBuf> {
    let root = repository();
    let names = layout::tracked_files(&root)
        .into_iter()
        .filter(|name| !name.starts_with("testkit/arch/breaches/"));
    let is_script = |path: &PathBuf| {
        let text = std::fs::read(path).unwrap_or_default();
        let first = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
        first.starts_with(b"#!") && first.ends_with(b"sh")
    };
    names.map(|name| root.join(name)).filter(is_script).collect()
}

/// What is wrong with a script, without the linter.
fn breaches(path: &Path) -> Vec<&'static str> {
    let text = std::fs::read_to_string(path).expect("a script is text");
    let mode = std::fs::metadata(path).expect("a script is there").permissions().mode();
    let mut breaches = Vec::new();
    if mode & 0o111 == 0 {
        breaches.push("it cannot be executed");
    }
    if !text.lines().any(|line| line.starts_with("set -e")) {
        breaches.push("it goes on after a failure");
    }
    breaches
}

/// What the linter says about a script; nothing when it has no complaint.
fn complaints(shellcheck: &Path, script: &Path) -> String {
    let output = Command::new(shellcheck)
        .args(["--format=gcc"])
        .arg(script)
        .output()
        .expect("the linter runs");
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn scripts_can_be_run_and_end_at_the_first_failure() {
    let scripts = scripts();
    assert!(
        scripts.contains(&repository().join("testkit/components/install")),
        "{scripts:?}"
    );
    for script in scripts {
        assert_eq!(breaches(&script), [""; 0], "{}", script.display());
    }
}

#[test]
fn scripts_satisfy_the_linter() {
    let Some(shellcheck) = require("shellcheck") else {
        return;
    };
    for script in scripts() {
        assert_eq!(complaints(&shellcheck, &script), "");
    }
}

/// `breaches/script.sh` may not be executed, goes on after a failure, and leaves a variable unquoted.
#[test]
fn a_careless_script_is_seen() {
    let script = repository().join("testkit/arch/breaches/script.sh");
    assert_eq!(
        breaches(&script),
        ["it cannot be executed", "it goes on after a failure"]
    );
    let Some(shellcheck) = require("shellcheck") else {
        return;
    };
    let complaints = complaints(&shellcheck, &script);
    assert!(complaints.contains("SC2086"), "{complaints}");
}
