//! How a live object is.
//!
//! For the kinds of Kubernetes the rules are those of kstatus, and Argo CD's where kstatus says less than a gate needs
//! (a Job is healthy when it has completed, a load balancer when it has an address); for any other kind the
//! conditions Stalled, Reconciling, Ready and Available speak.
//!
//! # Invariant
//! What a controller said of an older generation never counts: such an object is Progressing. Degraded is said only of
//! what will not become better by waiting, so that a sync may stop at once.

mod batch;
mod cluster_kinds;
mod network;
mod pod;
mod storage;
mod workload;

use alloc::format;
use alloc::string::{String, ToString};

use convoy_value::Value;

use crate::condition::names;
use crate::object::Object;

names! {
    /// How an object is.
    HealthState {
        /// It does what it should.
        Healthy = "Healthy",
        /// It may become healthy.
        Progressing = "Progressing",
        /// It has failed and waiting is of no use.
        Degraded = "Degraded",
        /// It is stopped on purpose.
        Suspended = "Suspended",
        /// It is not on the cluster.
        Missing = "Missing",
        /// It cannot be told.
        Unknown = "Unknown",
    }
}

impl HealthState {
    /// From best to worst, 0 to 5.
    const fn badness(self) -> u8 {
        match self {
            Self::Healthy => 0,
            Self::Suspended => 1,
            Self::Progressing => 2,
            Self::Unknown => 3,
            Self::Missing => 4,
            Self::Degraded => 5,
        }
    }

    /// Whether there is nothing to wait for: it is healthy, or stopped by the very spec that was applied.
    #[must_use]
    pub const fn is_settled(self) -> bool {
        match self {
            Self::Healthy | Self::Suspended => true,
            Self::Progressing | Self::Degraded | Self::Missing | Self::Unknown => false,
        }
    }
}

/// The worst of many states, [`HealthState::Healthy`] of none.
pub fn worst(states: impl IntoIterator<Item = HealthState>) -> HealthState {
    states
        .into_iter()
        .max_by_key(|state| state.badness())
        .unwrap_or(HealthState::Healthy)
}

/// A state and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Health {
    /// The state.
    pub state: HealthState,
    /// For people; empty when there is nothing to say. At most [`MESSAGE_CHARS`] characters, one line.
    pub message: String,
}

/// Most characters of a message.
pub const MESSAGE_CHARS: usize = 200;

impl Health {
    /// A state with a message, which is cut to one line of [`MESSAGE_CHARS`].
    #[must_use]
    pub fn new(state: HealthState, message: &str) -> Self {
        Self {
            state,
            message: crate::history::one_line(message),
        }
    }

    /// Of an object that is not there.
    #[must_use]
    pub fn missing() -> Self {
        Self::new(HealthState::Missing, "it is not on the cluster")
    }

    fn healthy() -> Self {
        Self::new(HealthState::Healthy, "")
    }

    fn progressing(message: &str) -> Self {
        Self::new(HealthState::Progressing, message)
    }

    fn degraded(message: &str) -> Self {
        Self::new(HealthState::Degraded, message)
    }

    fn suspended(message: &str) -> Self {
        Self::new(HealthState::Suspended, message)
    }
}

/// How a live object is.
#[must_use]
pub fn assess(object: &Object) -> Health {
    if object
        .at(&["metadata", "deletionTimestamp"])
        .is_some_and(|at| !at.is_null())
    {
        return Health::progressing("it is being deleted");
    }
    if let Some(seen) = int(object, &["status", "observedGeneration"])
        && seen < generation(object)
    {
        return Health::progressing(&format!("generation {} is not observed yet", generation(object)));
    }
    let gvk = object.gvk();
    match (gvk.group.as_str(), gvk.kind.as_str()) {
        ("apps" | "extensions", "Deployment") => workload::deployment(object),
        ("apps", "StatefulSet") => workload::stateful_set(object),
        ("apps" | "extensions", "DaemonSet") => workload::daemon_set(object),
        ("apps" | "extensions", "ReplicaSet") | ("", "ReplicationController") => workload::replica_set(object),
        ("", "Pod") => pod::pod(object),
        ("batch", "Job") => batch::job(object),
        ("batch", "CronJob") => batch::cron_job(object),
        ("", "PersistentVolumeClaim") => storage::claim(object),
        ("", "PersistentVolume") => storage::volume(object),
        ("", "Service") => network::service(object),
        ("networking.k8s.io" | "extensions", "Ingress") => network::ingress(object),
        ("autoscaling", "HorizontalPodAutoscaler") => workload::autoscaler(object),
        ("policy", "PodDisruptionBudget") => workload::disruption_budget(object),
        ("apiregistration.k8s.io", "APIService") => cluster_kinds::api_service(object),
        ("apiextensions.k8s.io", "CustomResourceDefinition") => cluster_kinds::definition(object),
        ("", "Namespace") => cluster_kinds::namespace(object),
        _ => generic(object),
    }
}

/// By the conditions that many controllers write: Stalled means failed, Reconciling means on its way, then Ready, then
/// Available. An object without any of them is healthy.
fn generic(object: &Object) -> Health {
    if let Some(stalled) = condition(object, "Stalled")
        && stalled.is("True")
    {
        return Health::degraded(&stalled.text());
    }
    if let Some(reconciling) = condition(object, "Reconciling")
        && reconciling.is("True")
    {
        return Health::progressing(&reconciling.text());
    }
    for kind in ["Ready", "Available"] {
        let Some(found) = condition(object, kind) else {
            continue;
        };
        if found.is_stale(object) {
            return Health::progressing(&format!("{kind} speaks of an older generation"));
        }
        if !found.is("True") {
            return Health::progressing(&found.text());
        }
    }
    Health::healthy()
}

/// One of `status.conditions`.
#[derive(Clone, Copy, Debug)]
struct Found<'a>(&'a Value);

impl<'a> Found<'a> {
    fn field(self, name: &str) -> &'a str {
        self.0.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    fn is(self, status: &str) -> bool {
        self.field("status") == status
    }

    fn reason(self) -> &'a str {
        self.field("reason")
    }

    fn is_stale(self, object: &Object) -> bool {
        self.0
            .get("observedGeneration")
            .and_then(Value::as_i64)
            .is_some_and(|seen| seen < generation(object))
    }

    /// `Type is Status: Reason: message`, as far as there are any.
    fn text(self) -> String {
        let mut text = format!("{} is {}", self.field("type"), self.field("status"));
        for part in [self.reason(), self.field("message")] {
            if !part.is_empty() {
                text.push_str(": ");
                text.push_str(part);
            }
        }
        text
    }
}

fn condition<'a>(object: &'a Object, kind: &str) -> Option<Found<'a>> {
    object
        .at(&["status", "conditions"])?
        .as_array()?
        .iter()
        .find(|found| found.get("type").and_then(Value::as_str) == Some(kind))
        .map(Found)
}

fn int(object: &Object, path: &[&str]) -> Option<i64> {
    object.at(path).and_then(Value::as_i64)
}

fn count(object: &Object, field: &str) -> i64 {
    int(object, &["status", field]).unwrap_or_default()
}

fn flag(object: &Object, path: &[&str]) -> bool {
    object.at(path).and_then(Value::as_bool).unwrap_or_default()
}

fn generation(object: &Object) -> i64 {
    int(object, &["metadata", "generation"]).unwrap_or_default()
}

/// `phase` of the status, empty when there is none.
fn phase(object: &Object) -> String {
    object.text(&["status", "phase"]).to_string()
}

/// Whether a controller has looked at an object of a kind whose controller always writes `observedGeneration`.
fn unseen(object: &Object) -> Option<Health> {
    (generation(object) > 0 && int(object, &["status", "observedGeneration"]).is_none())
        .then(|| Health::progressing("its controller has not looked at it yet"))
}

#[cfg(test)]
mod tests;
