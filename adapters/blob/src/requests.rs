//! Counts what goes to a server.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpRequest, HttpResponse, HttpService, ReqwestConnector,
};

/// Makes clients whose requests are counted together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counting(Arc<AtomicU64>);

impl Counting {
    /// Requests until now, those for credentials and retries among them.
    pub(crate) fn requests(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl HttpConnector for Counting {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        // Fails when the process has a provider already, which then counts.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let inner = ReqwestConnector::default().connect(options)?;
        Ok(HttpClient::new(Service {
            inner,
            requests: Arc::clone(&self.0),
        }))
    }
}

#[derive(Debug)]
struct Service {
    inner: HttpClient,
    requests: Arc<AtomicU64>,
}

#[async_trait]
impl HttpService for Service {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.inner.execute(request).await
    }
}
