//! The kinds that a new cluster serves, and those that definitions add.

use std::collections::BTreeMap;

use convoy_domain::id::Gvk;
use convoy_domain::object::{Object, Scope};
use convoy_ports::Kind;
use convoy_value::Value;

use Scope::{Cluster, Namespaced};

const SERVED: &[(&str, &str, &str, &str, Scope)] = &[
    ("", "v1", "Namespace", "namespaces", Cluster),
    ("", "v1", "Node", "nodes", Cluster),
    ("", "v1", "PersistentVolume", "persistentvolumes", Cluster),
    ("", "v1", "ConfigMap", "configmaps", Namespaced),
    ("", "v1", "Secret", "secrets", Namespaced),
    ("", "v1", "Service", "services", Namespaced),
    ("", "v1", "ServiceAccount", "serviceaccounts", Namespaced),
    ("", "v1", "Pod", "pods", Namespaced),
    ("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", Namespaced),
    ("apps", "v1", "Deployment", "deployments", Namespaced),
    ("apps", "v1", "StatefulSet", "statefulsets", Namespaced),
    ("apps", "v1", "DaemonSet", "daemonsets", Namespaced),
    ("apps", "v1", "ReplicaSet", "replicasets", Namespaced),
    ("batch", "v1", "Job", "jobs", Namespaced),
    ("batch", "v1", "CronJob", "cronjobs", Namespaced),
    ("networking.k8s.io", "v1", "Ingress", "ingresses", Namespaced),
    (
        "policy",
        "v1",
        "PodDisruptionBudget",
        "poddisruptionbudgets",
        Namespaced,
    ),
    ("rbac.authorization.k8s.io", "v1", "Role", "roles", Namespaced),
    (
        "rbac.authorization.k8s.io",
        "v1",
        "RoleBinding",
        "rolebindings",
        Namespaced,
    ),
    (
        "rbac.authorization.k8s.io",
        "v1",
        "ClusterRole",
        "clusterroles",
        Cluster,
    ),
    (
        "rbac.authorization.k8s.io",
        "v1",
        "ClusterRoleBinding",
        "clusterrolebindings",
        Cluster,
    ),
    (
        "apiextensions.k8s.io",
        "v1",
        "CustomResourceDefinition",
        "customresourcedefinitions",
        Cluster,
    ),
];

/// The kinds of a new cluster, by group and kind.
pub(super) fn served() -> BTreeMap<(String, String), Kind> {
    let entry = |&(group, version, name, plural, scope): &(&str, &str, &str, &str, Scope)| {
        (
            (group.to_owned(), name.to_owned()),
            kind(group, version, name, plural, scope),
        )
    };
    SERVED.iter().map(entry).collect()
}

pub(super) fn kind(group: &str, version: &str, name: &str, plural: &str, scope: Scope) -> Kind {
    Kind {
        gvk: Gvk {
            group: group.to_owned(),
            version: version.to_owned(),
            kind: name.to_owned(),
        },
        plural: plural.to_owned(),
        scope,
    }
}

/// The kind that a `CustomResourceDefinition` adds: its first version.
pub(super) fn defined(definition: &Object) -> Option<Kind> {
    let version = definition.at(&["spec", "versions"])?.as_array()?.first()?;
    let scope = match definition.text(&["spec", "scope"]) {
        "Cluster" => Cluster,
        _ => Namespaced,
    };
    Some(kind(
        definition.text(&["spec", "group"]),
        version.get("name").and_then(Value::as_str)?,
        definition.text(&["spec", "names", "kind"]),
        definition.text(&["spec", "names", "plural"]),
        scope,
    ))
}
