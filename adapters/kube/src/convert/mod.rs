//! Between the custom resources and the values of `convoy-domain`: the only place that knows both.
//!
//! # Invariant
//! No field of a custom resource is passed over in silence: it reaches the domain's value, or its path is in
//! `unsupported` (the object is refused, because doing without would be dangerous) or in `ignored` (a warning).

mod cluster;
mod inventory;
mod object;
mod release;
mod source;
mod status;

pub(crate) use cluster::{cluster, cluster_status};
pub(crate) use inventory::{inventory, inventory_name, inventory_part};
pub(crate) use object::{from_json, object_from_json, to_json};
pub(crate) use release::release;
pub(crate) use source::{MIN_SYNC_INTERVAL, git_repository, helm_registry, oci_registry, source_status};
pub(crate) use status::{release_status, release_status_from};

use convoy_domain::Timestamp;
use convoy_domain::id::NamespacedName;
use convoy_domain::render_ref::RenderRef;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};

/// A field that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{path}`: {why}")]
pub struct InvalidField {
    /// The field.
    pub path: String,
    /// The rule.
    pub why: String,
}

impl InvalidField {
    pub(crate) fn new(path: impl Into<String>, why: impl std::fmt::Display) -> Self {
        Self {
            path: path.into(),
            why: why.to_string(),
        }
    }
}

/// Namespace and name of an object that the API server gave.
fn identity(metadata: &ObjectMeta) -> Result<NamespacedName, InvalidField> {
    named(
        "metadata.name",
        metadata.namespace.as_deref().unwrap_or_default(),
        metadata.name.as_deref().unwrap_or_default(),
    )
}

fn named(path: &str, namespace: &str, name: &str) -> Result<NamespacedName, InvalidField> {
    NamespacedName::new(namespace, name).map_err(|error| InvalidField::new(path, error))
}

fn render_ref(path: &str, text: &str) -> Result<RenderRef, InvalidField> {
    text.parse().map_err(|error| InvalidField::new(path, error))
}

fn moment(path: &str, text: &str) -> Result<Timestamp, InvalidField> {
    text.parse()
        .map_err(|_| InvalidField::new(path, "is not a time in RFC 3339"))
}

fn created(metadata: &ObjectMeta) -> Timestamp {
    metadata
        .creation_timestamp
        .as_ref()
        .map_or(Timestamp::UNIX_EPOCH, |Time(time)| *time)
}

#[cfg(test)]
mod tests;
