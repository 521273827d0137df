//! Random lives of a Release: syncs that succeed, stop or fail, pins, rollbacks, clock steps, collections, deletions of the
//! Release, listings that are behind, faults and crashes at any call.
//!
//! After each event the invariants of the store hold; an event without a fault leaves exactly what a reference of a few
//! lines says. The test runs for 30 seconds on new seeds. A failing one is reduced, and printed with the command that runs it
//! again:
//!
//! ```text
//! CONVOY_MODEL_SEED=17 cargo test -p convoy-runtime random_lives          that seed alone
//! CONVOY_MODEL_STEPS=1000000 cargo test -p convoy-runtime random_lives    so many events, however long it takes
//! ```

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime};

use convoy_ports::{BlobError, Pieces, Written};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestError, TestRng, TestRunner};

use super::super::RenderStore;
use super::*;
use convoy_domain::store_key::StoreKey;
use convoy_testkit_fakes::faults::{EffectCounter, Fault, FaultyBlobStore, When, until_crash};

/// Renders that lives are made of.
static RENDERS: LazyLock<Vec<Render>> = LazyLock::new(|| (0..7).map(super::render).collect());

fn render(number: usize) -> &'static Render {
    &RENDERS[number]
}

#[derive(Clone, Debug)]
enum Event {
    /// A sync of the render; it stops after the persist when `stops`. Each bit of `stale` is an entry that the second
    /// listing of the collection misses; those that were deleted are still shown when `stale` is odd.
    Sync {
        render: usize,
        stops: bool,
        stale: u8,
    },
    /// What is applied is healthy.
    Healthy,
    /// What was healthy last is applied again; a rollback keeps no history and collects nothing.
    Rollback,
    /// A pin to what is applied now.
    Pin,
    Unpin,
    /// The clock moves, or steps back.
    Clock(i64),
    /// `keepHistory` changes.
    Keep(i64),
    /// The Release is deleted, and made anew.
    Delete,
}

/// A fault at the n-th call of an event.
type Plan = Option<(u64, When, bool)>;

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        8 => (0..7_usize, any::<bool>(), prop_oneof![3 => Just(0), 1 => any::<u8>()])
            .prop_map(|(render, stops, stale)| Event::Sync { render, stops, stale }),
        2 => Just(Event::Healthy),
        1 => Just(Event::Rollback),
        1 => Just(Event::Pin),
        1 => Just(Event::Unpin),
        2 => (-100..100_i64).prop_map(Event::Clock),
        2 => (-1..5_i64).prop_map(Event::Keep),
        1 => Just(Event::Delete),
    ]
}

fn plan() -> impl Strategy<Value = Plan> {
    prop_oneof![
        1 => Just(None),
        1 => (1..16_u64, prop_oneof![Just(When::Before), Just(When::After)], any::<bool>()).prop_map(Some),
    ]
}

/// The pointers that a status holds.
#[derive(Debug, Default)]
struct Pointers {
    successful: Option<RenderRef>,
    attempted: Option<RenderRef>,
    healthy: Option<RenderRef>,
    pin: Option<RenderRef>,
}

impl Pointers {
    fn all(&self) -> BTreeSet<RenderRef> {
        [self.successful, self.attempted, self.healthy, self.pin]
            .into_iter()
            .flatten()
            .collect()
    }
}

/// What a store must hold after events without faults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Reference {
    history: Vec<RenderRef>,
    blobs: BTreeSet<RenderRef>,
}

impl Reference {
    fn of(blobs: &FakeBlobStore) -> Self {
        Self {
            history: recorded(blobs),
            blobs: stored(blobs),
        }
    }

    fn sync(&mut self, render_ref: RenderRef, stops: bool, keep: i64, protected: &BTreeSet<RenderRef>) {
        self.blobs.insert(render_ref);
        if stops {
            return;
        }
        if !self.history.contains(&render_ref) {
            self.history.push(render_ref);
        }
        if let Ok(keep @ 1..) = usize::try_from(keep) {
            self.history.drain(..self.history.len().saturating_sub(keep));
            self.blobs
                .retain(|blob| self.history.contains(blob) || protected.contains(blob));
        }
    }
}

/// A store whose third listing of a history is behind: the second one of a collection.
#[derive(Debug)]
struct Behind {
    inner: FaultyBlobStore,
    first: std::sync::Mutex<Vec<String>>,
    listings: AtomicUsize,
    stale: u8,
}

#[async_trait::async_trait]
impl BlobStore for Behind {
    async fn put(&self, key: &str, bytes: Vec<u8>) -> Result<(), BlobError> {
        self.inner.put(key, bytes).await
    }
    async fn put_pieces(&self, key: &str, pieces: &mut dyn Pieces) -> Result<(), BlobError> {
        self.inner.put_pieces(key, pieces).await
    }
    async fn put_if_absent(&self, key: &str, bytes: Vec<u8>) -> Result<Written, BlobError> {
        self.inner.put_if_absent(key, bytes).await
    }
    async fn get(&self, key: &str) -> Result<Vec<u8>, BlobError> {
        self.inner.get(key).await
    }
    async fn get_pieces(&self, key: &str) -> Result<Box<dyn Pieces>, BlobError> {
        self.inner.get_pieces(key).await
    }
    async fn exists(&self, key: &str) -> Result<bool, BlobError> {
        self.inner.exists(key).await
    }
    async fn list(&self, prefix: &str) -> Result<Vec<String>, BlobError> {
        let listed = self.inner.list(prefix).await?;
        if !prefix.ends_with("history/") || self.stale == 0 {
            return Ok(listed);
        }
        let number = self.listings.fetch_add(1, Ordering::Relaxed);
        let mut first = self.first.lock().expect("no panic while it is held");
        if number < 2 {
            first.clone_from(&listed);
            return Ok(listed);
        }
        let shown = if self.stale % 2 == 1 { first.clone() } else { listed };
        let missing = |at: usize| self.stale >> (at % 8) & 1 == 1;
        Ok(shown
            .into_iter()
            .enumerate()
            .filter(|(at, _)| !missing(*at))
            .map(|(_, key)| key)
            .collect())
    }
    async fn delete(&self, key: &str) -> Result<(), BlobError> {
        self.inner.delete(key).await
    }
    async fn delete_many(&self, keys: Vec<String>) -> Vec<(String, BlobError)> {
        self.inner.delete_many(keys).await
    }
}

#[derive(Debug)]
struct World {
    blobs: Arc<FakeBlobStore>,
    pointers: Pointers,
    reference: Reference,
    /// Renders that were stored when the event began, or have been since.
    kept: BTreeSet<RenderRef>,
    now: i64,
    keep: i64,
    foreign: Vec<String>,
    /// A Release that was deleted keeps its finalizer until its keys are gone.
    deleting: bool,
}

impl World {
    fn new() -> Self {
        let blobs = Arc::new(FakeBlobStore::new());
        let foreign = vec![
            store_key::blob(&id("shop2"), render_ref(0)),
            store_key::blob(&id("sho"), render_ref(0)),
            "team/shop-2/history/readme".to_owned(),
        ];
        for key in &foreign {
            blobs.set(key, b"x".to_vec());
        }
        Self {
            blobs,
            pointers: Pointers::default(),
            reference: Reference::default(),
            kept: BTreeSet::new(),
            now: 0,
            keep: 3,
            foreign,
            deleting: false,
        }
    }

    fn store(&self, calls: &EffectCounter, stale: u8) -> RenderStore {
        let inner = Arc::clone(&self.blobs) as Arc<dyn BlobStore>;
        RenderStore::new(Arc::new(Behind {
            inner: FaultyBlobStore::new(inner, calls.clone()),
            first: std::sync::Mutex::default(),
            listings: AtomicUsize::new(0),
            stale,
        }))
    }

    /// In the order of a reconcile: the pointer first, then the blob, then the apply, then history and collection.
    async fn sync(&mut self, number: usize, stops: bool, store: &RenderStore) {
        let render = render(number);
        self.pointers.attempted = Some(render.render_ref());
        if store.put_render(&shop(), render).await.is_err() {
            return;
        }
        self.kept.insert(render.render_ref());
        if stops {
            return;
        }
        let at_start = self.pointers.all();
        self.pointers.successful = Some(render.render_ref());
        if store.put_render(&shop(), render).await.is_ok() {
            let _ = store
                .record_history(&shop(), render.render_ref(), "", at(self.now))
                .await;
        }
        let live = self.pointers.all();
        let _ = store.gc(&shop(), Some(self.keep), &at_start, unchanged(&live)).await;
    }

    async fn delete(&mut self, store: &RenderStore) {
        self.deleting = true;
        self.pointers = Pointers::default();
        if store.delete_release(&shop()).await.is_ok() {
            self.deleting = false;
        }
    }

    async fn perform(&mut self, event: &Event, plan: Plan) {
        let calls = EffectCounter::new().counting_reads();
        if let Some((call, when, crash)) = plan {
            calls.add(call, when, if crash { Fault::Crash } else { Fault::Fail });
        }
        self.kept = stored(&self.blobs);
        if self.deleting {
            // Nothing else happens to it any more.
            let store = self.store(&calls, 0);
            let _ = until_crash(self.delete(&store)).await;
            self.compare(!self.deleting, &Reference::default());
            return;
        }
        let mut expected = self.reference.clone();
        match event {
            Event::Sync {
                render: number,
                stops,
                stale,
            } => {
                let store = self.store(&calls, *stale);
                self.pointers.attempted = Some(render(*number).render_ref());
                let at_start = self.pointers.all();
                let _ = until_crash(self.sync(*number, *stops, &store)).await;
                let protected = at_start.union(&self.pointers.all()).copied().collect();
                expected.sync(render(*number).render_ref(), *stops, self.keep, &protected);
                let clean = plan.is_none_or(|(call, ..)| calls.count() < call) && *stale == 0;
                return self.compare(clean, &expected);
            }
            Event::Healthy => self.pointers.healthy = self.pointers.successful,
            Event::Rollback => self.pointers.successful = self.pointers.healthy.or(self.pointers.successful),
            Event::Pin => self.pointers.pin = self.pointers.successful,
            Event::Unpin => self.pointers.pin = None,
            Event::Clock(by) => self.now += by,
            Event::Keep(keep) => self.keep = *keep,
            Event::Delete => {
                let store = self.store(&calls, 0);
                let _ = until_crash(self.delete(&store)).await;
                expected = Reference::default();
                return self.compare(!self.deleting, &expected);
            }
        }
        self.compare(true, &expected);
    }

    /// After a fault the reference goes on from what there is.
    fn compare(&mut self, clean: bool, expected: &Reference) {
        let found = Reference::of(&self.blobs);
        if clean {
            assert_eq!(&found, expected, "what is stored differs from the reference");
        }
        self.reference = found;
    }

    fn check(&self, before: &[RenderRef]) {
        let (stored, entries) = (stored(&self.blobs), recorded(&self.blobs));
        for key in &self.foreign {
            assert_eq!(self.blobs.bytes(key).as_deref(), Some(&b"x"[..]), "{key} was touched");
        }
        for entry in &entries {
            assert!(stored.contains(entry), "the blob of an entry is gone");
        }
        let different: BTreeSet<&RenderRef> = entries.iter().collect();
        assert_eq!(different.len(), entries.len(), "a render stands twice in the history");
        let pointed = self.pointers.all();
        for render_ref in self.kept.intersection(&pointed) {
            assert!(stored.contains(render_ref), "a protected blob is gone");
        }
        if self.deleting || (entries.is_empty() && pointed.is_empty()) {
            return;
        }
        // The entries are the old ones and at most one new one behind them, without some of those beyond `keep`.
        let mut full = before.to_vec();
        full.extend(entries.last().filter(|entry| !before.contains(entry)));
        let mut rest = full.iter();
        assert!(
            entries.iter().all(|entry| rest.any(|other| other == entry)),
            "{full:?} became {entries:?}"
        );
        let keep = usize::try_from(self.keep).unwrap_or_default();
        let safe = if keep == 0 { 0 } else { full.len().saturating_sub(keep) };
        assert!(
            entries.ends_with(&full[safe..]),
            "{full:?} became {entries:?}, keeping {keep}"
        );
    }

    /// A collection without faults leaves exactly what it must, and a second one finds nothing.
    async fn settle(&self) {
        let store = self.store(&EffectCounter::new(), 0);
        let pointers = self.pointers.all();
        let before = recorded(&self.blobs);
        let release = shop();
        let collect = || store.gc(&release, Some(self.keep), &pointers, unchanged(&pointers));
        collect().await.expect("nothing fails");
        if self.keep > 0 {
            let newest = before
                .len()
                .saturating_sub(usize::try_from(self.keep).expect("above 0"));
            assert_eq!(recorded(&self.blobs), before[newest..]);
            let mut allowed: BTreeSet<RenderRef> = recorded(&self.blobs).into_iter().collect();
            allowed.extend(pointers.clone());
            assert!(
                stored(&self.blobs).is_subset(&allowed),
                "a blob that nothing names stays"
            );
        }
        let left = self.blobs.keys();
        let again = collect().await.expect("nothing fails");
        assert_eq!((again.entries, again.blobs), (0, 0));
        assert_eq!(self.blobs.keys(), left);
    }
}

async fn live(events: &[(Event, Plan)]) {
    let mut world = World::new();
    for (event, plan) in events {
        let before = recorded(&world.blobs);
        let newest = newest_time(&world.blobs);
        let deleting = world.deleting || matches!(event, Event::Delete);
        world.perform(event, *plan).await;
        world.check(&before);
        assert!(deleting || newest_time(&world.blobs) >= newest, "the newest entry went");
    }
    world.settle().await;
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|text| text.parse().expect("a number"))
}

#[test]
fn random_lives_break_nothing() {
    const LIVES: u32 = 50;
    let (steps, only) = (number("CONVOY_MODEL_STEPS"), number("CONVOY_MODEL_SEED"));
    let begun = Instant::now();
    let done = AtomicU64::new(0);
    let since = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .expect("a clock");
    let mut seed = only.unwrap_or(since.as_secs());
    let strategy = prop::collection::vec((event(), plan()), 1..40);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime");
    loop {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let config = ProptestConfig {
            cases: LIVES,
            failure_persistence: None,
            ..ProptestConfig::default()
        };
        let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
        let tried = runner.run(&strategy, |events| {
            done.fetch_add(events.len() as u64, Ordering::Relaxed);
            runtime.block_on(live(&events));
            Ok(())
        });
        if let Err(TestError::Fail(why, least)) = &tried {
            panic!("CONVOY_MODEL_SEED={seed} fails: {why}\nreduced to {least:#?}");
        }
        tried.expect("lives that can be made");
        let done = done.load(Ordering::Relaxed);
        let enough = match steps {
            Some(steps) => done >= steps,
            None => begun.elapsed() > Duration::from_secs(30),
        };
        if enough || only.is_some() {
            println!("{done} events in {:?}, seeds up to {seed}", begun.elapsed());
            return;
        }
        seed += 1;
    }
}

fn newest_time(blobs: &FakeBlobStore) -> Option<Timestamp> {
    let keys = blobs.keys();
    let times = keys.iter().filter_map(|key| match store_key::parse(&shop(), key) {
        StoreKey::History(entry) => Some(entry.time()),
        StoreKey::Blob(_) | StoreKey::Unknown => None,
    });
    times.max()
}
