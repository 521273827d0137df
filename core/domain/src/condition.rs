//! Stages, reasons and conditions: one table from which status, events, metrics and the command line print.

mod failures;
mod rules;

use alloc::string::String;

use jiff::Timestamp;

pub use failures::chain;
pub use rules::{conditions_of, derive_ready, find, set_condition, set_failure};

macro_rules! names {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$doc])* $variant),+ }

        impl $name {
            /// Every value, in the order of the specification.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The name as it is printed.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }
        }

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl core::str::FromStr for $name {
            type Err = $crate::condition::UnknownName;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text { $($text => Ok(Self::$variant),)+ _ => Err($crate::condition::UnknownName) }
            }
        }
    };
}

pub(crate) use names;

/// A text that is no name of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a known name")]
pub struct UnknownName;

names! {
    /// The stage of a reconcile in which something failed.
    Stage {
        /// The spec itself.
        Validate = "validate",
        /// `spec.dependsOn`.
        Dependencies = "dependencies",
        /// Source to files.
        Fetch = "fetch",
        /// Reading and reaching the target cluster.
        Cluster = "cluster",
        /// Values layers.
        Values = "values",
        /// Files to objects.
        Render = "render",
        /// The mutation pipeline.
        Mutate = "mutate",
        /// Selecting a stored render.
        Pin = "pin",
        /// Deciding what a sync does.
        Plan = "plan",
        /// Dry run of every object.
        DryRun = "dryRun",
        /// Storing the render.
        Persist = "persist",
        /// Waves, hooks and prune.
        Apply = "apply",
        /// Health after the apply.
        Health = "health",
        /// Return to the last healthy render.
        Rollback = "rollback",
        /// Deletion of the Release.
        Delete = "delete",
    }
}

names! {
    /// Why a condition has its value.
    Reason {
        /// The spec breaks a rule.
        InvalidSpec = "InvalidSpec",
        /// The spec asks for what this version does not do.
        Unsupported = "Unsupported",
        /// Releases wait for each other in a circle.
        DependencyCycle = "DependencyCycle",
        /// A Release that this one depends on is not Healthy.
        DependencyNotReady = "DependencyNotReady",
        /// The source object does not exist.
        SourceNotFound = "SourceNotFound",
        /// Credentials were refused or are missing.
        AuthenticationFailed = "AuthenticationFailed",
        /// The host key is unknown.
        HostNotTrusted = "HostNotTrusted",
        /// The address policy refuses the host.
        HostRefused = "HostRefused",
        /// A signature is missing or wrong.
        SignatureInvalid = "SignatureInvalid",
        /// Branch, tag or commit does not exist.
        RefNotFound = "RefNotFound",
        /// Chart or version does not exist.
        ChartNotFound = "ChartNotFound",
        /// The server could not be reached or broke off.
        FetchFailed = "FetchFailed",
        /// The server was too slow.
        FetchTimeout = "FetchTimeout",
        /// The certificate is not trusted.
        TlsFailed = "TLSFailed",
        /// What was fetched is damaged.
        ArtifactInvalid = "ArtifactInvalid",
        /// An OCI artifact has no usable layer.
        NoChartLayer = "NoChartLayer",
        /// A bound was passed; the message names it.
        LimitExceeded = "LimitExceeded",
        /// The Cluster object does not exist.
        ClusterNotFound = "ClusterNotFound",
        /// The cluster does not answer.
        ClusterUnreachable = "ClusterUnreachable",
        /// The Cluster is another cluster than the inventory's.
        ClusterChanged = "ClusterChanged",
        /// The cluster forbids what we ask.
        Forbidden = "Forbidden",
        /// A values layer does not exist.
        ValuesNotFound = "ValuesNotFound",
        /// A values layer is damaged.
        ValuesInvalid = "ValuesInvalid",
        /// Files do not render.
        RenderFailed = "RenderFailed",
        /// Rendering took too long.
        RenderTimeout = "RenderTimeout",
        /// The installation key is gone.
        EntropyKeyMissing = "EntropyKeyMissing",
        /// A mutation failed.
        MutationFailed = "MutationFailed",
        /// A mutation's target matches nothing.
        MutationNoMatch = "MutationNoMatch",
        /// The pinned render is not stored.
        Pinned = "Pinned",
        /// The render store does not answer.
        StoreUnavailable = "StoreUnavailable",
        /// A stored render does not match its hash.
        StoreCorrupt = "StoreCorrupt",
        /// Too much would be pruned.
        PruneGuard = "PruneGuard",
        /// A part of the inventory is missing.
        InventoryIncomplete = "InventoryIncomplete",
        /// Another Release or manager owns an object.
        Conflict = "Conflict",
        /// The cluster refuses an object.
        DryRunFailed = "DryRunFailed",
        /// The dry run could not be made.
        DryRunUnavailable = "DryRunUnavailable",
        /// Storing or applying failed.
        DeployFailed = "DeployFailed",
        /// A field cannot change.
        Immutable = "Immutable",
        /// A hook failed.
        HookFailed = "HookFailed",
        /// A wave was not healthy in time.
        WaveTimeout = "WaveTimeout",
        /// An orphan could not be deleted.
        PruneFailed = "PruneFailed",
        /// Another replica owns the Release.
        LeaseLost = "LeaseLost",
        /// Not healthy in time.
        HealthDeadlineExceeded = "HealthDeadlineExceeded",
        /// An object has failed for good.
        Degraded = "Degraded",
        /// The last healthy render is back.
        RolledBack = "RolledBack",
        /// The last healthy render could not be applied.
        RollbackFailed = "RollbackFailed",
        /// There is no healthy render to return to.
        NoRollbackTarget = "NoRollbackTarget",
        /// Objects are still being deleted.
        DeletePending = "DeletePending",
        /// An object could not be deleted.
        DeleteFailed = "DeleteFailed",
        /// Waiting for `convoy sync`.
        AwaitingSync = "AwaitingSync",
        /// `spec.suspend` is true.
        Suspended = "Suspended",
        /// On its way.
        Progressing = "Progressing",
        /// Done.
        Succeeded = "Succeeded",
    }
}

impl Reason {
    /// Whether the same reconcile may succeed later without a change of input (`~` in the specification).
    #[must_use]
    pub const fn is_transient(self) -> bool {
        matches!(
            self,
            Self::DependencyNotReady
                | Self::FetchFailed
                | Self::FetchTimeout
                | Self::ClusterUnreachable
                | Self::StoreUnavailable
                | Self::DryRunUnavailable
                | Self::DeployFailed
                | Self::PruneFailed
                | Self::LeaseLost
                | Self::RollbackFailed
                | Self::DeletePending
                | Self::DeleteFailed
        )
    }
}

names! {
    /// The types of `status.conditions` of a Release.
    ConditionType {
        /// Applied and Healthy, and not rolled back.
        Ready = "Ready",
        /// The source gave its files.
        SourceReady = "SourceReady",
        /// The files gave objects.
        Rendered = "Rendered",
        /// The effective render is on the cluster.
        Applied = "Applied",
        /// Every object is healthy.
        Healthy = "Healthy",
        /// Live objects differ from the render.
        Drifted = "Drifted",
        /// A pin is in force.
        Pinned = "Pinned",
        /// Nothing is done.
        Suspended = "Suspended",
    }
}

names! {
    /// `status` of a condition.
    Truth {
        /// It holds.
        True = "True",
        /// It does not.
        False = "False",
        /// Not known.
        Unknown = "Unknown",
    }
}

/// One condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// Its type.
    pub kind: ConditionType,
    /// Its value.
    pub truth: Truth,
    /// Why.
    pub reason: Reason,
    /// For people.
    pub message: String,
    /// Generation that it speaks of.
    pub observed_generation: i64,
    /// When `truth` last changed.
    pub last_transition: Timestamp,
}

/// Why a stage stopped the reconcile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Where.
    pub stage: Stage,
    /// Which kind.
    pub reason: Reason,
    /// For people; never a secret.
    pub message: String,
}

impl Failure {
    /// A failure of `stage`.
    pub fn new(stage: Stage, reason: Reason, message: impl Into<String>) -> Self {
        Self {
            stage,
            reason,
            message: message.into(),
        }
    }

    /// Whether it is tried again without a change of input.
    #[must_use]
    pub const fn is_transient(&self) -> bool {
        self.reason.is_transient()
    }
}
