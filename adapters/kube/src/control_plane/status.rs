//! Writes of status, always on the status subresource.

use std::fmt::Debug;

use convoy_domain::cluster::{ClusterFacts, ClusterRecord};
use convoy_domain::condition::{Condition, ConditionType, Reason, Truth};
use convoy_domain::id::{NamespacedName, ReleaseId};
use convoy_domain::release::Release;
use convoy_domain::source::{Source, SourceKind, SourceStatus};
use convoy_domain::status::ReleaseStatus;
use convoy_ports::ControlPlaneError;
use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::api::{ApiResource, DynamicObject, Patch, PatchParams};
use kube::{Api, Client, Resource};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::FIELD_MANAGER;
use super::error::{gone_is_fine, refused, version_of};
use super::release::described;
use crate::convert::{self, InvalidField};
use crate::crd;
use crate::time::now;

/// Writes the status of a Release as read; answers the new resourceVersion.
pub(super) async fn of_release(
    client: &Client,
    release: &Release,
    status: &ReleaseStatus,
) -> Result<String, ControlPlaneError> {
    let identity = json!({ "resourceVersion": release.resource_version });
    apply::<crd::Release>(client, &release.id, identity, &convert::release_status(status)).await
}

/// Writes the status of a source; one that is gone needs none.
pub(super) async fn of_source(
    client: &Client,
    source: &Source,
    status: &SourceStatus,
) -> Result<(), ControlPlaneError> {
    let (id, uid, status) = (&source.key.id, &source.uid, convert::source_status(status));
    match source.key.kind {
        SourceKind::Git => replace::<crd::GitRepository, _>(client, id, uid, |_| status.clone()).await,
        SourceKind::Helm => replace::<crd::HelmRegistry, _>(client, id, uid, |_| status.clone()).await,
        SourceKind::Oci => replace::<crd::OCIRegistry, _>(client, id, uid, |_| status.clone()).await,
    }
}

/// Writes the status of a Cluster; one that is gone needs none. Facts stay when the cluster cannot be asked now.
pub(super) async fn of_cluster(
    client: &Client,
    cluster: &ClusterRecord,
    ready: &Condition,
    facts: Option<&ClusterFacts>,
) -> Result<(), ControlPlaneError> {
    let status = convert::cluster_status(ready, facts);
    let known = facts.is_some();
    let merged = |before: crd::Cluster| match before.status.filter(|_| !known) {
        Some(before) => crd::ClusterStatus {
            conditions: status.conditions.clone(),
            ..before
        },
        None => status.clone(),
    };
    replace::<crd::Cluster, _>(client, &cluster.id, &cluster.uid, merged).await
}

/// How often a status that another writer touched at the same time is written again.
const ATTEMPTS: usize = 3;

/// Replaces the status of an object with that uid by what `status` makes of its present copy. The uid is compared
/// here, since the API server does not do so for a status.
async fn replace<K, S>(
    client: &Client,
    id: &NamespacedName,
    uid: &str,
    status: impl Fn(K) -> S,
) -> Result<(), ControlPlaneError>
where
    K: Resource<Scope = NamespaceResourceScope, DynamicType = ()> + Clone + Debug + DeserializeOwned,
    S: Serialize,
{
    let object = format!("{} {id}", K::kind(&()));
    let api: Api<K> = Api::namespaced(client.clone(), id.namespace());
    let mut outcome = Ok(());
    for _ in 0..ATTEMPTS {
        let found = api.get_opt(id.name()).await.map_err(|error| refused(&object, error))?;
        let Some(found) = found.filter(|found| found.meta().uid.as_deref() == Some(uid)) else {
            return Ok(());
        };
        let identity = json!({ "resourceVersion": found.meta().resource_version });
        let written = apply::<K>(client, id, identity, &status(found)).await;
        outcome = gone_is_fine(written.map(|_| ()));
        if !matches!(outcome, Err(ControlPlaneError::Stale { .. })) {
            break;
        }
    }
    outcome
}

/// Applies a status with `identity` as preconditions; answers the new resourceVersion.
async fn apply<K>(
    client: &Client,
    id: &NamespacedName,
    identity: Value,
    status: &impl Serialize,
) -> Result<String, ControlPlaneError>
where
    K: Resource<Scope = NamespaceResourceScope, DynamicType = ()>,
{
    let object = format!("{} {id}", K::kind(&()));
    let mut metadata = identity;
    metadata["name"] = id.name().into();
    metadata["namespace"] = id.namespace().into();
    let body = json!({
        "apiVersion": K::api_version(&()),
        "kind": K::kind(&()),
        "metadata": metadata,
        "status": status,
    });
    let api: Api<DynamicObject> = Api::namespaced_with(client.clone(), id.namespace(), &ApiResource::erase::<K>(&()));
    let parameters = PatchParams::apply(FIELD_MANAGER).force();
    let written = api
        .patch_status(id.name(), &parameters, &Patch::Apply(&body))
        .await
        .map_err(|error| refused(&object, error))?;
    version_of(&object, &written)
}

/// Says in the Ready condition of a Release which of its fields cannot be understood. Everything else of its status
/// stays, since it cannot be read.
pub(super) async fn report_invalid(
    client: &Client,
    id: &ReleaseId,
    metadata: &ObjectMeta,
    error: &InvalidField,
) -> Result<(), ControlPlaneError> {
    let object = described(id);
    let api: Api<DynamicObject> =
        Api::namespaced_with(client.clone(), id.namespace(), &ApiResource::erase::<crd::Release>(&()));
    let found = api.get_opt(id.name()).await.map_err(|error| refused(&object, error))?;
    let generation = metadata.generation.unwrap_or_default();
    let mut conditions = found
        .and_then(|found| {
            found
                .data
                .pointer("/status/conditions")
                .and_then(Value::as_array)
                .cloned()
        })
        .unwrap_or_default();
    let is_ready = |condition: &Value| condition["type"] == ConditionType::Ready.as_str();
    let before = conditions
        .iter()
        .find(|condition| is_ready(condition))
        .cloned()
        .unwrap_or_default();
    let message = error.to_string();
    let said = before["reason"] == Reason::InvalidSpec.as_str()
        && before["message"] == message.as_str()
        && before["observedGeneration"] == generation;
    if said {
        return Ok(());
    }
    let was_false = before["status"] == Truth::False.as_str();
    let since = before["lastTransitionTime"].as_str().filter(|_| was_false);
    conditions.retain(|condition| !is_ready(condition));
    conditions.insert(
        0,
        json!({
            "type": ConditionType::Ready.as_str(),
            "status": Truth::False.as_str(),
            "reason": Reason::InvalidSpec.as_str(),
            "message": message,
            "observedGeneration": generation,
            "lastTransitionTime": since.map_or_else(|| now().to_string(), str::to_owned),
        }),
    );
    let patch = json!({
        "metadata": { "uid": metadata.uid },
        "status": { "conditions": conditions, "observedGeneration": generation },
    });
    let parameters = PatchParams {
        field_manager: Some(FIELD_MANAGER.to_owned()),
        ..PatchParams::default()
    };
    let written = api.patch_status(id.name(), &parameters, &Patch::Merge(&patch)).await;
    gone_is_fine(written.map(|_| ()).map_err(|error| refused(&object, error)))
}
