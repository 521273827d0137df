//! Starting and stopping the server.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::serve::ListenerExt;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::controllers;
use crate::http::{Shared, handle};
use crate::ops::Core;
use crate::store::Limits;

/// Open connections have this long to end when the server stops.
const DRAIN: Duration = Duration::from_millis(500);

/// The server did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address cannot be listened on.
    #[error("cannot listen on `{address}`")]
    Listen {
        /// The address that was asked for.
        address: SocketAddr,
        /// Why not.
        source: std::io::Error,
    },
}

/// An embedded Kubernetes API server. Start one with [`ApiServer::builder`].
#[derive(Debug, Clone, Copy)]
pub struct ApiServer;

impl ApiServer {
    /// A server on a free loopback port, whose workloads become ready after 100 ms.
    #[must_use]
    pub fn builder() -> Builder {
        Builder {
            address: SocketAddr::from(([127, 0, 0, 1], 0)),
            ready_after: Duration::from_millis(100),
            limits: Limits::default(),
            seed: None,
            controllers: true,
        }
    }
}

/// How a server will run.
#[derive(Debug, Clone)]
pub struct Builder {
    address: SocketAddr,
    ready_after: Duration,
    limits: Limits,
    seed: Option<u64>,
    controllers: bool,
}

impl Builder {
    /// How long workloads take to become ready. An object's annotation `apiserver.convoy.kumodo.io/ready-after` (seconds,
    /// or a duration as `1m30s`) overrides it.
    #[must_use]
    pub fn ready_after(mut self, time: Duration) -> Self {
        self.ready_after = time;
        self
    }

    /// Where to listen; port 0 takes a free one.
    #[must_use]
    pub fn bind(mut self, address: SocketAddr) -> Self {
        self.address = address;
        self
    }

    /// What the store may hold.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Makes uids and generated names repeatable.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Whether controllers run (workloads, garbage collection, namespaces). Definitions of custom resources are accepted
    /// also without them.
    #[must_use]
    pub fn controllers(mut self, on: bool) -> Self {
        self.controllers = on;
        self
    }

    /// Listens and serves in the background of the present tokio runtime.
    ///
    /// # Errors
    /// When the address cannot be listened on.
    pub async fn start(self) -> Result<Running, StartError> {
        let listen = |source| StartError::Listen {
            address: self.address,
            source,
        };
        let listener = TcpListener::bind(self.address).await.map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        let core = Core::new(self.limits, self.seed);
        let shared = Arc::new(Shared::new(core, address.to_string()));
        let mut tasks = Vec::new();
        tasks.push(tokio::spawn(controllers::run(
            shared.clone(),
            self.ready_after,
            !self.controllers,
        )));
        let listener = listener.tap_io(|stream| {
            if let Err(error) = stream.set_nodelay(true) {
                tracing::debug!(%error, "cannot set nodelay");
            }
        });
        let router = Router::new().fallback(handle).with_state(shared.clone());
        let mut shutdown = shared.shutdown.subscribe();
        tasks.push(tokio::spawn(async move {
            let stopped = async move {
                let _ = shutdown.wait_for(|over| *over).await;
            };
            if let Err(error) = axum::serve(listener, router).with_graceful_shutdown(stopped).await {
                tracing::error!(%error, "the API server ended");
            }
        }));
        Ok(Running { address, shared, tasks })
    }
}

/// A running server. It stops when dropped, or in an orderly way by [`Running::shutdown`].
#[derive(Debug)]
pub struct Running {
    address: SocketAddr,
    shared: Arc<Shared>,
    tasks: Vec<JoinHandle<()>>,
}

impl Running {
    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its URL, as `http://127.0.0.1:6443`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// A kubeconfig (YAML) for it.
    #[must_use]
    pub fn kubeconfig(&self) -> String {
        kubeconfig(&self.url())
    }

    /// Stops listening, ends all watches, and lets running requests finish for a moment.
    pub async fn shutdown(mut self) {
        self.shared.shutdown.send_replace(true);
        for mut task in std::mem::take(&mut self.tasks) {
            if tokio::time::timeout(DRAIN, &mut task).await.is_err() {
                task.abort();
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.shared.shutdown.send_replace(true);
        for task in &self.tasks {
            task.abort();
        }
    }
}

/// A kubeconfig for a server without authentication.
fn kubeconfig(url: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Config\nclusters:\n- name: convoy\n  cluster:\n    server: {url}\ncontexts:\n- name: convoy\n  \
         context:\n    cluster: convoy\n    user: convoy\n    namespace: default\ncurrent-context: convoy\nusers:\n- name: convoy\n  \
         user: {{}}\n"
    )
}
