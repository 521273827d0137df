//! The cluster stage: from a Cluster's name to a client of a cluster that answers.

use std::sync::Arc;
use std::time::Duration;

use convoy_domain::cluster::{ClusterFacts, ClusterRecord};
use convoy_domain::condition::{Condition, ConditionType, Failure, Reason, Stage, Truth};
use convoy_domain::id::NamespacedName;
use convoy_domain::release::Release;
use convoy_ports::{Cluster, ClusterError, Impersonation, Requeue};
use tracing::warn;

use crate::runtime::UNREADABLE;
use crate::{Runtime, failures};

/// A cluster that answered lately.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) record: ClusterRecord,
    pub(crate) client: Arc<dyn Cluster>,
    pub(crate) facts: ClusterFacts,
}

/// Reads the Cluster, connects, and makes sure that the cluster answers.
pub(crate) async fn reach(runtime: &Runtime, release: &Release) -> Result<Target, Failure> {
    let id = NamespacedName::new(release.id.namespace(), &release.spec.cluster).map_err(|error| {
        Failure::new(
            Stage::Validate,
            Reason::InvalidSpec,
            format!("spec.clusterRef.name: {error}"),
        )
    })?;
    let record = runtime.ports.control_plane.cluster(&id).await;
    let record = record
        .map_err(|error| failures::control_plane(Stage::Cluster, &error))?
        .ok_or_else(|| {
            Failure::new(
                Stage::Cluster,
                Reason::ClusterNotFound,
                format!("Cluster `{id}` does not exist"),
            )
        })?;
    if !record.unsupported.is_empty() {
        let what = record.unsupported.join("`, `");
        return Err(Failure::new(
            Stage::Cluster,
            Reason::Unsupported,
            format!("Cluster `{id}` sets `{what}`, which is not supported yet"),
        ));
    }
    let account = release
        .spec
        .service_account
        .clone()
        .or_else(|| runtime.settings.default_service_account.clone());
    let caller = account
        .clone()
        .map_or(Impersonation::None, |name| Impersonation::ServiceAccount {
            namespace: release.id.namespace().to_string(),
            name,
        });
    let fail = |error: ClusterError| failures::cluster(Stage::Cluster, &error);
    let client = runtime.ports.clusters.connect(&record, &caller).await.map_err(fail)?;
    let account = account.unwrap_or_default();
    let known = runtime.clusters.get(&record, &account, runtime.now());
    let facts = if let Some(facts) = known {
        facts
    } else {
        let facts = client.facts().await.map_err(fail)?;
        runtime.clusters.put(&record, &account, &facts, runtime.now());
        facts
    };
    Ok(Target { record, client, facts })
}

/// The Cluster controller: writes whether a cluster is reached and what it says of itself.
pub(crate) async fn report(runtime: &Runtime, id: &NamespacedName) -> Requeue {
    let interval = Duration::from_mins(1);
    let record = match runtime.ports.control_plane.cluster(id).await {
        Ok(Some(record)) => record,
        Ok(None) => return Requeue::OnChange,
        Err(error) => {
            warn!(cluster = %id, %error, "cannot read the Cluster");
            return UNREADABLE;
        }
    };
    let answer = match runtime.ports.clusters.connect(&record, &Impersonation::None).await {
        Ok(client) => client.facts().await,
        Err(error) => Err(error),
    };
    let (truth, reason, message) = match &answer {
        Ok(facts) => (
            Truth::True,
            Reason::Succeeded,
            format!("Kubernetes {} answers", facts.version),
        ),
        Err(error) => {
            let failure = failures::cluster(Stage::Cluster, error);
            (Truth::False, failure.reason, failure.message)
        }
    };
    let ready = Condition {
        kind: ConditionType::Ready,
        truth,
        reason,
        message,
        observed_generation: record.generation,
        last_transition: runtime.now(),
    };
    if let Err(error) = runtime
        .ports
        .control_plane
        .write_cluster_status(&record, &ready, answer.ok().as_ref())
        .await
    {
        warn!(cluster = %id, %error, "cannot write the status of the Cluster");
        return UNREADABLE;
    }
    Requeue::After(interval)
}
