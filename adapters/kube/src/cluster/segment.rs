//! What may stand in the path of a request: names and namespaces of objects come from whoever wrote the manifest, and
//! the client puts them into addresses as they are.
//!
//! # Invariant
//! What passes is one segment of a path: it can neither end it, nor begin a query, nor climb out of it. The rule of
//! names is the API's own for names in paths, and beyond it that every character may stand in a segment (RFC 3986),
//! so that nothing needs to be escaped.

use convoy_domain::id::{Gvk, ObjectId};
use convoy_domain::object::Scope;
use convoy_ports::{ClusterError, Kind};

use super::error::Subject;

/// Longest name in bytes; the longest that the API takes for almost all kinds is 253.
const MAX_NAME: usize = 1_024;

/// Longest label of DNS (RFC 1123).
const MAX_LABEL: usize = 63;

/// Longest name of DNS, which API groups are.
const MAX_DOMAIN: usize = 253;

/// Longest part of a wrong text that is shown.
const SHOWN: usize = 128;

/// Refuses what cannot be addressed, before any request is made.
pub(super) fn check_object(id: &ObjectId) -> Result<(), ClusterError> {
    let broken = match name_fault(&id.name) {
        Some(rule) => Some(("name", &id.name, rule)),
        None if id.namespace.is_empty() => None,
        None => label_fault(&id.namespace).map(|rule| ("namespace", &id.namespace, rule)),
    };
    let Some((field, text, rule)) = broken else {
        return Ok(());
    };
    Err(ClusterError::Refused {
        object: shown(&id.to_string()),
        why: format!("metadata.{field} `{}` {rule}", shown(text)),
    })
}

/// Refuses a group or version that cannot be asked for.
pub(super) fn check_kind(gvk: &Gvk) -> Result<(), ClusterError> {
    let group = || {
        let mut labels = gvk.group.split('.');
        let fault = (gvk.group.len() > MAX_DOMAIN).then(|| format!("is longer than {MAX_DOMAIN} bytes"));
        fault.or_else(|| labels.find_map(label_fault))
    };
    let rule = (!gvk.group.is_empty()).then(group).flatten();
    let Some(rule) = rule.or_else(|| label_fault(&gvk.version)) else {
        return Ok(());
    };
    Err(ClusterError::Refused {
        object: shown(&gvk.to_string()),
        why: format!("apiVersion `{}` {rule}", shown(&gvk.api_version())),
    })
}

/// Refuses an object of a namespaced kind without a namespace, whose address would be that of another resource.
pub(super) fn check_scope(subject: &Subject, kind: &Kind, namespace: &str) -> Result<(), ClusterError> {
    match kind.scope {
        Scope::Namespaced if namespace.is_empty() => Err(ClusterError::Refused {
            object: subject.text.clone(),
            why: "metadata.namespace is empty, and its kind lives in namespaces".to_owned(),
        }),
        Scope::Namespaced | Scope::Cluster => Ok(()),
    }
}

/// Which rule a name breaks.
pub(super) fn name_fault(name: &str) -> Option<String> {
    if name.is_empty() {
        return Some("is empty".to_owned());
    }
    if name.len() > MAX_NAME {
        return Some(format!("is longer than {MAX_NAME} bytes"));
    }
    if matches!(name, "." | "..") {
        return Some("may not be `.` or `..`".to_owned());
    }
    let wrong = name.chars().find(|letter| !fits(*letter))?;
    Some(format!("may not contain {wrong:?}"))
}

/// Whether a character may stand in a segment of a path: `pchar` of RFC 3986 without percent signs.
fn fits(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "-._~!$&'()*+,;=:@".contains(letter)
}

/// Which rule of a DNS label a text breaks.
fn label_fault(label: &str) -> Option<String> {
    let inner = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    if label.len() > MAX_LABEL {
        return Some(format!("is longer than {MAX_LABEL} bytes"));
    }
    let is_label = !label.is_empty() && label.chars().all(inner) && !label.starts_with('-') && !label.ends_with('-');
    (!is_label).then(|| "must be a DNS label: lower-case letters, digits and inner `-`".to_owned())
}

/// A text that may hold anything, as it can be printed.
fn shown(text: &str) -> String {
    let mut letters = text.chars();
    let mut out: String = letters.by_ref().take(SHOWN).flat_map(char::escape_debug).collect();
    if letters.next().is_some() {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn id(namespace: &str, name: &str) -> ObjectId {
        ObjectId {
            group: String::new(),
            kind: "ConfigMap".to_owned(),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        }
    }

    #[test]
    fn a_name_that_leaves_its_segment_is_refused() {
        let check = |name: &str, expect: Option<&str>| {
            let answer = check_object(&id("default", name));
            match (answer, expect) {
                (Ok(()), None) => {}
                (Err(ClusterError::Refused { object, why }), Some(rule)) => {
                    assert!(
                        why.starts_with("metadata.name ") && why.contains(rule),
                        "{name:?}: {why}"
                    );
                    assert!(object.starts_with("ConfigMap default/"), "{object}");
                    assert!(!object.contains(char::is_control) && object.len() < 1_000, "{object:?}");
                }
                (answer, _) => panic!("{name:?}: {answer:?}"),
            }
        };
        check("sec?x=/../../secrets/sec", Some("may not contain '?'"));
        check("../secrets/sec", Some("may not contain '/'"));
        check("..", Some("`..`"));
        check(".", Some("`..`"));
        check("", Some("is empty"));
        check("a%2fb", Some("may not contain '%'"));
        check("a#b", Some("may not contain '#'"));
        check("a b", Some("may not contain ' '"));
        check("a\nb", Some("may not contain '\\n'"));
        check("a\\b", Some("may not contain '\\\\'"));
        check("é", Some("may not contain 'é'"));
        check(&"a".repeat(1_025), Some("longer than 1024 bytes"));
        check("a", None);
        check("...", None);
        check("system:controller:Token_Cleaner", None);
        check("v1.apps.example", None);
    }

    #[test]
    fn a_namespace_is_a_dns_label() {
        let check = |namespace: &str, good: bool| {
            let answer = check_object(&id(namespace, "a"));
            assert_eq!(answer.is_ok(), good, "{namespace:?}: {answer:?}");
        };
        check("default", true);
        check("a-1", true);
        // Whether one is needed is known once the kind is.
        check("", true);
        check("kube-system/secrets/x?", false);
        check("..", false);
        check("a.b", false);
        check("Default", false);
        check("-a", false);
        check("a-", false);
        check(&"a".repeat(64), false);
    }

    #[test]
    fn an_api_version_is_made_of_dns_labels() {
        let check = |api_version: &str, good: bool| {
            let answer = check_kind(&Gvk::from_api_version(api_version, "Secret"));
            assert_eq!(answer.is_ok(), good, "{api_version:?}: {answer:?}");
        };
        check("v1", true);
        check("rbac.authorization.k8s.io/v1beta1", true);
        check("", false);
        check("v1?a", false);
        check("../api/v1", false);
        check("apps/../../api/v1", false);
        check("apps/v1/namespaces/a/secrets/b", false);
        check("a..b/v1", false);
        check(&format!("{}/v1", "a.".repeat(200)), false);
    }

    proptest! {
        #[test]
        fn what_passes_is_the_last_segment_of_its_address(name in "\\PC{0,12}|[./?#%a-z]{0,6}") {
            if check_object(&id("default", &name)).is_ok() {
                let uri: http::Uri = format!("/api/v1/namespaces/default/configmaps/{name}").parse().unwrap();
                prop_assert_eq!(uri.query(), None);
                prop_assert_eq!(uri.path().split('/').collect::<Vec<_>>().len(), 7);
                let last = format!("/{name}");
                prop_assert!(uri.path().ends_with(&last) && name != "." && name != "..");
            }
        }
    }
}
