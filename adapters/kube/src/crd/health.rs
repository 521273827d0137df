//! `HealthRuleSet` and `GlobalHealthRuleSet`.

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::schema;

/// `spec` of a `HealthRuleSet`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, CustomResource)]
#[serde(rename_all = "camelCase")]
#[kube(
    group = "core.convoy.kumodo.io",
    version = "v1alpha1",
    kind = "HealthRuleSet",
    plural = "healthrulesets",
    category = "convoy",
    namespaced,
    derive = "PartialEq",
    doc = "A HealthRuleSet says when objects of a kind are healthy, for Releases of its namespace that select it.",
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp")
)]
pub struct HealthRuleSetSpec {
    /// The rules; the first whose target matches decides.
    #[schemars(length(min = 1, max = 100))]
    pub rules: Vec<HealthRule>,
}

/// `spec` of a `GlobalHealthRuleSet`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, CustomResource)]
#[serde(rename_all = "camelCase")]
#[kube(
    group = "core.convoy.kumodo.io",
    version = "v1alpha1",
    kind = "GlobalHealthRuleSet",
    plural = "globalhealthrulesets",
    category = "convoy",
    derive = "PartialEq",
    doc = "A GlobalHealthRuleSet says when objects of a kind are healthy, for Releases of any namespace that select it.",
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp")
)]
pub struct GlobalHealthRuleSetSpec {
    /// The rules; the first whose target matches decides.
    #[schemars(length(min = 1, max = 100))]
    pub rules: Vec<HealthRule>,
}

/// When objects of a kind are healthy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [schema::cel(
    "has(self.healthy) || has(self.progressing) || has(self.degraded)",
    "healthy, progressing or degraded must be given"
)]))]
pub struct HealthRule {
    /// Which kind.
    pub target: HealthTarget,
    /// CEL over `object`: it is healthy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::expression")]
    pub healthy: Option<String>,
    /// CEL over `object`: it is on its way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::expression")]
    pub progressing: Option<String>,
    /// CEL over `object`: it has failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::expression")]
    pub degraded: Option<String>,
    /// CEL over `object`: why, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::expression")]
    pub message: Option<String>,
}

/// A kind; an absent part or `*` matches any, group "" is the core group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HealthTarget {
    /// API group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::group_or_core")]
    pub group: Option<String>,
    /// API version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::any_version")]
    pub version: Option<String>,
    /// Kind.
    #[schemars(schema_with = "schema::any_kind")]
    pub kind: String,
}
