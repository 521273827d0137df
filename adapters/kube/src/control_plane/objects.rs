//! Reads of sources, Clusters and Secrets, and the one Secret that is written.

use std::collections::BTreeMap;
use std::fmt::Debug;

use convoy_domain::Timestamp;
use convoy_domain::cluster::ClusterRecord;
use convoy_domain::id::NamespacedName;
use convoy_domain::names::annotation;
use convoy_domain::secret::Secret;
use convoy_domain::source::{Source, SourceKey, SourceKind};
use convoy_ports::ControlPlaneError;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret as KubeSecret};
use k8s_openapi::{ByteString, NamespaceResourceScope};
use kube::api::{ListParams, ObjectMeta, Patch, PatchParams, PostParams};
use kube::{Api, Client, Resource};
use serde::de::DeserializeOwned;
use serde_json::json;

use super::FIELD_MANAGER;
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

/// Lists the sources of one kind in a namespace.
pub(super) async fn sources(
    client: &Client,
    kind: SourceKind,
    namespace: &str,
) -> Result<Vec<Source>, ControlPlaneError> {
    match kind {
        SourceKind::Git => list(client, namespace, convert::git_repository).await,
        SourceKind::Helm => list(client, namespace, convert::helm_registry).await,
        SourceKind::Oci => list(client, namespace, convert::oci_registry).await,
    }
}

/// Lists the objects of a kind that can be converted.
async fn list<K, T>(
    client: &Client,
    namespace: &str,
    convert: impl Fn(K) -> Result<T, InvalidField>,
) -> Result<Vec<T>, ControlPlaneError>
where
    K: Resource<Scope = NamespaceResourceScope, DynamicType = ()> + Clone + Debug + DeserializeOwned,
{
    let what = format!("{} of {namespace}", K::plural(&()));
    let api: Api<K> = Api::namespaced(client.clone(), namespace);
    let found = api.list(&ListParams::default()).await;
    let found = found.map_err(|error| refused(&what, error))?;
    Ok(found.items.into_iter().filter_map(|item| convert(item).ok()).collect())
}

/// Stamps a source, of this very uid.
pub(super) async fn request_fetch(client: &Client, source: &Source, at: Timestamp) -> Result<(), ControlPlaneError> {
    match source.key.kind {
        SourceKind::Git => stamp::<crd::GitRepository>(client, source, at).await,
        SourceKind::Helm => stamp::<crd::HelmRegistry>(client, source, at).await,
        SourceKind::Oci => stamp::<crd::OCIRegistry>(client, source, at).await,
    }
}

async fn stamp<K>(client: &Client, source: &Source, at: Timestamp) -> Result<(), ControlPlaneError>
where
    K: Resource<Scope = NamespaceResourceScope, DynamicType = ()> + Clone + Debug + DeserializeOwned,
{
    let id = &source.key.id;
    let api: Api<K> = Api::namespaced(client.clone(), id.namespace());
    let patch = json!({"metadata": {
        "uid": source.uid,
        "annotations": {annotation::FETCH_REQUESTED: at.to_string()},
    }});
    let parameters = PatchParams {
        field_manager: Some(FIELD_MANAGER.to_owned()),
        ..PatchParams::default()
    };
    let object = source.key.to_string();
    // Only metadata comes back, and nothing of it is needed.
    let written = api.patch_metadata(id.name(), &parameters, &Patch::Merge(&patch)).await;
    let Err(error) = written else { return Ok(()) };
    // A server says in more than one way that the uid is another's.
    let found = api.get_metadata_opt(id.name()).await;
    match found.map_err(|error| refused(&object, error))? {
        Some(found) if found.metadata.uid.as_ref() == Some(&source.uid) => Err(refused(&object, error)),
        Some(_) | None => Ok(()),
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

/// Reads the entries of a `ConfigMap`.
pub(super) async fn config_map(
    client: &Client,
    id: &NamespacedName,
) -> Result<Option<BTreeMap<String, Vec<u8>>>, ControlPlaneError> {
    read(client, id, |map: ConfigMap| {
        let texts = map.data.unwrap_or_default().into_iter();
        let bytes = map.binary_data.unwrap_or_default().into_iter();
        Ok(texts
            .map(|(key, text)| (key, text.into_bytes()))
            .chain(bytes.map(|(key, bytes)| (key, bytes.0)))
            .collect())
    })
    .await
}

/// Creates a Secret unless one of its name is there, and its namespace with it.
pub(super) async fn create_secret(
    client: &Client,
    id: &NamespacedName,
    entries: &BTreeMap<String, Secret<Vec<u8>>>,
) -> Result<bool, ControlPlaneError> {
    let object = format!("Secret {id}");
    let data = entries
        .iter()
        .map(|(key, value)| (key.clone(), ByteString(value.expose().clone())));
    let secret = KubeSecret {
        metadata: ObjectMeta {
            name: Some(id.name().to_owned()),
            namespace: Some(id.namespace().to_owned()),
            ..ObjectMeta::default()
        },
        immutable: Some(true),
        data: Some(data.collect()),
        type_: Some("Opaque".to_owned()),
        ..KubeSecret::default()
    };
    let api: Api<KubeSecret> = Api::namespaced(client.clone(), id.namespace());
    let created = match api.create(&parameters(), &secret).await {
        // A namespaced object is not found when its namespace is not.
        Err(kube::Error::Api(status)) if status.code == 404 => {
            create_namespace(client, id.namespace()).await?;
            api.create(&parameters(), &secret).await
        }
        answer => answer,
    };
    match created {
        Ok(_) => Ok(true),
        Err(kube::Error::Api(status)) if status.code == 409 => Ok(false),
        Err(error) => Err(refused(&object, error)),
    }
}

async fn create_namespace(client: &Client, name: &str) -> Result<(), ControlPlaneError> {
    let namespace = Namespace {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            ..ObjectMeta::default()
        },
        ..Namespace::default()
    };
    match Api::<Namespace>::all(client.clone())
        .create(&parameters(), &namespace)
        .await
    {
        Ok(_) => Ok(()),
        Err(kube::Error::Api(status)) if status.code == 409 => Ok(()),
        Err(error) => Err(refused(&format!("Namespace {name}"), error)),
    }
}

fn parameters() -> PostParams {
    PostParams {
        field_manager: Some(FIELD_MANAGER.to_owned()),
        ..PostParams::default()
    }
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
