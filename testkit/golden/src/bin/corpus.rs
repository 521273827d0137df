//! Compares our readers and writer with the Go libraries on the YAML and JSON files below some folders:
//! `cargo run -p convoy-testkit-golden --bin corpus -- FOLDER…`.
#![expect(clippy::print_stdout, reason = "what it is for is to print")]

use std::path::{Path, PathBuf};
use std::{env, fs};

use convoy_testkit_golden::oracle::{Op, Oracle, agree};
use convoy_value::{Limits, json, yaml};

fn main() {
    let mut oracle = Oracle::start().expect("testkit/components/install puts it there");
    let mut files = Vec::new();
    for folder in env::args().skip(1) {
        collect(Path::new(&folder), &mut files);
    }
    let (mut cases, mut read, mut differences) = (0, 0, 0);
    for file in &files {
        let Ok(text) = fs::read(file) else { continue };
        let mut ask = |op: Op, text: &[u8]| {
            let (ours, go) = (op.ours(text), oracle.ask(op, text));
            cases += 1;
            read += usize::from(go.is_ok());
            // Limits of ours, and Go's own chance, are no differences.
            let limit = ours.as_ref().is_err_and(|error| error.contains("the limit of"));
            if !limit && !agree(op, &ours, &go) && (0..5).all(|_| oracle.ask(op, text) == go) {
                differences += 1;
                println!("{} {op:?}\n{}", file.display(), first_difference(&ours, &go));
            }
        };
        for op in [Op::Helm, Op::HelmDocuments, Op::Kustomize, Op::KustomizeDocuments] {
            ask(op, &text);
        }
        for document in yaml::helm::parse_documents(&text, &Limits::default()).unwrap_or_default() {
            ask(Op::Emit, json::to_canonical(&document.value).as_bytes());
        }
    }
    println!(
        "{} files, {cases} comparisons ({read} of them of what Go accepts), {differences} differences",
        files.len()
    );
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_symlink() {
        return;
    }
    if path.is_dir() {
        let mut entries: Vec<PathBuf> = fs::read_dir(path)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .collect();
        entries.sort();
        for entry in entries {
            collect(&entry, files);
        }
    } else if path
        .extension()
        .is_some_and(|ending| ["yaml", "yml", "json"].iter().any(|known| ending == *known))
    {
        files.push(path.to_owned());
    }
}

/// The surroundings of the first place where the two answers differ.
fn first_difference(ours: &Result<String, String>, go: &Result<String, String>) -> String {
    let (Ok(ours), Ok(go)) = (ours, go) else {
        let short = |answer: &Result<String, String>| format!("{answer:?}").chars().take(200).collect::<String>();
        return format!("  ours {}\n  go   {}", short(ours), short(go));
    };
    let same = ours.chars().zip(go.chars()).take_while(|(a, b)| a == b).count();
    let around = |text: &str| text.chars().skip(same.saturating_sub(40)).take(100).collect::<String>();
    format!("  ours {:?}\n  go   {:?}", around(ours), around(go))
}
