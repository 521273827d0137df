//! A Release as the control plane records it.

use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

use convoy_value::{Map, Value};
use jiff::Timestamp;

use crate::id::ReleaseId;
use crate::render_ref::RenderRef;
use crate::retry::Backoff;
use crate::secret::Secret;
use crate::source::{GitRef, SourceKey, SourceRef};
use crate::status::ReleaseStatus;

/// A Release, read once at the start of a reconcile.
#[derive(Clone, Debug, PartialEq)]
pub struct Release {
    /// Namespace and name.
    pub id: ReleaseId,
    /// `metadata.uid`.
    pub uid: String,
    /// `metadata.generation`.
    pub generation: i64,
    /// `metadata.resourceVersion`; each write carries it.
    pub resource_version: String,
    /// `metadata.creationTimestamp`.
    pub created: Timestamp,
    /// `metadata.deletionTimestamp`.
    pub deleted: Option<Timestamp>,
    /// Whether our finalizer is set.
    pub has_finalizer: bool,
    /// Annotations of the names table.
    pub annotations: ReleaseAnnotations,
    /// `pin`.
    pub pin: Option<Pin>,
    /// `mutations`, in order.
    pub mutations: Vec<Mutation>,
    /// `spec`.
    pub spec: ReleaseSpec,
    /// `status`, empty for a new Release.
    pub status: ReleaseStatus,
}

/// Requests that people write as annotations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReleaseAnnotations {
    /// `sync-requested`: `<renderRef>@<time>`.
    pub sync_requested: Option<String>,
    /// `retry-requested`: `<time>`.
    pub retry_requested: Option<String>,
    /// `allow-prune`: a renderRef.
    pub allow_prune: Option<String>,
    /// `adopt-store: "true"`.
    pub adopt_store: bool,
    /// `accept-cluster`: a cluster id.
    pub accept_cluster: Option<String>,
    /// `skip-cluster-cleanup: "true"`.
    pub skip_cluster_cleanup: bool,
}

/// The user's choice of an older render.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    /// The render.
    pub render_ref: RenderRef,
    /// Why, for people.
    pub reason: String,
}

/// `spec` of a Release.
#[derive(Clone, Debug, PartialEq)]
pub struct ReleaseSpec {
    /// Nothing is done.
    pub suspend: bool,
    /// Name of the Cluster, in the Release's namespace.
    pub cluster: String,
    /// The source object.
    pub source: SourceKey,
    /// What is selected of it.
    pub source_ref: SourceRef,
    /// How files become objects.
    pub content: Content,
    /// How a render is applied.
    pub sync: SyncPolicy,
    /// How long objects may take to become healthy after a wave's apply.
    pub health_deadline: Duration,
    /// `failurePolicy.rollback`.
    pub rollback: RollbackPolicy,
    /// `retentionPolicy.keepHistory`; unset is 10, 0 or less keeps everything.
    pub keep_history: Option<i64>,
    /// What deletion does to the cluster.
    pub deletion: DeletionPolicy,
    /// Releases that must be Healthy first.
    pub depends_on: Vec<ReleaseId>,
    /// Service account that is impersonated on the target cluster.
    pub service_account: Option<String>,
    /// Fields that are set, whose behaviour comes later and may not be passed over, by path: the Release is
    /// refused with `Unsupported` and these paths.
    pub unsupported: Vec<String>,
    /// Fields that are set, whose behaviour comes later and may be passed over: named in `status.warnings`.
    pub ignored: Vec<String>,
}

/// How files become objects.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// A Helm chart.
    Helm(Helm),
    /// A kustomization.
    Kustomize(Kustomize),
    /// Plain manifests.
    Manifests(Manifests),
}

/// `content.helm`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Helm {
    /// Directory of the chart, for git sources; empty for the root.
    pub path: String,
    /// `.Release.Name`; the chart's name when nothing is said.
    pub release_name: Option<String>,
    /// `.Release.Namespace`; `default` when nothing is said.
    pub release_namespace: Option<String>,
    /// Where the chart's dependencies come from.
    pub dependencies: DependencyMode,
    /// What `.Capabilities` holds.
    pub capabilities: CapabilitiesMode,
    /// Whether the files of `crds/` are objects of the render.
    pub include_crds: bool,
    /// Layers of values; a later one wins.
    pub values: Vec<ValuesLayer>,
}

/// `content.helm.dependencyMode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DependencyMode {
    /// They are in `charts/`.
    #[default]
    Vendored,
    /// They are fetched from the repositories that the chart names.
    Resolve,
}

/// `content.helm.capabilities`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CapabilitiesMode {
    /// Helm's own, whatever the cluster is.
    #[default]
    Defaults,
    /// The target cluster's.
    Cluster,
}

/// One entry of `content.helm.values`.
#[derive(Clone, Debug, PartialEq)]
pub enum ValuesLayer {
    /// Values in the Release itself.
    Inline(Map),
    /// Values that were read from one of the places below; they may be secret.
    Read(Secret<Map>),
    /// YAML in a `ConfigMap` of the Release's namespace.
    ConfigMap(ValuesKey),
    /// YAML in a Secret of the Release's namespace.
    Secret(ValuesKey),
    /// A YAML file of a `GitRepository` of the Release's namespace.
    GitRepository(ValuesFile),
}

impl ValuesLayer {
    /// `type` of the layer.
    #[must_use]
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::Inline(_) | Self::Read(_) => "inline",
            Self::ConfigMap(_) => "configMap",
            Self::Secret(_) => "secret",
            Self::GitRepository(_) => "gitRepository",
        }
    }
}

/// Where a `ConfigMap` or Secret holds values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValuesKey {
    /// Name of the object.
    pub name: String,
    /// Key within it.
    pub key: String,
    /// An absent object or key is an empty layer.
    pub optional: bool,
}

/// Where a git repository holds values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValuesFile {
    /// Name of the `GitRepository`.
    pub repository: String,
    /// What is read of it.
    pub reference: GitRef,
    /// The file.
    pub path: String,
    /// An absent file is an empty layer.
    pub optional: bool,
}

/// `content.kustomize`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kustomize {
    /// Directory of the kustomization; empty for the root.
    pub path: String,
    /// Namespace of every namespaced object.
    pub target_namespace: Option<String>,
}

/// `content.manifests`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifests {
    /// Files and directories, in order.
    pub paths: Vec<String>,
    /// Changes nothing, as the rendering page says.
    pub target_namespace: Option<String>,
}

/// `syncPolicy`.
#[derive(Clone, Debug, PartialEq)]
pub struct SyncPolicy {
    /// Apply without being asked.
    pub automatic: bool,
    /// Longest time between two reconciles.
    pub interval: Duration,
    /// Bound of one apply call sequence.
    pub timeout: Duration,
    /// What may be pruned.
    pub prune: PrunePolicy,
    /// Apply again when live objects differ.
    pub correct_drift: bool,
    /// Delays of transient failures; `None` is the default limiter.
    pub retry: Option<Backoff>,
    /// Recreate on immutable-field errors.
    pub force: bool,
}

/// `syncPolicy.prune`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PrunePolicy {
    /// Objects that left the render.
    pub orphaned: bool,
    /// CRDs too.
    pub include_crds: bool,
    /// Namespaces too.
    pub include_namespaces: bool,
}

/// `failurePolicy.rollback`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RollbackPolicy {
    /// A failed render stays.
    #[default]
    Never,
    /// The last healthy render comes back.
    OnReleaseFailure,
}

/// `deletionPolicy`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeletionPolicy {
    /// Delete what was applied.
    #[default]
    Delete,
    /// Leave it, without our ownership labels.
    Orphan,
}

/// One entry of `mutations`.
#[derive(Clone, Debug, PartialEq)]
pub struct Mutation {
    /// Which objects.
    pub target: Target,
    /// A target that matches nothing is fine.
    pub optional: bool,
    /// What is done.
    pub action: MutationAction,
}

/// Which objects a mutation changes: an absent part or `*` matches any; `group: ""` is the core group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// API group.
    pub group: Option<String>,
    /// API version.
    pub version: Option<String>,
    /// Kind.
    pub kind: Option<String>,
    /// Name.
    pub name: Option<String>,
    /// Namespace.
    pub namespace: Option<String>,
    /// Label selector, in Kubernetes' syntax.
    pub label_selector: Option<String>,
    /// Annotation selector, in the same syntax.
    pub annotation_selector: Option<String>,
}

/// What a mutation does.
#[derive(Clone, Debug, PartialEq)]
pub enum MutationAction {
    /// Sets wave and gate.
    SyncWave {
        /// Wave number.
        wave: i32,
        /// Whether the wave waits for this object.
        gate: Gate,
    },
    /// A type whose behaviour comes later: the Release is refused with `Unsupported`.
    Unsupported {
        /// `patch`, `labels`, …
        kind: String,
        /// Its settings, as written.
        settings: Value,
    },
}

/// Whether the next wave waits for an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Gate {
    /// `waitForHealthy`.
    WaitForHealthy,
    /// `continue`.
    #[default]
    Continue,
}
