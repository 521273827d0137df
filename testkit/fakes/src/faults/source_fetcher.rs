//! Faults of sources, which have no effects: only a counter that counts reads sees their calls.

use std::sync::Arc;

use async_trait::async_trait;
use convoy_domain::artifact::{Artifact, Revision};
use convoy_domain::limits::Limits;
use convoy_domain::source::{Source, SourceRef};
use convoy_ports::{FetchError, SourceFetcher};

use super::EffectCounter;

/// A fetcher whose calls are reads.
#[derive(Debug)]
pub struct FaultyFetcher {
    inner: Arc<dyn SourceFetcher>,
    effects: EffectCounter,
}

impl FaultyFetcher {
    /// Decorates `inner`.
    #[must_use]
    pub fn new(inner: Arc<dyn SourceFetcher>, effects: EffectCounter) -> Self {
        Self { inner, effects }
    }

    async fn read<T>(
        &self,
        call: &str,
        source: &Source,
        act: impl Future<Output = Result<T, FetchError>>,
    ) -> Result<T, FetchError> {
        let url = source.url.clone();
        let fail = move |why| FetchError::Unreachable { url: url.clone(), why };
        self.effects
            .read(format!("source {call} {}", source.key), fail, act)
            .await
    }
}

#[async_trait]
impl SourceFetcher for FaultyFetcher {
    async fn verify(&self, source: &Source) -> Result<(), FetchError> {
        self.read("verify", source, self.inner.verify(source)).await
    }

    async fn resolve(&self, source: &Source, wanted: &SourceRef) -> Result<Revision, FetchError> {
        self.read("resolve", source, self.inner.resolve(source, wanted)).await
    }

    async fn prove(&self, source: &Source, wanted: &SourceRef, revision: &Revision) -> Result<(), FetchError> {
        let act = self.inner.prove(source, wanted, revision);
        self.read("prove", source, act).await
    }

    async fn fetch(
        &self,
        source: &Source,
        wanted: &SourceRef,
        revision: &Revision,
        limits: &Limits,
    ) -> Result<Artifact, FetchError> {
        let act = self.inner.fetch(source, wanted, revision, limits);
        self.read("fetch", source, act).await
    }
}
