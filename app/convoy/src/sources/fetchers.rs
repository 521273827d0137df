//! One fetcher for all kinds of source.

use std::sync::Arc;

use async_trait::async_trait;
use convoy_domain::artifact::{Artifact, Revision};
use convoy_domain::limits::Limits;
use convoy_domain::source::{Source, SourceKind, SourceRef};
use convoy_git::{GitFetcher, Options};
use convoy_ports::{FetchError, SourceFetcher};

use crate::failure::Failure;

/// Hands each source to the adapter of its kind.
#[derive(Debug)]
struct ByKind {
    git: GitFetcher,
}

/// The adapters, which share nothing but the process; `file_urls` is whether sources may be directories.
pub(crate) fn fetchers(file_urls: bool) -> Result<Arc<dyn SourceFetcher>, Failure> {
    let options = Options {
        file_urls,
        environment_proxy: true,
        ..Options::default()
    };
    let git = GitFetcher::new(options).map_err(|error| Failure::new("cannot set up git sources").because(&error))?;
    Ok(Arc::new(ByKind { git }))
}

impl ByKind {
    fn of(&self, source: &Source) -> Result<&dyn SourceFetcher, FetchError> {
        match source.key.kind {
            SourceKind::Git => Ok(&self.git),
            kind @ (SourceKind::Helm | SourceKind::Oci) => Err(FetchError::Unsupported {
                what: format!("a source of kind {}", kind.kind()),
            }),
        }
    }
}

#[async_trait]
impl SourceFetcher for ByKind {
    async fn verify(&self, source: &Source) -> Result<(), FetchError> {
        self.of(source)?.verify(source).await
    }

    async fn resolve(&self, source: &Source, wanted: &SourceRef) -> Result<Revision, FetchError> {
        self.of(source)?.resolve(source, wanted).await
    }

    async fn prove(&self, source: &Source, wanted: &SourceRef, revision: &Revision) -> Result<(), FetchError> {
        self.of(source)?.prove(source, wanted, revision).await
    }

    async fn fetch(
        &self,
        source: &Source,
        wanted: &SourceRef,
        revision: &Revision,
        limits: &Limits,
    ) -> Result<Artifact, FetchError> {
        self.of(source)?.fetch(source, wanted, revision, limits).await
    }
}
