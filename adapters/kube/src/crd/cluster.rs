//! `Cluster`.

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::common::{Condition, Url};
use super::schema;

/// `spec` of a Cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, CustomResource)]
#[serde(rename_all = "camelCase")]
#[kube(
    group = "core.convoy.kumodo.io",
    version = "v1alpha1",
    kind = "Cluster",
    plural = "clusters",
    category = "convoy",
    namespaced,
    status = "ClusterStatus",
    derive = "PartialEq",
    doc = "A Cluster receives the objects of Releases. Its labels and annotations feed mutations.",
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"Ready\")].status"
    ),
    printcolumn(
        name = "Reason",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"Ready\")].reason"
    ),
    printcolumn(name = "Version", type_ = "string", json_path = ".status.version"),
    printcolumn(name = "Nodes", type_ = "integer", json_path = ".status.nodes"),
    printcolumn(
        name = "Message",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"Ready\")].message",
        priority = "1"
    ),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp")
)]
#[schemars(extend("x-kubernetes-validations" = [schema::cel(
    "(has(self.inCluster) && self.inCluster) != has(self.kubeconfig)",
    "exactly one of inCluster: true and kubeconfig must be set"
)]))]
pub struct ClusterSpec {
    /// The cluster that convoy runs in, or that it was started for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_cluster: Option<bool>,
    /// A kubeconfig.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kubeconfig: Option<KubeconfigRef>,
    /// Requests per second that are sent at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 100_000))]
    pub qps: Option<u32>,
    /// Requests that may be sent at once above that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 100_000))]
    pub burst: Option<u32>,
    /// Proxy.
    #[serde(default, rename = "proxyURL", skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::proxy_url")]
    pub proxy_url: Option<Url>,
}

/// Where a kubeconfig is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KubeconfigRef {
    /// The Secret that holds it.
    pub secret_ref: SecretKeyRef,
}

/// Names a key of a Secret of the same namespace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretKeyRef {
    /// Name of the Secret.
    #[schemars(schema_with = "schema::name")]
    pub name: String,
    /// Key within it.
    #[serde(default = "kubeconfig")]
    #[schemars(schema_with = "schema::data_key")]
    pub key: String,
}

/// `status` of a Cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClusterStatus {
    /// Ready: whether the cluster can be reached.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"]))]
    pub conditions: Vec<Condition>,
    /// Version of the server.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub version: String,
    /// Number of nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u32>,
    /// UID of kube-system: two Clusters with one id are one cluster.
    #[serde(default, rename = "clusterID", skip_serializing_if = "String::is_empty")]
    pub cluster_id: String,
}

fn kubeconfig() -> String {
    "kubeconfig".to_owned()
}
