//! The parts of a controller, put together.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use convoy_artifact_cache::DiskStore;
use convoy_kube::{KubeConnector, KubeControlPlane, WatchLoops};
use convoy_ports::{ArtifactStore, ClusterConnector, ControlPlane};
use convoy_runtime::render_store::RenderStore;
use convoy_runtime::{Ports, Runtime, Settings};
use convoy_system::{SystemClock, SystemEntropy};
use convoy_value::Value;
use convoy_webhook::Receiver;
use kube::api::ListParams;
use kube::core::Request;
use tokio::net::TcpListener;

use crate::connect::Connection;
use crate::failure::Failure;
use crate::sources;

/// A controller, ready to run.
pub(crate) struct Process {
    /// The control plane, and the cluster of `inCluster: true`.
    pub(crate) connection: Connection,
    /// Where renders are kept.
    pub(crate) store: RenderStore,
    /// Whether `file://` sources are read.
    pub(crate) file_sources: bool,
    /// Releases that are reconciled at a time.
    pub(crate) concurrency: usize,
    /// Where webhooks are received.
    pub(crate) webhooks: Option<SocketAddr>,
    /// Where fetched sources outlive a restart, and how many bytes of them.
    pub(crate) artifacts: Option<(PathBuf, u64)>,
    /// How long what is under way may take once the process is told to stop.
    pub(crate) grace: Duration,
    /// Settings of the reconciler.
    pub(crate) settings: Settings,
}

impl Process {
    /// The port of the control plane.
    pub(crate) fn control_plane(&self) -> Arc<dyn ControlPlane> {
        Arc::new(KubeControlPlane::new(self.connection.client.clone()))
    }

    /// The port of target clusters.
    pub(crate) fn clusters(&self) -> Arc<dyn ClusterConnector> {
        let Connection { client, config } = self.connection.clone();
        Arc::new(KubeConnector::new(config, client))
    }

    fn open_artifacts(&self) -> Result<Option<Arc<dyn ArtifactStore>>, Failure> {
        let Some((folder, bytes)) = &self.artifacts else {
            return Ok(None);
        };
        let store = DiskStore::open(folder, *bytes).map_err(|error| {
            Failure::new(format!("cannot keep artifacts in `{}`", folder.display()))
                .because(&error)
                .hint("`--artifact-store-dir` names a directory of this process alone")
        })?;
        Ok(Some(Arc::new(store)))
    }

    /// Reconciles until `stop` ends, and then for as long as what is under way takes, within bounds.
    pub(crate) async fn run(self, stop: impl Future<Output = ()> + Send + 'static) -> Result<(), Failure> {
        // Of old, there was no receiver.
        let webhooks = match self.webhooks.filter(|_| !self.settings.compat.is_v0_9()) {
            Some(address) => Some(self.receive_webhooks(address).await?),
            None => None,
        };
        let store = self.store.clone();
        let ports = Ports {
            control_plane: self.control_plane(),
            clusters: self.clusters(),
            sources: sources::fetchers(self.file_sources)?,
            artifacts: self.open_artifacts()?,
            store: self.store,
            clock: Arc::new(SystemClock),
            entropy: Arc::new(SystemEntropy),
        };
        let settings = convoy_kube::Settings {
            max_concurrent: self.concurrency,
            grace: self.grace,
            // Of old, only its next look showed a Release that they had changed.
            data_changes: !self.settings.compat.is_v0_9(),
            ..convoy_kube::Settings::default()
        };
        tracing::info!(server = %self.connection.config.cluster_url, version = self.settings.version, "reconciling");
        let runtime = Arc::new(Runtime::new(ports, self.settings));
        if let Err(failure) = runtime.make_key().await {
            if failure.is_transient() {
                return Err(Failure::new("cannot read or make the installation key").because_text(failure.message));
            }
            tracing::warn!(reason = %failure.reason, message = failure.message, "charts do not render");
        }
        let webhooks = webhooks.map(tokio::spawn);
        let loops = WatchLoops::new(runtime, settings);
        loops.run(self.connection.client, stop).await;
        tell_calls(&store);
        if let Some(webhooks) = webhooks {
            webhooks.abort();
        }
        tracing::info!("stopped");
        Ok(())
    }

    /// Listens for webhooks; what is answered answers until it is dropped.
    async fn receive_webhooks(&self, address: SocketAddr) -> Result<impl Future<Output = ()> + Send + use<>, Failure> {
        let listener = TcpListener::bind(address)
            .await
            .map_err(|error| Failure::new(format!("cannot listen for webhooks on `{address}`")).because(&error))?;
        // The system chooses where the port is 0.
        let address = listener.local_addr().unwrap_or(address);
        tracing::info!(%address, "receiving webhooks");
        let receiver = Receiver::new(
            self.control_plane(),
            Arc::new(SystemClock),
            convoy_webhook::Settings::default(),
        );
        Ok(receiver.serve(listener, std::future::pending()))
    }
}

/// Says what the process asked of the render store, by kind of call and answer.
fn tell_calls(store: &RenderStore) {
    let asked = store.calls();
    for ((call, answer), total) in &asked.totals {
        let (calls, bytes) = (total.calls, total.bytes);
        tracing::info!(call, answer, calls, bytes, time = ?total.time, "calls of the render store");
    }
    if asked.requests > 0 {
        tracing::info!(requests = asked.requests, "requests to the server of the render store");
    }
}

/// Asks the server for Releases once, so that what is wrong with it is said at the start.
pub(super) async fn check_server(connection: &Connection) -> Result<(), Failure> {
    let what = || format!("cannot read Releases from `{}`", connection.config.cluster_url);
    let call = Request::new("/apis/core.convoy.kumodo.io/v1alpha1/releases")
        .list(&ListParams::default().limit(1))
        .map_err(|error| Failure::new(what()).because(&error))?;
    match connection.client.request::<Value>(call).await {
        Ok(_) => Ok(()),
        Err(kube::Error::Api(status)) if status.code == 404 => Err(Failure::new(what())
            .because_text("convoy's CRDs are not installed there")
            .hint("`--install-crds` installs them")),
        Err(error) => Err(connection.failure(what(), &error)),
    }
}

/// Applies convoy's CRDs and waits until they are served.
pub(crate) async fn install_crds(connection: &Connection) -> Result<(), Failure> {
    convoy_kube::install_crds(&connection.client).await.map_err(|error| {
        Failure::new(format!(
            "cannot install the CRDs on `{}`",
            connection.config.cluster_url
        ))
        .because(&error)
    })
}
