//! What people do to a Kubernetes API, for the contract suites.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use convoy_domain::object::Object;
use convoy_kube::{KubeCluster, KubeControlPlane, crd};
use convoy_ports::{Cluster, ControlPlane};
use convoy_testkit_contract::{cluster, control_plane};
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::{Event, Secret};
use kube::api::{
    ApiResource, DeleteParams, DynamicObject, GroupVersionKind, ListParams, Patch, PatchParams, PostParams,
};
use kube::{Api, Client};
use serde_json::{Value, json};

/// A namespace of a server.
pub(crate) struct KubeWorld {
    client: Client,
    namespace: String,
}

impl KubeWorld {
    pub(crate) fn new(client: Client, namespace: String) -> Self {
        Self { client, namespace }
    }

    pub(crate) fn control_plane(self) -> Arc<dyn control_plane::World> {
        Arc::new(self)
    }

    pub(crate) fn cluster(self) -> Arc<dyn cluster::World> {
        Arc::new(self)
    }

    fn releases(&self) -> Api<crd::Release> {
        Api::namespaced(self.client.clone(), &self.namespace)
    }

    fn clusters(&self) -> Api<crd::Cluster> {
        Api::namespaced(self.client.clone(), &self.namespace)
    }

    async fn make(&self, api_version: &str, kind: &str, name: &str, spec: Value) {
        let (group, version) = api_version.split_once('/').unwrap();
        let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind));
        let api: Api<DynamicObject> = Api::namespaced_with(self.client.clone(), &self.namespace, &resource);
        let mut object = DynamicObject::new(name, &resource);
        object.data = spec;
        api.create(&PostParams::default(), &object).await.unwrap();
    }
}

#[async_trait]
impl control_plane::World for KubeWorld {
    fn port(&self) -> Arc<dyn ControlPlane> {
        Arc::new(KubeControlPlane::new(self.client.clone()))
    }

    fn namespace(&self) -> &str {
        &self.namespace
    }

    async fn create_release(&self, name: &str) {
        let git = json!({"name": "repo", "ref": {"branch": "main"}});
        let spec = json!({"spec": {
            "clusterRef": {"name": "here"},
            "source": {"type": "gitRepository", "gitRepository": git},
            "content": {"type": "manifests", "manifests": {"paths": ["."]}},
        }});
        self.make("core.convoy.kumodo.io/v1alpha1", "Release", name, spec).await;
    }

    async fn suspend_release(&self, name: &str) {
        let patch = json!({"spec": {"suspend": true}});
        self.releases()
            .patch(name, &PatchParams::default(), &Patch::Merge(&patch))
            .await
            .unwrap();
    }

    async fn delete_release(&self, name: &str) {
        self.releases().delete(name, &DeleteParams::default()).await.unwrap();
    }

    async fn create_git_repository(&self, name: &str, url: &str) {
        let spec = json!({"spec": {"url": url}});
        self.make("source.convoy.kumodo.io/v1alpha1", "GitRepository", name, spec)
            .await;
    }

    async fn create_cluster(&self, name: &str, label: (&str, &str)) {
        let spec = json!({"spec": {"inCluster": true}});
        self.make("core.convoy.kumodo.io/v1alpha1", "Cluster", name, spec).await;
        let patch = json!({"metadata": {"labels": {label.0: label.1}}});
        self.clusters()
            .patch(name, &PatchParams::default(), &Patch::Merge(&patch))
            .await
            .unwrap();
    }

    async fn delete_cluster(&self, name: &str) {
        self.clusters().delete(name, &DeleteParams::default()).await.unwrap();
    }

    async fn cluster_status(&self, name: &str) -> Option<(String, String, String)> {
        let status = self.clusters().get(name).await.unwrap().status?;
        let ready = status.conditions.iter().find(|condition| condition.kind == "Ready")?;
        Some((ready.status.clone(), status.version, status.cluster_id))
    }

    async fn create_secret(&self, name: &str, entries: &[(&str, &[u8])]) {
        let api: Api<Secret> = Api::namespaced(self.client.clone(), &self.namespace);
        let data: BTreeMap<String, ByteString> = entries
            .iter()
            .map(|(key, bytes)| ((*key).to_owned(), ByteString(bytes.to_vec())))
            .collect();
        let mut secret = Secret {
            data: Some(data),
            ..Secret::default()
        };
        secret.metadata.name = Some(name.to_owned());
        api.create(&PostParams::default(), &secret).await.unwrap();
    }

    async fn events(&self, release: &str) -> Vec<control_plane::SeenEvent> {
        let api: Api<Event> = Api::namespaced(self.client.clone(), &self.namespace);
        let about = format!("involvedObject.kind=Release,involvedObject.name={release}");
        let events = api.list(&ListParams::default().fields(&about)).await.unwrap();
        events
            .into_iter()
            .map(|event| control_plane::SeenEvent {
                warning: event.type_.as_deref() == Some("Warning"),
                reason: event.reason.unwrap_or_default(),
                message: event.message.unwrap_or_default(),
                count: u32::try_from(event.count.unwrap_or_default()).unwrap(),
            })
            .collect()
    }
}

#[async_trait]
impl cluster::World for KubeWorld {
    fn port(&self) -> Arc<dyn Cluster> {
        Arc::new(KubeCluster::new(self.client.clone()))
    }

    fn namespace(&self) -> &str {
        &self.namespace
    }

    async fn create(&self, object: &Object, manager: &str) {
        let gvk = object.gvk();
        let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(&gvk.group, &gvk.version, &gvk.kind));
        let api: Api<DynamicObject> = Api::namespaced_with(self.client.clone(), object.namespace(), &resource);
        let json = serde_json::to_value(object.clone().into_value()).unwrap();
        let parameters = PostParams {
            field_manager: Some(manager.to_owned()),
            ..PostParams::default()
        };
        api.create(&parameters, &serde_json::from_value(json).unwrap())
            .await
            .unwrap();
    }
}
