//! `convoy controller-manager` as its own process, against an API server that survives it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[expect(dead_code, reason = "other test files use the rest")]
mod common;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use common::{Running, command, run_in};
use convoy_apiserver::ApiServer;
use kube::api::{ApiResource, DynamicObject, Patch, PatchParams};
use kube::core::GroupVersionKind;
use kube::{Api, Client, Config};
use serde_json::{Value, json};

/// An API server in this process, and a git repository of the example.
struct World {
    runtime: tokio::runtime::Runtime,
    server: convoy_apiserver::Running,
    dir: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .unwrap();
        let server = runtime
            .block_on(ApiServer::builder().ready_after(Duration::from_millis(50)).start())
            .unwrap();
        let dir = tempfile::tempdir().unwrap();
        let repository = dir.path().join("tree.git");
        convoy_git::repository::init(&repository, "main").unwrap();
        let tree = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/demo/tree");
        convoy_git::repository::commit_directory(&repository, "main", &tree).unwrap();
        Self { runtime, server, dir }
    }

    /// Starts the controller and waits until it reconciles.
    fn controller(&self, flags: &[&str]) -> Running {
        let url = self.server.url();
        let store = format!("file://{}?create_dir=true", self.store().display());
        let fixed = [
            "controller-manager",
            "--server",
            &url,
            "--install-crds",
            "--render-store-url",
            &store,
        ];
        let mut controller = Running::start(&mut command(self.dir.path(), &[&fixed, flags].concat()));
        controller.says("reconciling");
        controller
    }

    fn store(&self) -> PathBuf {
        self.dir.path().join("renders")
    }

    /// Applies the objects of the example.
    fn apply(&self) {
        let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/demo/release.yaml");
        let text = std::fs::read_to_string(example).unwrap();
        let documents = convoy_value::yaml::helm::parse_documents(text, &convoy_value::Limits::default()).unwrap();
        let client = self
            .runtime
            .block_on(async { Client::try_from(Config::new(self.server.url().parse().unwrap())).unwrap() });
        for document in documents {
            let mut object = serde_json::to_value(&document.value).unwrap();
            if object["kind"] == "GitRepository" {
                object["spec"]["url"] = json!(format!("file://{}", self.dir.path().join("tree.git").display()));
            }
            let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap().to_string();
            let (group, version) = text("/apiVersion")
                .split_once('/')
                .map(|(g, v)| (g.to_string(), v.to_string()))
                .unwrap();
            let kind = ApiResource::from_gvk(&GroupVersionKind::gvk(&group, &version, &text("/kind")));
            let api: Api<DynamicObject> = Api::namespaced_with(client.clone(), "default", &kind);
            let name = text("/metadata/name");
            self.runtime
                .block_on(api.patch(&name, &PatchParams::apply("test").force(), &Patch::Apply(&object)))
                .unwrap();
        }
    }

    /// The Release, as soon as it is as wanted.
    fn release(&self, wanted: impl Fn(&Value) -> bool) -> Value {
        let end = Instant::now() + Duration::from_mins(1);
        loop {
            let url = self.server.url();
            let ended = run_in(
                self.dir.path(),
                &["get", "release", "bookshelf", "-o", "json", "-s", &url],
            )
            .exits(0);
            let release: Value = serde_json::from_str(&ended.stdout).unwrap();
            if wanted(&release) {
                return release;
            }
            assert!(Instant::now() < end, "{release:#}");
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    fn history(&self) -> usize {
        let store = format!("file://{}", self.store().display());
        let arguments = ["history", "bookshelf", "-o", "name", "--render-store-url", &store];
        run_in(self.dir.path(), &arguments).exits(0).stdout.lines().count()
    }
}

fn condition<'a>(release: &'a Value, kind: &str) -> &'a Value {
    let conditions = release["status"]["conditions"].as_array();
    conditions
        .into_iter()
        .flatten()
        .find(|condition| condition["type"] == kind)
        .unwrap_or(&Value::Null)
}

fn ready(release: &Value) -> bool {
    condition(release, "Ready")["status"] == "True"
}

#[test]
fn a_release_becomes_ready_and_a_restart_changes_nothing() {
    let world = World::new();
    let mut controller = world.controller(&["--allow-file-sources", "--installation-id", "here"]);
    world.apply();
    let first = world.release(ready);
    assert_eq!(world.history(), 1);
    let (code, took) = controller.terminate();
    assert_eq!(code, 0);
    assert!(took < Duration::from_secs(25), "{took:?}");

    let _second = world.controller(&["--allow-file-sources", "--installation-id", "here"]);
    // One interval of the example and more.
    std::thread::sleep(Duration::from_secs(4));
    let second = world.release(ready);
    assert_eq!(first["status"]["lastSuccessful"], second["status"]["lastSuccessful"]);
    assert_eq!(world.history(), 1);
}

#[test]
fn a_source_on_this_machine_is_refused_unless_it_is_allowed() {
    let world = World::new();
    let _controller = world.controller(&[]);
    world.apply();
    let release = world.release(|release| !release["status"]["lastAttempted"]["failure"].is_null());
    let failure = &release["status"]["lastAttempted"]["failure"];
    assert_eq!(
        (&failure["stage"], &failure["reason"]),
        (&json!("fetch"), &json!("HostRefused"))
    );
    assert_eq!(condition(&release, "SourceReady")["reason"], "HostRefused");
}

#[test]
fn a_limit_of_the_flags_is_the_limit_of_the_render() {
    let world = World::new();
    let _controller = world.controller(&["--allow-file-sources", "--limit-objects", "3"]);
    world.apply();
    let release = world.release(|release| !release["status"]["lastAttempted"]["failure"].is_null());
    let failure = &release["status"]["lastAttempted"]["failure"];
    assert_eq!(failure["reason"], "LimitExceeded");
    assert!(failure["message"].as_str().unwrap().contains('3'), "{failure}");
}
