//! From the texts that templates wrote to manifests: split, told from hooks, and sorted into Helm's order of
//! installation.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use convoy_value::{Limits, Map, Value, yaml};

use crate::decode::{self, Place};
use crate::engine::Texts;
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
pub(crate) fn sort(files: Texts) -> Result<(Vec<Manifest>, Vec<Hook>), Error> {
    let (mut manifests, mut hooks) = (Vec::new(), Vec::new());
    for (source, text) in files {
        let base = source.rsplit('/').next().unwrap_or(&source);
        if base.starts_with('_') {
            continue;
        }
        let documents = match text {
            Ok(text) => documents(text),
            Err(error) => Err(not_utf8(error.as_bytes())),
        };
        let documents = documents.map_err(|reason| Error::Manifest {
            file: source.clone(),
            reason,
        })?;
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

/// The documents of a text, with what their beginnings say.
fn documents(text: String) -> Result<Vec<(Head, String)>, Reason> {
    match split(&text)[..] {
        // Most templates write one document: their text becomes its content.
        [content] => {
            let head = head(content.as_bytes())?;
            let start = content.as_ptr().addr() - text.as_ptr().addr();
            let end = start + content.len();
            Ok(vec![(head, part(text, start, end))])
        }
        ref several => several
            .iter()
            .map(|content| Ok((head(content.as_bytes())?, String::from(*content))))
            .collect(),
    }
}

/// Why a text that is not UTF-8 is refused: by its first document that cannot be read. Helm prints what lies beyond the
/// part of a document that it reads.
fn not_utf8(text: &[u8]) -> Reason {
    let refused = bounds(text)
        .into_iter()
        .find_map(|document| head(&text[document]).err());
    refused.unwrap_or_else(|| Reason::plain("the text is not UTF-8"))
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
    bounds(text.as_bytes())
        .into_iter()
        .map(|document| &text[document])
        .collect()
}

/// Where the documents of a text are.
fn bounds(text: &[u8]) -> Vec<Range<usize>> {
    const SEPARATOR: &[u8] = b"---";
    let space = |byte: u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0c);
    let skip = |from: usize| from + text[from..].iter().take_while(|byte| space(**byte)).count();
    let mut documents = Vec::new();
    let mut start = blanks(text);
    if text[start..].starts_with(SEPARATOR) {
        start = skip(start + SEPARATOR.len());
    }
    let mut push = |start: usize, end: usize| {
        let start = start + blanks(&text[start..end]);
        if start < end {
            documents.push(start..end);
        }
    };
    let mut from = start;
    while let Some(at) = text[from..].iter().position(|byte| *byte == b'\n').map(|at| from + at) {
        from = at + 1;
        if text[from..].starts_with(SEPARATOR) {
            let end = text[start..at].iter().rposition(|byte| !space(*byte));
            push(start, end.map_or(start, |last| start + last + 1));
            start = skip(from + SEPARATOR.len());
            from = start;
        }
    }
    push(start, text.len());
    documents
}

/// How many bytes of white space a text begins with.
fn blanks(text: &[u8]) -> usize {
    let mut at = 0;
    loop {
        let rest = &text[at..];
        at += match rest.first() {
            Some(b'\t'..=b'\r' | b' ') => 1,
            Some(0x80..) => {
                let first = rest[..rest.len().min(4)].utf8_chunks().next();
                match first.and_then(|chunk| chunk.valid().chars().next()) {
                    Some(c) if c.is_whitespace() => c.len_utf8(),
                    _ => return at,
                }
            }
            _ => return at,
        };
    }
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

fn head(content: &[u8]) -> Result<Head, Reason> {
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
        let (manifests, _) = sort(files.into_iter().map(|(name, text)| (name, Ok(text))).collect()).unwrap();
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
            let (_, hooks) = sort([("c/templates/a.yaml".to_string(), Ok(text))].into_iter().collect()).unwrap();
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
        let check = |text: &[u8], expect: &str| {
            let files = [("c/templates/a.yaml".to_string(), String::from_utf8(text.to_vec()))]
                .into_iter()
                .collect();
            assert_eq!(sort(files).unwrap_err().go_text(), expect);
        };
        check(
            b"a: b: c",
            "YAML parse error on c/templates/a.yaml: error converting YAML to JSON: yaml: mapping values are not allowed in this context",
        );
        check(
            b"a: 1\n---\nb: \xff\n---\nc: d: e",
            "YAML parse error on c/templates/a.yaml: error converting YAML to JSON: yaml: invalid leading UTF-8 octet",
        );
        check(
            b"a: b: c\n---\nb: \xff",
            "YAML parse error on c/templates/a.yaml: error converting YAML to JSON: yaml: mapping values are not allowed in this context",
        );
        check(
            &[b"a: 1\n...\n", &[b'x'; 2_000][..], b"\xff"].concat(),
            "YAML parse error on c/templates/a.yaml: the text is not UTF-8",
        );
        check(
            b"- a",
            "YAML parse error on c/templates/a.yaml: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type util.SimpleHead",
        );
    }
}
