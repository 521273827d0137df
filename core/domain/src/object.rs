//! A Kubernetes object: a value that is known to have a kind and a name.

use alloc::string::{String, ToString};

use convoy_value::{Map, Value};

use crate::id::{Gvk, ObjectId};

/// What a value lacks to be an object.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAnObject {
    /// It is no mapping.
    #[error("the document is not a mapping")]
    NotAMapping,
    /// A field is absent, null or empty.
    #[error("`{0}` is missing")]
    Missing(&'static str),
    /// A field is no text.
    #[error("`{0}` is not a string")]
    NotText(&'static str),
}

/// Whether objects of a kind live in a namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// In a namespace.
    Namespaced,
    /// In none.
    Cluster,
}

/// A Kubernetes object.
///
/// # Invariant
/// `apiVersion` and `kind` are non-empty texts. `metadata.name` may be absent only where a renderer lets
/// `generateName` pass; [`Object::name`] is then empty. The value is a map.
#[derive(Clone, Debug, PartialEq)]
pub struct Object(Value);

impl Object {
    /// Takes a value that has `apiVersion` and `kind`.
    ///
    /// # Errors
    /// [`NotAnObject`] with what is missing.
    pub fn new(value: Value) -> Result<Self, NotAnObject> {
        let Value::Object(map) = &value else {
            return Err(NotAnObject::NotAMapping);
        };
        for field in ["apiVersion", "kind"] {
            match map.get(field) {
                Some(Value::String(text)) if !text.is_empty() => {}
                None | Some(Value::Null | Value::String(_)) => return Err(NotAnObject::Missing(field)),
                Some(Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                    return Err(NotAnObject::NotText(field));
                }
            }
        }
        Ok(Self(value))
    }

    /// The object as a value, which is a map.
    #[must_use]
    pub fn as_value(&self) -> &Value {
        &self.0
    }

    /// The members.
    #[must_use]
    pub fn as_map(&self) -> &Map {
        match &self.0 {
            Value::Object(map) => map,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                unreachable!("an Object is made of a map only")
            }
        }
    }

    /// The members, to change; callers keep `apiVersion` and `kind`.
    pub fn as_map_mut(&mut self) -> &mut Map {
        match &mut self.0 {
            Value::Object(map) => map,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                unreachable!("an Object is made of a map only")
            }
        }
    }

    /// The object as a value.
    #[must_use]
    pub fn into_value(self) -> Value {
        self.0
    }

    /// The value under a path of keys.
    #[must_use]
    pub fn at(&self, path: &[&str]) -> Option<&Value> {
        self.0.at(path)
    }

    /// The text under a path of keys, empty when there is none.
    #[must_use]
    pub fn text(&self, path: &[&str]) -> &str {
        self.at(path).and_then(Value::as_str).unwrap_or_default()
    }

    /// Group, version and kind.
    #[must_use]
    pub fn gvk(&self) -> Gvk {
        Gvk::from_api_version(self.text(&["apiVersion"]), self.text(&["kind"]))
    }

    /// Kind.
    #[must_use]
    pub fn kind(&self) -> &str {
        self.text(&["kind"])
    }

    /// `metadata.name`, empty when absent.
    #[must_use]
    pub fn name(&self) -> &str {
        self.text(&["metadata", "name"])
    }

    /// `metadata.namespace`, empty when absent.
    #[must_use]
    pub fn namespace(&self) -> &str {
        self.text(&["metadata", "namespace"])
    }

    /// `metadata.uid` of a live object, empty for a rendered one.
    #[must_use]
    pub fn uid(&self) -> &str {
        self.text(&["metadata", "uid"])
    }

    /// `metadata.resourceVersion` of a live object, empty for a rendered one.
    #[must_use]
    pub fn resource_version(&self) -> &str {
        self.text(&["metadata", "resourceVersion"])
    }

    /// A label.
    #[must_use]
    pub fn label(&self, key: &str) -> Option<&str> {
        self.at(&["metadata", "labels", key]).and_then(Value::as_str)
    }

    /// An annotation.
    #[must_use]
    pub fn annotation(&self, key: &str) -> Option<&str> {
        self.at(&["metadata", "annotations", key]).and_then(Value::as_str)
    }

    /// Sets a label.
    pub fn set_label(&mut self, key: &str, value: &str) {
        self.metadata_map("labels").insert(key, value);
    }

    /// Sets an annotation.
    pub fn set_annotation(&mut self, key: &str, value: &str) {
        self.metadata_map("annotations").insert(key, value);
    }

    /// Sets `metadata.namespace`.
    pub fn set_namespace(&mut self, namespace: &str) {
        member(self.as_map_mut(), "metadata").insert("namespace", namespace);
    }

    /// Identity on a cluster, with `default` where a namespaced object names no namespace (as at apply), and no
    /// namespace for a cluster-scoped one.
    #[must_use]
    pub fn id(&self, scope: Scope) -> ObjectId {
        let gvk = self.gvk();
        let namespace = match (scope, self.namespace()) {
            (Scope::Cluster, _) => String::new(),
            (Scope::Namespaced, "") => "default".to_string(),
            (Scope::Namespaced, namespace) => namespace.to_string(),
        };
        ObjectId {
            group: gvk.group,
            kind: gvk.kind,
            namespace,
            name: self.name().to_string(),
        }
    }

    fn metadata_map(&mut self, key: &str) -> &mut Map {
        member(member(self.as_map_mut(), "metadata"), key)
    }
}

/// The map under `key`, made (or put in place of something that is no map) when needed.
fn member<'a>(map: &'a mut Map, key: &str) -> &'a mut Map {
    let slot = map.or_insert(key, Map::new());
    if slot.as_object().is_none() {
        *slot = Value::Object(Map::new());
    }
    match slot {
        Value::Object(map) => map,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            unreachable!("the slot was made a map just above")
        }
    }
}
