//! Removal of objects.

use serde_json::{Value, json};

use super::{Core, ListOptions, Target};
use crate::clock::now_text;
use crate::resource::{kept_as, shown_as};
use crate::status::ApiError;

/// The finalizer that lets dependents live on.
pub(crate) const ORPHAN: &str = "orphan";
/// The finalizer that removes dependents first.
pub(crate) const FOREGROUND: &str = "foregroundDeletion";

/// How to delete.
#[derive(Debug, Clone, Default)]
pub(crate) struct DeleteOptions {
    pub(crate) dry_run: bool,
    pub(crate) uid: Option<String>,
    pub(crate) revision: Option<String>,
    pub(crate) propagation: Option<String>,
}

impl Core {
    /// Deletes an object: at once, or when its finalizers are gone. Answers the object, or a `Status` when it is gone.
    ///
    /// # Errors
    /// What a Kubernetes API server would answer.
    pub(crate) fn delete(&mut self, target: &Target, options: &DeleteOptions) -> Result<Value, ApiError> {
        let resource = &target.resource;
        let mut object = self.current(target)?;
        let conflict = |why: &str| ApiError::conflict(&resource.group, &resource.kind, &target.name, why);
        let metadata = &object["metadata"];
        if let Some(uid) = &options.uid
            && metadata["uid"] != json!(uid)
        {
            let known = metadata["uid"].as_str().unwrap_or("");
            return Err(conflict(&format!(
                "the UID in the precondition ({uid}) does not match the UID in record ({known}). The object might have been \
                 deleted and then recreated"
            )));
        }
        if let Some(revision) = &options.revision
            && metadata["resourceVersion"] != json!(revision)
        {
            let known = metadata["resourceVersion"].as_str().unwrap_or("");
            return Err(conflict(&format!(
                "the ResourceVersion in the precondition ({revision}) does not match the ResourceVersion in record ({known}). The \
                 object might have been modified"
            )));
        }
        let uid = metadata["uid"].as_str().unwrap_or("").to_owned();
        let before = finalizers(&object);
        let after = with_propagation(&before, options.propagation.as_deref())?;
        let held = !after.is_empty() || &*resource.storage == "namespaces";
        if !held {
            if !options.dry_run {
                self.remove(target);
            }
            return Ok(success(target, &uid));
        }
        let deleting = metadata.get("deletionTimestamp").is_some();
        if deleting && before == after {
            return Ok(object);
        }
        if !deleting {
            let generation = metadata["generation"].as_i64();
            object["metadata"]["deletionTimestamp"] = json!(now_text());
            object["metadata"]["deletionGracePeriodSeconds"] = json!(0);
            if let Some(generation) = generation {
                object["metadata"]["generation"] = json!(generation + 1);
            }
        }
        if after != before {
            object["metadata"]["finalizers"] = json!(after);
        }
        if &*resource.storage == "namespaces" {
            object["status"]["phase"] = json!("Terminating");
        }
        if options.dry_run {
            return Ok(object);
        }
        let stored = self
            .store
            .put(target.key(), kept_as(resource, object))
            .map_err(|limit| super::full(&limit))?;
        self.written(target, &stored.value);
        Ok(shown_as(resource, &stored.value))
    }

    /// Deletes everything that a selection holds; answers the list of what it held.
    ///
    /// # Errors
    /// As for lists and deletions; objects that vanish meanwhile are passed over.
    pub(crate) fn delete_collection(
        &mut self,
        target: &Target,
        selection: &ListOptions,
        options: &DeleteOptions,
    ) -> Result<Value, ApiError> {
        let listed = self.list(target, selection)?;
        for item in &listed.items {
            let text = |field: &str| item["metadata"][field].as_str().unwrap_or("").to_owned();
            let one = Target {
                namespace: text("namespace"),
                name: text("name"),
                ..target.clone()
            };
            match self.delete(&one, options) {
                Ok(_) => {}
                Err(error) if error.code == 404 => {}
                Err(error) => return Err(error),
            }
        }
        Ok(listed.to_value(&target.resource))
    }

    /// Takes an object out of the store.
    pub(super) fn remove(&mut self, target: &Target) {
        self.store.remove(&target.key());
        if &*target.resource.storage == "customresourcedefinitions.apiextensions.k8s.io" {
            let name = target.name.clone();
            self.definition_changed(&name, None);
        }
    }
}

fn finalizers(object: &Value) -> Vec<String> {
    let list = object["metadata"]["finalizers"].as_array().into_iter().flatten();
    list.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn with_propagation(before: &[String], policy: Option<&str>) -> Result<Vec<String>, ApiError> {
    let add = match policy {
        None => return Ok(before.to_vec()),
        Some("Background") => None,
        Some("Foreground") => Some(FOREGROUND),
        Some("Orphan") => Some(ORPHAN),
        Some(other) => {
            let allowed = ["Foreground", "Background", "Orphan", "nil"].map(str::to_owned);
            let error = crate::status::FieldError::not_supported("propagationPolicy", &json!(other), &allowed);
            return Err(ApiError::invalid("meta.k8s.io", "DeleteOptions", "", &[error]));
        }
    };
    let mut after: Vec<String> = before
        .iter()
        .filter(|name| name.as_str() != ORPHAN && name.as_str() != FOREGROUND)
        .cloned()
        .collect();
    after.extend(add.map(str::to_owned));
    Ok(after)
}

fn success(target: &Target, uid: &str) -> Value {
    let mut details = json!({"name": target.name, "kind": target.resource.plural, "uid": uid});
    if !target.resource.group.is_empty() {
        details["group"] = json!(target.resource.group);
    }
    json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details})
}
