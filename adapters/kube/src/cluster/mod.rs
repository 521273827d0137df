//! Target clusters: who they are, what they serve, and every call that changes an object.
//!
//! # Invariant
//! Each call waits for the limiter of its cluster first and ends within [`CALL_TIMEOUT`], whatever the server does.
//! An object that has no address of its own ([`segment`]) is refused before anything is asked.

mod address;
mod connect;
mod discovery;
mod error;
mod facts;
mod kubeconfig;
mod limiter;
mod managed_fields;
mod segment;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use convoy_domain::cluster::{ClusterApi, ClusterFacts};
use convoy_domain::id::{Gvk, ObjectId};
use convoy_domain::names::{annotation, label};
use convoy_domain::object::{Object, Scope};
use convoy_ports::{ApplyRequest, Cluster, ClusterError, DeleteRequest, Deleted, Kind};
use kube::api::{ApiResource, DeleteParams, DynamicObject, Patch, PatchParams, Preconditions};
use kube::{Api, Client};
use serde_json::{Value as Json, json};

use crate::convert::{object_from_json, to_json};
use crate::fault::Fault;
use discovery::Discovery;
use error::{Subject, refused};
use limiter::Limiter;

pub use connect::KubeConnector;

/// Longest time that one call may take.
const CALL_TIMEOUT: Duration = Duration::from_mins(1);

/// A target cluster behind a Kubernetes client.
pub struct KubeCluster {
    client: Client,
    limiter: Arc<Limiter>,
    discovery: Discovery,
}

impl std::fmt::Debug for KubeCluster {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KubeCluster").finish_non_exhaustive()
    }
}

impl KubeCluster {
    /// A cluster behind `client`, without a limit on requests of its own.
    #[must_use]
    pub fn new(client: Client) -> Self {
        Self::limited(client, Arc::new(Limiter::default()))
    }

    fn limited(client: Client, limiter: Arc<Limiter>) -> Self {
        Self {
            client,
            limiter,
            discovery: Discovery::default(),
        }
    }

    /// Makes one call.
    async fn call<T>(&self, answer: impl Future<Output = kube::Result<T>>) -> Result<T, Fault> {
        self.limiter.take().await;
        match tokio::time::timeout(CALL_TIMEOUT, answer).await {
            Ok(answer) => answer.map_err(Fault::from),
            Err(_) => Err(Fault::Unreachable(format!(
                "no answer within {} s",
                CALL_TIMEOUT.as_secs()
            ))),
        }
    }

    /// The API of a kind; `namespace` counts for namespaced kinds only.
    fn api(&self, subject: &Subject, kind: &Kind, namespace: &str) -> Result<Api<DynamicObject>, ClusterError> {
        segment::check_scope(subject, kind, namespace)?;
        let resource = ApiResource {
            group: kind.gvk.group.clone(),
            version: kind.gvk.version.clone(),
            api_version: kind.gvk.api_version(),
            kind: kind.gvk.kind.clone(),
            plural: kind.plural.clone(),
        };
        Ok(match kind.scope {
            Scope::Namespaced => Api::namespaced_with(self.client.clone(), namespace, &resource),
            Scope::Cluster => Api::all_with(self.client.clone(), &resource),
        })
    }

    /// What serves an object that was applied under `version`: another version will do, since it is the same object.
    async fn served(&self, id: &ObjectId, version: &str) -> Result<Option<Kind>, ClusterError> {
        self.discovery.any_version(self, &id.group, &id.kind, version).await
    }

    /// Patches the metadata of a live object; `None` when its kind is served no more, and it is gone with it.
    async fn patch_metadata(&self, live: &Object, metadata: &Json) -> Result<Option<DynamicObject>, ClusterError> {
        let subject = Subject::of(live);
        let gvk = live.gvk();
        let served = self
            .discovery
            .any_version(self, &gvk.group, &gvk.kind, &gvk.version)
            .await?;
        let Some(kind) = served else { return Ok(None) };
        let api = self.api(&subject, &kind, live.namespace())?;
        let parameters = PatchParams::default();
        let patch = json!({ "metadata": metadata });
        match self
            .call(api.patch(live.name(), &parameters, &Patch::Merge(&patch)))
            .await
        {
            Ok(written) => Ok(Some(written)),
            Err(Fault::Answered(status)) if status.code == 404 => Ok(None),
            Err(fault) => Err(refused(&subject, fault)),
        }
    }
}

/// A live object as the domain's.
fn taken(subject: &Subject, found: &DynamicObject) -> Result<Object, ClusterError> {
    let json = serde_json::to_value(found).unwrap_or_default();
    object_from_json(json).map_err(|error| ClusterError::Refused {
        object: subject.text.clone(),
        why: error.to_string(),
    })
}

#[async_trait]
impl Cluster for KubeCluster {
    async fn facts(&self) -> Result<ClusterFacts, ClusterError> {
        facts::ask(self).await
    }

    async fn api(&self) -> Result<ClusterApi, ClusterError> {
        let version = facts::version(self).await?;
        let api_versions = self.discovery.all(self).await?;
        Ok(ClusterApi { version, api_versions })
    }

    async fn kind(&self, gvk: &Gvk) -> Result<Kind, ClusterError> {
        self.discovery.kind(self, gvk).await
    }

    async fn get(&self, id: &ObjectId, version: &str) -> Result<Option<Object>, ClusterError> {
        segment::check_object(id)?;
        let subject = Subject::named(id);
        let Some(kind) = self.served(id, version).await? else {
            return Ok(None);
        };
        let api = self.api(&subject, &kind, &id.namespace)?;
        let found = self
            .call(api.get_opt(&id.name))
            .await
            .map_err(|fault| refused(&subject, fault))?;
        found.map(|found| taken(&subject, &found)).transpose()
    }

    async fn apply(&self, request: ApplyRequest<'_>) -> Result<Object, ClusterError> {
        let object = request.object;
        segment::check_object(&error::id_of(object))?;
        let subject = Subject::of(object);
        let kind = self.kind(&object.gvk()).await?;
        let api = self.api(&subject, &kind, object.namespace())?;
        let parameters = PatchParams {
            dry_run: request.dry_run,
            force: request.force,
            field_manager: Some(request.manager.to_owned()),
            field_validation: None,
        };
        let body = to_json(&object.clone().into_value());
        let applied = self
            .call(api.patch(object.name(), &parameters, &Patch::Apply(&body)))
            .await;
        match applied {
            Ok(live) => taken(&subject, &live),
            Err(fault) => {
                if let Fault::Answered(status) = &fault
                    && status.code == 404
                    && error::missing_namespace(status).is_none()
                {
                    // The kind went away since it was discovered.
                    self.discovery.forget().await;
                }
                Err(error::apply_refused(&subject, &object.gvk(), fault))
            }
        }
    }

    async fn delete(&self, request: &DeleteRequest) -> Result<Deleted, ClusterError> {
        segment::check_object(&request.id)?;
        let subject = Subject::named(&request.id);
        let Some(kind) = self.served(&request.id, &request.version).await? else {
            return Ok(Deleted::Absent);
        };
        let api = self.api(&subject, &kind, &request.id.namespace)?;
        let parameters = DeleteParams {
            preconditions: Some(Preconditions {
                uid: Some(request.uid.clone()),
                resource_version: Some(request.resource_version.clone()).filter(|version| !version.is_empty()),
            }),
            ..DeleteParams::background()
        };
        let Err(fault) = self.call(api.delete(&request.id.name, &parameters)).await else {
            return Ok(Deleted::Requested);
        };
        match &fault {
            Fault::Answered(status) if status.code == 404 => Ok(Deleted::Absent),
            Fault::Answered(status) if status.code == 409 => {
                // Which precondition failed is told in prose only, so that the object itself is asked.
                let found = self.get(&request.id, &request.version).await?;
                match found {
                    Some(live) if live.uid() == request.uid => Err(ClusterError::Stale { object: subject.text }),
                    Some(_) | None => Ok(Deleted::Absent),
                }
            }
            Fault::Answered(_) | Fault::Undecodable(_) | Fault::Unreachable(_) => Err(refused(&subject, fault)),
        }
    }

    async fn take_over(&self, live: &Object, manager: &str) -> Result<Object, ClusterError> {
        segment::check_object(&error::id_of(live))?;
        let json = to_json(&live.clone().into_value());
        let entries = json.pointer("/metadata/managedFields").and_then(Json::as_array);
        let Some(upgraded) = entries.and_then(|entries| managed_fields::taken_over(entries, manager)) else {
            return Ok(live.clone());
        };
        let metadata = json!({
            "uid": live.uid(),
            "resourceVersion": live.resource_version(),
            "managedFields": upgraded,
        });
        let subject = Subject::of(live);
        match self.patch_metadata(live, &metadata).await? {
            Some(written) => taken(&subject, &written),
            // It was deleted since it was read.
            None => Err(ClusterError::Stale { object: subject.text }),
        }
    }

    async fn release_ownership(&self, live: &Object, manager: &str) -> Result<(), ClusterError> {
        segment::check_object(&error::id_of(live))?;
        let json = to_json(&live.clone().into_value());
        let mut metadata = json!({
            "uid": live.uid(),
            "resourceVersion": live.resource_version(),
            "labels": { label::RELEASE_UID: null },
            "annotations": { annotation::RELEASE: null, annotation::INSTALLATION: null },
        });
        // The next owner must not run into a conflict with a manager that will never speak again.
        if let Some(entries) = json.pointer("/metadata/managedFields").and_then(Json::as_array) {
            metadata["managedFields"] = managed_fields::given_up(entries, manager).into();
        }
        // What is gone has no owner.
        self.patch_metadata(live, &metadata).await.map(|_| ())
    }
}
