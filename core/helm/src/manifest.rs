//! From the texts that templates wrote to manifests: split, told from hooks, and sorted into Helm's order of
//! installation.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use convoy_value::{Limits, Map, Value, yaml};

use crate::decode::{self, Place};
use crate::error::Error;
use crate::reason::Reason;

/// One document that a template wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// The template, as `chart/templates/file.yaml`.
    pub source: String,
    /// The text as written.
    pub content: String,
    /// The `kind` in it, or nothing.
    pub kind: String,
}

/// A manifest with a `helm.sh/hook` annotation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hook {
    /// The document.
    pub manifest: Manifest,
    /// The moments that it names, `test-success` as `test`.
    pub events: Vec<&'static str>,
    /// `helm.sh/hook-weight`; 0 if there is none.
    pub weight: i64,
}

impl Hook {
    /// Whether it is a test.
    #[must_use]
    pub fn is_test(&self) -> bool {
        self.events.contains(&"test")
    }
}

/// The order in which Helm installs kinds; others come after, by name.
pub const INSTALL_ORDER: [&str; 38] = [
    "PriorityClass",
    "Namespace",
    "NetworkPolicy",
    "ResourceQuota",
    "LimitRange",
    "PodSecurityPolicy",
    "PodDisruptionBudget",
    "ServiceAccount",
    "Secret",
    "SecretList",
    "ConfigMap",
    "StorageClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "CustomResourceDefinition",
    "ClusterRole",
    "ClusterRoleList",
    "ClusterRoleBinding",
    "ClusterRoleBindingList",
    "Role",
    "RoleList",
    "RoleBinding",
    "RoleBindingList",
    "Service",
    "DaemonSet",
    "Pod",
    "ReplicationController",
    "ReplicaSet",
    "Deployment",
    "HorizontalPodAutoscaler",
    "StatefulSet",
    "Job",
    "CronJob",
    "IngressClass",
    "Ingress",
    "APIService",
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
];

const EVENTS: [(&str, &str); 10] = [
    ("pre-install", "pre-install"),
    ("post-install", "post-install"),
    ("pre-delete", "pre-delete"),
    ("post-delete", "post-delete"),
    ("pre-upgrade", "pre-upgrade"),
    ("post-upgrade", "post-upgrade"),
    ("pre-rollback", "pre-rollback"),
    ("post-rollback", "post-rollback"),
    ("test", "test"),
    ("test-success", "test"),
];

/// What the beginning of a document says.
#[derive(Debug, Default)]
struct Head {
    kind: String,
    annotations: Vec<(String, String)>,
}

impl Head {
    fn annotation(&self, name: &str) -> Option<&str> {
        self.annotations
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }
}

/// Splits and sorts the texts of templates.
///
/// # Errors
/// When a document is no YAML, or its kind, name or annotations are none.
pub(crate) fn sort(files: BTreeMap<String, String>) -> Result<(Vec<Manifest>, Vec<Hook>), Error> {
    let (mut manifests, mut hooks) = (Vec::new(), Vec::new());
    for (source, text) in files {
        let base = source.rsplit('/').next().unwrap_or(&source);
        if base.starts_with('_') || text.trim().is_empty() {
            continue;
        }
        let read = |content: &str| {
            head(content).map_err(|reason| Error::Manifest {
                file: source.clone(),
                reason,
            })
        };
        let documents = match split(&text)[..] {
            // Most templates write one document: their text becomes its content.
            [content] => {
                let head = read(content)?;
                let start = content.as_ptr().addr() - text.as_ptr().addr();
                let end = start + content.len();
                vec![(head, part(text, start, end))]
            }
            ref several => several
                .iter()
                .map(|content| Ok((read(content)?, String::from(*content))))
                .collect::<Result<_, Error>>()?,
        };
        for (head, content) in documents {
            let manifest = Manifest {
                source: source.clone(),
                content,
                kind: head.kind.clone(),
            };
            match head.annotation("helm.sh/hook") {
                None => manifests.push(manifest),
                // Helm leaves out what names a moment that it does not know.
                Some(moments) => hooks.extend(hook(manifest, moments, &head)),
            }
        }
    }
    manifests.sort_by(|a, b| place(&a.kind).cmp(&place(&b.kind)));
    hooks.sort_by(|a, b| place(&a.manifest.kind).cmp(&place(&b.manifest.kind)));
    Ok((manifests, hooks))
}

/// The text from `start` to `end`, in the memory in which it is.
fn part(mut text: String, start: usize, end: usize) -> String {
    text.truncate(end);
    text.drain(..start);
    text
}

fn hook(manifest: Manifest, moments: &str, head: &Head) -> Option<Hook> {
    let event = |moment: &str| {
        let moment = moment.trim().to_lowercase();
        EVENTS.iter().find(|(name, _)| *name == moment).map(|(_, event)| *event)
    };
    let events = moments.split(',').map(event).collect::<Option<Vec<_>>>()?;
    let weight = head
        .annotation("helm.sh/hook-weight")
        .and_then(|weight| weight.parse().ok())
        .unwrap_or(0);
    Some(Hook {
        manifest,
        events,
        weight,
    })
}

/// The place in the order of installation; kinds that are not in it are last, in the order of their names.
fn place(kind: &str) -> (usize, &str) {
    match INSTALL_ORDER.iter().position(|known| *known == kind) {
        Some(place) => (place, ""),
        None => (INSTALL_ORDER.len(), kind),
    }
}

/// The documents of a text: a separator is `---` at the beginning or after a line break, whatever follows it.
pub(crate) fn split(text: &str) -> Vec<&str> {
    let text = text.trim_start();
    let space = |c: char| matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{c}');
    let mut documents = Vec::new();
    let mut start = 0;
    let mut from = 0;
    let first = text
        .strip_prefix("---")
        .map(|rest| text.len() - rest.trim_start_matches(space).len());
    if let Some(end) = first {
        start = end;
        from = end;
    }
    while let Some(at) = text[from..].find("\n---").map(|at| from + at) {
        documents.push(text[start..at].trim_end_matches(space));
        let rest = &text[at + 4..];
        start = text.len() - rest.trim_start_matches(space).len();
        from = start;
    }
    documents.push(&text[start..]);
    documents.retain(|document| !document.trim().is_empty());
    documents.into_iter().map(str::trim_start).collect()
}

/// What is looked at in a manifest: names match whatever their case.
fn is_looked_at(path: &[&str]) -> bool {
    let is_one_of = |name: &str, names: &[&str]| names.iter().any(|known| name.eq_ignore_ascii_case(known));
    match *path {
        [name] => is_one_of(name, &["apiVersion", "kind", "metadata"]),
        [metadata, name] => metadata.len() == "metadata".len() && is_one_of(name, &["name", "annotations"]),
        _ => false,
    }
}

fn head(content: &str) -> Result<Head, Reason> {
    const NAME: &str = "SimpleHead";
    let value = yaml::helm::parse_members(content, &Limits::default(), is_looked_at);
    let value = value.map_err(|error| decode::refused(&error))?;
    let mut head = Head::default();
    let Some(map) = decode::structure(&value, Place::new(NAME, ""), "util.SimpleHead")? else {
        return Ok(head);
    };
    let mut unused = String::new();
    decode::text(map, "apiVersion", NAME, "apiVersion", &mut unused)?;
    decode::text(map, "kind", NAME, "kind", &mut head.kind)?;
    if let Some(metadata) = metadata(map)? {
        decode::text(metadata, "name", NAME, "metadata.name", &mut unused)?;
        if let Some(annotations) = decode::text_map(metadata, "annotations", NAME, "metadata.annotations")? {
            head.annotations = annotations;
        }
    }
    Ok(head)
}

fn metadata(map: &Map) -> Result<Option<&Map>, String> {
    const WANT: &str =
        "struct { Name string \"json:\\\"name\\\"\"; Annotations map[string]string \"json:\\\"annotations\\\"\" }";
    match decode::field(map, "metadata") {
        None | Some(Value::Null) => Ok(None),
        Some(value) => decode::structure(value, Place::new("SimpleHead", "metadata"), WANT),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString as _;

    #[test]
    fn documents_are_split_where_helm_splits_them() {
        let check = |text: &str, expect: &[&str]| assert_eq!(split(text), expect, "{text:?}");
        check("a: 1\n---\nb: 2\n", &["a: 1", "b: 2\n"]);
        check("---\na: 1\n", &["a: 1\n"]);
        check("---a: 1\n  \n\n--- \n  b: 2", &["a: 1", "b: 2"]);
        check("a\n---\n---\nb", &["a", "---\nb"]);
        check("# nothing\n---\n\n---\n", &["# nothing", "---\n"]);
        check("a ---\nb", &["a ---\nb"]);
        check("a\n----\nb", &["a", "-\nb"]);
        check("", &[]);
    }

    #[test]
    fn kinds_are_sorted_into_the_order_of_installation() {
        let file = |kinds: &[&str]| {
            kinds
                .iter()
                .map(|kind| alloc::format!("kind: {kind}\n"))
                .collect::<Vec<_>>()
                .join("---\n")
        };
        let files = [
            (
                "c/templates/b.yaml".to_string(),
                file(&["Zebra", "Service", "Apple", "ConfigMap"]),
            ),
            ("c/templates/a.yaml".to_string(), file(&["Service", "Zebra"])),
        ];
        let (manifests, _) = sort(files.into_iter().collect()).unwrap();
        let order: Vec<_> = manifests.iter().map(|m| (m.kind.as_str(), &m.source[12..13])).collect();
        assert_eq!(
            order,
            [
                ("ConfigMap", "b"),
                ("Service", "a"),
                ("Service", "b"),
                ("Apple", "b"),
                ("Zebra", "a"),
                ("Zebra", "b")
            ]
        );
    }

    #[test]
    fn hooks_are_told_by_their_annotation() {
        let check = |annotations: &str, expect: Option<(&[&str], i64)>| {
            let text = alloc::format!("kind: Job\nmetadata:\n  annotations: {annotations}\n");
            let (_, hooks) = sort([("c/templates/a.yaml".to_string(), text)].into_iter().collect()).unwrap();
            let got = hooks.first().map(|hook| (&hook.events[..], hook.weight));
            assert_eq!(got, expect, "{annotations}");
        };
        check(
            "{helm.sh/hook: 'pre-install, Test-success', helm.sh/hook-weight: -5}",
            Some((&["pre-install", "test"], -5)),
        );
        check("{helm.sh/hook: crd-install}", None);
        check("{a: b}", None);
    }

    #[test]
    fn what_is_no_manifest_is_refused() {
        let check = |text: &str, expect: &str| {
            let files = [("c/templates/a.yaml".to_string(), text.to_string())]
                .into_iter()
                .collect();
            assert_eq!(sort(files).unwrap_err().go_text(), expect);
        };
        check(
            "a: b: c",
            "YAML parse error on c/templates/a.yaml: error converting YAML to JSON: yaml: mapping values are not allowed in this context",
        );
        check(
            "- a",
            "YAML parse error on c/templates/a.yaml: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type util.SimpleHead",
        );
    }
}
