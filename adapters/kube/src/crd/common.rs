//! Types that several kinds share.

use std::collections::BTreeMap;

use convoy_domain::url::without_credentials;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::schema;

/// Names a Secret of the same namespace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretRef {
    /// Name of the Secret.
    #[schemars(schema_with = "schema::name")]
    pub name: String,
}

/// A URL, which may hold a user and a password: `Debug` shows it without.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Url(pub String);

impl std::fmt::Debug for Url {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        without_credentials(&self.0).fmt(f)
    }
}

/// Selects objects by their labels; both parts must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LabelSelector {
    /// Labels and their values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "schema::label_map")]
    pub match_labels: BTreeMap<String, String>,
    /// Requirements on labels, all of which must hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 32))]
    pub match_expressions: Vec<LabelRequirement>,
}

/// A requirement on one label.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [schema::cel(
    "(self.operator in ['In', 'NotIn']) == (has(self.values) && size(self.values) > 0)",
    "In and NotIn need values, Exists and DoesNotExist have none"
)]))]
pub struct LabelRequirement {
    /// Key of the label.
    #[schemars(length(min = 1, max = 317))]
    pub key: String,
    /// How the label's value relates to `values`.
    pub operator: LabelOperator,
    /// Values, for In and `NotIn`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "schema::short_texts")]
    pub values: Vec<String>,
}

/// How a label's value relates to the values of a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum LabelOperator {
    /// It is one of them.
    In,
    /// It is none of them, or absent.
    NotIn,
    /// The label is there.
    Exists,
    /// The label is not there.
    DoesNotExist,
}

/// One condition, in the form that Kubernetes' tools read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    /// Type.
    #[serde(rename = "type")]
    #[schemars(length(min = 1, max = 316))]
    pub kind: String,
    /// True, False or Unknown.
    #[schemars(length(min = 1, max = 16))]
    pub status: String,
    /// Why, in one word.
    #[schemars(length(min = 1, max = 1024))]
    pub reason: String,
    /// Why, for people.
    #[serde(default)]
    #[schemars(length(max = 32768))]
    pub message: String,
    /// Generation that the condition speaks of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// When `status` last changed.
    #[schemars(schema_with = "schema::time")]
    pub last_transition_time: String,
}
