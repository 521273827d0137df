//! The custom resources, as Rust types from which their definitions are generated.
//!
//! Every rule of the API that Kubernetes can check is part of the schema (types, bounds, patterns, defaults, CEL);
//! the conversions check again, since an installed definition may be old. The generated definitions are checked in
//! under `crds/`, one file each.

#![expect(
    clippy::duplicated_attributes,
    reason = "columns of a table have types and paths in common; the lint does not look at what they are part of"
)]

mod cluster;
mod common;
mod health;
mod inventory;
mod mutation;
mod policy;
mod release;
mod release_set;
mod schema;
mod source;
mod status;
mod yaml;

pub use cluster::{Cluster, ClusterSpec, ClusterStatus, KubeconfigRef, SecretKeyRef};
pub use common::{Condition, LabelOperator, LabelRequirement, LabelSelector, SecretRef};
pub use health::{
    GlobalHealthRuleSet, GlobalHealthRuleSetSpec, HealthRule, HealthRuleSet, HealthRuleSetSpec, HealthTarget,
};
pub use inventory::{InventoryObject, ReleaseInventory, ReleaseInventorySpec, ReleaseRef};
pub use mutation::{
    FieldChange, Gate, ImageChange, JsonPatchOperation, JsonPatchVerb, MetadataChange, Mutation, MutationTarget,
    MutationType, PatchSource, PatchSourceKind, WaveStrategy,
};
pub use policy::{
    DeletionPolicy, DependsOn, FailurePolicy, HealthAssessment, Hook, HookFailure, HookJob, IgnoreDifference,
    Lifecycle, ObjectTarget, PrunePolicy, RetentionPolicy, RetryBackoff, Rollback, SyncPolicy,
};
pub use release::{
    Capabilities, ClusterRef, Content, ContentType, DependencyMode, GitRef, GitSelector, HelmContent, HelmSelector,
    KustomizeContent, ManifestsContent, OciSelector, Pin, Release, ReleaseBody, ReleaseFields, ReleaseSpec,
    SourceSelector, SourceType, ValuesFile, ValuesKey, ValuesLayer, ValuesType,
};
pub use release_set::{
    GroupStatus, OnRemoval, ReleaseSet, ReleaseSetSpec, ReleaseSetStatus, ReleaseTemplate, RolloutGroup,
    RolloutStrategy, TemplateMetadata,
};
pub use source::{
    GitAuth, GitAuthType, GitRepository, GitRepositorySpec, HelmAuth, HelmAuthType, HelmRegistry, HelmRegistrySpec,
    OCIRegistry, OCIRegistrySpec, OciAuth, OciAuthType, SourceStatus, Tls, Verify, VerifyMode,
};
pub use status::{
    DriftStatus, DriftedObject, FailureStatus, HookStatus, InputsStatus, InventoryStatus, LastAttempted, LastHealthy,
    LastSuccessful, ReleaseStatus, ResolvedRetentionPolicy, RollbackStatus, RolloutStatus, WaitingStatus,
};

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResourceExt as _;
use serde_json::Value;

/// Group of Release, Cluster, `ReleaseInventory`, the rule sets and `ReleaseSet`.
pub const CORE_GROUP: &str = "core.convoy.kumodo.io";

/// Group of the sources.
pub const SOURCE_GROUP: &str = "source.convoy.kumodo.io";

/// All definitions, as JSON, in the order in which they are listed in the API's documentation.
#[must_use]
pub fn definitions() -> Vec<Value> {
    [
        Release::crd(),
        Cluster::crd(),
        ReleaseInventory::crd(),
        HealthRuleSet::crd(),
        GlobalHealthRuleSet::crd(),
        ReleaseSet::crd(),
        GitRepository::crd(),
        HelmRegistry::crd(),
        OCIRegistry::crd(),
    ]
    .into_iter()
    .map(|definition| tidied(&definition))
    .collect()
}

/// A definition in YAML, as it is checked in under `crds/`.
#[must_use]
pub fn to_yaml(definition: &Value) -> String {
    yaml::write(definition)
}

/// The definition as JSON, without what the generator adds and Kubernetes has no use for.
fn tidied(definition: &CustomResourceDefinition) -> Value {
    // A definition consists of texts, numbers, lists and mappings with text keys: it always has a JSON form.
    let mut json = serde_json::to_value(definition).unwrap_or_default();
    if let Some(versions) = json.pointer_mut("/spec/versions").and_then(Value::as_array_mut) {
        for version in versions {
            if let Some(schema) = version.pointer_mut("/schema/openAPIV3Schema") {
                tidy(schema);
            }
        }
    }
    json
}

/// Removes `nullable`, so that a null counts as absent, and number formats that Kubernetes does not know.
fn tidy(schema: &mut Value) {
    let Some(members) = schema.as_object_mut() else { return };
    members.remove("nullable");
    members.remove("title");
    if members
        .get("format")
        .and_then(Value::as_str)
        .is_some_and(|format| format.starts_with("uint"))
    {
        members.remove("format");
    }
    if let Some(properties) = members.get_mut("properties").and_then(Value::as_object_mut) {
        properties.values_mut().for_each(tidy);
    }
    for key in ["items", "additionalProperties"] {
        if let Some(schema) = members.get_mut(key) {
            tidy(schema);
        }
    }
}

#[cfg(test)]
mod tests;
