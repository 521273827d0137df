//! Reads of sources, Clusters and Secrets.

use std::collections::BTreeMap;
use std::fmt::Debug;

use convoy_domain::cluster::ClusterRecord;
use convoy_domain::id::NamespacedName;
use convoy_domain::secret::Secret;
use convoy_domain::source::{Source, SourceKey, SourceKind};
use convoy_ports::ControlPlaneError;
use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::core::v1::Secret as KubeSecret;
use kube::{Api, Client, Resource};
use serde::de::DeserializeOwned;

use super::error::{invalid, refused};
use crate::convert::{self, InvalidField};
use crate::crd;

/// Reads a source.
pub(super) async fn source(client: &Client, key: &SourceKey) -> Result<Option<Source>, ControlPlaneError> {
    match key.kind {
        SourceKind::Git => read(client, &key.id, convert::git_repository).await,
        SourceKind::Helm => read(client, &key.id, convert::helm_registry).await,
        SourceKind::Oci => read(client, &key.id, convert::oci_registry).await,
    }
}

/// Reads a Cluster.
pub(super) async fn cluster(client: &Client, id: &NamespacedName) -> Result<Option<ClusterRecord>, ControlPlaneError> {
    read::<crd::Cluster, _>(client, id, convert::cluster).await
}

/// Reads the entries of a Secret.
pub(super) async fn secret(
    client: &Client,
    id: &NamespacedName,
) -> Result<Option<BTreeMap<String, Secret<Vec<u8>>>>, ControlPlaneError> {
    read(client, id, |secret: KubeSecret| {
        let entries = secret.data.unwrap_or_default();
        Ok(entries
            .into_iter()
            .map(|(key, bytes)| (key, Secret::new(bytes.0)))
            .collect())
    })
    .await
}

/// Reads an object and converts it.
async fn read<K, T>(
    client: &Client,
    id: &NamespacedName,
    convert: impl FnOnce(K) -> Result<T, InvalidField>,
) -> Result<Option<T>, ControlPlaneError>
where
    K: Resource<Scope = NamespaceResourceScope, DynamicType = ()> + Clone + Debug + DeserializeOwned,
{
    let object = format!("{} {id}", K::kind(&()));
    let api: Api<K> = Api::namespaced(client.clone(), id.namespace());
    let found = api.get_opt(id.name()).await.map_err(|error| refused(&object, error))?;
    found
        .map(|found| convert(found).map_err(|error| invalid(&object, &error)))
        .transpose()
}
