//! Built-in kinds: what a missing field means, and which fields must be there.

use serde_json::{Map, Value, json};

use crate::select::LabelSelector;
use crate::status::FieldError;
use crate::types::{Type, View};

/// Sets a field when it is absent.
fn or(value: &mut Value, field: &str, default: Value) {
    if value.is_null() {
        *value = Value::Object(Map::new());
    }
    if let Some(object) = value.as_object_mut() {
        object.entry(field.to_owned()).or_insert(default);
    }
}

fn each(value: &mut Value, field: &str, mut then: impl FnMut(&mut Value)) {
    for item in value.get_mut(field).and_then(Value::as_array_mut).into_iter().flatten() {
        then(item);
    }
}

/// Fills in the defaults that clients and controllers look at.
pub(crate) fn fill(storage: &str, object: &mut Value) {
    match storage {
        "deployments.apps" => deployment(object),
        "statefulsets.apps" => stateful_set(object),
        "daemonsets.apps" => daemon_set(object),
        "replicasets.apps" | "replicationcontrollers" => {
            or(&mut object["spec"], "replicas", json!(1));
            template(&mut object["spec"]["template"]);
        }
        "jobs.batch" => job(&mut object["spec"]),
        "cronjobs.batch" => {
            let spec = &mut object["spec"];
            or(spec, "concurrencyPolicy", json!("Allow"));
            or(spec, "suspend", json!(false));
            or(spec, "successfulJobsHistoryLimit", json!(3));
            or(spec, "failedJobsHistoryLimit", json!(1));
            if let Some(template_spec) = spec.pointer_mut("/jobTemplate/spec/template") {
                template(template_spec);
            }
        }
        "pods" => {
            pod_spec(&mut object["spec"]);
            or(&mut object["spec"], "enableServiceLinks", json!(true));
        }
        "podtemplates" => template(&mut object["template"]),
        "services" => service(&mut object["spec"]),
        "secrets" => secret(object),
        "namespaces" => {
            let name = object["metadata"]["name"].clone();
            or(&mut object["metadata"]["labels"], "kubernetes.io/metadata.name", name);
        }
        "persistentvolumeclaims" => or(&mut object["spec"], "volumeMode", json!("Filesystem")),
        "persistentvolumes" => {
            or(&mut object["spec"], "persistentVolumeReclaimPolicy", json!("Retain"));
            or(&mut object["spec"], "volumeMode", json!("Filesystem"));
        }
        "storageclasses.storage.k8s.io" => {
            or(object, "reclaimPolicy", json!("Delete"));
            or(object, "volumeBindingMode", json!("Immediate"));
        }
        "horizontalpodautoscalers.autoscaling" => {
            or(&mut object["spec"], "minReplicas", json!(1));
            let target = json!({"type": "Utilization", "averageUtilization": 80});
            let metrics = json!([{"type": "Resource", "resource": {"name": "cpu", "target": target}}]);
            or(&mut object["spec"], "metrics", metrics);
        }
        "networkpolicies.networking.k8s.io" => {
            let egress = object["spec"].get("egress").is_some();
            let types = if egress {
                json!(["Ingress", "Egress"])
            } else {
                json!(["Ingress"])
            };
            or(&mut object["spec"], "policyTypes", types);
        }
        "rolebindings.rbac.authorization.k8s.io" | "clusterrolebindings.rbac.authorization.k8s.io" => {
            or(&mut object["roleRef"], "apiGroup", json!("rbac.authorization.k8s.io"));
            each(object, "subjects", |subject| {
                let group = if subject["kind"] == "ServiceAccount" {
                    ""
                } else {
                    "rbac.authorization.k8s.io"
                };
                if !group.is_empty() {
                    or(subject, "apiGroup", json!(group));
                }
            });
        }
        "customresourcedefinitions.apiextensions.k8s.io" => crate::crd::fill(object),
        _ => {}
    }
}

fn deployment(object: &mut Value) {
    let spec = &mut object["spec"];
    or(spec, "replicas", json!(1));
    or(spec, "revisionHistoryLimit", json!(10));
    or(spec, "progressDeadlineSeconds", json!(600));
    or(&mut spec["strategy"], "type", json!("RollingUpdate"));
    if spec["strategy"]["type"] == "RollingUpdate" {
        or(&mut spec["strategy"]["rollingUpdate"], "maxUnavailable", json!("25%"));
        or(&mut spec["strategy"]["rollingUpdate"], "maxSurge", json!("25%"));
    }
    template(&mut spec["template"]);
}

fn stateful_set(object: &mut Value) {
    let spec = &mut object["spec"];
    or(spec, "replicas", json!(1));
    or(spec, "revisionHistoryLimit", json!(10));
    or(spec, "podManagementPolicy", json!("OrderedReady"));
    or(&mut spec["updateStrategy"], "type", json!("RollingUpdate"));
    if spec["updateStrategy"]["type"] == "RollingUpdate" {
        or(&mut spec["updateStrategy"]["rollingUpdate"], "partition", json!(0));
    }
    let retain = json!({"whenDeleted": "Retain", "whenScaled": "Retain"});
    or(spec, "persistentVolumeClaimRetentionPolicy", retain);
    each(spec, "volumeClaimTemplates", |claim| {
        or(claim, "apiVersion", json!("v1"));
        or(claim, "kind", json!("PersistentVolumeClaim"));
        or(&mut claim["spec"], "volumeMode", json!("Filesystem"));
        or(&mut claim["status"], "phase", json!("Pending"));
    });
    template(&mut spec["template"]);
}

fn daemon_set(object: &mut Value) {
    or(
        &mut object["metadata"]["annotations"],
        "deprecated.daemonset.template.generation",
        json!("1"),
    );
    let spec = &mut object["spec"];
    or(spec, "revisionHistoryLimit", json!(10));
    or(&mut spec["updateStrategy"], "type", json!("RollingUpdate"));
    if spec["updateStrategy"]["type"] == "RollingUpdate" {
        or(&mut spec["updateStrategy"]["rollingUpdate"], "maxUnavailable", json!(1));
        or(&mut spec["updateStrategy"]["rollingUpdate"], "maxSurge", json!(0));
    }
    template(&mut spec["template"]);
}

fn job(spec: &mut Value) {
    if spec.get("completions").is_none() && spec.get("parallelism").is_none() {
        or(spec, "completions", json!(1));
    }
    or(spec, "parallelism", json!(1));
    or(spec, "backoffLimit", json!(6));
    or(spec, "completionMode", json!("NonIndexed"));
    or(spec, "suspend", json!(false));
    or(spec, "manualSelector", json!(false));
    or(spec, "podReplacementPolicy", json!("TerminatingOrFailed"));
    template(&mut spec["template"]);
}

fn template(template: &mut Value) {
    if template.is_object() {
        pod_spec(&mut template["spec"]);
    }
}

fn pod_spec(spec: &mut Value) {
    if !spec.is_object() {
        return;
    }
    or(spec, "restartPolicy", json!("Always"));
    or(spec, "dnsPolicy", json!("ClusterFirst"));
    or(spec, "schedulerName", json!("default-scheduler"));
    or(spec, "terminationGracePeriodSeconds", json!(30));
    or(spec, "securityContext", json!({}));
    if let Some(account) = spec.get("serviceAccountName").cloned() {
        or(spec, "serviceAccount", account);
    } else if let Some(account) = spec.get("serviceAccount").cloned() {
        or(spec, "serviceAccountName", account);
    }
    for list in ["containers", "initContainers", "ephemeralContainers"] {
        each(spec, list, container);
    }
    each(spec, "volumes", |volume| {
        for source in ["configMap", "secret", "downwardAPI", "projected"] {
            if volume.get(source).is_some() {
                or(&mut volume[source], "defaultMode", json!(420));
            }
        }
        if volume.get("hostPath").is_some() {
            or(&mut volume["hostPath"], "type", json!(""));
        }
        let has_source = volume.as_object().is_some_and(|volume| volume.len() > 1);
        if !has_source {
            or(volume, "emptyDir", json!({}));
        }
    });
}

fn container(container: &mut Value) {
    let image = container["image"].as_str().unwrap_or("").to_owned();
    let tag = image
        .rsplit('/')
        .next()
        .and_then(|last| last.split_once(':'))
        .map(|(_, tag)| tag);
    let latest = !image.contains('@') && matches!(tag, None | Some("latest"));
    or(
        container,
        "imagePullPolicy",
        json!(if latest { "Always" } else { "IfNotPresent" }),
    );
    or(container, "terminationMessagePath", json!("/dev/termination-log"));
    or(container, "terminationMessagePolicy", json!("File"));
    or(container, "resources", json!({}));
    each(container, "ports", |port| or(port, "protocol", json!("TCP")));
    each(container, "env", |env| {
        if let Some(field) = env.pointer_mut("/valueFrom/fieldRef") {
            or(field, "apiVersion", json!("v1"));
        }
    });
    for probe in ["livenessProbe", "readinessProbe", "startupProbe"] {
        let Some(probe) = container.get_mut(probe) else {
            continue;
        };
        or(probe, "timeoutSeconds", json!(1));
        or(probe, "periodSeconds", json!(10));
        or(probe, "successThreshold", json!(1));
        or(probe, "failureThreshold", json!(3));
        if let Some(get) = probe.get_mut("httpGet") {
            or(get, "scheme", json!("HTTP"));
            or(get, "path", json!("/"));
        }
    }
}

fn service(spec: &mut Value) {
    or(spec, "type", json!("ClusterIP"));
    or(spec, "sessionAffinity", json!("None"));
    each(spec, "ports", |port| {
        or(port, "protocol", json!("TCP"));
        let number = port["port"].clone();
        or(port, "targetPort", number);
    });
    if spec["type"] != "ExternalName" {
        or(spec, "internalTrafficPolicy", json!("Cluster"));
    }
    if spec["type"] == "NodePort" || spec["type"] == "LoadBalancer" {
        or(spec, "externalTrafficPolicy", json!("Cluster"));
    }
    if spec["type"] == "LoadBalancer" {
        or(spec, "allocateLoadBalancerNodePorts", json!(true));
    }
}

fn secret(object: &mut Value) {
    or(object, "type", json!("Opaque"));
    let plain = object.as_object_mut().and_then(|object| object.remove("stringData"));
    for (name, text) in plain.as_ref().and_then(Value::as_object).into_iter().flatten() {
        object["data"][name] = json!(encode_base64(text.as_str().unwrap_or("").as_bytes()));
    }
}

/// Standard base64 with padding.
pub(crate) fn encode_base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let mut group = 0_u32;
        for at in 0..3 {
            group = (group << 8) | u32::from(chunk.get(at).copied().unwrap_or(0));
        }
        for at in 0..4 {
            let digit = usize::try_from((group >> (18 - 6 * at)) & 63).unwrap_or(0);
            out.push(if at <= chunk.len() {
                char::from(DIGITS[digit])
            } else {
                '='
            });
        }
    }
    out
}

/// Kinds in whose specification the required fields of the type table are really demanded.
const STRICT: &[&str] = &[
    "deployments.apps",
    "statefulsets.apps",
    "daemonsets.apps",
    "replicasets.apps",
    "jobs.batch",
    "cronjobs.batch",
    "pods",
    "services",
    "ingresses.networking.k8s.io",
    "horizontalpodautoscalers.autoscaling",
];

/// What is wrong with a built-in object.
pub(crate) fn check(storage: &str, ty: &Type, object: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if STRICT.contains(&storage)
        && let (Some(spec), View::Map(map)) = (object.get("spec"), ty.view(None))
    {
        required(map.child("spec"), spec, "spec", &mut errors);
    }
    match storage {
        "deployments.apps" | "statefulsets.apps" | "daemonsets.apps" | "replicasets.apps" => {
            workload(object, &mut errors);
        }
        "pods" => pod(&object["spec"], "spec", &mut errors),
        "jobs.batch" => {
            pod(&object["spec"]["template"]["spec"], "spec.template.spec", &mut errors);
            let policy = &object["spec"]["template"]["spec"]["restartPolicy"];
            if policy == "Always" {
                let why = "valid values: \"OnFailure\", \"Never\"";
                errors.push(FieldError::required("spec.template.spec.restartPolicy", why));
            }
        }
        "services" => ports(&object["spec"], &mut errors),
        "configmaps" => data_keys(object, &["data", "binaryData"], &mut errors),
        "secrets" => data_keys(object, &["data"], &mut errors),
        "rolebindings.rbac.authorization.k8s.io" | "clusterrolebindings.rbac.authorization.k8s.io"
            if object["roleRef"]["name"].as_str().unwrap_or("").is_empty() =>
        {
            errors.push(FieldError::required("roleRef.name", ""));
        }
        _ => {}
    }
    errors
}

fn required(ty: &Type, value: &Value, path: &str, errors: &mut Vec<FieldError>) {
    match ty.view(Some(value)) {
        View::Leaf => {}
        View::List(element, _) => {
            for (at, item) in value.as_array().into_iter().flatten().enumerate() {
                required(element, item, &format!("{path}[{at}]"), errors);
            }
        }
        View::Map(map) => {
            let Some(object) = value.as_object() else { return };
            for (name, field) in map.fields.into_iter().flatten() {
                let given = object
                    .get(name)
                    .filter(|value| !value.is_null() && **value != json!("") && **value != json!([]));
                if field.required && given.is_none() && name != "podSelector" {
                    errors.push(FieldError::required(format!("{path}.{name}"), ""));
                }
            }
            for (name, child) in object {
                if map.field(name).is_some() {
                    required(map.child(name), child, &format!("{path}.{name}"), errors);
                }
            }
        }
    }
}

fn workload(object: &Value, errors: &mut Vec<FieldError>) {
    let spec = &object["spec"];
    let selector = LabelSelector::of_object(&spec["selector"]);
    let given = !spec["selector"].is_null();
    if given && selector.is_empty() {
        let why = "empty selector is invalid for deployment";
        errors.push(FieldError::invalid("spec.selector", &spec["selector"], why));
    } else if !given || !selector.matches(&spec["template"]) {
        let labels = spec["template"]["metadata"].get("labels").unwrap_or(&Value::Null);
        let why = "`selector` does not match template `labels`";
        // Between the selector and the pod, where the strategy of a reader expects it.
        let place = errors
            .iter()
            .position(|error| error.field.starts_with("spec.template."))
            .unwrap_or(errors.len());
        errors.insert(place, FieldError::invalid("spec.template.metadata.labels", labels, why));
    }
    if spec["replicas"].as_i64().is_some_and(|replicas| replicas < 0) {
        let why = "must be greater than or equal to 0";
        errors.push(FieldError::invalid("spec.replicas", &spec["replicas"], why));
    }
    pod(&spec["template"]["spec"], "spec.template.spec", errors);
    let policy = &spec["template"]["spec"]["restartPolicy"];
    if policy.as_str().is_some_and(|policy| policy != "Always") {
        errors.push(FieldError::not_supported(
            "spec.template.spec.restartPolicy",
            policy,
            &["Always".to_owned()],
        ));
    }
}

fn pod(spec: &Value, path: &str, errors: &mut Vec<FieldError>) {
    let volumes: Vec<&str> = spec["volumes"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|volume| volume["name"].as_str())
        .collect();
    for list in ["initContainers", "containers"] {
        let mut names = Vec::new();
        for (at, container) in spec[list].as_array().into_iter().flatten().enumerate() {
            let path = format!("{path}.{list}[{at}]");
            let name = &container["name"];
            if names.contains(&name) {
                errors.push(FieldError::duplicate(format!("{path}.name"), name));
            }
            names.push(name);
            container_ports(container, &path, errors);
            if container["image"].as_str().unwrap_or("").is_empty() {
                errors.push(FieldError::required(format!("{path}.image"), ""));
            }
            for (at, mount) in container["volumeMounts"].as_array().into_iter().flatten().enumerate() {
                if let Some(name) = mount["name"].as_str()
                    && !volumes.contains(&name)
                {
                    let path = format!("{path}.volumeMounts[{at}].name");
                    errors.push(FieldError {
                        field: path,
                        kind: crate::status::FieldErrorKind::NotFound,
                        message: format!("Not found: {}", json!(name)),
                    });
                }
            }
        }
    }
}

fn container_ports(container: &Value, path: &str, errors: &mut Vec<FieldError>) {
    for (at, port) in container["ports"].as_array().into_iter().flatten().enumerate() {
        let number = &port["containerPort"];
        if number.as_i64().is_some_and(|number| !(1..=65_535).contains(&number)) {
            let why = "must be between 1 and 65535, inclusive";
            errors.push(FieldError::invalid(
                format!("{path}.ports[{at}].containerPort"),
                number,
                why,
            ));
        }
    }
}

fn ports(spec: &Value, errors: &mut Vec<FieldError>) {
    let ports = spec["ports"].as_array();
    let headless = spec["clusterIP"] == "None" || spec["type"] == "ExternalName";
    if ports.is_none_or(Vec::is_empty) && !headless {
        errors.push(FieldError::required("spec.ports", ""));
    }
    let many = ports.is_some_and(|ports| ports.len() > 1);
    for (at, port) in ports.into_iter().flatten().enumerate() {
        if many && port["name"].as_str().unwrap_or("").is_empty() {
            errors.push(FieldError::required(format!("spec.ports[{at}].name"), ""));
        }
        for field in ["port", "targetPort"] {
            if port[field].as_i64().is_some_and(|port| !(1..=65_535).contains(&port)) {
                let why = "must be between 1 and 65535, inclusive";
                errors.push(FieldError::invalid(
                    format!("spec.ports[{at}].{field}"),
                    &port[field],
                    why,
                ));
            }
        }
    }
    let kind = &spec["type"];
    if !kind.is_null()
        && !matches!(
            kind.as_str(),
            Some("ClusterIP" | "NodePort" | "LoadBalancer" | "ExternalName")
        )
    {
        let allowed = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"].map(str::to_owned);
        errors.push(FieldError::not_supported("spec.type", kind, &allowed));
    }
}

fn data_keys(object: &Value, fields: &[&str], errors: &mut Vec<FieldError>) {
    for field in fields {
        for name in object[*field].as_object().into_iter().flatten().map(|(name, _)| name) {
            let good = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
            if name.is_empty() || name.len() > 253 || !name.bytes().all(good) || matches!(name.as_str(), "." | "..") {
                let why = "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
                errors.push(FieldError::invalid(format!("{field}[{name}]"), &json!(name), why));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::builtin::named;

    #[test]
    fn a_deployment_without_selector_and_image_names_both() {
        let mut object =
            json!({"metadata": {"name": "a"}, "spec": {"template": {"spec": {"containers": [{"name": "a"}]}}}});
        fill("deployments.apps", &mut object);
        assert_eq!(object["spec"]["replicas"], 1);
        let fields: Vec<String> = check("deployments.apps", &named("Deployment"), &object)
            .into_iter()
            .map(|error| error.field)
            .collect();
        assert_eq!(
            fields,
            [
                "spec.selector",
                "spec.template.metadata.labels",
                "spec.template.spec.containers[0].image"
            ]
        );
    }

    #[test]
    fn plain_secret_text_is_encoded() {
        let mut object = json!({"stringData": {"a": "x", "b": "xy", "c": "xyz"}});
        fill("secrets", &mut object);
        assert_eq!(object["data"], json!({"a": "eA==", "b": "eHk=", "c": "eHl6"}));
        assert_eq!(object.get("stringData"), None);
    }
}
