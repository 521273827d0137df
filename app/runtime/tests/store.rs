//! What a reconcile asks of the render store, and what it does without one or with one that fails.

use std::sync::Arc;
use std::time::Duration;

use convoy_domain::condition::{ConditionType, Reason, Stage, Truth};
use convoy_domain::id::{ObjectId, ReleaseId};
use convoy_domain::release::Pin;
use convoy_domain::render_ref::RenderRef;
use convoy_domain::status::ReleaseStatus;
use convoy_domain::store_key;
use convoy_ports::{BlobError, BlobStore, Clock, ClusterConnector, ControlPlane, Reconciler, SourceFetcher};
use convoy_runtime::render_store::RenderStore;
use convoy_runtime::{Ports, Runtime, Settings};
use convoy_testkit_fakes::faults::{EffectCounter, FaultyBlobStore};
use convoy_testkit_fakes::{
    FakeBlobStore, FakeClock, FakeCluster, FakeConnector, FakeControlPlane, FakeEntropy, FakeFetcher, Times, samples,
};

const URL: &str = "fake://repo";

struct World {
    control_plane: Arc<FakeControlPlane>,
    cluster: Arc<FakeCluster>,
    fetcher: Arc<FakeFetcher>,
    blobs: Arc<FakeBlobStore>,
    clock: Arc<FakeClock>,
    connector: Arc<FakeConnector>,
    calls: EffectCounter,
    runtime: Runtime,
}

fn id() -> ReleaseId {
    samples::named("team", "shop")
}

impl World {
    /// One Release that keeps two entries.
    fn new() -> Self {
        Self::with(|blobs, calls| RenderStore::new(Arc::new(FaultyBlobStore::new(blobs, calls))))
    }

    fn with(store: impl Fn(Arc<dyn BlobStore>, EffectCounter) -> RenderStore) -> Self {
        let cluster = Arc::new(FakeCluster::new());
        cluster.make_namespace("web");
        let connector = Arc::new(FakeConnector::with(&samples::named("team", "here"), &cluster));
        let control_plane = Arc::new(FakeControlPlane::new());
        control_plane.put_cluster(&samples::cluster("team", "here"));
        control_plane.put_source(&samples::git_repository("team", "repo", URL));
        let (fetcher, blobs) = (Arc::new(FakeFetcher::new()), Arc::new(FakeBlobStore::new()));
        let clock = Arc::new(FakeClock::at_second(1_800_000_000));
        let calls = EffectCounter::new().counting_reads();
        let store = store(Arc::clone(&blobs) as Arc<dyn BlobStore>, calls.clone());
        let runtime = runtime(&control_plane, &connector, &fetcher, store, &clock);
        let mut release = samples::release("team", "shop");
        release.spec.keep_history = Some(2);
        control_plane.create_release(&release);
        Self {
            control_plane,
            cluster,
            fetcher,
            blobs,
            clock,
            connector,
            calls,
            runtime,
        }
    }

    /// The process starts anew.
    fn restart(&mut self) {
        let blobs = Arc::clone(&self.blobs) as Arc<dyn BlobStore>;
        let store = RenderStore::new(Arc::new(FaultyBlobStore::new(blobs, self.calls.clone())));
        self.runtime = runtime(&self.control_plane, &self.connector, &self.fetcher, store, &self.clock);
    }

    fn commit(&self, color: &str) {
        let text = format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a, namespace: web}}\ndata: {{color: {color}}}\n"
        );
        self.fetcher.commit_texts(URL, "main", &[("a.yaml", &text)]);
    }

    /// Looks a few times, so that a sync begins and ends; answers the calls of the store.
    async fn settle(&self) -> Vec<String> {
        let before = self.calls.log().len();
        for _ in 0..5 {
            self.runtime.cluster(&samples::named("team", "here")).await;
            self.runtime
                .source(&samples::git_repository("team", "repo", URL).key)
                .await;
            self.runtime.release(&id()).await;
            self.clock.advance(Duration::from_mins(2));
        }
        let log = self.calls.log();
        log[before..].iter().map(|call| short(call)).collect()
    }

    fn status(&self) -> ReleaseStatus {
        self.control_plane.status(&id())
    }

    fn applied(&self) -> RenderRef {
        self.status().last_successful.expect("a successful sync").render_ref
    }

    /// The stage and reason of the last failure.
    fn failure(&self) -> Option<(Stage, Reason)> {
        let failed = self.status().last_attempted?.failure?;
        Some((failed.failure.stage, failed.failure.reason))
    }

    fn color(&self) -> Option<String> {
        let object = self.cluster.ids().into_iter().find(|id: &ObjectId| id.name == "a")?;
        let value = self.cluster.object(&object)?;
        value.at(&["data", "color"])?.as_str().map(ToOwned::to_owned)
    }

    fn pin(&self, render_ref: Option<RenderRef>) {
        let pin = render_ref.map(|render_ref| Pin {
            render_ref,
            reason: "a look at it".to_owned(),
        });
        self.control_plane.edit_release(&id(), |release| release.pin = pin);
    }
}

fn runtime(
    control_plane: &Arc<FakeControlPlane>,
    connector: &Arc<FakeConnector>,
    fetcher: &Arc<FakeFetcher>,
    store: RenderStore,
    clock: &Arc<FakeClock>,
) -> Runtime {
    let ports = Ports {
        control_plane: Arc::clone(control_plane) as Arc<dyn ControlPlane>,
        clusters: Arc::clone(connector) as Arc<dyn ClusterConnector>,
        sources: Arc::clone(fetcher) as Arc<dyn SourceFetcher>,
        artifacts: None,
        store,
        clock: Arc::clone(clock) as Arc<dyn Clock>,
        entropy: Arc::new(FakeEntropy::new()),
    };
    Runtime::new(ports, Settings::default())
}

/// A call and what kind of key it was for.
fn short(call: &str) -> String {
    let mut words = call.split(' ').skip(1);
    let (kind, key) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let what = match key.strip_prefix("team/shop/") {
        Some("") => "release",
        Some("history/") => "history",
        Some("renders/") => "renders",
        Some(key) if key.starts_with("history/") => "entry",
        Some(key) if key.starts_with("renders/") => "blob",
        Some(_) | None => key,
    };
    format!("{kind} {what}")
}

fn down() -> BlobError {
    BlobError::Unavailable {
        key: "k".into(),
        why: "down".into(),
    }
}

/// Stores the render, looks whether it is there still, and adds it to the history.
const KEEP_NEW: [&str; 5] = [
    "exists blob",
    "put_if_absent blob",
    "exists blob",
    "list history",
    "put_if_absent entry",
];

/// The same list stands in docs/how-to/render-store.md.
#[tokio::test]
async fn each_kind_of_reconcile_makes_a_fixed_list_of_calls() {
    let world = World::new();
    let collect = |entries: &'static [&'static str], blobs: &'static [&'static str]| {
        [&["list history"], entries, &["list renders", "list history"], blobs].concat()
    };
    world.commit("red");
    let first = [&["list release"], &KEEP_NEW[..], &collect(&[], &[])].concat();
    assert_eq!(world.settle().await, first, "the first sync of a Release");
    assert_eq!(world.settle().await, [""; 0], "nothing has changed");
    world.commit("green");
    assert_eq!(
        world.settle().await,
        [&KEEP_NEW[..], &collect(&[], &[])].concat(),
        "a new render"
    );
    world.commit("blue");
    let third = [&KEEP_NEW[..], &collect(&["delete entry"], &["delete blob"])].concat();
    assert_eq!(world.settle().await, third, "a new render beyond keepHistory");
    world.commit("green");
    let known = [&["exists blob", "exists blob", "list history"], &collect(&[], &[])[..]].concat();
    assert_eq!(world.settle().await, known, "a render of the history");
    assert_eq!(world.settle().await, [""; 0], "nothing has changed");
}

#[tokio::test]
async fn the_calls_of_a_sync_do_not_grow_with_other_releases() {
    let world = World::new();
    world.commit("red");
    world.settle().await;
    let key = |number: u32, rest: &str| format!("team/shop{number}/{rest}");
    for number in 0..2_000 {
        world.blobs.set(&key(number, "renders/x"), b"x".to_vec());
        world.blobs.set(&key(number, "history/x"), b"x".to_vec());
    }
    world.commit("green");
    assert_eq!(world.settle().await.len(), KEEP_NEW.len() + 3);
    assert_eq!(
        world.blobs.keys().len(),
        4_000 + 4,
        "nothing of another Release is gone"
    );
}

#[tokio::test]
async fn without_a_store_syncs_go_on_and_there_is_no_history() {
    let world = World::with(|_, _| RenderStore::Disabled);
    world.commit("red");
    world.settle().await;
    let first = world.applied();
    assert_eq!(world.status().retention.unwrap().history_count, 0);
    world.commit("green");
    world.settle().await;
    assert_eq!(world.color().as_deref(), Some("green"));
    world.pin(Some(world.applied()));
    world.settle().await;
    assert_eq!(world.failure(), None, "the present render can be pinned");
    world.pin(Some(first));
    world.settle().await;
    assert_eq!(world.failure(), Some((Stage::Pin, Reason::Pinned)));
    assert_eq!(world.color().as_deref(), Some("green"), "nothing was applied");
    world.pin(None);
    world.settle().await;
    world.control_plane.delete_release(&id(), world.clock.now());
    world.settle().await;
    assert!(world.control_plane.stored_release(&id()).is_none(), "it is deleted");
    assert!(world.blobs.keys().is_empty());
}

#[tokio::test]
async fn a_render_that_cannot_be_stored_is_not_applied() {
    let world = World::new();
    world.commit("red");
    world.settle().await;
    for call in ["exists", "put_if_absent"] {
        world.blobs.refuse(call, "/renders/", down(), Times::Always);
        world.commit(call);
        world.settle().await;
        assert_eq!(world.failure(), Some((Stage::Persist, Reason::DeployFailed)), "{call}");
        assert_eq!(world.color().as_deref(), Some("red"), "{call}");
        world.blobs.lift_refusals();
        world.commit("red");
        world.settle().await;
    }
    world.commit("green");
    world.settle().await;
    assert_eq!(world.failure(), None);
    assert_eq!(world.color().as_deref(), Some("green"));
}

#[tokio::test]
async fn what_fails_of_history_and_collection_fails_no_sync() {
    for (call, operand) in [
        ("list", "/history/"),
        ("put_if_absent", "/history/"),
        ("list", "/renders/"),
        ("delete", "/history/"),
        ("delete", "/renders/"),
    ] {
        let world = World::new();
        for color in ["red", "green"] {
            world.commit(color);
            world.settle().await;
        }
        world.blobs.refuse(call, operand, down(), Times::Always);
        world.commit("blue");
        world.settle().await;
        assert_eq!(world.failure(), None, "{call} {operand}");
        assert_eq!(world.color().as_deref(), Some("blue"), "{call} {operand}");
        let ready = world
            .status()
            .conditions
            .into_iter()
            .find(|condition| condition.kind == ConditionType::Ready);
        assert_eq!(ready.map(|ready| ready.truth), Some(Truth::True), "{call} {operand}");
        let blob = store_key::blob(&id(), world.applied());
        assert!(world.blobs.bytes(&blob).is_some(), "{call} {operand}");
        world.blobs.lift_refusals();
        world.commit("white");
        world.settle().await;
        let entries = world
            .blobs
            .keys()
            .into_iter()
            .filter(|key| key.contains("/history/"))
            .count();
        assert_eq!(entries, 2, "the next collection makes up for it: {call} {operand}");
    }
}

#[tokio::test]
async fn a_deletion_keeps_the_finalizer_until_the_keys_are_gone() {
    let world = World::new();
    world.commit("red");
    world.settle().await;
    world.blobs.refuse("delete", "", down(), Times::Always);
    world.control_plane.delete_release(&id(), world.clock.now());
    world.settle().await;
    assert!(
        world
            .control_plane
            .stored_release(&id())
            .is_some_and(|release| release.has_finalizer)
    );
    assert!(
        world.cluster.ids().iter().all(|id| id.name != "a"),
        "its objects are gone"
    );
    world.blobs.lift_refusals();
    world.settle().await;
    assert!(world.control_plane.stored_release(&id()).is_none());
    assert!(world.blobs.keys().is_empty());
}

#[tokio::test]
async fn a_render_in_force_whose_blob_is_gone_is_stored_again() {
    let mut world = World::new();
    world.commit("red");
    world.settle().await;
    let blob = store_key::blob(&id(), world.applied());
    let bytes = world.blobs.bytes(&blob).unwrap();
    world.blobs.remove(&blob);
    assert_eq!(world.settle().await, [""; 0], "an unchanged reconcile asks nothing");
    world.restart();
    assert_eq!(world.settle().await, ["exists blob", "put_if_absent blob"]);
    assert_eq!(world.blobs.bytes(&blob), Some(bytes));
    assert_eq!(world.settle().await, [""; 0]);
    // What a pin finds corrupt is mended by the next sync of that render.
    world.commit("green");
    world.settle().await;
    world.blobs.corrupt(&blob);
    world.pin(Some(blob.rsplit('/').next().unwrap().parse().unwrap()));
    world.settle().await;
    assert_eq!(world.failure(), Some((Stage::Pin, Reason::StoreCorrupt)));
    world.pin(None);
    world.commit("red");
    let calls = world.settle().await;
    assert_eq!(calls.first().map(String::as_str), Some("put blob"), "{calls:?}");
    assert_eq!(world.failure(), None);
}
