//! The labels, annotations and the finalizer of convoy, in one table.
//!
//! # Invariant
//! Every name that convoy writes on an object or reads from one is a constant here and a row of [`ALL`], so that a
//! test can compare the table with the documentation.

/// The prefix of every label and annotation.
pub const PREFIX: &str = "core.convoy.kumodo.io/";

/// On Releases, inventories and Clusters in use: keeps them until their objects are dealt with.
pub const FINALIZER: &str = "core.convoy.kumodo.io/finalizer";

/// Labels.
pub mod label {
    /// On applied objects: uid of the owning Release.
    pub const RELEASE_UID: &str = "core.convoy.kumodo.io/release-uid";
}

/// Annotations.
pub mod annotation {
    /// On applied objects: `namespace/name` of the owning Release.
    pub const RELEASE: &str = "core.convoy.kumodo.io/release";
    /// On applied objects: id of the installation that owns the Release.
    pub const INSTALLATION: &str = "core.convoy.kumodo.io/installation";
    /// On rendered objects: number of the wave.
    pub const SYNC_WAVE: &str = "core.convoy.kumodo.io/sync-wave";
    /// On rendered objects: `waitForHealthy` or `continue`.
    pub const WAVE_GATE: &str = "core.convoy.kumodo.io/wave-gate";
    /// On applied objects: `disabled` keeps the object from being pruned or deleted.
    pub const PRUNE: &str = "core.convoy.kumodo.io/prune";
    /// On Releases: `<renderRef>@<time>` lets one sync of that render through.
    pub const SYNC_REQUESTED: &str = "core.convoy.kumodo.io/sync-requested";
    /// On Releases: `<time>` forgets the bad render once.
    pub const RETRY_REQUESTED: &str = "core.convoy.kumodo.io/retry-requested";
    /// On sources: `<time>` at which a webhook asked for a look at what they give.
    pub const FETCH_REQUESTED: &str = "core.convoy.kumodo.io/fetch-requested";
    /// On Releases: a renderRef that may pass the prune guard.
    pub const ALLOW_PRUNE: &str = "core.convoy.kumodo.io/allow-prune";
    /// On Releases: `"true"` takes over the keys found under the Release's name.
    pub const ADOPT_STORE: &str = "core.convoy.kumodo.io/adopt-store";
    /// On Releases: id of the cluster that is accepted in place of the inventory's.
    pub const ACCEPT_CLUSTER: &str = "core.convoy.kumodo.io/accept-cluster";
    /// On Releases: `"true"` makes deletion leave the target cluster alone.
    pub const SKIP_CLUSTER_CLEANUP: &str = "core.convoy.kumodo.io/skip-cluster-cleanup";
}

/// Value of [`annotation::PRUNE`] that protects an object.
pub const PRUNE_DISABLED: &str = "disabled";
/// Value of [`annotation::WAVE_GATE`] that makes the next wave wait.
pub const GATE_WAIT: &str = "waitForHealthy";
/// Value of [`annotation::WAVE_GATE`] that does not.
pub const GATE_CONTINUE: &str = "continue";

/// What a name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameKind {
    /// A label.
    Label,
    /// An annotation.
    Annotation,
    /// A finalizer.
    Finalizer,
}

/// Where a name is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameOn {
    /// Objects on a target cluster, written at apply.
    AppliedObject,
    /// Objects of a render, part of its hash.
    RenderedObject,
    /// A Release, written by people or the command line.
    Release,
    /// A source, written by the receiver of webhooks.
    Source,
    /// Releases, inventories, and Clusters in use.
    ControlPlane,
}

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name {
    /// The whole name.
    pub name: &'static str,
    /// What it is.
    pub kind: NameKind,
    /// Where it is found.
    pub on: NameOn,
}

const fn row(name: &'static str, kind: NameKind, on: NameOn) -> Name {
    Name { name, kind, on }
}

/// Every name.
pub const ALL: &[Name] = &[
    row(label::RELEASE_UID, NameKind::Label, NameOn::AppliedObject),
    row(annotation::RELEASE, NameKind::Annotation, NameOn::AppliedObject),
    row(annotation::INSTALLATION, NameKind::Annotation, NameOn::AppliedObject),
    row(annotation::SYNC_WAVE, NameKind::Annotation, NameOn::RenderedObject),
    row(annotation::WAVE_GATE, NameKind::Annotation, NameOn::RenderedObject),
    row(annotation::PRUNE, NameKind::Annotation, NameOn::AppliedObject),
    row(annotation::SYNC_REQUESTED, NameKind::Annotation, NameOn::Release),
    row(annotation::RETRY_REQUESTED, NameKind::Annotation, NameOn::Release),
    row(annotation::ALLOW_PRUNE, NameKind::Annotation, NameOn::Release),
    row(annotation::ADOPT_STORE, NameKind::Annotation, NameOn::Release),
    row(annotation::ACCEPT_CLUSTER, NameKind::Annotation, NameOn::Release),
    row(annotation::SKIP_CLUSTER_CLEANUP, NameKind::Annotation, NameOn::Release),
    row(annotation::FETCH_REQUESTED, NameKind::Annotation, NameOn::Source),
    row(FINALIZER, NameKind::Finalizer, NameOn::ControlPlane),
];

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_name_has_the_prefix_and_is_listed_once() {
        let names: BTreeSet<&str> = ALL.iter().map(|row| row.name).collect();
        assert_eq!(names.len(), ALL.len());
        for name in names {
            let rest = name.strip_prefix(PREFIX).unwrap_or_default();
            assert!(!rest.is_empty() && rest.len() <= 63, "{name}");
        }
    }
}
