//! Random lives of a Release: syncs that succeed, stop or fail, pins, health, clock steps, collections, faults and
//! crashes. After each event the invariants of the store hold.

use proptest::prelude::*;

use super::super::RenderStore;
use super::*;
use convoy_domain::store_key::StoreKey;
use convoy_testkit_fakes::faults::{EffectCounter, Fault, FaultyBlobStore, When, until_crash};

#[derive(Clone, Debug)]
enum Event {
    /// A sync of the render; it stops after the persist when `stops`.
    Sync {
        render: i64,
        stops: bool,
    },
    /// What is applied is healthy.
    Healthy,
    /// A pin to what is applied now.
    Pin,
    Unpin,
    /// The clock moves, or steps back.
    Clock(i64),
    /// `keepHistory` changes.
    Keep(i64),
}

/// A fault at the n-th call of an event.
type Plan = Option<(u64, When, bool)>;

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        8 => (0..7_i64, any::<bool>()).prop_map(|(render, stops)| Event::Sync { render, stops }),
        2 => Just(Event::Healthy),
        1 => Just(Event::Pin),
        1 => Just(Event::Unpin),
        2 => (-100..100_i64).prop_map(Event::Clock),
        2 => (-1..5_i64).prop_map(Event::Keep),
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

#[derive(Debug)]
struct World {
    blobs: Arc<FakeBlobStore>,
    pointers: Pointers,
    /// Renders that were stored when the event began, or have been since.
    kept: BTreeSet<RenderRef>,
    now: i64,
    keep: i64,
    foreign: Vec<String>,
}

impl World {
    fn new() -> Self {
        let blobs = Arc::new(FakeBlobStore::new());
        let foreign = vec![
            store_key::blob(&id("shop2"), render_ref(0)),
            "team/shop/renders/readme".to_owned(),
            "team/shop/history/readme".to_owned(),
        ];
        for key in &foreign {
            blobs.set(key, b"x".to_vec());
        }
        Self {
            blobs,
            pointers: Pointers::default(),
            kept: BTreeSet::new(),
            now: 0,
            keep: 3,
            foreign,
        }
    }

    fn store(&self, calls: &EffectCounter) -> RenderStore {
        let inner = Arc::clone(&self.blobs) as Arc<dyn BlobStore>;
        RenderStore::new(Arc::new(FaultyBlobStore::new(inner, calls.clone())))
    }

    /// In the order of a reconcile: the pointer first, then the blob, then the apply, then history and collection.
    async fn sync(&mut self, number: i64, stops: bool, store: &RenderStore) {
        let render = render(number);
        self.pointers.attempted = Some(render.render_ref());
        if store.put_render(&shop(), &render).await.is_err() {
            return;
        }
        self.kept.insert(render.render_ref());
        if stops {
            return;
        }
        let at_start = self.pointers.all();
        self.pointers.successful = Some(render.render_ref());
        if store.put_render(&shop(), &render).await.is_ok() {
            let _ = store
                .append_history(&shop(), render.render_ref(), "", at(self.now))
                .await;
        }
        let live = self.pointers.all();
        let _ = store.gc(&shop(), Some(self.keep), &at_start, unchanged(&live)).await;
    }

    async fn perform(&mut self, event: &Event, plan: Plan) {
        let calls = EffectCounter::new().counting_reads();
        if let Some((call, when, crash)) = plan {
            calls.add(call, when, if crash { Fault::Crash } else { Fault::Fail });
        }
        let store = self.store(&calls);
        self.kept = stored(&self.blobs);
        match event {
            Event::Sync { render, stops } => {
                let _ = until_crash(self.sync(*render, *stops, &store)).await;
            }
            Event::Healthy => self.pointers.healthy = self.pointers.successful,
            Event::Pin => self.pointers.pin = self.pointers.successful,
            Event::Unpin => self.pointers.pin = None,
            Event::Clock(by) => self.now += by,
            Event::Keep(keep) => self.keep = *keep,
        }
    }

    fn check(&self, before: &[RenderRef]) {
        let (stored, entries) = (stored(&self.blobs), recorded(&self.blobs));
        let pointed = self.pointers.all();
        for render_ref in self.kept.intersection(&pointed) {
            assert!(stored.contains(render_ref), "a protected blob is gone");
        }
        for entry in &entries {
            assert!(stored.contains(entry), "the blob of an entry is gone");
        }
        let different: BTreeSet<&RenderRef> = entries.iter().collect();
        assert_eq!(different.len(), entries.len(), "a render stands twice in the history");
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
        for key in &self.foreign {
            assert_eq!(self.blobs.bytes(key).as_deref(), Some(&b"x"[..]), "{key} was touched");
        }
    }

    /// A collection without faults leaves exactly what it must, and a second one finds nothing.
    async fn settle(&self) {
        let store = self.store(&EffectCounter::new());
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn no_life_of_a_release_breaks_the_store(events in prop::collection::vec((event(), plan()), 1..40)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let mut world = World::new();
            for (event, plan) in &events {
                let before = recorded(&world.blobs);
                let newest = newest_time(&world.blobs);
                world.perform(event, *plan).await;
                world.check(&before);
                prop_assert!(newest_time(&world.blobs) >= newest, "the newest entry went");
            }
            world.settle().await;
            world.check(&recorded(&world.blobs));
            Ok(())
        })?;
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
