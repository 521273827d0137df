//! A stand-in for controllers and kubelet on a real API server: Deployments become available after a while, or never.

use std::time::Duration;

use kube::Client;
use kube::api::{Api, ApiResource, DynamicObject, GroupVersionKind, ListParams, Patch, PatchParams};
use serde_json::{Value, json};

/// The annotation by which a test asks for a failure; the embedded server's own name for it.
const FAIL: &str = "apiserver.convoy.kumodo.io/fail";

/// Makes Deployments ready until aborted.
pub(crate) async fn run(client: Client, ready_after: Duration) {
    let kind = ApiResource::from_gvk(&GroupVersionKind::gvk("apps", "v1", "Deployment"));
    let all: Api<DynamicObject> = Api::all_with(client.clone(), &kind);
    loop {
        tokio::time::sleep(ready_after).await;
        let Ok(deployments) = all.list(&ListParams::default()).await else {
            continue;
        };
        for deployment in deployments {
            let (Some(namespace), Some(name)) = (&deployment.metadata.namespace, &deployment.metadata.name) else {
                continue;
            };
            let Some(status) = status(&deployment) else { continue };
            let api: Api<DynamicObject> = Api::namespaced_with(client.clone(), namespace, &kind);
            // A Deployment that changed or went meanwhile is seen again in the next round.
            let _ = api
                .patch_status(
                    name,
                    &PatchParams::default(),
                    &Patch::Merge(&json!({ "status": status })),
                )
                .await;
        }
    }
}

/// The status of a Deployment that needs one.
fn status(deployment: &DynamicObject) -> Option<Value> {
    let generation = deployment.metadata.generation?;
    if deployment
        .data
        .pointer("/status/observedGeneration")
        .and_then(Value::as_i64)
        == Some(generation)
    {
        return None;
    }
    let failing = deployment.metadata.annotations.as_ref().and_then(|all| all.get(FAIL));
    let replicas = deployment
        .data
        .pointer("/spec/replicas")
        .and_then(Value::as_i64)
        .unwrap_or(1);
    Some(match failing {
        Some(message) => json!({
            "observedGeneration": generation, "replicas": replicas, "updatedReplicas": replicas,
            "unavailableReplicas": replicas,
            "conditions": [{
                "type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded", "message": message,
            }],
        }),
        None => json!({
            "observedGeneration": generation, "replicas": replicas, "updatedReplicas": replicas,
            "readyReplicas": replicas, "availableReplicas": replicas,
            "conditions": [
                {"type": "Available", "status": "True", "reason": "MinimumReplicasAvailable", "message": "ready"},
                {"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable", "message": "done"},
            ],
        }),
    })
}
