//! `Cluster` ⇄ the domain's record of it.

use convoy_domain::cluster::{ClusterFacts, ClusterRecord, Connection};
use convoy_domain::condition::Condition;

use super::status::condition;
use super::{InvalidField, identity};
use crate::crd;

/// Reads a Cluster.
pub(crate) fn cluster(object: crd::Cluster) -> Result<ClusterRecord, InvalidField> {
    let crd::Cluster { metadata, spec, .. } = object;
    let connection = match (spec.in_cluster.unwrap_or(false), spec.kubeconfig) {
        (true, None) => Connection::InCluster,
        (false, Some(reference)) => Connection::Kubeconfig {
            secret: reference.secret_ref.name,
            key: reference.secret_ref.key,
        },
        (true, Some(_)) | (false, None) => {
            return Err(InvalidField::new(
                "spec",
                "exactly one of inCluster: true and kubeconfig must be set",
            ));
        }
    };
    Ok(ClusterRecord {
        id: identity(&metadata)?,
        uid: metadata.uid.unwrap_or_default(),
        generation: metadata.generation.unwrap_or_default(),
        resource_version: metadata.resource_version.unwrap_or_default(),
        labels: metadata.labels.unwrap_or_default(),
        annotations: metadata.annotations.unwrap_or_default(),
        connection,
        unsupported: spec.proxy_url.map(|_| "spec.proxyURL".to_owned()).into_iter().collect(),
    })
}

/// The status as the API carries it.
pub(crate) fn cluster_status(ready: &Condition, facts: Option<&ClusterFacts>) -> crd::ClusterStatus {
    crd::ClusterStatus {
        conditions: vec![condition(ready)],
        version: facts.map(|facts| facts.version.clone()).unwrap_or_default(),
        nodes: facts.and_then(|facts| facts.nodes),
        cluster_id: facts.map(|facts| facts.cluster_id.clone()).unwrap_or_default(),
    }
}
