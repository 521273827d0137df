//! The port: verify, resolve, prove, fetch.
//!
//! Each call is one blocking piece of work on the runtime's pool for such, at most [`Options::concurrency`] at a time.
//! The asynchronous half waits no longer than the source's timeout, then raises the signal that ends the work; within
//! that time a call that failed for a while is made again, a few times, without holding its turn meanwhile.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use convoy_domain::access::{Access, Credentials};
use convoy_domain::artifact::{Artifact, Revision};
use convoy_domain::limits::Limits;
use convoy_domain::source::{GitRef, Source, SourceKind, SourceRef};
use convoy_ports::{FetchError, SourceFetcher};
use convoy_web::{AddressPolicy, Authorization, Clients, SetupError, Site, Trust, retry, unsupported, usable};
use gix::ObjectId;
use reqwest::Url;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use crate::cancel::{Cancel, RaiseOnDrop};
use crate::endpoint::{self, Endpoint, Repository};
use crate::github_app::{self, Tokens};
use crate::job::Job;
use crate::refs::{self, Wanted};

/// How long a call that is out of time waits for its work to end.
const GRACE: Duration = Duration::from_secs(1);

/// How git sources are fetched.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether `file://` URLs are opened, which name any folder this process may read.
    pub file_urls: bool,
    /// Calls that work at the same time; others wait for their turn, within their timeout.
    pub concurrency: usize,
    /// Bytes of a pack with the whole past of a repository, fetched where a server does not give a single commit. It
    /// is held in memory.
    pub past_bytes: u64,
    /// Addresses that are not connected to.
    pub addresses: AddressPolicy,
    /// PEM texts of certificate authorities that are trusted besides the system's.
    pub authorities: Vec<Vec<u8>>,
    /// Whether `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` are followed.
    pub environment_proxy: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            file_urls: false,
            concurrency: 8,
            past_bytes: 256 * 1024 * 1024,
            addresses: AddressPolicy::default(),
            authorities: Vec::new(),
            environment_proxy: false,
        }
    }
}

/// Fetches git sources over http, https and ssh, and, where enabled, from folders.
#[derive(Debug)]
pub struct GitFetcher {
    options: Options,
    clients: Arc<Clients>,
    tokens: Tokens,
    turns: Arc<Semaphore>,
}

impl GitFetcher {
    /// A fetcher. Installs the process's TLS provider (ring) unless there is one.
    ///
    /// # Errors
    /// When the system's or the given certificate authorities cannot be read.
    pub fn new(options: Options) -> Result<Self, SetupError> {
        let clients = Clients::new(&convoy_web::Options {
            addresses: options.addresses.clone(),
            authorities: options.authorities.clone(),
            environment_proxy: options.environment_proxy,
        })?;
        Ok(Self {
            clients: Arc::new(clients),
            tokens: Tokens::default(),
            turns: Arc::new(Semaphore::new(options.concurrency.max(1))),
            options,
        })
    }

    /// Reads a source, and refuses what does not go together.
    fn accept(&self, source: &Source) -> Result<Job, FetchError> {
        if source.key.kind != SourceKind::Git {
            return Err(unsupported(&format!("a {} as git repository", source.key.kind.kind())));
        }
        usable(source)?;
        let own = endpoint::parse(&source.url, self.options.file_urls)?;
        let authorization = authorization(&own, &source.access)?;
        Ok(Job {
            own,
            access: source.access.clone(),
            trust: Trust::of(source),
            authorization,
            clients: Arc::clone(&self.clients),
            options: self.options.clone(),
            runtime: Handle::current(),
            cancel: Cancel::default(),
        })
    }

    /// Runs `work` where it may block, as often as it takes, no longer than `bound`.
    async fn run<T: Send + 'static>(
        &self,
        job: Job,
        bound: Duration,
        work: impl Fn(&Job) -> Result<T, FetchError> + Send + Sync + 'static,
    ) -> Result<T, FetchError> {
        let deadline = Instant::now() + bound.min(retry::LONGEST);
        let _ends_with_this_future = RaiseOnDrop(job.cancel.clone());
        let work = Arc::new(work);
        let mut attempt = 1;
        loop {
            let error = match self.attempt(job.clone(), deadline, bound, Arc::clone(&work)).await {
                Ok(done) => return Ok(done),
                Err(error) => error,
            };
            if let (Credentials::GitHubApp(app), FetchError::Authentication { .. }) = (&job.access.credentials, &error)
            {
                self.tokens.forget(app);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            let Some(pause) = retry::pause(&error, attempt, left) else {
                return Err(error);
            };
            tracing::debug!(%error, attempt, ?pause, "asking again");
            sleep(pause).await;
            attempt += 1;
        }
    }

    async fn attempt<T: Send + 'static>(
        &self,
        mut job: Job,
        deadline: Instant,
        bound: Duration,
        work: Arc<impl Fn(&Job) -> Result<T, FetchError> + Send + Sync + 'static>,
    ) -> Result<T, FetchError> {
        let site = job.own.site.clone();
        let cancel = job.cancel.clone();
        match timeout_at(deadline, self.authorize(&mut job)).await {
            Ok(done) => done?,
            Err(_) => return Err(site.timeout(bound)),
        }
        let Ok(Ok(turn)) = timeout_at(deadline, Arc::clone(&self.turns).acquire_owned()).await else {
            return Err(site.timeout(bound));
        };
        let mut task = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            work(&job)
        });
        match timeout_at(deadline, &mut task).await {
            Ok(Ok(done)) => done,
            Ok(Err(_)) => Err(site.invalid("reading it failed inside")),
            Err(_) => {
                cancel.raise();
                // So that a caller that has its answer finds nothing at work any more.
                let _ = timeout(GRACE, task).await;
                Err(site.timeout(bound))
            }
        }
    }

    /// Gets what has to be asked for before the server is: the token of an app's installation.
    async fn authorize(&self, job: &mut Job) -> Result<(), FetchError> {
        let (Credentials::GitHubApp(app), Endpoint::Http(url)) = (&job.access.credentials, &job.own.endpoint) else {
            return Ok(());
        };
        let site = &job.own.site;
        let api = Repository {
            url: String::new(),
            endpoint: Endpoint::Http(github_app::api(app, site)?),
            site: site.clone(),
        };
        let own = api.endpoint.same_server(&job.own.endpoint);
        let trust = if own { job.trust.clone() } else { job.trust.elsewhere() };
        let Endpoint::Http(api) = &api.endpoint else {
            return Ok(());
        };
        self.options.addresses.check(api, site)?;
        let client = self.clients.pick(&trust, site)?;
        let token = self.tokens.get(app, &client, site).await?;
        job.authorization = Some(Authorization::basic(url, "x-access-token", token.expose(), site)?);
        Ok(())
    }
}

/// The header that the credentials stand for, if it is known without asking.
fn authorization(own: &Repository, access: &Access) -> Result<Option<Authorization>, FetchError> {
    let foreign = |what: &str, place: &str| Err(unsupported(&format!("{what} for a repository by {place}")));
    let place = match &own.endpoint {
        Endpoint::Http(url) => return http_authorization(url, &own.site, access),
        Endpoint::Ssh(_) => "ssh",
        Endpoint::Folder(_) => "file",
    };
    match (&access.credentials, &own.endpoint) {
        (Credentials::None, _) | (Credentials::Ssh(_), Endpoint::Ssh(_)) => Ok(None),
        (Credentials::Basic { .. }, _) => foreign("a user with a password", place),
        (Credentials::Token(_), _) => foreign("a bearer token", place),
        (Credentials::GitHubApp(_), _) => foreign("a GitHub App", place),
        (Credentials::Ssh(_), _) => foreign("an ssh identity", place),
        (Credentials::IdentityToken(_) | Credentials::ClientCertificate(_), _) => Err(not_for_git()),
    }
}

fn http_authorization(url: &Url, site: &Site, access: &Access) -> Result<Option<Authorization>, FetchError> {
    match &access.credentials {
        // Its token is asked for when the server is.
        Credentials::GitHubApp(_) => Ok(None),
        Credentials::IdentityToken(_) | Credentials::ClientCertificate(_) => Err(not_for_git()),
        Credentials::None | Credentials::Basic { .. } | Credentials::Token(_) | Credentials::Ssh(_) => {
            convoy_web::authorization(access, url, site)
        }
    }
}

/// No `GitRepository` can name them.
fn not_for_git() -> FetchError {
    unsupported("a kind of credentials that git repositories do not have")
}

fn git_ref(wanted: &SourceRef) -> Result<&GitRef, FetchError> {
    match wanted {
        SourceRef::Git(git_ref) => Ok(git_ref),
        SourceRef::Helm { .. } | SourceRef::Oci { .. } => Err(unsupported("a chart of a git repository")),
    }
}

/// The commit of a revision, whose ref could be one.
fn commit(wanted: &GitRef, revision: &Revision, site: &Site) -> Result<ObjectId, FetchError> {
    refs::wanted(wanted, site)?;
    match refs::wanted(&GitRef::Commit(revision.0.clone()), site)? {
        Wanted::Commit(commit) => Ok(commit),
        Wanted::Name(_) | Wanted::Version(_) => Err(site.not_found(revision)),
    }
}

#[async_trait]
impl SourceFetcher for GitFetcher {
    /// Greets the server and asks for its HEAD; an empty repository passes.
    async fn verify(&self, source: &Source) -> Result<(), FetchError> {
        let job = self.accept(source)?;
        self.run(job, source.timeout, Job::verify).await
    }

    /// Asks for one ref. A commit is its own revision, without asking: whoever serves it from a store lets this source
    /// prove it.
    async fn resolve(&self, source: &Source, wanted: &SourceRef) -> Result<Revision, FetchError> {
        let job = self.accept(source)?;
        let git_ref = git_ref(wanted)?.clone();
        let wanted = refs::wanted(&git_ref, job.site())?;
        let resolved = self.run(job, source.timeout, move |job| job.resolve(&wanted, &git_ref));
        Ok(Revision(resolved.await?.to_string()))
    }

    /// Asks for HEAD; where a signature is asked for, receives the commit (and the tag) alone and checks it.
    async fn prove(&self, source: &Source, wanted: &SourceRef, revision: &Revision) -> Result<(), FetchError> {
        let job = self.accept(source)?;
        let git_ref = git_ref(wanted)?.clone();
        let commit = commit(&git_ref, revision, job.site())?;
        self.run(job, source.timeout, move |job| job.prove(commit, &git_ref))
            .await
    }

    async fn fetch(
        &self,
        source: &Source,
        wanted: &SourceRef,
        revision: &Revision,
        limits: &Limits,
    ) -> Result<Artifact, FetchError> {
        let job = self.accept(source)?;
        let git_ref = git_ref(wanted)?.clone();
        let commit = commit(&git_ref, revision, job.site())?;
        let limits = limits.clone();
        let work = move |job: &Job| job.fetch(commit, &git_ref, &limits);
        self.run(job, source.timeout, work).await
    }
}
