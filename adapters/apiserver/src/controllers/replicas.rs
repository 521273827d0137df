//! `ReplicaSets`: as many pods as wanted.

use serde_json::{Value, json};

use super::context::{Context, is_ready, pod_of};
use crate::store::Key;

/// A workload never has more pods than this.
pub(super) const MAX_PODS: i64 = 500;

/// Creates and deletes pods, and counts them.
pub(super) fn reconcile(context: &mut Context<'_>, key: &Key, set: &Value) {
    let wanted = set["spec"]["replicas"].as_i64().unwrap_or(1).clamp(0, MAX_PODS);
    let mut pods = live_pods(context, set);
    let have = i64::try_from(pods.len()).unwrap_or(0);
    for _ in have..wanted {
        context.create("pods", &key.namespace, pod_of(set, None, &[]));
    }
    pods.sort_by_key(|(_, pod)| is_ready(pod));
    for (pod, _) in pods.iter().take(usize::try_from(have - wanted).unwrap_or(0)) {
        context.delete(pod, "Background");
    }
    let pods = live_pods(context, set);
    let ready = pods.iter().filter(|(_, pod)| is_ready(pod)).count();
    let mut status = json!({"replicas": pods.len(), "fullyLabeledReplicas": pods.len(),
        "observedGeneration": set["metadata"]["generation"]});
    if pods.is_empty() {
        status = json!({"replicas": 0, "observedGeneration": set["metadata"]["generation"]});
    }
    if ready > 0 {
        status["readyReplicas"] = json!(ready);
        status["availableReplicas"] = json!(ready);
    }
    context.set_status(key, set, status);
}

fn live_pods(context: &Context<'_>, set: &Value) -> Vec<(Key, Value)> {
    let pods = context.owned(set, "pods").into_iter();
    pods.filter(|(_, pod)| pod["metadata"].get("deletionTimestamp").is_none())
        .collect()
}
