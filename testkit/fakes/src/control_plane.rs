//! A control plane in memory: resource versions, stale writes, finalizers and deletion as an API server has them.

use std::collections::BTreeMap;
use std::sync::Mutex;

use async_trait::async_trait;
use convoy_domain::Timestamp;
use convoy_domain::cluster::{ClusterFacts, ClusterRecord};
use convoy_domain::condition::Condition;
use convoy_domain::id::{NamespacedName, ReleaseId};
use convoy_domain::inventory::InventoryPart;
use convoy_domain::release::Release;
use convoy_domain::secret::Secret;
use convoy_domain::source::{Source, SourceKey, SourceKind, SourceStatus};
use convoy_domain::status::ReleaseStatus;
use convoy_ports::{ControlPlane, ControlPlaneError, Event};

use crate::refusals::{Refusals, Times};
use crate::sync::{interleave, lock};

const CALLS: &[&str] = &[
    "release",
    "releases",
    "source",
    "sources",
    "request_fetch",
    "cluster",
    "secret",
    "config_map",
    "create_secret",
    "any_applied",
    "add_finalizer",
    "remove_finalizer",
    "write_status",
    "write_source_status",
    "write_cluster_status",
    "inventory",
    "write_inventory",
    "delete_inventory",
    "record_event",
];

type Entries = BTreeMap<String, Secret<Vec<u8>>>;

/// Releases, sources, Clusters, Secrets, inventories and events.
#[derive(Debug)]
pub struct FakeControlPlane(Mutex<State>);

/// What was last written to a Cluster's status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenClusterStatus {
    /// The Ready condition.
    pub ready: Condition,
    /// Facts, kept from an earlier write when a later one has none.
    pub facts: Option<ClusterFacts>,
}

#[derive(Debug)]
struct State {
    version: u64,
    releases: BTreeMap<ReleaseId, Release>,
    sources: BTreeMap<SourceKey, Source>,
    clusters: BTreeMap<NamespacedName, ClusterRecord>,
    cluster_statuses: BTreeMap<NamespacedName, WrittenClusterStatus>,
    secrets: BTreeMap<NamespacedName, Entries>,
    config_maps: BTreeMap<NamespacedName, BTreeMap<String, Vec<u8>>>,
    inventories: BTreeMap<(ReleaseId, u32), InventoryPart>,
    events: Vec<(ReleaseId, Event, u32)>,
    refusals: Refusals<ControlPlaneError>,
}

impl State {
    fn next(&mut self) -> String {
        self.version += 1;
        self.version.to_string()
    }

    /// The Release that `read` is a copy of.
    fn current(&mut self, read: &Release) -> Result<&mut Release, ControlPlaneError> {
        let object = format!("Release {}", read.id);
        let found = self.releases.get_mut(&read.id);
        match found.filter(|found| found.uid == read.uid) {
            None => Err(ControlPlaneError::NotFound { object }),
            Some(found) if found.resource_version != read.resource_version => Err(ControlPlaneError::Stale { object }),
            Some(found) => Ok(found),
        }
    }

    /// Changes the Release that `read` is a copy of; a change that changes nothing gives no new version.
    fn change(&mut self, read: &Release, change: impl FnOnce(&mut Release)) -> Result<String, ControlPlaneError> {
        let found = self.current(read)?;
        let before = found.clone();
        change(found);
        if *found != before {
            let version = self.next();
            self.current(read)?.resource_version = version;
        }
        Ok(self.releases[&read.id].resource_version.clone())
    }
}

impl Default for FakeControlPlane {
    fn default() -> Self {
        Self(Mutex::new(State {
            version: 0,
            releases: BTreeMap::new(),
            sources: BTreeMap::new(),
            clusters: BTreeMap::new(),
            cluster_statuses: BTreeMap::new(),
            secrets: BTreeMap::new(),
            config_maps: BTreeMap::new(),
            inventories: BTreeMap::new(),
            events: Vec::new(),
            refusals: Refusals::of(CALLS),
        }))
    }
}

/// What people do.
impl FakeControlPlane {
    /// A control plane without objects.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a Release, as `kubectl create` does: uid, generation and resource version are given here, and there is
    /// no status. Returns it.
    pub fn create_release(&self, release: &Release) -> Release {
        let mut state = lock(&self.0);
        let version = state.next();
        let created = Release {
            uid: format!("release-uid-{version}"),
            generation: 1,
            resource_version: version,
            deleted: None,
            has_finalizer: false,
            status: ReleaseStatus::default(),
            ..release.clone()
        };
        state.releases.insert(created.id.clone(), created.clone());
        created
    }

    /// Edits a Release, as `kubectl edit` does: the generation rises when spec, pin or mutations change.
    ///
    /// # Panics
    /// When there is no such Release.
    pub fn edit_release(&self, id: &ReleaseId, edit: impl FnOnce(&mut Release)) -> Release {
        let mut state = lock(&self.0);
        let version = state.next();
        let release = state.releases.get_mut(id).expect("a Release to edit");
        let before = release.clone();
        edit(release);
        let wanted = |release: &Release| (release.spec.clone(), release.pin.clone(), release.mutations.clone());
        if wanted(release) != wanted(&before) {
            release.generation += 1;
        }
        release.resource_version = version;
        release.clone()
    }

    /// Deletes a Release, as `kubectl delete` does: it stays, marked, while it has our finalizer.
    pub fn delete_release(&self, id: &ReleaseId, now: Timestamp) {
        let mut state = lock(&self.0);
        let version = state.next();
        let Some(release) = state.releases.get_mut(id) else {
            return;
        };
        if release.has_finalizer {
            release.deleted.get_or_insert(now);
            release.resource_version = version;
        } else {
            state.releases.remove(id);
        }
    }

    /// Creates or replaces a source; its status stays unless `source` has one.
    pub fn put_source(&self, source: &Source) {
        let mut state = lock(&self.0);
        let version = state.next();
        let before = state.sources.get(&source.key);
        let status = source
            .status
            .clone()
            .or_else(|| before.and_then(|before| before.status.clone()));
        let source = Source {
            resource_version: version,
            status,
            ..source.clone()
        };
        state.sources.insert(source.key.clone(), source);
    }

    /// Deletes a source.
    pub fn delete_source(&self, key: &SourceKey) {
        lock(&self.0).sources.remove(key);
    }

    /// Creates or replaces a Cluster.
    pub fn put_cluster(&self, cluster: &ClusterRecord) {
        let mut state = lock(&self.0);
        let version = state.next();
        let cluster = ClusterRecord {
            resource_version: version,
            ..cluster.clone()
        };
        state.clusters.insert(cluster.id.clone(), cluster);
    }

    /// Deletes a Cluster.
    pub fn delete_cluster(&self, id: &NamespacedName) {
        lock(&self.0).clusters.remove(id);
    }

    /// Creates or replaces a Secret.
    pub fn put_secret(&self, id: &NamespacedName, entries: impl IntoIterator<Item = (String, Vec<u8>)>) {
        let entries = entries.into_iter().map(|(key, value)| (key, Secret::new(value)));
        lock(&self.0).secrets.insert(id.clone(), entries.collect());
    }

    /// Creates or replaces a `ConfigMap`.
    pub fn put_config_map(&self, id: &NamespacedName, entries: impl IntoIterator<Item = (String, Vec<u8>)>) {
        lock(&self.0)
            .config_maps
            .insert(id.clone(), entries.into_iter().collect());
    }

    /// Deletes a `ConfigMap`.
    pub fn delete_config_map(&self, id: &NamespacedName) {
        lock(&self.0).config_maps.remove(id);
    }

    /// Deletes a Secret.
    pub fn delete_secret(&self, id: &NamespacedName) {
        lock(&self.0).secrets.remove(id);
    }

    /// Deletes a part of an inventory behind the back of the code under test.
    pub fn lose_inventory(&self, release: &ReleaseId, part: u32) {
        lock(&self.0).inventories.remove(&(release.clone(), part));
    }

    /// Answers `error` to `call` (a method of the port; empty for all) when the object's kind and name contain
    /// `operand`.
    pub fn refuse(&self, call: &str, operand: &str, error: ControlPlaneError, times: Times) {
        lock(&self.0).refusals.add(call, operand, error, times);
    }

    /// Lifts every refusal.
    pub fn lift_refusals(&self) {
        lock(&self.0).refusals.lift();
    }
}

/// What people see.
impl FakeControlPlane {
    /// A Release as it is stored.
    #[must_use]
    pub fn stored_release(&self, id: &ReleaseId) -> Option<Release> {
        lock(&self.0).releases.get(id).cloned()
    }

    /// The status of a Release, empty when there is none.
    #[must_use]
    pub fn status(&self, id: &ReleaseId) -> ReleaseStatus {
        self.stored_release(id)
            .map(|release| release.status)
            .unwrap_or_default()
    }

    /// The entries of a Secret.
    #[must_use]
    pub fn stored_secret(&self, id: &NamespacedName) -> Option<BTreeMap<String, Secret<Vec<u8>>>> {
        lock(&self.0).secrets.get(id).cloned()
    }

    /// The status of a source.
    #[must_use]
    pub fn source_status(&self, key: &SourceKey) -> Option<SourceStatus> {
        lock(&self.0).sources.get(key)?.status.clone()
    }

    /// When a source was last asked to be looked at.
    #[must_use]
    pub fn fetch_requested(&self, key: &SourceKey) -> Option<Timestamp> {
        lock(&self.0).sources.get(key)?.fetch_requested
    }

    /// The status of a Cluster.
    #[must_use]
    pub fn cluster_status(&self, id: &NamespacedName) -> Option<WrittenClusterStatus> {
        lock(&self.0).cluster_statuses.get(id).cloned()
    }

    /// The parts of an inventory, by part.
    #[must_use]
    pub fn stored_inventory(&self, release: &ReleaseId) -> Vec<InventoryPart> {
        let state = lock(&self.0);
        let of_release = state.inventories.iter().filter(|((id, _), _)| id == release);
        of_release.map(|(_, part)| part.clone()).collect()
    }

    /// Events about a Release in the order of their first record, and how often each was recorded.
    #[must_use]
    pub fn events(&self, release: &ReleaseId) -> Vec<(Event, u32)> {
        let state = lock(&self.0);
        let about = state.events.iter().filter(|(id, _, _)| id == release);
        about.map(|(_, event, count)| (event.clone(), *count)).collect()
    }

    async fn call<T>(
        &self,
        call: &str,
        operand: &str,
        act: impl FnOnce(&mut State) -> Result<T, ControlPlaneError>,
    ) -> Result<T, ControlPlaneError> {
        interleave().await;
        let mut state = lock(&self.0);
        state.refusals.check(call, operand)?;
        act(&mut state)
    }
}

fn described(part: &InventoryPart) -> String {
    format!("ReleaseInventory {}-{}", part.release, part.part)
}

/// At most 1,024 bytes of a message.
fn cut(message: &str) -> &str {
    let mut end = message.len().min(1_024);
    while !message.is_char_boundary(end) {
        end -= 1;
    }
    &message[..end]
}

#[async_trait]
impl ControlPlane for FakeControlPlane {
    async fn release(&self, id: &ReleaseId) -> Result<Option<Release>, ControlPlaneError> {
        self.call("release", &format!("Release {id}"), |state| {
            Ok(state.releases.get(id).cloned())
        })
        .await
    }

    async fn releases(&self) -> Result<Vec<ReleaseId>, ControlPlaneError> {
        self.call("releases", "Releases", |state| {
            Ok(state.releases.keys().cloned().collect())
        })
        .await
    }

    async fn source(&self, key: &SourceKey) -> Result<Option<Source>, ControlPlaneError> {
        self.call("source", &key.to_string(), |state| Ok(state.sources.get(key).cloned()))
            .await
    }

    async fn sources(&self, kind: SourceKind, namespace: &str) -> Result<Vec<Source>, ControlPlaneError> {
        self.call("sources", &format!("{} {namespace}", kind.kind()), |state| {
            let of_kind = state
                .sources
                .values()
                .filter(|source| source.key.kind == kind && source.key.id.namespace() == namespace);
            Ok(of_kind.cloned().collect())
        })
        .await
    }

    async fn cluster(&self, id: &NamespacedName) -> Result<Option<ClusterRecord>, ControlPlaneError> {
        self.call("cluster", &format!("Cluster {id}"), |state| {
            Ok(state.clusters.get(id).cloned())
        })
        .await
    }

    async fn request_fetch(&self, source: &Source, at: Timestamp) -> Result<(), ControlPlaneError> {
        self.call("request_fetch", &source.key.to_string(), |state| {
            let version = state.next();
            let found = state.sources.get_mut(&source.key);
            if let Some(found) = found.filter(|found| found.uid == source.uid) {
                found.fetch_requested = Some(at);
                found.resource_version = version;
            }
            Ok(())
        })
        .await
    }

    async fn secret(&self, id: &NamespacedName) -> Result<Option<Entries>, ControlPlaneError> {
        self.call("secret", &format!("Secret {id}"), |state| {
            Ok(state.secrets.get(id).cloned())
        })
        .await
    }

    async fn config_map(&self, id: &NamespacedName) -> Result<Option<BTreeMap<String, Vec<u8>>>, ControlPlaneError> {
        self.call("config_map", &format!("ConfigMap {id}"), |state| {
            Ok(state.config_maps.get(id).cloned())
        })
        .await
    }

    async fn create_secret(&self, id: &NamespacedName, entries: &Entries) -> Result<bool, ControlPlaneError> {
        self.call("create_secret", &format!("Secret {id}"), |state| {
            let absent = !state.secrets.contains_key(id);
            if absent {
                state.secrets.insert(id.clone(), entries.clone());
            }
            Ok(absent)
        })
        .await
    }

    async fn any_applied(&self) -> Result<bool, ControlPlaneError> {
        self.call("any_applied", "Releases", |state| {
            let mut all = state.releases.values();
            Ok(all.any(|release| release.status.last_successful.is_some()))
        })
        .await
    }

    async fn add_finalizer(&self, release: &Release) -> Result<String, ControlPlaneError> {
        self.call("add_finalizer", &format!("Release {}", release.id), |state| {
            let found = state.current(release)?;
            if found.deleted.is_some() && !found.has_finalizer {
                return Err(ControlPlaneError::Invalid {
                    object: format!("Release {}", release.id),
                    why: "no finalizer can be added while it is being deleted".to_owned(),
                });
            }
            state.change(release, |found| found.has_finalizer = true)
        })
        .await
    }

    async fn remove_finalizer(&self, release: &Release) -> Result<(), ControlPlaneError> {
        self.call("remove_finalizer", &format!("Release {}", release.id), |state| {
            match state.change(release, |found| found.has_finalizer = false) {
                Err(ControlPlaneError::NotFound { .. }) => return Ok(()),
                other => other?,
            };
            if state.releases[&release.id].deleted.is_some() {
                state.releases.remove(&release.id);
            }
            Ok(())
        })
        .await
    }

    async fn write_status(&self, release: &Release, status: &ReleaseStatus) -> Result<String, ControlPlaneError> {
        self.call("write_status", &format!("Release {}", release.id), |state| {
            state.change(release, |found| found.status = status.clone())
        })
        .await
    }

    async fn write_source_status(&self, source: &Source, status: &SourceStatus) -> Result<(), ControlPlaneError> {
        self.call("write_source_status", &source.key.to_string(), |state| {
            let version = state.next();
            let found = state.sources.get_mut(&source.key);
            if let Some(found) = found.filter(|found| found.uid == source.uid && found.status.as_ref() != Some(status))
            {
                found.status = Some(status.clone());
                found.resource_version = version;
            }
            Ok(())
        })
        .await
    }

    async fn write_cluster_status(
        &self,
        cluster: &ClusterRecord,
        ready: &Condition,
        facts: Option<&ClusterFacts>,
    ) -> Result<(), ControlPlaneError> {
        self.call("write_cluster_status", &format!("Cluster {}", cluster.id), |state| {
            if state
                .clusters
                .get(&cluster.id)
                .is_none_or(|found| found.uid != cluster.uid)
            {
                return Ok(());
            }
            let before = state
                .cluster_statuses
                .get(&cluster.id)
                .and_then(|before| before.facts.clone());
            let written = WrittenClusterStatus {
                ready: ready.clone(),
                facts: facts.cloned().or(before),
            };
            state.cluster_statuses.insert(cluster.id.clone(), written);
            Ok(())
        })
        .await
    }

    async fn inventory(&self, release: &ReleaseId) -> Result<Vec<InventoryPart>, ControlPlaneError> {
        self.call("inventory", &format!("ReleaseInventory {release}"), |state| {
            let of_release = state.inventories.iter().filter(|((id, _), _)| id == release);
            Ok(of_release.map(|(_, part)| part.clone()).collect())
        })
        .await
    }

    async fn write_inventory(&self, part: &InventoryPart) -> Result<String, ControlPlaneError> {
        let object = described(part);
        self.call("write_inventory", &object, |state| {
            let key = (part.release.clone(), part.part);
            let found = state.inventories.get(&key).map(|found| found.resource_version.as_str());
            match (found, part.resource_version.as_str()) {
                (None, "") => {}
                (None, _) => {
                    return Err(ControlPlaneError::NotFound { object: object.clone() });
                }
                (Some(found), read) if found == read => {}
                (Some(_), _) => {
                    return Err(ControlPlaneError::Stale { object: object.clone() });
                }
            }
            let version = state.next();
            let written = InventoryPart {
                resource_version: version.clone(),
                ..part.clone()
            };
            state.inventories.insert(key, written);
            Ok(version)
        })
        .await
    }

    async fn delete_inventory(&self, part: &InventoryPart) -> Result<(), ControlPlaneError> {
        self.call("delete_inventory", &described(part), |state| {
            let key = (part.release.clone(), part.part);
            if state
                .inventories
                .get(&key)
                .is_some_and(|found| found.release_uid == part.release_uid)
            {
                state.inventories.remove(&key);
            }
            Ok(())
        })
        .await
    }

    async fn record_event(&self, release: &Release, event: &Event) -> Result<(), ControlPlaneError> {
        self.call("record_event", &format!("Release {}", release.id), |state| {
            let event = Event {
                message: cut(&event.message).to_owned(),
                ..event.clone()
            };
            let same = state
                .events
                .iter_mut()
                .find(|(id, recorded, _)| *id == release.id && *recorded == event);
            match same {
                Some((_, _, count)) => *count += 1,
                None => state.events.push((release.id.clone(), event, 1)),
            }
            Ok(())
        })
        .await
    }
}
