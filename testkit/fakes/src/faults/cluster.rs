//! Faults of target clusters.

use std::sync::Arc;

use async_trait::async_trait;
use convoy_domain::cluster::{ClusterApi, ClusterFacts, ClusterRecord};
use convoy_domain::id::{Gvk, ObjectId};
use convoy_domain::object::{Object, Scope};
use convoy_ports::{
    ApplyRequest, Cluster, ClusterConnector, ClusterError, DeleteRequest, Deleted, Impersonation, Kind,
};

use super::EffectCounter;

type Answer<T> = Result<T, ClusterError>;

/// A cluster whose applies (but not dry runs), deletions and changes of ownership are counted effects.
#[derive(Debug)]
pub struct FaultyCluster {
    inner: Arc<dyn Cluster>,
    effects: EffectCounter,
}

impl FaultyCluster {
    /// Decorates `inner`.
    #[must_use]
    pub fn new(inner: Arc<dyn Cluster>, effects: EffectCounter) -> Self {
        Self { inner, effects }
    }

    async fn effect<T>(&self, call: &str, object: &str, act: impl Future<Output = Answer<T>>) -> Answer<T> {
        self.effects
            .effect(format!("cluster {call} {object}"), unreachable, act)
            .await
    }

    async fn read<T>(&self, call: &str, object: &str, act: impl Future<Output = Answer<T>>) -> Answer<T> {
        self.effects
            .read(format!("cluster {call} {object}"), unreachable, act)
            .await
    }
}

fn unreachable(why: String) -> ClusterError {
    ClusterError::Unreachable { why }
}

/// Kind, namespace and name, also of an object whose scope is not known here.
fn told(object: &Object) -> String {
    let scope = match object.namespace() {
        "" => Scope::Cluster,
        _ => Scope::Namespaced,
    };
    object.id(scope).to_string()
}

#[async_trait]
impl Cluster for FaultyCluster {
    async fn facts(&self) -> Answer<ClusterFacts> {
        self.read("facts", "", self.inner.facts()).await
    }

    async fn api(&self) -> Answer<ClusterApi> {
        self.read("api", "", self.inner.api()).await
    }

    async fn kind(&self, gvk: &Gvk) -> Answer<Kind> {
        self.read("kind", &gvk.to_string(), self.inner.kind(gvk)).await
    }

    async fn get(&self, id: &ObjectId, version: &str) -> Answer<Option<Object>> {
        self.read("get", &id.to_string(), self.inner.get(id, version)).await
    }

    async fn apply(&self, request: ApplyRequest<'_>) -> Answer<Object> {
        let object = told(request.object);
        if request.dry_run {
            self.read("dry-run", &object, self.inner.apply(request)).await
        } else {
            self.effect("apply", &object, self.inner.apply(request)).await
        }
    }

    async fn delete(&self, request: &DeleteRequest) -> Answer<Deleted> {
        self.effect("delete", &request.id.to_string(), self.inner.delete(request))
            .await
    }

    async fn take_over(&self, live: &Object, manager: &str) -> Answer<Object> {
        self.effect("take_over", &told(live), self.inner.take_over(live, manager))
            .await
    }

    async fn release_ownership(&self, live: &Object, manager: &str) -> Answer<()> {
        let act = self.inner.release_ownership(live, manager);
        self.effect("release_ownership", &told(live), act).await
    }
}

/// A connector whose clusters are [`FaultyCluster`]s. To connect is no effect.
#[derive(Debug)]
pub struct FaultyConnector {
    inner: Arc<dyn ClusterConnector>,
    effects: EffectCounter,
}

impl FaultyConnector {
    /// Decorates `inner`.
    #[must_use]
    pub fn new(inner: Arc<dyn ClusterConnector>, effects: EffectCounter) -> Self {
        Self { inner, effects }
    }
}

#[async_trait]
impl ClusterConnector for FaultyConnector {
    async fn connect(&self, cluster: &ClusterRecord, as_: &Impersonation) -> Answer<Arc<dyn Cluster>> {
        let what = format!("cluster connect {}", cluster.id);
        let act = self.inner.connect(cluster, as_);
        let inner = self.effects.read(what, unreachable, act).await?;
        Ok(Arc::new(FaultyCluster::new(inner, self.effects.clone())))
    }
}
