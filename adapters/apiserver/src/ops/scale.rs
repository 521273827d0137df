//! The scale subresource.

use serde_json::{Value, json};

use super::{Core, Target, Write, Written};
use crate::select::LabelSelector;
use crate::status::{ApiError, FieldError};

fn pointers(target: &Target) -> (String, String, Option<String>) {
    match target.resource.custom.as_ref().and_then(|custom| custom.scale.as_ref()) {
        Some(scale) => (scale.spec.clone(), scale.status.clone(), scale.selector.clone()),
        None => ("/spec/replicas".into(), "/status/replicas".into(), None),
    }
}

/// Sets a value at a pointer, making the objects on the way.
fn set(object: &mut Value, pointer: &str, value: Value) {
    let mut place = object;
    for step in pointer.split('/').skip(1) {
        if !place.is_object() {
            *place = json!({});
        }
        place = &mut place[step];
    }
    *place = value;
}

fn shown(target: &Target, object: &Value) -> Value {
    let (spec, status, selector) = pointers(target);
    let number = |pointer: &str| object.pointer(pointer).and_then(Value::as_i64).unwrap_or(0);
    let selector = match selector {
        Some(pointer) => object
            .pointer(&pointer)
            .and_then(Value::as_str)
            .unwrap_or("")
            .to_owned(),
        None => LabelSelector::of_object(&object["spec"]["selector"]).show(),
    };
    let metadata = &object["metadata"];
    let mut scale = json!({
        "kind": "Scale", "apiVersion": "autoscaling/v1",
        "metadata": {"name": metadata["name"], "namespace": metadata["namespace"], "uid": metadata["uid"],
            "resourceVersion": metadata["resourceVersion"], "creationTimestamp": metadata["creationTimestamp"]},
        "spec": {"replicas": number(&spec)},
        "status": {"replicas": number(&status)},
    });
    if !selector.is_empty() {
        scale["status"]["selector"] = json!(selector);
    }
    scale
}

impl Core {
    /// The scale of an object.
    ///
    /// # Errors
    /// 404, and 500 when a custom resource has no replicas.
    pub(super) fn scale(&self, target: &Target) -> Result<Value, ApiError> {
        let object = self.current(target)?;
        let (spec, _, _) = pointers(target);
        if target.resource.custom.is_some() && object.pointer(&spec).is_none() {
            let why = format!("the spec replicas field \"{}\" does not exist", spec.replace('/', "."));
            let mut error = ApiError::new(500, "InternalError", format!("Internal error occurred: {why}"));
            error.details = json!({"causes": [{"message": why}]});
            return Err(error);
        }
        Ok(shown(target, &object))
    }

    /// The scale of an object that may have no replicas yet, for patches.
    pub(super) fn scale_or_zero(&self, target: &Target) -> Result<Value, ApiError> {
        Ok(shown(target, &self.current(target)?))
    }

    /// Sets the replicas of an object.
    pub(super) fn replace_scale(&mut self, target: &Target, scale: &Value, write: &Write) -> Result<Written, ApiError> {
        let old = self.current(target)?;
        let replicas = scale["spec"]["replicas"].as_i64().unwrap_or(0);
        if replicas < 0 {
            let why = "must be greater than or equal to 0";
            let error = FieldError::invalid("spec.replicas", &json!(replicas), why);
            return Err(ApiError::invalid("autoscaling", "Scale", &target.name, &[error]));
        }
        let mut object = old.clone();
        set(&mut object, &pointers(target).0, json!(replicas));
        let sent = scale["metadata"]["resourceVersion"].as_str().unwrap_or("");
        if sent.is_empty() {
            object["metadata"]["resourceVersion"] = old["metadata"]["resourceVersion"].clone();
        } else {
            object["metadata"]["resourceVersion"] = json!(sent);
        }
        let written = self.finish(target, &old, object, None, write, Vec::new())?;
        let mut answer = self.scale_or_zero(target)?;
        answer["spec"]["replicas"] = json!(replicas);
        Ok(Written {
            object: answer,
            ..written
        })
    }
}
