//! A server with the definitions installed, and everything that is checked on it.

mod loops;
mod rules;
mod targets;
mod worlds;

use std::sync::atomic::{AtomicU32, Ordering};

use convoy_apiserver::{ApiServer, Running};
use convoy_testkit_contract as contract;
use convoy_testkit_controlplane::{ControlPlane, Options};
use k8s_openapi::api::core::v1::Namespace;
use kube::api::PostParams;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Api, Client, Config};

use worlds::KubeWorld;

/// What runs behind the client.
enum Process {
    Embedded(Running),
    Real(Box<ControlPlane>),
}

/// An API server with the definitions of convoy.
pub(crate) struct Server {
    process: Process,
    pub(crate) config: Config,
    pub(crate) client: Client,
    pub(crate) kubeconfig: String,
    namespaces: AtomicU32,
}

impl Server {
    pub(crate) async fn embedded() -> Self {
        let running = ApiServer::builder().start().await.unwrap();
        let kubeconfig = running.kubeconfig();
        Self::with(Process::Embedded(running), kubeconfig).await
    }

    pub(crate) async fn real() -> Option<Self> {
        let start = || ControlPlane::start_or_skip(Options::default());
        let plane = tokio::task::spawn_blocking(start).await.unwrap()?;
        let kubeconfig = std::fs::read_to_string(plane.kubeconfig_path()).unwrap();
        Some(Self::with(Process::Real(Box::new(plane)), kubeconfig).await)
    }

    async fn with(process: Process, kubeconfig: String) -> Self {
        let parsed = Kubeconfig::from_yaml(&kubeconfig).unwrap();
        let mut config = Config::from_custom_kubeconfig(parsed, &KubeConfigOptions::default())
            .await
            .unwrap();
        config.proxy_url = None;
        let client = Client::try_from(config.clone()).unwrap();
        convoy_kube::install_crds(&client).await.unwrap();
        Self {
            process,
            config,
            client,
            kubeconfig,
            namespaces: AtomicU32::new(0),
        }
    }

    /// A namespace that nobody else uses.
    pub(crate) async fn namespace(&self) -> String {
        let name = format!("case-{}", self.namespaces.fetch_add(1, Ordering::Relaxed));
        let namespaces: Api<Namespace> = Api::all(self.client.clone());
        let mut namespace = Namespace::default();
        namespace.metadata.name = Some(name.clone());
        namespaces.create(&PostParams::default(), &namespace).await.unwrap();
        name
    }

    /// Whether calls are authenticated, so that one user may act as another.
    pub(crate) fn knows_users(&self) -> bool {
        matches!(self.process, Process::Real(_))
    }

    async fn world(&self) -> KubeWorld {
        KubeWorld::new(self.client.clone(), self.namespace().await)
    }
}

/// Every check, one after another.
pub(crate) async fn check_all(server: Server) {
    convoy_kube::install_crds(&server.client)
        .await
        .expect("the definitions can be installed again");
    rules::check(&server).await;
    contract::control_plane::run(async || server.world().await.control_plane()).await;
    contract::cluster::run(async || server.world().await.cluster()).await;
    targets::check(&server).await;
    loops::check(&server).await;
    match server.process {
        Process::Embedded(running) => running.shutdown().await,
        Process::Real(plane) => drop(plane),
    }
}
