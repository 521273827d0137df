//! The cluster that holds Releases, sources, Clusters and inventories.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use async_trait::async_trait;
use convoy_domain::Timestamp;
use convoy_domain::cluster::{ClusterFacts, ClusterRecord};
use convoy_domain::condition::{Condition, Reason};
use convoy_domain::id::{NamespacedName, ReleaseId};
use convoy_domain::inventory::InventoryPart;
use convoy_domain::release::Release;
use convoy_domain::secret::Secret;
use convoy_domain::source::{Source, SourceKey, SourceKind, SourceStatus};
use convoy_domain::status::ReleaseStatus;

/// Why a call failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ControlPlaneError {
    /// The object is not there (any more).
    #[error("`{object}` does not exist")]
    NotFound {
        /// Kind and name.
        object: String,
    },
    /// Somebody wrote the object since it was read.
    #[error("`{object}` has changed since it was read")]
    Stale {
        /// Kind and name.
        object: String,
    },
    /// The API server does not answer now.
    #[error("the control plane is unavailable for `{object}`: {why}")]
    Unavailable {
        /// Kind and name.
        object: String,
        /// What was said.
        why: String,
    },
    /// RBAC refuses.
    #[error("the control plane forbids `{object}`: {why}")]
    Forbidden {
        /// Kind and name.
        object: String,
        /// What was said.
        why: String,
    },
    /// The object cannot be understood.
    #[error("`{object}` is invalid: {why}")]
    Invalid {
        /// Kind and name.
        object: String,
        /// Path and rule.
        why: String,
    },
    /// Anything else.
    #[error("the control plane refused `{object}`: {why}")]
    Other {
        /// Kind and name.
        object: String,
        /// What was said.
        why: String,
    },
}

impl ControlPlaneError {
    /// Whether the same call, or the reconcile made anew, may succeed later.
    #[must_use]
    pub const fn is_transient(&self) -> bool {
        match self {
            Self::Stale { .. } | Self::Unavailable { .. } => true,
            Self::NotFound { .. } | Self::Forbidden { .. } | Self::Invalid { .. } | Self::Other { .. } => false,
        }
    }
}

/// Type of a Kubernetes event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventType {
    /// As hoped.
    Normal,
    /// Worth a look.
    Warning,
}

/// A Kubernetes event about a Release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Normal or Warning.
    pub kind: EventType,
    /// Reason of the names table.
    pub reason: Reason,
    /// For people; never a secret; at most 1,024 bytes.
    pub message: String,
}

/// Reads and writes of the control plane. Reads give `None` for what does not exist.
///
/// Writes to a Release carry the `resourceVersion` of the snapshot and answer [`ControlPlaneError::Stale`] when the
/// object has changed; they return the new `resourceVersion`.
#[async_trait]
pub trait ControlPlane: Send + Sync + core::fmt::Debug {
    /// One Release, read from the server, not from a cache.
    async fn release(&self, id: &ReleaseId) -> Result<Option<Release>, ControlPlaneError>;
    /// Ids of all Releases, for the start and as a backstop of the watch.
    async fn releases(&self) -> Result<Vec<ReleaseId>, ControlPlaneError>;
    /// A source.
    async fn source(&self, key: &SourceKey) -> Result<Option<Source>, ControlPlaneError>;
    /// The sources of one kind in a namespace, by name; one that cannot be understood is left out.
    async fn sources(&self, kind: SourceKind, namespace: &str) -> Result<Vec<Source>, ControlPlaneError>;
    /// Asks for a look at what a source gives now: stamps it with a time, which all replicas see. A source that is
    /// gone, or another of its name, is no error.
    async fn request_fetch(&self, source: &Source, at: Timestamp) -> Result<(), ControlPlaneError>;
    /// A Cluster.
    async fn cluster(&self, id: &NamespacedName) -> Result<Option<ClusterRecord>, ControlPlaneError>;
    /// The entries of a Secret.
    async fn secret(&self, id: &NamespacedName)
    -> Result<Option<BTreeMap<String, Secret<Vec<u8>>>>, ControlPlaneError>;
    /// The entries of a `ConfigMap`, those of `binaryData` too.
    async fn config_map(&self, id: &NamespacedName) -> Result<Option<BTreeMap<String, Vec<u8>>>, ControlPlaneError>;
    /// Creates a Secret that cannot be changed, and its namespace if there is none; answers whether it did: one that is
    /// there already stays as it is.
    async fn create_secret(
        &self,
        id: &NamespacedName,
        entries: &BTreeMap<String, Secret<Vec<u8>>>,
    ) -> Result<bool, ControlPlaneError>;
    /// Whether any Release at all was ever applied (has a `status.lastSuccessful`).
    async fn any_applied(&self) -> Result<bool, ControlPlaneError>;
    /// Adds our finalizer; returns the new resourceVersion.
    async fn add_finalizer(&self, release: &Release) -> Result<String, ControlPlaneError>;
    /// Removes our finalizer; a Release that is gone is no error.
    async fn remove_finalizer(&self, release: &Release) -> Result<(), ControlPlaneError>;
    /// Writes the status by server-side apply; returns the new resourceVersion.
    async fn write_status(&self, release: &Release, status: &ReleaseStatus) -> Result<String, ControlPlaneError>;
    /// Writes the Ready condition of a source; a source that is gone is no error.
    async fn write_source_status(&self, source: &Source, status: &SourceStatus) -> Result<(), ControlPlaneError>;
    /// Writes Ready (with reason and message of `ready`) and facts of a Cluster; a Cluster that is gone is no error.
    async fn write_cluster_status(
        &self,
        cluster: &ClusterRecord,
        ready: &Condition,
        facts: Option<&ClusterFacts>,
    ) -> Result<(), ControlPlaneError>;
    /// All parts of a Release's inventory, by part.
    async fn inventory(&self, release: &ReleaseId) -> Result<Vec<InventoryPart>, ControlPlaneError>;
    /// Creates the part (empty `resource_version`) or replaces it; returns the new resourceVersion.
    async fn write_inventory(&self, part: &InventoryPart) -> Result<String, ControlPlaneError>;
    /// Deletes a part, its finalizer too; absent is no error.
    async fn delete_inventory(&self, part: &InventoryPart) -> Result<(), ControlPlaneError>;
    /// Records an event about a Release; equal events within a while are counted, not repeated.
    async fn record_event(&self, release: &Release, event: &Event) -> Result<(), ControlPlaneError>;
}
