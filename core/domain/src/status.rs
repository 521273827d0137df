//! `status` of a Release: what the next reconcile and people know of the last.

use alloc::string::String;
use alloc::vec::Vec;

use jiff::Timestamp;

use crate::artifact::Revision;
use crate::condition::{Condition, Failure, names};
use crate::render_ref::RenderRef;

/// `status` of a Release.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReleaseStatus {
    /// Generation that the last reconcile saw.
    pub observed_generation: i64,
    /// Replica that owns the Release.
    pub shard: String,
    /// Answer to `sync-requested`.
    pub last_handled_sync_request: String,
    /// Answer to `retry-requested`.
    pub last_handled_retry_request: String,
    /// What was passed over, and why, for people.
    pub warnings: Vec<String>,
    /// Conditions, in the order of their table.
    pub conditions: Vec<Condition>,
    /// The last sync that was begun.
    pub last_attempted: Option<Attempt>,
    /// The last sync that applied everything.
    pub last_successful: Option<Applied>,
    /// The last render that was healthy.
    pub last_healthy: Option<HealthyRender>,
    /// The sync under way.
    pub rollout: Option<Rollout>,
    /// Effective `keepHistory` and number of entries.
    pub retention: Option<Retention>,
    /// What the inventory holds.
    pub inventory: Option<InventorySummary>,
}

names! {
    /// Where a sync stands.
    Phase {
        /// Not begun.
        Pending = "Pending",
        /// Reading the source.
        Fetching = "Fetching",
        /// Rendering.
        Rendering = "Rendering",
        /// Writing the blob.
        Storing = "Storing",
        /// Applying waves.
        Applying = "Applying",
        /// At a gate or after the last wave.
        WaitingForHealth = "WaitingForHealth",
        /// Applied.
        Succeeded = "Succeeded",
        /// Stopped by a failure.
        Failed = "Failed",
        /// The last healthy render is back.
        RolledBack = "RolledBack",
    }
}

/// `status.lastAttempted`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Revision of the source, once known.
    pub revision: Option<Revision>,
    /// The render, once known.
    pub render_ref: Option<RenderRef>,
    /// Where it stands.
    pub phase: Phase,
    /// Start.
    pub started: Timestamp,
    /// End, when it ended.
    pub finished: Option<Timestamp>,
    /// Why it failed, if it did.
    pub failure: Option<AttemptFailure>,
    /// What it was made from.
    pub inputs: Inputs,
}

/// `status.lastAttempted.failure`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptFailure {
    /// Stage, reason, message.
    pub failure: Failure,
    /// How often it was retried.
    pub retries: u32,
    /// When it is retried next, for a transient failure.
    pub next_retry: Option<Timestamp>,
}

/// `status.lastAttempted.inputs`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    /// Revision of the source.
    pub source: String,
    /// Revisions of values layers.
    pub values: Vec<String>,
    /// Revisions of mutations' sources.
    pub mutations: Vec<String>,
    /// Hash of everything that the render and its apply depend on.
    pub fingerprint: String,
}

/// `status.lastSuccessful`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// Revision of the source.
    pub revision: Revision,
    /// The render.
    pub render_ref: RenderRef,
    /// When the sync ended.
    pub at: Timestamp,
    /// Number of objects.
    pub objects: u32,
}

/// `status.lastHealthy`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HealthyRender {
    /// Revision of the source.
    pub revision: Revision,
    /// The render.
    pub render_ref: RenderRef,
    /// When it was first seen healthy.
    pub at: Timestamp,
}

names! {
    /// The step at which a sync stands, and resumes after a requeue or a crash.
    RolloutStep {
        /// Dry run of every object.
        DryRun = "DryRun",
        /// Storing the render.
        Persist = "Persist",
        /// Applying the objects of a wave.
        Apply = "Apply",
        /// Waiting for the gate of a wave.
        Gate = "Gate",
        /// Deleting orphans.
        Prune = "Prune",
        /// Adding to the history.
        Record = "Record",
        /// Waiting for the health of everything.
        Health = "Health",
    }
}

/// `status.rollout`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rollout {
    /// The render that is rolled out.
    pub render_ref: RenderRef,
    /// Where it stands.
    pub step: RolloutStep,
    /// Index of the wave, from 0.
    pub wave: u32,
    /// Number of waves.
    pub waves: u32,
    /// When the rollout started.
    pub started: Timestamp,
    /// When the last object of the present wave was applied; the deadline counts from here.
    pub wave_applied: Option<Timestamp>,
    /// What is waited for.
    pub waiting_for: Vec<Waiting>,
}

/// One entry of `status.rollout.waitingFor`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The object, as people read it.
    pub object: String,
    /// Its health.
    pub health: String,
    /// Why.
    pub message: String,
}

/// `status.resolvedRetentionPolicy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// Effective value.
    pub keep_history: i64,
    /// Entries in the store.
    pub history_count: u32,
}

/// `status.inventory`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InventorySummary {
    /// Objects recorded.
    pub objects: u32,
    /// Parts that exist: tells a missing part from none.
    pub parts: u32,
    /// Objects pruned by the last sync.
    pub pruned: u32,
    /// Cluster that holds them.
    pub cluster_id: String,
}
