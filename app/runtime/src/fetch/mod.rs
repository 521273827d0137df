//! The fetch coordinator: what Releases get their files through.
//!
//! A ref that moves is asked for first, at most once per `minSyncInterval`; only a revision that is not kept is
//! downloaded. Whoever wants the same at the same time waits for the same call. What may be shared, and what must be
//! proved first, [`convoy_domain::sharing`] decides.
//!
//! # Invariants
//! - No source gets an artifact that it neither fetched nor proved, with its own credentials, within its interval.
//! - One that stops waiting hinders no other; a call that nobody waits for ends.
//! - No failure is shared between callers: what a server tells one is not what it would tell another.

mod flights;
mod look_ups;
mod memory;
mod proofs;
mod stores;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use convoy_domain::artifact::{Artifact, Revision};
use convoy_domain::compat::Compat;
use convoy_domain::limits::Limits;
use convoy_domain::sharing::{ArtifactKey, Caller, Proof, Prover, asking_proves, is_fixed};
use convoy_domain::source::{GitRef, OciContent, Source, SourceRef};
use convoy_ports::{ArtifactStore, Clock, FetchError, SourceFetcher, StoreUsage};
use futures::FutureExt;
use tokio::time::timeout;
use tracing::debug;

use self::flights::Flights;
use self::look_ups::{Answer, Answers, Question, rest};
pub use self::memory::MemoryStore;
use self::proofs::Proofs;
use self::stores::Stores;

/// How much longer than its source's timeout an adapter may take to say that it is out of time.
const GRACE: Duration = Duration::from_secs(5);

/// What a coordinator works with.
#[derive(Clone, Debug)]
pub(crate) struct Means {
    pub(crate) fetcher: Arc<dyn SourceFetcher>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) disk: Option<Arc<dyn ArtifactStore>>,
    pub(crate) memory_bytes: u64,
    pub(crate) limits: Limits,
    pub(crate) compat: Compat,
}

/// What was asked and fetched so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FetchUsage {
    /// Questions for the revision of a ref.
    pub look_ups: u64,
    /// Questions whether a source may have what another fetched.
    pub proofs: u64,
    /// Downloads.
    pub downloads: u64,
    /// Artifacts in memory.
    pub memory: StoreUsage,
    /// Artifacts on a disk, if any are kept there.
    pub disk: Option<StoreUsage>,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Coordinator {
    shared: Arc<Shared>,
    look_ups_under_way: Flights<Question, Answer>,
    downloads_under_way: Flights<(ArtifactKey, Caller, Duration), Result<Artifact, FetchError>>,
}

/// What calls under way work on, who outlive whoever began them.
#[derive(Debug)]
struct Shared {
    means: Means,
    look_ups: Answers<Question, Revision>,
    failures: Answers<(ArtifactKey, Caller), Never>,
    proofs: Proofs,
    stores: Stores,
    counts: Counts,
}

/// There is no artifact among the failures.
#[derive(Clone, Copy, Debug)]
enum Never {}

#[derive(Debug, Default)]
struct Counts {
    look_ups: AtomicU64,
    proofs: AtomicU64,
    downloads: AtomicU64,
}

impl Coordinator {
    pub(crate) fn new(means: Means) -> Self {
        let stores = if means.compat.is_v0_9() {
            Stores::new(u64::MAX, None)
        } else {
            Stores::new(means.memory_bytes, means.disk.clone())
        };
        Self {
            shared: Arc::new(Shared {
                means,
                look_ups: Answers::default(),
                failures: Answers::default(),
                proofs: Proofs::default(),
                stores,
                counts: Counts::default(),
            }),
            look_ups_under_way: Flights::default(),
            downloads_under_way: Flights::default(),
        }
    }

    pub(crate) fn usage(&self) -> FetchUsage {
        let counts = &self.shared.counts;
        let (memory, disk) = self.shared.stores.usage();
        FetchUsage {
            look_ups: counts.look_ups.load(Ordering::Relaxed),
            proofs: counts.proofs.load(Ordering::Relaxed),
            downloads: counts.downloads.load(Ordering::Relaxed),
            memory,
            disk,
        }
    }

    /// The revision that `wanted` is at, without downloading content.
    pub(crate) async fn resolve(&self, source: &Source, wanted: &SourceRef) -> Answer {
        let wanted = self.shared.as_served(wanted);
        let question = Question::new(source, &wanted);
        if let Some(answer) = self.shared.known(source, &wanted, &question) {
            return answer;
        }
        if let SourceRef::Git(GitRef::Commit(sha)) = &wanted {
            return Ok(Revision(sha.to_ascii_lowercase()));
        }
        let ask = || {
            let (shared, source, wanted) = (Arc::clone(&self.shared), source.clone(), wanted.clone());
            async move { shared.ask(&source, &wanted).await }.boxed()
        };
        if self.shared.means.compat.is_v0_9() {
            return ask().await;
        }
        self.look_ups_under_way.join(question, ask).await
    }

    /// The files of `revision`, which `wanted` resolved to.
    pub(crate) async fn artifact(
        &self,
        source: &Source,
        wanted: &SourceRef,
        revision: &Revision,
    ) -> Result<Artifact, FetchError> {
        let wanted = self.shared.as_served(wanted);
        let request = Request {
            source,
            wanted: &wanted,
            revision,
            key: ArtifactKey::new(source, &wanted, revision),
            prover: Prover::of(source),
        };
        let v0_9 = self.shared.means.compat.is_v0_9();
        if (!v0_9 || is_fixed(&wanted))
            && let Some(artifact) = self.shared.stores.get(&request.key).await
        {
            self.shared.prove(&request).await?;
            return Ok(artifact);
        }
        let artifact = if v0_9 {
            self.shared.download(&request).await?
        } else {
            self.downloaded(&request).await?
        };
        self.shared.prove(&request).await?;
        Ok(artifact)
    }

    /// Waits for a download that is under way, else downloads.
    async fn downloaded(&self, request: &Request<'_>) -> Result<Artifact, FetchError> {
        let caller = request.prover.caller();
        let others = |(key, other, _): &(ArtifactKey, Caller, Duration)| *key == request.key && *other != caller;
        if let Some(error) = self.shared.failed_lately(request) {
            return Err(error);
        }
        if let Some(others) = self.downloads_under_way.find(others)
            && self.shared.prove(request).await.is_ok()
            && let Ok(Ok(artifact)) = timeout(request.source.timeout, others).await
        {
            return Ok(artifact);
        }
        let key = (request.key.clone(), caller, request.source.timeout);
        let call = self.downloads_under_way.join(key, || {
            let (shared, owned) = (Arc::clone(&self.shared), request.to_owned());
            async move { shared.download(&owned.as_request()).await }.boxed()
        });
        call.await
    }
}

/// One wish for an artifact.
#[derive(Clone, Debug)]
struct Request<'a> {
    source: &'a Source,
    wanted: &'a SourceRef,
    revision: &'a Revision,
    key: ArtifactKey,
    prover: Prover,
}

/// A [`Request`] that a call under way can keep.
#[derive(Debug)]
struct OwnedRequest {
    source: Source,
    wanted: SourceRef,
    revision: Revision,
    key: ArtifactKey,
    prover: Prover,
}

impl Request<'_> {
    fn to_owned(&self) -> OwnedRequest {
        OwnedRequest {
            source: self.source.clone(),
            wanted: self.wanted.clone(),
            revision: self.revision.clone(),
            key: self.key.clone(),
            prover: self.prover.clone(),
        }
    }
}

impl OwnedRequest {
    fn as_request(&self) -> Request<'_> {
        Request {
            source: &self.source,
            wanted: &self.wanted,
            revision: &self.revision,
            key: self.key.clone(),
            prover: self.prover.clone(),
        }
    }
}

impl Shared {
    /// The ref as it is asked for: of old, a registry gave charts only.
    fn as_served(&self, wanted: &SourceRef) -> SourceRef {
        match wanted {
            SourceRef::Oci { chart, version, .. } if self.means.compat.is_v0_9() => SourceRef::Oci {
                chart: chart.clone(),
                version: version.clone(),
                content: OciContent::Chart,
            },
            SourceRef::Git(_) | SourceRef::Helm { .. } | SourceRef::Oci { .. } => wanted.clone(),
        }
    }

    /// An answer that is good without asking.
    fn known(&self, source: &Source, wanted: &SourceRef, question: &Question) -> Option<Answer> {
        let now = self.means.clock.now();
        let (answer, age) = self.look_ups.last(question, now)?;
        // A webhook has said since then that there is something new.
        let stamped = source.fetch_requested.filter(|at| *at <= now);
        let is_old =
            stamped.is_some_and(|at| Duration::try_from(now.duration_since(at)).is_ok_and(|since| since < age));
        let kept = |revision| self.stores.remembers(&ArtifactKey::new(source, wanted, revision));
        let good = match &answer {
            Ok(revision) if is_fixed(wanted) && kept(revision) => true,
            _ if self.means.compat.is_v0_9() => false,
            Ok(_) if is_old => false,
            answer => age < rest(answer, source.min_sync_interval),
        };
        good.then_some(answer)
    }

    /// Asks for a revision.
    async fn ask(&self, source: &Source, wanted: &SourceRef) -> Answer {
        self.counts.look_ups.fetch_add(1, Ordering::Relaxed);
        let asked = self.means.clock.now();
        let answer = in_time(source, self.means.fetcher.resolve(source, wanted)).await;
        debug!(source = %source.key, ?wanted, ?answer, "asked for a revision");
        if let Ok(revision) = &answer
            && asking_proves(source, wanted)
        {
            let key = ArtifactKey::new(source, wanted, revision);
            self.proofs.note(Prover::of(source), key, Proof::Shown(asked));
        }
        self.look_ups
            .remember(Question::new(source, wanted), answer.clone(), asked);
        answer
    }

    /// Makes sure that the source may have the artifact.
    async fn prove(&self, request: &Request<'_>) -> Result<(), FetchError> {
        let Request {
            source,
            wanted,
            revision,
            key,
            prover,
        } = request;
        let asked = self.means.clock.now();
        if self.proofs.count(prover, key, source.interval, asked) {
            return Ok(());
        }
        self.counts.proofs.fetch_add(1, Ordering::Relaxed);
        let proved = in_time(source, self.means.fetcher.prove(source, wanted, revision)).await;
        debug!(source = %source.key, %revision, ?proved, "asked for a proof");
        self.note_trouble(request, proved.as_ref().err());
        proved?;
        self.proofs.note(prover.clone(), key.clone(), Proof::Shown(asked));
        Ok(())
    }

    /// Downloads and keeps an artifact.
    async fn download(&self, request: &Request<'_>) -> Result<Artifact, FetchError> {
        let Request {
            source,
            wanted,
            revision,
            key,
            prover,
        } = request;
        self.counts.downloads.fetch_add(1, Ordering::Relaxed);
        let fetch = self.means.fetcher.fetch(source, wanted, revision, &self.means.limits);
        let fetched = in_time(source, fetch).await;
        debug!(source = %source.key, %revision, ?fetched, "downloaded");
        self.note_trouble(request, fetched.as_ref().err());
        let artifact = fetched.inspect_err(|error| {
            let failed = (key.clone(), prover.caller());
            self.failures
                .remember(failed, Err(error.clone()), self.means.clock.now());
        })?;
        self.proofs.note(prover.clone(), key.clone(), Proof::Fetched);
        self.stores.put(key, &artifact).await;
        Ok(artifact)
    }

    /// Why the same download failed, while there is no sense in trying it again.
    fn failed_lately(&self, request: &Request<'_>) -> Option<FetchError> {
        let known = (request.key.clone(), request.prover.caller());
        let (answer, age) = self.failures.last(&known, self.means.clock.now())?;
        let rests = age < rest(&answer, request.source.min_sync_interval);
        answer.err().filter(|_| rests)
    }

    /// A revision that is not there any more is looked for anew; a server
    /// that wants to be left alone is not asked for refs either.
    fn note_trouble(&self, request: &Request<'_>, error: Option<&FetchError>) {
        let Some(error) = error else { return };
        let (question, now) = (Question::new(request.source, request.wanted), self.means.clock.now());
        if matches!(error, FetchError::RefNotFound { .. } | FetchError::ChartNotFound { .. }) {
            self.look_ups.forget(&question);
        } else if error.retry_after().is_some() {
            self.look_ups.remember(question, Err(error.clone()), now);
        }
    }
}

/// A call that ends, whatever its adapter does.
async fn in_time<T>(source: &Source, call: impl Future<Output = Result<T, FetchError>>) -> Result<T, FetchError> {
    let bound = source.timeout.saturating_add(GRACE);
    match timeout(bound, call).await {
        Ok(answer) => answer,
        Err(_) => Err(FetchError::Timeout {
            url: source.key.to_string(),
            seconds: source.timeout.as_secs(),
        }),
    }
}
