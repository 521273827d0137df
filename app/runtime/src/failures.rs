//! Errors of ports as failures of stages.

use convoy_domain::condition::{Failure, Reason, Stage};
use convoy_domain::source::{SourceKind, SourceReason};
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
        FetchError::Unreachable { .. } | FetchError::Busy { .. } => Reason::FetchFailed,
        FetchError::Timeout { .. } => Reason::FetchTimeout,
        FetchError::NotARepository { .. } | FetchError::IndexInvalid { .. } | FetchError::Invalid { .. } => {
            Reason::ArtifactInvalid
        }
        FetchError::ChartNotFound { .. } => Reason::ChartNotFound,
        FetchError::RefNotFound { .. } => Reason::RefNotFound,
        FetchError::NoChartLayer { .. } => Reason::NoChartLayer,
        FetchError::Signature { .. } => Reason::SignatureInvalid,
        FetchError::Limit { .. } => Reason::LimitExceeded,
        FetchError::Unsupported { .. } => Reason::Unsupported,
    };
    Failure::new(Stage::Fetch, reason, error.to_string())
}

/// Why a source is not Ready.
pub(crate) const fn verification(kind: SourceKind, error: &FetchError) -> SourceReason {
    match error {
        FetchError::Authentication { .. } => SourceReason::AuthenticationFailed,
        FetchError::HostNotTrusted { .. } => SourceReason::HostNotTrusted,
        FetchError::Tls { .. } => SourceReason::TlsFailed,
        FetchError::Unreachable { .. }
        | FetchError::Busy { .. }
        | FetchError::Timeout { .. }
        | FetchError::HostRefused { .. } => SourceReason::Unreachable,
        FetchError::IndexInvalid { .. } => SourceReason::IndexInvalid,
        FetchError::NotARepository { .. }
        | FetchError::ChartNotFound { .. }
        | FetchError::RefNotFound { .. }
        | FetchError::Invalid { .. }
        | FetchError::NoChartLayer { .. }
        | FetchError::Signature { .. }
        | FetchError::Limit { .. } => invalid(kind, error),
        FetchError::Unsupported { .. } => SourceReason::Unsupported,
    }
}

/// Something answers, but not as it should.
const fn invalid(kind: SourceKind, error: &FetchError) -> SourceReason {
    match (kind, error) {
        (SourceKind::Helm, FetchError::Invalid { .. } | FetchError::Limit { .. }) => SourceReason::IndexInvalid,
        (SourceKind::Git | SourceKind::Helm, _) => SourceReason::NotARepository,
        (SourceKind::Oci, _) => SourceReason::NotARegistry,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fetch_error_has_its_reason_and_is_retried_as_the_table_says() {
        let (url, why) = (|| "https://git.example/a.git".to_string(), || "said so".to_string());
        for (error, reason) in [
            (
                FetchError::Authentication { url: url(), why: why() },
                Reason::AuthenticationFailed,
            ),
            (FetchError::HostNotTrusted { url: url() }, Reason::HostNotTrusted),
            (FetchError::HostRefused { url: url(), why: why() }, Reason::HostRefused),
            (FetchError::Tls { url: url(), why: why() }, Reason::TlsFailed),
            (FetchError::Unreachable { url: url(), why: why() }, Reason::FetchFailed),
            (
                FetchError::Busy {
                    url: url(),
                    why: why(),
                    after: std::time::Duration::from_secs(7),
                },
                Reason::FetchFailed,
            ),
            (FetchError::Timeout { url: url(), seconds: 5 }, Reason::FetchTimeout),
            (
                FetchError::Signature { url: url(), why: why() },
                Reason::SignatureInvalid,
            ),
            (
                FetchError::NotARepository { url: url(), why: why() },
                Reason::ArtifactInvalid,
            ),
            (
                FetchError::IndexInvalid { url: url(), why: why() },
                Reason::ArtifactInvalid,
            ),
            (
                FetchError::ChartNotFound {
                    url: url(),
                    wanted: "chart web, version ^1".into(),
                },
                Reason::ChartNotFound,
            ),
            (
                FetchError::RefNotFound {
                    url: url(),
                    wanted: "branch x".into(),
                },
                Reason::RefNotFound,
            ),
            (FetchError::Invalid { url: url(), why: why() }, Reason::ArtifactInvalid),
            (
                FetchError::NoChartLayer {
                    url: url(),
                    found: "application/x".into(),
                },
                Reason::NoChartLayer,
            ),
            (
                FetchError::Limit {
                    url: url(),
                    limit: "50,000 files".into(),
                },
                Reason::LimitExceeded,
            ),
            (FetchError::Unsupported { what: "ssh".into() }, Reason::Unsupported),
        ] {
            let failure = fetch(&error);
            assert_eq!((failure.stage, failure.reason), (Stage::Fetch, reason), "{error}");
            assert_eq!(failure.is_transient(), error.is_transient(), "{error}");
            assert_eq!(failure.message, error.to_string());
        }
    }

    #[test]
    fn a_source_that_answers_wrongly_is_told_by_its_kind() {
        let url = || "https://example.com".to_string();
        let (invalid, other) = (
            FetchError::Invalid {
                url: url(),
                why: "line 3".into(),
            },
            FetchError::NotARepository {
                url: url(),
                why: "404".into(),
            },
        );
        for (kind, error, expect) in [
            (SourceKind::Git, &invalid, SourceReason::NotARepository),
            (SourceKind::Git, &other, SourceReason::NotARepository),
            (SourceKind::Helm, &invalid, SourceReason::IndexInvalid),
            (SourceKind::Helm, &other, SourceReason::NotARepository),
            (SourceKind::Oci, &invalid, SourceReason::NotARegistry),
            (SourceKind::Oci, &other, SourceReason::NotARegistry),
        ] {
            assert_eq!(verification(kind, error), expect, "{kind:?} {error}");
        }
    }

    #[test]
    fn what_a_cluster_cannot_do_now_is_tried_again_and_what_it_refuses_says_so() {
        let (object, why) = (|| "ConfigMap a/b".to_string(), || "said so".to_string());
        let check = |stage, error: &ClusterError, reason| {
            let failure = cluster(stage, error);
            assert_eq!((failure.stage, failure.reason), (stage, reason), "{stage} {error}");
        };
        let busy = ClusterError::Busy {
            object: object(),
            why: why(),
        };
        check(Stage::DryRun, &busy, Reason::DryRunUnavailable);
        check(Stage::Apply, &busy, Reason::DeployFailed);
        check(Stage::Delete, &busy, Reason::DeleteFailed);
        check(
            Stage::Cluster,
            &ClusterError::Unreachable { why: why() },
            Reason::ClusterUnreachable,
        );
        let immutable = ClusterError::Immutable {
            object: object(),
            why: why(),
        };
        check(Stage::Apply, &immutable, Reason::Immutable);
        check(Stage::DryRun, &immutable, Reason::DryRunFailed);
        let refused = ClusterError::Refused {
            object: object(),
            why: why(),
        };
        check(Stage::DryRun, &refused, Reason::DryRunFailed);
        check(
            Stage::Apply,
            &ClusterError::Forbidden {
                object: object(),
                why: why(),
            },
            Reason::Forbidden,
        );
        check(
            Stage::Apply,
            &ClusterError::Conflict {
                object: object(),
                why: why(),
            },
            Reason::Conflict,
        );
    }
}
