//! Objects of the control plane with settings that fit most tests, to change one field of.

use std::collections::BTreeMap;
use std::time::Duration;

use convoy_domain::Timestamp;
use convoy_domain::access::Access;
use convoy_domain::cluster::{ClusterRecord, Connection};
use convoy_domain::credentials::SecretRefs;
use convoy_domain::id::NamespacedName;
use convoy_domain::release::{
    Content, DeletionPolicy, Manifests, PrunePolicy, Release, ReleaseAnnotations, ReleaseSpec, RollbackPolicy,
    SyncPolicy,
};
use convoy_domain::source::{GitRef, Source, SourceKey, SourceKind, SourceRef, Tls};
use convoy_domain::status::ReleaseStatus;

/// Checks a name.
///
/// # Panics
/// When a part is no DNS name.
#[must_use]
pub fn named(namespace: &str, name: &str) -> NamespacedName {
    NamespacedName::new(namespace, name).expect("a DNS name")
}

/// A Release: Cluster `here`, git repository `repo` at branch `main`, manifests `.`, automatic sync every minute.
///
/// # Panics
/// When a part is no DNS name.
#[must_use]
pub fn release(namespace: &str, name: &str) -> Release {
    Release {
        id: named(namespace, name),
        uid: String::new(),
        generation: 1,
        resource_version: String::new(),
        created: Timestamp::from_second(1_800_000_000).expect("a time"),
        deleted: None,
        has_finalizer: false,
        annotations: ReleaseAnnotations::default(),
        pin: None,
        mutations: Vec::new(),
        spec: spec(namespace),
        status: ReleaseStatus::default(),
    }
}

fn spec(namespace: &str) -> ReleaseSpec {
    ReleaseSpec {
        suspend: false,
        cluster: "here".to_owned(),
        source: SourceKey {
            kind: SourceKind::Git,
            id: named(namespace, "repo"),
        },
        source_ref: SourceRef::Git(GitRef::Branch("main".to_owned())),
        content: Content::Manifests(Manifests {
            paths: vec![".".to_owned()],
            target_namespace: None,
        }),
        sync: SyncPolicy {
            automatic: true,
            interval: Duration::from_mins(1),
            timeout: Duration::from_mins(5),
            prune: PrunePolicy::default(),
            correct_drift: false,
            retry: None,
            force: false,
        },
        health_deadline: Duration::from_mins(5),
        rollback: RollbackPolicy::default(),
        keep_history: None,
        deletion: DeletionPolicy::default(),
        depends_on: Vec::new(),
        service_account: None,
        unsupported: Vec::new(),
        ignored: Vec::new(),
    }
}

/// A git repository.
///
/// # Panics
/// When a part is no DNS name.
#[must_use]
pub fn git_repository(namespace: &str, name: &str, url: &str) -> Source {
    Source {
        key: SourceKey {
            kind: SourceKind::Git,
            id: named(namespace, name),
        },
        uid: format!("source-uid-{name}"),
        generation: 1,
        resource_version: String::new(),
        url: url.to_owned(),
        interval: Duration::from_mins(5),
        min_sync_interval: Duration::ZERO,
        timeout: Duration::from_mins(1),
        tls: Tls::default(),
        secrets: SecretRefs::default(),
        access: Access::default(),
        fetch_requested: None,
        unsupported: Vec::new(),
        ignored: Vec::new(),
        status: None,
    }
}

/// A Cluster that is convoy's own.
///
/// # Panics
/// When a part is no DNS name.
#[must_use]
pub fn cluster(namespace: &str, name: &str) -> ClusterRecord {
    ClusterRecord {
        id: named(namespace, name),
        uid: format!("cluster-object-uid-{name}"),
        generation: 1,
        resource_version: String::new(),
        labels: BTreeMap::new(),
        annotations: BTreeMap::new(),
        connection: Connection::InCluster,
        unsupported: Vec::new(),
    }
}
