//! `ReleaseInventory`.

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::schema;

/// `spec` of a `ReleaseInventory`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, CustomResource)]
#[serde(rename_all = "camelCase")]
#[kube(
    group = "core.convoy.kumodo.io",
    version = "v1alpha1",
    kind = "ReleaseInventory",
    plural = "releaseinventories",
    shortname = "relinv",
    namespaced,
    derive = "PartialEq",
    doc = "A ReleaseInventory records what a Release has applied. convoy writes it; prune and deletion are decided from it.",
    selectable = ".spec.releaseRef.name",
    printcolumn(name = "Release", type_ = "string", json_path = ".spec.releaseRef.name"),
    printcolumn(name = "Part", type_ = "integer", json_path = ".spec.part"),
    printcolumn(name = "Cluster", type_ = "string", json_path = ".spec.clusterID", priority = "1"),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp")
)]
pub struct ReleaseInventorySpec {
    /// The owning Release.
    pub release_ref: ReleaseRef,
    /// Number of the part, from 0.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub part: u32,
    /// Cluster that holds the objects.
    #[serde(default, rename = "clusterID")]
    #[schemars(length(max = 253))]
    pub cluster_id: String,
    /// The objects.
    #[serde(default)]
    #[schemars(length(max = 1000))]
    pub objects: Vec<InventoryObject>,
}

/// Names a Release of the same namespace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [schema::cel("self == oldSelf", "releaseRef cannot be changed")]))]
pub struct ReleaseRef {
    /// Name.
    #[schemars(schema_with = "schema::name")]
    pub name: String,
    /// UID.
    #[schemars(length(min = 1, max = 128))]
    pub uid: String,
}

/// One applied object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InventoryObject {
    /// API group, empty for the core group.
    #[serde(default)]
    #[schemars(length(max = 253))]
    pub group: String,
    /// Version under which it was applied.
    #[schemars(length(min = 1, max = 63))]
    pub version: String,
    /// Kind.
    #[schemars(length(min = 1, max = 253))]
    pub kind: String,
    /// Namespace, empty for a cluster-scoped object.
    #[serde(default)]
    #[schemars(length(max = 63))]
    pub namespace: String,
    /// Name.
    #[schemars(length(min = 1, max = 253))]
    pub name: String,
    /// UID on the cluster, empty when it was planned but not yet seen.
    #[serde(default)]
    #[schemars(length(max = 128))]
    pub uid: String,
    /// Wave in which it was applied.
    #[serde(default)]
    pub wave: i32,
    /// The render that applied it last.
    #[schemars(schema_with = "schema::render_ref")]
    pub render_ref: String,
    /// It existed without an owner before.
    #[serde(default)]
    pub adopted: bool,
}
