//! The watch loops on a server: what people and controllers change reaches the reconciler.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use convoy_domain::id::{NamespacedName, ReleaseId};
use convoy_domain::source::{SourceKey, SourceKind};
use convoy_kube::{KubeControlPlane, Settings, WatchLoops, crd};
use convoy_ports::{ControlPlane as _, Reconciler, Requeue};
use convoy_testkit_contract::control_plane::World as _;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::Api;
use kube::api::{DeleteParams, Patch, PatchParams};
use serde_json::json;
use tokio::sync::oneshot;

use super::Server;
use super::worlds::KubeWorld;

/// Remembers what it was asked to look at.
#[derive(Default)]
struct Listener(Mutex<Vec<String>>);

impl Listener {
    fn heard(&self, what: &str) -> usize {
        self.0.lock().unwrap().iter().filter(|heard| *heard == what).count()
    }

    /// Waits until something was heard more often than before.
    async fn hears(&self, what: &str, before: usize) {
        let started = Instant::now();
        while self.heard(what) <= before {
            assert!(started.elapsed() < Duration::from_secs(20), "never heard of {what}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

#[async_trait]
impl Reconciler for Listener {
    async fn release(&self, id: &ReleaseId) -> Requeue {
        self.0.lock().unwrap().push(format!("Release {id}"));
        Requeue::OnChange
    }

    async fn source(&self, key: &SourceKey) -> Requeue {
        self.0.lock().unwrap().push(key.to_string());
        Requeue::OnChange
    }

    async fn cluster(&self, id: &NamespacedName) -> Requeue {
        self.0.lock().unwrap().push(format!("Cluster {id}"));
        Requeue::OnChange
    }
}

pub(crate) async fn check(server: &Server) {
    let namespace = server.namespace().await;
    let world = KubeWorld::new(server.client.clone(), namespace.clone());
    world.create_release("before").await;
    let listener = Arc::new(Listener::default());
    let loops = WatchLoops::new(Arc::clone(&listener) as Arc<dyn Reconciler>, Settings::default());
    let enqueue = loops.enqueue();
    let (end, ended) = oneshot::channel::<()>();
    let running = tokio::spawn(loops.run(server.client.clone(), async {
        // The sender only goes when the test ends.
        let _ = ended.await;
    }));
    let release = |name: &str| format!("Release {namespace}/{name}");

    listener.hears(&release("before"), 0).await;
    world.create_release("web").await;
    listener.hears(&release("web"), 0).await;

    let heard = listener.heard(&release("web"));
    world
        .create_git_repository("repo", "https://example.invalid/a.git")
        .await;
    listener.hears(&format!("GitRepository {namespace}/repo"), 0).await;
    listener.hears(&release("web"), heard).await;

    let heard = listener.heard(&release("web"));
    world.create_cluster("here", ("tier", "test")).await;
    listener.hears(&format!("Cluster {namespace}/here"), 0).await;
    listener.hears(&release("web"), heard).await;

    settle().await;
    let heard = listener.heard(&release("web"));
    write_own_status(server, &namespace).await;
    settle().await;
    assert_eq!(
        listener.heard(&release("web")),
        heard,
        "our own status is no reason to look"
    );

    world.suspend_release("web").await;
    listener.hears(&release("web"), heard).await;

    let heard = listener.heard(&release("web"));
    enqueue.look_at(convoy_kube::Key::Release(
        NamespacedName::new(&namespace, "web").unwrap(),
    ));
    listener.hears(&release("web"), heard).await;

    check_data(server, &namespace, &world, &listener).await;

    let heard = listener.heard(&release("web"));
    world.delete_cluster("here").await;
    listener.hears(&release("web"), heard).await;

    end.send(()).unwrap();
    running.await.unwrap();
}

/// A Secret of a source and a `ConfigMap` of a Release lead to looks when they come, change and go; others do not.
async fn check_data(server: &Server, namespace: &str, world: &KubeWorld, listener: &Listener) {
    let parameters = PatchParams::apply("test").force();
    let secrets: Api<Secret> = Api::namespaced(server.client.clone(), namespace);
    let maps: Api<ConfigMap> = Api::namespaced(server.client.clone(), namespace);
    let put = async |name: &str, value: &str| {
        let data = json!({"metadata": {"name": name}, "stringData": {"token": value}});
        let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": data["metadata"], "stringData": data["stringData"]});
        secrets.patch(name, &parameters, &Patch::Apply(&secret)).await.unwrap();
        let map =
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": data["metadata"], "data": data["stringData"]});
        maps.patch(name, &parameters, &Patch::Apply(&map)).await.unwrap();
    };
    let sources: Api<crd::GitRepository> = Api::namespaced(server.client.clone(), namespace);
    let auth = json!({"spec": {"auth": {"type": "token", "secretRef": {"name": "data"}}}});
    let merge = PatchParams::default();
    sources.patch("repo", &merge, &Patch::Merge(&auth)).await.unwrap();
    world.create_release("charted").await;
    let layer = json!({"type": "configMap", "configMap": {"name": "data"}});
    let chart = json!({"spec": {"content": {"type": "helm", "manifests": null, "helm": {"values": [layer]}}}});
    let releases: Api<crd::Release> = Api::namespaced(server.client.clone(), namespace);
    releases.patch("charted", &merge, &Patch::Merge(&chart)).await.unwrap();
    settle().await;

    let source = format!("GitRepository {namespace}/repo");
    let releases = ["web", "charted"].map(|name| format!("Release {namespace}/{name}"));
    let counts = || {
        let of = |what: &String| listener.heard(what);
        [of(&source), of(&releases[0]), of(&releases[1])]
    };
    let each_is_heard = async |before: [usize; 3]| {
        listener.hears(&source, before[0]).await;
        listener.hears(&releases[0], before[1]).await;
        listener.hears(&releases[1], before[2]).await;
        settle().await;
    };
    let before = counts();
    put("data", "one").await;
    each_is_heard(before).await;
    let before = counts();
    put("data", "two").await;
    each_is_heard(before).await;
    let before = counts();
    put("other", "one").await;
    settle().await;
    assert_eq!(counts(), before, "nothing names the others");
    secrets.delete("data", &DeleteParams::default()).await.unwrap();
    each_is_heard(before).await;
}

async fn settle() {
    tokio::time::sleep(Duration::from_millis(700)).await;
}

/// Writes the status of the Release and of its source as convoy does: the Release's own state, and that the source was
/// verified once more.
async fn write_own_status(server: &Server, namespace: &str) {
    let port = KubeControlPlane::new(server.client.clone());
    let id = NamespacedName::new(namespace, "web").unwrap();
    let release = port.release(&id).await.unwrap().unwrap();
    let mut status = release.status.clone();
    "convoy-0".clone_into(&mut status.shard);
    let version = port.write_status(&release, &status).await.unwrap();
    assert_ne!(version, release.resource_version);
    let key = SourceKey {
        kind: SourceKind::Git,
        id: NamespacedName::new(namespace, "repo").unwrap(),
    };
    let source = port.source(&key).await.unwrap().unwrap();
    let sources = kube::Api::<convoy_kube::crd::GitRepository>::namespaced(server.client.clone(), namespace);
    let verified = json!({"status": {"lastVerifiedAt": "2026-01-02T03:04:05Z"}});
    let patch = kube::api::Patch::Merge(&verified);
    sources
        .patch_status(source.key.id.name(), &kube::api::PatchParams::default(), &patch)
        .await
        .unwrap();
}
