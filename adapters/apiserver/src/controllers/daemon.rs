//! `DaemonSets`: one pod on the one node.

use serde_json::{Value, json};

use super::context::{Context, is_ready, pod_of, template_hash};
use crate::store::Key;

/// The name of the node on which all pods are said to run.
pub(super) const NODE: &str = "convoy-node";

const REVISION: &str = "controller-revision-hash";

/// Brings the pod and the status of a `DaemonSet` up to date.
pub(super) fn reconcile(context: &mut Context<'_>, key: &Key, set: &Value) {
    let hash = template_hash(&set["spec"]["template"]);
    let pods = context.owned(set, "pods");
    let (current, old): (Vec<_>, Vec<_>) = pods
        .into_iter()
        .partition(|(_, pod)| pod["metadata"]["labels"][REVISION] == json!(hash));
    for (pod, _) in &old {
        context.delete(pod, "Background");
    }
    if current.is_empty() {
        let mut pod = pod_of(set, None, &[(REVISION, json!(hash))]);
        pod["spec"]["nodeName"] = json!(NODE);
        context.create("pods", &key.namespace, pod);
    }
    let pods = context.owned(set, "pods");
    let ready = pods.iter().filter(|(_, pod)| is_ready(pod)).count().min(1);
    let mut status = json!({
        "observedGeneration": set["metadata"]["generation"], "currentNumberScheduled": 1, "desiredNumberScheduled": 1,
        "updatedNumberScheduled": 1, "numberMisscheduled": 0, "numberReady": ready,
    });
    if ready > 0 {
        status["numberAvailable"] = json!(ready);
    } else {
        status["numberUnavailable"] = json!(1);
    }
    context.set_status(key, set, status);
}
