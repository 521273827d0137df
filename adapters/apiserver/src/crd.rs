//! Custom resource definitions: checked, accepted, and turned into resources.

use std::cmp::Ordering;
use std::sync::Arc;

use kube_cel::CompiledSchema;
use serde_json::{Value, json};

use crate::resource::{Resource, Subresource, api_version};
use crate::status::{FieldError, qualified};
use crate::types::schema;
use crate::validate::cel;
use crate::validate::schema::{Patterns, patterns_of};

/// What a version of a custom resource knows beyond a built-in one.
#[derive(Debug)]
pub(crate) struct Custom {
    pub(crate) schema: Value,
    pub(crate) patterns: Patterns,
    /// The rules of the schema; none when it has none.
    pub(crate) rules: Option<Arc<CompiledSchema>>,
    pub(crate) columns: Vec<Column>,
    pub(crate) scale: Option<Scale>,
    pub(crate) selectable: Vec<String>,
    /// A warning for clients of a deprecated version.
    pub(crate) deprecation: Option<String>,
}

/// A printer column.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) format: String,
    pub(crate) description: String,
    pub(crate) priority: i64,
    pub(crate) path: String,
}

/// Where the scale subresource finds its numbers, as JSON pointers.
#[derive(Debug, Clone)]
pub(crate) struct Scale {
    pub(crate) spec: String,
    pub(crate) status: String,
    pub(crate) selector: Option<String>,
}

/// A schema with more nodes than this is refused.
const MAX_SCHEMA_NODES: usize = 100_000;

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or("")
}

fn texts(value: &Value, field: &str) -> Vec<String> {
    let items = value.get(field).and_then(Value::as_array).into_iter().flatten();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// `.spec.replicas` as `/spec/replicas`.
fn pointer(path: &str) -> String {
    path.replace('.', "/")
}

/// Names that a definition leaves out.
pub(crate) fn fill(definition: &mut Value) {
    let spec = &mut definition["spec"];
    if !spec.is_object() {
        return;
    }
    let kind = text(&spec["names"], "kind").to_owned();
    if let Some(names) = spec["names"].as_object_mut() {
        names.entry("singular").or_insert_with(|| json!(kind.to_lowercase()));
        names.entry("listKind").or_insert_with(|| json!(format!("{kind}List")));
    }
    if spec.get("conversion").is_none() {
        spec["conversion"] = json!({"strategy": "None"});
    }
}

/// What is wrong with a definition.
pub(crate) fn check(definition: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let spec = &definition["spec"];
    for (field, value) in [
        ("spec.group", text(spec, "group")),
        ("spec.scope", text(spec, "scope")),
        ("spec.names.plural", text(&spec["names"], "plural")),
        ("spec.names.kind", text(&spec["names"], "kind")),
    ] {
        if value.is_empty() {
            errors.push(FieldError::required(field, ""));
        }
    }
    let expected = format!("{}.{}", text(&spec["names"], "plural"), text(spec, "group"));
    if definition["metadata"]["name"] != json!(expected) {
        errors.push(FieldError::invalid(
            "metadata.name",
            &definition["metadata"]["name"],
            "must be spec.names.plural+\".\"+spec.group",
        ));
    }
    if !matches!(text(spec, "scope"), "Namespaced" | "Cluster" | "") {
        let allowed = ["Cluster".to_owned(), "Namespaced".to_owned()];
        errors.push(FieldError::not_supported("spec.scope", &spec["scope"], &allowed));
    }
    let versions = spec["versions"].as_array().map_or(&[][..], Vec::as_slice);
    if versions.is_empty() {
        errors.push(FieldError::required("spec.versions", ""));
    }
    let stored = versions
        .iter()
        .filter(|version| version["storage"] == json!(true))
        .count();
    if !versions.is_empty() && stored != 1 {
        let why = "must have exactly one version marked as storage version";
        errors.push(FieldError::invalid_omitted("spec.versions", why));
    }
    if spec["conversion"]["strategy"] == "Webhook" {
        errors.push(FieldError::invalid(
            "spec.conversion.strategy",
            &json!("Webhook"),
            "this server converts between versions by name only: use None",
        ));
    }
    for (at, version) in versions.iter().enumerate() {
        version_errors(version, &format!("spec.versions[{at}]"), &mut errors);
    }
    errors
}

fn version_errors(version: &Value, path: &str, errors: &mut Vec<FieldError>) {
    if text(version, "name").is_empty() {
        errors.push(FieldError::required(format!("{path}.name"), ""));
    }
    let path = format!("{path}.schema.openAPIV3Schema");
    let Some(schema) = version["schema"].get("openAPIV3Schema") else {
        errors.push(FieldError::required(path, ""));
        return;
    };
    if schema["type"] != "object" {
        errors.push(FieldError::invalid(
            format!("{path}.type"),
            &schema["type"],
            "must be object at the root",
        ));
    }
    let mut budget = MAX_SCHEMA_NODES;
    structural(schema, &path, &mut budget, errors);
    if budget == 0 {
        errors.push(FieldError::too_many(
            path,
            MAX_SCHEMA_NODES + 1,
            MAX_SCHEMA_NODES as u64,
        ));
    }
}

fn structural(schema: &Value, path: &str, budget: &mut usize, errors: &mut Vec<FieldError>) {
    if *budget == 0 {
        return;
    }
    *budget -= 1;
    let on = |name: &str| schema.get(name) == Some(&json!(true));
    let typed = schema
        .get("type")
        .and_then(Value::as_str)
        .is_some_and(|name| !name.is_empty());
    if !typed && !on("x-kubernetes-int-or-string") && !on("x-kubernetes-preserve-unknown-fields") {
        errors.push(FieldError::required(
            format!("{path}.type"),
            "must not be empty for specified object fields",
        ));
    }
    if let Some(pattern) = schema.get("pattern").and_then(Value::as_str)
        && let Err(error) = regex::Regex::new(pattern)
    {
        let why = format!("must be a valid regular expression, but isn't: {error}");
        errors.push(FieldError::invalid(format!("{path}.pattern"), &json!(pattern), &why));
    }
    for (at, rule) in schema
        .get("x-kubernetes-validations")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .enumerate()
    {
        let path = format!("{path}.x-kubernetes-validations[{at}].rule");
        let rule = text(rule, "rule");
        if rule.len() > cel::MAX_RULE_BYTES {
            errors.push(FieldError::too_long(path, cel::MAX_RULE_BYTES as u64));
        } else if let Some(why) = cel::refuse(rule) {
            errors.push(FieldError::invalid(path, &json!(rule), &why));
        }
    }
    for (name, property) in schema
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        let meta = path.ends_with("openAPIV3Schema") && name == "metadata";
        if !meta {
            structural(property, &format!("{path}.properties[{name}]"), budget, errors);
        }
    }
    if let Some(items) = schema.get("items") {
        structural(items, &format!("{path}.items"), budget, errors);
    } else if schema["type"] == "array" {
        errors.push(FieldError::required(format!("{path}.items"), "must be specified"));
    }
    if let Some(additional) = schema
        .get("additionalProperties")
        .filter(|additional| additional.is_object())
    {
        structural(additional, &format!("{path}.additionalProperties"), budget, errors);
    }
}

/// The status of an accepted definition.
pub(crate) fn accepted(definition: &Value, now: &str) -> Value {
    let spec = &definition["spec"];
    let stored = spec["versions"]
        .as_array()
        .into_iter()
        .flatten()
        .find(|version| version["storage"] == json!(true));
    let mut versions = texts(&definition["status"], "storedVersions");
    if let Some(stored) = stored
        && !versions.iter().any(|version| version == text(stored, "name"))
    {
        versions.push(text(stored, "name").to_owned());
    }
    json!({
        "acceptedNames": spec["names"],
        "conditions": [
            {"type": "NamesAccepted", "status": "True", "reason": "NoConflicts", "message": "no conflicts found", "lastTransitionTime": now},
            {"type": "Established", "status": "True", "reason": "InitialNamesAccepted", "message": "the initial names have been accepted", "lastTransitionTime": now},
        ],
        "storedVersions": versions,
    })
}

/// The resources that a definition serves.
pub(crate) fn resources(definition: &Value) -> Vec<Resource> {
    let spec = &definition["spec"];
    let versions = spec["versions"].as_array().map_or(&[][..], Vec::as_slice);
    let group = text(spec, "group");
    let stored = versions.iter().find(|version| version["storage"] == json!(true));
    let stored_as = api_version(group, stored.map_or("", |version| text(version, "name")));
    let served = versions.iter().filter(|version| version["served"] == json!(true));
    served.map(|version| resource(spec, version, &stored_as)).collect()
}

fn resource(spec: &Value, version: &Value, stored_as: &str) -> Resource {
    let names = &spec["names"];
    let (group, name) = (text(spec, "group"), text(version, "name"));
    let schema = version["schema"]["openAPIV3Schema"].clone();
    let scale = version["subresources"].get("scale").map(|scale| Scale {
        spec: pointer(text(scale, "specReplicasPath")),
        status: pointer(text(scale, "statusReplicasPath")),
        selector: scale.get("labelSelectorPath").and_then(Value::as_str).map(pointer),
    });
    let sub = |name: &str, group: &str, version: &str, kind: &str| Subresource {
        name: name.to_owned(),
        group: group.to_owned(),
        version: version.to_owned(),
        kind: kind.to_owned(),
        verbs: ["get", "patch", "update"].map(str::to_owned).to_vec(),
    };
    let mut subresources = Vec::new();
    if version["subresources"].get("status").is_some() {
        subresources.push(sub("status", group, name, text(names, "kind")));
    }
    if scale.is_some() {
        subresources.push(sub("scale", "autoscaling", "v1", "Scale"));
    }
    let columns = version.get("additionalPrinterColumns").and_then(Value::as_array);
    let columns = columns.map_or_else(Vec::new, |columns| columns.iter().map(column).collect());
    let selectable = version
        .get("selectableFields")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let selectable = selectable
        .map(|field| text(field, "jsonPath").trim_start_matches('.').to_owned())
        .collect();
    let deprecation = (version["deprecated"] == json!(true)).then(|| {
        let given = text(version, "deprecationWarning");
        let plain = || format!("{group}/{name} {} is deprecated", text(names, "kind"));
        if given.is_empty() { plain() } else { given.to_owned() }
    });
    Resource {
        group: group.to_owned(),
        version: name.to_owned(),
        plural: text(names, "plural").to_owned(),
        singular: text(names, "singular").to_owned(),
        kind: text(names, "kind").to_owned(),
        list_kind: text(names, "listKind").to_owned(),
        namespaced: text(spec, "scope") == "Namespaced",
        short_names: texts(names, "shortNames"),
        categories: texts(names, "categories"),
        verbs: [
            "create",
            "delete",
            "deletecollection",
            "get",
            "list",
            "patch",
            "update",
            "watch",
        ]
        .map(str::to_owned)
        .to_vec(),
        subresources,
        ty: schema::of_resource(&schema),
        type_name: String::new(),
        storage: qualified(group, text(names, "plural")).into(),
        stored_as: stored_as.to_owned(),
        custom: Some(Arc::new(Custom {
            patterns: patterns_of(&schema),
            rules: cel::compile(&schema),
            schema,
            columns,
            scale,
            selectable,
            deprecation,
        })),
    }
}

fn column(column: &Value) -> Column {
    Column {
        name: text(column, "name").to_owned(),
        kind: text(column, "type").to_owned(),
        format: text(column, "format").to_owned(),
        description: text(column, "description").to_owned(),
        priority: column["priority"].as_i64().unwrap_or(0),
        path: text(column, "jsonPath").to_owned(),
    }
}

/// The order of versions in discovery: newest stable first, then beta, then alpha, then others by name.
pub(crate) fn version_order(left: &str, right: &str) -> Ordering {
    let rank = |text: &str| -> Option<(u8, u64, u64)> {
        let rest = text.strip_prefix('v')?;
        let digits = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
        let major = rest[..digits].parse().ok()?;
        let rest = &rest[digits..];
        if rest.is_empty() {
            return Some((3, major, 0));
        }
        let (stage, minor) = rest
            .strip_prefix("beta")
            .map(|minor| (2, minor))
            .or_else(|| rest.strip_prefix("alpha").map(|minor| (1, minor)))?;
        Some((stage, major, minor.parse().ok()?))
    };
    match (rank(left), rank(right)) {
        (Some(left), Some(right)) => right.cmp(&left),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => left.cmp(right),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stable_versions_come_first() {
        let mut versions = ["v1alpha1", "foo", "v2", "v1beta2", "v1", "v1beta10"];
        versions.sort_by(|left, right| version_order(left, right));
        assert_eq!(versions, ["v2", "v1", "v1beta10", "v1beta2", "v1alpha1", "foo"]);
    }

    #[test]
    fn a_definition_without_schema_or_with_a_bad_rule_is_refused() {
        let mut definition = json!({"metadata": {"name": "as.b.c"}, "spec": {"group": "b.c", "scope": "Namespaced",
            "names": {"plural": "as", "kind": "A"}, "versions": [{"name": "v1", "served": true, "storage": true}]}});
        let fields = |definition: &Value| {
            check(definition)
                .into_iter()
                .map(|error| error.field)
                .collect::<Vec<_>>()
        };
        assert_eq!(fields(&definition), ["spec.versions[0].schema.openAPIV3Schema"]);
        definition["spec"]["versions"][0]["schema"] = json!({"openAPIV3Schema": {"type": "object", "properties": {
            "a": {"type": "string", "x-kubernetes-validations": [{"rule": "self ==="}]}}}});
        assert_eq!(
            fields(&definition),
            ["spec.versions[0].schema.openAPIV3Schema.properties[a].x-kubernetes-validations[0].rule"]
        );
        definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["a"] = json!({"type": "string"});
        assert_eq!(fields(&definition), [""; 0]);
        assert_eq!(resources(&definition).len(), 1);
    }
}
