//! Kinds that keep a number of pods.

use alloc::format;

use super::{Health, condition, count, flag, int, unseen};
use crate::object::Object;

/// Replicas that the spec asks for, 1 when it does not say.
fn wanted(object: &Object) -> i64 {
    int(object, &["spec", "replicas"]).unwrap_or(1)
}

/// The first number that is below what is wanted.
fn short(counts: &[(&str, i64)], wanted: i64) -> Option<Health> {
    counts
        .iter()
        .find(|(_, found)| *found < wanted)
        .map(|(what, found)| Health::progressing(&format!("{found} of {wanted} replicas are {what}")))
}

pub(super) fn deployment(object: &Object) -> Health {
    if flag(object, &["spec", "paused"]) {
        return Health::suspended("the Deployment is paused");
    }
    if let Some(unseen) = unseen(object) {
        return unseen;
    }
    if let Some(progressing) = condition(object, "Progressing")
        && progressing.is("False")
        && progressing.reason() == "ProgressDeadlineExceeded"
    {
        return Health::degraded(&progressing.text());
    }
    let wanted = wanted(object);
    if let Some(short) = short(&[("updated", count(object, "updatedReplicas"))], wanted) {
        return with_replica_failure(object, short);
    }
    let old = count(object, "replicas") - count(object, "updatedReplicas");
    if old > 0 {
        return Health::progressing(&format!("{old} old replicas are still to go"));
    }
    let counts = [
        ("available", count(object, "availableReplicas")),
        ("ready", count(object, "readyReplicas")),
    ];
    if let Some(short) = short(&counts, wanted) {
        return with_replica_failure(object, short);
    }
    match condition(object, "Available") {
        Some(available) if !available.is("True") => Health::progressing(&available.text()),
        Some(_) | None => Health::healthy(),
    }
}

/// Why pods cannot be made (a quota, an admission) is more telling than how many there are.
fn with_replica_failure(object: &Object, health: Health) -> Health {
    match condition(object, "ReplicaFailure") {
        Some(failure) if failure.is("True") => Health::progressing(&failure.text()),
        Some(_) | None => health,
    }
}

pub(super) fn replica_set(object: &Object) -> Health {
    if let Some(unseen) = unseen(object) {
        return unseen;
    }
    let wanted = wanted(object);
    let counts = [
        ("there", count(object, "replicas")),
        ("ready", count(object, "readyReplicas")),
        ("available", count(object, "availableReplicas")),
    ];
    if let Some(short) = short(&counts, wanted) {
        return with_replica_failure(object, short);
    }
    surplus(object, wanted).unwrap_or_else(Health::healthy)
}

fn surplus(object: &Object, wanted: i64) -> Option<Health> {
    let surplus = count(object, "replicas") - wanted;
    (surplus > 0).then(|| Health::progressing(&format!("{surplus} replicas are still to go")))
}

pub(super) fn stateful_set(object: &Object) -> Health {
    if let Some(unseen) = unseen(object) {
        return unseen;
    }
    let wanted = wanted(object);
    let counts = [
        ("there", count(object, "replicas")),
        ("ready", count(object, "readyReplicas")),
    ];
    if let Some(short) = short(&counts, wanted) {
        return short;
    }
    if let Some(surplus) = surplus(object, wanted) {
        return surplus;
    }
    if object.text(&["spec", "updateStrategy", "type"]) == "OnDelete" {
        return Health::healthy();
    }
    let partition = int(object, &["spec", "updateStrategy", "rollingUpdate", "partition"]).unwrap_or_default();
    if partition > 0 {
        let updated = [("updated", count(object, "updatedReplicas"))];
        return short(&updated, (wanted - partition).max(0)).unwrap_or_else(Health::healthy);
    }
    let revision = |name| object.text(&["status", name]);
    if revision("currentRevision") != revision("updateRevision") {
        let updated = count(object, "updatedReplicas");
        return Health::progressing(&format!("{updated} of {wanted} replicas are updated"));
    }
    Health::healthy()
}

pub(super) fn daemon_set(object: &Object) -> Health {
    if let Some(unseen) = unseen(object) {
        return unseen;
    }
    let Some(wanted) = int(object, &["status", "desiredNumberScheduled"]) else {
        return Health::progressing("its controller has not looked at it yet");
    };
    let scheduled = ("scheduled", count(object, "currentNumberScheduled"));
    let updated = ("updated", count(object, "updatedNumberScheduled"));
    let available = ("available", count(object, "numberAvailable"));
    let ready = ("ready", count(object, "numberReady"));
    let on_delete = object.text(&["spec", "updateStrategy", "type"]) == "OnDelete";
    let all = [scheduled, updated, available, ready];
    // With OnDelete people decide when a pod is updated.
    let without_updated = [scheduled, available, ready];
    let counts: &[_] = if on_delete { &without_updated } else { &all };
    short(counts, wanted).unwrap_or_else(Health::healthy)
}

/// Metrics that are not there yet come with the pods, so that only what cannot become better is Degraded.
pub(super) fn autoscaler(object: &Object) -> Health {
    // Version 1 has no conditions.
    if object.text(&["apiVersion"]) == "autoscaling/v1" {
        return Health::healthy();
    }
    let Some(able) = condition(object, "AbleToScale") else {
        return Health::progressing("its controller has not looked at it yet");
    };
    if !able.is("True") {
        return Health::progressing(&able.text());
    }
    match condition(object, "ScalingActive") {
        Some(active) if active.is("False") => match active.reason() {
            "InvalidSelector" | "InvalidMetricSourceType" => Health::degraded(&active.text()),
            // The target is scaled to zero on purpose.
            "ScalingDisabled" => Health::healthy(),
            _ => Health::progressing(&active.text()),
        },
        Some(active) if !active.is("True") => Health::progressing(&active.text()),
        Some(_) | None => Health::healthy(),
    }
}

pub(super) fn disruption_budget(object: &Object) -> Health {
    let (healthy, desired) = (count(object, "currentHealthy"), count(object, "desiredHealthy"));
    if healthy < desired {
        return Health::progressing(&format!("{healthy} of {desired} pods are healthy"));
    }
    Health::healthy()
}
