//! Requests that are answered and forgotten: this server lets everybody do everything.

use serde_json::{Value, json};

use super::{Core, Target};

impl Core {
    /// The answer to a review.
    pub(crate) fn review(target: &Target, mut object: Value) -> Value {
        let kind = target.resource.kind.as_str();
        let user = json!({"username": "kubernetes-admin", "groups": ["system:masters", "system:authenticated"]});
        object["kind"] = json!(kind);
        object["apiVersion"] = json!(target.resource.api_version());
        if !object["metadata"].is_object() {
            object["metadata"] = json!({});
        }
        object["status"] = match kind {
            "SelfSubjectReview" => json!({"userInfo": user}),
            "TokenReview" => json!({"authenticated": true, "user": user}),
            "SelfSubjectRulesReview" => json!({"incomplete": false,
                "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}],
                "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}]}),
            _ => json!({"allowed": true}),
        };
        object
    }
}
