//! `OpenAPI` documents: version 3 for each group version, with what `kubectl apply` and `kubectl explain` look at.
//!
//! Descriptions are left out. Version 2 is an empty document: clients that find their answer in version 3 do not
//! look at it.

use std::collections::BTreeSet;

use http::HeaderValue;
use serde_json::{Map, Value, json};

use crate::resource::{Registry, Resource, api_version};
use crate::types::{Field, ListKind, Scalar, Struct, Type, builtin};

const SCHEMAS: &str = "#/components/schemas/";

/// `/openapi/v2`.
pub(crate) fn v2() -> Value {
    json!({"swagger": "2.0", "info": {"title": "convoy", "version": "v1.36.0"}, "paths": {}, "definitions": {}})
}

/// The media type of [`v2_binary`].
pub(crate) const BINARY: HeaderValue =
    HeaderValue::from_static("application/com.github.proto-openapi.spec.v2.v1.0+protobuf");

/// `/openapi/v2` as a message of protocol buffers, which is how kubectl asks for it when version 3 says nothing of a
/// kind (`v1/List`): `swagger` is field 1 and `info`, with `title` and `version` as its fields 1 and 2, is field 2.
pub(crate) fn v2_binary() -> Vec<u8> {
    let document = v2();
    let text = |pointer: &str| {
        document
            .pointer(pointer)
            .and_then(Value::as_str)
            .unwrap_or("")
            .as_bytes()
    };
    let info = [text_field(1, text("/info/title")), text_field(2, text("/info/version"))].concat();
    [text_field(1, text("/swagger")), text_field(2, &info)].concat()
}

/// A field of a message that is text or a message itself, both shorter than 128 bytes.
fn text_field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let bytes = &bytes[..bytes.len().min(127)];
    let length = u8::try_from(bytes.len()).unwrap_or(127);
    [&[number << 3 | 2, length], bytes].concat()
}

fn place(group: &str, version: &str) -> String {
    if group.is_empty() {
        format!("api/{version}")
    } else {
        format!("apis/{group}/{version}")
    }
}

/// `/openapi/v3`. The mark changes when what is served changes.
pub(crate) fn index(registry: &Registry, mark: u64) -> Value {
    let mut paths = Map::new();
    for (group, versions) in registry.groups() {
        for version in versions {
            let place = place(group, version);
            paths.insert(
                place.clone(),
                json!({"serverRelativeURL": format!("/openapi/v3/{place}?hash={mark:X}")}),
            );
        }
    }
    json!({"paths": paths})
}

/// The document of one group version.
pub(crate) fn document(registry: &Registry, group: &str, version: &str) -> Option<Value> {
    let mut paths = Map::new();
    let mut schemas = Map::new();
    let mut wanted = BTreeSet::new();
    for resource in registry.in_version(group, version) {
        let name = schema_name(resource);
        add_paths(resource, &name, &mut paths);
        let mut schema = match &resource.custom {
            Some(custom) => custom_schema(&custom.schema, &mut wanted),
            None => named_schema(&resource.type_name, &mut wanted),
        };
        schema["x-kubernetes-group-version-kind"] = json!([gvk(resource)]);
        schemas.insert(name, schema);
    }
    if paths.is_empty() {
        return None;
    }
    let mut done = BTreeSet::new();
    while let Some(name) = wanted.pop_first() {
        if done.insert(name.clone()) {
            let schema = named_schema(&name, &mut wanted);
            schemas.entry(component(&name)).or_insert(schema);
        }
        wanted.retain(|name| !done.contains(name));
    }
    Some(
        json!({"openapi": "3.0.0", "info": {"title": "Kubernetes", "version": "v1.36.0"}, "paths": paths,
        "components": {"schemas": schemas}}),
    )
}

fn gvk(resource: &Resource) -> Value {
    json!({"group": resource.group, "version": resource.version, "kind": resource.kind})
}

/// The name of a built-in definition in documents.
fn component(name: &str) -> String {
    format!("io.k8s.{name}")
}

fn schema_name(resource: &Resource) -> String {
    if resource.custom.is_none() {
        return component(&resource.type_name);
    }
    let reversed: Vec<&str> = resource.group.split('.').rev().collect();
    format!("{}.{}.{}", reversed.join("."), resource.version, resource.kind)
}

fn add_paths(resource: &Resource, name: &str, paths: &mut Map<String, Value>) {
    let base = if resource.group.is_empty() {
        format!("/api/{}", resource.version)
    } else {
        format!("/apis/{}", api_version(&resource.group, &resource.version))
    };
    let scope = if resource.namespaced {
        "/namespaces/{namespace}"
    } else {
        ""
    };
    let collection = format!("{base}{scope}/{}", resource.plural);
    let reference = json!({"$ref": format!("{SCHEMAS}{name}")});
    let operation = |action: &str, media: &[&str], parameters: &[&str]| {
        let parameters: Vec<Value> = parameters
            .iter()
            .map(|name| json!({"name": name, "in": "query", "schema": {"type": "string", "uniqueItems": true}}))
            .collect();
        let mut value = json!({
            "parameters": parameters, "x-kubernetes-action": action, "x-kubernetes-group-version-kind": gvk(resource),
            "responses": {"200": {"description": "OK", "content": {"application/json": {"schema": reference}}}},
        });
        if !media.is_empty() {
            let content: Map<String, Value> = media
                .iter()
                .map(|media| ((*media).to_owned(), json!({"schema": reference})))
                .collect();
            value["requestBody"] = json!({"content": content, "required": true});
        }
        value
    };
    let write = ["dryRun", "fieldManager", "fieldValidation"];
    let mut of_collection =
        json!({"get": operation("list", &[], &["labelSelector", "fieldSelector", "limit", "continue"])});
    if resource.can("create") {
        of_collection["post"] = operation("post", &["application/json", "application/yaml"], &write);
    }
    paths.insert(collection.clone(), of_collection);
    if !resource.can("get") {
        return;
    }
    let mut patches = vec![
        "application/apply-patch+yaml",
        "application/json-patch+json",
        "application/merge-patch+json",
    ];
    if resource.custom.is_none() {
        patches.push("application/strategic-merge-patch+json");
    }
    let mut of_object = json!({"get": operation("get", &[], &[])});
    if resource.can("update") {
        of_object["put"] = operation("put", &["application/json", "application/yaml"], &write);
    }
    if resource.can("patch") {
        of_object["patch"] = operation(
            "patch",
            &patches,
            &["dryRun", "fieldManager", "fieldValidation", "force"],
        );
    }
    if resource.can("delete") {
        of_object["delete"] = operation("delete", &[], &["dryRun", "propagationPolicy"]);
    }
    paths.insert(format!("{collection}/{{name}}"), of_object);
}

fn named_schema(name: &str, wanted: &mut BTreeSet<String>) -> Value {
    match builtin::named(name) {
        Type::Named { index, .. } => struct_schema(builtin::definition(index), wanted),
        Type::Scalar(_) | Type::Any { .. } | Type::Map { .. } | Type::Struct(_) | Type::List { .. } => {
            json!({"type": "object"})
        }
    }
}

fn struct_schema(of: &Struct, wanted: &mut BTreeSet<String>) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (name, field) in &of.fields {
        properties.insert(name.clone(), field_schema(field, wanted));
        if field.required {
            required.push(name.clone());
        }
    }
    let mut schema = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    if of.atomic {
        schema["x-kubernetes-map-type"] = json!("atomic");
    }
    schema
}

fn field_schema(field: &Field, wanted: &mut BTreeSet<String>) -> Value {
    let mut schema = type_schema(&field.ty, wanted);
    if let Some(default) = &field.default {
        schema["default"] = default.clone();
    }
    if field.patch.merge || field.patch.retain_keys {
        let names = [
            field.patch.merge.then_some("merge"),
            field.patch.retain_keys.then_some("retainKeys"),
        ];
        let strategy: Vec<&str> = names.into_iter().flatten().collect();
        schema["x-kubernetes-patch-strategy"] = json!(strategy.join(","));
    }
    if let Some(key) = &field.patch.key {
        schema["x-kubernetes-patch-merge-key"] = json!(key);
    }
    schema
}

fn type_schema(ty: &Type, wanted: &mut BTreeSet<String>) -> Value {
    match ty {
        Type::Scalar(scalar) => scalar_schema(*scalar),
        Type::Any { .. } => json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}),
        Type::Map { element, atomic } => {
            let mut schema = json!({"type": "object", "additionalProperties": type_schema(element, wanted)});
            if *atomic {
                schema["x-kubernetes-map-type"] = json!("atomic");
            }
            schema
        }
        Type::Struct(of) => struct_schema(of, wanted),
        Type::Named { index, atomic } => {
            let name = builtin::name_of(*index);
            wanted.insert(name.to_owned());
            let mut schema = json!({"allOf": [{"$ref": format!("{SCHEMAS}{}", component(name))}], "default": {}});
            if *atomic {
                schema["x-kubernetes-map-type"] = json!("atomic");
            }
            schema
        }
        Type::List { element, kind } => {
            let mut schema = json!({"type": "array", "items": type_schema(element, wanted)});
            match kind {
                ListKind::Atomic => schema["x-kubernetes-list-type"] = json!("atomic"),
                ListKind::Set => schema["x-kubernetes-list-type"] = json!("set"),
                ListKind::Map(keys) => {
                    schema["x-kubernetes-list-type"] = json!("map");
                    schema["x-kubernetes-list-map-keys"] = json!(keys);
                }
            }
            schema
        }
    }
}

fn scalar_schema(scalar: Scalar) -> Value {
    match scalar {
        Scalar::String | Scalar::Quantity | Scalar::Untyped => json!({"type": "string"}),
        Scalar::Int32 => json!({"type": "integer", "format": "int32"}),
        Scalar::Int64 => json!({"type": "integer", "format": "int64"}),
        Scalar::Number => json!({"type": "number", "format": "double"}),
        Scalar::Bool => json!({"type": "boolean"}),
        Scalar::Time => json!({"type": "string", "format": "date-time"}),
        Scalar::IntOrString => json!({"type": "string", "format": "int-or-string"}),
        Scalar::Bytes => json!({"type": "string", "format": "byte"}),
    }
}

fn custom_schema(schema: &Value, wanted: &mut BTreeSet<String>) -> Value {
    let mut out = schema.clone();
    wanted.insert("ObjectMeta".to_owned());
    if !out["properties"].is_object() {
        out["properties"] = json!({});
    }
    out["properties"]["apiVersion"] = json!({"type": "string"});
    out["properties"]["kind"] = json!({"type": "string"});
    out["properties"]["metadata"] =
        json!({"allOf": [{"$ref": format!("{SCHEMAS}{}", component("ObjectMeta"))}], "default": {}});
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reference_of_a_document_is_defined_in_it() {
        let registry = Registry::new();
        for (group, versions) in registry.groups() {
            for version in versions {
                let document = document(&registry, group, version).unwrap();
                let schemas = document["components"]["schemas"].as_object().unwrap();
                let text = document.to_string();
                let found = text.split(SCHEMAS).skip(1).filter_map(|rest| rest.split('"').next());
                for name in found.collect::<BTreeSet<_>>() {
                    assert!(schemas.contains_key(name), "{group}/{version}: {name}");
                }
            }
        }
    }

    #[test]
    fn the_binary_document_names_its_version_and_title() {
        assert_eq!(v2_binary(), b"\x0a\x032.0\x12\x11\x0a\x06convoy\x12\x07v1.36.0");
    }

    #[test]
    fn patches_list_field_validation() {
        let document = document(&Registry::new(), "apps", "v1").unwrap();
        let patch = &document["paths"]["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"]["patch"];
        assert!(patch["parameters"].to_string().contains("fieldValidation"));
        assert!(
            patch["requestBody"]["content"]
                .get("application/strategic-merge-patch+json")
                .is_some()
        );
    }
}
