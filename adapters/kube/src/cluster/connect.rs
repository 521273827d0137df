//! Clients of target clusters, made once per Cluster and caller and kept.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use convoy_domain::cluster::{ClusterRecord, Connection};
use convoy_ports::{Cluster, ClusterConnector, ClusterError, Impersonation};
use k8s_openapi::api::core::v1::Secret;
use kube::{Api, Client, Config};
use tokio::sync::Mutex;

use super::limiter::Limiter;
use super::{KubeCluster, address, kubeconfig, segment};
use crate::crd;
use crate::fault::{Fault, said};

/// How long a connection may take to come about.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How long the server may be silent while a reply is read.
const READ_TIMEOUT: Duration = Duration::from_mins(1);

/// How long a request may take to be sent.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);

/// Clients that are kept; beyond that, those that were used longest ago go.
const MAX_CLIENTS: usize = 512;

/// Makes clients of target clusters.
pub struct KubeConnector {
    /// How the cluster is reached that convoy runs in.
    ambient: Config,
    /// Where Secrets and Clusters are.
    control_plane: Client,
    kept: Mutex<Kept>,
}

impl std::fmt::Debug for KubeConnector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KubeConnector").finish_non_exhaustive()
    }
}

#[derive(Default)]
struct Kept {
    clients: HashMap<Key, KeptClient>,
    /// One per Cluster, whoever calls.
    limiters: HashMap<String, (i64, Arc<Limiter>)>,
    /// Counts uses.
    clock: u64,
}

/// A Cluster, and who calls it.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    cluster: String,
    user: Option<String>,
}

/// A kept client.
struct KeptClient {
    /// Generation of the Cluster and resourceVersion of the Secret that it was made from.
    made_from: (i64, String),
    cluster: Arc<KubeCluster>,
    last_use: u64,
}

impl KubeConnector {
    /// `ambient` reaches the cluster of `inCluster: true`; kubeconfigs are read through `control_plane`.
    #[must_use]
    pub fn new(ambient: Config, control_plane: Client) -> Self {
        Self {
            ambient,
            control_plane,
            kept: Mutex::new(Kept::default()),
        }
    }

    /// The bytes of the kubeconfig and the resourceVersion of their Secret.
    async fn secret(&self, namespace: &str, name: &str, key: &str) -> Result<(Vec<u8>, String), ClusterError> {
        let secrets: Api<Secret> = Api::namespaced(self.control_plane.clone(), namespace);
        let broken = |why: String| ClusterError::Kubeconfig { why };
        if let Some(rule) = segment::name_fault(name) {
            return Err(broken(format!("the name of its Secret {rule}")));
        }
        let secret = match secrets.get_opt(name).await.map_err(Fault::from) {
            Ok(Some(secret)) => secret,
            Ok(None) => return Err(broken(format!("Secret `{namespace}/{name}` does not exist"))),
            Err(Fault::Answered(status)) if matches!(status.code, 401 | 403) => {
                return Err(broken(said(&status, true)));
            }
            Err(Fault::Answered(status)) => {
                let why = format!("its Secret could not be read: {}", said(&status, true));
                return Err(ClusterError::Unreachable { why });
            }
            Err(Fault::Undecodable(_)) => return Err(broken("its Secret cannot be understood".to_owned())),
            Err(Fault::Unreachable(why)) => {
                let why = format!("its Secret could not be read: {why}");
                return Err(ClusterError::Unreachable { why });
            }
        };
        let version = secret.metadata.resource_version.unwrap_or_default();
        let bytes = secret
            .data
            .and_then(|mut data| data.remove(key))
            .ok_or_else(|| broken(format!("Secret `{namespace}/{name}` has no key `{key}`")))?;
        Ok((bytes.0, version))
    }

    /// `qps` and `burst` of a Cluster, which are read when its limiter is made.
    async fn limits(&self, cluster: &ClusterRecord) -> (Option<u32>, Option<u32>) {
        let clusters: Api<crd::Cluster> = Api::namespaced(self.control_plane.clone(), cluster.id.namespace());
        match clusters.get_opt(cluster.id.name()).await {
            Ok(Some(found)) => (found.spec.qps, found.spec.burst),
            Ok(None) | Err(_) => (None, None),
        }
    }

    async fn limiter(&self, cluster: &ClusterRecord) -> Arc<Limiter> {
        if let Some((generation, limiter)) = self.kept.lock().await.limiters.get(&cluster.uid)
            && *generation == cluster.generation
        {
            return Arc::clone(limiter);
        }
        let (qps, burst) = self.limits(cluster).await;
        let limiter = Arc::new(Limiter::new(qps, burst));
        let mut kept = self.kept.lock().await;
        if kept.limiters.len() >= MAX_CLIENTS {
            kept.limiters.clear();
        }
        kept.limiters
            .insert(cluster.uid.clone(), (cluster.generation, Arc::clone(&limiter)));
        limiter
    }

    /// The kept client, if it was made from the same.
    async fn kept(&self, key: &Key, made_from: &(i64, String)) -> Option<Arc<KubeCluster>> {
        let mut kept = self.kept.lock().await;
        kept.clock += 1;
        let now = kept.clock;
        let client = kept
            .clients
            .get_mut(key)
            .filter(|client| client.made_from == *made_from)?;
        client.last_use = now;
        Some(Arc::clone(&client.cluster))
    }

    async fn keep(&self, key: Key, made_from: (i64, String), cluster: &Arc<KubeCluster>) {
        let mut kept = self.kept.lock().await;
        if kept.clients.len() >= MAX_CLIENTS
            && let Some(oldest) = kept
                .clients
                .iter()
                .min_by_key(|(_, client)| client.last_use)
                .map(|(key, _)| key.clone())
        {
            kept.clients.remove(&oldest);
        }
        let last_use = kept.clock;
        let cluster = Arc::clone(cluster);
        kept.clients.insert(
            key,
            KeptClient {
                made_from,
                cluster,
                last_use,
            },
        );
    }
}

#[async_trait]
impl ClusterConnector for KubeConnector {
    async fn connect(&self, cluster: &ClusterRecord, as_: &Impersonation) -> Result<Arc<dyn Cluster>, ClusterError> {
        let user = match as_ {
            Impersonation::None => None,
            Impersonation::ServiceAccount { namespace, name } => {
                Some(format!("system:serviceaccount:{namespace}:{name}"))
            }
        };
        let secret = match &cluster.connection {
            Connection::InCluster => None,
            Connection::Kubeconfig { secret, key } => Some(self.secret(cluster.id.namespace(), secret, key).await?),
        };
        let version = secret.as_ref().map(|(_, version)| version.clone()).unwrap_or_default();
        let made_from = (cluster.generation, version);
        let key = Key {
            cluster: cluster.uid.clone(),
            user,
        };
        if let Some(kept) = self.kept(&key, &made_from).await {
            return Ok(kept);
        }
        let config = match &secret {
            None => self.ambient.clone(),
            Some((bytes, _)) => from_secret(bytes).await?,
        };
        let client = client(config, key.user.clone())?;
        let made = Arc::new(KubeCluster::limited(client, self.limiter(cluster).await));
        self.keep(key, made_from, &made).await;
        Ok(made)
    }
}

/// The configuration that a kubeconfig from a Secret asks for.
async fn from_secret(bytes: &[u8]) -> Result<Config, ClusterError> {
    let config = kubeconfig::read(bytes)
        .await
        .map_err(|refusal| ClusterError::Kubeconfig {
            why: refusal.to_string(),
        })?;
    let host = config
        .cluster_url
        .host()
        .unwrap_or_default()
        .trim_matches(['[', ']'])
        .to_owned();
    let port = config.cluster_url.port_u16().unwrap_or(443);
    let addresses = tokio::net::lookup_host((host.as_str(), port))
        .await
        .map_err(|_| ClusterError::Unreachable {
            why: format!("`{host}` has no address"),
        })?;
    if addresses.into_iter().any(|found| address::is_denied(found.ip())) {
        return Err(ClusterError::Kubeconfig {
            why: format!("`{host}` is a link-local or metadata address"),
        });
    }
    Ok(config)
}

/// A client that calls as `user`, or as the configuration says.
fn client(mut config: Config, user: Option<String>) -> Result<Client, ClusterError> {
    if user.is_some() {
        // The server adds the groups of a service account itself; those of another user must not stay.
        config.auth_info.impersonate = user;
        config.auth_info.impersonate_groups = None;
        config.auth_info.impersonate_uid = None;
        config.auth_info.impersonate_user_extra = None;
    }
    config.connect_timeout = Some(CONNECT_TIMEOUT);
    config.read_timeout = Some(READ_TIMEOUT);
    config.write_timeout = Some(WRITE_TIMEOUT);
    config.reset_reader_on_write = true;
    // When a call is tried again is decided by the domain.
    config.default_retry = false;
    Client::try_from(config).map_err(|_| ClusterError::Kubeconfig {
        why: "its certificates, keys or address cannot be used".to_owned(),
    })
}
