//! Errors of ports as failures of stages.

use convoy_domain::condition::{Failure, Reason, Stage};
use convoy_domain::source::SourceReason;
use convoy_ports::{ClusterError, ControlPlaneError, FetchError};

/// A control plane that does not answer stops a reconcile in the stage that asked.
pub(crate) fn control_plane(stage: Stage, error: &ControlPlaneError) -> Failure {
    let reason = match error {
        ControlPlaneError::Stale { .. } | ControlPlaneError::Unavailable { .. } => transient(stage),
        ControlPlaneError::Forbidden { .. } => Reason::Forbidden,
        ControlPlaneError::Invalid { .. } => Reason::InvalidSpec,
        ControlPlaneError::NotFound { .. } | ControlPlaneError::Other { .. } => Reason::DeployFailed,
    };
    Failure::new(stage, reason, error.to_string())
}

/// The reason under which a stage is tried again.
const fn transient(stage: Stage) -> Reason {
    match stage {
        Stage::Dependencies => Reason::DependencyNotReady,
        Stage::Fetch | Stage::Values => Reason::FetchFailed,
        Stage::Cluster => Reason::ClusterUnreachable,
        Stage::Pin => Reason::StoreUnavailable,
        Stage::DryRun => Reason::DryRunUnavailable,
        Stage::Delete => Reason::DeleteFailed,
        Stage::Rollback => Reason::RollbackFailed,
        Stage::Validate
        | Stage::Render
        | Stage::Mutate
        | Stage::Plan
        | Stage::Persist
        | Stage::Apply
        | Stage::Health => Reason::DeployFailed,
    }
}

/// A fetch that failed.
pub(crate) fn fetch(error: &FetchError) -> Failure {
    let reason = match error {
        FetchError::Authentication { .. } => Reason::AuthenticationFailed,
        FetchError::HostNotTrusted { .. } => Reason::HostNotTrusted,
        FetchError::HostRefused { .. } => Reason::HostRefused,
        FetchError::Tls { .. } => Reason::TlsFailed,
        FetchError::Unreachable { .. } => Reason::FetchFailed,
        FetchError::Timeout { .. } => Reason::FetchTimeout,
        FetchError::NotARepository { .. } | FetchError::Invalid { .. } => Reason::ArtifactInvalid,
        FetchError::RefNotFound { .. } => Reason::RefNotFound,
        FetchError::Limit { .. } => Reason::LimitExceeded,
        FetchError::Unsupported { .. } => Reason::Unsupported,
    };
    Failure::new(Stage::Fetch, reason, error.to_string())
}

/// Why a source is not Ready.
pub(crate) const fn verification(error: &FetchError) -> SourceReason {
    match error {
        FetchError::Authentication { .. } => SourceReason::AuthenticationFailed,
        FetchError::HostNotTrusted { .. } => SourceReason::HostNotTrusted,
        FetchError::Tls { .. } => SourceReason::TlsFailed,
        FetchError::Unreachable { .. } | FetchError::Timeout { .. } | FetchError::HostRefused { .. } => {
            SourceReason::Unreachable
        }
        FetchError::NotARepository { .. }
        | FetchError::RefNotFound { .. }
        | FetchError::Invalid { .. }
        | FetchError::Limit { .. } => SourceReason::NotARepository,
        FetchError::Unsupported { .. } => SourceReason::Unsupported,
    }
}

/// A call to the target cluster that failed in `stage`.
pub(crate) fn cluster(stage: Stage, error: &ClusterError) -> Failure {
    let reason = match error {
        ClusterError::Forbidden { .. } => Reason::Forbidden,
        ClusterError::Conflict { .. } => Reason::Conflict,
        ClusterError::Immutable { .. } if matches!(stage, Stage::Apply) => Reason::Immutable,
        ClusterError::Unreachable { .. } | ClusterError::Busy { .. } | ClusterError::Stale { .. } => transient(stage),
        ClusterError::Immutable { .. }
        | ClusterError::Kubeconfig { .. }
        | ClusterError::UnknownKind { .. }
        | ClusterError::NamespaceMissing { .. }
        | ClusterError::Refused { .. } => refused(stage),
    };
    Failure::new(stage, reason, error.to_string())
}

/// The reason of what a cluster refuses in a stage.
const fn refused(stage: Stage) -> Reason {
    match stage {
        Stage::DryRun => Reason::DryRunFailed,
        Stage::Apply | Stage::Plan | Stage::Persist => Reason::DeployFailed,
        Stage::Validate
        | Stage::Dependencies
        | Stage::Fetch
        | Stage::Cluster
        | Stage::Values
        | Stage::Render
        | Stage::Mutate
        | Stage::Pin
        | Stage::Health
        | Stage::Rollback
        | Stage::Delete => transient(stage),
    }
}
