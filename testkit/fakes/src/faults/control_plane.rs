//! Faults of a control plane.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use convoy_domain::Timestamp;
use convoy_domain::cluster::{ClusterFacts, ClusterRecord};
use convoy_domain::condition::Condition;
use convoy_domain::id::{NamespacedName, ReleaseId};
use convoy_domain::inventory::InventoryPart;
use convoy_domain::release::Release;
use convoy_domain::secret::Secret;
use convoy_domain::source::{Source, SourceKey, SourceKind, SourceStatus};
use convoy_domain::status::ReleaseStatus;
use convoy_ports::{ControlPlane, ControlPlaneError, Event};

use super::EffectCounter;

type Answer<T> = Result<T, ControlPlaneError>;

/// A control plane whose writes are counted effects.
#[derive(Debug)]
pub struct FaultyControlPlane {
    inner: Arc<dyn ControlPlane>,
    effects: EffectCounter,
}

impl FaultyControlPlane {
    /// Decorates `inner`.
    #[must_use]
    pub fn new(inner: Arc<dyn ControlPlane>, effects: EffectCounter) -> Self {
        Self { inner, effects }
    }

    async fn effect<T>(&self, call: &str, object: &str, act: impl Future<Output = Answer<T>>) -> Answer<T> {
        let what = format!("control-plane {call} {object}");
        self.effects.effect(what, unavailable(object), act).await
    }

    async fn read<T>(&self, call: &str, object: &str, act: impl Future<Output = Answer<T>>) -> Answer<T> {
        let what = format!("control-plane {call} {object}");
        self.effects.read(what, unavailable(object), act).await
    }
}

fn unavailable(object: &str) -> impl Fn(String) -> ControlPlaneError {
    let object = object.to_owned();
    move |why| ControlPlaneError::Unavailable {
        object: object.clone(),
        why,
    }
}

#[async_trait]
impl ControlPlane for FaultyControlPlane {
    async fn release(&self, id: &ReleaseId) -> Answer<Option<Release>> {
        self.read("release", &id.to_string(), self.inner.release(id)).await
    }

    async fn releases(&self) -> Answer<Vec<ReleaseId>> {
        self.read("releases", "", self.inner.releases()).await
    }

    async fn source(&self, key: &SourceKey) -> Answer<Option<Source>> {
        self.read("source", &key.to_string(), self.inner.source(key)).await
    }

    async fn sources(&self, kind: SourceKind, namespace: &str) -> Answer<Vec<Source>> {
        let object = format!("{} {namespace}", kind.kind());
        self.read("sources", &object, self.inner.sources(kind, namespace)).await
    }

    async fn cluster(&self, id: &NamespacedName) -> Answer<Option<ClusterRecord>> {
        self.read("cluster", &id.to_string(), self.inner.cluster(id)).await
    }

    async fn request_fetch(&self, source: &Source, at: Timestamp) -> Answer<()> {
        let act = self.inner.request_fetch(source, at);
        self.effect("request_fetch", &source.key.to_string(), act).await
    }

    async fn secret(&self, id: &NamespacedName) -> Answer<Option<BTreeMap<String, Secret<Vec<u8>>>>> {
        self.read("secret", &id.to_string(), self.inner.secret(id)).await
    }

    async fn config_map(&self, id: &NamespacedName) -> Answer<Option<BTreeMap<String, Vec<u8>>>> {
        self.read("config_map", &id.to_string(), self.inner.config_map(id))
            .await
    }

    async fn create_secret(&self, id: &NamespacedName, entries: &BTreeMap<String, Secret<Vec<u8>>>) -> Answer<bool> {
        let act = self.inner.create_secret(id, entries);
        self.effect("create_secret", &id.to_string(), act).await
    }

    async fn any_applied(&self) -> Answer<bool> {
        self.read("any_applied", "", self.inner.any_applied()).await
    }

    async fn add_finalizer(&self, release: &Release) -> Answer<String> {
        let act = self.inner.add_finalizer(release);
        self.effect("add_finalizer", &release.id.to_string(), act).await
    }

    async fn remove_finalizer(&self, release: &Release) -> Answer<()> {
        let act = self.inner.remove_finalizer(release);
        self.effect("remove_finalizer", &release.id.to_string(), act).await
    }

    async fn write_status(&self, release: &Release, status: &ReleaseStatus) -> Answer<String> {
        let act = self.inner.write_status(release, status);
        self.effect("write_status", &release.id.to_string(), act).await
    }

    async fn write_source_status(&self, source: &Source, status: &SourceStatus) -> Answer<()> {
        let act = self.inner.write_source_status(source, status);
        self.effect("write_source_status", &source.key.to_string(), act).await
    }

    async fn write_cluster_status(
        &self,
        cluster: &ClusterRecord,
        ready: &Condition,
        facts: Option<&ClusterFacts>,
    ) -> Answer<()> {
        let act = self.inner.write_cluster_status(cluster, ready, facts);
        self.effect("write_cluster_status", &cluster.id.to_string(), act).await
    }

    async fn inventory(&self, release: &ReleaseId) -> Answer<Vec<InventoryPart>> {
        self.read("inventory", &release.to_string(), self.inner.inventory(release))
            .await
    }

    async fn write_inventory(&self, part: &InventoryPart) -> Answer<String> {
        let object = format!("{}-{}", part.release, part.part);
        self.effect("write_inventory", &object, self.inner.write_inventory(part))
            .await
    }

    async fn delete_inventory(&self, part: &InventoryPart) -> Answer<()> {
        let object = format!("{}-{}", part.release, part.part);
        self.effect("delete_inventory", &object, self.inner.delete_inventory(part))
            .await
    }

    async fn record_event(&self, release: &Release, event: &Event) -> Answer<()> {
        let object = format!("{} {}", release.id, event.reason);
        self.effect("record_event", &object, self.inner.record_event(release, event))
            .await
    }
}
