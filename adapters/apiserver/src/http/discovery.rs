//! What is served, in the three shapes of discovery.

use serde_json::{Value, json};

use crate::resource::{Registry, Resource, Subresource, api_version};

/// The version that the server says it is.
pub(crate) fn version() -> Value {
    json!({
        "major": "1", "minor": "36", "gitVersion": "v1.36.0+convoy", "gitCommit": "0000000000000000000000000000000000000000",
        "gitTreeState": "clean", "buildDate": "2026-01-01T00:00:00Z", "goVersion": "go1.26", "compiler": "rustc",
        "platform": "linux/amd64",
    })
}

/// `/api`.
pub(crate) fn core_versions(address: &str) -> Value {
    json!({"kind": "APIVersions", "versions": ["v1"],
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": address}]})
}

fn group_of(group: &str, versions: &[String]) -> Value {
    let all: Vec<Value> = versions
        .iter()
        .map(|version| json!({"groupVersion": api_version(group, version), "version": version}))
        .collect();
    json!({"name": group, "versions": all, "preferredVersion": all.first()})
}

/// `/apis`.
pub(crate) fn groups(registry: &Registry) -> Value {
    let named = registry.groups().iter().filter(|(group, _)| !group.is_empty());
    let groups: Vec<Value> = named.map(|(group, versions)| group_of(group, versions)).collect();
    json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
}

/// `/apis/<group>`.
pub(crate) fn group(registry: &Registry, name: &str) -> Option<Value> {
    let (group, versions) = registry
        .groups()
        .iter()
        .find(|(group, _)| group == name && !group.is_empty())?;
    let mut value = group_of(group, versions);
    value["kind"] = json!("APIGroup");
    value["apiVersion"] = json!("v1");
    Some(value)
}

/// `/api/v1` and `/apis/<group>/<version>`.
pub(crate) fn resources(registry: &Registry, group: &str, version: &str) -> Option<Value> {
    let mut list = Vec::new();
    for resource in registry.in_version(group, version) {
        list.push(entry(resource));
        list.extend(resource.subresources.iter().map(|sub| sub_entry(resource, sub)));
    }
    if list.is_empty() {
        return None;
    }
    Some(
        json!({"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": api_version(group, version), "resources": list}),
    )
}

fn entry(resource: &Resource) -> Value {
    let mut value = json!({
        "name": resource.plural, "singularName": resource.singular, "namespaced": resource.namespaced,
        "kind": resource.kind, "verbs": resource.verbs,
    });
    if !resource.short_names.is_empty() {
        value["shortNames"] = json!(resource.short_names);
    }
    if !resource.categories.is_empty() {
        value["categories"] = json!(resource.categories);
    }
    value
}

fn sub_entry(resource: &Resource, sub: &Subresource) -> Value {
    let mut value = json!({
        "name": format!("{}/{}", resource.plural, sub.name), "singularName": "", "namespaced": resource.namespaced,
        "kind": sub.kind, "verbs": sub.verbs,
    });
    if !sub.version.is_empty() && (sub.group != resource.group || sub.version != resource.version) {
        value["group"] = json!(sub.group);
        value["version"] = json!(sub.version);
    }
    value
}

/// All resources in one document: the core group for `/api`, the others for `/apis`.
pub(crate) fn aggregated(registry: &Registry, core: bool) -> Value {
    let groups = registry.groups().iter().filter(|(group, _)| group.is_empty() == core);
    let items: Vec<Value> = groups
        .map(|(group, versions)| {
            let versions: Vec<Value> = versions
                .iter()
                .map(|version| {
                    let list: Vec<Value> = registry
                        .in_version(group, version)
                        .map(|resource| aggregated_entry(resource))
                        .collect();
                    json!({"version": version, "resources": list, "freshness": "Current"})
                })
                .collect();
            let metadata = if group.is_empty() {
                json!({"creationTimestamp": null})
            } else {
                json!({"name": group, "creationTimestamp": null})
            };
            json!({"metadata": metadata, "versions": versions})
        })
        .collect();
    json!({"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}, "items": items})
}

fn aggregated_entry(resource: &Resource) -> Value {
    let kind = |group: &str, version: &str, kind: &str| json!({"group": group, "version": version, "kind": kind});
    let mut value = json!({
        "resource": resource.plural, "responseKind": kind(&resource.group, &resource.version, &resource.kind),
        "scope": if resource.namespaced { "Namespaced" } else { "Cluster" },
        "singularResource": resource.singular, "verbs": resource.verbs,
    });
    if !resource.short_names.is_empty() {
        value["shortNames"] = json!(resource.short_names);
    }
    if !resource.categories.is_empty() {
        value["categories"] = json!(resource.categories);
    }
    let subs: Vec<Value> = resource
        .subresources
        .iter()
        .map(|sub| {
            let (group, version) = if sub.version.is_empty() {
                (&resource.group, &resource.version)
            } else {
                (&sub.group, &sub.version)
            };
            json!({"subresource": sub.name, "responseKind": kind(group, version, &sub.kind), "verbs": sub.verbs})
        })
        .collect();
    if !subs.is_empty() {
        value["subresources"] = json!(subs);
    }
    value
}
