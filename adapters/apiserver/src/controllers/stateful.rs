//! `StatefulSets`: numbered pods and their claims.

use serde_json::{Value, json};

use super::context::{Context, is_ready, owner_reference, pod_of, template_hash};
use super::replicas::MAX_PODS;
use crate::store::Key;

const REVISION: &str = "controller-revision-hash";

/// Brings pods, claims and status of a `StatefulSet` up to date; outdated pods are replaced one at a time.
pub(super) fn reconcile(context: &mut Context<'_>, key: &Key, set: &Value) {
    let spec = &set["spec"];
    let wanted = spec["replicas"].as_i64().unwrap_or(1).clamp(0, MAX_PODS);
    let revision = format!("{}-{}", key.name, template_hash(&spec["template"]));
    let parallel = spec["podManagementPolicy"] == "Parallel";
    let pods = context.owned(set, "pods");
    let find = |name: &str| pods.iter().find(|(known, _)| known.name == name);
    let mut waiting = false;
    for ordinal in 0..wanted {
        let name = format!("{}-{ordinal}", key.name);
        match find(&name) {
            Some((pod_key, pod)) => {
                let outdated = pod["metadata"]["labels"][REVISION] != json!(revision);
                if outdated && !waiting {
                    context.delete(pod_key, "Background");
                    waiting = true;
                }
                waiting |= !is_ready(pod);
            }
            None if waiting && !parallel => break,
            None => {
                claims(context, key, set, ordinal);
                let labels = [
                    (REVISION, json!(revision)),
                    ("statefulset.kubernetes.io/pod-name", json!(name)),
                    ("apps.kubernetes.io/pod-index", json!(ordinal.to_string())),
                ];
                context.create("pods", &key.namespace, pod_of(set, Some(&name), &labels));
                waiting = true;
            }
        }
    }
    for (pod_key, _) in &pods {
        let ordinal = pod_key
            .name
            .rsplit('-')
            .next()
            .and_then(|text| text.parse::<i64>().ok());
        if ordinal.is_some_and(|ordinal| ordinal >= wanted) {
            context.delete(pod_key, "Background");
        }
    }
    let status = status(context, set, &revision, wanted);
    context.set_status(key, set, status);
}

fn status(context: &Context<'_>, set: &Value, revision: &str, wanted: i64) -> Value {
    let pods = context.owned(set, "pods");
    let ready = pods.iter().filter(|(_, pod)| is_ready(pod)).count();
    let updated = pods
        .iter()
        .filter(|(_, pod)| pod["metadata"]["labels"][REVISION] == json!(revision))
        .count();
    let done = i64::try_from(updated).unwrap_or(0) == wanted && i64::try_from(ready).unwrap_or(0) == wanted;
    let current = if done {
        revision
    } else {
        set["status"]["currentRevision"].as_str().unwrap_or(revision)
    };
    let mut status = json!({
        "observedGeneration": set["metadata"]["generation"], "replicas": pods.len(), "availableReplicas": ready,
        "currentRevision": current, "updateRevision": revision, "collisionCount": 0,
    });
    for (field, count) in [("readyReplicas", ready), ("updatedReplicas", updated)] {
        if count > 0 {
            status[field] = json!(count);
        }
    }
    let at_current = pods
        .iter()
        .filter(|(_, pod)| pod["metadata"]["labels"][REVISION] == json!(current))
        .count();
    if at_current > 0 {
        status["currentReplicas"] = json!(at_current);
    }
    status
}

fn claims(context: &mut Context<'_>, key: &Key, set: &Value, ordinal: i64) {
    for template in set["spec"]["volumeClaimTemplates"].as_array().into_iter().flatten() {
        let base = template["metadata"]["name"].as_str().unwrap_or("");
        let name = format!("{base}-{}-{ordinal}", key.name);
        let claim = Key {
            storage: "persistentvolumeclaims".into(),
            namespace: key.namespace.clone(),
            name: name.clone(),
        };
        if context.core.store.get(&claim).is_some() {
            continue;
        }
        let mut object = json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": {"name": name, "labels": set["spec"]["selector"]["matchLabels"]}, "spec": template["spec"]});
        if set["spec"]["persistentVolumeClaimRetentionPolicy"]["whenDeleted"] == "Delete" {
            object["metadata"]["ownerReferences"] = json!([owner_reference(set)]);
        }
        context.create("persistentvolumeclaims", &key.namespace, object);
    }
}
