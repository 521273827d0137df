//! Helm asked about every chart of a repository.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use super::ours::{Moment, render_laid};
use super::{Case, Expect, Repository, laid, objects};
use crate::corpus;
use crate::helm_template::on_a_large_stack;

/// Versions of one chart that are asked about.
const VERSIONS: usize = 1;
/// Seconds that Helm has for a chart.
const SECONDS: &str = "60";
/// What Helm says of a chart that it wants to ask the network about, or that ends it.
const OUTSIDE: &[&str] = &[
    "dial tcp",
    "no such host",
    "connection refused",
    "proxyconnect",
    "i/o timeout",
    "127.0.0.1:9",
    "goroutine 1 [running]",
];

/// The cases of a repository, and a line for each in which we differ.
///
/// # Errors
/// When it cannot be laid out.
pub fn record(helm: &Path, mirror: &Path, name: &str, files: usize) -> io::Result<(Repository, Vec<String>)> {
    let commit = corpus::newest(mirror)?;
    let folder = tempfile::tempdir()?;
    corpus::lay(mirror, &commit, folder.path())?;
    let charts = laid::charts(folder.path())?;
    let mut questions: Vec<(String, Option<String>)> = Vec::new();
    for chart in laid::newest(&charts, VERSIONS).iter().filter(|chart| !chart.library) {
        if !laid::fill(folder.path(), &charts, &chart.path)? {
            continue;
        }
        questions.push((chart.path.clone(), None));
        let values = laid::values_files(&folder.path().join(&chart.path), files);
        questions.extend(values.into_iter().map(|values| (chart.path.clone(), Some(values))));
    }
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some((path, values)) = questions.get(at) else { break };
            let answer = ask(helm, &folder.path().join(path), values.as_deref());
            if let (Some((expect, problem)), Ok(mut found)) = (answer, found.lock()) {
                let case = Case {
                    path: path.clone(),
                    values: values.clone(),
                    expect,
                };
                found.push((at, case, problem));
            }
        }
    };
    thread::scope(|scope| {
        scope.spawn(|| on_a_large_stack(work));
        on_a_large_stack(work);
    });
    let mut found = found.into_inner().unwrap_or_default();
    found.sort_by_key(|(at, _, _)| *at);
    let mut repository = Repository {
        name: name.into(),
        commit,
        cases: Vec::new(),
    };
    let mut problems = Vec::new();
    for (_, case, problem) in found {
        if let Some(problem) = problem {
            let values = case.values.as_deref().unwrap_or("-");
            problems.push(format!("{name} {} {values}: {problem}", case.path));
        }
        repository.cases.push(case);
    }
    Ok((repository, problems))
}

/// Helm's answer, and how ours differs; nothing for what needs more than the chart.
fn ask(helm: &Path, chart: &Path, values: Option<&str>) -> Option<(Expect, Option<String>)> {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| time.as_secs());
    let moment = |now: u64, key| Moment {
        now: i64::try_from(now).unwrap_or_default(),
        key,
    };
    let ours = render_laid(chart, values, moment(now, b"one"));
    let text = match run(helm, chart, values) {
        Ok(text) => text,
        Err(error) if error.is_empty() || OUTSIDE.iter().any(|word| error.contains(word)) => return None,
        Err(error) => {
            let problem = ours
                .is_ok()
                .then(|| format!("wrongly accepted; helm says {}", shortened(&error)));
            return Some((Expect::Refused, problem));
        }
    };
    // Another moment and another key show what is of the day or random.
    let other = render_laid(chart, values, moment(1_000_000_000, b"two"));
    let steady = ours == other;
    if steady && ours.as_ref() == Ok(&text) {
        return Some((Expect::Text(corpus::digest(text.as_bytes())), None));
    }
    let documents = objects::documents(&text);
    let mut paths = BTreeSet::new();
    for _ in 0..2 {
        let again = run(helm, chart, values).ok()?;
        paths.extend(objects::differing(&documents, &objects::documents(&again))?);
    }
    if let (Ok(ours), Ok(other)) = (&ours, &other) {
        paths.extend(objects::differing(&objects::documents(ours), &objects::documents(other)).unwrap_or_default());
    }
    let ours = match ours {
        Ok(ours) => objects::documents(&ours),
        Err(error) => {
            let expect = Expect::Text(corpus::digest(text.as_bytes()));
            return Some((expect, Some(format!("wrongly refused: {}", shortened(&error)))));
        }
    };
    let paths: Vec<objects::Path> = paths.into_iter().collect();
    if paths.is_empty() {
        let problem = differing_text(&documents, &ours);
        return Some((Expect::Text(corpus::digest(text.as_bytes())), Some(problem)));
    }
    let digest = objects::digest(&documents, &paths);
    let problem = (objects::digest(&ours, &paths) != digest).then(|| differing_text(&documents, &ours));
    Some((Expect::Objects(digest, paths), problem))
}

fn differing_text(helm: &[convoy_value::Value], ours: &[convoy_value::Value]) -> String {
    match objects::differing(helm, ours) {
        None => format!("{} objects, helm has {}", ours.len(), helm.len()),
        Some(paths) if paths.is_empty() => "the same objects in other bytes".into(),
        Some(paths) => {
            let shown: Vec<String> = paths.iter().take(4).map(objects::write_path).collect();
            format!("other at {}", shown.join(" "))
        }
    }
}

fn shortened(text: &str) -> String {
    let end = text.char_indices().nth(600).map_or(text.len(), |(at, _)| at);
    text[..end].trim().replace('\n', " / ")
}

/// What Helm prints; the error is empty if it took too long.
fn run(helm: &Path, chart: &Path, values: Option<&str>) -> Result<String, String> {
    let home = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut command = Command::new("timeout");
    command
        .arg(SECONDS)
        .arg(helm)
        .args(["template", "rel"])
        .arg(chart)
        .args(["-n", "ns"]);
    if let Some(values) = values {
        command.arg("-f").arg(chart.join(values));
    }
    let output = command
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", home.path())
        .env("KUBECONFIG", "/nonexistent")
        .env("HTTP_PROXY", "http://127.0.0.1:9")
        .env("HTTPS_PROXY", "http://127.0.0.1:9")
        .env("TZ", "UTC")
        .output()
        .map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    if output.status.code() == Some(124) {
        return Err(String::new());
    }
    Err(String::from_utf8_lossy(&output.stderr).into_owned())
}
