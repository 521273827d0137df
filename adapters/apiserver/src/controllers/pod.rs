//! Pods: they run, complete or fail, in name.

use serde_json::{Value, json};

use super::context::{Context, condition};
use super::failure;
use crate::clock::now_text;
use crate::store::Key;

/// Writes the status that a kubelet would have written by now.
pub(super) fn reconcile(context: &mut Context<'_>, key: &Key, pod: &Value) {
    let status = &pod["status"];
    if matches!(status["phase"].as_str(), Some("Succeeded" | "Failed")) {
        return;
    }
    if pod["spec"].get("nodeName").is_none() {
        let mut bound = pod.clone();
        bound["spec"]["nodeName"] = json!(super::daemon::NODE);
        context.replace(key, bound, "");
        return;
    }
    let id = format!("{}/pod", pod["metadata"]["uid"].as_str().unwrap_or(""));
    if super::context::is_ready(pod) {
        return;
    }
    let due = context.is_due(id, pod);
    let status = if !due {
        starting(pod)
    } else if let Some(message) = failure(pod) {
        failed(pod, &message)
    } else if pod["spec"]["restartPolicy"] == "Always" {
        running(pod)
    } else {
        completed(pod)
    };
    context.set_status(key, pod, status);
}

fn conditions(pod: &Value, ready: bool, reason: &str) -> Value {
    let before = &pod["status"]["conditions"];
    let one = |kind: &str, status: bool| {
        let reason = if status { "" } else { reason };
        condition(
            before,
            kind,
            status,
            reason,
            if reason.is_empty() {
                ""
            } else {
                "containers are not ready"
            },
            false,
        )
    };
    json!([
        one("PodReadyToStartContainers", true),
        one("Initialized", true),
        one("Ready", ready),
        one("ContainersReady", ready),
        one("PodScheduled", true)
    ])
}

fn containers(pod: &Value, state: &Value, ready: bool, restarts: i64) -> Value {
    let containers = pod["spec"]["containers"].as_array().into_iter().flatten();
    let statuses: Vec<Value> = containers
        .map(|container| {
            json!({"name": container["name"], "image": container["image"], "imageID": "", "ready": ready, "started": ready,
                "restartCount": restarts, "state": state})
        })
        .collect();
    json!(statuses)
}

fn base(pod: &Value) -> Value {
    let start = pod["status"]["startTime"].as_str().map_or_else(now_text, str::to_owned);
    json!({"qosClass": pod["status"]["qosClass"], "startTime": start, "hostIP": "127.0.0.1"})
}

fn starting(pod: &Value) -> Value {
    let mut status = base(pod);
    status["phase"] = json!("Pending");
    status["conditions"] = conditions(pod, false, "ContainersNotReady");
    status["containerStatuses"] = containers(pod, &json!({"waiting": {"reason": "ContainerCreating"}}), false, 0);
    status
}

fn running(pod: &Value) -> Value {
    let mut status = base(pod);
    let started = now_text();
    status["phase"] = json!("Running");
    status["podIP"] = json!(address(pod));
    status["podIPs"] = json!([{"ip": address(pod)}]);
    status["conditions"] = conditions(pod, true, "");
    status["containerStatuses"] = containers(pod, &json!({"running": {"startedAt": started}}), true, 0);
    status
}

fn completed(pod: &Value) -> Value {
    let mut status = base(pod);
    let now = now_text();
    status["phase"] = json!("Succeeded");
    status["conditions"] = conditions(pod, false, "PodCompleted");
    let state = json!({"terminated": {"exitCode": 0, "reason": "Completed", "startedAt": status["startTime"], "finishedAt": now}});
    status["containerStatuses"] = containers(pod, &state, false, 0);
    status
}

fn failed(pod: &Value, message: &str) -> Value {
    let mut status = base(pod);
    let now = now_text();
    status["conditions"] = conditions(pod, false, "ContainersNotReady");
    if pod["spec"]["restartPolicy"] == "Always" {
        status["phase"] = json!("Running");
        let state = json!({"waiting": {"reason": "CrashLoopBackOff", "message": message}});
        status["containerStatuses"] = containers(pod, &state, false, 1);
    } else {
        status["phase"] = json!("Failed");
        status["message"] = json!(message);
        let state = json!({"terminated": {"exitCode": 1, "reason": "Error", "message": message,
            "startedAt": status["startTime"], "finishedAt": now}});
        status["containerStatuses"] = containers(pod, &state, false, 0);
    }
    status
}

/// An address that follows from the pod's identity.
fn address(pod: &Value) -> String {
    let uid = pod["metadata"]["uid"].as_str().unwrap_or("");
    let mut bytes = [0_u8; 2];
    for (at, byte) in uid.bytes().enumerate() {
        bytes[at % 2] = bytes[at % 2].wrapping_mul(31).wrapping_add(byte);
    }
    format!("10.244.{}.{}", bytes[0], bytes[1].max(1))
}
