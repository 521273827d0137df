//! Who a cluster is.

use convoy_domain::cluster::ClusterFacts;
use convoy_ports::ClusterError;
use k8s_openapi::api::core::v1::{Namespace, Node};
use kube::Api;
use kube::api::ListParams;

use super::KubeCluster;
use super::error::{Subject, refused};
use crate::fault::Fault;

/// Nodes in one page, where the server does not say how many there are.
const PAGE: u32 = 500;

/// Asks for version, nodes and the uid of kube-system.
pub(super) async fn ask(cluster: &KubeCluster) -> Result<ClusterFacts, ClusterError> {
    let version = version(cluster).await?;
    let system = Subject::text("Namespace kube-system");
    let namespaces: Api<Namespace> = Api::all(cluster.client.clone());
    let found = cluster
        .call(namespaces.get_metadata("kube-system"))
        .await
        .map_err(|fault| refused(&system, fault))?;
    let cluster_id = found.metadata.uid.ok_or_else(|| ClusterError::Refused {
        object: system.text,
        why: "it has no uid".to_owned(),
    })?;
    Ok(ClusterFacts {
        version,
        nodes: nodes(cluster).await?,
        cluster_id,
    })
}

/// Asks for the version of the server.
pub(super) async fn version(cluster: &KubeCluster) -> Result<String, ClusterError> {
    let version = cluster
        .call(cluster.client.apiserver_version())
        .await
        .map_err(|fault| refused(&Subject::text("version"), fault))?;
    Ok(version.git_version)
}

/// The number of nodes, `None` when we may not list them.
async fn nodes(cluster: &KubeCluster) -> Result<Option<u32>, ClusterError> {
    let nodes: Api<Node> = Api::all(cluster.client.clone());
    let mut parameters = ListParams::default().limit(PAGE);
    let mut count = 0_usize;
    loop {
        let page = match cluster.call(nodes.list_metadata(&parameters)).await {
            Ok(page) => page,
            Err(Fault::Answered(status)) if matches!(status.code, 403 | 404) => return Ok(None),
            Err(fault) => return Err(refused(&Subject::text("nodes"), fault)),
        };
        count += page.items.len();
        if let Some(rest) = page.metadata.remaining_item_count {
            count += usize::try_from(rest).unwrap_or_default();
            break;
        }
        match page.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => parameters = parameters.continue_token(&token),
            None => break,
        }
    }
    Ok(Some(u32::try_from(count).unwrap_or(u32::MAX)))
}
