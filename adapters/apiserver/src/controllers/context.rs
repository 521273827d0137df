//! What a controller can do.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::{FAIL_ANNOTATION, READY_AFTER_ANNOTATION};
use crate::clock::now_text;
use crate::ops::{Core, DeleteOptions, Target, Write};
use crate::resource::shown_as;
use crate::store::Key;

/// The name under which controllers write.
const MANAGER: &str = "kube-controller-manager";

/// The longest time that a workload takes, whoever asks.
const LONGEST: Duration = Duration::from_hours(24);

/// The state, and what one reconciliation finds out.
pub(super) struct Context<'a> {
    pub(super) core: &'a mut Core,
    pub(super) now: Instant,
    ready_after: Duration,
    seen: &'a mut BTreeMap<String, Instant>,
    /// When the object wants to be looked at again.
    pub(super) wake: Option<Instant>,
}

impl<'a> Context<'a> {
    pub(super) fn new(
        core: &'a mut Core,
        now: Instant,
        ready_after: Duration,
        seen: &'a mut BTreeMap<String, Instant>,
    ) -> Self {
        Self {
            core,
            now,
            ready_after,
            seen,
            wake: None,
        }
    }

    fn target(&self, key: &Key, subresource: &str) -> Option<Target> {
        let resource = self.core.registry.of_storage(&key.storage)?.clone();
        Some(Target {
            resource,
            namespace: key.namespace.clone(),
            name: key.name.clone(),
            subresource: subresource.to_owned(),
        })
    }

    pub(super) fn get(&self, key: &Key) -> Option<Value> {
        let stored = self.core.store.get(key)?;
        let resource = self.core.registry.of_storage(&key.storage)?;
        Some(shown_as(resource, &stored.value))
    }

    /// An object that another names.
    pub(super) fn object(&self, api_version: &str, kind: &str, namespace: &str, name: &str) -> Option<Value> {
        let resource = self.core.registry.of_kind(api_version, kind)?;
        self.get(&Key {
            storage: resource.storage.clone(),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        })
    }

    /// The objects of one resource that this object owns, in the order of their names.
    pub(super) fn owned(&self, owner: &Value, storage: &str) -> Vec<(Key, Value)> {
        let uid = owner["metadata"]["uid"].as_str().unwrap_or("");
        let keys = self
            .core
            .store
            .dependents(uid)
            .into_iter()
            .filter(|key| &*key.storage == storage);
        keys.filter_map(|key| self.get(&key).map(|object| (key, object)))
            .collect()
    }

    /// Writes the status when it differs.
    pub(super) fn set_status(&mut self, key: &Key, object: &Value, status: Value) {
        if object["status"] == status {
            return;
        }
        let mut object = object.clone();
        object["status"] = status;
        self.replace(key, object, "status");
    }

    pub(super) fn replace(&mut self, key: &Key, mut object: Value, subresource: &str) {
        let Some(target) = self.target(key, subresource) else {
            return;
        };
        if let Some(metadata) = object["metadata"].as_object_mut() {
            metadata.remove("resourceVersion");
            metadata.remove("managedFields");
        }
        if let Err(error) = self.core.replace(&target, object, &Write::internal(MANAGER)) {
            tracing::warn!(%error, resource = %key.storage, name = %key.name, "a controller's write was refused");
        }
    }

    pub(super) fn create(&mut self, storage: &str, namespace: &str, object: Value) {
        let key = Key {
            storage: storage.into(),
            namespace: namespace.to_owned(),
            name: String::new(),
        };
        let Some(target) = self.target(&key, "") else { return };
        if let Err(error) = self.core.create(&target, object, &Write::internal(MANAGER)) {
            tracing::warn!(%error, resource = storage, "a controller's object was refused");
        }
    }

    pub(super) fn delete(&mut self, key: &Key, propagation: &str) {
        let Some(target) = self.target(key, "") else { return };
        let options = DeleteOptions {
            propagation: Some(propagation.to_owned()),
            ..DeleteOptions::default()
        };
        if let Err(error) = self.core.delete(&target, &options) {
            tracing::debug!(%error, resource = %key.storage, name = %key.name, "a controller's deletion was refused");
        }
    }

    /// Whether the time that a thing takes has passed since it was first seen.
    pub(super) fn is_due(&mut self, id: String, object: &Value) -> bool {
        let asked = object["metadata"]["annotations"][READY_AFTER_ANNOTATION].as_str();
        // Whoever wrote a value that cannot be read has been warned.
        let time = asked
            .and_then(|text| crate::wait::parse(text).ok())
            .unwrap_or(self.ready_after);
        let since = *self.seen.entry(id).or_insert(self.now);
        let due = since + time.min(LONGEST);
        if self.now >= due {
            return true;
        }
        self.wake = Some(self.wake.map_or(due, |wake| wake.min(due)));
        false
    }
}

/// The identifier of one generation of an object.
pub(super) fn generation_id(object: &Value) -> String {
    let metadata = &object["metadata"];
    format!(
        "{}/{}",
        metadata["uid"].as_str().unwrap_or(""),
        metadata["generation"].as_i64().unwrap_or(0)
    )
}

/// The reference with which an object owns another.
pub(super) fn owner_reference(owner: &Value) -> Value {
    json!({"apiVersion": owner["apiVersion"], "kind": owner["kind"], "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"], "controller": true, "blockOwnerDeletion": true})
}

/// A pod of a workload, from its template; annotations that steer this server are handed down.
pub(super) fn pod_of(owner: &Value, name: Option<&str>, labels: &[(&str, Value)]) -> Value {
    let template = &owner["spec"]["template"];
    let mut metadata =
        json!({"labels": template["metadata"]["labels"], "annotations": template["metadata"]["annotations"]});
    match name {
        Some(name) => metadata["name"] = json!(name),
        None => metadata["generateName"] = json!(format!("{}-", owner["metadata"]["name"].as_str().unwrap_or(""))),
    }
    for (label, value) in labels {
        metadata["labels"][*label] = value.clone();
    }
    for annotation in [FAIL_ANNOTATION, READY_AFTER_ANNOTATION] {
        if let Some(value) = owner["metadata"]["annotations"].get(annotation) {
            metadata["annotations"][annotation] = value.clone();
        }
    }
    metadata["ownerReferences"] = json!([owner_reference(owner)]);
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"]})
}

/// A condition; its times move only when it changes.
pub(super) fn condition(before: &Value, kind: &str, status: bool, reason: &str, message: &str, updated: bool) -> Value {
    let now = now_text();
    let status = if status { "True" } else { "False" };
    let known = before
        .as_array()
        .into_iter()
        .flatten()
        .find(|condition| condition["type"] == kind);
    let same_status = known.filter(|known| known["status"] == status);
    let same = same_status.filter(|known| known["reason"] == reason && known["message"] == message);
    let time =
        |known: Option<&Value>, field: &str| known.and_then(|known| known[field].as_str()).unwrap_or(&now).to_owned();
    let mut condition = json!({"type": kind, "status": status, "reason": reason, "message": message,
        "lastTransitionTime": time(same_status, "lastTransitionTime")});
    if updated {
        condition["lastUpdateTime"] = json!(time(same, "lastUpdateTime"));
    }
    if reason.is_empty()
        && let Some(map) = condition.as_object_mut()
    {
        map.remove("reason");
        map.remove("message");
    }
    condition
}

/// Whether a pod is ready.
pub(super) fn is_ready(pod: &Value) -> bool {
    let conditions = pod["status"]["conditions"].as_array().into_iter().flatten();
    conditions
        .into_iter()
        .any(|condition| condition["type"] == "Ready" && condition["status"] == "True")
}

/// A short, stable name for a template.
pub(super) fn template_hash(template: &Value) -> String {
    const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in template.to_string().bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    let mut out = String::with_capacity(10);
    for _ in 0..10 {
        out.push(char::from(LETTERS[usize::try_from(hash % 27).unwrap_or(0)]));
        hash /= 27;
    }
    out
}
