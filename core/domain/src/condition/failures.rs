//! What the Release reports when a decision cannot be made: each error of this crate as stage and reason.

use alloc::string::{String, ToString};
use core::error::Error;

use super::{Failure, Reason, Stage};
use crate::content::ContentError;
use crate::credentials::CredentialsError;
use crate::dependency::DependencyError;
use crate::inventory::{ClusterChanged, InventoryIncomplete};
use crate::manifests::RenderError;
use crate::mutation::MutationError;
use crate::ownership::ForeignOwner;
use crate::prune::PruneGuard;
use crate::render::{CorruptRender, RenderTooLarge};
use crate::values::ValuesError;
use crate::wave::WaveError;

/// An error and its sources, joined by `: `.
#[must_use]
pub fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text.push_str(": ");
        text.push_str(&error.to_string());
        source = error.source();
    }
    text
}

fn failure(stage: Stage, reason: Reason, error: &dyn Error) -> Failure {
    Failure::new(stage, reason, chain(error))
}

impl From<RenderError> for Failure {
    fn from(error: RenderError) -> Self {
        let reason = if error.is_limit() {
            Reason::LimitExceeded
        } else {
            Reason::RenderFailed
        };
        failure(Stage::Render, reason, &error)
    }
}

impl From<ContentError> for Failure {
    fn from(error: ContentError) -> Self {
        let reason = match error {
            ContentError::Objects(error) => return error.into(),
            ContentError::Chart { limit: true, .. } | ContentError::Kustomization { limit: true, .. } => {
                Reason::LimitExceeded
            }
            ContentError::Chart { limit: false, .. }
            | ContentError::Kustomization { limit: false, .. }
            | ContentError::NoClusterApi => Reason::RenderFailed,
            ContentError::LayerNotRead { .. } => return failure(Stage::Values, Reason::ValuesNotFound, &error),
            ContentError::Cancelled => Reason::RenderTimeout,
            ContentError::NoEntropyKey => Reason::EntropyKeyMissing,
        };
        failure(Stage::Render, reason, &error)
    }
}

/// A fetch needs what a Secret holds.
impl From<CredentialsError> for Failure {
    fn from(error: CredentialsError) -> Self {
        failure(Stage::Fetch, error.reason(), &error)
    }
}

impl From<DependencyError> for Failure {
    fn from(error: DependencyError) -> Self {
        match error {
            DependencyError::NoSource { .. } => failure(Stage::Fetch, Reason::Unsupported, &error),
            DependencyError::NoFolder { .. } => failure(Stage::Render, Reason::RenderFailed, &error),
        }
    }
}

impl From<ValuesError> for Failure {
    fn from(error: ValuesError) -> Self {
        match error {
            ValuesError::Invalid { .. } => failure(Stage::Values, Reason::ValuesInvalid, &error),
        }
    }
}

impl From<RenderTooLarge> for Failure {
    fn from(error: RenderTooLarge) -> Self {
        failure(Stage::Render, Reason::LimitExceeded, &error)
    }
}

impl From<MutationError> for Failure {
    fn from(error: MutationError) -> Self {
        let reason = match &error {
            MutationError::NoMatch { .. } => Reason::MutationNoMatch,
            MutationError::Selector { .. } => Reason::MutationFailed,
            MutationError::Unsupported { .. } => Reason::Unsupported,
        };
        failure(Stage::Mutate, reason, &error)
    }
}

/// The annotations that order a render are part of it.
impl From<WaveError> for Failure {
    fn from(error: WaveError) -> Self {
        failure(Stage::Render, Reason::RenderFailed, &error)
    }
}

/// A stored render is read for the sake of a pin.
impl From<CorruptRender> for Failure {
    fn from(error: CorruptRender) -> Self {
        failure(Stage::Pin, Reason::StoreCorrupt, &error)
    }
}

impl From<PruneGuard> for Failure {
    fn from(error: PruneGuard) -> Self {
        failure(Stage::Plan, Reason::PruneGuard, &error)
    }
}

impl From<InventoryIncomplete> for Failure {
    fn from(error: InventoryIncomplete) -> Self {
        failure(Stage::Plan, Reason::InventoryIncomplete, &error)
    }
}

impl From<ClusterChanged> for Failure {
    fn from(error: ClusterChanged) -> Self {
        failure(Stage::Cluster, Reason::ClusterChanged, &error)
    }
}

impl Failure {
    /// An object that another Release owns, found while planning or, when it was not there yet then, while applying.
    #[must_use]
    pub fn conflict(stage: Stage, object: &crate::id::ObjectId, owner: &ForeignOwner) -> Self {
        Self::new(
            stage,
            Reason::Conflict,
            alloc::format!("`{object}` is owned by {owner}"),
        )
    }
}

#[cfg(test)]
mod tests {
    use convoy_value::{Limits, yaml};

    use super::*;
    use crate::render_ref::RenderRef;

    fn check(failure: impl Into<Failure>, stage: Stage, reason: Reason, message: &str) {
        let failure = failure.into();
        assert_eq!((failure.stage, failure.reason), (stage, reason));
        assert!(failure.message.starts_with(message), "{}", failure.message);
    }

    #[test]
    fn each_error_has_its_stage_and_reason() {
        let broken = |text: &str| RenderError::Yaml {
            file: "f".into(),
            source: yaml::helm::parse_documents(
                text,
                &Limits {
                    depth: 1,
                    ..Limits::default()
                },
            )
            .unwrap_err(),
        };
        check(
            broken("a: ]"),
            Stage::Render,
            Reason::RenderFailed,
            "file `f` cannot be read: did not find",
        );
        check(
            broken("[[[]]]"),
            Stage::Render,
            Reason::LimitExceeded,
            "file `f` cannot be read: the nesting passes the limit of 1",
        );
        check(
            RenderError::NoPaths,
            Stage::Render,
            Reason::RenderFailed,
            "`manifests.paths`",
        );
        check(
            RenderTooLarge::Objects { objects: 2, limit: 1 },
            Stage::Render,
            Reason::LimitExceeded,
            "the render has 2 objects",
        );
        check(
            CorruptRender::Truncated,
            Stage::Pin,
            Reason::StoreCorrupt,
            "the stored bytes",
        );
        check(
            PruneGuard {
                prune: 1,
                inventory: 1,
                empty: false,
                render_ref: RenderRef::from_digest([0; 32]),
            },
            Stage::Plan,
            Reason::PruneGuard,
            "1 of the 1 objects of the inventory would be pruned; set",
        );
        check(
            InventoryIncomplete {
                missing: 1,
                expected: 2,
            },
            Stage::Plan,
            Reason::InventoryIncomplete,
            "part 1 of 2",
        );
        check(
            ClusterChanged {
                before: "a".into(),
                now: "b".into(),
            },
            Stage::Cluster,
            Reason::ClusterChanged,
            "the Cluster is `b`, but the inventory was applied to `a`",
        );
    }
}
