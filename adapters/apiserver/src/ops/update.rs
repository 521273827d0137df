//! Changes of objects: replacement and patches.

use serde_json::{Map, Value, json};

use super::admit;
use super::create::ignored;
use super::{Core, Target, Write, Written};
use crate::apply::{self, Manager, Managers, Operation, Scope};
use crate::clock::now_text;
use crate::controllers::unread_annotations;
use crate::patch;
use crate::resource::{kept_as, shown_as};
use crate::status::ApiError;

/// The patch formats, by their media type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PatchKind {
    Json,
    Merge,
    Strategic,
    Apply,
}

impl Core {
    /// The object as the target's version shows it.
    ///
    /// # Errors
    /// 404.
    pub(super) fn current(&self, target: &Target) -> Result<Value, ApiError> {
        let stored = self.store.get(&target.key()).ok_or_else(|| target.not_found())?;
        Ok(shown_as(&target.resource, &stored.value))
    }

    /// `PUT`.
    ///
    /// # Errors
    /// What a Kubernetes API server would answer.
    pub(crate) fn replace(&mut self, target: &Target, mut object: Value, write: &Write) -> Result<Written, ApiError> {
        if target.subresource == "scale" {
            return self.replace_scale(target, &object, write);
        }
        let warnings = admit::decode(target, &mut object, write)?;
        let given = object["metadata"]["name"].as_str().unwrap_or("");
        if given.is_empty() {
            object["metadata"]["name"] = json!(target.name);
        }
        same_name(target, &object)?;
        let old = self.current(target)?;
        conditional(target, &object, write)?;
        self.finish(target, &old, object, None, write, warnings)
    }

    /// `PATCH`.
    ///
    /// # Errors
    /// What a Kubernetes API server would answer.
    pub(crate) fn patch(
        &mut self,
        target: &Target,
        kind: PatchKind,
        patch: &Value,
        write: &Write,
    ) -> Result<Written, ApiError> {
        if kind == PatchKind::Apply {
            return self.apply(target, patch.clone(), write);
        }
        if target.subresource == "scale" {
            let mut scale = self.scale_or_zero(target)?;
            apply_patch(target, kind, &mut scale, patch)?;
            return self.replace_scale(target, &scale, write);
        }
        let old = self.current(target)?;
        let mut object = old.clone();
        apply_patch(target, kind, &mut object, patch)?;
        let warnings = admit::decode(target, &mut object, write)?;
        same_name(target, &object)?;
        self.finish(target, &old, object, None, write, warnings)
    }

    /// Stores `new` in place of `old`, both as the target's version shows them.
    pub(super) fn finish(
        &mut self,
        target: &Target,
        old: &Value,
        mut new: Value,
        managers: Option<Managers>,
        write: &Write,
        mut warnings: Vec<String>,
    ) -> Result<Written, ApiError> {
        let resource = &target.resource;
        preconditions(target, old, &new)?;
        let sent_managers = new["metadata"].get("managedFields").cloned();
        keep_what_is_not_written(target, old, &mut new);
        admit::complete(resource, &mut new);
        let managers = managers.unwrap_or_else(|| {
            let base = known_managers(target, old, sent_managers.as_ref());
            if base.0.is_empty() {
                // Ownership that was given up is not recorded again until somebody applies.
                return base;
            }
            let (version, now, ignored) = (resource.api_version(), now_text(), ignored(target));
            let manager = Manager::new(Operation::Update, &write.manager, &version, &target.subresource);
            let scope = Scope {
                ty: &resource.ty,
                ignored: &ignored,
                now: &now,
            };
            apply::update(
                &scope,
                &without_managers(old),
                &without_managers(&new),
                base,
                &manager,
                &version,
            )
        });
        set_managers(&mut new, &managers);
        self.allocate(target, &mut new, Some(old));
        let changed_spec = specification(old) != specification(&new);
        if resource.counts_generations() && changed_spec && target.subresource != "status" {
            let generation = old["metadata"]["generation"].as_i64().unwrap_or(0);
            new["metadata"]["generation"] = json!(generation + 1);
        }
        admit::check(target, &new, Some(old))?;
        if let Some(deprecation) = resource.custom.as_ref().and_then(|custom| custom.deprecation.clone()) {
            warnings.push(deprecation);
        }
        warnings.extend(unread_annotations(&new));
        new["metadata"]["resourceVersion"] = old["metadata"]["resourceVersion"].clone();
        if without_times(old) == without_times(&new) {
            return Ok(Written {
                object: old.clone(),
                created: false,
                warnings,
            });
        }
        if write.dry_run {
            return Ok(Written {
                object: new,
                created: false,
                warnings,
            });
        }
        let object = self.store_or_remove(target, new)?;
        Ok(Written {
            object,
            created: false,
            warnings,
        })
    }

    /// Stores the object, or removes it when it is being deleted and nothing holds it back any more.
    fn store_or_remove(&mut self, target: &Target, object: Value) -> Result<Value, ApiError> {
        let resource = &target.resource;
        let deleting = object["metadata"].get("deletionTimestamp").is_some();
        let held = object["metadata"]["finalizers"]
            .as_array()
            .is_some_and(|list| !list.is_empty());
        let namespace = &*resource.storage == "namespaces"
            && object["spec"]["finalizers"]
                .as_array()
                .is_some_and(|list| !list.is_empty());
        if deleting && !held && !namespace {
            self.remove(target);
            return Ok(object);
        }
        let stored = self
            .store
            .put(target.key(), kept_as(resource, object))
            .map_err(|limit| super::full(&limit))?;
        self.written(target, &stored.value);
        Ok(shown_as(resource, &stored.value))
    }
}

fn apply_patch(target: &Target, kind: PatchKind, object: &mut Value, patch: &Value) -> Result<(), ApiError> {
    match kind {
        PatchKind::Json => patch::json(object, patch),
        PatchKind::Strategic if target.resource.custom.is_some() => Err(ApiError::new(
            415,
            "UnsupportedMediaType",
            "the body of the request was in an unknown format - accepted media types include: \
             application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
        )),
        PatchKind::Strategic => patch::strategic(&target.resource.ty, object, patch),
        PatchKind::Merge | PatchKind::Apply => {
            patch::merge(object, patch);
            Ok(())
        }
    }
}

/// Refuses an object whose name is not the one of the path.
fn same_name(target: &Target, object: &Value) -> Result<(), ApiError> {
    let given = object["metadata"]["name"].as_str().unwrap_or("");
    if given == target.name {
        return Ok(());
    }
    let url = &target.name;
    Err(ApiError::bad_request(format!(
        "the name of the object ({given}) does not match the name on the URL ({url})"
    )))
}

/// Kinds that are only replaced by clients that say which version they replace.
const CONDITIONAL: &[&str] = &[
    "leases.coordination.k8s.io",
    "customresourcedefinitions.apiextensions.k8s.io",
    "poddisruptionbudgets.policy",
    "apiservices.apiregistration.k8s.io",
    "validatingwebhookconfigurations.admissionregistration.k8s.io",
    "mutatingwebhookconfigurations.admissionregistration.k8s.io",
    "runtimeclasses.node.k8s.io",
    "csidrivers.storage.k8s.io",
];

fn conditional(target: &Target, object: &Value, write: &Write) -> Result<(), ApiError> {
    let resource = &target.resource;
    let wants = resource.custom.is_some() || CONDITIONAL.contains(&&*resource.storage);
    let given = object["metadata"]["resourceVersion"]
        .as_str()
        .is_some_and(|text| !text.is_empty());
    if !wants || given || write.unconditional {
        return Ok(());
    }
    let why = "must be specified for an update";
    let error = crate::status::FieldError::invalid("metadata.resourceVersion", &json!(0), why);
    Err(ApiError::invalid(
        &resource.group,
        &resource.plural,
        &target.name,
        &[error],
    ))
}

fn preconditions(target: &Target, old: &Value, new: &Value) -> Result<(), ApiError> {
    let (group, plural, name) = (&target.resource.group, &target.resource.plural, &target.name);
    let text = |object: &Value, field: &str| object["metadata"][field].as_str().unwrap_or("").to_owned();
    let (sent, known) = (text(new, "uid"), text(old, "uid"));
    if !sent.is_empty() && sent != known {
        let place = registry_path(target);
        let why = format!(
            "StorageError: invalid object, Code: 4, Key: {place}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: \
             UID in precondition: {sent}, UID in object meta: {known}"
        );
        return Err(ApiError::conflict(group, plural, name, &why));
    }
    let sent = text(new, "resourceVersion");
    if sent.is_empty() || sent == text(old, "resourceVersion") {
        return Ok(());
    }
    if sent.parse::<u64>().is_err() {
        let error = crate::status::FieldError::invalid("metadata.resourceVersion", &json!(sent), "must be an integer");
        return Err(ApiError::invalid(group, &target.resource.kind, name, &[error]));
    }
    Err(ApiError::modified(group, plural, name))
}

/// Where a cluster's database would keep the object.
fn registry_path(target: &Target) -> String {
    let group = if target.resource.custom.is_some() {
        format!("{}/", target.resource.group)
    } else {
        String::new()
    };
    let space = if target.namespace.is_empty() {
        String::new()
    } else {
        format!("{}/", target.namespace)
    };
    format!("/registry/{group}{}/{space}{}", target.resource.plural, target.name)
}

/// Takes from the old object what this endpoint cannot change.
fn keep_what_is_not_written(target: &Target, old: &Value, new: &mut Value) {
    let resource = &target.resource;
    if target.subresource == "status" {
        let mut merged = old.clone();
        if resource.custom.is_none() {
            let labels = old["metadata"].get("labels").cloned();
            merged["metadata"] = new["metadata"].clone();
            put_or_remove(&mut merged["metadata"], "labels", labels);
        }
        put_or_remove(&mut merged, "status", new.get("status").cloned());
        *new = merged;
    } else if resource.has_status() {
        put_or_remove(new, "status", old.get("status").cloned());
    }
    for field in [
        "uid",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "selfLink",
        "generation",
    ] {
        let before = old["metadata"].get(field).cloned();
        put_or_remove(&mut new["metadata"], field, before);
    }
    if &*resource.storage == "namespaces" && target.subresource != "finalize" {
        put_or_remove(new, "spec", old.get("spec").cloned());
    }
    if &*resource.storage == "jobs.batch" {
        for field in ["selector", "template"] {
            if new["spec"].get(field).is_none()
                && let Some(before) = old["spec"].get(field)
            {
                new["spec"][field] = before.clone();
            }
        }
        keep_job_labels(old, new);
    }
}

/// Labels that the server added to a Job's template stay when a client sends the template without them.
fn keep_job_labels(old: &Value, new: &mut Value) {
    let before = old["spec"]["template"]["metadata"]["labels"]
        .as_object()
        .cloned()
        .unwrap_or_default();
    if !new["spec"]["template"].is_object() {
        return;
    }
    for (name, value) in before {
        let ours = name.starts_with("batch.kubernetes.io/") || name == "controller-uid" || name == "job-name";
        if ours && new["spec"]["template"]["metadata"]["labels"].get(&name).is_none() {
            new["spec"]["template"]["metadata"]["labels"][&name] = value;
        }
    }
}

fn put_or_remove(object: &mut Value, field: &str, value: Option<Value>) {
    if !object.is_object() {
        *object = Value::Object(Map::new());
    }
    if let Some(map) = object.as_object_mut() {
        match value {
            Some(value) => map.insert(field.to_owned(), value),
            None => map.remove(field),
        };
    }
}

/// The managers to start from: those that the client sent when they can be read, else the stored ones.
fn known_managers(target: &Target, old: &Value, sent: Option<&Value>) -> Managers {
    let stored = || Managers::decode(old["metadata"].get("managedFields")).unwrap_or_default();
    if !target.subresource.is_empty() {
        return stored();
    }
    if sent == Some(&json!([{}])) {
        return Managers::default();
    }
    match Managers::decode(sent) {
        Some(managers) if !managers.0.is_empty() => managers,
        Some(_) | None => stored(),
    }
}

pub(super) fn set_managers(object: &mut Value, managers: &Managers) {
    let entries = managers.encode();
    let entries = entries
        .as_array()
        .is_some_and(|list| !list.is_empty())
        .then_some(entries);
    put_or_remove(&mut object["metadata"], "managedFields", entries);
}

pub(super) fn without_managers(object: &Value) -> Value {
    let mut object = object.clone();
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
    }
    object
}

fn without_times(object: &Value) -> Value {
    let mut object = object.clone();
    for entry in object["metadata"]["managedFields"].as_array_mut().into_iter().flatten() {
        if let Some(entry) = entry.as_object_mut() {
            entry.remove("time");
        }
    }
    object
}

/// Everything but identity, metadata and status.
pub(super) fn specification(object: &Value) -> Map<String, Value> {
    let fields = object.as_object().into_iter().flatten();
    let fields = fields.filter(|(name, _)| !matches!(name.as_str(), "apiVersion" | "kind" | "metadata" | "status"));
    fields.map(|(name, value)| (name.clone(), value.clone())).collect()
}
