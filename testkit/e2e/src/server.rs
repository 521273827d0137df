//! An API server with the definitions installed.

use std::path::{Path, PathBuf};
use std::time::Duration;

use convoy_apiserver::{ApiServer, Running};
use convoy_testkit_controlplane::{ControlPlane, Options};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use tempfile::TempDir;
use tokio::task::JoinHandle;

use crate::kubelet;

/// How long a workload takes to become ready on either server.
const READY_AFTER: Duration = Duration::from_millis(150);

/// Either server.
pub struct Server {
    /// A client with every right.
    pub client: Client,
    kubeconfig: PathBuf,
    kind: Kind,
    _files: TempDir,
}

#[derive(Debug)]
enum Kind {
    Embedded {
        _server: Running,
    },
    Real {
        _server: Box<ControlPlane>,
        kubelet: JoinHandle<()>,
    },
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server")
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}

impl Drop for Kind {
    fn drop(&mut self) {
        if let Self::Real { kubelet, .. } = self {
            kubelet.abort();
        }
    }
}

impl Server {
    /// The embedded server.
    ///
    /// # Panics
    /// When it does not start.
    pub async fn embedded() -> Self {
        let files = tempfile::tempdir().expect("a temporary directory");
        let server = ApiServer::builder()
            .ready_after(READY_AFTER)
            .start()
            .await
            .expect("the embedded server starts");
        let kubeconfig = files.path().join("kubeconfig");
        std::fs::write(&kubeconfig, server.kubeconfig()).expect("a kubeconfig is written");
        Self::ready(kubeconfig, Kind::Embedded { _server: server }, files).await
    }

    /// A real kube-apiserver over etcd, whose workloads a small stand-in of the kubelet makes ready; `None` when it is
    /// absent, which fails where components are required.
    ///
    /// # Panics
    /// When it does not start.
    pub async fn real() -> Option<Self> {
        let started = tokio::task::spawn_blocking(|| ControlPlane::start_or_skip(Options::default())).await;
        let server = Box::new(started.expect("the control plane starts")?);
        let files = tempfile::tempdir().expect("a temporary directory");
        let kubeconfig = server.kubeconfig_path();
        let client = connect(&kubeconfig).await;
        let kubelet = tokio::spawn(kubelet::run(client, READY_AFTER));
        Some(
            Self::ready(
                kubeconfig,
                Kind::Real {
                    _server: server,
                    kubelet,
                },
                files,
            )
            .await,
        )
    }

    /// Where controllers and kubectl find the server.
    #[must_use]
    pub fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    async fn ready(kubeconfig: PathBuf, kind: Kind, files: TempDir) -> Self {
        let client = connect(&kubeconfig).await;
        convoy_kube::install_crds(&client)
            .await
            .expect("the definitions are installed");
        Self {
            client,
            kubeconfig,
            kind,
            _files: files,
        }
    }
}

async fn connect(kubeconfig: &Path) -> Client {
    let read = Kubeconfig::read_from(kubeconfig).expect("the kubeconfig is read");
    let config = Config::from_custom_kubeconfig(read, &KubeConfigOptions::default())
        .await
        .expect("it is usable");
    Client::try_from(config).expect("a client is made")
}
