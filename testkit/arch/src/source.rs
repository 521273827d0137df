//! What the source of a core crate may not say.
//!
//! `#![no_std]` takes away most effects; what it leaves (a crate may still ask for `std`, a dependency may bring a
//! clock) is looked for as words of code. Comments, literals and items that only tests compile do not count.

use std::path::{Path, PathBuf};

use crate::code::{without_comments_and_literals, without_test_items};
use crate::workspace::Workspace;

/// Words of code and why core does without them. A word ends where an identifier ends; `x!` is a macro.
const FORBIDDEN: &[(&str, &str)] = &[
    ("std", "core has no standard library"),
    ("Instant", "time is an argument"),
    ("SystemTime", "time is an argument"),
    ("Timestamp::now", "time is an argument"),
    ("Zoned::now", "time is an argument"),
    ("TimeZone::system", "the machine's time zone is an environment"),
    ("TimeZone::get", "the machine's time zones are files"),
    ("getrandom", "randomness is an argument"),
    ("rand", "randomness is an argument"),
    ("new_v4", "randomness is an argument"),
    ("RandomState", "the order of a map must not change from run to run"),
    (
        "HashMap",
        "the order of a map must not change from run to run (name `FixedState` beside it)",
    ),
    (
        "HashSet",
        "the order of a set must not change from run to run (name `FixedState` beside it)",
    ),
    ("env!", "settings are arguments"),
    ("option_env!", "settings are arguments"),
    ("println!", "core prints nothing"),
    ("print!", "core prints nothing"),
    ("eprintln!", "core prints nothing"),
    ("eprint!", "core prints nothing"),
    ("dbg!", "core prints nothing"),
    ("unsafe", "no unsafe code"),
    ("thread_local!", "caches live in a context"),
    ("static mut", "caches live in a context"),
];

/// Words in the type of a `static` that make it a place where something is remembered from call to call.
const REMEMBERS: &[&str] = &["Atomic", "Cell", "Lazy", "Lock", "Mutex", "Once"];

/// Words that the traits of `core/ports` need and nothing else in core does.
const FORBIDDEN_BUT_IN_PORTS: &[(&str, &str)] = &[
    ("async", "core waits for nothing"),
    ("await", "core waits for nothing"),
    ("Future", "core waits for nothing"),
    ("async_trait", "core waits for nothing"),
];

/// Every breach in the core crates of a workspace, as `path:line: why`.
///
/// # Panics
/// When a file cannot be read: a rule that cannot look must not pass.
#[must_use]
pub fn breaches(workspace: &Workspace) -> Vec<String> {
    let mut breaches = Vec::new();
    for (folder, _) in workspace.members().filter(|(folder, _)| folder.starts_with("core/")) {
        let source = workspace.root().join(&folder).join("src");
        let is_ports = folder == "core/ports";
        for file in rust_files(&source) {
            let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            let name = file
                .strip_prefix(workspace.root())
                .unwrap_or(&file)
                .display()
                .to_string();
            let found = if file == source.join("lib.rs") {
                root_breaches(&text)
            } else {
                Vec::new()
            };
            let found = found
                .into_iter()
                .chain(text_breaches(&text, is_ports, is_test_file(&source, &file)));
            breaches.extend(found.map(|(line, why)| format!("{name}:{line}: {why}")));
        }
    }
    breaches
}

/// What is missing in the `lib.rs` of a core crate.
#[must_use]
pub fn root_breaches(text: &str) -> Vec<(usize, String)> {
    let code = without_comments_and_literals(text);
    if code.lines().any(|line| line.trim() == "#![no_std]") {
        Vec::new()
    } else {
        vec![(1, "`#![no_std]` is missing".to_owned())]
    }
}

/// The forbidden words in one file, each with its line and the reason.
///
/// `is_test_file` is for a file that only tests compile.
#[must_use]
pub fn text_breaches(text: &str, is_ports: bool, is_test_file: bool) -> Vec<(usize, String)> {
    if is_test_file {
        return Vec::new();
    }
    let code = without_test_items(&without_comments_and_literals(text));
    let words = FORBIDDEN
        .iter()
        .chain(if is_ports { &[] } else { FORBIDDEN_BUT_IN_PORTS });
    let mut breaches = Vec::new();
    for (word, why) in words {
        for (number, line) in code.lines().enumerate() {
            let is_fixed = word.starts_with("Hash") && (has_word(line, "FixedState") || is_plain_import(line));
            if has_word(line, word) && !is_fixed {
                breaches.push((number + 1, format!("`{word}`: {why}")));
            }
        }
    }
    for (number, line) in code.lines().enumerate() {
        if remembers(line) {
            breaches.push((number + 1, "`static`: caches live in a context".to_owned()));
        }
    }
    // A file of this name is exempt above, so nothing but tests may compile it.
    for (number, line) in code.lines().enumerate() {
        if line.trim().trim_start_matches("pub ").trim_start_matches("pub(crate) ") == "mod tests;" {
            breaches.push((number + 1, "`mod tests;` stands without `#[cfg(test)]`".to_owned()));
        }
    }
    breaches.sort();
    breaches
}

/// Whether a line brings hashbrown's maps into scope under their own names, so that their uses are seen.
fn is_plain_import(line: &str) -> bool {
    line.trim_start().starts_with("use hashbrown::") && !has_word(line, "as")
}

/// Whether a line declares a `static` that remembers; `'static` is a lifetime.
fn remembers(line: &str) -> bool {
    let line = line.replace("'static", "");
    let item = line.split_once("static ").map_or("", |(_, item)| item);
    REMEMBERS.iter().any(|word| item.contains(word))
}

/// Each forbidden word, so that a test can ask for a breach of each.
pub fn forbidden_words() -> impl Iterator<Item = &'static str> {
    FORBIDDEN.iter().chain(FORBIDDEN_BUT_IN_PORTS).map(|(word, _)| *word)
}

/// `tests.rs` and what is in a folder `tests` are declared behind `#[cfg(test)]`, or the declaration is a breach.
fn is_test_file(source: &Path, file: &Path) -> bool {
    let inner = file.strip_prefix(source).unwrap_or(file);
    inner.file_name().is_some_and(|name| name == "tests.rs")
        || inner
            .parent()
            .is_some_and(|folder| folder.iter().any(|name| name == "tests"))
}

fn has_word(line: &str, word: &str) -> bool {
    let is_part = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    line.match_indices(word).any(|(at, _)| {
        let (before, after) = (&line.as_bytes()[..at], &line.as_bytes()[at + word.len()..]);
        !is_part(before.last()) && (word.ends_with('!') || !is_part(after.first()))
    })
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files = Vec::new();
    for entry in entries {
        let path = entry
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
            .path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}
