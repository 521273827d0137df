//! `HorizontalPodAutoscalers`: they find their target and call its scale right, in name; no replica is changed.

use serde_json::{Value, json};

use super::context::{Context, condition, generation_id};
use super::failure;
use crate::store::Key;

/// Writes the status that the autoscaler's controller would have written by now.
pub(super) fn reconcile(context: &mut Context<'_>, key: &Key, autoscaler: &Value) {
    if !context.is_due(generation_id(autoscaler), autoscaler) {
        return;
    }
    let reference = &autoscaler["spec"]["scaleTargetRef"];
    let text = |field: &str| reference[field].as_str().unwrap_or("");
    let (kind, name) = (text("kind"), text("name"));
    let target = context.object(text("apiVersion"), kind, &key.namespace, name);
    let before = &autoscaler["status"]["conditions"];
    let one =
        |kind: &str, status: bool, reason: &str, message: &str| condition(before, kind, status, reason, message, false);
    let mut status = json!({"currentMetrics": null});
    let generation = &autoscaler["metadata"]["generation"];
    if generation.is_number() {
        status["observedGeneration"] = generation.clone();
    }
    let Some(target) = target else {
        let message =
            format!("the controller was unable to get the target's current scale: {kind} \"{name}\" not found");
        status["currentReplicas"] = json!(0);
        status["desiredReplicas"] = json!(0);
        status["conditions"] = json!([one("AbleToScale", false, "FailedGetScale", &message)]);
        context.set_status(key, autoscaler, status);
        return;
    };
    let bound = |field: &str| autoscaler["spec"][field].as_i64();
    let least = bound("minReplicas").unwrap_or(1);
    let wanted = target["spec"]["replicas"].as_i64().unwrap_or(1);
    let most = bound("maxReplicas").unwrap_or(wanted).max(least);
    status["currentReplicas"] = json!(target["status"]["replicas"].as_i64().unwrap_or(0));
    status["desiredReplicas"] = json!(if wanted == 0 { 0 } else { wanted.clamp(least, most) });
    let able = one(
        "AbleToScale",
        true,
        "ReadyForNewScale",
        "recommended size matches current size",
    );
    status["conditions"] = if let Some(message) = failure(autoscaler) {
        json!([able, one("ScalingActive", false, "InvalidMetricSourceType", &message)])
    } else if wanted == 0 {
        let message = "scaling is disabled since the replica count of the target is zero";
        json!([able, one("ScalingActive", false, "ScalingDisabled", message)])
    } else {
        json!([
            able,
            one(
                "ScalingActive",
                true,
                "ValidMetricFound",
                "the controller was able to calculate a replica count"
            ),
            one(
                "ScalingLimited",
                false,
                "DesiredWithinRange",
                "the desired count is within the acceptable range"
            )
        ])
    };
    context.set_status(key, autoscaler, status);
}
