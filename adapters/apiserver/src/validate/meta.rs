//! Names, labels, annotations.

use serde_json::{Value, json};

use crate::status::FieldError;

const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const LABEL_1035: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const LABEL_VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const QUALIFIED: &str = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

const KEY: &str = "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";

/// Finalizers without a domain that are known.
const STANDARD_FINALIZERS: &[&str] = &["orphan", "foregroundDeletion", "kubernetes"];

/// All annotations of an object together may have this many bytes.
const MAX_ANNOTATION_BYTES: usize = 262_144;

fn dns_label(text: &str) -> bool {
    let good = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !text.is_empty() && text.bytes().all(good) && !text.starts_with('-') && !text.ends_with('-')
}

pub(crate) fn dns_subdomain(text: &str) -> bool {
    text.len() <= 253 && text.split('.').all(dns_label)
}

fn name_error(storage: &str, name: &str) -> Option<&'static str> {
    match storage {
        "namespaces" => (!dns_label(name) || name.len() > 63).then_some(LABEL),
        "services" => {
            let good =
                dns_label(name) && name.len() <= 63 && name.starts_with(|first: char| first.is_ascii_lowercase());
            (!good).then_some(LABEL_1035)
        }
        "roles.rbac.authorization.k8s.io"
        | "clusterroles.rbac.authorization.k8s.io"
        | "rolebindings.rbac.authorization.k8s.io"
        | "clusterrolebindings.rbac.authorization.k8s.io" => {
            if matches!(name, "." | "..") {
                Some("may not be '.' or '..'")
            } else if name.contains('/') {
                Some("may not contain '/'")
            } else if name.contains('%') {
                Some("may not contain '%'")
            } else {
                None
            }
        }
        _ if name.len() > 253 => Some("must be no more than 253 characters"),
        _ => (!dns_subdomain(name)).then_some(SUBDOMAIN),
    }
}

fn edges_alphanumeric(text: &str) -> bool {
    let good = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric());
    good(text.bytes().next()) && good(text.bytes().last())
}

fn word(text: &str) -> bool {
    text.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
        && edges_alphanumeric(text)
}

fn qualified_name(key: &str) -> Option<&'static str> {
    if key.matches('/').count() > 1 {
        return Some(KEY);
    }
    let (prefix, name) = key
        .split_once('/')
        .map_or((None, key), |(prefix, name)| (Some(prefix), name));
    if prefix.is_some_and(|prefix| !dns_subdomain(prefix)) {
        return Some(
            "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
        );
    }
    if name.is_empty() {
        return Some("name part must be non-empty");
    }
    if name.len() > 63 {
        return Some("name part must be no more than 63 bytes");
    }
    (!word(name)).then_some(QUALIFIED)
}

/// What is wrong with the metadata of an object of this resource.
pub(crate) fn check(storage: &str, object: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let metadata = &object["metadata"];
    let name = metadata["name"].as_str().unwrap_or("");
    if name.is_empty() {
        errors.push(FieldError::required(
            "metadata.name",
            "name or generateName is required",
        ));
    } else if let Some(why) = name_error(storage, name) {
        errors.push(FieldError::invalid("metadata.name", &json!(name), why));
    }
    for (key, value) in metadata["labels"].as_object().into_iter().flatten() {
        if let Some(why) = qualified_name(key) {
            errors.push(FieldError::invalid("metadata.labels", &json!(key), why));
        }
        let text = value.as_str().unwrap_or("");
        if text.len() > 63 {
            errors.push(FieldError::invalid(
                "metadata.labels",
                value,
                "must be no more than 63 bytes",
            ));
        } else if !text.is_empty() && !word(text) {
            errors.push(FieldError::invalid("metadata.labels", value, LABEL_VALUE));
        }
    }
    let mut bytes = 0;
    for (key, value) in metadata["annotations"].as_object().into_iter().flatten() {
        bytes += key.len() + value.as_str().map_or(0, str::len);
        if let Some(why) = qualified_name(&key.to_ascii_lowercase()) {
            errors.push(FieldError::invalid("metadata.annotations", &json!(key), why));
        }
    }
    if bytes > MAX_ANNOTATION_BYTES {
        errors.push(FieldError::too_long(
            "metadata.annotations",
            MAX_ANNOTATION_BYTES as u64,
        ));
    }
    owners(metadata, &mut errors);
    for (at, finalizer) in metadata["finalizers"].as_array().into_iter().flatten().enumerate() {
        let text = finalizer.as_str().unwrap_or("");
        if let Some(why) = qualified_name(text) {
            errors.push(FieldError::invalid("metadata.finalizers", finalizer, why));
        } else if !text.contains('/') && !STANDARD_FINALIZERS.contains(&text) {
            let why = "name is neither a standard finalizer name nor is it fully qualified";
            errors.push(FieldError::invalid(
                format!("metadata.finalizers[{at}]"),
                finalizer,
                why,
            ));
        }
    }
    errors
}

fn owners(metadata: &Value, errors: &mut Vec<FieldError>) {
    let mut controllers = 0;
    for owner in metadata["ownerReferences"].as_array().into_iter().flatten() {
        for field in ["apiVersion", "kind", "name", "uid"] {
            if owner[field].as_str().unwrap_or("").is_empty() {
                let why = if field == "apiVersion" {
                    "version must not be empty"
                } else {
                    "must not be empty"
                };
                errors.push(FieldError::invalid(
                    format!("metadata.ownerReferences.{field}"),
                    &json!(""),
                    why,
                ));
            }
        }
        controllers += usize::from(owner["controller"] == json!(true));
    }
    if controllers > 1 {
        let why = "Only one reference can have Controller set to true";
        errors.push(FieldError::invalid(
            "metadata.ownerReferences",
            &metadata["ownerReferences"],
            why,
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_labels_follow_their_rules() {
        let object = |name: &str, label: &str| json!({"metadata": {"name": name, "labels": {"a": label}}});
        for (storage, name, label, good) in [
            ("configmaps", "a.b-c", "x", true),
            ("configmaps", "A", "x", false),
            ("services", "1a", "x", false),
            ("services", "a", "x y", false),
            ("namespaces", "a.b", "", false),
            ("clusterroles.rbac.authorization.k8s.io", "system:Thing", "", true),
            ("configmaps", "", "", false),
        ] {
            assert_eq!(
                check(storage, &object(name, label)).is_empty(),
                good,
                "{storage} {name:?} {label:?}"
            );
        }
    }
}
