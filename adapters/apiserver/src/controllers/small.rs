//! Kinds that need one status only.

use serde_json::{Value, json};

use super::context::{Context, condition, generation_id};
use crate::store::Key;

/// Binds a claim to a volume that exists in name only.
pub(super) fn claim(context: &mut Context<'_>, key: &Key, claim: &Value) {
    if claim["status"]["phase"] == "Bound" || !context.is_due(generation_id(claim), claim) {
        return;
    }
    if claim["spec"].get("volumeName").is_none() {
        let mut bound = claim.clone();
        bound["spec"]["volumeName"] = json!(format!("pvc-{}", claim["metadata"]["uid"].as_str().unwrap_or("")));
        context.replace(key, bound, "");
        return;
    }
    let size = claim["spec"]["resources"]["requests"]["storage"].clone();
    let mut status = json!({"phase": "Bound", "accessModes": claim["spec"]["accessModes"]});
    if !size.is_null() {
        status["capacity"] = json!({"storage": size});
    }
    context.set_status(key, claim, status);
}

/// Gives a load balancer its address.
pub(super) fn service(context: &mut Context<'_>, key: &Key, service: &Value) {
    let balanced = service["spec"]["type"] == "LoadBalancer";
    if !balanced || !service["status"]["loadBalancer"]["ingress"].is_null() {
        return;
    }
    if context.is_due(generation_id(service), service) {
        let status = json!({"loadBalancer": {"ingress": [{"ip": "127.0.0.1", "ipMode": "VIP"}]}});
        context.set_status(key, service, status);
    }
}

/// Gives an ingress its address.
pub(super) fn ingress(context: &mut Context<'_>, key: &Key, ingress: &Value) {
    if ingress["status"]["loadBalancer"]["ingress"].is_null() && context.is_due(generation_id(ingress), ingress) {
        context.set_status(
            key,
            ingress,
            json!({"loadBalancer": {"ingress": [{"ip": "127.0.0.1"}]}}),
        );
    }
}

/// Says how much disruption a budget allows: all of it.
pub(super) fn budget(context: &mut Context<'_>, key: &Key, budget: &Value) {
    let status = json!({"observedGeneration": budget["metadata"]["generation"], "disruptionsAllowed": 1,
        "currentHealthy": 1, "desiredHealthy": 0, "expectedPods": 1,
        "conditions": [condition(&budget["status"]["conditions"], "DisruptionAllowed", true, "SufficientPods", "enough pods", false)]});
    context.set_status(key, budget, status);
}

/// Says that an aggregated API is there.
pub(super) fn api_service(context: &mut Context<'_>, key: &Key, service: &Value) {
    let before = &service["status"]["conditions"];
    let available = condition(
        before,
        "Available",
        true,
        "Local",
        "Local APIServices are always available",
        false,
    );
    context.set_status(key, service, json!({"conditions": [available]}));
}
