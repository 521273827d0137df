//! The control plane: the cluster that holds Releases, sources, Clusters and inventories.
//!
//! Reads go to the server, never to a cache. Writes to a Release and to an inventory carry the resourceVersion of what
//! was read, so that two writers never mix.

mod error;
mod event;
mod inventory;
mod objects;
mod release;
mod status;

use std::collections::BTreeMap;
use std::time::Duration;

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
use kube::Client;

/// The field manager of everything that is written to the control plane.
pub const FIELD_MANAGER: &str = "convoy-controller";

/// The control plane behind a Kubernetes client.
#[derive(Clone)]
pub struct KubeControlPlane {
    client: Client,
}

impl KubeControlPlane {
    /// A control plane behind `client`.
    #[must_use]
    pub const fn new(client: Client) -> Self {
        Self { client }
    }
}

impl std::fmt::Debug for KubeControlPlane {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KubeControlPlane").finish_non_exhaustive()
    }
}

/// Longest time that one call of the port may take, whatever the server does.
const CALL_TIMEOUT: Duration = Duration::from_mins(1);

async fn bounded<T>(call: impl Future<Output = Result<T, ControlPlaneError>>) -> Result<T, ControlPlaneError> {
    match tokio::time::timeout(CALL_TIMEOUT, call).await {
        Ok(answer) => answer,
        Err(_) => Err(ControlPlaneError::Unavailable {
            object: "a call".to_owned(),
            why: format!("no answer within {} s", CALL_TIMEOUT.as_secs()),
        }),
    }
}

#[async_trait]
impl ControlPlane for KubeControlPlane {
    async fn release(&self, id: &ReleaseId) -> Result<Option<Release>, ControlPlaneError> {
        bounded(release::read(&self.client, id)).await
    }

    async fn releases(&self) -> Result<Vec<ReleaseId>, ControlPlaneError> {
        bounded(release::ids(&self.client)).await
    }

    async fn source(&self, key: &SourceKey) -> Result<Option<Source>, ControlPlaneError> {
        bounded(objects::source(&self.client, key)).await
    }

    async fn sources(&self, kind: SourceKind, namespace: &str) -> Result<Vec<Source>, ControlPlaneError> {
        bounded(objects::sources(&self.client, kind, namespace)).await
    }

    async fn request_fetch(&self, source: &Source, at: Timestamp) -> Result<(), ControlPlaneError> {
        bounded(objects::request_fetch(&self.client, source, at)).await
    }

    async fn cluster(&self, id: &NamespacedName) -> Result<Option<ClusterRecord>, ControlPlaneError> {
        bounded(objects::cluster(&self.client, id)).await
    }

    async fn secret(
        &self,
        id: &NamespacedName,
    ) -> Result<Option<BTreeMap<String, Secret<Vec<u8>>>>, ControlPlaneError> {
        bounded(objects::secret(&self.client, id)).await
    }

    async fn config_map(&self, id: &NamespacedName) -> Result<Option<BTreeMap<String, Vec<u8>>>, ControlPlaneError> {
        bounded(objects::config_map(&self.client, id)).await
    }

    async fn create_secret(
        &self,
        id: &NamespacedName,
        entries: &BTreeMap<String, Secret<Vec<u8>>>,
    ) -> Result<bool, ControlPlaneError> {
        bounded(objects::create_secret(&self.client, id, entries)).await
    }

    async fn any_applied(&self) -> Result<bool, ControlPlaneError> {
        bounded(release::any_applied(&self.client)).await
    }

    async fn add_finalizer(&self, release: &Release) -> Result<String, ControlPlaneError> {
        bounded(release::add_finalizer(&self.client, release)).await
    }

    async fn remove_finalizer(&self, release: &Release) -> Result<(), ControlPlaneError> {
        bounded(release::remove_finalizer(&self.client, release)).await
    }

    async fn write_status(&self, release: &Release, status: &ReleaseStatus) -> Result<String, ControlPlaneError> {
        bounded(status::of_release(&self.client, release, status)).await
    }

    async fn write_source_status(&self, source: &Source, status: &SourceStatus) -> Result<(), ControlPlaneError> {
        bounded(status::of_source(&self.client, source, status)).await
    }

    async fn write_cluster_status(
        &self,
        cluster: &ClusterRecord,
        ready: &Condition,
        facts: Option<&ClusterFacts>,
    ) -> Result<(), ControlPlaneError> {
        bounded(status::of_cluster(&self.client, cluster, ready, facts)).await
    }

    async fn inventory(&self, release: &ReleaseId) -> Result<Vec<InventoryPart>, ControlPlaneError> {
        bounded(inventory::read(&self.client, release)).await
    }

    async fn write_inventory(&self, part: &InventoryPart) -> Result<String, ControlPlaneError> {
        bounded(inventory::write(&self.client, part)).await
    }

    async fn delete_inventory(&self, part: &InventoryPart) -> Result<(), ControlPlaneError> {
        bounded(inventory::delete(&self.client, part)).await
    }

    async fn record_event(&self, release: &Release, event: &Event) -> Result<(), ControlPlaneError> {
        bounded(event::record(&self.client, release, event)).await
    }
}
