//! A target cluster.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;

use async_trait::async_trait;
use convoy_domain::cluster::{ClusterApi, ClusterFacts, ClusterRecord};
use convoy_domain::id::{Gvk, ObjectId};
use convoy_domain::object::{Object, Scope};

/// Why a call failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClusterError {
    /// The cluster does not answer now.
    #[error("the cluster is unreachable: {why}")]
    Unreachable {
        /// What was said.
        why: String,
    },
    /// The Cluster's kubeconfig is missing, damaged, or asks for what is refused (exec plugins, files).
    #[error("the kubeconfig cannot be used: {why}")]
    Kubeconfig {
        /// What is wrong; never its contents.
        why: String,
    },
    /// RBAC refuses.
    #[error("the cluster forbids `{object}`: {why}")]
    Forbidden {
        /// Kind and name.
        object: String,
        /// What was said.
        why: String,
    },
    /// The cluster does not know the kind.
    #[error("the cluster has no kind `{kind}`")]
    UnknownKind {
        /// apiVersion and kind.
        kind: String,
    },
    /// The namespace of the object does not exist.
    #[error("namespace of `{object}` does not exist: {why}")]
    NamespaceMissing {
        /// Kind and name.
        object: String,
        /// What was said.
        why: String,
    },
    /// Other field managers own fields that we would change.
    #[error("`{object}` is managed by another: {why}")]
    Conflict {
        /// Kind and name.
        object: String,
        /// Managers and fields.
        why: String,
    },
    /// A precondition (UID, resourceVersion) does not hold.
    #[error("`{object}` has changed since it was read")]
    Stale {
        /// Kind and name.
        object: String,
    },
    /// A field cannot be changed.
    #[error("`{object}` cannot be changed: {why}")]
    Immutable {
        /// Kind and name.
        object: String,
        /// Field and rule.
        why: String,
    },
    /// The object is invalid or an admission refuses it.
    #[error("the cluster refuses `{object}`: {why}")]
    Refused {
        /// Kind and name.
        object: String,
        /// Field and rule.
        why: String,
    },
    /// Too many requests, or a fault of the server.
    #[error("the cluster could not serve `{object}`: {why}")]
    Busy {
        /// Kind and name.
        object: String,
        /// What was said.
        why: String,
    },
}

impl ClusterError {
    /// Whether the same call may succeed later.
    #[must_use]
    pub const fn is_transient(&self) -> bool {
        match self {
            Self::Unreachable { .. } | Self::Stale { .. } | Self::Busy { .. } => true,
            Self::Kubeconfig { .. }
            | Self::Forbidden { .. }
            | Self::UnknownKind { .. }
            | Self::NamespaceMissing { .. }
            | Self::Conflict { .. }
            | Self::Immutable { .. }
            | Self::Refused { .. } => false,
        }
    }
}

/// What discovery says of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kind {
    /// Group, version, kind.
    pub gvk: Gvk,
    /// Name in URLs.
    pub plural: String,
    /// Namespaced or not.
    pub scope: Scope,
}

/// One server-side apply.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ApplyRequest<'a> {
    /// The object; its namespace is set where the kind has one.
    pub object: &'a Object,
    /// Field manager.
    pub manager: &'a str,
    /// Take fields that other managers own.
    pub force: bool,
    /// Change nothing, answer what would be.
    pub dry_run: bool,
}

/// One deletion, always in the background.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeleteRequest {
    /// Which object.
    pub id: ObjectId,
    /// A version of the kind that the cluster served.
    pub version: String,
    /// Only this incarnation.
    pub uid: String,
    /// Only this copy, when not empty.
    pub resource_version: String,
}

/// What a deletion did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deleted {
    /// It was not there (or is another incarnation).
    Absent,
    /// It is on its way.
    Requested,
}

/// A reachable target cluster. Live objects come as [`Object`]s with their metadata and status.
#[async_trait]
pub trait Cluster: Send + Sync + core::fmt::Debug {
    /// Asks the cluster who it is.
    async fn facts(&self) -> Result<ClusterFacts, ClusterError>;
    /// Asks the cluster for its version and all that it serves; an answer may be some minutes old.
    async fn api(&self) -> Result<ClusterApi, ClusterError>;
    /// What discovery says of a kind; [`ClusterError::UnknownKind`] when it is not served (asked anew then, since a
    /// CRD may have come).
    async fn kind(&self, gvk: &Gvk) -> Result<Kind, ClusterError>;
    /// A live object, `None` when absent (or when the cluster has no such kind).
    async fn get(&self, id: &ObjectId, version: &str) -> Result<Option<Object>, ClusterError>;
    /// Applies; answers the live object after it.
    async fn apply(&self, request: ApplyRequest<'_>) -> Result<Object, ClusterError>;
    /// Deletes with preconditions.
    async fn delete(&self, request: &DeleteRequest) -> Result<Deleted, ClusterError>;
    /// Takes fields that client-side apply managers (kubectl, helm) own over to `manager`, so that a field that
    /// leaves the render leaves the object.
    async fn take_over(&self, live: &Object, manager: &str) -> Result<Object, ClusterError>;
    /// Removes our ownership labels and annotations from an object, whose content stays.
    async fn release_ownership(&self, live: &Object, manager: &str) -> Result<(), ClusterError>;
}

/// Who calls a target cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Impersonation {
    /// convoy itself.
    None,
    /// `system:serviceaccount:<namespace>:<name>`.
    ServiceAccount {
        /// Namespace of the Release.
        namespace: String,
        /// Name of the service account.
        name: String,
    },
}

/// Makes clients of target clusters.
#[async_trait]
pub trait ClusterConnector: Send + Sync + core::fmt::Debug {
    /// A client; connections are kept and shared. Nothing is asked of the cluster yet.
    async fn connect(&self, cluster: &ClusterRecord, as_: &Impersonation) -> Result<Arc<dyn Cluster>, ClusterError>;
}
