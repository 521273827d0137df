//! Fields that cannot change once set: the ones that people meet.

use serde_json::{Value, json};

use crate::status::FieldError;

const IMMUTABLE: &str = "field is immutable";

/// What is wrong with changing a built-in object from `old` to `new`.
pub(crate) fn check(storage: &str, old: &Value, new: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut frozen = |path: &str, why: &str| {
        let pointer = format!("/{}", path.replace('.', "/"));
        let (before, after) = (old.pointer(&pointer), new.pointer(&pointer));
        if before != after {
            errors.push(FieldError::invalid(path, after.unwrap_or(&Value::Null), why));
        }
    };
    match storage {
        "deployments.apps" | "daemonsets.apps" | "replicasets.apps" => frozen("spec.selector", IMMUTABLE),
        "jobs.batch" => {
            frozen("spec.completions", IMMUTABLE);
            frozen("spec.selector", IMMUTABLE);
            frozen("spec.template", IMMUTABLE);
        }
        "rolebindings.rbac.authorization.k8s.io" | "clusterrolebindings.rbac.authorization.k8s.io" => {
            frozen("roleRef", "cannot change roleRef");
        }
        "secrets" => frozen("type", IMMUTABLE),
        "storageclasses.storage.k8s.io" => {
            frozen("provisioner", IMMUTABLE);
            frozen("parameters", IMMUTABLE);
        }
        "priorityclasses.scheduling.k8s.io" => frozen("value", IMMUTABLE),
        _ => {}
    }
    match storage {
        "statefulsets.apps" => stateful_set(&old["spec"], &new["spec"], &mut errors),
        "services" => service(&old["spec"], &new["spec"], &mut errors),
        "configmaps" => sealed(old, new, &["data", "binaryData"], &mut errors),
        "secrets" => sealed(old, new, &["data"], &mut errors),
        "persistentvolumeclaims" => claim(&old["spec"], &new["spec"], &mut errors),
        "pods" => pod(&old["spec"], &new["spec"], &mut errors),
        _ => {}
    }
    errors
}

/// The value without the named fields.
fn without(value: &Value, fields: &[&str]) -> Value {
    let mut value = value.clone();
    if let Some(object) = value.as_object_mut() {
        object.retain(|name, _| !fields.contains(&name.as_str()));
    }
    value
}

fn stateful_set(old: &Value, new: &Value, errors: &mut Vec<FieldError>) {
    const FREE: &[&str] = &[
        "replicas",
        "ordinals",
        "template",
        "updateStrategy",
        "revisionHistoryLimit",
        "persistentVolumeClaimRetentionPolicy",
        "minReadySeconds",
    ];
    if without(old, FREE) != without(new, FREE) {
        errors.push(FieldError::forbidden(
            "spec",
            "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', \
             'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
        ));
    }
}

fn service(old: &Value, new: &Value, errors: &mut Vec<FieldError>) {
    if old["type"] == "ExternalName" || new["type"] == "ExternalName" {
        return;
    }
    let before = old["clusterIP"].as_str().unwrap_or("");
    if !before.is_empty() && new["clusterIP"] != old["clusterIP"] {
        let addresses = json!([new["clusterIP"]]);
        errors.push(FieldError::invalid(
            "spec.clusterIPs[0]",
            &addresses,
            "may not change once set",
        ));
    }
}

fn sealed(old: &Value, new: &Value, fields: &[&str], errors: &mut Vec<FieldError>) {
    if old["immutable"] != json!(true) {
        return;
    }
    let why = "field is immutable when `immutable` is set";
    if new["immutable"] != json!(true) {
        errors.push(FieldError::forbidden("immutable", why));
    }
    for field in fields {
        if old.get(field) != new.get(field) {
            errors.push(FieldError::forbidden(*field, why));
        }
    }
}

fn claim(old: &Value, new: &Value, errors: &mut Vec<FieldError>) {
    const FREE: &[&str] = &["resources", "volumeAttributesClassName", "volumeName"];
    if without(old, FREE) != without(new, FREE) {
        let why =
            "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
        errors.push(FieldError::forbidden("spec", why));
    }
}

fn pod(old: &Value, new: &Value, errors: &mut Vec<FieldError>) {
    const FREE: &[&str] = &[
        "activeDeadlineSeconds",
        "tolerations",
        "terminationGracePeriodSeconds",
        "ephemeralContainers",
        "nodeName",
    ];
    let plain = |spec: &Value| {
        let mut spec = without(spec, FREE);
        for list in ["containers", "initContainers"] {
            for container in spec.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
                *container = without(container, &["image"]);
            }
        }
        spec
    };
    if plain(old) != plain(new) {
        errors.push(FieldError::forbidden(
            "spec",
            "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,\
             `spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),\
             `spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_meet_is_refused() {
        for (storage, old, new, field) in [
            (
                "deployments.apps",
                json!({"spec": {"selector": {"a": 1}}}),
                json!({"spec": {"selector": {"a": 2}}}),
                "spec.selector",
            ),
            (
                "configmaps",
                json!({"immutable": true, "data": {"a": "1"}}),
                json!({"immutable": true}),
                "data",
            ),
            ("secrets", json!({"type": "a"}), json!({"type": "b"}), "type"),
            (
                "services",
                json!({"spec": {"clusterIP": "10.0.0.1"}}),
                json!({"spec": {"clusterIP": "10.0.0.2"}}),
                "spec.clusterIPs[0]",
            ),
            (
                "statefulsets.apps",
                json!({"spec": {"serviceName": "a"}}),
                json!({"spec": {"serviceName": "b"}}),
                "spec",
            ),
            (
                "persistentvolumeclaims",
                json!({"spec": {"storageClassName": "a"}}),
                json!({"spec": {}}),
                "spec",
            ),
        ] {
            assert_eq!(check(storage, &old, &old), [], "{storage}");
            let fields: Vec<String> = check(storage, &old, &new)
                .into_iter()
                .map(|error| error.field)
                .collect();
            assert_eq!(fields, [field], "{storage}");
        }
    }
}
