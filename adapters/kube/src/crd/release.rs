//! `Release`.

use std::collections::BTreeMap;

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::mutation::Mutation;
use super::policy::{
    DeletionPolicy, DependsOn, FailurePolicy, HealthAssessment, Lifecycle, RetentionPolicy, SyncPolicy,
};
use super::schema;
use super::status::ReleaseStatus;

/// What stands beside `metadata` and `status` in a Release.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, CustomResource)]
#[serde(rename_all = "camelCase")]
#[kube(
    group = "core.convoy.kumodo.io",
    version = "v1alpha1",
    kind = "Release",
    plural = "releases",
    shortname = "rel",
    category = "convoy",
    namespaced,
    no_spec,
    status = "ReleaseStatus",
    derive = "PartialEq",
    doc = "A Release renders a source and keeps the result on a cluster.",
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
    printcolumn(name = "Revision", type_ = "string", json_path = ".status.lastSuccessful.revision"),
    printcolumn(
        name = "Render",
        type_ = "string",
        json_path = ".status.lastSuccessful.shortRenderRef"
    ),
    printcolumn(
        name = "Message",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"Ready\")].message",
        priority = "1"
    ),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp")
)]
pub struct ReleaseFields {
    /// Selects a stored render in place of what the source gives now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pin: Option<Pin>,
    /// Changes to the rendered objects, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 128))]
    pub mutations: Vec<Mutation>,
    /// What is wanted.
    pub spec: ReleaseSpec,
}

/// The choice of an older render.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Pin {
    /// The render, which must be in the render store.
    #[schemars(schema_with = "schema::render_ref")]
    pub render_ref: String,
    /// Why, for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(schema_with = "schema::prose")]
    pub reason: String,
}

/// `spec` of a Release.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReleaseSpec {
    /// The cluster that receives the objects.
    pub cluster_ref: ClusterRef,
    /// Everything else, which a `ReleaseSet`'s template has too.
    #[serde(flatten)]
    pub body: ReleaseBody,
}

/// Names a Cluster of the Release's namespace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [schema::cel("self == oldSelf", "clusterRef cannot be changed")]))]
pub struct ClusterRef {
    /// Name of the Cluster.
    #[schemars(schema_with = "schema::name")]
    pub name: String,
}

/// A Release's `spec` but for the cluster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    schema::cel(
        "self.source.type != 'helmRegistry' || self.content.type == 'helm'",
        "a helmRegistry source serves helm content only"
    ),
    schema::cel(
        "self.source.type == 'gitRepository' || !has(self.content.helm) || !has(self.content.helm.path)",
        "content.helm.path is for gitRepository sources only: a chart of a registry is at the root"
    ),
]))]
pub struct ReleaseBody {
    /// Nothing is done while true, and the status says so.
    #[serde(default)]
    pub suspend: bool,
    /// Where the files come from.
    pub source: SourceSelector,
    /// How the files become objects.
    pub content: Content,
    /// How a render is applied.
    #[serde(default)]
    pub sync_policy: SyncPolicy,
    /// Hooks around a sync.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lifecycle: Option<Lifecycle>,
    /// How health is decided.
    #[serde(default)]
    pub health_assessment: HealthAssessment,
    /// What follows a failed sync.
    #[serde(default)]
    pub failure_policy: FailurePolicy,
    /// What is kept in the render store.
    #[serde(default)]
    pub retention_policy: RetentionPolicy,
    /// What the deletion of the Release does to the cluster.
    #[serde(default)]
    pub deletion_policy: DeletionPolicy,
    /// Releases that must be Healthy at their current generation first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64))]
    pub depends_on: Vec<DependsOn>,
    /// Service account that is impersonated on the target cluster for every call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::name")]
    pub service_account_name: Option<String>,
}

/// What is selected of which source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [schema::block_matches_type(&[
    ("gitRepository", "gitRepository"), ("helmRegistry", "helmRegistry"), ("ociRegistry", "ociRegistry"),
])]))]
pub struct SourceSelector {
    /// Which of the blocks below is set.
    #[serde(rename = "type")]
    pub kind: SourceType,
    /// Of a `GitRepository`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git_repository: Option<GitSelector>,
    /// Of a `HelmRegistry`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub helm_registry: Option<HelmSelector>,
    /// Of an `OCIRegistry`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oci_registry: Option<OciSelector>,
}

/// Kind of source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum SourceType {
    /// `GitRepository`.
    GitRepository,
    /// `HelmRegistry`.
    HelmRegistry,
    /// `OCIRegistry`.
    OciRegistry,
}

/// What is selected of a `GitRepository`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GitSelector {
    /// Name of the `GitRepository`.
    #[schemars(schema_with = "schema::name")]
    pub name: String,
    /// Its namespace, which must be the Release's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::namespace")]
    pub namespace: Option<String>,
    /// What is checked out; absent: the server's HEAD.
    #[serde(default, rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<GitRef>,
}

/// A branch, tag, commit or constraint; none of them: the server's HEAD.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [schema::cel(
    "[has(self.branch), has(self.tag), has(self.commit), has(self.semver)].filter(x, x).size() <= 1",
    "at most one of branch, tag, commit and semver may be set"
)]))]
pub struct GitRef {
    /// A branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::git_ref")]
    pub branch: Option<String>,
    /// A tag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::git_ref")]
    pub tag: Option<String>,
    /// A commit: 40 or 64 hexadecimal digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::commit")]
    pub commit: Option<String>,
    /// The highest tag that matches this constraint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::constraint")]
    pub semver: Option<String>,
}

/// What is selected of a `HelmRegistry`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HelmSelector {
    /// Name of the `HelmRegistry`.
    #[schemars(schema_with = "schema::name")]
    pub name: String,
    /// Its namespace, which must be the Release's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::namespace")]
    pub namespace: Option<String>,
    /// Name of the chart.
    #[schemars(schema_with = "schema::chart")]
    pub chart: String,
    /// Exact version, or a constraint.
    #[schemars(schema_with = "schema::constraint")]
    pub version: String,
}

/// What is selected of an `OCIRegistry`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [schema::cel(
    "has(self.version) != has(self.digest)", "exactly one of version and digest must be set"
)]))]
pub struct OciSelector {
    /// Name of the `OCIRegistry`.
    #[schemars(schema_with = "schema::name")]
    pub name: String,
    /// Its namespace, which must be the Release's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::namespace")]
    pub namespace: Option<String>,
    /// Repository of the artifact, below the registry's URL.
    #[schemars(schema_with = "schema::oci_chart")]
    pub chart: String,
    /// Exact version, or a constraint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::constraint")]
    pub version: Option<String>,
    /// Digest of the manifest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::digest")]
    pub digest: Option<String>,
}

/// How files become objects.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    schema::cel(
        "(self.type == 'helm' || !has(self.helm)) && (self.type == 'kustomize' || !has(self.kustomize)) \
         && (self.type == 'manifests') == has(self.manifests)",
        "only the block that `type` names may be set, and manifests needs its own"
    ),
]))]
pub struct Content {
    /// The renderer.
    #[serde(rename = "type")]
    pub kind: ContentType,
    /// Settings of helm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub helm: Option<HelmContent>,
    /// Settings of kustomize.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kustomize: Option<KustomizeContent>,
    /// Settings of manifests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifests: Option<ManifestsContent>,
}

/// Renderer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ContentType {
    /// A Helm chart.
    Helm,
    /// A kustomization.
    Kustomize,
    /// Plain manifests.
    Manifests,
}

/// Settings of helm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HelmContent {
    /// Directory of the chart, only with a gitRepository source; absent: the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::path")]
    pub path: Option<String>,
    /// `.Release.Name`; absent: the chart's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::short_name")]
    pub release_name: Option<String>,
    /// `.Release.Namespace`; absent: `default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::namespace")]
    pub release_namespace: Option<String>,
    /// Where dependencies come from.
    #[serde(default)]
    pub dependency_mode: DependencyMode,
    /// What `.Capabilities` holds.
    #[serde(default)]
    pub capabilities: Capabilities,
    /// Whether the chart's `crds/` is rendered too.
    #[serde(default = "yes", rename = "includeCRDs")]
    pub include_crds: bool,
    /// Layers of values; a later layer wins.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64))]
    pub values: Vec<ValuesLayer>,
}

/// Where dependencies of a chart come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum DependencyMode {
    /// They are in `charts/`.
    #[default]
    Vendored,
    /// They are fetched.
    Resolve,
}

/// What `.Capabilities` holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Capabilities {
    /// Helm's defaults.
    #[default]
    Defaults,
    /// Those of the target cluster.
    Cluster,
}

/// One layer of values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [schema::block_matches_type(&[
    ("inline", "inline"), ("configMap", "configMap"), ("secret", "secret"), ("gitRepository", "gitRepository"),
])]))]
pub struct ValuesLayer {
    /// Which of the blocks below is set.
    #[serde(rename = "type")]
    pub kind: ValuesType,
    /// The values themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::any_mapping")]
    pub inline: Option<BTreeMap<String, Value>>,
    /// A key of a `ConfigMap`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config_map: Option<ValuesKey>,
    /// A key of a Secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<ValuesKey>,
    /// A file of a `GitRepository`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git_repository: Option<ValuesFile>,
}

/// Kind of a values layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ValuesType {
    /// In the Release.
    Inline,
    /// In a `ConfigMap`.
    ConfigMap,
    /// In a Secret.
    Secret,
    /// In a `GitRepository`.
    GitRepository,
}

/// A key of a `ConfigMap` or Secret of the Release's namespace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ValuesKey {
    /// Name of the object.
    #[schemars(schema_with = "schema::name")]
    pub name: String,
    /// Key within it.
    #[serde(default = "values_yaml")]
    #[schemars(schema_with = "schema::data_key")]
    pub key: String,
    /// An absent object or key is an empty layer.
    #[serde(default)]
    pub optional: bool,
}

/// A file of a `GitRepository` of the Release's namespace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ValuesFile {
    /// Name of the `GitRepository`.
    #[schemars(schema_with = "schema::name")]
    pub name: String,
    /// What is checked out; absent: the server's HEAD.
    #[serde(default, rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<GitRef>,
    /// The file.
    #[schemars(schema_with = "schema::path")]
    pub path: String,
    /// An absent file is an empty layer.
    #[serde(default)]
    pub optional: bool,
}

/// Settings of kustomize.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KustomizeContent {
    /// Directory of the kustomization; absent: the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::path")]
    pub path: Option<String>,
    /// Namespace of every namespaced object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::namespace")]
    pub target_namespace: Option<String>,
}

/// Settings of manifests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ManifestsContent {
    /// Files and directories, in order.
    #[schemars(schema_with = "schema::paths")]
    pub paths: Vec<String>,
    /// Does not change the objects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::namespace")]
    pub target_namespace: Option<String>,
}

pub(super) const fn yes() -> bool {
    true
}

fn values_yaml() -> String {
    "values.yaml".to_owned()
}
