//! The port: verify, resolve, fetch.
//!
//! Each call is one blocking piece of work on the runtime's pool for such, at most [`Options::concurrency`] at a time.
//! The asynchronous half waits no longer than the source's timeout, then raises the signal that ends the work.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use convoy_domain::artifact::{Artifact, Revision};
use convoy_domain::limits::Limits;
use convoy_domain::source::{GitRef, Source, SourceKind, SourceRef};
use convoy_ports::{FetchError, SourceFetcher};
use gix::ObjectId;
use reqwest::{Client, Url};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout, timeout_at};

use crate::address::AddressPolicy;
use crate::cancel::{Cancel, RaiseOnDrop};
use crate::checkout;
use crate::client::{Clients, SetupError, unsupported};
use crate::endpoint::{self, Endpoint, Site};
use crate::http::Connection;
use crate::local;
use crate::pack::{Pack, PackBounds};
use crate::refs::{self, Wanted};
use crate::remote::{NoPack, Remote};
use crate::tree::{Reading, TREE_BYTES};

/// The longest time any call may take, whatever a source says.
const LONGEST: Duration = Duration::from_hours(24);

/// How long a call that is out of time waits for its work to end.
const GRACE: Duration = Duration::from_secs(1);

/// What a pack may have besides files: commits, folders, its own framing.
const PACK_OVERHEAD: u64 = 64 * 1024 * 1024;

/// Bounds of a pack with a repository's whole past.
const PAST_OBJECTS: u64 = 4_000_000;
const PAST_OBJECT_BYTES: u64 = 256 * 1024 * 1024;
const PAST_INFLATED_BYTES: u64 = 16 * 1024 * 1024 * 1024;

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

/// Fetches git sources over http, https and, where enabled, from folders.
#[derive(Debug)]
pub struct GitFetcher {
    options: Options,
    clients: Clients,
    turns: Arc<Semaphore>,
}

impl GitFetcher {
    /// A fetcher. Installs the process's TLS provider (ring) unless there is one.
    ///
    /// # Errors
    /// When the system's or the given certificate authorities cannot be read.
    pub fn new(options: Options) -> Result<Self, SetupError> {
        Ok(Self {
            clients: Clients::new(&options.addresses, &options.authorities, options.environment_proxy)?,
            turns: Arc::new(Semaphore::new(options.concurrency.max(1))),
            options,
        })
    }

    /// Reads a source, and refuses what it asks for and is not built.
    fn accept(&self, source: &Source) -> Result<Job, FetchError> {
        if source.key.kind != SourceKind::Git {
            return Err(unsupported(&format!("a {} as git repository", source.key.kind.kind())));
        }
        if !source.unsupported.is_empty() {
            return Err(unsupported(&format!("`{}`", source.unsupported.join("`, `"))));
        }
        if source.tls.ca_secret.is_some() {
            return Err(unsupported("`spec.tls.caSecretRef`"));
        }
        let (endpoint, site) = endpoint::parse(&source.url, self.options.file_urls)?;
        Ok(Job {
            endpoint,
            site,
            client: self.clients.pick(source.tls.insecure_skip_verify),
            options: self.options.clone(),
            runtime: Handle::current(),
            cancel: Cancel::default(),
        })
    }

    /// Runs `work` where it may block, no longer than `bound`.
    async fn run<T: Send + 'static>(
        &self,
        job: Job,
        bound: Duration,
        work: impl FnOnce(&Job) -> Result<T, FetchError> + Send + 'static,
    ) -> Result<T, FetchError> {
        let deadline = Instant::now() + bound.min(LONGEST);
        let site = job.site.clone();
        let cancel = job.cancel.clone();
        let _ends_with_this_future = RaiseOnDrop(cancel.clone());
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
}

fn git_ref(wanted: &SourceRef) -> Result<&GitRef, FetchError> {
    match wanted {
        SourceRef::Git(git_ref) => Ok(git_ref),
        SourceRef::Helm { .. } | SourceRef::Oci { .. } => Err(unsupported("a chart of a git repository")),
    }
}

/// One call.
struct Job {
    endpoint: Endpoint,
    site: Site,
    client: Client,
    options: Options,
    runtime: Handle,
    cancel: Cancel,
}

impl Job {
    fn remote(&self, url: &Url) -> Result<Remote, FetchError> {
        let connection = Connection::new(
            self.runtime.clone(),
            self.client.clone(),
            self.options.addresses.clone(),
            self.cancel.clone(),
            self.site.clone(),
        );
        Remote::open(connection, url)
    }

    fn verify(&self) -> Result<(), FetchError> {
        match &self.endpoint {
            Endpoint::Http(url) => self.remote(url)?.list(&["HEAD"]).map(drop),
            Endpoint::Folder(folder) => local::open(folder, &self.site).map(drop),
        }
    }

    fn resolve(&self, wanted: &Wanted, git_ref: &GitRef) -> Result<ObjectId, FetchError> {
        match (wanted, &self.endpoint) {
            (Wanted::Commit(id), _) => Ok(*id),
            (Wanted::Name(name), Endpoint::Http(url)) => {
                let refs = self.remote(url)?.list(&[name])?;
                refs::commit_at(&refs, name).ok_or_else(|| self.site.not_found(git_ref))
            }
            (Wanted::Name(_), Endpoint::Folder(folder)) => {
                local::resolve(&local::open(folder, &self.site)?, wanted, git_ref, &self.site)
            }
        }
    }

    fn fetch(&self, commit: ObjectId, git_ref: &GitRef, limits: &Limits) -> Result<Artifact, FetchError> {
        let files = match &self.endpoint {
            Endpoint::Http(url) => {
                let pack = self.receive(url, commit, git_ref, limits)?;
                checkout::checkout(&self.reading(&pack), &commit, limits)?
            }
            Endpoint::Folder(folder) => {
                let repository = local::open(folder, &self.site)?;
                let objects: &gix::OdbHandle = &repository.objects;
                if !gix::objs::Exists::exists(objects, &commit) {
                    return Err(self.site.not_found(git_ref));
                }
                checkout::checkout(&self.reading(objects), &commit, limits)?
            }
        };
        Ok(Artifact {
            revision: Revision(commit.to_string()),
            files: Arc::new(files),
        })
    }

    fn reading<'a>(&'a self, objects: &'a dyn crate::objects::Objects) -> Reading<'a> {
        Reading {
            objects,
            site: &self.site,
            cancel: &self.cancel,
        }
    }

    /// A pack with `commit`: alone where the server gives it so, else with all there is.
    fn receive(&self, url: &Url, commit: ObjectId, git_ref: &GitRef, limits: &Limits) -> Result<Pack, FetchError> {
        let mut remote = self.remote(url)?;
        let want = refs::advertised(remote.advertised(), commit).unwrap_or(commit);
        let files = u64::try_from(checkout::entries(limits)).unwrap_or(u64::MAX);
        let bytes = limits.source_bytes.saturating_add(PACK_OVERHEAD);
        match remote.receive(&[want], true, bytes) {
            Ok(pack) => {
                let bounds = PackBounds {
                    objects: files.saturating_add(1000),
                    object_bytes: limits.file_bytes.max(TREE_BYTES),
                    inflated_bytes: bytes,
                };
                Pack::new(pack, bounds, &self.cancel, &self.site)
            }
            // Protocol 2 has no other reason to say so: the whole past would not hold the commit either.
            Err(NoPack::Refused(said)) if remote.gives_any_object() && said.contains("not our ref") => {
                Err(self.site.not_found(git_ref))
            }
            Err(NoPack::Refused(said)) => {
                tracing::debug!(%commit, said, "fetching the whole past, because the server does not give the commit");
                self.receive_past(url, commit, git_ref)
            }
            Err(NoPack::Failed(error)) => Err(error),
        }
    }

    fn receive_past(&self, url: &Url, commit: ObjectId, git_ref: &GitRef) -> Result<Pack, FetchError> {
        let mut remote = self.remote(url)?;
        let refs = remote.list(&["HEAD", "refs/heads/", "refs/tags/"])?;
        let mut tips: Vec<ObjectId> = refs::tips(&refs).collect();
        tips.sort_unstable();
        tips.dedup();
        if tips.is_empty() {
            return Err(self.site.not_found(git_ref));
        }
        let pack = match remote.receive(&tips, false, self.options.past_bytes) {
            Ok(pack) => pack,
            Err(NoPack::Refused(said)) => return Err(self.site.invalid(format!("its answer: {said}"))),
            Err(NoPack::Failed(error)) => return Err(error),
        };
        let bounds = PackBounds {
            objects: PAST_OBJECTS,
            object_bytes: PAST_OBJECT_BYTES,
            inflated_bytes: PAST_INFLATED_BYTES,
        };
        let pack = Pack::new(pack, bounds, &self.cancel, &self.site)?;
        match crate::objects::Objects::header(&pack, &commit) {
            Ok(Some(_)) => Ok(pack),
            Ok(None) | Err(_) => Err(self.site.not_found(git_ref)),
        }
    }
}

#[async_trait]
impl SourceFetcher for GitFetcher {
    /// Greets the server and asks for its HEAD; an empty repository passes.
    async fn verify(&self, source: &Source) -> Result<(), FetchError> {
        let job = self.accept(source)?;
        self.run(job, source.timeout, Job::verify).await
    }

    /// Asks for one ref. A commit is its own revision, without asking: whoever serves it from a store must have
    /// verified the source.
    async fn resolve(&self, source: &Source, wanted: &SourceRef) -> Result<Revision, FetchError> {
        let job = self.accept(source)?;
        let git_ref = git_ref(wanted)?.clone();
        let wanted = refs::wanted(&git_ref, &job.site)?;
        let resolved = self.run(job, source.timeout, move |job| job.resolve(&wanted, &git_ref));
        Ok(Revision(resolved.await?.to_string()))
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
        refs::wanted(&git_ref, &job.site)?;
        let commit = match refs::wanted(&GitRef::Commit(revision.0.clone()), &job.site)? {
            Wanted::Commit(commit) => commit,
            Wanted::Name(_) => return Err(job.site.not_found(revision)),
        };
        let limits = limits.clone();
        self.run(job, source.timeout, move |job| job.fetch(commit, &git_ref, &limits))
            .await
    }
}
