//! `status` of a Release.
//!
//! Names of phases, steps and reasons are plain texts here: a definition that is older than the controller must not
//! make the API server refuse a status, since the status is what a crash is survived by.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::common::Condition;
use super::schema;

/// `status` of a Release.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReleaseStatus {
    /// Generation that the last reconcile saw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// Replica that owns the Release.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub shard: String,
    /// The sync request that was answered last.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub last_handled_sync_request: String,
    /// The retry request that was answered last.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub last_handled_retry_request: String,
    /// What was passed over, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Ready, `SourceReady`, Rendered, Applied, Healthy, Drifted, Pinned, Suspended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"]))]
    pub conditions: Vec<Condition>,
    /// The last sync that was begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_attempted: Option<LastAttempted>,
    /// The last sync that applied everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_successful: Option<LastSuccessful>,
    /// The last render that was healthy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_healthy: Option<LastHealthy>,
    /// The rollback in force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rollback: Option<RollbackStatus>,
    /// The sync under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rollout: Option<RolloutStatus>,
    /// Live objects that differ from the render.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drift: Option<DriftStatus>,
    /// What the retention policy comes to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_retention_policy: Option<ResolvedRetentionPolicy>,
    /// What the inventory holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inventory: Option<InventoryStatus>,
}

/// The last sync that was begun.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LastAttempted {
    /// Revision of the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// The render.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub render_ref: Option<String>,
    /// Pending, Fetching, Rendering, Storing, Applying, `WaitingForHealth`, Succeeded, Failed or `RolledBack`.
    pub phase: String,
    /// Start.
    #[schemars(schema_with = "schema::time")]
    pub started_at: String,
    /// End.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::time")]
    pub finished_at: Option<String>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<FailureStatus>,
    /// What it was made from.
    #[serde(default)]
    pub inputs: InputsStatus,
}

/// Why a sync failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailureStatus {
    /// Where.
    pub stage: String,
    /// Why, in one word.
    pub reason: String,
    /// Why, for people.
    #[serde(default)]
    pub message: String,
    /// How often it was tried again.
    #[serde(default)]
    pub retries: u32,
    /// When it is tried again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::time")]
    pub next_retry_at: Option<String>,
}

/// What a sync was made from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InputsStatus {
    /// Revision of the source.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// Revisions of the values layers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    /// Revisions of the mutations' sources.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mutations: Vec<String>,
    /// Hash of everything that the render and its apply depend on.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub fingerprint: String,
}

/// The last sync that applied everything.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LastSuccessful {
    /// Revision of the source.
    pub revision: String,
    /// The render.
    pub render_ref: String,
    /// The first 12 digits of it, for the table of `kubectl get`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub short_render_ref: String,
    /// When the sync ended.
    #[schemars(schema_with = "schema::time")]
    pub applied_at: String,
    /// Number of objects.
    #[serde(default)]
    pub objects: u32,
}

/// The last render that was healthy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LastHealthy {
    /// Revision of the source.
    pub revision: String,
    /// The render.
    pub render_ref: String,
    /// When it was first seen healthy.
    #[schemars(schema_with = "schema::time")]
    pub healthy_at: String,
}

/// A rollback in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RollbackStatus {
    /// The render that failed.
    pub from: String,
    /// The render that came back.
    pub to: String,
    /// Why.
    #[serde(default)]
    pub reason: String,
    /// When.
    #[schemars(schema_with = "schema::time")]
    pub at: String,
}

/// The sync under way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RolloutStatus {
    /// The render that is rolled out.
    pub render_ref: String,
    /// `DryRun`, Persist, Apply, Gate, Prune, Record or Health.
    pub step: String,
    /// Index of the wave, from 0.
    #[serde(default)]
    pub wave: u32,
    /// Number of waves.
    #[serde(default)]
    pub waves: u32,
    /// Start.
    #[schemars(schema_with = "schema::time")]
    pub started_at: String,
    /// When the last object of the present wave was applied; the deadline counts from here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::time")]
    pub wave_applied_at: Option<String>,
    /// Hooks of this rollout.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hooks: Vec<HookStatus>,
    /// What is waited for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiting_for: Vec<WaitingStatus>,
}

/// One hook of a rollout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HookStatus {
    /// Name.
    pub name: String,
    /// UID of the object on the cluster.
    #[serde(default)]
    pub uid: String,
    /// Where it stands.
    pub state: String,
}

/// One object that is waited for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WaitingStatus {
    /// The object.
    pub object: String,
    /// Its health.
    #[serde(default)]
    pub health: String,
    /// Why.
    #[serde(default)]
    pub message: String,
}

/// Live objects that differ from the render.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DriftStatus {
    /// The objects.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objects: Vec<DriftedObject>,
    /// Since when.
    #[schemars(schema_with = "schema::time")]
    pub since: String,
}

/// One object that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DriftedObject {
    /// The object.
    pub object: String,
    /// The fields that differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
    /// Who changed them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub manager: String,
}

/// What the retention policy comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResolvedRetentionPolicy {
    /// Effective value.
    pub keep_history: i64,
    /// Entries in the store.
    #[serde(default)]
    pub history_count: u32,
}

/// What the inventory holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InventoryStatus {
    /// Objects recorded.
    #[serde(default)]
    pub objects: u32,
    /// Number of `ReleaseInventory` objects.
    #[serde(default)]
    pub parts: u32,
    /// Objects pruned by the last sync.
    #[serde(default)]
    pub pruned: u32,
    /// Cluster that holds the objects.
    #[serde(default, rename = "clusterID", skip_serializing_if = "String::is_empty")]
    pub cluster_id: String,
}
