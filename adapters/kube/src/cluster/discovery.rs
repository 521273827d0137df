//! What kinds a cluster serves: asked once per group and version, and again for a kind that is not known, since its
//! definition may have come.

use std::collections::{BTreeMap, BTreeSet};
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
        let kinds = ask(cluster, &gvk.group, &gvk.version).await?;
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

    /// `group/version` and `group/version/Kind` of all that is served. Groups and their versions are asked for each
    /// time, kinds of a version only when they were not before.
    pub(super) async fn all(&self, cluster: &KubeCluster) -> Result<BTreeSet<String>, ClusterError> {
        let mut all = BTreeSet::new();
        for (group, version) in group_versions(cluster).await? {
            let name = if group.is_empty() {
                version.clone()
            } else {
                format!("{group}/{version}")
            };
            let key = (group, version);
            let known = self.answers.read().await.get(&key).cloned();
            let kinds = if let Some(answer) = known.filter(|answer| answer.asked.elapsed() < BELIEVED) {
                answer.kinds
            } else {
                let kinds = ask(cluster, &key.0, &key.1).await?;
                let answer = Answer {
                    asked: Instant::now(),
                    kinds: kinds.clone(),
                };
                self.answers.write().await.insert(key, answer);
                kinds
            };
            all.extend(kinds.keys().map(|kind| format!("{name}/{kind}")));
            all.insert(name);
        }
        Ok(all)
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
async fn ask(cluster: &KubeCluster, group: &str, version: &str) -> Result<BTreeMap<String, Kind>, ClusterError> {
    let client = &cluster.client;
    let api_version = format!("{group}/{version}");
    let answered = if group.is_empty() {
        cluster.call(client.list_core_api_resources(version)).await
    } else {
        cluster.call(client.list_api_group_resources(&api_version)).await
    };
    match answered {
        Ok(list) => Ok(kinds(group, version, list)),
        Err(Fault::Answered(status)) if status.code == 404 => Ok(BTreeMap::new()),
        Err(fault) => Err(refused(&Subject::text(&api_version), fault)),
    }
}

/// Every version of every group.
async fn group_versions(cluster: &KubeCluster) -> Result<Vec<GroupVersion>, ClusterError> {
    let subject = Subject::text("API groups");
    let core = cluster
        .call(cluster.client.list_core_api_versions())
        .await
        .map_err(|fault| refused(&subject, fault))?;
    let groups = cluster
        .call(cluster.client.list_api_groups())
        .await
        .map_err(|fault| refused(&subject, fault))?;
    let core = core.versions.into_iter().map(|version| (String::new(), version));
    let named = groups.groups.into_iter().flat_map(|group| {
        let name = group.name;
        group
            .versions
            .into_iter()
            .map(move |version| (name.clone(), version.version))
    });
    Ok(core.chain(named).collect())
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
