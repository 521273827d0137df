//! Public kustomizations, as `kubectl kustomize` builds them and as we do.
//!
//! - `kustomize-corpus record OWNER/NAME…` asks the tool about repositories in the folder `CONVOY_CORPORA` and prints
//!   their list.
//! - `kustomize-corpus check LIST [OWNER/NAME…]` compares ours with a list, and says where and how the two differ.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command prints")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, io, thread};

use convoy_testkit_golden::components;
use convoy_testkit_golden::corpus::{self, Answer, Case, Expect, List, Repository};
use convoy_testkit_golden::kustomize_build::{self as kustomize};

/// So many cases of one repository, evenly spread, unless `CAP` says otherwise.
const CAP: usize = 60;
const UNRESTRICTED: &str = "--load-restrictor=LoadRestrictionsNone";
/// What the tool says of a kustomization that needs the network or a program.
const OUTSIDE: &[&str] = &[
    "://",
    "git fetch",
    "no 'git' program",
    "URL is a git",
    "dial tcp",
    "proxyconnect",
    "git@",
    "github.com",
    "enable-helm",
    "plugins disabled",
    "alpha-plugins",
    "unable to find plugin root",
    "executable file not found",
    "docker",
    "starlark",
];

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let result = match &arguments[..] {
        [verb, names @ ..] if verb == "record" => record(names),
        [verb, list, names @ ..] if verb == "check" => check(Path::new(list), names),
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

fn record(names: &[String]) -> io::Result<String> {
    let folder = needed(corpus::folder(), "CONVOY_CORPORA")?;
    let kubectl = needed(components::find("kubectl"), "kubectl")?;
    let cap = env::var("CAP").ok().and_then(|cap| cap.parse().ok()).unwrap_or(CAP);
    let mut list = List {
        tool: kustomize::TOOL.into(),
        ..List::default()
    };
    for name in names {
        let Some(mirror) = corpus::mirror(&folder, name) else {
            eprintln!("absent: {name}");
            continue;
        };
        let commit = corpus::newest(&mirror)?;
        let laid = tempfile::tempdir()?;
        corpus::lay(&mirror, &commit, laid.path())?;
        let mut directories = Vec::new();
        find(laid.path(), laid.path(), &mut directories)?;
        directories.sort();
        let count = directories.len();
        if count > cap {
            directories = (0..cap).map(|at| directories[at * count / cap].clone()).collect();
        }
        let (cases, outside) = ask(&kubectl, laid.path(), &directories);
        eprintln!(
            "{name}: {count} kustomizations, {} cases, {outside} need more",
            cases.len()
        );
        if !cases.is_empty() {
            list.repositories.push(Repository {
                name: name.clone(),
                commit,
                cases,
            });
        }
    }
    Ok(list.write())
}

/// Folders below `folder` with a kustomization, by their path below `root`.
fn find(root: &Path, folder: &Path, found: &mut Vec<String>) -> io::Result<()> {
    let mut is_one = false;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            find(root, &entry.path(), found)?;
        } else {
            let name = entry.file_name();
            is_one |= ["kustomization.yaml", "kustomization.yml", "Kustomization"]
                .iter()
                .any(|known| name == *known);
        }
    }
    if is_one && let Ok(path) = folder.strip_prefix(root) {
        found.push(path.to_string_lossy().into_owned());
    }
    Ok(())
}

/// The tool's answers, and how many need the network or a program.
fn ask(kubectl: &Path, root: &Path, directories: &[String]) -> (Vec<Case>, usize) {
    let (next, outside, cases) = (AtomicUsize::new(0), AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(path) = directories.get(next.fetch_add(1, Ordering::Relaxed)) {
            for flags in ["", UNRESTRICTED] {
                let answer = kustomize::run_tool(kubectl, &root.join(path), flags);
                let restricted = answer.as_ref().is_err_and(|problem| problem.contains("security; file"));
                let expect = match &answer {
                    Ok(text) => Expect::Text(corpus::digest(text.as_bytes())),
                    Err(problem) if OUTSIDE.iter().any(|word| problem.contains(word)) => {
                        outside.fetch_add(1, Ordering::Relaxed);
                        break;
                    }
                    Err(_) => Expect::Refused,
                };
                if let Ok(mut cases) = cases.lock() {
                    cases.push(Case {
                        path: path.clone(),
                        flags: flags.into(),
                        expect,
                    });
                }
                if !restricted {
                    break;
                }
            }
        }
    };
    thread::scope(|scope| {
        scope.spawn(work);
        work();
    });
    let mut cases = cases.into_inner().unwrap_or_default();
    cases.sort_by(|a: &Case, b| (&a.path, &a.flags).cmp(&(&b.path, &b.flags)));
    (cases, outside.into_inner())
}

fn check(list: &Path, names: &[String]) -> io::Result<String> {
    let mut list = List::read(&fs::read_to_string(list)?);
    if !names.is_empty() {
        list.repositories.retain(|repository| names.contains(&repository.name));
    }
    let folder = needed(corpus::folder(), "CONVOY_CORPORA")?;
    let kubectl = components::find("kubectl");
    let report = corpus::check(
        &list,
        &folder,
        kustomize::disk::Disk::open,
        kustomize::ours_of_case,
        |root, case, answer| explain(kubectl.as_ref(), root, case, answer),
    )?;
    Ok(report.text())
}

/// How the answers differ: in bytes only, in order, or in objects; or the tool's reason to refuse.
fn explain(kubectl: Option<&PathBuf>, root: &Path, case: &Case, ours: &Answer) -> String {
    let Some(kubectl) = kubectl else {
        return String::new();
    };
    let theirs = kustomize::run_tool(kubectl, &root.join(&case.path), &case.flags);
    match (ours, theirs) {
        (Ok(ours), Ok(theirs)) => format!("; {}", kustomize::difference(ours, &theirs)),
        (_, Err(problem)) => format!("; the tool says {}", problem.trim()),
        (Err(_), Ok(_)) => String::new(),
    }
}
