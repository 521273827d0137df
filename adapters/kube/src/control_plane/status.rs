//! Writes of status, always on the status subresource.

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
    let identity = json!({ "uid": release.uid, "resourceVersion": release.resource_version });
    apply::<crd::Release>(client, &release.id, identity, &convert::release_status(status)).await
}

/// Writes the status of a source; one that is gone needs none.
pub(super) async fn of_source(
    client: &Client,
    source: &Source,
    status: &SourceStatus,
) -> Result<(), ControlPlaneError> {
    let identity = json!({ "uid": source.uid });
    let (id, status) = (&source.key.id, convert::source_status(status));
    let written = match source.key.kind {
        SourceKind::Git => apply::<crd::GitRepository>(client, id, identity, &status).await,
        SourceKind::Helm => apply::<crd::HelmRegistry>(client, id, identity, &status).await,
        SourceKind::Oci => apply::<crd::OCIRegistry>(client, id, identity, &status).await,
    };
    replaced_is_gone(written)
}

/// Writes the status of a Cluster; one that is gone needs none. Facts stay when the cluster cannot be asked now.
pub(super) async fn of_cluster(
    client: &Client,
    cluster: &ClusterRecord,
    ready: &Condition,
    facts: Option<&ClusterFacts>,
) -> Result<(), ControlPlaneError> {
    let mut status = convert::cluster_status(ready, facts);
    if facts.is_none() {
        let api: Api<crd::Cluster> = Api::namespaced(client.clone(), cluster.id.namespace());
        let found = api
            .get_opt(cluster.id.name())
            .await
            .map_err(|error| refused(&format!("Cluster {}", cluster.id), error))?;
        if let Some(before) = found.and_then(|found| found.status) {
            status = crd::ClusterStatus {
                conditions: status.conditions,
                ..before
            };
        }
    }
    let identity = json!({ "uid": cluster.uid });
    replaced_is_gone(apply::<crd::Cluster>(client, &cluster.id, identity, &status).await)
}

/// An object with another uid is not the one that was meant, which is gone.
fn replaced_is_gone(written: Result<String, ControlPlaneError>) -> Result<(), ControlPlaneError> {
    match gone_is_fine(written.map(|_| ())) {
        Err(ControlPlaneError::Stale { .. }) => Ok(()),
        other => other,
    }
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
    let api: Api<DynamicObject> =
        Api::namespaced_with(client.clone(), id.namespace(), &ApiResource::erase::<K>(&()));
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
        .and_then(|found| found.data.pointer("/status/conditions").and_then(Value::as_array).cloned())
        .unwrap_or_default();
    let is_ready = |condition: &Value| condition["type"] == ConditionType::Ready.as_str();
    let before = conditions.iter().find(|condition| is_ready(condition)).cloned().unwrap_or_default();
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
