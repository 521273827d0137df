//! New objects.

use serde_json::{Map, Value, json};

use super::admit;
use super::update::set_managers;
use super::{Core, Target, Write, Written};
use crate::apply::{self, Manager, Managers, Operation, Scope};
use crate::clock::now_text;
use crate::controllers::unread_annotations;
use crate::fields::FieldSet;
use crate::resource::{kept_as, shown_as};
use crate::status::ApiError;
use crate::types::canonical::{canonical, skeleton};

/// A generated name is tried this often.
const NAME_ATTEMPTS: usize = 8;

/// The longest name to which a suffix is added.
const MAX_GENERATED_PREFIX: usize = 58;

/// Fields that the endpoint does not write.
pub(super) fn ignored(target: &Target) -> FieldSet {
    match target.subresource.as_str() {
        "status" if target.resource.custom.is_some() => FieldSet::of_fields(&["spec", "metadata"]),
        "status" => FieldSet::of_fields(&["spec", "metadata.labels"]),
        _ if target.resource.has_status() => FieldSet::of_fields(&["status"]),
        _ => FieldSet::default(),
    }
}

/// The object before anything is set.
pub(super) fn nothing(target: &Target) -> Value {
    if target.resource.custom.is_none() {
        skeleton(&target.resource.ty)
    } else {
        json!({})
    }
}

impl Core {
    /// Stores a new object.
    ///
    /// # Errors
    /// What a Kubernetes API server would answer.
    pub(crate) fn create(&mut self, target: &Target, mut object: Value, write: &Write) -> Result<Written, ApiError> {
        let warnings = admit::decode(target, &mut object, write)?;
        self.create_decoded(target, object, write, None, warnings)
    }

    /// Stores a new object whose managers are known already (apply) or follow from its fields.
    pub(super) fn create_decoded(
        &mut self,
        target: &Target,
        mut object: Value,
        write: &Write,
        managers: Option<Managers>,
        mut warnings: Vec<String>,
    ) -> Result<Written, ApiError> {
        let resource = &target.resource;
        self.name_object(target, &mut object)?;
        let name = object["metadata"]["name"].as_str().unwrap_or("").to_owned();
        self.namespace_ready(target, &name)?;
        let versioned = object["metadata"]["resourceVersion"]
            .as_str()
            .is_some_and(|text| !text.is_empty());
        if versioned && managers.is_none() {
            return Err(ApiError::new(
                500,
                "",
                "resourceVersion should not be set on objects to be created",
            ));
        }
        initial_metadata(&mut object);
        admit::complete(resource, &mut object);
        let managers = managers.unwrap_or_else(|| {
            let manager = Manager::new(Operation::Update, &write.manager, &resource.api_version(), "");
            let (ignored, now) = (ignored(target), now_text());
            let scope = Scope {
                ty: &resource.ty,
                ignored: &ignored,
                now: &now,
            };
            let managers = Managers::default();
            apply::update(
                &scope,
                &nothing(target),
                &object,
                managers,
                &manager,
                &resource.api_version(),
            )
        });
        self.initial_metadata_of_server(target, &mut object);
        initial_status(&resource.storage, resource.has_status(), &mut object);
        set_managers(&mut object, &managers);
        if resource.custom.is_none() {
            canonical(&resource.ty, &mut object);
        }
        scheduling(&resource.storage, &mut object);
        self.allocate(target, &mut object, None);
        admit::check(target, &object, None)?;
        let key = Target {
            name: name.clone(),
            ..target.clone()
        }
        .key();
        if self.store.get(&key).is_some() {
            return Err(ApiError::already_exists(&resource.group, &resource.plural, &name));
        }
        if let Some(deprecation) = resource.custom.as_ref().and_then(|custom| custom.deprecation.clone()) {
            warnings.push(deprecation);
        }
        warnings.extend(unread_annotations(&object));
        if write.dry_run {
            return Ok(Written {
                object,
                created: true,
                warnings,
            });
        }
        let stored = self
            .store
            .put(key, kept_as(resource, object))
            .map_err(|limit| super::full(&limit))?;
        self.written(target, &stored.value);
        Ok(Written {
            object: shown_as(resource, &stored.value),
            created: true,
            warnings,
        })
    }

    fn initial_metadata_of_server(&mut self, target: &Target, object: &mut Value) {
        let metadata = &mut object["metadata"];
        metadata["uid"] = json!(self.ids.uid());
        metadata["creationTimestamp"] = json!(now_text());
        if target.resource.counts_generations() {
            metadata["generation"] = json!(1);
        }
        if &*target.resource.storage == "jobs.batch" {
            job_selector(object);
        }
    }

    fn name_object(&mut self, target: &Target, object: &mut Value) -> Result<(), ApiError> {
        let metadata = &mut object["metadata"];
        let given = metadata["name"].as_str().unwrap_or("").to_owned();
        if !target.name.is_empty() {
            if given.is_empty() {
                metadata["name"] = json!(target.name);
            } else if given != target.name {
                let url = &target.name;
                let why = format!("the name of the object ({given}) does not match the name on the URL ({url})");
                return Err(ApiError::bad_request(why));
            }
            return Ok(());
        }
        let prefix = metadata["generateName"].as_str().unwrap_or("").to_owned();
        if !given.is_empty() || prefix.is_empty() {
            return Ok(());
        }
        let mut end = prefix.len().min(MAX_GENERATED_PREFIX);
        while !prefix.is_char_boundary(end) {
            end -= 1;
        }
        for _ in 0..NAME_ATTEMPTS {
            let name = format!("{}{}", &prefix[..end], self.ids.suffix());
            let key = Target {
                name: name.clone(),
                ..target.clone()
            }
            .key();
            if self.store.get(&key).is_none() {
                metadata["name"] = json!(name);
                return Ok(());
            }
        }
        Err(ApiError::already_exists(
            &target.resource.group,
            &target.resource.plural,
            &prefix,
        ))
    }

    /// Keeps what follows from an object in step with it.
    pub(super) fn written(&mut self, target: &Target, stored: &Value) {
        if &*target.resource.storage == "customresourcedefinitions.apiextensions.k8s.io" {
            let name = stored["metadata"]["name"].as_str().unwrap_or("").to_owned();
            self.definition_changed(&name, Some(stored));
        }
    }
}

fn initial_metadata(object: &mut Value) {
    let Some(metadata) = object["metadata"].as_object_mut() else {
        return;
    };
    for field in [
        "uid",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "resourceVersion",
        "selfLink",
        "generation",
        "managedFields",
    ] {
        metadata.remove(field);
    }
}

/// The status that a new object starts with; what the client sent is dropped.
fn initial_status(storage: &str, has_status: bool, object: &mut Value) {
    if !has_status {
        return;
    }
    let status = match storage {
        "namespaces" => json!({"phase": "Active"}),
        "pods" => json!({"phase": "Pending", "qosClass": "BestEffort"}),
        "persistentvolumeclaims" | "persistentvolumes" => json!({"phase": "Pending"}),
        "services" | "ingresses.networking.k8s.io" => json!({"loadBalancer": {}}),
        "deployments.apps" | "jobs.batch" | "cronjobs.batch" => Value::Object(Map::new()),
        "replicasets.apps" | "statefulsets.apps" | "replicationcontrollers" => json!({"replicas": 0}),
        "daemonsets.apps" => {
            json!({"currentNumberScheduled": 0, "desiredNumberScheduled": 0, "numberMisscheduled": 0, "numberReady": 0})
        }
        "customresourcedefinitions.apiextensions.k8s.io" => {
            let versions = object["spec"]["versions"].as_array().into_iter().flatten();
            let stored = versions
                .filter(|version| version["storage"] == json!(true))
                .map(|version| version["name"].clone());
            json!({"storedVersions": stored.collect::<Vec<_>>()})
        }
        "nodes" => object.get("status").cloned().unwrap_or_else(|| json!({})),
        _ => Value::Null,
    };
    if let Some(fields) = object.as_object_mut() {
        if status.is_null() {
            fields.remove("status");
        } else {
            fields.insert("status".into(), status);
        }
        if storage == "namespaces" {
            fields.insert("spec".into(), json!({"finalizers": ["kubernetes"]}));
        }
    }
}

/// What admission adds to new pods.
fn scheduling(storage: &str, object: &mut Value) {
    if storage != "pods" {
        return;
    }
    let Some(spec) = object.get_mut("spec").and_then(Value::as_object_mut) else {
        return;
    };
    spec.entry("priority").or_insert_with(|| json!(0));
    spec.entry("preemptionPolicy")
        .or_insert_with(|| json!("PreemptLowerPriority"));
    let tolerations = spec.entry("tolerations").or_insert_with(|| json!([]));
    for key in ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"] {
        let list = tolerations.as_array_mut().into_iter();
        for list in list {
            if !list
                .iter()
                .any(|one| one["key"] == key || (one.get("key").is_none() && one["operator"] == "Exists"))
            {
                list.push(json!({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}));
            }
        }
    }
}

/// The selector and labels by which a Job finds its pods.
fn job_selector(object: &mut Value) {
    if object["spec"]["manualSelector"] == json!(true) {
        return;
    }
    let (uid, name) = (object["metadata"]["uid"].clone(), object["metadata"]["name"].clone());
    let spec = &mut object["spec"];
    if spec.get("selector").is_none() {
        spec["selector"] = json!({"matchLabels": {"batch.kubernetes.io/controller-uid": uid}});
    }
    if !spec["template"].is_object() {
        return;
    }
    let labels = &mut spec["template"]["metadata"]["labels"];
    for (label, value) in [
        ("batch.kubernetes.io/controller-uid", &uid),
        ("batch.kubernetes.io/job-name", &name),
        ("controller-uid", &uid),
        ("job-name", &name),
    ] {
        labels[label] = value.clone();
    }
    let labels = labels.clone();
    if object["metadata"].get("labels").is_none() {
        object["metadata"]["labels"] = labels;
    }
}
