//! Pods that were applied as such.

use alloc::format;
use alloc::string::String;

use convoy_value::Value;

use super::{Health, condition, phase};
use crate::object::Object;

/// Reasons to wait that waiting does not cure: the kubelet has tried more than once, or cannot try at all.
const HOPELESS: &[&str] = &[
    "CrashLoopBackOff",
    "ErrImageNeverPull",
    "ImagePullBackOff",
    "InvalidImageName",
];

pub(super) fn pod(object: &Object) -> Health {
    match phase(object).as_str() {
        "Succeeded" => Health::healthy(),
        "Failed" => {
            let parts = [object.text(&["status", "reason"]), object.text(&["status", "message"])];
            Health::degraded(&join("the pod has failed", parts))
        }
        "Running" => running(object),
        "Pending" => stuck(object).unwrap_or_else(|| pending(object)),
        "Unknown" => Health::progressing("the node does not report the pod's state"),
        _ => Health::progressing("the pod has no phase yet"),
    }
}

fn running(object: &Object) -> Health {
    match condition(object, "Ready") {
        Some(ready) if ready.is("True") || ready.reason() == "PodCompleted" => Health::healthy(),
        Some(ready) => stuck(object).unwrap_or_else(|| Health::progressing(&ready.text())),
        None => stuck(object).unwrap_or_else(|| Health::progressing("the pod does not say whether it is ready")),
    }
}

fn pending(object: &Object) -> Health {
    match condition(object, "PodScheduled") {
        Some(scheduled) if !scheduled.is("True") => Health::progressing(&scheduled.text()),
        Some(_) | None => match waiting(object, |_| true) {
            Some(text) => Health::progressing(&text),
            None => Health::progressing("the pod is pending"),
        },
    }
}

fn stuck(object: &Object) -> Option<Health> {
    waiting(object, |reason| HOPELESS.contains(&reason)).map(|text| Health::degraded(&text))
}

/// The first container that waits for a reason that `wanted` accepts.
fn waiting(object: &Object, wanted: impl Fn(&str) -> bool) -> Option<String> {
    let all = ["initContainerStatuses", "containerStatuses"]
        .into_iter()
        .filter_map(|list| object.at(&["status", list])?.as_array())
        .flatten();
    all.into_iter().find_map(|status| {
        let state = status.at(&["state", "waiting"])?;
        let text = |value: &Value, key| value.get(key).and_then(Value::as_str).map(String::from);
        let reason = text(state, "reason")?;
        let container = text(status, "name").unwrap_or_default();
        let message = text(state, "message").unwrap_or_default();
        wanted(&reason).then(|| join(&format!("container `{container}` waits"), [&reason, &message]))
    })
}

fn join(what: &str, parts: [&str; 2]) -> String {
    let mut text = String::from(what);
    for part in parts.into_iter().filter(|part| !part.is_empty()) {
        text.push_str(": ");
        text.push_str(part);
    }
    text
}
