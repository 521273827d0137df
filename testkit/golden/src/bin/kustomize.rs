//! `kustomize <root> <directory> [none]` builds a kustomization below a folder, as `kubectl kustomize` prints it.
//!
//! `kustomize --lines` answers trees as `kustomize-oracle` does: a line of JSON for each line of standard input.
//!
//! `kustomize --cases <folder>` compares every case of `<folder>/kustomize-cases.tsv` with the tool's answer there.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use convoy_kustomize::{Files, LoadRestrictor};
use convoy_testkit_golden::encoding::base64;
use convoy_testkit_golden::kustomize_build::{self as kustomize, Tree};

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "a command prints")]
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments == ["--lines"] {
        for line in std::io::stdin().lines().map_while(Result::ok) {
            println!("{}", answer(&line));
        }
        return ExitCode::SUCCESS;
    }
    let [root, directory, rest @ ..] = &arguments[..] else {
        eprintln!("name a root, and a directory below it");
        return ExitCode::FAILURE;
    };
    if root == "--cases" {
        return match compare(Path::new(directory)) {
            Ok(text) => {
                print!("{text}");
                ExitCode::SUCCESS
            }
            Err(error) => {
                eprintln!("error: {error}");
                ExitCode::FAILURE
            }
        };
    }
    let restrictor = if rest.is_empty() {
        LoadRestrictor::Root
    } else {
        LoadRestrictor::None
    };
    let answer = kustomize::read_tree(Path::new(root))
        .map_err(|error| error.to_string())
        .and_then(|files| kustomize::ours(&files, directory, restrictor));
    match answer {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::FAILURE
        }
    }
}

/// A case as the oracle reads it.
#[derive(serde::Deserialize)]
struct Case {
    files: Tree,
    #[serde(default)]
    directory: String,
}

fn answer(line: &str) -> serde_json::Value {
    let answer = serde_json::from_str::<Case>(line).map_err(|error| error.to_string());
    match answer.and_then(|case| kustomize::ours_of(&case.files, &case.directory)) {
        Ok(text) => serde_json::json!({ "ok": base64(text.as_bytes()) }),
        Err(problem) => serde_json::json!({ "err": problem }),
    }
}

/// A line for each case that differs, and how many agree.
fn compare(folder: &Path) -> std::io::Result<String> {
    let mut out = String::new();
    let (mut tree, mut root) = (Files::new(), String::new());
    let (mut cases, mut same, mut refused) = (0, 0, 0);
    for line in fs::read_to_string(folder.join("kustomize-cases.tsv"))?.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [id, directory, flags, expect, ..] = &fields[..] else {
            continue;
        };
        let parts: Vec<&str> = directory.splitn(4, '/').collect();
        let case_root = parts[..parts.len().min(3)].join("/");
        if case_root != root {
            (tree, root) = (kustomize::read_tree(&folder.join(&case_root))?, case_root);
        }
        let restrictor = if flags.contains("None") {
            LoadRestrictor::None
        } else {
            LoadRestrictor::Root
        };
        cases += 1;
        let ours = kustomize::ours(&tree, parts.get(3).unwrap_or(&""), restrictor);
        let theirs = fs::read_to_string(folder.join(format!("kust-expected/{id}.yaml"))).ok();
        match (ours, *expect == "ok") {
            (Ok(text), true) if Some(&text) == theirs.as_ref() => same += 1,
            (Err(_), false) => refused += 1,
            (Ok(_), true) => drop(writeln!(out, "{id}: other text")),
            (Ok(_), false) => drop(writeln!(out, "{id}: wrongly accepted")),
            (Err(problem), true) => drop(writeln!(out, "{id}: wrongly refused: {problem}")),
        }
    }
    let _ = writeln!(
        out,
        "{cases} cases, {same} with the same bytes, {refused} refused by both"
    );
    Ok(out)
}
