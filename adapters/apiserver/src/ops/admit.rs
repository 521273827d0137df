//! The checks and completions that every write passes.

use kube_cel::RootContext;
use serde_json::{Map, Value, json};

use super::{Core, Target, Validation, Write};
use crate::crd::Custom;
use crate::resource::Resource;
use crate::status::{ApiError, FieldError};
use crate::types::canonical::canonical;
use crate::types::decode;
use crate::validate::{builtin, cel, defaults, immutable, meta, schema};

/// At most this many warnings are returned.
const MAX_WARNINGS: usize = 20;

/// Checks that the body says what the path says, and drops what the type does not know.
pub(crate) fn decode(target: &Target, object: &mut Value, write: &Write) -> Result<Vec<String>, ApiError> {
    let resource = &target.resource;
    if !object.is_object() {
        return Err(ApiError::bad_request("the object provided is not an object"));
    }
    let want = resource.api_version();
    match object.get("apiVersion").and_then(Value::as_str) {
        None | Some("") => object["apiVersion"] = json!(want),
        Some(given) if given == want => {}
        Some(given) => {
            let kind = object.get("kind").and_then(Value::as_str).unwrap_or("");
            return Err(unreadable(
                resource,
                kind,
                &format!("no kind \"{kind}\" is registered for version \"{given}\" in the scheme of {want}"),
            ));
        }
    }
    match object.get("kind").and_then(Value::as_str) {
        None | Some("") => object["kind"] = json!(resource.kind),
        Some(given) if given == resource.kind => {}
        Some(given) => {
            let (version, kind) = (&resource.version, &resource.kind);
            let package = resource
                .group
                .split('.')
                .next()
                .filter(|name| !name.is_empty())
                .unwrap_or("core");
            let why = format!("converting ({version}.{given}) to ({package}.{kind}): unknown conversion");
            return Err(unreadable(resource, given, &why));
        }
    }
    if object.get("metadata").is_none_or(Value::is_null) {
        object["metadata"] = Value::Object(Map::new());
    }
    if resource.custom.is_none()
        && let Some(why) = decode::type_mismatch(&resource.ty, object)
    {
        let (kind, version) = (&resource.kind, &resource.version);
        return Err(ApiError::bad_request(format!(
            "{kind} in version \"{version}\" cannot be handled as a {kind}: {why}"
        )));
    }
    let metadata = decode::type_mismatch(&crate::types::builtin::named("ObjectMeta"), &object["metadata"]);
    if let Some(why) = metadata {
        return Err(ApiError::bad_request(why));
    }
    let unknown = decode::prune(&resource.ty, object, resource.custom.is_none());
    let namespace = object["metadata"]["namespace"].as_str().unwrap_or("");
    if resource.namespaced {
        if !namespace.is_empty() && namespace != target.namespace {
            let why = "the namespace of the provided object does not match the namespace sent on the request";
            return Err(ApiError::bad_request(why));
        }
        object["metadata"]["namespace"] = json!(target.namespace);
    } else if let Some(metadata) = object["metadata"].as_object_mut() {
        metadata.remove("namespace");
    }
    strictness(resource, &unknown, write)
}

fn unreadable(resource: &Resource, kind: &str, why: &str) -> ApiError {
    let (version, wanted) = (&resource.version, &resource.kind);
    ApiError::bad_request(format!(
        "{kind} in version \"{version}\" cannot be handled as a {wanted}: {why}"
    ))
}

fn strictness(resource: &Resource, unknown: &[String], write: &Write) -> Result<Vec<String>, ApiError> {
    let unknown = unknown.iter().map(|path| format!("unknown field \"{path}\""));
    let found: Vec<String> = write
        .duplicates
        .iter()
        .map(|path| format!("duplicate field \"{path}\""))
        .chain(unknown)
        .collect();
    if found.is_empty() {
        return Ok(Vec::new());
    }
    match write.validation {
        Validation::Ignore => Ok(Vec::new()),
        Validation::Warn => Ok(found.into_iter().take(MAX_WARNINGS).collect()),
        Validation::Strict => {
            let list = found.join(", ");
            let (kind, version) = (&resource.kind, &resource.version);
            Err(ApiError::bad_request(format!(
                "{kind} in version \"{version}\" cannot be handled as a {kind}: strict decoding error: {list}"
            )))
        }
    }
}

/// Fills in what is left out.
pub(crate) fn complete(resource: &Resource, object: &mut Value) {
    if let Some(custom) = &resource.custom {
        defaults::fill(&custom.schema, object);
        let _ = decode::prune(&resource.ty, object, false);
    } else {
        canonical(&resource.ty, object);
        builtin::fill(&resource.storage, object);
        let _ = decode::prune(&resource.ty, object, true);
        canonical(&resource.ty, object);
    }
    drop_empty_metadata(object);
}

/// Empty maps and lists of the metadata are not stored.
fn drop_empty_metadata(object: &mut Value) {
    let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) else {
        return;
    };
    metadata.retain(|_, value| {
        !value.is_null()
            && value.as_object().is_none_or(|map| !map.is_empty())
            && value.as_array().is_none_or(|list| !list.is_empty())
            && value.as_str().is_none_or(|text| !text.is_empty())
    });
}

/// Refuses what may not be stored.
pub(crate) fn check(target: &Target, object: &Value, old: Option<&Value>) -> Result<(), ApiError> {
    let resource = &target.resource;
    let mut errors = meta::check(&resource.storage, object);
    if let Some(old) = old {
        unchanged_metadata(old, object, &mut errors);
    }
    if let Some(custom) = &resource.custom {
        check_custom(resource, custom, object, old, &mut errors);
    } else {
        if target.subresource != "status" {
            errors.extend(builtin::check(&resource.storage, &resource.ty, object));
        }
        if &*resource.storage == "customresourcedefinitions.apiextensions.k8s.io" {
            errors.extend(crate::crd::check(object));
        }
        if let Some(old) = old {
            errors.extend(immutable::check(&resource.storage, old, object));
        }
    }
    if errors.is_empty() {
        return Ok(());
    }
    let name = object["metadata"]["name"].as_str().unwrap_or("");
    Err(ApiError::invalid(&resource.group, &resource.kind, name, &errors))
}

fn check_custom(
    resource: &Resource,
    custom: &Custom,
    object: &Value,
    old: Option<&Value>,
    errors: &mut Vec<FieldError>,
) {
    errors.extend(schema::check(&custom.schema, object, &custom.patterns));
    if custom.rules.is_none() {
        return;
    }
    if errors.iter().any(FieldError::blocks_rules) {
        let why = "some validation rules were not checked because the object was invalid; correct the existing errors to \
                   complete validation";
        errors.push(FieldError::invalid("", &Value::Null, why));
        return;
    }
    let context = RootContext {
        api_version: resource.api_version(),
        api_group: resource.group.clone(),
        kind: resource.kind.clone(),
    };
    errors.extend(cel::check(custom, object, old, context));
}

fn unchanged_metadata(old: &Value, new: &Value, errors: &mut Vec<FieldError>) {
    for field in ["name", "namespace", "uid"] {
        if old["metadata"].get(field) != new["metadata"].get(field) {
            let path = format!("metadata.{field}");
            errors.push(FieldError::invalid(path, &new["metadata"][field], "field is immutable"));
        }
    }
    if old["metadata"].get("deletionTimestamp").is_some() {
        let finalizers = |object: &Value| object["metadata"]["finalizers"].as_array().cloned().unwrap_or_default();
        let before = finalizers(old);
        let added: Vec<Value> = finalizers(new)
            .into_iter()
            .filter(|one| !before.contains(one))
            .collect();
        if !added.is_empty() {
            let why = format!(
                "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
                added.iter().map(Value::to_string).collect::<Vec<_>>().join(", ")
            );
            errors.push(FieldError::forbidden("metadata.finalizers", &why));
        }
    }
}

impl Core {
    /// Values that the server hands out: cluster addresses and node ports.
    pub(crate) fn allocate(&mut self, target: &Target, object: &mut Value, old: Option<&Value>) {
        if &*target.resource.storage != "services" {
            return;
        }
        let spec = &mut object["spec"];
        if spec["type"] == "ExternalName" {
            return;
        }
        for field in ["clusterIP", "clusterIPs"] {
            if let (None, Some(before)) = (spec.get(field), old.and_then(|old| old["spec"].get(field))) {
                spec[field] = before.clone();
            }
        }
        if spec["clusterIP"].as_str().unwrap_or("").is_empty() {
            self.next_address += 1;
            let [_, _, high, low] = self.next_address.to_be_bytes();
            spec["clusterIP"] = json!(format!("10.96.{high}.{low}"));
        }
        spec["clusterIPs"] = json!([spec["clusterIP"]]);
        for (field, value) in [
            ("ipFamilies", json!(["IPv4"])),
            ("ipFamilyPolicy", json!("SingleStack")),
        ] {
            if spec.get(field).is_none() {
                spec[field] = value;
            }
        }
        if spec["type"] == "NodePort" || spec["type"] == "LoadBalancer" {
            let before = old
                .and_then(|old| old["spec"]["ports"].as_array())
                .cloned()
                .unwrap_or_default();
            for port in spec["ports"].as_array_mut().into_iter().flatten() {
                if port.get("nodePort").is_none() {
                    let known = before
                        .iter()
                        .find(|known| known["port"] == port["port"] && known["protocol"] == port["protocol"]);
                    let number = known.and_then(|known| known.get("nodePort")).cloned();
                    self.next_address += u32::from(number.is_none());
                    port["nodePort"] = number.unwrap_or_else(|| json!(30_000 + self.next_address % 2_767));
                }
            }
        }
    }
}
