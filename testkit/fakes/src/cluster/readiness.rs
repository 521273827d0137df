//! Statuses that controllers of a real cluster would write.

use std::time::Duration;

use convoy_domain::Timestamp;
use convoy_domain::id::ObjectId;
use convoy_domain::object::Object;
use convoy_value::{Map, Value};

use super::{Readiness, State, fields};

/// How far an object is on its way to be ready.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Progress {
    reads: u32,
    since: Option<Timestamp>,
    done: bool,
}

impl State {
    /// The object has changed: it becomes ready at once, or starts on its way.
    pub(super) fn changed(&mut self, id: &ObjectId) {
        let since = match &self.readiness {
            Readiness::AfterTime(_, clock) => Some(clock.now()),
            Readiness::ByTest | Readiness::AfterReads(_) => None,
        };
        if let Some(stored) = self.objects.get_mut(id)
            && !stored.readiness.done
        {
            stored.readiness.since = since.or(stored.readiness.since);
        }
        self.look(id);
    }

    /// A read happens.
    pub(super) fn pass_read(&mut self, id: &ObjectId) {
        if let Some(stored) = self.objects.get_mut(id) {
            stored.readiness.reads = stored.readiness.reads.saturating_add(1);
        }
        self.look(id);
    }

    fn look(&mut self, id: &ObjectId) {
        let Some(stored) = self.objects.get(id) else {
            return;
        };
        let progress = stored.readiness;
        let ready = match &self.readiness {
            Readiness::ByTest => false,
            Readiness::AfterReads(reads) => progress.reads >= *reads,
            Readiness::AfterTime(time, clock) => {
                progress.since.is_some_and(|since| passed(since, clock.now()) >= *time)
            }
        };
        if ready && !progress.done {
            self.make_ready(id);
        }
    }

    pub(super) fn make_ready(&mut self, id: &ObjectId) {
        let stored = self.objects.get_mut(id).expect("an object to make ready");
        stored.readiness.done = true;
        if let Some(status) = ready_status(&stored.object) {
            self.set_status(id, status);
        }
    }

    pub(super) fn set_status(&mut self, id: &ObjectId, status: Value) {
        let stored = self.objects.get_mut(id).expect("an object to give a status");
        let mut status = status;
        if let (Some(map), Some(generation)) = (
            status.as_object_mut(),
            stored.object.at(&["metadata", "generation"]).cloned(),
        ) {
            map.or_insert("observedGeneration", generation);
        }
        if stored.object.at(&["status"]) == Some(&status) {
            return;
        }
        fields::set(&mut stored.object, &["status"], status);
        self.touch(id);
    }
}

fn passed(since: Timestamp, now: Timestamp) -> Duration {
    Duration::try_from(now.duration_since(since)).unwrap_or_default()
}

fn map(members: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    Value::Object(members.into_iter().collect::<Map>())
}

fn conditions(kinds: &[&'static str]) -> Value {
    let one = |kind: &&'static str| map([("type", Value::from(*kind)), ("status", Value::from("True"))]);
    Value::Array(kinds.iter().map(one).collect())
}

/// The status of a workload that is ready; `None` for kinds that have none.
fn ready_status(object: &Object) -> Option<Value> {
    let replicas = object.at(&["spec", "replicas"]).and_then(Value::as_i64).unwrap_or(1);
    let counts = |names: &[&'static str], count: i64| -> Vec<(&'static str, Value)> {
        names.iter().map(|name| (*name, Value::from(count))).collect()
    };
    let status = match object.kind() {
        "Deployment" => {
            let mut status = counts(
                &["replicas", "updatedReplicas", "readyReplicas", "availableReplicas"],
                replicas,
            );
            status.push(("conditions", conditions(&["Available", "Progressing"])));
            map(status)
        }
        "StatefulSet" | "ReplicaSet" => {
            let names = [
                "replicas",
                "readyReplicas",
                "currentReplicas",
                "updatedReplicas",
                "availableReplicas",
            ];
            let mut status = counts(&names, replicas);
            status.push(("currentRevision", Value::from("1")));
            status.push(("updateRevision", Value::from("1")));
            map(status)
        }
        "DaemonSet" => map(counts(
            &[
                "desiredNumberScheduled",
                "currentNumberScheduled",
                "updatedNumberScheduled",
                "numberReady",
                "numberAvailable",
            ],
            1,
        )),
        "Job" => map([("succeeded", Value::from(1)), ("conditions", conditions(&["Complete"]))]),
        "Pod" => map([
            ("phase", Value::from("Running")),
            ("conditions", conditions(&["Ready"])),
        ]),
        "PersistentVolumeClaim" => map([("phase", Value::from("Bound"))]),
        "Namespace" => map([("phase", Value::from("Active"))]),
        "CustomResourceDefinition" => map([("conditions", conditions(&["NamesAccepted", "Established"]))]),
        "Ingress" => {
            let address = map([("ip", Value::from("192.0.2.1"))]);
            map([("loadBalancer", map([("ingress", Value::Array(vec![address]))]))])
        }
        _ => return None,
    };
    Some(status)
}
