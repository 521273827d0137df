//! What a reconcile reads of sources.

use std::collections::BTreeMap;

use convoy_domain::artifact::{Artifact, Revision};
use convoy_domain::condition::{Failure, Reason, Stage};
use convoy_domain::source::{Source, SourceKey, SourceRef};

use crate::credentials::with_secrets;
use crate::{Runtime, failures};

/// A source, and the revision that a ref of it is at.
#[derive(Clone, Debug)]
pub(crate) struct Located {
    pub(crate) source: Source,
    pub(crate) wanted: SourceRef,
    pub(crate) revision: Revision,
}

impl Located {
    /// Its files.
    ///
    /// # Errors
    /// A failure of the stage `fetch`.
    pub(crate) async fn artifact(&self, runtime: &Runtime) -> Result<Artifact, Failure> {
        let artifact = runtime
            .fetches
            .artifact(&self.source, &self.wanted, &self.revision)
            .await;
        artifact.map_err(|error| failures::fetch(&error))
    }
}

/// The sources of one reconcile.
///
/// # Invariant
/// One ref of one source has one revision, whoever of the reconcile asks for it, and however often it moves meanwhile.
#[derive(Debug)]
pub(crate) struct Reading<'a> {
    runtime: &'a Runtime,
    located: BTreeMap<(SourceKey, SourceRef), Located>,
}

impl<'a> Reading<'a> {
    /// Nothing yet.
    pub(crate) const fn new(runtime: &'a Runtime) -> Self {
        Self {
            runtime,
            located: BTreeMap::new(),
        }
    }

    /// Reads the source and asks for the revision, without downloading content.
    ///
    /// # Errors
    /// A failure of the stage `fetch`.
    pub(crate) async fn locate(&mut self, key: &SourceKey, wanted: &SourceRef) -> Result<Located, Failure> {
        let question = (key.clone(), wanted.clone());
        if let Some(located) = self.located.get(&question) {
            return Ok(located.clone());
        }
        let source = read(self.runtime, key).await?;
        let revision = self.runtime.fetches.resolve(&source, wanted).await;
        let located = Located {
            source,
            wanted: wanted.clone(),
            revision: revision.map_err(|error| failures::fetch(&error))?,
        };
        self.located.insert(question, located.clone());
        Ok(located)
    }
}

/// Reads a source.
///
/// # Errors
/// A failure of the stage `fetch` when it is not there, or asks for what is not built.
pub(crate) async fn read(runtime: &Runtime, key: &SourceKey) -> Result<Source, Failure> {
    let source = runtime.ports.control_plane.source(key).await;
    let source = source
        .map_err(|error| failures::control_plane(Stage::Fetch, &error))?
        .ok_or_else(|| Failure::new(Stage::Fetch, Reason::SourceNotFound, format!("{key} does not exist")))?;
    if source.unsupported.is_empty() {
        return Ok(with_secrets(&*runtime.ports.control_plane, source).await?);
    }
    let what = source.unsupported.join("`, `");
    Err(Failure::new(
        Stage::Fetch,
        Reason::Unsupported,
        format!("{} sets `{what}`, which is not supported yet", source.key),
    ))
}
