//! The port: verify, resolve, prove, fetch.

use std::sync::Arc;

use async_trait::async_trait;
use convoy_domain::artifact::{Artifact, Files, Revision};
use convoy_domain::limits::Limits;
use convoy_domain::source::{Source, SourceKind, SourceRef};
use convoy_helm::index::{Found, Index};
use convoy_ports::{FetchError, SourceFetcher};
use convoy_web::header::{ACCEPT, HeaderValue};
use convoy_web::{Clients, Request, Session, Site, StatusCode, Url, failure, retry, unsupported};
use tokio::sync::Semaphore;

use crate::indexes::Indexes;
use crate::{address, archive};

/// How Helm repositories are fetched.
#[derive(Clone, Debug)]
pub struct Options {
    /// Bytes of indexes that are kept between look-ups.
    pub index_bytes: usize,
    /// Archives that are received and unpacked at the same time; others wait for their turn, within their timeout.
    pub concurrency: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            index_bytes: 64 << 20,
            concurrency: 8,
        }
    }
}

/// Fetches charts of Helm repositories, over http and https.
#[derive(Debug)]
pub struct HelmFetcher {
    clients: Arc<Clients>,
    indexes: Indexes,
    turns: Semaphore,
}

/// One call.
struct Call<'c> {
    source: &'c Source,
    repository: Url,
    session: Session,
    site: Site,
}

/// A chart and a version, as a Release asks for them.
#[derive(Clone, Copy)]
struct Wanted<'w> {
    chart: &'w str,
    version: &'w str,
}

impl std::fmt::Display for Wanted<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "chart {}", self.chart)?;
        if self.version.is_empty() {
            return Ok(());
        }
        write!(f, ", version {}", self.version)
    }
}

/// Where a version is, and what it has to be.
#[derive(Clone, Debug)]
struct Place {
    version: String,
    digest: Option<String>,
    urls: Vec<String>,
}

impl HelmFetcher {
    /// A fetcher that reaches servers through `clients`.
    #[must_use]
    pub fn new(clients: Arc<Clients>, options: &Options) -> Self {
        Self {
            clients,
            indexes: Indexes::new(options.index_bytes),
            turns: Semaphore::new(options.concurrency.max(1)),
        }
    }

    fn accept<'s>(&self, source: &'s Source) -> Result<Call<'s>, FetchError> {
        if source.key.kind != SourceKind::Helm {
            return Err(unsupported(&format!("a {} as Helm repository", source.key.kind.kind())));
        }
        let repository = address::repository(&source.url)?;
        Ok(Call {
            source,
            session: Session::new(&self.clients, source, &repository)?,
            site: Site::of(&repository),
            repository,
        })
    }

    async fn index(&self, call: &Call<'_>) -> Result<Arc<Index>, FetchError> {
        self.indexes.ask(&call.session, call.source, &call.repository).await
    }

    /// Receives and unpacks the first archive that can be had.
    async fn archive(
        &self,
        call: &Call<'_>,
        wanted: Wanted<'_>,
        place: &Place,
        limits: &Limits,
    ) -> Result<Artifact, FetchError> {
        // A closed semaphore does not occur: nothing closes it.
        let _turn = self.turns.acquire().await;
        let mut failures = Failures::default();
        for reference in &place.urls {
            match call.archive(wanted, place, reference, limits).await {
                Ok(files) => {
                    return Ok(Artifact {
                        revision: place.revision(wanted),
                        time: None,
                        files: Arc::new(files),
                    });
                }
                Err(error) => failures.note(error),
            }
        }
        Err(failures.into_error(call, wanted))
    }
}

/// Why the URLs of a version that were tried did not give what was asked for.
#[derive(Default)]
struct Failures(Option<FetchError>);

impl Failures {
    /// One that may pass counts more than one that stays, else the first.
    fn note(&mut self, error: FetchError) {
        tracing::debug!(%error, "an archive cannot be had");
        if self
            .0
            .as_ref()
            .is_none_or(|first| error.is_transient() && !first.is_transient())
        {
            self.0 = Some(error);
        }
    }

    fn into_error(self, call: &Call<'_>, wanted: Wanted<'_>) -> FetchError {
        self.0
            .unwrap_or_else(|| call.site.invalid(format!("its index gives no URL for {wanted}")))
    }
}

impl Call<'_> {
    /// The version that is taken.
    fn find(&self, index: &Index, wanted: Wanted<'_>) -> Result<Place, FetchError> {
        let found = index.find(wanted.chart, wanted.version);
        let found = found.map_err(|missing| self.site.no_chart(format!("{wanted} ({missing})")))?;
        Place::of(&found, &self.site)
    }

    /// The version that `revision` names, with the digest that it names.
    fn pinned(&self, index: &Index, wanted: Wanted<'_>, revision: &Revision) -> Result<Place, FetchError> {
        let absent = || self.site.no_chart(format!("chart {revision}"));
        let named = revision
            .0
            .strip_prefix(wanted.chart)
            .and_then(|rest| rest.strip_prefix('-'));
        let version = named.map(|rest| rest.rsplit_once('@').map_or(rest, |(version, _)| version));
        let version = version.ok_or_else(absent)?;
        let wanted_version = Wanted { version, ..wanted };
        let mut versions = index.versions(wanted.chart).filter(|found| found.version == version);
        let place = versions.find_map(|found| {
            let place = Place::of(&found, &self.site).ok()?;
            (place.revision(wanted_version) == *revision).then_some(place)
        });
        place.ok_or_else(|| {
            if index.versions(wanted.chart).any(|found| found.version == version) {
                self.site
                    .no_chart(format!("chart {revision} with the digest that it had"))
            } else {
                absent()
            }
        })
    }

    /// The files of the archive at one of a version's URLs.
    async fn archive(
        &self,
        wanted: Wanted<'_>,
        place: &Place,
        reference: &str,
        limits: &Limits,
    ) -> Result<Files, FetchError> {
        let url = self.locate(reference)?;
        let site = Site::of(&url);
        let answer = self.request(Request::get(url), wanted).await?;
        let bytes = answer.body(limits.source_bytes, "an archive")?.bytes().await?;
        let (digest, limits, shown) = (place.digest.clone(), limits.clone(), site.clone());
        let work = move || archive::unpack(&bytes, digest.as_deref(), &limits, &shown);
        let files = tokio::task::spawn_blocking(work).await;
        files.map_err(|_| site.invalid("reading it failed inside"))?
    }

    /// Whether an archive may be had, without receiving it.
    async fn accepted(&self, wanted: Wanted<'_>, reference: &str) -> Result<(), FetchError> {
        let url = self.locate(reference)?;
        match self.request(Request::head(url.clone()), wanted).await {
            // Servers that do not know the method.
            Err(FetchError::NotARepository { .. }) => self.request(Request::get(url), wanted).await.map(drop),
            other => other.map(drop),
        }
    }

    fn locate(&self, reference: &str) -> Result<Url, FetchError> {
        let url = address::resolve(&self.repository, reference)?;
        match url.scheme() {
            "http" | "https" => Ok(url),
            "oci" => Err(unsupported(&format!(
                "a chart that a Helm repository keeps in a registry (`{}`), which an OCIRegistry reads,",
                Site::of(&url).as_str()
            ))),
            scheme => Err(unsupported(&format!("a chart by {}", failure::clean(scheme)))),
        }
    }

    /// Asks for an archive, with the credentials that its host may have.
    async fn request(&self, request: Request, wanted: Wanted<'_>) -> Result<convoy_web::Answer, FetchError> {
        let url = request.url().clone();
        let clear = self.repository.scheme() == "https" && url.scheme() != "https";
        let own = self.session.authorization();
        let authorization = if self.source.access.pass_credentials && !clear {
            own.map(|own| own.also_for(&url))
        } else {
            own.cloned()
        };
        let accept = HeaderValue::from_static("application/gzip,application/octet-stream");
        let request = request
            .header(ACCEPT, accept)
            .authorize(authorization)
            .expect(StatusCode::NOT_FOUND);
        let answer = self.session.send(&request).await?;
        if answer.status() == StatusCode::NOT_FOUND {
            return Err(Site::of(&url).no_chart(format!("the archive of {wanted}")));
        }
        Ok(answer)
    }
}

impl Place {
    fn of(found: &Found<'_>, site: &Site) -> Result<Self, FetchError> {
        Ok(Self {
            version: found.version.to_owned(),
            digest: archive::digest(found.digest, site)?,
            urls: found
                .urls
                .iter()
                .filter(|url| !url.is_empty())
                .map(|url| (*url).to_owned())
                .collect(),
        })
    }

    fn revision(&self, wanted: Wanted<'_>) -> Revision {
        Revision::of_chart(wanted.chart, &self.version, self.digest.as_deref().unwrap_or_default())
    }
}

fn chart(wanted: &SourceRef) -> Result<Wanted<'_>, FetchError> {
    match wanted {
        SourceRef::Helm { chart, version } => Ok(Wanted {
            chart,
            version: version.trim(),
        }),
        SourceRef::Git(_) | SourceRef::Oci { .. } => Err(unsupported("anything but a chart of a Helm repository")),
    }
}

#[async_trait]
impl SourceFetcher for HelmFetcher {
    /// Asks for the index, and reads it if it has changed.
    async fn verify(&self, source: &Source) -> Result<(), FetchError> {
        let call = self.accept(source)?;
        retry::repeat(&call.site, source.timeout, || self.index(&call))
            .await
            .map(drop)
    }

    /// Asks for the index.
    async fn resolve(&self, source: &Source, wanted: &SourceRef) -> Result<Revision, FetchError> {
        let call = self.accept(source)?;
        let wanted = chart(wanted)?;
        retry::repeat(&call.site, source.timeout, async || {
            let index = self.index(&call).await?;
            Ok(call.find(&index, wanted)?.revision(wanted))
        })
        .await
    }

    /// Asks for the index, which must give the same digest, and for the head of the archive. A version without a digest
    /// cannot be proved.
    async fn prove(&self, source: &Source, wanted: &SourceRef, revision: &Revision) -> Result<(), FetchError> {
        let call = self.accept(source)?;
        let wanted = chart(wanted)?;
        retry::repeat(&call.site, source.timeout, async || {
            let index = self.index(&call).await?;
            let place = call.pinned(&index, wanted, revision)?;
            if place.digest.is_none() {
                return Err(call.site.invalid(format!("its index gives no digest for {wanted}")));
            }
            let mut failures = Failures::default();
            for reference in &place.urls {
                match call.accepted(wanted, reference).await {
                    Ok(()) => return Ok(()),
                    Err(error) => failures.note(error),
                }
            }
            Err(failures.into_error(&call, wanted))
        })
        .await
    }

    /// Takes the place of the archive from the index that is kept, if it is there; asks for the index where it is not,
    /// or where there is no archive any more.
    async fn fetch(
        &self,
        source: &Source,
        wanted: &SourceRef,
        revision: &Revision,
        limits: &Limits,
    ) -> Result<Artifact, FetchError> {
        let call = self.accept(source)?;
        let wanted = chart(wanted)?;
        retry::repeat(&call.site, source.timeout, async || {
            let kept = self.indexes.kept(source, &call.repository);
            if let Some(place) = kept.and_then(|index| call.pinned(&index, wanted, revision).ok()) {
                match self.archive(&call, wanted, &place, limits).await {
                    Err(FetchError::ChartNotFound { .. }) => {}
                    done => return done,
                }
            }
            let index = self.index(&call).await?;
            let place = call.pinned(&index, wanted, revision)?;
            self.archive(&call, wanted, &place, limits).await
        })
        .await
    }
}
