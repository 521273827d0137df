//! Public charts, as `helm template` renders them and as we do.
//!
//! - `helm-corpus record OWNER/NAME…` asks Helm about repositories in the folder `CONVOY_CORPORA` and prints their list;
//!   where we differ goes to standard error. `FILES` is how many values files of a chart are asked about.
//! - `helm-corpus masked` reads lines of files with renders of one case, and prints a list's answer for each.
//! - `helm-corpus check LIST [OWNER/NAME…]` compares ours with a list.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command prints")]

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::{env, fs, io};

use convoy_testkit_golden::helm_corpus::{List, check, objects, record};
use convoy_testkit_golden::{components, corpus};

const TOOL: &str = "helm v4.2.3: helm template rel CHART -n ns [-f VALUES]";
/// Values files of a chart, unless `FILES` says otherwise.
const FILES: usize = 4;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let result = match &arguments[..] {
        [verb, names @ ..] if verb == "record" => record_all(names),
        [verb] if verb == "masked" => masked(),
        [verb, list, names @ ..] if verb == "check" => check_all(list, names),
        _ => Err(io::Error::other("record OWNER/NAME…, or check LIST [OWNER/NAME…]")),
    };
    match result {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn needed<T>(found: Option<T>, what: &str) -> io::Result<T> {
    found.ok_or_else(|| io::Error::other(format!("{what} is absent")))
}

fn record_all(names: &[String]) -> io::Result<String> {
    let folder = needed(corpus::folder(), "CONVOY_CORPORA")?;
    let helm = needed(components::find("helm"), "helm")?;
    let files = env::var("FILES")
        .ok()
        .and_then(|files| files.parse().ok())
        .unwrap_or(FILES);
    println!("# {TOOL}");
    for name in names {
        let Some(mirror) = corpus::mirror(&folder, name) else {
            eprintln!("absent: {name}");
            continue;
        };
        match record::record(&helm, &mirror, name, files) {
            Ok((repository, problems)) => {
                eprintln!("{name}: {} cases, {} differ", repository.cases.len(), problems.len());
                for problem in problems {
                    eprintln!("  {problem}");
                }
                if repository.cases.is_empty() {
                    continue;
                }
                let list = List {
                    tool: String::new(),
                    repositories: vec![repository],
                };
                // Each at once: a long run may be stopped.
                print!("{}", list.write().split_once('\n').map_or("", |(_, rest)| rest));
            }
            Err(error) => eprintln!("{name}: {error}"),
        }
    }
    Ok(String::new())
}

/// What of several renders of one case is always the same: its digest, and the paths of the rest.
fn masked() -> io::Result<String> {
    let mut out = String::new();
    for line in io::stdin().lines() {
        let line = line?;
        let renders = line
            .split_whitespace()
            .map(|name| Ok(objects::documents(&String::from_utf8_lossy(&fs::read(name)?))))
            .collect::<io::Result<Vec<_>>>()?;
        let mut paths = BTreeSet::new();
        let first = needed(renders.first(), "a render")?;
        let comparable = renders.iter().all(|other| {
            let found = objects::differing(first, other);
            paths.extend(found.iter().flatten().cloned());
            found.is_some()
        });
        let paths: Vec<objects::Path> = paths.into_iter().collect();
        if comparable {
            out.push('~');
            out.push_str(&objects::digest(first, &paths));
            for path in &paths {
                out.push('\t');
                out.push_str(&objects::write_path(path));
            }
        }
        out.push('\n');
    }
    Ok(out)
}

fn check_all(list: &str, names: &[String]) -> io::Result<String> {
    let mut list = List::read(&fs::read_to_string(list)?);
    if !names.is_empty() {
        list.repositories.retain(|repository| names.contains(&repository.name));
    }
    let folder = needed(corpus::folder(), "CONVOY_CORPORA")?;
    Ok(check::check(&list, &folder)?.text())
}
