//! A target cluster in memory: server-side apply with field managers, dry runs, uids and resource versions, deletion
//! with preconditions, and workloads whose status comes by itself or from the test.

mod apply;
mod connector;
mod fields;
mod kinds;
mod readiness;
mod validation;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use convoy_domain::cluster::{ClusterApi, ClusterFacts};
use convoy_domain::id::{Gvk, ObjectId};
use convoy_domain::names::{annotation, label};
use convoy_domain::object::{Object, Scope};
use convoy_ports::{ApplyRequest, Clock, Cluster, ClusterError, DeleteRequest, Deleted, Kind};
use convoy_value::{Map, Value};

pub use connector::FakeConnector;

use crate::refusals::{Refusals, Times};
use crate::sync::{interleave, lock};
use fields::Managers;

const CALLS: &[&str] = &[
    "facts",
    "api",
    "kind",
    "get",
    "apply",
    "delete",
    "take_over",
    "release_ownership",
];

/// When the status of a workload says that it is ready.
#[derive(Clone, Debug)]
pub enum Readiness {
    /// Only when the test says so.
    ByTest,
    /// At the n-th read after its last change; 0 is at once.
    AfterReads(u32),
    /// When this much time of the clock has passed since its last change.
    AfterTime(Duration, Arc<dyn Clock>),
}

/// A cluster.
#[derive(Debug)]
pub struct FakeCluster(Mutex<State>);

#[derive(Debug)]
struct State {
    serial: u64,
    facts: ClusterFacts,
    kinds: BTreeMap<(String, String), Kind>,
    objects: BTreeMap<ObjectId, Stored>,
    readiness: Readiness,
    writes: Vec<String>,
    refusals: Refusals<ClusterError>,
}

#[derive(Clone, Debug)]
struct Stored {
    object: Object,
    managers: Managers,
    readiness: readiness::Progress,
}

impl Default for FakeCluster {
    fn default() -> Self {
        let mut state = State {
            serial: 0,
            facts: ClusterFacts {
                version: "v1.36.3".to_owned(),
                nodes: Some(1),
                cluster_id: "cluster-uid".to_owned(),
            },
            kinds: kinds::served(),
            objects: BTreeMap::new(),
            readiness: Readiness::AfterReads(0),
            writes: Vec::new(),
            refusals: Refusals::of(CALLS),
        };
        for namespace in ["default", "kube-system"] {
            state.make_namespace(namespace);
        }
        Self(Mutex::new(state))
    }
}

/// What others do to the cluster, and what they see.
impl FakeCluster {
    /// A cluster with the namespaces `default` and `kube-system` whose workloads are ready at once.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// From when on workloads are ready.
    #[must_use]
    pub fn with_readiness(self, readiness: Readiness) -> Self {
        self.set_readiness(readiness);
        self
    }

    /// Changes from when on workloads are ready.
    pub fn set_readiness(&self, readiness: Readiness) {
        lock(&self.0).readiness = readiness;
    }

    /// What the cluster says of itself from now on.
    pub fn set_facts(&self, facts: ClusterFacts) {
        lock(&self.0).facts = facts;
    }

    /// Serves a further kind.
    pub fn serve(&self, gvk: &Gvk, plural: &str, scope: Scope) {
        let kind = kinds::kind(&gvk.group, &gvk.version, &gvk.kind, plural, scope);
        lock(&self.0).kinds.insert((gvk.group.clone(), gvk.kind.clone()), kind);
    }

    /// Serves a kind no longer; its objects are gone with it.
    pub fn stop_serving(&self, group: &str, kind: &str) {
        let mut state = lock(&self.0);
        state.kinds.remove(&(group.to_owned(), kind.to_owned()));
        state
            .objects
            .retain(|id, _| (id.group.as_str(), id.kind.as_str()) != (group, kind));
    }

    /// Makes a namespace.
    pub fn make_namespace(&self, name: &str) {
        lock(&self.0).make_namespace(name);
    }

    /// A live object, without the passing of time that a read is.
    #[must_use]
    pub fn object(&self, id: &ObjectId) -> Option<Object> {
        lock(&self.0).objects.get(id).map(|stored| stored.object.clone())
    }

    /// Ids of all objects but the two first namespaces.
    #[must_use]
    pub fn ids(&self) -> Vec<ObjectId> {
        let state = lock(&self.0);
        let first = |id: &ObjectId| id.kind == "Namespace" && matches!(id.name.as_str(), "default" | "kube-system");
        state.objects.keys().filter(|id| !first(id)).cloned().collect()
    }

    /// Changes an object as another manager does, by update: the manager owns what it changed.
    ///
    /// # Panics
    /// When there is no such object.
    pub fn edit(&self, id: &ObjectId, manager: &str, edit: impl FnOnce(&mut Object)) {
        let mut state = lock(&self.0);
        let mut stored = state.objects.get(id).expect("an object to edit").clone();
        edit(&mut stored.object);
        state.update(id, stored, manager);
    }

    /// Writes an object as another manager does, or applies it on the client's side (manager `kubectl-client-side-apply`).
    pub fn put(&self, object: &Object, manager: &str) {
        let mut state = lock(&self.0);
        state.put(object, manager);
    }

    /// Writes `status`; the object says that it has observed its generation unless `status` says otherwise.
    ///
    /// # Panics
    /// When there is no such object.
    pub fn set_status(&self, id: &ObjectId, status: impl Into<Value>) {
        lock(&self.0).set_status(id, status.into());
    }

    /// Makes a workload's status say that it is ready now.
    ///
    /// # Panics
    /// When there is no such object.
    pub fn make_ready(&self, id: &ObjectId) {
        lock(&self.0).make_ready(id);
    }

    /// Removes an object as another would, finalizers or not.
    pub fn remove(&self, id: &ObjectId) {
        lock(&self.0).objects.remove(id);
    }

    /// Writes so far, oldest first: `apply ConfigMap default/a`, `delete …`, …; dry runs are none.
    #[must_use]
    pub fn writes(&self) -> Vec<String> {
        lock(&self.0).writes.clone()
    }

    /// The managers of a field, by its path joined with `/`.
    #[must_use]
    pub fn managers_of(&self, id: &ObjectId, path: &str) -> Vec<String> {
        let state = lock(&self.0);
        let stored = state.objects.get(id);
        stored.map(|stored| stored.managers.owners_of(path)).unwrap_or_default()
    }

    /// Answers `error` to `call` (a method of the port; empty for all) when the object's identity (`ConfigMap
    /// default/a`) contains `operand`. Dry runs are `apply` too.
    pub fn refuse(&self, call: &str, operand: &str, error: ClusterError, times: Times) {
        lock(&self.0).refusals.add(call, operand, error, times);
    }

    /// Lifts every refusal.
    pub fn lift_refusals(&self) {
        lock(&self.0).refusals.lift();
    }

    async fn call<T>(
        &self,
        call: &str,
        operand: &str,
        act: impl FnOnce(&mut State) -> Result<T, ClusterError>,
    ) -> Result<T, ClusterError> {
        interleave().await;
        let mut state = lock(&self.0);
        state.refusals.check(call, operand)?;
        act(&mut state)
    }
}

impl State {
    fn kind(&self, gvk: &Gvk) -> Result<Kind, ClusterError> {
        let kind = self.kinds.get(&(gvk.group.clone(), gvk.kind.clone()));
        kind.filter(|kind| kind.gvk.version == gvk.version)
            .cloned()
            .ok_or_else(|| ClusterError::UnknownKind { kind: gvk.to_string() })
    }

    fn next(&mut self) -> String {
        self.serial += 1;
        self.serial.to_string()
    }

    fn make_namespace(&mut self, name: &str) {
        let metadata: Map = [("name", name)].into_iter().collect();
        let object: Map = [
            ("apiVersion", Value::from("v1")),
            ("kind", Value::from("Namespace")),
            ("metadata", Value::from(metadata)),
        ]
        .into_iter()
        .collect();
        if let Ok(object) = Object::new(Value::from(object)) {
            self.put(&object, "kube-apiserver");
        }
    }

    fn delete(&mut self, request: &DeleteRequest) -> Result<Deleted, ClusterError> {
        let Some(stored) = self
            .objects
            .get_mut(&request.id)
            .filter(|found| found.object.uid() == request.uid)
        else {
            return Ok(Deleted::Absent);
        };
        if !request.resource_version.is_empty() && request.resource_version != stored.object.resource_version() {
            return Err(ClusterError::Stale {
                object: request.id.to_string(),
            });
        }
        let finalizers = stored.object.at(&["metadata", "finalizers"]).and_then(Value::as_array);
        let held = finalizers.is_some_and(|finalizers| !finalizers.is_empty());
        if held {
            fields::set(
                &mut stored.object,
                &["metadata", "deletionTimestamp"],
                "2026-01-01T00:00:00Z",
            );
            self.touch(&request.id);
        } else {
            self.objects.remove(&request.id);
        }
        self.writes.push(format!("delete {}", request.id));
        Ok(Deleted::Requested)
    }

    /// The copy that `live` is must be the present one; `None` when the object is gone.
    fn current(&mut self, live: &Object) -> Result<Option<ObjectId>, ClusterError> {
        let id = live.id(self.kind(&live.gvk())?.scope);
        match self.objects.get(&id).filter(|found| found.object.uid() == live.uid()) {
            None => Ok(None),
            Some(found) if found.object.resource_version() != live.resource_version() => {
                Err(ClusterError::Stale { object: id.to_string() })
            }
            Some(_) => Ok(Some(id)),
        }
    }

    fn touch(&mut self, id: &ObjectId) {
        let version = self.next();
        if let Some(stored) = self.objects.get_mut(id) {
            fields::set(&mut stored.object, &["metadata", "resourceVersion"], version.as_str());
        }
    }
}

#[async_trait]
impl Cluster for FakeCluster {
    async fn facts(&self) -> Result<ClusterFacts, ClusterError> {
        self.call("facts", "", |state| Ok(state.facts.clone())).await
    }

    async fn api(&self) -> Result<ClusterApi, ClusterError> {
        self.call("api", "", |state| {
            let named = |kind: &Kind| {
                [
                    kind.gvk.api_version(),
                    format!("{}/{}", kind.gvk.api_version(), kind.gvk.kind),
                ]
            };
            Ok(ClusterApi {
                version: state.facts.version.clone(),
                api_versions: state.kinds.values().flat_map(named).collect(),
            })
        })
        .await
    }

    async fn kind(&self, gvk: &Gvk) -> Result<Kind, ClusterError> {
        self.call("kind", &gvk.to_string(), |state| state.kind(gvk)).await
    }

    async fn get(&self, id: &ObjectId, _version: &str) -> Result<Option<Object>, ClusterError> {
        self.call("get", &id.to_string(), |state| {
            state.pass_read(id);
            Ok(state.objects.get(id).map(|stored| stored.object.clone()))
        })
        .await
    }

    async fn apply(&self, request: ApplyRequest<'_>) -> Result<Object, ClusterError> {
        let object = request.object;
        let told = [object.namespace(), object.name()].join("/");
        let operand = format!("{} {}", object.kind(), told.trim_start_matches('/'));
        self.call("apply", &operand, |state| state.apply(&request)).await
    }

    async fn delete(&self, request: &DeleteRequest) -> Result<Deleted, ClusterError> {
        self.call("delete", &request.id.to_string(), |state| state.delete(request))
            .await
    }

    async fn take_over(&self, live: &Object, manager: &str) -> Result<Object, ClusterError> {
        self.call("take_over", &live.id(Scope::Namespaced).to_string(), |state| {
            let Some(id) = state.current(live)? else {
                return Err(ClusterError::Stale {
                    object: live.name().to_owned(),
                });
            };
            let changed = state
                .objects
                .get_mut(&id)
                .is_some_and(|stored| stored.managers.take_over(manager));
            if changed {
                state.touch(&id);
                state.writes.push(format!("take_over {id}"));
            }
            Ok(state.objects[&id].object.clone())
        })
        .await
    }

    async fn release_ownership(&self, live: &Object, manager: &str) -> Result<(), ClusterError> {
        self.call("release_ownership", &live.id(Scope::Namespaced).to_string(), |state| {
            let Some(id) = state.current(live)? else {
                return Ok(());
            };
            if let Some(stored) = state.objects.get_mut(&id) {
                stored.managers.forget(manager);
                fields::remove(&mut stored.object, &["metadata", "labels", label::RELEASE_UID]);
                fields::remove(&mut stored.object, &["metadata", "annotations", annotation::RELEASE]);
                fields::remove(
                    &mut stored.object,
                    &["metadata", "annotations", annotation::INSTALLATION],
                );
            }
            state.touch(&id);
            state.writes.push(format!("release_ownership {id}"));
            Ok(())
        })
        .await
    }
}
