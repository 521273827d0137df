//! How fast the readers and writers are against the Go libraries, in one run on one machine.
//!
//! `cargo bench -p convoy-testkit-golden --bench speed [-- FILE…]`; without files, generated manifests are read.
//! Both sides give the fastest of several rounds over the same files; the ratio is Go's time by ours.
#![expect(clippy::print_stdout, reason = "what it is for is to print")]

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use std::{env, fs};

use convoy_testkit_golden::components;
use convoy_testkit_golden::generate::manifests;
use convoy_value::{Limits, json, yaml};

/// How often both sides are measured in turn.
const ROUNDS: usize = 3;

const TASKS: [&str; 4] = ["helm", "kustomize", "emit", "json"];

fn main() {
    let Some(oracle) = components::find("yaml-oracle") else {
        return;
    };
    let mut files: Vec<PathBuf> = env::args()
        .skip(1)
        .filter(|arg| !arg.starts_with("--"))
        .map(PathBuf::from)
        .collect();
    let folder = env::temp_dir().join(format!("convoy-speed-{}", std::process::id()));
    if files.is_empty() {
        fs::create_dir_all(&folder).expect("a temporary folder can be made");
        for (name, text) in manifests() {
            let path = folder.join(name);
            fs::write(&path, text).expect("a temporary file can be written");
            files.push(path);
        }
    }
    println!(
        "{:24} {:>9} {:>10} {:>10} {:>10} {:>6}",
        "file", "bytes", "task", "Go ms", "ours ms", "ratio"
    );
    for path in &files {
        compare(&oracle, path);
    }
    // The folder is ours if it is there.
    let _ = fs::remove_dir_all(folder);
}

/// Both sides in turn, several times, so that a busy moment of the machine hits neither alone.
fn compare(oracle: &Path, path: &Path) {
    let text = fs::read(path).expect("the file can be read");
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let mut best = [(f64::INFINITY, f64::INFINITY); TASKS.len()];
    for _ in 0..ROUNDS {
        let output = Command::new(oracle)
            .arg("bench")
            .arg(path)
            .output()
            .expect("the oracle runs");
        let go: serde_json::Value = serde_json::from_slice(&output.stdout).expect("the oracle answers with JSON");
        for (task, (best_go, best_ours)) in TASKS.iter().zip(&mut best) {
            if let (Some(go), Some(ours)) = (go[task].as_f64(), ours(task, &text)) {
                *best_go = best_go.min(go * 1e3);
                *best_ours = best_ours.min(ours.as_secs_f64() * 1e3);
            }
        }
    }
    for (task, (go, ours)) in TASKS.iter().zip(best) {
        println!(
            "{name:24} {:>9} {task:>10} {go:10.3} {ours:10.3} {:6.1}",
            text.len(),
            go / ours
        );
    }
}

fn ours(task: &str, text: &[u8]) -> Option<Duration> {
    let limits = Limits {
        bytes: usize::MAX,
        ..Limits::default()
    };
    let value = yaml::helm::parse_values(text, &limits).ok()?;
    Some(match task {
        "helm" => fastest(|| drop(black_box(yaml::helm::parse_values(black_box(text), &limits)))),
        "kustomize" => fastest(|| drop(black_box(yaml::kustomize::parse(black_box(text), &limits)))),
        "emit" => fastest(|| drop(black_box(yaml::marshal(black_box(&value))))),
        _ => fastest(|| drop(black_box(json::to_canonical(black_box(&value))))),
    })
}

/// The fastest of several rounds, as the oracle measures.
fn fastest(run: impl Fn()) -> Duration {
    let mut best = Duration::MAX;
    let start = Instant::now();
    let mut rounds = 0;
    while rounds < 3 || start.elapsed() < Duration::from_millis(700) {
        let round = Instant::now();
        run();
        best = best.min(round.elapsed());
        rounds += 1;
    }
    best
}
