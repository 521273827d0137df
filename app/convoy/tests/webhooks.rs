//! A commit is seen by a webhook long before the interval, and without one it is not.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[expect(dead_code, reason = "other test files use the rest")]
mod common;

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use common::{Running, command, run_in};
use convoy_apiserver::ApiServer;
use kube::api::{ApiResource, DynamicObject, Patch, PatchParams};
use kube::core::GroupVersionKind;
use kube::{Api, Client, Config};
use serde_json::{Value, json};

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
        let server = runtime.block_on(ApiServer::builder().start()).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let world = Self { runtime, server, dir };
        convoy_git::repository::init(&world.repository(), "main").unwrap();
        world
    }

    fn repository(&self) -> PathBuf {
        self.dir.path().join("tree.git")
    }

    fn commit(&self, value: &str) -> String {
        let tree = self.dir.path().join("tree");
        fs::create_dir_all(&tree).unwrap();
        let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}, "data": {"k": value}});
        fs::write(tree.join("m.yaml"), map.to_string()).unwrap();
        let committed = convoy_git::repository::commit_directory(&self.repository(), "main", &tree).unwrap();
        committed.revision.to_string()
    }

    fn apply(&self, api_version: &str, kind: &str, name: &str, members: Value) {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind));
        let config = Config::new(self.server.url().parse().unwrap());
        let mut object = members;
        object["apiVersion"] = api_version.into();
        object["kind"] = kind.into();
        object["metadata"] = json!({"name": name, "namespace": "default"});
        self.runtime.block_on(async {
            let api: Api<DynamicObject> = Api::namespaced_with(Client::try_from(config).unwrap(), "default", &resource);
            let parameters = PatchParams::apply("test").force();
            api.patch(name, &parameters, &Patch::Apply(&object)).await.unwrap();
        });
    }

    /// The revision that the Release was last applied at.
    fn applied(&self) -> Value {
        let url = self.server.url();
        let arguments = ["get", "release", "web", "-o", "json", "-s", &url];
        let ended = run_in(self.dir.path(), &arguments).exits(0);
        let release: Value = serde_json::from_str(&ended.stdout).unwrap();
        release["status"]["lastSuccessful"]["revision"].clone()
    }

    fn applies(&self, revision: &str, within: Duration) -> bool {
        let end = Instant::now() + within;
        while Instant::now() < end {
            if self.applied() == json!(revision) {
                return true;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        false
    }
}

fn post(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let request =
        format!("POST {path} HTTP/1.1\r\nhost: a\r\nx-gitlab-token: the-token\r\ncontent-length: 2\r\n\r\n{{}}");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split(' ').nth(1).unwrap_or_default().to_owned()
}

#[test]
fn a_commit_is_seen_when_a_webhook_tells_of_it() {
    const CORE: &str = "core.convoy.kumodo.io/v1alpha1";
    let world = World::new();
    let first = world.commit("1");
    let url = world.server.url();
    let arguments = [
        "controller-manager",
        "--server",
        &url,
        "--install-crds",
        "--render-store-url",
        "mem://",
        "--allow-file-sources",
        "--webhook-address",
        "127.0.0.1:0",
    ];
    let mut controller = Running::start(&mut command(world.dir.path(), &arguments));
    let line = controller.says("receiving webhooks");
    let address = line
        .split("address=")
        .nth(1)
        .unwrap()
        .split_whitespace()
        .next()
        .unwrap();
    controller.says("reconciling");
    world.apply("v1", "Secret", "hook", json!({"stringData": {"token": "the-token"}}));
    world.apply(CORE, "Cluster", "here", json!({"spec": {"inCluster": true}}));
    let source = json!({
        "url": format!("file://{}", world.repository().display()), "interval": "1h", "minSyncInterval": "2s",
        "webhookSecretRef": {"name": "hook"},
    });
    world.apply(
        "source.convoy.kumodo.io/v1alpha1",
        "GitRepository",
        "tree",
        json!({ "spec": source }),
    );
    let release = json!({
        "clusterRef": {"name": "here"},
        "source": {"type": "gitRepository", "gitRepository": {"name": "tree", "ref": {"branch": "main"}}},
        "content": {"type": "manifests", "manifests": {"paths": ["."]}},
        "syncPolicy": {"interval": "1h"},
    });
    world.apply(CORE, "Release", "web", json!({ "spec": release }));
    assert!(world.applies(&first, Duration::from_mins(1)));

    let second = world.commit("2");
    assert!(!world.applies(&second, Duration::from_secs(4)), "nobody told of it");
    assert_eq!(post(address, "/hook/gitrepository/default/nothing"), "404");
    assert_eq!(post(address, "/hook/gitrepository/default/tree"), "202");
    assert!(world.applies(&second, Duration::from_secs(30)));

    // Within minSyncInterval of the last look: it is not forgotten.
    let third = world.commit("3");
    assert_eq!(post(address, "/hook/gitrepository/default/tree"), "202");
    assert!(world.applies(&third, Duration::from_secs(30)));
    assert_eq!(controller.terminate().0, 0);
}
