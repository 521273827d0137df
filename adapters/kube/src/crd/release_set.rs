//! `ReleaseSet`.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::common::{Condition, LabelSelector};
use super::mutation::Mutation;
use super::release::{Pin, ReleaseBody};
use super::schema;

/// `spec` of a `ReleaseSet`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, CustomResource)]
#[serde(rename_all = "camelCase")]
#[kube(
    group = "core.convoy.kumodo.io",
    version = "v1alpha1",
    kind = "ReleaseSet",
    plural = "releasesets",
    shortname = "relset",
    category = "convoy",
    namespaced,
    status = "ReleaseSetStatus",
    derive = "PartialEq",
    doc = "A ReleaseSet makes one Release for each cluster that it selects, named <set>-<cluster>, and rolls changes out group by group.",
    printcolumn(name = "Phase", type_ = "string", json_path = ".status.phase"),
    printcolumn(name = "Updated", type_ = "integer", json_path = ".status.updated"),
    printcolumn(name = "Healthy", type_ = "integer", json_path = ".status.healthy"),
    printcolumn(name = "Failed", type_ = "integer", json_path = ".status.failed"),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp")
)]
pub struct ReleaseSetSpec {
    /// Clusters of the namespace that get a Release.
    pub cluster_selector: LabelSelector,
    /// What each Release is made from.
    pub template: ReleaseTemplate,
    /// In which order they change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rollout: Option<RolloutStrategy>,
    /// What becomes of the Release of a cluster that leaves the selector.
    #[serde(default)]
    pub on_removal: OnRemoval,
}

/// What each Release is made from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReleaseTemplate {
    /// Labels and annotations of the Releases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<TemplateMetadata>,
    /// `pin` of the Releases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pin: Option<Pin>,
    /// `mutations` of the Releases.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 128))]
    pub mutations: Vec<Mutation>,
    /// `spec` of the Releases, without clusterRef.
    pub spec: ReleaseBody,
}

/// Labels and annotations of produced Releases.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TemplateMetadata {
    /// Labels.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "schema::text_map")]
    pub labels: BTreeMap<String, String>,
    /// Annotations.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "schema::text_map")]
    pub annotations: BTreeMap<String, String>,
}

/// In which order the Releases change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RolloutStrategy {
    /// Groups of clusters, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64))]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["name"]))]
    pub groups: Vec<RolloutGroup>,
}

/// A group of clusters that change together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RolloutGroup {
    /// Name.
    #[schemars(schema_with = "schema::short_name")]
    pub name: String,
    /// Its clusters, of those that the set selects.
    pub cluster_selector: LabelSelector,
    /// How many change at once: a number or a percentage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::count_or_percent")]
    pub max_parallel: Option<IntOrString>,
    /// What happens after the group: a duration, or `approval`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::pause")]
    pub pause: Option<String>,
    /// Number of failures that stops the rollout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 100_000))]
    pub abort_after_failures: Option<u32>,
}

/// What becomes of the Release of a cluster that leaves the selector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum OnRemoval {
    /// It goes, what it applied stays.
    #[default]
    Orphan,
    /// It goes with what it applied.
    Delete,
}

/// `status` of a `ReleaseSet`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReleaseSetStatus {
    /// Generation that the last reconcile saw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// Ready.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"]))]
    pub conditions: Vec<Condition>,
    /// The groups.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<GroupStatus>,
    /// Releases that have the present template.
    #[serde(default)]
    pub updated: u32,
    /// Releases that are healthy with it.
    #[serde(default)]
    pub healthy: u32,
    /// Releases that failed with it.
    #[serde(default)]
    pub failed: u32,
    /// Where the rollout stands.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub phase: String,
}

/// Where a group stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GroupStatus {
    /// Name.
    pub name: String,
    /// Clusters in it.
    #[serde(default)]
    pub clusters: u32,
    /// Releases that have the present template.
    #[serde(default)]
    pub updated: u32,
    /// Releases that are healthy with it.
    #[serde(default)]
    pub healthy: u32,
    /// Releases that failed with it.
    #[serde(default)]
    pub failed: u32,
    /// Where it stands.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub phase: String,
}
