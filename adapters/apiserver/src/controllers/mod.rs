//! Small controllers: what a controller manager and a kubelet would have written.
//!
//! One task reads the store's log, queues the objects that changed and their owners, and brings each into the state
//! that its specification asks for. It sleeps until the revision moves or a workload's time has come.
//!
//! # Invariant
//! Reconciling an object that is as it should be writes nothing, so the loop comes to rest.

mod autoscaler;
mod context;
mod custom;
mod daemon;
mod deployment;
mod gc;
mod job;
mod namespace;
mod pod;
mod replicas;
mod small;
mod stateful;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use crate::http::Shared;
use crate::ops::Core;
use crate::store::{Change, Event, Key};
use context::Context;

/// On a workload or pod: it fails, for the reason that the annotation's value gives.
pub const FAIL_ANNOTATION: &str = "apiserver.convoy.kumodo.io/fail";

/// On a workload or pod: the time that it takes to become ready, in place of the server's setting: seconds (`3`) or a
/// duration (`1m30s`), a day at most. A value that cannot be read counts as absent, and whoever writes it is warned.
pub const READY_AFTER_ANNOTATION: &str = "apiserver.convoy.kumodo.io/ready-after";

const DEFINITIONS: &str = "customresourcedefinitions.apiextensions.k8s.io";

const AUTOSCALERS: &str = "horizontalpodautoscalers.autoscaling";

/// Objects reconciled while the state is held.
const STEP: usize = 200;

/// Events read in one piece.
const EVENTS: usize = 1_000;

/// What the controllers remember; everything else is in the store.
#[derive(Debug)]
struct Engine {
    position: u64,
    queue: BTreeSet<Key>,
    /// When something was first seen, by its identifier.
    seen: BTreeMap<String, Instant>,
    timers: BTreeSet<(Instant, Key)>,
    ready_after: Duration,
    /// Whether only definitions of custom resources are looked after.
    definitions_only: bool,
}

/// Runs the controllers until the server stops.
pub(crate) async fn run(shared: Arc<Shared>, ready_after: Duration, definitions_only: bool) {
    let mut revisions = shared.core().store.subscribe();
    let mut shutdown = shared.shutdown.subscribe();
    let mut engine = Engine {
        position: 0,
        queue: BTreeSet::new(),
        seen: BTreeMap::new(),
        timers: BTreeSet::new(),
        ready_after,
        definitions_only,
    };
    loop {
        revisions.borrow_and_update();
        let more = engine.step(&mut shared.core(), Instant::now());
        if more {
            tokio::task::yield_now().await;
            continue;
        }
        let due = engine.timers.first().map(|(due, _)| *due);
        let timer = async {
            match due {
                Some(due) => tokio::time::sleep_until(due).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            changed = revisions.changed() => if changed.is_err() { return },
            () = timer => {}
            _ = shutdown.wait_for(|over| *over) => return,
        }
    }
}

impl Engine {
    /// Reconciles what is queued; answers whether there is more to do at once.
    fn step(&mut self, core: &mut Core, now: Instant) -> bool {
        self.read(core);
        while let Some((due, _)) = self.timers.first() {
            if *due > now {
                break;
            }
            if let Some((_, key)) = self.timers.pop_first() {
                self.queue.insert(key);
            }
        }
        for _ in 0..STEP {
            let Some(key) = self.queue.pop_first() else { break };
            if self.definitions_only && &*key.storage != DEFINITIONS {
                continue;
            }
            let mut context = Context::new(core, now, self.ready_after, &mut self.seen);
            context.reconcile(&key);
            if let Some(wake) = context.wake {
                self.timers.insert((wake, key));
            }
            if self.queue.is_empty() {
                self.read(core);
            }
        }
        !self.queue.is_empty()
    }

    fn read(&mut self, core: &Core) {
        loop {
            let Some(events) = core.store.since(self.position, EVENTS) else {
                self.position = core.store.revision();
                for resource in core.registry.all() {
                    self.queue
                        .extend(core.store.list(&resource.storage, "", None).map(|(key, _)| key.clone()));
                }
                return;
            };
            let Some(last) = events.last() else { return };
            self.position = last.revision;
            for event in &events {
                self.enqueue(core, event);
            }
        }
    }

    fn enqueue(&mut self, core: &Core, event: &Event) {
        let value = &event.object.value;
        for owner in value["metadata"]["ownerReferences"].as_array().into_iter().flatten() {
            let uid = owner["uid"].as_str().unwrap_or("");
            self.queue.extend(core.store.by_uid(uid).cloned());
        }
        if event.change == Change::Deleted {
            let uid = value["metadata"]["uid"].as_str().unwrap_or("");
            self.queue.extend(core.store.dependents(uid));
            self.seen.retain(|id, _| !id.starts_with(uid));
            if !event.key.namespace.is_empty() {
                self.queue.insert(namespace_key(&event.key.namespace));
            }
            if &*event.key.storage == DEFINITIONS {
                return;
            }
        } else {
            self.queue.insert(event.key.clone());
        }
        // An autoscaler may be waiting for its target, which may be of any kind that has replicas.
        if value["spec"].get("replicas").is_some() || value["status"].get("replicas").is_some() {
            let storage = AUTOSCALERS.into();
            let scaling = core.store.list(&storage, &event.key.namespace, None);
            self.queue.extend(scaling.map(|(key, _)| key.clone()));
        }
        if &*event.key.storage == "nodes" {
            self.queue.extend(
                core.store
                    .list(&"daemonsets.apps".into(), "", None)
                    .map(|(key, _)| key.clone()),
            );
        }
    }
}

fn namespace_key(name: &str) -> Key {
    Key {
        storage: "namespaces".into(),
        namespace: String::new(),
        name: name.to_owned(),
    }
}

impl Context<'_> {
    fn reconcile(&mut self, key: &Key) {
        let Some(object) = self.get(key) else { return };
        if !gc::keep(self, key, &object) {
            return;
        }
        let deleting = object["metadata"].get("deletionTimestamp").is_some();
        let storage = &*key.storage;
        match storage {
            "namespaces" => namespace::reconcile(self, key, &object),
            DEFINITIONS => custom::reconcile(self, key, &object),
            _ if deleting => {}
            "deployments.apps" => deployment::reconcile(self, key, &object),
            "replicasets.apps" => replicas::reconcile(self, key, &object),
            "statefulsets.apps" => stateful::reconcile(self, key, &object),
            "daemonsets.apps" => daemon::reconcile(self, key, &object),
            AUTOSCALERS => autoscaler::reconcile(self, key, &object),
            "jobs.batch" => job::reconcile(self, key, &object),
            "pods" => pod::reconcile(self, key, &object),
            "persistentvolumeclaims" => small::claim(self, key, &object),
            "services" => small::service(self, key, &object),
            "ingresses.networking.k8s.io" => small::ingress(self, key, &object),
            "poddisruptionbudgets.policy" => small::budget(self, key, &object),
            "apiservices.apiregistration.k8s.io" => small::api_service(self, key, &object),
            _ => {}
        }
    }
}

/// What to warn the writer of an object about: an annotation that steers this server and cannot be read.
pub(crate) fn unread_annotations(object: &Value) -> Vec<String> {
    let places = [
        ("metadata.annotations", &object["metadata"]),
        (
            "spec.template.metadata.annotations",
            &object["spec"]["template"]["metadata"],
        ),
    ];
    let faults = places.into_iter().filter_map(|(place, metadata)| {
        let value = metadata["annotations"].get(READY_AFTER_ANNOTATION)?.as_str()?;
        let error = crate::wait::parse(value).err()?;
        let value: String = value.chars().take(64).collect();
        Some(format!(
            "{place}[{READY_AFTER_ANNOTATION}]: {value:?} is not used: {error}"
        ))
    });
    faults.collect()
}

/// The message of the annotation that makes a workload fail.
fn failure(object: &Value) -> Option<String> {
    let annotation = |metadata: &Value| metadata["annotations"][FAIL_ANNOTATION].as_str().map(str::to_owned);
    annotation(&object["metadata"]).or_else(|| annotation(&object["spec"]["template"]["metadata"]))
}
