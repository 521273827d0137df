//! Objects as people write them, before any server has seen them.

use convoy_domain::release::Release;
use convoy_domain::source::{Source, SourceKind};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::convert::{InvalidField, git_repository, helm_registry, oci_registry, release};

/// Reads a Release as it is written in a file: defaults are set, rules are those of a Release that a server gave.
///
/// # Errors
/// The first field that has another type or breaks a rule.
pub fn written_release(mut object: Value) -> Result<Release, InvalidField> {
    complete(&mut object);
    release(typed(object)?)
}

/// Reads a source as it is written in a file.
///
/// # Errors
/// As [`written_release`].
pub fn written_source(kind: SourceKind, mut object: Value) -> Result<Source, InvalidField> {
    complete(&mut object);
    match kind {
        SourceKind::Git => git_repository(typed(object)?),
        SourceKind::Helm => helm_registry(typed(object)?),
        SourceKind::Oci => oci_registry(typed(object)?),
    }
}

fn typed<T: DeserializeOwned>(object: Value) -> Result<T, InvalidField> {
    serde_json::from_value(object).map_err(|error| InvalidField::new(".", error))
}

/// Sets the namespace that kubectl would set.
fn complete(object: &mut Value) {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.entry("namespace").or_insert_with(|| "default".into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_file_needs_no_namespace() {
        let key = |kind, spec: Value| {
            let source = written_source(kind, json!({"metadata": {"name": "a"}, "spec": spec})).unwrap();
            source.key.to_string()
        };
        let git = json!({"url": "https://example.com/a.git", "auth": {"type": "none"}});
        assert_eq!(key(SourceKind::Git, git), "GitRepository default/a");
        assert_eq!(
            key(SourceKind::Helm, json!({"url": "https://example.com"})),
            "HelmRegistry default/a"
        );
        let oci = json!({"url": "oci://example.com", "defaultContentType": "helm"});
        assert_eq!(key(SourceKind::Oci, oci), "OCIRegistry default/a");
    }

    #[test]
    fn another_type_is_an_error() {
        assert!(written_release(json!({"metadata": {"name": "a"}, "spec": 1})).is_err());
    }
}
