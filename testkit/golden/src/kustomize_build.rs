//! `kubectl kustomize` as the judge of `convoy-kustomize`: trees of files, what the tool says of them, and ours.

mod generate;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use convoy_kustomize::{Files, LoadRestrictor, Options};

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
pub fn ours(files: &Files, directory: &str, restrictor: LoadRestrictor) -> Answer {
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
    let files = tree.iter().map(|(path, text)| (path, text.as_bytes())).collect();
    ours(&files, directory, LoadRestrictor::Root)
}

/// The tool's answer for `directory` of a tree.
///
/// # Errors
/// When the tool refuses it.
///
/// # Panics
/// When the tree cannot be written or the tool cannot be run.
pub fn theirs(kubectl: &PathBuf, tree: &Tree, directory: &str) -> Answer {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    for (path, text) in tree {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a folder can be made");
        fs::write(path, text).expect("a file can be written");
    }
    let output = Command::new(kubectl)
        .arg("kustomize")
        .arg(folder.path().join(directory))
        .env_clear()
        .env("HOME", folder.path())
        .env("HTTPS_PROXY", "http://127.0.0.1:9")
        .output()
        .expect("kubectl runs");
    if output.status.success() {
        Ok(String::from_utf8(output.stdout).expect("kubectl prints text"))
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}
