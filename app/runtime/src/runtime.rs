//! Wiring: ports and settings in, a [`Reconciler`] out.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use convoy_domain::Timestamp;
use convoy_domain::compat::Compat;
use convoy_domain::condition::Failure;
use convoy_domain::entropy::DEFAULT_SECRET;
use convoy_domain::id::{NamespacedName, ReleaseId};
use convoy_domain::limits::Limits;
use convoy_domain::source::SourceKey;
use convoy_ports::{ArtifactStore, Clock, ClusterConnector, ControlPlane, Entropy, Reconciler, Requeue, SourceFetcher};

use crate::engines::Engines;
use crate::entropy::{self, KnownKey};
use crate::fetch::{Coordinator, FetchUsage, Means};
use crate::registry::{KnownClusters, Registry};
use crate::release::KnownRequirements;
use crate::render_store::RenderStore;
use crate::verify::Asked;
use crate::{release, target, verify};

/// What the runtime acts through.
#[derive(Clone, Debug)]
pub struct Ports {
    /// Releases and what they refer to.
    pub control_plane: Arc<dyn ControlPlane>,
    /// Target clusters.
    pub clusters: Arc<dyn ClusterConnector>,
    /// Sources.
    pub sources: Arc<dyn SourceFetcher>,
    /// Where fetched artifacts are kept besides memory, if anywhere.
    pub artifacts: Option<Arc<dyn ArtifactStore>>,
    /// Where renders are kept.
    pub store: RenderStore,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Randomness, for the installation's key.
    pub entropy: Arc<dyn Entropy>,
}

/// Settings of one process.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Version of convoy, a part of every fingerprint.
    pub version: String,
    /// Written on applied objects; another id on an object is another installation's.
    pub installation_id: String,
    /// Name of this replica, for `status.shard`.
    pub replica: String,
    /// Namespace of convoy itself, never pruned or deleted.
    pub own_namespace: String,
    /// Service account impersonated for Releases that name none.
    pub default_service_account: Option<String>,
    /// Name of the Secret, in `own_namespace`, with the key from which charts draw.
    pub entropy_secret: String,
    /// Bounds of rendering.
    pub limits: Limits,
    /// Renders made at a time.
    pub render_concurrency: usize,
    /// Bytes of artifacts kept in memory.
    pub artifact_bytes: u64,
    /// Whose behaviour is kept where this version goes beyond the pages.
    pub compat: Compat,
    /// Objects of one Release applied at a time.
    pub apply_concurrency: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").to_string(),
            installation_id: "default".to_string(),
            replica: "convoy-0".to_string(),
            own_namespace: "convoy-system".to_string(),
            default_service_account: None,
            entropy_secret: DEFAULT_SECRET.to_string(),
            limits: Limits::default(),
            render_concurrency: std::thread::available_parallelism().map_or(1, usize::from),
            artifact_bytes: 512 * 1024 * 1024,
            compat: Compat::Current,
            apply_concurrency: 16,
        }
    }
}

/// The reconciler of Releases, sources and Clusters.
#[derive(Debug)]
pub struct Runtime {
    pub(crate) ports: Ports,
    pub(crate) settings: Settings,
    pub(crate) fetches: Coordinator,
    pub(crate) requirements: KnownRequirements,
    pub(crate) registry: Registry,
    pub(crate) clusters: KnownClusters,
    pub(crate) engines: Engines,
    pub(crate) key: KnownKey,
    pub(crate) asked: Asked,
}

impl Runtime {
    /// A runtime that remembers nothing yet.
    #[must_use]
    pub fn new(ports: Ports, settings: Settings) -> Self {
        let fetches = Coordinator::new(Means {
            fetcher: Arc::clone(&ports.sources),
            clock: Arc::clone(&ports.clock),
            disk: ports.artifacts.clone(),
            memory_bytes: settings.artifact_bytes,
            limits: settings.limits.clone(),
            compat: settings.compat,
        });
        let engines = Engines::new(settings.render_concurrency);
        Self {
            ports,
            settings,
            fetches,
            requirements: KnownRequirements::default(),
            registry: Registry::default(),
            clusters: KnownClusters::default(),
            engines,
            key: KnownKey::default(),
            asked: Asked::default(),
        }
    }

    /// Makes the installation's key, before anything is applied: once it was, a key that is not there is lost.
    ///
    /// # Errors
    /// When there is no key now; Releases of charts will fail with the same until there is one.
    pub async fn make_key(&self) -> Result<(), Failure> {
        entropy::key(self).await.map(drop)
    }

    /// What was asked of sources and fetched from them so far.
    #[must_use]
    pub fn fetch_usage(&self) -> FetchUsage {
        self.fetches.usage()
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.ports.clock.now()
    }
}

#[async_trait]
impl Reconciler for Runtime {
    async fn release(&self, id: &ReleaseId) -> Requeue {
        release::reconcile(self, id).await
    }

    async fn source(&self, key: &SourceKey) -> Requeue {
        verify::source(self, key).await
    }

    async fn cluster(&self, id: &NamespacedName) -> Requeue {
        target::report(self, id).await
    }
}

/// How long to leave alone what the control plane would not give.
pub(crate) const UNREADABLE: Requeue = Requeue::After(Duration::from_secs(5));
