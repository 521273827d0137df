//! `mutations` of a Release: changes to the rendered objects.
//!
//! A mutation is one flat mapping, as the sample Release shows it: `type` names the field that holds its settings.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::release::GitRef;
use super::schema;

/// One change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    schema::block_matches_type(&[
        ("syncWave", "waveStrategy"), ("labels", "labels"), ("annotations", "annotations"), ("image", "image"),
        ("replicas", "replicas"), ("namespace", "namespace"), ("set", "set"),
    ]),
    schema::cel(
        "[has(self.strategicMerge), has(self.json6902), has(self.from)].filter(x, x).size() \
         == (self.type == 'patch' ? 1 : 0) && (self.type == 'patch' || !has(self.templated))",
        "a patch needs exactly one of strategicMerge, json6902 and from, and only a patch has them"
    ),
]))]
pub struct Mutation {
    /// What is done.
    #[serde(rename = "type")]
    pub kind: MutationType,
    /// Which objects; absent: all.
    #[serde(default)]
    pub target: MutationTarget,
    /// A target that matches nothing is fine.
    #[serde(default)]
    pub optional: bool,
    /// Settings of syncWave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wave_strategy: Option<WaveStrategy>,
    /// Settings of patch: a strategic merge patch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::any_mapping")]
    pub strategic_merge: Option<BTreeMap<String, Value>>,
    /// Settings of patch: operations of RFC 6902.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 256))]
    pub json6902: Option<Vec<JsonPatchOperation>>,
    /// Settings of patch: where the patch is read from; a list is RFC 6902, a mapping a strategic merge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<PatchSource>,
    /// Settings of patch: `${…}` in its texts are CEL expressions over `cluster` and `release`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub templated: Option<bool>,
    /// Settings of labels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<MetadataChange>,
    /// Settings of annotations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<MetadataChange>,
    /// Settings of image.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<ImageChange>,
    /// Settings of replicas: their number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 2_147_483_647))]
    pub replicas: Option<i64>,
    /// Settings of namespace: the namespace; cluster-scoped kinds are left alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::namespace")]
    pub namespace: Option<String>,
    /// Settings of set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set: Option<FieldChange>,
}

/// What a mutation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum MutationType {
    /// Sets wave and gate.
    SyncWave,
    /// Applies a patch.
    Patch,
    /// Changes labels.
    Labels,
    /// Changes annotations.
    Annotations,
    /// Changes images.
    Image,
    /// Sets the number of replicas.
    Replicas,
    /// Sets the namespace.
    Namespace,
    /// Removes the objects.
    Remove,
    /// Sets one field.
    Set,
}

impl MutationType {
    /// The name as it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SyncWave => "syncWave",
            Self::Patch => "patch",
            Self::Labels => "labels",
            Self::Annotations => "annotations",
            Self::Image => "image",
            Self::Replicas => "replicas",
            Self::Namespace => "namespace",
            Self::Remove => "remove",
            Self::Set => "set",
        }
    }
}

/// Which objects are changed: an absent part or `*` matches any, group "" is the core group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MutationTarget {
    /// API group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::group_or_core")]
    pub group: Option<String>,
    /// API version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::any_version")]
    pub version: Option<String>,
    /// Kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::any_kind")]
    pub kind: Option<String>,
    /// Name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::any_name")]
    pub name: Option<String>,
    /// Namespace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::any_name")]
    pub namespace: Option<String>,
    /// Selector over labels, as `kubectl -l` takes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::selector_text")]
    pub label_selector: Option<String>,
    /// Selector over annotations, in the same syntax.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::selector_text")]
    pub annotation_selector: Option<String>,
}

/// Settings of syncWave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WaveStrategy {
    /// Whether the wave waits for the objects.
    #[serde(default)]
    pub strategy: Gate,
    /// Number of the wave; waves go in ascending order.
    #[schemars(range(min = -2_147_483_648_i64, max = 2_147_483_647_i64))]
    pub wave: i32,
}

/// Whether a wave waits for an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Gate {
    /// Until it is healthy.
    WaitForHealthy,
    /// It does not.
    #[default]
    Continue,
}

/// One operation of RFC 6902.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JsonPatchOperation {
    /// What is done.
    pub op: JsonPatchVerb,
    /// The field, as a JSON pointer.
    #[schemars(schema_with = "schema::json_pointer")]
    pub path: String,
    /// Where move and copy take the value from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::json_pointer")]
    pub from: Option<String>,
    /// The value of add, replace and test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::anything")]
    pub value: Option<Value>,
}

/// What an operation of RFC 6902 does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum JsonPatchVerb {
    /// Adds a value.
    Add,
    /// Removes a value.
    Remove,
    /// Replaces a value.
    Replace,
    /// Moves a value.
    Move,
    /// Copies a value.
    Copy,
    /// Compares a value.
    Test,
}

/// Where a patch is read from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [schema::cel(
    "self.kind == 'GitRepository' ? has(self.path) && !has(self.key) : has(self.key) && !has(self.path) && !has(self.ref)",
    "a GitRepository needs path, a ConfigMap or Secret needs key"
)]))]
pub struct PatchSource {
    /// Kind of the object.
    pub kind: PatchSourceKind,
    /// Name of the object, in the Release's namespace.
    #[schemars(schema_with = "schema::name")]
    pub name: String,
    /// What is checked out of a `GitRepository`; absent: the server's HEAD.
    #[serde(default, rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<GitRef>,
    /// File in a `GitRepository`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::path")]
    pub path: Option<String>,
    /// Key of a `ConfigMap` or Secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::data_key")]
    pub key: Option<String>,
}

/// Kind of the object that holds a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum PatchSourceKind {
    /// A file of a `GitRepository`.
    GitRepository,
    /// A key of a `ConfigMap`.
    ConfigMap,
    /// A key of a Secret.
    Secret,
}

/// Settings of labels and annotations.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MetadataChange {
    /// Entries that are added or replaced.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "schema::text_map")]
    pub set: BTreeMap<String, String>,
    /// Keys that are removed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "schema::short_texts")]
    pub remove: Vec<String>,
    /// Pod templates are changed too.
    #[serde(default)]
    pub include_templates: bool,
}

/// Settings of image, as kustomize's `images`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [schema::cel(
    "has(self.newName) || has(self.newTag) || has(self.digest)", "newName, newTag or digest must be set"
)]))]
pub struct ImageChange {
    /// Name of the image that is changed, without tag.
    #[schemars(length(min = 1, max = 1024))]
    pub name: String,
    /// Its new name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 1024))]
    pub new_name: Option<String>,
    /// Its new tag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 128))]
    pub new_tag: Option<String>,
    /// Its new digest, which replaces the tag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::digest")]
    pub digest: Option<String>,
}

/// Settings of set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FieldChange {
    /// The field, as a JSON pointer.
    #[schemars(schema_with = "schema::json_pointer")]
    pub pointer: String,
    /// Its value: a CEL expression over `object`, `cluster` and `release`.
    #[schemars(schema_with = "schema::expression")]
    pub value: String,
}
