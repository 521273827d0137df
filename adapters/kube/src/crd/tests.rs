use std::path::PathBuf;

use serde_json::{Value, json};

use super::*;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("crds")
}

fn file_name(definition: &Value) -> String {
    format!(
        "{}.yaml",
        definition.pointer("/metadata/name").and_then(Value::as_str).unwrap()
    )
}

#[test]
fn the_checked_in_definitions_are_those_of_the_types() {
    let update = std::env::var_os("UPDATE_CRDS").is_some_and(|value| value == "1");
    let mut expected: Vec<String> = Vec::new();
    for definition in definitions() {
        let path = folder().join(file_name(&definition));
        let text = to_yaml(&definition);
        if update {
            std::fs::create_dir_all(folder()).unwrap();
            std::fs::write(&path, &text).unwrap();
        }
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            found == text,
            "{} is stale: run UPDATE_CRDS=1 cargo test -p convoy-kube",
            path.display()
        );
        expected.push(file_name(&definition));
    }
    expected.sort();
    let mut found: Vec<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    found.sort();
    assert_eq!(found, expected, "a file without a type, or a type without a file");
}

#[test]
fn every_schema_node_has_a_type_and_every_text_of_a_spec_has_a_bound() {
    fn walk(path: &str, schema: &Value, in_status: bool) {
        let open = schema.get("x-kubernetes-preserve-unknown-fields").is_some()
            || schema.get("x-kubernetes-int-or-string").is_some();
        let kind = schema.get("type").and_then(Value::as_str);
        assert!(kind.is_some() || open, "{path} has no type: {schema}");
        assert!(schema.get("nullable").is_none(), "{path} is nullable");
        for part in ["allOf", "anyOf", "oneOf", "$ref"] {
            assert!(schema.get(part).is_none(), "{path} has {part}");
        }
        let bounded = |key: &str| schema.get(key).is_some();
        if !in_status {
            match kind {
                Some("string") => assert!(
                    bounded("maxLength") || bounded("enum") || bounded("format"),
                    "{path} is a text without bound"
                ),
                Some("array") => assert!(bounded("maxItems"), "{path} is a list without bound"),
                _ => {}
            }
        }
        for (name, property) in schema
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            walk(
                &format!("{path}.{name}"),
                property,
                in_status || name == "status" && path.matches('.').count() == 0,
            );
        }
        for key in ["items", "additionalProperties"] {
            if let Some(inner) = schema.get(key).filter(|inner| inner.is_object()) {
                walk(&format!("{path}[]"), inner, in_status);
            }
        }
    }
    for definition in definitions() {
        let kind = definition.pointer("/spec/names/kind").and_then(Value::as_str).unwrap();
        let schema = definition.pointer("/spec/versions/0/schema/openAPIV3Schema").unwrap();
        walk(kind, schema, false);
    }
}

#[test]
fn pin_and_mutations_stand_beside_spec() {
    let definitions = definitions();
    let properties = definitions[0]
        .pointer("/spec/versions/0/schema/openAPIV3Schema/properties")
        .and_then(Value::as_object)
        .unwrap();
    let mut names: Vec<&str> = properties.keys().map(String::as_str).collect();
    names.sort_unstable();
    assert_eq!(names, ["mutations", "pin", "spec", "status"]);
    let spec = &properties["spec"];
    let mut required: Vec<&str> = spec["required"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    required.sort_unstable();
    assert_eq!(required, ["clusterRef", "content", "source"]);
    assert!(
        spec["properties"]["syncPolicy"]["default"]
            .get("retryBackoff")
            .is_none()
    );
    assert_eq!(spec["properties"]["syncPolicy"]["default"]["interval"], json!("1m0s"));
    assert_eq!(
        spec["properties"]["syncPolicy"]["properties"]["timeout"]["default"],
        json!("5m0s")
    );
    assert_eq!(
        spec["properties"]["retentionPolicy"]["properties"]["keepHistory"]["default"],
        json!(10)
    );
    assert_eq!(spec["x-kubernetes-validations"].as_array().map(Vec::len), Some(2));
}

#[test]
fn a_release_template_has_no_cluster() {
    let definitions = definitions();
    let set = definitions
        .iter()
        .find(|definition| file_name(definition).starts_with("releasesets"))
        .unwrap();
    let spec = set
        .pointer("/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/template/properties/spec")
        .unwrap();
    assert!(spec["properties"].get("clusterRef").is_none());
    assert!(spec["properties"].get("source").is_some());
}
