//! The port: verify, resolve, prove, fetch.
//!
//! Revisions name their content: `<chart>-<version>@<digest>` where a version selects it, else the digest alone. What is
//! stored under one can be proved by asking what its tag is at, and a tag that moves is another revision.

use std::sync::Arc;

use async_trait::async_trait;
use convoy_domain::artifact::{Artifact, Files, Revision};
use convoy_domain::limits::Limits;
use convoy_domain::source::{OciContent, Source, SourceKind, SourceRef};
use convoy_ports::{FetchError, SourceFetcher};
use convoy_web::{Clients, Options, SetupError, retry, unsupported};
use tokio::sync::Semaphore;

use crate::connection::Connection;
use crate::digest::Digest;
use crate::layers::Layers;
use crate::reference::{Reference, Registry, Repository, Wanted, tag_of};
use crate::tokens::Tokens;
use crate::unpack::{self, UnpackError};

/// Downloads that are held in memory at the same time; others wait for their turn, within their timeout.
const DOWNLOADS: usize = 8;

/// Fetches charts and folders of files from OCI registries.
#[derive(Debug)]
pub struct OciFetcher {
    clients: Arc<Clients>,
    tokens: Arc<Tokens>,
    turns: Semaphore,
}

/// What one call asks of a repository.
struct Call {
    connection: Connection,
    /// The last part of the repository's name.
    chart: String,
    wanted: Wanted,
    content: OciContent,
    /// As messages name it.
    named: String,
}

impl OciFetcher {
    /// A fetcher with clients of its own.
    ///
    /// # Errors
    /// When the system's or the given certificate authorities cannot be read.
    pub fn new(options: &Options) -> Result<Self, SetupError> {
        Ok(Self::with_clients(Arc::new(Clients::new(options)?)))
    }

    /// A fetcher that shares clients with other adapters.
    #[must_use]
    pub fn with_clients(clients: Arc<Clients>) -> Self {
        Self {
            clients,
            tokens: Arc::default(),
            turns: Semaphore::new(DOWNLOADS),
        }
    }

    fn connect(
        &self,
        source: &Source,
        repository: impl FnOnce(&Registry) -> Result<Option<Repository>, FetchError>,
    ) -> Result<Connection, FetchError> {
        if source.key.kind != SourceKind::Oci {
            return Err(unsupported(&format!("a {} as OCI registry", source.key.kind.kind())));
        }
        let registry = Registry::parse(&source.url).map_err(|error| unsupported(&error.to_string()))?;
        let repository = repository(&registry)?;
        Connection::new(&self.clients, &self.tokens, source, &registry, repository)
    }

    fn call(&self, source: &Source, wanted: &SourceRef) -> Result<Call, FetchError> {
        let SourceRef::Oci {
            chart,
            version,
            content,
        } = wanted
        else {
            return Err(unsupported("a ref of another kind of an OCI registry"));
        };
        let named = |registry: &Registry| registry.repository(chart).map(Some);
        let connection = self.connect(source, |registry| {
            named(registry).map_err(|error| unsupported(&error.to_string()))
        })?;
        let chart = connection.repository.as_ref().map_or("", Repository::chart).to_owned();
        Ok(Call {
            connection,
            named: format!("{chart} {}", version.trim()),
            chart,
            wanted: Wanted::parse(version).map_err(|error| unsupported(&error.to_string()))?,
            content: *content,
        })
    }
}

impl Call {
    async fn resolve(&self) -> Result<Revision, FetchError> {
        let (version, tag) = match &self.wanted {
            Wanted::Digest(digest) => return Ok(Revision(digest.to_string())),
            Wanted::Moving(tag) => {
                let digest = self.head(tag).await?;
                return Ok(Revision(digest.to_string()));
            }
            Wanted::Version { version, tag } => (version.clone(), tag.clone()),
            Wanted::Constraint(constraint) => {
                let found = self.connection.highest(constraint, self.content, &self.named).await?;
                (found.version, found.tag)
            }
        };
        let digest = self.head(&tag).await?;
        Ok(Revision::of_chart(&self.chart, &version, digest.as_str()))
    }

    async fn head(&self, tag: &str) -> Result<Digest, FetchError> {
        self.connection.head(&Reference::Tag(tag.to_owned()), &self.named).await
    }

    /// The digest of a revision, and the tag that it is at, if a tag selects it.
    fn read(&self, revision: &Revision) -> Result<(Digest, Option<String>), FetchError> {
        let absent = || self.connection.site.no_chart(format!("revision {revision}"));
        let text = revision
            .0
            .rsplit_once('@')
            .map_or(revision.0.as_str(), |(_, digest)| digest);
        let digest = Digest::parse(text).map_err(|_| absent())?;
        let tag = match &self.wanted {
            Wanted::Digest(wanted) if *wanted == digest => None,
            Wanted::Digest(_) => return Err(absent()),
            Wanted::Moving(tag) | Wanted::Version { tag, .. } => Some(tag.clone()),
            Wanted::Constraint(_) => {
                let version = revision.shown().strip_prefix(self.chart.as_str());
                let version = version.and_then(|rest| rest.strip_prefix('-'));
                Some(tag_of(version.ok_or_else(absent)?))
            }
        };
        Ok((digest, tag))
    }

    async fn prove(&self, revision: &Revision) -> Result<(), FetchError> {
        let (digest, tag) = self.read(revision)?;
        let reference = match tag {
            Some(tag) => Reference::Tag(tag),
            None => Reference::Digest(digest.clone()),
        };
        let found = self.connection.head(&reference, &self.named).await?;
        if found == digest {
            return Ok(());
        }
        let why = format!("it is at {found} now, and not at {digest}");
        Err(self.connection.artifact(&reference).invalid(why))
    }

    /// The layers of a revision, downloaded.
    async fn download(&self, digest: &Digest, limits: &Limits) -> Result<Downloaded, FetchError> {
        let layers = self.connection.layers(digest, self.content, &self.named).await?;
        let (layers, chart) = match layers {
            Layers::Chart(layer) => (vec![layer], true),
            Layers::Files(layers) => (layers, false),
        };
        let mut left = limits.source_bytes;
        let mut downloaded = Vec::new();
        for layer in &layers {
            downloaded.push(self.connection.blob(layer, left).await?);
            left = left.saturating_sub(layer.size);
        }
        Ok(Downloaded {
            layers: downloaded,
            chart,
        })
    }
}

/// What was downloaded of an artifact.
struct Downloaded {
    layers: Vec<Vec<u8>>,
    chart: bool,
}

impl Downloaded {
    fn unpack(&self, limits: &Limits) -> Result<Files, UnpackError> {
        match self.layers.as_slice() {
            [layer] if self.chart => unpack::chart(layer, limits),
            layers => unpack::files(layers, limits),
        }
    }
}

#[async_trait]
impl SourceFetcher for OciFetcher {
    /// Asks for `/v2/`, and, where the URL has a path that may be a repository, for its tags.
    async fn verify(&self, source: &Source) -> Result<(), FetchError> {
        let connection = self.connect(source, |_| Ok(None))?;
        let own = self.connect(source, |registry| Ok(registry.own_repository()))?;
        retry::repeat(&connection.site, source.timeout, async || {
            connection.ping().await?;
            match &own.repository {
                Some(_) => own.check_tags().await,
                None => Ok(()),
            }
        })
        .await
    }

    /// Asks what the tag is at. A constraint is looked up in the tags before; a digest is its own revision, without asking.
    async fn resolve(&self, source: &Source, wanted: &SourceRef) -> Result<Revision, FetchError> {
        let call = self.call(source, wanted)?;
        retry::repeat(&call.connection.site, source.timeout, async || call.resolve().await).await
    }

    /// Asks what the tag is at, or whether the digest is there.
    async fn prove(&self, source: &Source, wanted: &SourceRef, revision: &Revision) -> Result<(), FetchError> {
        let call = self.call(source, wanted)?;
        retry::repeat(&call.connection.site, source.timeout, async || {
            call.prove(revision).await
        })
        .await
    }

    async fn fetch(
        &self,
        source: &Source,
        wanted: &SourceRef,
        revision: &Revision,
        limits: &Limits,
    ) -> Result<Artifact, FetchError> {
        let call = self.call(source, wanted)?;
        let (digest, _) = call.read(revision)?;
        let site = call.connection.artifact(&Reference::Digest(digest.clone()));
        let files = retry::repeat(&call.connection.site, source.timeout, async || {
            // Never closed.
            let _turn = self.turns.acquire().await;
            let downloaded = call.download(&digest, limits).await?;
            let limits = limits.clone();
            let unpacked = tokio::task::spawn_blocking(move || downloaded.unpack(&limits)).await;
            let unpacked = unpacked.map_err(|_| site.invalid("unpacking it failed inside"))?;
            unpacked.map_err(|error| match error {
                UnpackError::Limit(limit) => site.limit(limit),
                UnpackError::Invalid(why) => site.invalid(why),
            })
        });
        Ok(Artifact {
            revision: revision.clone(),
            time: None,
            files: Arc::new(files.await?),
        })
    }
}
