//! `convoy demo` from a built binary: healthy, explained, broken, changed, ended.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use common::{Running, command, run, run_in};

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

/// A copy of the example with plain manifests, with one text replaced in one file.
fn sample_with(file: &str, from: &str, to: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    copy(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/manifests"),
        dir.path(),
    );
    let path = dir.path().join(file);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{file} does not hold `{from}`");
    fs::write(&path, text.replace(from, to)).unwrap();
    dir
}

/// Runs `demo --once` on a broken sample.
fn broken(file: &str, from: &str, to: &str) -> common::Ended {
    broken_within("30s", file, from, to)
}

/// As [`broken`], for what may pass by itself and therefore takes all the time.
fn broken_within(timeout: &str, file: &str, from: &str, to: &str) -> common::Ended {
    let dir = sample_with(file, from, to);
    let state = tempfile::tempdir().unwrap();
    let dir = dir.path().to_str().unwrap();
    let ended = run_in(state.path(), &["demo", dir, "--once", "--timeout", timeout]).exits(1);
    assert_eq!(ended.stderr.matches("error: ").count(), 1, "{}", ended.stderr);
    ended
}

/// The lines of a tree that are the same each time: all but the first, which names the revision.
fn tree(ended: &common::Ended) -> Vec<String> {
    let lines: Vec<&str> = ended.stdout.lines().collect();
    assert!(lines[0].starts_with("Release default/bookshelf"), "{}", ended.stdout);
    assert!(lines[0].contains("Healthy") && lines[0].contains("revision ") && lines[0].contains("render "));
    lines[1..]
        .iter()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect()
}

#[test]
fn the_chart_of_the_sample_is_healthy_and_shows_its_tree() {
    let ended = run(&["demo", "--once"]).exits(0);
    assert_eq!(
        tree(&ended),
        [
            "├─ wave 0",
            "│ ├─ Namespace bookshelf Healthy",
            "│ ├─ Secret bookshelf/session Healthy",
            "│ ├─ ConfigMap bookshelf/site Healthy",
            "│ ├─ ConfigMap bookshelf/catalogue Healthy",
            "│ ├─ Service bookshelf/frontend Healthy",
            "│ └─ Service bookshelf/backend Healthy",
            "├─ wave 1 gate",
            "│ └─ Deployment.apps bookshelf/backend Healthy",
            "└─ wave 2 gate",
            "└─ Deployment.apps bookshelf/frontend Healthy",
        ],
        "{}",
        ended.stdout
    );
    assert!(
        !ended.stdout.contains('\u{1b}') && !ended.stderr.contains('\u{1b}'),
        "no colours in a pipe"
    );
}

#[test]
fn the_examples_of_manifests_and_kustomize_are_healthy() {
    let example = |name: &str| {
        let dir = tempfile::tempdir().unwrap();
        copy(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name),
            dir.path(),
        );
        tree(&run(&["demo", dir.path().to_str().unwrap(), "--once"]).exits(0))
    };
    let manifests = example("manifests");
    assert_eq!(manifests.len(), 10, "{manifests:#?}");
    let kustomize = example("kustomize");
    assert!(
        kustomize
            .iter()
            .any(|line| line.contains("ConfigMap bookshelf/catalogue-")),
        "{kustomize:#?}"
    );
    assert!(
        kustomize
            .iter()
            .any(|line| line.contains("Deployment.apps bookshelf/backend Healthy")),
        "{kustomize:#?}"
    );
}

#[test]
fn a_broken_sample_ends_with_its_reason() {
    broken("release.yaml", "branch: main", "branch: absent")
        .says("failed in stage fetch, RefNotFound: branch absent does not exist")
        .says("hint: ");
    broken(
        "release.yaml",
        "    name: demo\n  source:",
        "    name: absent\n  source:",
    )
    .says("failed in stage cluster, ClusterNotFound")
    .says("absent");
    broken(
        "release.yaml",
        "gitRepository:\n      name: bookshelf",
        "gitRepository:\n      name: absent",
    )
    .says("failed in stage fetch, SourceNotFound")
    .says("absent");
    broken("release.yaml", "      name: frontend\n", "      name: fronted\n")
        .says("failed in stage mutate, MutationNoMatch");
}

#[test]
fn a_suspended_release_is_not_healthy() {
    broken(
        "release.yaml",
        "spec:\n  clusterRef:",
        "spec:\n  suspend: true\n  clusterRef:",
    )
    .says("Release `default/bookshelf` is suspended")
    .says("hint: ");
}

#[test]
fn a_tree_that_does_not_render_names_file_and_line() {
    broken("tree/backend/service.yaml", "metadata:", "metadata: {")
        .says("failed in stage render, RenderFailed")
        .says("backend/service.yaml")
        .says("line");
    let deep = format!("deep: {}{}\nmetadata:", "[".repeat(10_000), "]".repeat(10_000));
    broken("tree/backend/service.yaml", "metadata:", &deep)
        .says("failed in stage render, LimitExceeded")
        .says("the nesting passes the limit of 200");
}

#[test]
fn a_file_that_is_too_large_names_the_limit() {
    let large = format!("# {}\nmetadata:", "x".repeat(20 << 20));
    broken("tree/backend/service.yaml", "metadata:", &large)
        .says("LimitExceeded")
        .says("16");
}

#[test]
fn an_object_that_the_cluster_refuses_stops_before_anything_is_applied() {
    let ended = broken("tree/frontend/deployment.yaml", "replicas: 1", "replicas: many")
        .says("failed in stage dryRun, DryRunFailed")
        .says("replicas");
    assert!(!ended.stdout.contains("Healthy"), "{}", ended.stdout);
}

#[test]
fn a_source_that_cannot_be_reached_is_named() {
    broken_within(
        "3s",
        "release.yaml",
        "url: file://./tree",
        "url: http://127.0.0.1:9/x.git",
    )
    .says("failed in stage fetch, FetchFailed")
    .says("http://127.0.0.1:9/x.git");
}

#[test]
fn a_source_that_never_answers_does_not_hold_the_demo() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("url: http://{}/x.git", silent.local_addr().unwrap());
    let started = Instant::now();
    broken_within("2s", "release.yaml", "url: file://./tree", &url).says("is not healthy after 2s");
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

#[test]
fn a_file_that_is_wrong_is_said_before_anything_starts() {
    let check = |from: &str, to: &str, expect: &str| {
        broken("release.yaml", from, to).says(expect);
    };
    check(
        "automatic: true",
        "automtic: true",
        "`spec.syncPolicy.automtic` is not a known field",
    );
    check("kind: Release", "kind: [", "is not YAML");
    check("url: file://./tree", "url: file://./absent", "is not a directory");
    check(
        "url: file://./tree",
        "url: file://./../tree",
        "leaves the demo's directory",
    );
    run(&["demo", "absent", "--once"])
        .exits(1)
        .says("cannot read the demo's directory `absent`");
}

#[test]
fn a_taken_port_is_named() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    run(&["demo", "--once", "--port", &port])
        .exits(1)
        .says(&format!("cannot listen on `127.0.0.1:{port}`: Address already in use"))
        .says("--port");
}

/// The values of the sample's sub-chart, below its tree.
const FRONTEND: &str = "charts/bookshelf/charts/frontend/values.yaml";

/// A demo that runs, with its directories.
struct Live {
    demo: Running,
    dir: tempfile::TempDir,
    url: String,
}

impl Live {
    fn start() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("state");
        let mut demo = Running::start(&mut command(
            dir.path(),
            &["demo", "--state-dir", state.to_str().unwrap()],
        ));
        let url = demo.prints("API server").split_whitespace().last().unwrap().to_string();
        demo.prints("Watching");
        Self { demo, dir, url }
    }

    fn tree(&self) -> PathBuf {
        self.dir.path().join("state/sample/tree")
    }

    fn store(&self) -> String {
        format!(
            "file://{}/state/renders",
            self.dir.path().canonicalize().unwrap().display()
        )
    }

    fn convoy(&self, arguments: &[&str]) -> common::Ended {
        run_in(self.dir.path(), &[arguments, &["--server", &self.url]].concat())
    }

    fn history(&self) -> Vec<serde_json::Value> {
        let store = self.store();
        let ended = self
            .convoy(&["history", "bookshelf", "-o", "json", "--render-store-url", &store])
            .exits(0);
        serde_json::from_str(&ended.stdout).unwrap()
    }

    /// Saves a change and waits until it is healthy.
    fn change(&mut self, replicas: usize) {
        let file = self.tree().join(FRONTEND);
        let text = fs::read_to_string(&file).unwrap();
        let line = text
            .lines()
            .find(|line| line.contains("replicas:"))
            .unwrap()
            .to_string();
        fs::write(&file, text.replace(&line, &format!("replicas: {replicas}"))).unwrap();
        let committed = self.demo.says("committed");
        let revision = committed.split_whitespace().last().unwrap().to_string();
        self.demo.says(&format!("healthy at {revision}"));
    }
}

#[test]
fn while_it_runs_other_commands_look_at_it() {
    let mut live = Live::start();
    let releases = live.convoy(&["get", "releases", "-A"]).exits(0);
    let lines: Vec<Vec<&str>> = releases
        .stdout
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(
        lines[0],
        [
            "NAMESPACE",
            "NAME",
            "READY",
            "PHASE",
            "REVISION",
            "RENDER",
            "AGE",
            "MESSAGE"
        ]
    );
    assert_eq!(lines[1][..4], ["default", "bookshelf", "True", "Succeeded"]);
    let sources = live.convoy(&["get", "sources"]).exits(0).stdout;
    assert!(
        sources
            .lines()
            .nth(1)
            .unwrap()
            .starts_with("GitRepository   bookshelf   True"),
        "{sources}"
    );
    live.convoy(&["get", "clusters", "-o", "name"])
        .exits(0)
        .prints("cluster.core.convoy.kumodo.io/demo\n");
    live.convoy(&["get", "release", "absent"])
        .exits(1)
        .says("no release `absent` in namespace `default`");
    let one = live
        .convoy(&["get", "release", "bookshelf", "-o", "json"])
        .exits(0)
        .stdout;
    let release: serde_json::Value = serde_json::from_str(&one).unwrap();
    assert_eq!(release["kind"], "Release");
    assert!(release["metadata"].get("managedFields").is_none());
    live.convoy(&["get", "releases", "-n", "elsewhere"])
        .exits(0)
        .says("no releases found in namespace elsewhere");

    let store = live.store();
    let history = live
        .convoy(&["history", "bookshelf", "--render-store-url", &store])
        .exits(0)
        .stdout;
    assert!(history.starts_with("SYNCED"), "{history}");
    assert!(history.contains("current,healthy"), "{history}");
    live.convoy(&["history", "absent", "--render-store-url", &store])
        .exits(1)
        .says("no Release `default/absent`");
    for url in ["mem://", "MEM://"] {
        live.convoy(&["history", "bookshelf", "--render-store-url", url])
            .exits(1)
            .says("a `mem://` render store is private to the process that opened it");
    }
    live.convoy(&["history", "bookshelf"])
        .exits(2)
        .says("no history without a render store");

    let (code, took) = live.demo.terminate();
    assert_eq!(code, 0);
    assert!(took < Duration::from_secs(10), "{took:?}");
}

#[test]
fn a_broken_demo_stays_up_and_recovers() {
    let dir = sample_with("release.yaml", "branch: main", "branch: absent");
    let mut demo = Running::start(&mut command(dir.path(), &["demo", dir.path().to_str().unwrap()]));
    demo.says("failed in fetch: RefNotFound");
    demo.says("error: Release `default/bookshelf` failed in stage fetch, RefNotFound");
    demo.prints("Watching");
    let file = dir.path().join("release.yaml");
    let text = fs::read_to_string(&file).unwrap();
    // Half of a file is no reason to end, or to change anything.
    fs::write(&file, &text[..text.len() / 2]).unwrap();
    demo.says("files");
    fs::write(&file, text.replace("branch: absent", "branch: main")).unwrap();
    demo.says("applied the changed objects");
    demo.says("healthy at");
    assert_eq!(demo.terminate().0, 0);
}

#[test]
fn a_kept_directory_keeps_its_history() {
    let dir = tempfile::tempdir().unwrap();
    let demo = || run_in(dir.path(), &["demo", "--once", "--state-dir", "state"]).exits(0);
    let history = || {
        let store = format!("file://{}/state/renders", dir.path().canonicalize().unwrap().display());
        run_in(
            dir.path(),
            &["history", "bookshelf", "-o", "name", "--render-store-url", &store],
        )
        .exits(0)
        .says("note: without marks")
        .stdout
    };
    demo();
    let first = history();
    assert_eq!(first.lines().count(), 1);
    demo();
    assert_eq!(history(), first, "the same render has no second entry");
    let file = dir.path().join("state/sample/tree").join(FRONTEND);
    let text = fs::read_to_string(&file).unwrap().replace("replicas: 1", "replicas: 3");
    fs::write(&file, text).unwrap();
    demo();
    let lines = history();
    assert_eq!(lines.lines().count(), 2);
    assert_eq!(lines.lines().nth(1), first.lines().next(), "newest first");
}

#[test]
fn a_saved_change_becomes_a_commit_and_the_eleventh_entry_makes_the_first_go() {
    let mut live = Live::start();
    let first = live.history();
    assert_eq!(first.len(), 1);
    for replicas in 2..=11 {
        live.change(replicas);
    }
    let entries = live.history();
    assert_eq!(entries.len(), 10, "keepHistory is 10");
    assert_ne!(entries[9]["renderRef"], first[0]["renderRef"], "the first entry went");
    assert_eq!(entries[0]["marks"], serde_json::json!(["current", "healthy"]));
    let blobs = live.dir.path().join("state/renders/default/bookshelf/renders");
    let stored: Vec<String> = fs::read_dir(blobs)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(stored.len(), 10, "{stored:?}");
    for entry in &entries {
        assert!(stored.contains(&entry["renderRef"].as_str().unwrap().to_string()));
    }
}

#[test]
fn a_release_that_waits_is_let_through_once() {
    let mut live = Live::start();
    live.convoy(&["sync", "bookshelf"])
        .exits(1)
        .says("does not wait for a sync request");
    live.convoy(&["sync", "absent"])
        .exits(1)
        .says("there is no Release `default/absent`");
    let file = live.dir.path().join("state/sample/release.yaml");
    let text = fs::read_to_string(&file)
        .unwrap()
        .replace("automatic: true", "automatic: false");
    fs::write(&file, text).unwrap();
    live.demo.says("applied the changed objects");
    let file = live.tree().join(FRONTEND);
    let text = fs::read_to_string(&file).unwrap().replace("replicas: 1", "replicas: 2");
    fs::write(&file, text).unwrap();
    live.demo.says("waits for a sync request: 1 object");
    assert_eq!(live.history().len(), 1, "nothing goes through by itself");
    let said = live.convoy(&["sync", "bookshelf"]).exits(0).stdout;
    assert!(said.starts_with("requested a sync of render "), "{said}");
    live.demo.says("healthy at");
    let history = live.history();
    assert_eq!(history.len(), 2);
    let render = history[0]["renderRef"].as_str().unwrap();
    assert!(said.contains(&render["sha256:".len()..][..12]), "{said}");
}

#[test]
fn an_unrelated_commit_changes_no_render() {
    let mut live = Live::start();
    fs::write(live.tree().join("README.md"), "About the bookshelf\n").unwrap();
    let committed = live.demo.says("committed");
    let revision = committed.split_whitespace().last().unwrap().to_string();
    live.demo.says(&format!("healthy at {revision}"));
    assert_eq!(live.history().len(), 1);
}

#[test]
fn a_temporary_directory_goes_with_the_demo() {
    let dir = tempfile::tempdir().unwrap();
    let temporary = dir.path().join("tmp");
    fs::create_dir(&temporary).unwrap();
    let mut demo = Running::start(command(dir.path(), &["demo"]).env("TMPDIR", &temporary));
    demo.prints("Watching");
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 1);
    assert_eq!(demo.terminate().0, 0);
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
}
