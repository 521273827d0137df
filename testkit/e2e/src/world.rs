//! One namespace with a repository, a render store and a Release.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use convoy_domain::artifact::Files;
use convoy_domain::render_ref::RenderRef;
use kube::Client;
use kube::api::{Api, ApiResource, DeleteParams, DynamicObject, GroupVersionKind, ListParams, Patch, PatchParams};
use serde_json::{Value, json};
use tempfile::TempDir;

/// How long anything may take before a test gives up.
const PATIENCE: Duration = Duration::from_mins(1);

/// The name of the Release, its source and its Cluster.
const NAME: &str = "web";

/// A namespace of its own, and what lives in it.
pub struct World {
    client: Client,
    namespace: String,
    files: TempDir,
}

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("World")
            .field("namespace", &self.namespace)
            .finish_non_exhaustive()
    }
}

impl World {
    /// Makes the namespace and an empty repository.
    ///
    /// # Panics
    /// When the server refuses.
    pub async fn new(client: &Client, namespace: &str) -> Self {
        let world = Self {
            client: client.clone(),
            namespace: namespace.to_string(),
            files: tempfile::tempdir().expect("a temporary directory"),
        };
        world
            .apply(json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}))
            .await;
        convoy_git::repository::init(&world.repository(), "main").expect("a repository is made");
        world
    }

    /// The namespace.
    #[must_use]
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// The bare repository.
    #[must_use]
    pub fn repository(&self) -> PathBuf {
        self.files.path().join("repository.git")
    }

    /// A path beside the repository, for logs.
    #[must_use]
    pub fn file(&self, name: &str) -> PathBuf {
        self.files.path().join(name)
    }

    /// Commits exactly these files; returns the commit.
    ///
    /// # Panics
    /// When the commit cannot be made.
    #[must_use]
    pub fn commit(&self, files: &[(&str, &str)]) -> String {
        let files: Files = files
            .iter()
            .map(|(path, text)| ((*path).to_string(), Arc::from(text.as_bytes())))
            .collect();
        let committed = convoy_git::repository::commit_files(&self.repository(), "main", &files, "a commit of a test");
        committed.expect("a commit is made").revision.0
    }

    /// Creates Cluster and source, and the Release with `changes` merged over it; `spec.content` and `spec.source`
    /// are replaced where they have a type.
    pub async fn release(&self, changes: Value) {
        let metadata = json!({"name": NAME, "namespace": self.namespace});
        self.apply(json!({
            "apiVersion": "core.convoy.kumodo.io/v1alpha1", "kind": "Cluster", "metadata": metadata,
            "spec": {"inCluster": true},
        }))
        .await;
        self.apply(json!({
            "apiVersion": "source.convoy.kumodo.io/v1alpha1", "kind": "GitRepository", "metadata": metadata,
            "spec": {
                "url": format!("file://{}", self.repository().display()), "auth": {"type": "none"},
                "interval": "1m", "minSyncInterval": "100ms",
            },
        }))
        .await;
        let mut release = json!({
            "apiVersion": "core.convoy.kumodo.io/v1alpha1", "kind": "Release", "metadata": metadata,
            "spec": {
                "clusterRef": {"name": NAME},
                "source": {"type": "gitRepository", "gitRepository": {"name": NAME, "ref": {"branch": "main"}}},
                "content": {"type": "manifests", "manifests": {"paths": ["."]}},
                "syncPolicy": {"interval": "1s"},
                "healthAssessment": {"deadline": "20s"},
            },
        });
        merge(&mut release, &changes);
        for part in ["content", "source"] {
            let other = changes.pointer(&format!("/spec/{part}"));
            if let Some(other) = other.filter(|other| other.get("type").is_some()) {
                release["spec"][part] = other.clone();
            }
        }
        self.apply(release).await;
    }

    /// Merges a change into the Release.
    ///
    /// # Panics
    /// When the server refuses.
    pub async fn change(&self, change: Value) {
        let releases = self.api("core.convoy.kumodo.io", "Release");
        releases
            .patch(NAME, &PatchParams::default(), &Patch::Merge(&change))
            .await
            .expect("the Release is changed");
    }

    /// The Release as it is now.
    pub async fn status(&self) -> Option<Value> {
        let release = self
            .api("core.convoy.kumodo.io", "Release")
            .get_opt(NAME)
            .await
            .ok()??;
        serde_json::to_value(release).ok()
    }

    /// Waits until the Release is as `wanted`, and gives it.
    ///
    /// # Panics
    /// When it does not become so in time.
    pub async fn until(&self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let start = Instant::now();
        loop {
            let release = self.status().await;
            if let Some(release) = release.as_ref().filter(|release| wanted(release)) {
                return release.clone();
            }
            if start.elapsed() > PATIENCE {
                let status = release.map(|release| release["status"].to_string());
                panic!("{} never came to be {what}: {status:?}", self.namespace);
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Waits until the Release is Ready at `commit`.
    pub async fn ready_at(&self, commit: &str) -> Value {
        self.until(&format!("ready at {commit}"), |release| {
            condition(release, "Ready") == Some(("True", "Succeeded"))
                && release
                    .pointer("/status/lastSuccessful/revision")
                    .and_then(Value::as_str)
                    == Some(commit)
                && release.pointer("/status/lastAttempted/phase").and_then(Value::as_str) == Some("Succeeded")
        })
        .await
    }

    /// Waits until the last attempt failed in `stage` with `reason` and a message that contains `named`.
    pub async fn fails_with(&self, stage: &str, reason: &str, named: &str) {
        let text = |release: &Value, field: &str| {
            let found = release
                .pointer(&format!("/status/lastAttempted/failure/{field}"))
                .and_then(Value::as_str);
            found.unwrap_or_default().to_string()
        };
        let failed = |release: &Value| {
            text(release, "stage") == stage
                && text(release, "reason") == reason
                && text(release, "message").contains(named)
        };
        self.until(&format!("failed in {stage} with {reason} and `{named}`"), failed)
            .await;
    }

    /// An object of the namespace.
    pub async fn object(&self, group: &str, kind: &str, name: &str) -> Option<Value> {
        let object = self.api(group, kind).get_opt(name).await.ok()??;
        serde_json::to_value(object).ok()
    }

    /// All objects of a kind in the namespace, by name.
    pub async fn objects(&self, group: &str, kind: &str) -> BTreeMap<String, Value> {
        let list = self.api(group, kind).list(&ListParams::default()).await;
        let items = list.map(|list| list.items).unwrap_or_default();
        items
            .into_iter()
            .filter_map(|item| Some((item.metadata.name.clone()?, serde_json::to_value(item).ok()?)))
            .collect()
    }

    /// Writes a `ConfigMap` of the namespace as somebody else.
    pub async fn overwrite(&self, name: &str, value: &str) {
        self.apply(json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": name, "namespace": self.namespace}, "data": {"key": value},
        }))
        .await;
    }

    /// Deletes an object of the core group as somebody else.
    ///
    /// # Panics
    /// When the server refuses.
    pub async fn remove(&self, kind: &str, name: &str) {
        self.api("", kind)
            .delete(name, &DeleteParams::default())
            .await
            .expect("the object is deleted");
    }

    /// Deletes the Secret with the installation's key.
    ///
    /// # Panics
    /// When the server refuses.
    pub async fn lose_key(&self) {
        Api::<DynamicObject>::namespaced_with(self.client.clone(), "convoy-system", &resource("", "Secret"))
            .delete("convoy-entropy-key", &DeleteParams::default())
            .await
            .expect("the key is deleted");
    }

    /// An object without a namespace.
    pub async fn cluster_object(&self, group: &str, kind: &str, name: &str) -> Option<Value> {
        let api: Api<DynamicObject> = Api::all_with(self.client.clone(), &resource(group, kind));
        serde_json::to_value(api.get_opt(name).await.ok()??).ok()
    }

    /// Waits until an object of the core group is as `wanted`.
    ///
    /// # Panics
    /// When it does not become so in time.
    pub async fn until_object(&self, kind: &str, name: &str, wanted: impl Fn(&Value) -> bool) {
        let start = Instant::now();
        loop {
            let object = self.object("", kind, name).await;
            if object.as_ref().is_some_and(&wanted) {
                return;
            }
            assert!(
                start.elapsed() < PATIENCE,
                "{kind} {name} never came to be as it should: {object:#?}"
            );
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Waits until the Release is gone.
    ///
    /// # Panics
    /// When it does not go in time.
    pub async fn until_gone(&self) {
        let start = Instant::now();
        while let Some(release) = self.status().await {
            assert!(start.elapsed() < PATIENCE, "the Release does not go: {release:#?}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Merges a change into the first part of the inventory.
    ///
    /// # Panics
    /// When the server refuses.
    pub async fn change_inventory(&self, change: Value) {
        let parts = self.api("core.convoy.kumodo.io", "ReleaseInventory");
        let name = format!("{NAME}-0");
        parts
            .patch(&name, &PatchParams::default(), &Patch::Merge(&change))
            .await
            .expect("the inventory is changed");
    }

    /// Merges a change into the source.
    ///
    /// # Panics
    /// When the server refuses.
    pub async fn change_source(&self, change: Value) {
        let sources = self.api("source.convoy.kumodo.io", "GitRepository");
        sources
            .patch(NAME, &PatchParams::default(), &Patch::Merge(&change))
            .await
            .expect("the source is changed");
    }

    /// Deletes the Release.
    ///
    /// # Panics
    /// When the server refuses.
    pub async fn delete(&self) {
        let releases = self.api("core.convoy.kumodo.io", "Release");
        releases
            .delete(NAME, &DeleteParams::default())
            .await
            .expect("the Release is deleted");
    }

    /// URL of the render store, which all worlds of a controller may share.
    #[must_use]
    pub fn store_url(folder: &Path) -> String {
        format!("file://{}?create_dir=true", folder.display())
    }

    /// The renders of the Release in the store: history, oldest first, and blobs.
    ///
    /// # Panics
    /// When the store holds a key that is none of convoy's.
    #[must_use]
    pub fn stored(&self, store: &Path) -> (Vec<RenderRef>, Vec<RenderRef>) {
        let release = store.join(&self.namespace).join(NAME);
        let history = names(&release.join("history"));
        let of_entry = |name: &String| name.split_once('-').and_then(|(_time, render)| render.parse().ok());
        let entries = history
            .iter()
            .map(|name| of_entry(name).expect("a history key"))
            .collect();
        let blobs = names(&release.join("renders"))
            .iter()
            .map(|name| name.parse().expect("a blob key"))
            .collect();
        (entries, blobs)
    }

    /// Creates or changes a source of the namespace.
    pub async fn source(&self, kind: &str, name: &str, spec: Value) {
        self.apply(json!({
            "apiVersion": "source.convoy.kumodo.io/v1alpha1", "kind": kind,
            "metadata": {"name": name, "namespace": self.namespace}, "spec": spec,
        }))
        .await;
    }

    /// Creates or changes a `ConfigMap` or Secret of the namespace.
    pub async fn data(&self, kind: &str, name: &str, entries: Value) {
        let field = if kind == "Secret" { "stringData" } else { "data" };
        self.apply(json!({
            "apiVersion": "v1", "kind": kind, "metadata": {"name": name, "namespace": self.namespace}, field: entries,
        }))
        .await;
    }

    async fn apply(&self, object: Value) {
        let (group, kind) = (group(&object), text(&object, "/kind"));
        let name = text(&object, "/metadata/name");
        let api = if kind == "Namespace" {
            Api::all_with(self.client.clone(), &resource(&group, &kind))
        } else {
            self.api(&group, &kind)
        };
        let params = PatchParams::apply("somebody").force();
        let applied: Result<DynamicObject, _> = api.patch(&name, &params, &Patch::Apply(&object)).await;
        if let Err(error) = applied {
            panic!("{kind} {name} is applied: {error}");
        }
    }

    fn api(&self, group: &str, kind: &str) -> Api<DynamicObject> {
        Api::namespaced_with(self.client.clone(), &self.namespace, &resource(group, kind))
    }
}

/// Status and reason of a condition.
fn condition<'r>(release: &'r Value, kind: &str) -> Option<(&'r str, &'r str)> {
    let conditions = release.pointer("/status/conditions")?.as_array()?;
    let found = conditions.iter().find(|condition| condition["type"] == kind)?;
    Some((found["status"].as_str()?, found["reason"].as_str()?))
}

fn resource(group: &str, kind: &str) -> ApiResource {
    let version = if group.ends_with("convoy.kumodo.io") {
        "v1alpha1"
    } else {
        "v1"
    };
    let mut resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind));
    if kind == "GitRepository" {
        resource.plural = "gitrepositories".to_string();
    }
    if kind == "HelmRegistry" {
        resource.plural = "helmregistries".to_string();
    }
    if kind == "OCIRegistry" {
        resource.plural = "ociregistries".to_string();
    }
    if kind == "ReleaseInventory" {
        resource.plural = "releaseinventories".to_string();
    }
    resource
}

fn group(object: &Value) -> String {
    let version = text(object, "/apiVersion");
    version
        .rsplit_once('/')
        .map(|(group, _)| group.to_string())
        .unwrap_or_default()
}

fn text(object: &Value, pointer: &str) -> String {
    object
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_string()
}

/// JSON merge, without deletion.
fn merge(base: &mut Value, changes: &Value) {
    match (base, changes) {
        (Value::Object(base), Value::Object(changes)) => {
            for (key, change) in changes {
                merge(base.entry(key.clone()).or_insert(Value::Null), change);
            }
        }
        (base, changes) => *base = changes.clone(),
    }
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    names.sort();
    names
}
