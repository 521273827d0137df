//! `kubectl kustomize` as the judge of `convoy-kustomize`: trees of files, what the tool says of them, and ours.

pub mod compare;
pub mod disk;
mod generate;
pub mod oracle;
pub mod recorded;
pub mod refusals;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use convoy_kustomize::{Files, LoadRestrictor, Options, Tree as Source};

use crate::corpus::Case;

pub use generate::tree;

/// The version of the tool that recorded answers come from.
pub const TOOL: &str = "kubectl 1.36.3, kustomize 5.8.1";

/// Files by path.
pub type Tree = BTreeMap<String, String>;

/// What a build answers: the objects as text, or a refusal in its own words.
pub type Answer = Result<String, String>;

/// Reads every file below `root`, links followed only where they stay inside.
///
/// # Errors
/// When the folder cannot be read.
pub fn read_tree(root: &Path) -> std::io::Result<Files> {
    let root = fs::canonicalize(root)?;
    let mut files = Files::new();
    let mut folders = vec![(root.clone(), String::new())];
    while let Some((folder, prefix)) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
            let Ok(target) = fs::canonicalize(entry.path()) else {
                continue;
            };
            if !target.starts_with(&root) {
                continue;
            }
            if target.is_dir() {
                let linked = entry.file_type()?.is_symlink();
                if entry.file_name() != ".git" && !(linked && folder.starts_with(&target)) {
                    folders.push((entry.path(), format!("{path}/")));
                }
            } else if let Ok(content) = fs::read(&target) {
                files.insert(&path, content);
            }
        }
    }
    Ok(files)
}

/// Our answer for `directory` of a tree.
///
/// # Errors
/// When we refuse it.
pub fn ours(files: &dyn Source, directory: &str, restrictor: LoadRestrictor) -> Answer {
    let options = Options {
        load_restrictor: restrictor,
        ..Options::default()
    };
    let built = convoy_kustomize::build(files, directory, &options).map_err(|error| error.to_string())?;
    built.to_yaml().map_err(|error| error.to_string())
}

/// Our answer for a tree of texts.
///
/// # Errors
/// When we refuse it.
pub fn ours_of(tree: &Tree, directory: &str) -> Answer {
    let files: Files = tree.iter().map(|(path, text)| (path, text.as_bytes())).collect();
    ours(&files, directory, LoadRestrictor::Root)
}

/// The tool's answer for `directory` of a tree.
///
/// # Errors
/// When the tool refuses it.
///
/// # Panics
/// When the tree cannot be written or the tool cannot be run.
pub fn theirs(kubectl: &Path, tree: &Tree, directory: &str) -> Answer {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    for (path, text) in tree {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a folder can be made");
        fs::write(path, text).expect("a file can be written");
    }
    run_tool(kubectl, &folder.path().join(directory), "")
}

/// The tool's answer for a folder: without network, programs or settings.
///
/// # Errors
/// When the tool refuses it.
///
/// # Panics
/// When the tool cannot be run.
pub fn run_tool(kubectl: &Path, directory: &Path, flags: &str) -> Answer {
    let output = Command::new(kubectl)
        .arg("kustomize")
        .arg(directory)
        .args(flags.split_whitespace())
        .env_clear()
        .env("HOME", "/nonexistent")
        .env("HTTP_PROXY", "http://127.0.0.1:9")
        .env("HTTPS_PROXY", "http://127.0.0.1:9")
        .output()
        .expect("kubectl runs");
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// Our answer for a public kustomization.
///
/// # Errors
/// When we refuse it.
pub fn ours_of_case(files: &disk::Disk, case: &Case) -> Answer {
    let restrictor = if case.flags.contains("LoadRestrictionsNone") {
        LoadRestrictor::None
    } else {
        LoadRestrictor::Root
    };
    ours(files, &case.path, restrictor)
}

/// How two outputs differ: in objects, in their order, or in bytes only; with the first lines that do.
#[must_use]
pub fn difference(ours: &str, theirs: &str) -> String {
    let objects = |text: &str| -> Vec<String> { text.split("\n---\n").map(|part| part.trim().to_owned()).collect() };
    let (a, b) = (objects(ours), objects(theirs));
    let (mut c, mut d) = (a.clone(), b.clone());
    c.sort();
    d.sort();
    let what = if c == d {
        "the same objects in another order"
    } else if a.len() == b.len() {
        "other objects"
    } else {
        "another number of objects"
    };
    let at = ours.lines().zip(theirs.lines()).take_while(|(a, b)| a == b).count();
    let around = |text: &str| {
        let lines: Vec<&str> = text.lines().skip(at.saturating_sub(3)).take(8).collect();
        lines.join("\n    ")
    };
    format!(
        "{what}; line {}\n  ours\n    {}\n  theirs\n    {}",
        at + 1,
        around(ours),
        around(theirs)
    )
}
