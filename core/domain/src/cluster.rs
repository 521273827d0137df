//! A target cluster as the control plane records it.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;

use crate::id::NamespacedName;

/// How a Cluster is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Connection {
    /// The cluster that convoy runs in (or the kubeconfig that it was started with).
    InCluster,
    /// A kubeconfig in a Secret of the Cluster's namespace.
    Kubeconfig {
        /// Name of the Secret.
        secret: String,
        /// Key within it.
        key: String,
    },
}

/// A `Cluster`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterRecord {
    /// Namespace and name.
    pub id: NamespacedName,
    /// `metadata.uid`.
    pub uid: String,
    /// `metadata.generation`.
    pub generation: i64,
    /// `metadata.resourceVersion`.
    pub resource_version: String,
    /// Labels, which mutations may read.
    pub labels: BTreeMap<String, String>,
    /// Annotations, which mutations may read.
    pub annotations: BTreeMap<String, String>,
    /// How it is reached.
    pub connection: Connection,
    /// Fields of the spec whose behaviour comes later, by path.
    pub unsupported: alloc::vec::Vec<String>,
}

/// What a reachable cluster says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterFacts {
    /// Server version, `v1.36.3`.
    pub version: String,
    /// Number of nodes, if we may list them.
    pub nodes: Option<u32>,
    /// UID of kube-system: two Clusters with one id are one cluster.
    pub cluster_id: String,
}

/// What a cluster serves, for charts that ask.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterApi {
    /// Server version, `v1.36.3`.
    pub version: String,
    /// `group/version` and `group/version/Kind` of all that is served.
    pub api_versions: BTreeSet<String>,
}
