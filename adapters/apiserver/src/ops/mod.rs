//! What requests do to the store. Synchronous; the HTTP side only reads requests and writes answers.

mod admit;
mod apply;
mod create;
mod delete;
mod read;
mod review;
mod scale;
mod update;

use std::sync::Arc;

use serde_json::Value;

use crate::clock::Ids;
use crate::resource::{Registry, Resource};
use crate::status::ApiError;
use crate::store::{Full, Key, Limits, Store};

pub(crate) use delete::{DeleteOptions, FOREGROUND, ORPHAN};
pub(crate) use read::ListOptions;
pub(crate) use update::PatchKind;

/// Everything that the server knows.
#[derive(Debug)]
pub(crate) struct Core {
    pub(crate) store: Store,
    pub(crate) registry: Registry,
    pub(crate) ids: Ids,
    /// The next cluster address and node port to hand out.
    pub(crate) next_address: u32,
    /// Counts changes of the registry, so that discovery documents can be cached.
    pub(crate) registry_changes: u64,
}

/// What a request is about.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub(crate) resource: Arc<Resource>,
    /// Empty for cluster-wide objects and for lists over all namespaces.
    pub(crate) namespace: String,
    /// Empty for collections.
    pub(crate) name: String,
    /// Empty for the object itself.
    pub(crate) subresource: String,
}

impl Target {
    pub(crate) fn key(&self) -> Key {
        Key {
            storage: self.resource.storage.clone(),
            namespace: self.namespace.clone(),
            name: self.name.clone(),
        }
    }

    pub(crate) fn not_found(&self) -> ApiError {
        ApiError::not_found(&self.resource.group, &self.resource.plural, &self.name)
    }
}

/// A limit of the store as the answer to a request.
fn full(full: &Full) -> ApiError {
    match full {
        Full::Object(..) => ApiError::new(
            413,
            "RequestEntityTooLarge",
            format!("Request entity too large: {full}"),
        ),
        Full::Objects(_) | Full::Bytes(_) => ApiError::new(507, "InsufficientStorage", full.to_string()),
    }
}

/// What to do about fields that the type does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Validation {
    Strict,
    Warn,
    Ignore,
}

/// How to write.
#[derive(Debug, Clone)]
pub(crate) struct Write {
    pub(crate) dry_run: bool,
    pub(crate) manager: String,
    pub(crate) force: bool,
    pub(crate) validation: Validation,
    /// Replaces without a version where clients must give one.
    pub(crate) unconditional: bool,
    /// Fields that the request's text had twice.
    pub(crate) duplicates: Vec<String>,
}

impl Write {
    /// How the server itself writes.
    pub(crate) fn internal(manager: &str) -> Self {
        Self {
            dry_run: false,
            manager: manager.to_owned(),
            force: false,
            validation: Validation::Ignore,
            unconditional: true,
            duplicates: Vec::new(),
        }
    }
}

/// What came of a write.
#[derive(Debug, Clone)]
pub(crate) struct Written {
    pub(crate) object: Value,
    pub(crate) created: bool,
    pub(crate) warnings: Vec<String>,
}

impl Core {
    pub(crate) fn new(limits: Limits, seed: Option<u64>) -> Self {
        let mut core = Self {
            store: Store::new(limits),
            registry: Registry::new(),
            ids: Ids::new(seed),
            next_address: 1,
            registry_changes: 0,
        };
        core.seed();
        core
    }

    /// The objects that every cluster has.
    fn seed(&mut self) {
        let put = |core: &mut Self, api_version: &str, kind: &str, namespace: &str, name: &str, rest: Value| {
            let Some(resource) = core.registry.of_kind(api_version, kind).cloned() else {
                return;
            };
            let mut object = rest;
            object["apiVersion"] = Value::from(api_version);
            object["kind"] = Value::from(kind);
            object["metadata"]["name"] = Value::from(name);
            let target = Target {
                resource,
                namespace: namespace.to_owned(),
                name: String::new(),
                subresource: String::new(),
            };
            if let Err(error) = core.create(&target, object, &Write::internal("kube-apiserver")) {
                tracing::error!(%error, kind, name, "an initial object was refused");
            }
        };
        for name in ["default", "kube-system", "kube-public", "kube-node-lease"] {
            put(self, "v1", "Namespace", "", name, serde_json::json!({}));
        }
        let ports = serde_json::json!({"spec": {"clusterIP": "10.96.0.1", "ports": [{"name": "https", "port": 443, "targetPort": 6443}]}});
        put(self, "v1", "Service", "default", "kubernetes", ports);
        let node = serde_json::json!({"metadata": {"labels": {"kubernetes.io/hostname": "convoy-node", "kubernetes.io/os": "linux"}},
            "status": {"conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "ready in name"}],
                "addresses": [{"type": "InternalIP", "address": "127.0.0.1"}, {"type": "Hostname", "address": "convoy-node"}],
                "capacity": {"cpu": "64", "memory": "256Gi", "pods": "10000"},
                "allocatable": {"cpu": "64", "memory": "256Gi", "pods": "10000"},
                "nodeInfo": {"kubeletVersion": "v1.36.0", "architecture": "amd64", "operatingSystem": "linux", "osImage": "convoy",
                    "containerRuntimeVersion": "none://0", "kernelVersion": "0", "kubeProxyVersion": "", "bootID": "", "machineID": "", "systemUUID": ""}}});
        put(self, "v1", "Node", "", "convoy-node", node);
    }

    /// Answers whether a namespace can take new objects.
    fn namespace_ready(&self, target: &Target, name: &str) -> Result<(), ApiError> {
        if !target.resource.namespaced {
            return Ok(());
        }
        let key = Key {
            storage: "namespaces".into(),
            namespace: String::new(),
            name: target.namespace.clone(),
        };
        let Some(namespace) = self.store.get(&key) else {
            return Err(ApiError::not_found("", "namespaces", &target.namespace));
        };
        if namespace.value["metadata"].get("deletionTimestamp").is_some() {
            let space = &target.namespace;
            let why = format!("unable to create new content in namespace {space} because it is being terminated");
            let mut error = ApiError::forbidden(&target.resource.group, &target.resource.plural, name, &why);
            error.details["causes"] = serde_json::json!([{"reason": "NamespaceTerminating",
                "message": format!("namespace {space} is being terminated"), "field": "metadata.namespace"}]);
            return Err(error);
        }
        Ok(())
    }

    /// Serves custom resources as their definition says, after it was written or removed.
    pub(crate) fn definition_changed(&mut self, name: &str, definition: Option<&Value>) {
        let Some((plural, group)) = name.split_once('.') else {
            return;
        };
        let conditions = definition.and_then(|definition| definition["status"]["conditions"].as_array());
        let established = conditions.is_some_and(|list| !list.is_empty());
        let resources = if established {
            definition.map_or_else(Vec::new, crate::crd::resources)
        } else {
            Vec::new()
        };
        self.registry.set_custom(group, plural, resources);
        self.registry_changes += 1;
    }
}
