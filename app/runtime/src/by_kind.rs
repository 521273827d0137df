//! One fetcher for all kinds of source.

use std::sync::Arc;

use async_trait::async_trait;
use convoy_domain::artifact::{Artifact, Revision};
use convoy_domain::limits::Limits;
use convoy_domain::source::{Source, SourceKind, SourceRef};
use convoy_ports::{FetchError, SourceFetcher};

/// Hands each source to the adapter of its kind; they share nothing.
#[derive(Clone, Debug)]
pub struct ByKind {
    /// Of a `GitRepository`.
    pub git: Arc<dyn SourceFetcher>,
    /// Of a `HelmRegistry`.
    pub helm: Arc<dyn SourceFetcher>,
    /// Of an `OCIRegistry`.
    pub oci: Arc<dyn SourceFetcher>,
}

impl ByKind {
    fn of(&self, source: &Source) -> &dyn SourceFetcher {
        match source.key.kind {
            SourceKind::Git => &*self.git,
            SourceKind::Helm => &*self.helm,
            SourceKind::Oci => &*self.oci,
        }
    }
}

#[async_trait]
impl SourceFetcher for ByKind {
    async fn verify(&self, source: &Source) -> Result<(), FetchError> {
        self.of(source).verify(source).await
    }

    async fn resolve(&self, source: &Source, wanted: &SourceRef) -> Result<Revision, FetchError> {
        self.of(source).resolve(source, wanted).await
    }

    async fn prove(&self, source: &Source, wanted: &SourceRef, revision: &Revision) -> Result<(), FetchError> {
        self.of(source).prove(source, wanted, revision).await
    }

    async fn fetch(
        &self,
        source: &Source,
        wanted: &SourceRef,
        revision: &Revision,
        limits: &Limits,
    ) -> Result<Artifact, FetchError> {
        self.of(source).fetch(source, wanted, revision, limits).await
    }
}

#[cfg(test)]
mod tests {
    use convoy_domain::source::SourceKey;
    use convoy_testkit_fakes::{FakeFetcher, samples};

    use super::*;

    #[tokio::test]
    async fn each_kind_reaches_its_own_adapter() {
        let fakes = [(); 3].map(|()| Arc::new(FakeFetcher::new()));
        let port = |index: usize| Arc::clone(&fakes[index]) as Arc<dyn SourceFetcher>;
        let by_kind = ByKind {
            git: port(0),
            helm: port(1),
            oci: port(2),
        };
        for (index, kind) in [SourceKind::Git, SourceKind::Helm, SourceKind::Oci]
            .into_iter()
            .enumerate()
        {
            let id = samples::named("team", "repo");
            let source = Source {
                key: SourceKey { kind, id },
                ..samples::git_repository("team", "repo", "fake://x")
            };
            fakes[index].create("fake://x");
            assert_eq!(by_kind.verify(&source).await, Ok(()));
            assert_eq!(fakes[index].take_calls(), ["verify fake://x"], "{kind:?}");
        }
        assert!(fakes.iter().all(|fake| fake.calls().is_empty()));
    }
}
