//! Deployments: one `ReplicaSet` for each template, the newest with all replicas.

use serde_json::{Value, json};

use super::context::{Context, condition, generation_id, owner_reference, template_hash};
use super::replicas::MAX_PODS;
use super::{FAIL_ANNOTATION, READY_AFTER_ANNOTATION, failure};
use crate::store::Key;

const REVISION: &str = "deployment.kubernetes.io/revision";

/// Brings the `ReplicaSets` and the status of a Deployment up to date.
pub(super) fn reconcile(context: &mut Context<'_>, key: &Key, deployment: &Value) {
    let spec = &deployment["spec"];
    let paused = spec["paused"] == json!(true);
    let hash = template_hash(&spec["template"]);
    let name = format!("{}-{hash}", key.name);
    let sets = context.owned(deployment, "replicasets.apps");
    let current = sets.iter().find(|(known, _)| known.name == name).cloned();
    let Some((current_key, current)) = current else {
        if !paused {
            create_set(context, key, deployment, &name, &hash, &sets);
        }
        return;
    };
    let wanted = spec["replicas"].as_i64().unwrap_or(1);
    hand_down(context, &current_key, &current, wanted);
    let revision = &current["metadata"]["annotations"][REVISION];
    if deployment["metadata"]["annotations"][REVISION] != *revision && revision.is_string() {
        let mut marked = deployment.clone();
        marked["metadata"]["annotations"][REVISION] = revision.clone();
        context.replace(key, marked, "");
        return;
    }
    let count = |field: &str| current["status"][field].as_i64().unwrap_or(0);
    let complete = count("readyReplicas") >= wanted.min(MAX_PODS);
    let recreate = spec["strategy"]["type"] == "Recreate";
    for (old, set) in sets.iter().filter(|(known, _)| known.name != name) {
        if (complete || recreate) && set["spec"]["replicas"] != json!(0) {
            let mut scaled = set.clone();
            scaled["spec"]["replicas"] = json!(0);
            context.replace(old, scaled, "");
        }
    }
    let status = status(context, deployment, &sets, &current);
    context.set_status(key, deployment, status);
}

fn create_set(
    context: &mut Context<'_>,
    key: &Key,
    deployment: &Value,
    name: &str,
    hash: &str,
    others: &[(Key, Value)],
) {
    let spec = &deployment["spec"];
    let revisions = others
        .iter()
        .filter_map(|(_, set)| set["metadata"]["annotations"][REVISION].as_str()?.parse::<u64>().ok());
    let revision = revisions.max().unwrap_or(0) + 1;
    let mut template = spec["template"].clone();
    template["metadata"]["labels"]["pod-template-hash"] = json!(hash);
    let mut selector = spec["selector"].clone();
    selector["matchLabels"]["pod-template-hash"] = json!(hash);
    let mut metadata = json!({"name": name, "labels": template["metadata"]["labels"],
        "annotations": {REVISION: revision.to_string()}, "ownerReferences": [owner_reference(deployment)]});
    for annotation in [FAIL_ANNOTATION, READY_AFTER_ANNOTATION] {
        if let Some(value) = deployment["metadata"]["annotations"].get(annotation) {
            metadata["annotations"][annotation] = value.clone();
        }
    }
    let object = json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": metadata,
        "spec": {"replicas": spec["replicas"], "selector": selector, "template": template}});
    context.create("replicasets.apps", &key.namespace, object);
}

/// Keeps the replicas of the current `ReplicaSet` as the Deployment has them.
fn hand_down(context: &mut Context<'_>, key: &Key, set: &Value, wanted: i64) {
    let mut wished = set.clone();
    wished["spec"]["replicas"] = json!(wanted);
    if wished != *set {
        context.replace(key, wished, "");
    }
}

fn status(context: &mut Context<'_>, deployment: &Value, sets: &[(Key, Value)], current: &Value) -> Value {
    let wanted = deployment["spec"]["replicas"].as_i64().unwrap_or(1);
    let total = |field: &str| {
        sets.iter()
            .map(|(_, set)| set["status"][field].as_i64().unwrap_or(0))
            .sum::<i64>()
    };
    let updated = current["status"]["replicas"].as_i64().unwrap_or(0);
    let ready_new = current["status"]["readyReplicas"].as_i64().unwrap_or(0);
    let (all, ready) = (total("replicas"), total("readyReplicas"));
    let mut status = json!({"observedGeneration": deployment["metadata"]["generation"]});
    for (field, count) in [
        ("replicas", all),
        ("updatedReplicas", updated),
        ("readyReplicas", ready),
        ("availableReplicas", ready),
        ("unavailableReplicas", (wanted - ready).max(0)),
    ] {
        if count > 0 {
            status[field] = json!(count);
        }
    }
    let before = &deployment["status"]["conditions"];
    let available = ready >= minimum(deployment, wanted);
    let available = if available {
        condition(
            before,
            "Available",
            true,
            "MinimumReplicasAvailable",
            "Deployment has minimum availability.",
            true,
        )
    } else {
        let message = "Deployment does not have minimum availability.";
        condition(before, "Available", false, "MinimumReplicasUnavailable", message, true)
    };
    let name = current["metadata"]["name"].as_str().unwrap_or("");
    let complete = ready_new >= wanted && updated >= wanted && all <= wanted;
    let progressing = if complete {
        let message = format!("ReplicaSet \"{name}\" has successfully progressed.");
        condition(before, "Progressing", true, "NewReplicaSetAvailable", &message, true)
    } else {
        let failed = failure(deployment).filter(|_| context.is_due(generation_id(deployment), deployment));
        if let Some(message) = failed {
            condition(before, "Progressing", false, "ProgressDeadlineExceeded", &message, true)
        } else {
            let message = format!("ReplicaSet \"{name}\" is progressing.");
            condition(before, "Progressing", true, "ReplicaSetUpdated", &message, true)
        }
    };
    status["conditions"] = json!([available, progressing]);
    status
}

/// The replicas that must be available: all but `maxUnavailable`.
fn minimum(deployment: &Value, wanted: i64) -> i64 {
    let allowed = &deployment["spec"]["strategy"]["rollingUpdate"]["maxUnavailable"];
    let allowed = allowed.as_i64().or_else(|| {
        let percent: i64 = allowed.as_str()?.strip_suffix('%')?.parse().ok()?;
        Some(wanted * percent.clamp(0, 100) / 100)
    });
    wanted - allowed.unwrap_or(0).clamp(0, wanted)
}
