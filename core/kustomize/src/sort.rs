//! The order in which objects are printed.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::ids::{Gvk, Id};
use crate::resource::Resource;

const FIRST: [&str; 22] = [
    "Namespace",
    "ResourceQuota",
    "StorageClass",
    "CustomResourceDefinition",
    "ServiceAccount",
    "PodSecurityPolicy",
    "Role",
    "ClusterRole",
    "RoleBinding",
    "ClusterRoleBinding",
    "ConfigMap",
    "Secret",
    "Endpoints",
    "Service",
    "LimitRange",
    "PriorityClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Deployment",
    "StatefulSet",
    "CronJob",
    "PodDisruptionBudget",
];

const LAST: [&str; 2] = ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];

/// How the kinds follow one another: those in `first`, the others, those in `last`.
fn kind_order<S: AsRef<str>>(kind: &str, first: &[S], last: &[S]) -> isize {
    // A kind that is named twice counts where it is named last.
    let place = |list: &[S]| list.iter().rposition(|name| name.as_ref() == kind);
    #[expect(clippy::cast_possible_wrap, reason = "lists are short")]
    match (place(last), place(first)) {
        (Some(at), _) => 1 + at as isize,
        (None, Some(at)) => at as isize - first.len() as isize,
        (None, None) => 0,
    }
}

pub(crate) fn default_kind_order(kind: &str) -> isize {
    kind_order(kind, &FIRST, &LAST)
}

/// Group, version and kind as they are compared.
pub(crate) fn gvk_text(gvk: &Gvk) -> String {
    let or = |text, other| if str::is_empty(text) { other } else { text };
    format!(
        "{}_{}_{}",
        or(&gvk.group, "~G"),
        or(&gvk.version, "~V"),
        or(&gvk.kind, "~K")
    )
}

fn id_text(id: &Id) -> String {
    let or = |text, other| if str::is_empty(text) { other } else { text };
    format!("{}|{}|{}", id.gvk, or(&id.namespace, "~X"), or(&id.name, "~N"))
}

/// Sorts by kind, then by group and version, then by namespace and name.
pub(crate) fn legacy(resources: &mut Vec<Resource>, lists: Option<(&[String], &[String])>) {
    let mut keyed: Vec<_> = core::mem::take(resources)
        .into_iter()
        .map(|resource| {
            let kind = &resource.id.gvk.kind;
            let order = match lists {
                Some((first, last)) => kind_order(kind, first, last),
                None => default_kind_order(kind),
            };
            (order, gvk_text(&resource.id.gvk), id_text(&resource.id), resource)
        })
        .collect();
    keyed.sort_by(|a, b| {
        if a.3.id.gvk == b.3.id.gvk {
            return a.2.cmp(&b.2);
        }
        a.0.cmp(&b.0)
            .then_with(|| compare_types(&a.3.id.gvk, &b.3.id.gvk, &a.1, &b.1))
    });
    resources.extend(keyed.into_iter().map(|(_, _, _, resource)| resource));
}

/// A Namespace of the core group comes before one of another group.
fn compare_types(a: &Gvk, b: &Gvk, a_text: &str, b_text: &str) -> Ordering {
    let namespaces = a.kind == "Namespace" && b.kind == "Namespace";
    if namespaces && (a.group.is_empty() || b.group.is_empty()) {
        return b_text.cmp(a_text);
    }
    a_text.cmp(b_text)
}
