//! The life of a Release, in which a fault comes before and after each effect in turn: whatever failed and wherever
//! the process died, the end is that of a life without faults. Only history and garbage collection are best effort, as
//! the page on render storage says: where the store refuses one of their calls, an entry may be missing or kept.
//!
//! An effect is a write to the control plane, the cluster or the store. Their number comes from a clean run, so that a
//! new effect is visited without a change here.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use convoy_domain::artifact::Revision;
use convoy_domain::condition::{ConditionType, Reason, Stage, Truth};
use convoy_domain::id::{ObjectId, ReleaseId};
use convoy_domain::release::Pin;
use convoy_domain::render_ref::RenderRef;
use convoy_domain::status::ReleaseStatus;
use convoy_domain::store_key::{self, StoreKey};
use convoy_ports::{BlobError, BlobStore, Clock, ClusterConnector, ControlPlane, Reconciler, Requeue, SourceFetcher};
use convoy_runtime::render_store::RenderStore;
use convoy_runtime::{Ports, Runtime, Settings};
use convoy_testkit_fakes::faults::{
    EffectCounter, Fault, FaultyBlobStore, FaultyConnector, FaultyControlPlane, When, until_crash,
};
use convoy_testkit_fakes::{
    FakeBlobStore, FakeClock, FakeCluster, FakeConnector, FakeControlPlane, FakeEntropy, FakeFetcher, Readiness, Times,
    samples,
};
use proptest::prelude::*;

const URL: &str = "fake://repo";
/// Looks after which a phase must have ended.
const LOOKS: usize = 150;

/// The processes and people around one Release.
struct World {
    control_plane: Arc<FakeControlPlane>,
    cluster: Arc<FakeCluster>,
    connector: Arc<FakeConnector>,
    fetcher: Arc<FakeFetcher>,
    blobs: Arc<FakeBlobStore>,
    clock: Arc<FakeClock>,
    effects: EffectCounter,
}

fn id() -> ReleaseId {
    samples::named("team", "shop")
}

impl World {
    fn new(effects: EffectCounter) -> Self {
        let cluster = Arc::new(FakeCluster::new().with_readiness(Readiness::AfterReads(2)));
        let world = Self {
            control_plane: Arc::new(FakeControlPlane::new()),
            connector: Arc::new(FakeConnector::with(&samples::named("team", "here"), &cluster)),
            cluster,
            fetcher: Arc::new(FakeFetcher::new()),
            blobs: Arc::new(FakeBlobStore::new()),
            clock: Arc::new(FakeClock::at_second(1_800_000_000)),
            effects,
        };
        world.cluster.make_namespace("web");
        world.control_plane.put_cluster(&samples::cluster("team", "here"));
        world
            .control_plane
            .put_source(&samples::git_repository("team", "repo", URL));
        world
    }

    /// A process that has just started.
    fn process(&self) -> Runtime {
        let effects = || self.effects.clone();
        let blobs = Arc::clone(&self.blobs) as Arc<dyn BlobStore>;
        let control_plane = Arc::clone(&self.control_plane) as Arc<dyn ControlPlane>;
        let clusters = Arc::clone(&self.connector) as Arc<dyn ClusterConnector>;
        let ports = Ports {
            control_plane: Arc::new(FaultyControlPlane::new(control_plane, effects())),
            clusters: Arc::new(FaultyConnector::new(clusters, effects())),
            sources: Arc::clone(&self.fetcher) as Arc<dyn SourceFetcher>,
            artifacts: None,
            store: RenderStore::new(Arc::new(FaultyBlobStore::new(blobs, effects()))),
            clock: Arc::clone(&self.clock) as Arc<dyn Clock>,
            entropy: Arc::new(FakeEntropy::new()),
        };
        Runtime::new(ports, Settings::default())
    }

    /// Looks at the Release until `done`, starting the process anew after each crash.
    async fn drive(&self, what: &str, done: impl Fn(&Self) -> bool) {
        let mut process = self.process();
        for _ in 0..LOOKS {
            match until_crash(self.look(&process)).await {
                Ok(requeue) if done(self) => return self.rest(requeue),
                Ok(requeue) => self.rest(requeue),
                Err(_) => {
                    self.effects.revive();
                    process = self.process();
                }
            }
        }
        panic!("`{what}` did not end: {:#?}", self.control_plane.status(&id()));
    }

    async fn look(&self, process: &Runtime) -> Requeue {
        process.cluster(&samples::named("team", "here")).await;
        process.source(&samples::git_repository("team", "repo", URL).key).await;
        process.release(&id()).await
    }

    fn rest(&self, requeue: Requeue) {
        self.clock.advance(match requeue {
            Requeue::After(time) => time.clamp(Duration::from_secs(1), Duration::from_mins(2)),
            Requeue::OnChange => Duration::from_mins(1),
        });
    }

    fn is_settled(&self, revision: &Revision) -> bool {
        let status = self.control_plane.status(&id());
        let successful = status.last_successful.as_ref().map(|applied| &applied.revision);
        let healthy = status.last_healthy.as_ref().map(|healthy| &healthy.revision);
        is_ready(&status) && status.rollout.is_none() && successful == Some(revision) && healthy == Some(revision)
    }

    fn end(&self) -> End {
        let status = self.control_plane.status(&id());
        let keys = self.blobs.keys();
        let parsed: Vec<StoreKey> = keys.iter().map(|key| store_key::parse(&id(), key)).collect();
        let objects = self.cluster.ids().into_iter().map(|id| {
            let object = self.cluster.object(&id).expect("a listed object");
            let content = object.at(&["data"]).or_else(|| object.at(&["spec"]));
            (id, format!("{content:?}"))
        });
        let inventory = self.control_plane.stored_inventory(&id());
        End {
            objects: objects.collect(),
            blobs: parsed
                .iter()
                .filter_map(|key| match key {
                    StoreKey::Blob(render_ref) => Some(*render_ref),
                    StoreKey::History(_) | StoreKey::Unknown => None,
                })
                .collect(),
            history: parsed
                .iter()
                .filter_map(|key| match key {
                    StoreKey::History(entry) => Some(entry.render()),
                    StoreKey::Blob(_) | StoreKey::Unknown => None,
                })
                .collect(),
            inventory: inventory
                .into_iter()
                .flat_map(|part| part.objects)
                .map(|entry| entry.id)
                .collect(),
            renders: [
                status.last_successful.as_ref().map(|applied| applied.render_ref),
                status.last_healthy.as_ref().map(|healthy| healthy.render_ref),
                status.last_attempted.as_ref().and_then(|attempt| attempt.render_ref),
            ],
            ready: is_ready(&status),
        }
    }
}

fn is_ready(status: &ReleaseStatus) -> bool {
    let ready = status
        .conditions
        .iter()
        .find(|condition| condition.kind == ConditionType::Ready);
    ready.is_some_and(|ready| ready.truth == Truth::True)
}

/// What must be the same at the end of a phase, however it was reached.
#[derive(Clone, Debug, PartialEq)]
struct End {
    objects: BTreeMap<ObjectId, String>,
    blobs: BTreeSet<RenderRef>,
    history: Vec<RenderRef>,
    inventory: BTreeSet<ObjectId>,
    renders: [Option<RenderRef>; 3],
    ready: bool,
}

impl End {
    /// The end without what history and collection made of it.
    fn but_for_best_effort(self) -> Self {
        let different: BTreeSet<&RenderRef> = self.history.iter().collect();
        assert_eq!(
            different.len(),
            self.history.len(),
            "a render stands twice in the history"
        );
        let unstored = self
            .history
            .iter()
            .chain(self.renders.iter().flatten())
            .find(|render| !self.blobs.contains(render));
        assert!(
            unstored.is_none() || !self.ready,
            "{unstored:?} is named and not stored"
        );
        Self {
            blobs: BTreeSet::new(),
            history: Vec::new(),
            ..self
        }
    }
}

fn is_best_effort(effect: &str, fault: &Fault) -> bool {
    matches!(fault, Fault::Fail) && effect.starts_with("blob ") && {
        effect.contains("/history/") || effect.starts_with("blob delete")
    }
}

fn config(name: &str, color: &str) -> String {
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n  namespace: web\ndata:\n  color: {color}\n")
}

fn deployment(replicas: u32) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: front\n  namespace: web\n  annotations:\n    \
         core.convoy.kumodo.io/sync-wave: \"1\"\nspec:\n  replicas: {replicas}\n"
    )
}

/// Three commits, the last behind a pin, and a deletion. Returns the end of each phase.
async fn life(world: &World) -> Vec<End> {
    let mut ends = Vec::new();
    let mut release = samples::release("team", "shop");
    release.spec.keep_history = Some(2);
    release.spec.sync.prune.orphaned = true;
    let commits = [
        [("a.yaml", config("a", "green")), ("front.yaml", deployment(1))].to_vec(),
        [
            ("a.yaml", config("a", "red")),
            ("b.yaml", config("b", "blue")),
            ("front.yaml", deployment(2)),
        ]
        .to_vec(),
        [("b.yaml", config("b", "blue")), ("front.yaml", deployment(2))].to_vec(),
    ];
    for (number, files) in commits.iter().enumerate() {
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
        let revision = world.fetcher.commit_texts(URL, "main", &files);
        if number == 0 {
            world.control_plane.create_release(&release);
        }
        if number == 2 {
            // The third commit finds a pin to the second, and applies when the pin is gone.
            let pin = ends.last().and_then(|end: &End| end.renders[0]).map(|render_ref| Pin {
                render_ref,
                reason: "a look at it".to_owned(),
            });
            world.control_plane.edit_release(&id(), |release| release.pin = pin);
            let looks = AtomicUsize::new(0);
            let looked_at = |world: &World| {
                looks.fetch_add(1, Ordering::Relaxed) >= 12 && is_ready(&world.control_plane.status(&id()))
            };
            world.drive("pin", looked_at).await;
            ends.push(world.end());
            world.control_plane.edit_release(&id(), |release| release.pin = None);
        }
        world
            .drive(&format!("commit {number}"), |world| world.is_settled(&revision))
            .await;
        ends.push(world.end());
    }
    world.control_plane.delete_release(&id(), world.clock.now());
    world
        .drive("deletion", |world| world.control_plane.stored_release(&id()).is_none())
        .await;
    ends.push(world.end());
    ends
}

#[tokio::test]
async fn a_life_without_faults_goes_as_it_should() {
    let world = World::new(EffectCounter::new());
    let ends = life(&world).await;
    let objects: Vec<usize> = ends.iter().map(|end| end.objects.len()).collect();
    // The namespace is not ours and stays.
    assert_eq!(objects, [3, 4, 4, 3, 1]);
    assert_eq!(ends[1].objects, ends[2].objects, "a pin holds what is there");
    let history: Vec<usize> = ends.iter().map(|end| end.history.len()).collect();
    assert_eq!(history, [1, 2, 2, 2, 0], "two entries are kept");
    assert!(ends[4].blobs.is_empty() && ends[4].inventory.is_empty());
    assert_eq!(world.blobs.keys(), Vec::<String>::new());
}

#[tokio::test]
async fn the_order_of_first_effects_is_finalizer_and_status_then_blob_and_inventory_then_objects() {
    let world = World::new(EffectCounter::new());
    life(&world).await;
    let log = world.effects.log();
    let first = |start: &str| {
        let found = log.iter().position(|effect| effect.starts_with(start));
        found.unwrap_or_else(|| panic!("no `{start}` in {log:#?}"))
    };
    let apply = first("cluster apply");
    assert!(first("control-plane add_finalizer") < first("blob put"), "{log:#?}");
    assert!(first("control-plane write_status") < first("blob put"), "{log:#?}");
    assert!(
        first("blob put") < apply && first("control-plane write_inventory") < apply,
        "{log:#?}"
    );
}

#[tokio::test]
async fn nothing_is_applied_while_the_render_cannot_be_stored() {
    let world = World::new(EffectCounter::new());
    let down = BlobError::Unavailable {
        key: "k".to_owned(),
        why: "down".to_owned(),
    };
    world.blobs.refuse("put_if_absent", "/renders/", down, Times::Always);
    let config = config("a", "green");
    let revision = world.fetcher.commit_texts(URL, "main", &[("a.yaml", config.as_str())]);
    world.control_plane.create_release(&samples::release("team", "shop"));
    let looks = AtomicUsize::new(0);
    world
        .drive("refusal", |_| looks.fetch_add(1, Ordering::Relaxed) >= 12)
        .await;
    assert_eq!(world.cluster.writes(), Vec::<String>::new());
    let attempt = world.control_plane.status(&id()).last_attempted.expect("an attempt");
    let failure = attempt.failure.expect("a failure").failure;
    assert_eq!(
        (failure.stage, failure.reason),
        (Stage::Persist, Reason::DeployFailed),
        "{failure:?}"
    );
    assert!(failure.message.contains("down"), "{failure:?}");
    world.blobs.lift_refusals();
    world.drive("recovery", |world| world.is_settled(&revision)).await;
    assert_eq!(world.cluster.writes(), ["apply ConfigMap web/a"]);
}

#[tokio::test]
async fn a_fault_at_any_effect_leads_to_the_same_end() {
    let clean = World::new(EffectCounter::new());
    let expected = life(&clean).await;
    let effects = clean.effects.log();
    assert!(effects.len() > 30, "{effects:#?}");
    for (number, effect) in (1..).zip(&effects) {
        for when in [When::Before, When::After] {
            for fault in [Fault::Fail, Fault::Crash] {
                let told = format!("{fault:?} {when:?} effect {number}: {effect}");
                let best_effort = is_best_effort(effect, &fault);
                let world = World::new(EffectCounter::with(number, when, fault));
                let ends = tokio::spawn(async move { life(&world).await }).await;
                let ends = ends.unwrap_or_else(|error| panic!("{told}: {error}"));
                assert_eq!(ends.last(), expected.last(), "{told}: nothing stays after the deletion");
                for (phase, (end, expected)) in ends.into_iter().zip(&expected).enumerate() {
                    if best_effort {
                        assert_eq!(
                            end.but_for_best_effort(),
                            expected.clone().but_for_best_effort(),
                            "{told}, phase {phase}"
                        );
                    } else {
                        assert_eq!(end, *expected, "{told}, phase {phase}");
                    }
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn many_crashes_in_one_life_lead_to_the_same_end(
        crashes in prop::collection::vec((1..120_u64, any::<bool>()), 1..16),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let expected = life(&World::new(EffectCounter::new())).await;
            let effects = EffectCounter::new();
            for (effect, before) in crashes {
                effects.add(effect, if before { When::Before } else { When::After }, Fault::Crash);
            }
            prop_assert_eq!(life(&World::new(effects)).await, expected);
            Ok(())
        })?;
    }
}
