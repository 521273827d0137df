//! What kinds a cluster serves: asked once per group and version, and again for a kind that is not known, since its
//! definition may have come.

use std::collections::BTreeMap;
use std::time::Duration;

use convoy_domain::id::Gvk;
use convoy_domain::object::Scope;
use convoy_ports::{ClusterError, Kind};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::APIResourceList;
use tokio::sync::RwLock;
use tokio::time::Instant;

use super::error::{Subject, refused};
use super::{KubeCluster, segment};
use crate::fault::Fault;

/// How long an answer is believed: a definition may be replaced by one of another scope.
const BELIEVED: Duration = Duration::from_mins(5);

/// Group and version.
type GroupVersion = (String, String);

/// What was said of a group's version, and when.
#[derive(Clone, Debug)]
struct Answer {
    asked: Instant,
    kinds: BTreeMap<String, Kind>,
}

/// The answers so far.
#[derive(Debug, Default)]
pub(super) struct Discovery {
    answers: RwLock<BTreeMap<GroupVersion, Answer>>,
}

impl Discovery {
    /// What is said of a kind in one version.
    pub(super) async fn kind(&self, cluster: &KubeCluster, gvk: &Gvk) -> Result<Kind, ClusterError> {
        segment::check_kind(gvk)?;
        let key = (gvk.group.clone(), gvk.version.clone());
        if let Some(answer) = self.answers.read().await.get(&key)
            && answer.asked.elapsed() < BELIEVED
            && let Some(kind) = answer.kinds.get(&gvk.kind)
        {
            return Ok(kind.clone());
        }
        let kinds = ask(cluster, gvk).await?;
        let found = kinds.get(&gvk.kind).cloned();
        let asked = Instant::now();
        self.answers.write().await.insert(key, Answer { asked, kinds });
        found.ok_or_else(|| unknown(gvk))
    }

    /// What is said of a kind in `version`, or in another version of the group; `None` only when the group serves the
    /// kind in no version at all.
    pub(super) async fn any_version(
        &self,
        cluster: &KubeCluster,
        group: &str,
        kind: &str,
        version: &str,
    ) -> Result<Option<Kind>, ClusterError> {
        let gvk = |version: &str| Gvk {
            group: group.to_owned(),
            version: version.to_owned(),
            kind: kind.to_owned(),
        };
        match self.kind(cluster, &gvk(version)).await {
            Ok(kind) => return Ok(Some(kind)),
            Err(ClusterError::UnknownKind { .. }) => {}
            Err(error) => return Err(error),
        }
        for other in versions(cluster, group).await? {
            match self.kind(cluster, &gvk(&other)).await {
                Ok(kind) => return Ok(Some(kind)),
                Err(ClusterError::UnknownKind { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// Forgets everything: an answer has proved wrong.
    pub(super) async fn forget(&self) {
        self.answers.write().await.clear();
    }
}

fn unknown(gvk: &Gvk) -> ClusterError {
    ClusterError::UnknownKind { kind: gvk.to_string() }
}

/// The kinds of a group's version; none when it is not served.
async fn ask(cluster: &KubeCluster, gvk: &Gvk) -> Result<BTreeMap<String, Kind>, ClusterError> {
    let client = &cluster.client;
    let answered = if gvk.group.is_empty() {
        cluster.call(client.list_core_api_resources(&gvk.version)).await
    } else {
        cluster.call(client.list_api_group_resources(&gvk.api_version())).await
    };
    match answered {
        Ok(list) => Ok(kinds(&gvk.group, &gvk.version, list)),
        Err(Fault::Answered(status)) if status.code == 404 => Ok(BTreeMap::new()),
        Err(fault) => Err(refused(&Subject::text(&gvk.api_version()), fault)),
    }
}

fn kinds(group: &str, version: &str, list: APIResourceList) -> BTreeMap<String, Kind> {
    list.resources
        .into_iter()
        // `deployments/status` and the like are parts of a resource.
        .filter(|resource| !resource.name.contains('/'))
        .map(|resource| {
            let scope = if resource.namespaced {
                Scope::Namespaced
            } else {
                Scope::Cluster
            };
            let kind = Kind {
                gvk: Gvk {
                    group: group.to_owned(),
                    version: version.to_owned(),
                    kind: resource.kind.clone(),
                },
                plural: resource.name,
                scope,
            };
            (resource.kind, kind)
        })
        .collect()
}

/// The versions of a group, the preferred one first.
async fn versions(cluster: &KubeCluster, group: &str) -> Result<Vec<String>, ClusterError> {
    let subject = Subject::text(group);
    if group.is_empty() {
        let core = cluster
            .call(cluster.client.list_core_api_versions())
            .await
            .map_err(|fault| refused(&subject, fault))?;
        return Ok(core.versions);
    }
    let groups = cluster
        .call(cluster.client.list_api_groups())
        .await
        .map_err(|fault| refused(&subject, fault))?;
    let found = groups.groups.into_iter().find(|found| found.name == group);
    Ok(found
        .map(|found| {
            let preferred = found.preferred_version.map(|version| version.version);
            let all = found.versions.into_iter().map(|version| version.version);
            preferred.into_iter().chain(all).collect()
        })
        .unwrap_or_default())
}
