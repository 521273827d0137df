//! The policies of a Release: how it is applied, judged, kept and deleted.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::common::LabelSelector;
use super::release::yes;
use super::schema;
use crate::duration::GoDuration;

/// How a render is applied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    schema::cel("duration(self.interval) >= duration('1s')", "interval must be at least 1s"),
    schema::cel("duration(self.timeout) >= duration('1s')", "timeout must be at least 1s"),
]))]
pub struct SyncPolicy {
    /// Apply without being asked; false: render and compare only, until a sync is requested.
    #[serde(default = "yes")]
    pub automatic: bool,
    /// Longest time between two reconciles.
    #[serde(default = "one_minute")]
    pub interval: GoDuration,
    /// Bound of one sequence of applies; health has its own.
    #[serde(default = "five_minutes")]
    pub timeout: GoDuration,
    /// What may be pruned.
    #[serde(default)]
    pub prune: PrunePolicy,
    /// Apply again when live objects differ from the render.
    #[serde(default = "yes")]
    pub correct_drift: bool,
    /// Differences that count for nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64))]
    pub ignore_differences: Vec<IgnoreDifference>,
    /// Delays between retries of transient failures; absent: the default limiter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_backoff: Option<RetryBackoff>,
    /// Recreate an object when a field cannot be changed.
    #[serde(default)]
    pub force: bool,
}

impl Default for SyncPolicy {
    fn default() -> Self {
        Self {
            automatic: true,
            interval: one_minute(),
            timeout: five_minutes(),
            prune: PrunePolicy::default(),
            correct_drift: true,
            ignore_differences: Vec::new(),
            retry_backoff: None,
            force: false,
        }
    }
}

/// What may be pruned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PrunePolicy {
    /// Objects that left the render.
    #[serde(default)]
    pub orphaned: bool,
    /// `CustomResourceDefinitions` too.
    #[serde(default, rename = "includeCRDs")]
    pub include_crds: bool,
    /// Namespaces too.
    #[serde(default)]
    pub include_namespaces: bool,
}

/// Differences that count for nothing, on apply as well.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [schema::cel(
    "has(self.jsonPointers) && size(self.jsonPointers) > 0 || has(self.managers) && size(self.managers) > 0",
    "jsonPointers or managers must be given"
)]))]
pub struct IgnoreDifference {
    /// Which objects.
    #[serde(default)]
    pub target: ObjectTarget,
    /// Fields, as JSON pointers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "schema::json_pointers")]
    pub json_pointers: Vec<String>,
    /// Every field of these field managers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "schema::short_texts")]
    pub managers: Vec<String>,
}

/// Selects objects by identity; an absent part or `*` matches any, group "" is the core group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObjectTarget {
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
}

/// Delays between retries: base, base × factor, … up to max.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    schema::cel("duration(self.base) > duration('0s')", "base must be longer than 0s"),
    schema::cel("duration(self.max) >= duration(self.base)", "max must not be shorter than base"),
]))]
pub struct RetryBackoff {
    /// First delay.
    #[serde(default = "five_seconds")]
    pub base: GoDuration,
    /// What each delay is multiplied by.
    #[serde(default = "two")]
    #[schemars(range(min = 1, max = 100))]
    pub factor: u32,
    /// Longest delay.
    #[serde(default = "five_minutes")]
    pub max: GoDuration,
    /// Number of retries; 0 is no limit.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1_000_000))]
    pub limit: u32,
}

/// Hooks around a sync.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Lifecycle {
    /// Before the first wave.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16))]
    pub pre_sync: Vec<Hook>,
    /// After the prune.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16))]
    pub post_sync: Vec<Hook>,
    /// After a failed sync.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16))]
    pub on_failure: Vec<Hook>,
}

/// A Job, or another object, that runs once per rollout.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [schema::cel(
    "has(self.job) != has(self.object)", "exactly one of job and object must be set"
)]))]
pub struct Hook {
    /// Name, unique in the Release.
    #[schemars(schema_with = "schema::short_name")]
    pub name: String,
    /// How long it may run.
    #[serde(default = "five_minutes")]
    pub timeout: GoDuration,
    /// What its failure does to the sync.
    #[serde(default)]
    pub on_failure: HookFailure,
    /// How often it is tried again.
    #[serde(default)]
    #[schemars(range(min = 0, max = 100))]
    pub retries: u32,
    /// A Job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<HookJob>,
    /// Any object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::any_object")]
    pub object: Option<BTreeMap<String, Value>>,
}

/// The Job of a hook.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HookJob {
    /// The Job's pod template.
    #[schemars(schema_with = "schema::any_mapping")]
    pub template: BTreeMap<String, Value>,
}

/// What the failure of a hook does to the sync.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum HookFailure {
    /// The sync fails.
    #[default]
    Abort,
    /// The sync goes on.
    Continue,
}

/// How health is decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HealthAssessment {
    /// `GlobalHealthRuleSets` that apply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub global_rule_set_selector: Option<LabelSelector>,
    /// `HealthRuleSets` of the Release's namespace that apply, before the global ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule_set_selector: Option<LabelSelector>,
    /// How long objects may take to become healthy after a wave's apply.
    #[serde(default = "five_minutes")]
    pub deadline: GoDuration,
}

impl Default for HealthAssessment {
    fn default() -> Self {
        Self {
            global_rule_set_selector: None,
            rule_set_selector: None,
            deadline: five_minutes(),
        }
    }
}

/// What follows a failed sync.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailurePolicy {
    /// Whether the last healthy render comes back.
    #[serde(default)]
    pub rollback: Rollback,
}

/// Whether the last healthy render comes back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Rollback {
    /// A failed render stays.
    #[default]
    Never,
    /// The last healthy render is applied.
    OnReleaseFailure,
}

/// What is kept in the render store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RetentionPolicy {
    /// Number of renders in the history; 0 or less keeps all.
    #[serde(default = "ten")]
    pub keep_history: i64,
}

impl Default for RetentionPolicy {
    fn default() -> Self {
        Self { keep_history: ten() }
    }
}

/// What the deletion of a Release does to the cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum DeletionPolicy {
    /// Delete what was applied.
    #[default]
    Delete,
    /// Leave it.
    Orphan,
}

/// A Release that must be Healthy first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DependsOn {
    /// Name of the Release.
    #[schemars(schema_with = "schema::name")]
    pub name: String,
    /// Its namespace; absent: the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::namespace")]
    pub namespace: Option<String>,
}

const fn one_minute() -> GoDuration {
    GoDuration::from_secs(60)
}

const fn five_minutes() -> GoDuration {
    GoDuration::from_secs(300)
}

const fn five_seconds() -> GoDuration {
    GoDuration::from_secs(5)
}

const fn two() -> u32 {
    2
}

const fn ten() -> i64 {
    10
}
