//! The few rules of kinds that tests break on purpose.

use convoy_domain::id::{ObjectId, check_subdomain};
use convoy_domain::object::Object;
use convoy_ports::ClusterError;
use convoy_value::Value;

/// Names, and texts where texts must be.
pub(super) fn check(object: &Object, id: &ObjectId) -> Result<(), ClusterError> {
    let refuse = |why: String| {
        Err(ClusterError::Refused {
            object: id.to_string(),
            why,
        })
    };
    if let Err(error) = check_subdomain("metadata.name", &id.name) {
        return refuse(error.to_string());
    }
    if matches!(id.kind.as_str(), "ConfigMap" | "Secret") && id.group.is_empty() {
        let data = object.at(&["data"]).and_then(Value::as_object);
        let not_text = data.and_then(|data| data.iter().find(|(_, value)| value.as_str().is_none()));
        if let Some((key, _)) = not_text {
            return refuse(format!(".data.{key}: expected string"));
        }
    }
    Ok(())
}

/// What may not change.
pub(super) fn check_change(before: &Object, after: &Object, id: &ObjectId) -> Result<(), ClusterError> {
    let immutable = |why: &str| {
        Err(ClusterError::Immutable {
            object: id.to_string(),
            why: why.to_owned(),
        })
    };
    let differs = |path: &[&str]| before.at(path) != after.at(path);
    let frozen = before.at(&["immutable"]).and_then(Value::as_bool) == Some(true);
    if frozen && (differs(&["data"]) || differs(&["binaryData"]) || differs(&["immutable"])) {
        return immutable("data: field is immutable when `immutable` is set");
    }
    if matches!(id.kind.as_str(), "Deployment" | "StatefulSet" | "DaemonSet") && differs(&["spec", "selector"]) {
        return immutable("spec.selector: field is immutable");
    }
    if id.kind == "Job" && differs(&["spec", "template"]) {
        return immutable("spec.template: field is immutable");
    }
    Ok(())
}
