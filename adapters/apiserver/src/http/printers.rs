//! The columns of tables.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::clock;
use crate::crd::Column;
use crate::jsonpath;
use crate::resource::Resource;

fn column(name: &str, kind: &str, format: &str, priority: i64) -> Column {
    Column {
        name: name.to_owned(),
        kind: kind.to_owned(),
        format: format.to_owned(),
        description: String::new(),
        priority,
        path: String::new(),
    }
}

/// Columns of built-in kinds after the name, one kind a line: `Name`, or `Name*` (only in wide output).
static COLUMNS: &str = include_str!("../../data/columns.txt");

fn middle(storage: &str) -> Vec<&'static str> {
    let line = COLUMNS
        .lines()
        .find_map(|line| line.strip_prefix(storage)?.strip_prefix('\t'));
    line.unwrap_or("Age").split(',').collect()
}

/// The columns of a resource.
pub(crate) fn columns(resource: &Resource) -> Vec<Column> {
    let name = column("Name", "string", "name", 0);
    if let Some(custom) = &resource.custom {
        let mut columns = vec![name];
        if custom.columns.is_empty() {
            columns.push(column("Age", "date", "", 0));
        } else {
            columns.extend(custom.columns.iter().cloned());
        }
        return columns;
    }
    if &*resource.storage == "events" {
        let mut columns: Vec<Column> = ["Last Seen", "Type", "Reason", "Object"]
            .iter()
            .map(|name| column(name, "string", "", 0))
            .collect();
        columns.extend(["Subobject", "Source"].iter().map(|name| column(name, "string", "", 1)));
        columns.push(column("Message", "string", "", 0));
        columns.extend(["First Seen", "Count"].iter().map(|name| column(name, "string", "", 1)));
        columns.push(column("Name", "string", "name", 1));
        return columns;
    }
    let rest = middle(&resource.storage).into_iter().map(|text| {
        let wide = i64::from(text.ends_with('*'));
        let counted = matches!(
            &*resource.storage,
            "daemonsets.apps" | "replicasets.apps" | "replicationcontrollers" | "poddisruptionbudgets.policy"
        );
        let kind = match text {
            "Created At" => "date",
            "Desired" | "Current" | "Ready" | "Up-to-date" | "Available" | "Allowed Disruptions" if counted => {
                "integer"
            }
            _ => "string",
        };
        column(text.trim_end_matches('*'), kind, "", wide)
    });
    std::iter::once(name).chain(rest).collect()
}

/// The cells of an object, one for each column.
pub(crate) fn cells(resource: &Resource, object: &Value) -> Vec<Value> {
    let now = clock::now();
    if let Some(custom) = &resource.custom {
        let name = object["metadata"]["name"].clone();
        if custom.columns.is_empty() {
            return vec![name, json!(age(&object["metadata"]["creationTimestamp"], now))];
        }
        let rest = custom.columns.iter().map(|column| custom_cell(column, object, now));
        return std::iter::once(name).chain(rest).collect();
    }
    if &*resource.storage == "events" {
        return event(object, now);
    }
    let rest = middle(&resource.storage)
        .into_iter()
        .map(|column| built_in(&resource.storage, column, object, now));
    std::iter::once(object["metadata"]["name"].clone())
        .chain(rest)
        .collect()
}

fn custom_cell(column: &Column, object: &Value, now: Timestamp) -> Value {
    let found = jsonpath::find(&column.path, object);
    let Some(first) = found.first() else { return Value::Null };
    match column.kind.as_str() {
        "date" => json!(age(first, now)),
        "integer" => first.as_i64().map_or(Value::Null, Value::from),
        "number" => {
            if first.is_number() {
                (*first).clone()
            } else {
                Value::Null
            }
        }
        "boolean" => {
            if first.is_boolean() {
                (*first).clone()
            } else {
                Value::Null
            }
        }
        _ => {
            let texts: Vec<String> = found.iter().map(|value| text(value)).collect();
            json!(texts.join(" "))
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The time since, as people read it.
fn age(since: &Value, now: Timestamp) -> String {
    let Some(since) = since.as_str().and_then(|text| text.parse::<Timestamp>().ok()) else {
        return "<unknown>".to_owned();
    };
    human(now.as_second() - since.as_second())
}

/// Seconds in two units at most.
fn human(seconds: i64) -> String {
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    let two = |large: i64, small: i64, large_unit: &str, small_unit: &str| {
        if small == 0 {
            format!("{large}{large_unit}")
        } else {
            format!("{large}{large_unit}{small}{small_unit}")
        }
    };
    match seconds {
        ..0 => "0s".to_owned(),
        0..120 => format!("{seconds}s"),
        120..600 => two(minutes, seconds % 60, "m", "s"),
        600..10_800 => format!("{minutes}m"),
        10_800..28_800 => two(hours, minutes % 60, "h", "m"),
        28_800..172_800 => format!("{hours}h"),
        172_800..691_200 => two(days, hours % 24, "d", "h"),
        691_200..63_072_000 => format!("{days}d"),
        63_072_000..252_288_000 => two(days / 365, days % 365, "y", "d"),
        _ => format!("{}y", days / 365),
    }
}

fn event(object: &Value, now: Timestamp) -> Vec<Value> {
    let old = |old: &str, new: &str| object.get(old).or_else(|| object.get(new)).unwrap_or(&Value::Null);
    let about = old("involvedObject", "regarding");
    let time = |names: [&str; 3]| {
        let found = names
            .iter()
            .map(|name| old(name, "deprecatedLastTimestamp"))
            .find(|value| !value.is_null());
        found.map_or_else(
            || age(&object["metadata"]["creationTimestamp"], now),
            |value| age(value, now),
        )
    };
    let series = &object["series"]["lastObservedTime"];
    let last = if series.is_null() {
        time(["lastTimestamp", "eventTime", "firstTimestamp"])
    } else {
        age(series, now)
    };
    let kind = about["kind"].as_str().unwrap_or("").to_lowercase();
    let name = about["name"].as_str().unwrap_or("");
    let source = old("source", "deprecatedSource")["component"]
        .as_str()
        .filter(|text| !text.is_empty());
    let source = source
        .or_else(|| old("reportingComponent", "reportingController").as_str())
        .unwrap_or("");
    let count = object["series"]["count"]
        .as_i64()
        .or_else(|| old("count", "deprecatedCount").as_i64())
        .unwrap_or(1);
    vec![
        json!(last),
        object["type"].clone(),
        object["reason"].clone(),
        json!(format!("{kind}/{name}")),
        json!(about["fieldPath"].as_str().unwrap_or("")),
        json!(source),
        json!(old("message", "note").as_str().unwrap_or("").trim()),
        json!(time(["firstTimestamp", "eventTime", "lastTimestamp"])),
        json!(count),
        object["metadata"]["name"].clone(),
    ]
}

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or(0)
}

fn or_none(text: Option<&str>) -> Value {
    json!(text.filter(|text| !text.is_empty()).unwrap_or("<none>"))
}

fn joined(list: &Value, field: &str) -> String {
    let items = list.as_array().into_iter().flatten();
    items
        .filter_map(|item| {
            if field.is_empty() {
                item.as_str()
            } else {
                item[field].as_str()
            }
        })
        .collect::<Vec<_>>()
        .join(",")
}

fn labels(map: &Value) -> String {
    let pairs = map.as_object().into_iter().flatten();
    let pairs: Vec<String> = pairs.map(|(name, value)| format!("{name}={}", text(value))).collect();
    if pairs.is_empty() {
        "<none>".to_owned()
    } else {
        pairs.join(",")
    }
}

fn built_in(storage: &str, column: &str, object: &Value, now: Timestamp) -> Value {
    let (spec, status) = (&object["spec"], &object["status"]);
    let pod = match storage {
        "pods" => spec,
        "cronjobs.batch" => &spec["jobTemplate"]["spec"]["template"]["spec"],
        _ => &spec["template"]["spec"],
    };
    match column {
        "Age" => return json!(age(&object["metadata"]["creationTimestamp"], now)),
        "Created At" => return object["metadata"]["creationTimestamp"].clone(),
        "Containers*" => return json!(joined(&pod["containers"], "name")),
        "Images*" => return json!(joined(&pod["containers"], "image")),
        "Selector*" if storage == "services" => return json!(labels(&spec["selector"])),
        "Selector*" => return json!(labels(spec["selector"].get("matchLabels").unwrap_or(&spec["selector"]))),
        _ => {}
    }
    match storage {
        "pods" => pod_cell(column, object),
        "services" => service_cell(column, spec, status),
        "jobs.batch" => job_cell(column, object, now),
        "persistentvolumeclaims" | "persistentvolumes" => volume_cell(column, object),
        "nodes" => node_cell(column, object),
        _ => workload_cell(storage, column, object).unwrap_or_else(|| other_cell(storage, column, object, now)),
    }
}

fn workload_cell(storage: &str, column: &str, object: &Value) -> Option<Value> {
    let (spec, status) = (&object["spec"], &object["status"]);
    let value = match (storage, column) {
        ("deployments.apps" | "statefulsets.apps", "Ready") => {
            json!(format!(
                "{}/{}",
                number(&status["readyReplicas"]),
                number(&spec["replicas"])
            ))
        }
        ("deployments.apps", "Up-to-date") => json!(number(&status["updatedReplicas"])),
        ("deployments.apps", "Available") => json!(number(&status["availableReplicas"])),
        ("replicasets.apps" | "replicationcontrollers", "Desired") => json!(number(&spec["replicas"])),
        ("replicasets.apps" | "replicationcontrollers", "Current") => json!(number(&status["replicas"])),
        ("replicasets.apps" | "replicationcontrollers", "Ready") => json!(number(&status["readyReplicas"])),
        ("daemonsets.apps", "Desired") => json!(number(&status["desiredNumberScheduled"])),
        ("daemonsets.apps", "Current") => json!(number(&status["currentNumberScheduled"])),
        ("daemonsets.apps", "Ready") => json!(number(&status["numberReady"])),
        ("daemonsets.apps", "Up-to-date") => json!(number(&status["updatedNumberScheduled"])),
        ("daemonsets.apps", "Available") => json!(number(&status["numberAvailable"])),
        ("daemonsets.apps", "Node Selector") => json!(labels(&spec["template"]["spec"]["nodeSelector"])),
        _ => return None,
    };
    Some(value)
}

fn other_cell(storage: &str, column: &str, object: &Value, now: Timestamp) -> Value {
    let (spec, status) = (&object["spec"], &object["status"]);
    match (storage, column) {
        ("namespaces", "Status") => status["phase"].clone(),
        ("configmaps" | "secrets", "Data") => {
            let count = |field: &str| object[field].as_object().map_or(0, serde_json::Map::len);
            json!(count("data") + count("binaryData"))
        }
        ("secrets", "Type") => object["type"].clone(),
        ("cronjobs.batch", "Schedule") => spec["schedule"].clone(),
        ("cronjobs.batch", "Timezone") => or_none(spec["timeZone"].as_str()),
        ("cronjobs.batch", "Suspend") => json!(text(&json!(spec["suspend"] == json!(true)))),
        ("cronjobs.batch", "Active") => json!(status["active"].as_array().map_or(0, Vec::len)),
        ("cronjobs.batch", "Last Schedule") => {
            let last = &status["lastScheduleTime"];
            if last.is_null() {
                json!("<none>")
            } else {
                json!(age(last, now))
            }
        }
        ("ingresses.networking.k8s.io", "Class") => or_none(spec["ingressClassName"].as_str()),
        ("ingresses.networking.k8s.io", "Hosts") => {
            let hosts = joined(&spec["rules"], "host");
            json!(if hosts.is_empty() { "*".to_owned() } else { hosts })
        }
        ("ingresses.networking.k8s.io", "Address") => json!(joined(&status["loadBalancer"]["ingress"], "ip")),
        ("ingresses.networking.k8s.io", "Ports") => json!(if spec.get("tls").is_some() { "80, 443" } else { "80" }),
        ("storageclasses.storage.k8s.io", "Provisioner") => object["provisioner"].clone(),
        ("storageclasses.storage.k8s.io", "ReclaimPolicy") => object["reclaimPolicy"].clone(),
        ("storageclasses.storage.k8s.io", "VolumeBindingMode") => object["volumeBindingMode"].clone(),
        ("storageclasses.storage.k8s.io", "AllowVolumeExpansion") => {
            json!(object["allowVolumeExpansion"] == json!(true))
        }
        (_, "Value") => object["value"].clone(),
        (_, "Global-Default") => json!(object["globalDefault"] == json!(true)),
        (_, "PreemptionPolicy") => object["preemptionPolicy"].clone(),
        (_, "Controller") => spec["controller"].clone(),
        (_, "Parameters") => or_none(spec["parameters"]["name"].as_str()),
        (_, "Handler") => object["handler"].clone(),
        (_, "Webhooks") => json!(object["webhooks"].as_array().map_or(0, Vec::len)),
        ("apiservices.apiregistration.k8s.io", "Service") => json!("Local"),
        ("apiservices.apiregistration.k8s.io", "Available") => json!("True"),
        (_, "Users*") => json!(subjects(object, "User")),
        (_, "Groups*") => json!(subjects(object, "Group")),
        (_, "ServiceAccounts*") => json!(subjects(object, "ServiceAccount")),
        (_, "Role") => {
            let (kind, name) = (&object["roleRef"]["kind"], &object["roleRef"]["name"]);
            json!(format!(
                "{}/{}",
                kind.as_str().unwrap_or(""),
                name.as_str().unwrap_or("")
            ))
        }
        ("horizontalpodautoscalers.autoscaling", "Reference") => {
            let of = &spec["scaleTargetRef"];
            json!(format!(
                "{}/{}",
                of["kind"].as_str().unwrap_or(""),
                of["name"].as_str().unwrap_or("")
            ))
        }
        ("horizontalpodautoscalers.autoscaling", "Targets") => json!("<unknown>"),
        ("horizontalpodautoscalers.autoscaling", "MinPods") => json!(text(&spec["minReplicas"])),
        ("horizontalpodautoscalers.autoscaling", "MaxPods") => spec["maxReplicas"].clone(),
        ("horizontalpodautoscalers.autoscaling", "Replicas") => json!(number(&status["currentReplicas"])),
        ("poddisruptionbudgets.policy", "Min Available") => {
            json!(spec.get("minAvailable").map_or("N/A".to_owned(), text))
        }
        ("poddisruptionbudgets.policy", "Max Unavailable") => {
            json!(spec.get("maxUnavailable").map_or("N/A".to_owned(), text))
        }
        ("poddisruptionbudgets.policy", "Allowed Disruptions") => json!(number(&status["disruptionsAllowed"])),
        ("networkpolicies.networking.k8s.io", "Pod-Selector") => json!(labels(&spec["podSelector"]["matchLabels"])),
        ("leases.coordination.k8s.io", "Holder") => json!(spec["holderIdentity"].as_str().unwrap_or("")),
        _ => json!("<none>"),
    }
}

/// The names of a binding's subjects of one kind.
fn subjects(object: &Value, kind: &str) -> String {
    let all = object["subjects"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|subject| subject["kind"] == kind);
    let names = all.filter_map(|subject| {
        let name = subject["name"].as_str()?;
        Some(
            subject["namespace"]
                .as_str()
                .map_or_else(|| name.to_owned(), |space| format!("{space}/{name}")),
        )
    });
    names.collect::<Vec<_>>().join(", ")
}

fn pod_cell(column: &str, object: &Value) -> Value {
    let (spec, status) = (&object["spec"], &object["status"]);
    let containers = status["containerStatuses"].as_array().map_or(&[][..], Vec::as_slice);
    match column {
        "Ready" => {
            let ready = containers.iter().filter(|state| state["ready"] == json!(true)).count();
            json!(format!("{ready}/{}", spec["containers"].as_array().map_or(0, Vec::len)))
        }
        "Status" => {
            if object["metadata"].get("deletionTimestamp").is_some() {
                return json!("Terminating");
            }
            let waiting = containers
                .iter()
                .find_map(|state| state["state"]["waiting"]["reason"].as_str());
            let ended = containers
                .iter()
                .find_map(|state| state["state"]["terminated"]["reason"].as_str());
            let phase = status["reason"].as_str().or(status["phase"].as_str());
            json!(waiting.or(ended).or(phase).unwrap_or("Pending"))
        }
        "Restarts" => json!(
            containers
                .iter()
                .map(|state| number(&state["restartCount"]))
                .sum::<i64>()
                .to_string()
        ),
        "IP*" => or_none(status["podIP"].as_str()),
        "Node*" => or_none(spec["nodeName"].as_str()),
        _ => json!("<none>"),
    }
}

fn service_cell(column: &str, spec: &Value, status: &Value) -> Value {
    match column {
        "Type" => spec["type"].clone(),
        "Cluster-IP" => or_none(spec["clusterIP"].as_str()),
        "External-IP" => {
            let given = joined(&spec["externalIPs"], "");
            let balanced = joined(&status["loadBalancer"]["ingress"], "ip");
            if spec["type"] == "ExternalName" {
                return spec["externalName"].clone();
            }
            let pending = spec["type"] == "LoadBalancer";
            json!(match (balanced.as_str(), given.as_str()) {
                ("", "") if pending => "<pending>",
                ("", "") => "<none>",
                ("", given) => given,
                (balanced, _) => balanced,
            })
        }
        "Port(s)" => {
            let ports = spec["ports"].as_array().into_iter().flatten().map(|port| {
                let node = port["nodePort"]
                    .as_i64()
                    .map_or(String::new(), |node| format!(":{node}"));
                format!(
                    "{}{node}/{}",
                    number(&port["port"]),
                    port["protocol"].as_str().unwrap_or("TCP")
                )
            });
            let ports: Vec<String> = ports.collect();
            if ports.is_empty() {
                json!("<none>")
            } else {
                json!(ports.join(","))
            }
        }
        _ => json!("<none>"),
    }
}

fn job_cell(column: &str, object: &Value, now: Timestamp) -> Value {
    let (spec, status) = (&object["spec"], &object["status"]);
    let has = |kind: &str| {
        let conditions = status["conditions"].as_array().into_iter().flatten();
        conditions
            .into_iter()
            .any(|condition| condition["type"] == kind && condition["status"] == "True")
    };
    match column {
        "Status" => json!(if has("Complete") {
            "Complete"
        } else if has("Failed") {
            "Failed"
        } else if has("Suspended") {
            "Suspended"
        } else {
            "Running"
        }),
        "Completions" => {
            let wanted = spec["completions"]
                .as_i64()
                .map_or_else(|| "1".to_owned(), |count| count.to_string());
            json!(format!("{}/{wanted}", number(&status["succeeded"])))
        }
        "Duration" => {
            let time = |field: &str| status[field].as_str().and_then(|text| text.parse::<Timestamp>().ok());
            let end = time("completionTime").unwrap_or(now);
            json!(time("startTime").map_or_else(String::new, |start| human(end.as_second() - start.as_second())))
        }
        _ => json!("<none>"),
    }
}

fn volume_cell(column: &str, object: &Value) -> Value {
    let (spec, status) = (&object["spec"], &object["status"]);
    match column {
        "Status" => status["phase"].clone(),
        "VolumeAttributesClass" => json!(spec["volumeAttributesClassName"].as_str().unwrap_or("<unset>")),
        "VolumeMode*" => json!(spec["volumeMode"].as_str().unwrap_or("")),
        "Reason" => json!(status["reason"].as_str().unwrap_or("")),
        "Volume" => json!(spec["volumeName"].as_str().unwrap_or("")),
        "Capacity" => {
            let size = spec
                .pointer("/capacity/storage")
                .or_else(|| status.pointer("/capacity/storage"));
            json!(size.and_then(Value::as_str).unwrap_or(""))
        }
        "Access Modes" => {
            let modes = spec["accessModes"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str);
            let short = modes.map(|mode| match mode {
                "ReadWriteOnce" => "RWO",
                "ReadOnlyMany" => "ROX",
                "ReadWriteMany" => "RWX",
                "ReadWriteOncePod" => "RWOP",
                other => other,
            });
            json!(short.collect::<Vec<_>>().join(","))
        }
        "StorageClass" => json!(spec["storageClassName"].as_str().unwrap_or("")),
        "Reclaim Policy" => spec["persistentVolumeReclaimPolicy"].clone(),
        "Claim" => {
            let claim = &spec["claimRef"];
            let name = claim["name"].as_str().unwrap_or("");
            json!(if name.is_empty() {
                String::new()
            } else {
                format!("{}/{name}", claim["namespace"].as_str().unwrap_or(""))
            })
        }
        _ => json!("<none>"),
    }
}

fn node_cell(column: &str, object: &Value) -> Value {
    let conditions = object["status"]["conditions"].as_array().into_iter().flatten();
    match column {
        "Status" => {
            let ready = conditions
                .into_iter()
                .any(|one| one["type"] == "Ready" && one["status"] == "True");
            json!(if ready { "Ready" } else { "NotReady" })
        }
        "Version" => json!(object["status"]["nodeInfo"]["kubeletVersion"].as_str().unwrap_or("")),
        "Internal-IP*" => {
            let mut addresses = object["status"]["addresses"].as_array().into_iter().flatten();
            or_none(
                addresses
                    .find(|one| one["type"] == "InternalIP")
                    .and_then(|one| one["address"].as_str()),
            )
        }
        "OS-Image*" => or_none(object["status"]["nodeInfo"]["osImage"].as_str()),
        "Kernel-Version*" => or_none(object["status"]["nodeInfo"]["kernelVersion"].as_str()),
        "Container-Runtime*" => or_none(object["status"]["nodeInfo"]["containerRuntimeVersion"].as_str()),
        _ => json!("<none>"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource::Registry;

    #[test]
    fn every_row_has_a_cell_for_each_column() {
        for resource in Registry::new().all() {
            assert_eq!(
                cells(resource, &json!({})).len(),
                columns(resource).len(),
                "{}",
                resource.storage
            );
        }
    }

    #[test]
    fn ages_have_two_units_at_most() {
        for (seconds, expect) in [
            (5, "5s"),
            (125, "2m5s"),
            (660, "11m"),
            (10_860, "3h1m"),
            (90_000, "25h"),
            (1_000_000, "11d"),
        ] {
            assert_eq!(human(seconds), expect);
        }
    }
}
