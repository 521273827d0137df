//! The suite of [`ControlPlane`].
//!
//! Objects of the control plane are made by people, not through the port: a [`World`] makes them, each case in a
//! namespace of its own.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use convoy_domain::Timestamp;
use convoy_domain::artifact::Revision;
use convoy_domain::cluster::ClusterFacts;
use convoy_domain::condition::{Condition, ConditionType, Failure, Reason, Stage, Truth};
use convoy_domain::id::{NamespacedName, ObjectId, ReleaseId};
use convoy_domain::inventory::{InventoryEntry, InventoryPart, PART_OBJECTS};
use convoy_domain::release::Release;
use convoy_domain::render_ref::RenderRef;
use convoy_domain::secret::Secret;
use convoy_domain::source::{GitRef, Source, SourceKey, SourceKind, SourceReason, SourceRef, SourceStatus};
use convoy_domain::status::{
    Applied, Attempt, AttemptFailure, HealthyRender, Inputs, InventorySummary, Phase, ReleaseStatus, Retention,
    Rollout, RolloutStep, Waiting,
};
use convoy_ports::{ControlPlane, ControlPlaneError, Event, EventType};

use crate::case;

/// An event as people see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenEvent {
    /// Whether it is a warning.
    pub warning: bool,
    /// Its reason.
    pub reason: String,
    /// Its message.
    pub message: String,
    /// How often it was said.
    pub count: u32,
}

/// What people do to a control plane beside convoy.
#[async_trait]
pub trait World: Send + Sync {
    /// The port under test.
    fn port(&self) -> Arc<dyn ControlPlane>;
    /// A namespace that exists, is empty and is used by nobody else.
    fn namespace(&self) -> &str;
    /// Creates a Release: Cluster `here`, `GitRepository` `repo` at branch `main`, manifests `.`.
    async fn create_release(&self, name: &str);
    /// Changes the spec of a Release: it is suspended from now on.
    async fn suspend_release(&self, name: &str);
    /// Asks for the deletion of a Release.
    async fn delete_release(&self, name: &str);
    /// Creates a `GitRepository` with a URL, all else by default.
    async fn create_git_repository(&self, name: &str, url: &str);
    /// Creates a Cluster that is convoy's own, with a label.
    async fn create_cluster(&self, name: &str, label: (&str, &str));
    /// Deletes a Cluster.
    async fn delete_cluster(&self, name: &str);
    /// What the status of a Cluster says: Ready, version and cluster id.
    async fn cluster_status(&self, name: &str) -> Option<(String, String, String)>;
    /// Creates a Secret.
    async fn create_secret(&self, name: &str, entries: &[(&str, &[u8])]);
    /// The events about a Release.
    async fn events(&self, release: &str) -> Vec<SeenEvent>;
}

type Plane = Arc<dyn World>;

macro_rules! cases {
    ($make:ident: $($name:ident),+ $(,)?) => { $( case(stringify!($name), $name($make().await)).await; )+ };
}

/// Runs every case, each on a world of its own that `make` gives.
///
/// # Panics
/// With the name of the case that does not hold.
pub async fn run<F: Future<Output = Arc<dyn World>>>(make: impl Fn() -> F) {
    cases! { make:
        what_is_absent_reads_as_none,
        a_release_reads_as_it_was_created,
        every_release_is_listed,
        the_finalizer_is_added_once_and_removed,
        a_deleted_release_stays_until_its_finalizer_is_removed,
        a_stale_copy_writes_nothing,
        a_status_comes_back_without_loss,
        what_leaves_the_status_is_gone,
        each_write_gives_the_version_for_the_next,
        a_status_changes_no_generation,
        the_status_of_a_release_that_is_gone_is_not_found,
        the_status_of_a_source_comes_back,
        a_source_that_is_gone_needs_no_status,
        a_source_is_stamped_and_nothing_else_of_it_changes,
        a_cluster_is_read_and_described,
        facts_of_a_cluster_stay_while_it_does_not_answer,
        a_cluster_that_is_gone_needs_no_status,
        the_entries_of_a_secret_come_back_and_never_print,
        a_secret_is_created_once_and_its_namespace_with_it,
        what_was_ever_applied_is_known,
        the_parts_of_an_inventory_come_back_in_order,
        a_part_is_written_from_the_latest_copy_only,
        a_part_is_deleted_once_and_for_all,
        inventories_of_neighbours_are_not_mixed,
        a_full_part_is_kept_whole,
        equal_events_are_counted,
    }
}

fn id(world: &Plane, name: &str) -> NamespacedName {
    NamespacedName::new(world.namespace(), name).expect("a name of the suite")
}

/// The Release, which must exist.
async fn read(world: &Plane, name: &str) -> Release {
    world
        .port()
        .release(&id(world, name))
        .await
        .expect("the Release can be read")
        .expect("the Release exists")
}

async fn created(world: &Plane, name: &str) -> Release {
    world.create_release(name).await;
    read(world, name).await
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).expect("a time of the suite")
}

fn render(byte: u8) -> RenderRef {
    RenderRef::from_digest([byte; 32])
}

fn condition(kind: ConditionType, truth: Truth, reason: Reason) -> Condition {
    Condition {
        kind,
        truth,
        reason,
        message: format!("{kind} because of {reason}"),
        observed_generation: 1,
        last_transition: at(3),
    }
}

/// A status in which everything is set.
fn full_status() -> ReleaseStatus {
    ReleaseStatus {
        observed_generation: 1,
        shard: "convoy-0".to_owned(),
        last_handled_sync_request: "sha256:ab@2026".to_owned(),
        last_handled_retry_request: "2026".to_owned(),
        warnings: vec!["`spec.syncPolicy.force` is not supported yet".to_owned()],
        conditions: vec![
            condition(ConditionType::Ready, Truth::False, Reason::WaveTimeout),
            condition(ConditionType::Applied, Truth::Unknown, Reason::Progressing),
        ],
        last_attempted: Some(Attempt {
            revision: Some(Revision("0123abc".to_owned())),
            render_ref: Some(render(1)),
            phase: Phase::Failed,
            started: at(1),
            finished: Some(at(2)),
            failure: Some(AttemptFailure {
                failure: Failure::new(Stage::Apply, Reason::WaveTimeout, "wave 1 was not healthy in time"),
                retries: 2,
                next_retry: Some(at(9)),
            }),
            inputs: Inputs {
                source: "0123abc".to_owned(),
                values: vec!["77".to_owned()],
                mutations: vec!["78".to_owned()],
                fingerprint: "f00".to_owned(),
            },
        }),
        last_successful: Some(Applied {
            revision: Revision("0000abc".to_owned()),
            render_ref: render(2),
            at: at(-5),
            objects: 7,
        }),
        last_healthy: Some(HealthyRender {
            revision: Revision("0000abc".to_owned()),
            render_ref: render(2),
            at: at(-4),
        }),
        rollout: Some(Rollout {
            render_ref: render(1),
            step: RolloutStep::Gate,
            wave: 0,
            waves: 2,
            started: at(1),
            wave_applied: Some(at(2)),
            waiting_for: vec![Waiting {
                object: "Deployment.apps web/front".to_owned(),
                health: "Progressing".to_owned(),
                message: "1 of 2 replicas".to_owned(),
            }],
        }),
        retention: Some(Retention {
            keep_history: 10,
            history_count: 3,
        }),
        inventory: Some(InventorySummary {
            objects: 7,
            parts: 1,
            pruned: 1,
            cluster_id: "c-1".to_owned(),
        }),
    }
}

fn is_stale<T: std::fmt::Debug>(answer: &Result<T, ControlPlaneError>) -> bool {
    matches!(answer, Err(ControlPlaneError::Stale { .. }))
}

async fn what_is_absent_reads_as_none(world: Plane) {
    let port = world.port();
    let absent = id(&world, "absent");
    assert_eq!(port.release(&absent).await, Ok(None));
    for kind in [SourceKind::Git, SourceKind::Helm, SourceKind::Oci] {
        let key = SourceKey {
            kind,
            id: absent.clone(),
        };
        assert_eq!(port.source(&key).await, Ok(None), "{key}");
    }
    assert_eq!(port.cluster(&absent).await, Ok(None));
    assert_eq!(port.secret(&absent).await, Ok(None));
    assert_eq!(port.inventory(&absent).await, Ok(vec![]));
}

async fn a_release_reads_as_it_was_created(world: Plane) {
    let release = created(&world, "web").await;
    assert_eq!(release.id, id(&world, "web"));
    assert!(!release.uid.is_empty() && !release.resource_version.is_empty());
    assert_eq!(
        (release.generation, release.deleted, release.has_finalizer),
        (1, None, false)
    );
    assert!(release.created > Timestamp::UNIX_EPOCH);
    assert_eq!(release.status, ReleaseStatus::default());
    assert_eq!(release.spec.cluster, "here");
    assert_eq!(release.spec.source.id, id(&world, "repo"));
    assert_eq!(
        release.spec.source_ref,
        SourceRef::Git(GitRef::Branch("main".to_owned()))
    );
    assert!(release.spec.unsupported.is_empty() && !release.spec.suspend);
    assert_eq!(release.spec.sync.interval, Duration::from_mins(1));
    world.suspend_release("web").await;
    let after = read(&world, "web").await;
    assert!(after.spec.suspend);
    assert_eq!(after.generation, 2);
    assert_ne!(after.resource_version, release.resource_version);
}

async fn every_release_is_listed(world: Plane) {
    for name in ["a", "b", "c"] {
        world.create_release(name).await;
    }
    let all = world.port().releases().await.expect("list");
    let mine: Vec<&ReleaseId> = all.iter().filter(|id| id.namespace() == world.namespace()).collect();
    let mut names: Vec<&str> = mine.iter().map(|id| id.name()).collect();
    names.sort_unstable();
    assert_eq!(names, ["a", "b", "c"]);
}

async fn the_finalizer_is_added_once_and_removed(world: Plane) {
    let port = world.port();
    let mut release = created(&world, "web").await;
    release.resource_version = port.add_finalizer(&release).await.expect("add");
    release.resource_version = port.add_finalizer(&release).await.expect("add again");
    let with = read(&world, "web").await;
    assert!(with.has_finalizer);
    assert_eq!(with.resource_version, release.resource_version);
    assert_eq!(with.generation, 1, "a finalizer is no change of the spec");
    port.remove_finalizer(&with).await.expect("remove");
    assert!(!read(&world, "web").await.has_finalizer);
}

async fn a_deleted_release_stays_until_its_finalizer_is_removed(world: Plane) {
    let port = world.port();
    let release = created(&world, "web").await;
    port.add_finalizer(&release).await.expect("add");
    world.delete_release("web").await;
    let leaving = read(&world, "web").await;
    assert!(leaving.deleted.is_some() && leaving.has_finalizer);
    port.write_status(&leaving, &full_status())
        .await
        .expect("a leaving Release has a status");
    let leaving = read(&world, "web").await;
    port.remove_finalizer(&leaving).await.expect("remove");
    assert_eq!(port.release(&leaving.id).await, Ok(None));
    port.remove_finalizer(&leaving)
        .await
        .expect("what is gone has no finalizer");
}

async fn a_stale_copy_writes_nothing(world: Plane) {
    let port = world.port();
    let old = created(&world, "web").await;
    world.suspend_release("web").await;
    let answer = port.write_status(&old, &full_status()).await;
    assert!(is_stale(&answer), "{answer:?}");
    let answer = port.add_finalizer(&old).await;
    assert!(is_stale(&answer), "{answer:?}");
    let now = read(&world, "web").await;
    assert_eq!(now.status, ReleaseStatus::default());
    assert!(!now.has_finalizer);
}

async fn a_status_comes_back_without_loss(world: Plane) {
    let release = created(&world, "web").await;
    let version = world
        .port()
        .write_status(&release, &full_status())
        .await
        .expect("write");
    let after = read(&world, "web").await;
    assert_eq!(after.status, full_status());
    assert_eq!(after.resource_version, version);
}

async fn what_leaves_the_status_is_gone(world: Plane) {
    let port = world.port();
    let mut release = created(&world, "web").await;
    release.resource_version = port.write_status(&release, &full_status()).await.expect("write");
    let mut less = full_status();
    less.rollout = None;
    less.last_attempted = None;
    less.warnings.clear();
    less.conditions.truncate(1);
    release.resource_version = port.write_status(&release, &less).await.expect("write less");
    assert_eq!(read(&world, "web").await.status, less);
    port.write_status(&release, &ReleaseStatus::default())
        .await
        .expect("write nothing");
    assert_eq!(read(&world, "web").await.status, ReleaseStatus::default());
}

async fn each_write_gives_the_version_for_the_next(world: Plane) {
    let port = world.port();
    let mut release = created(&world, "web").await;
    let first = release.clone();
    release.resource_version = port.add_finalizer(&release).await.expect("finalizer");
    for retries in 0..5 {
        let mut status = full_status();
        if let Some(failure) = status
            .last_attempted
            .as_mut()
            .and_then(|attempt| attempt.failure.as_mut())
        {
            failure.retries = retries;
        }
        release.resource_version = port.write_status(&release, &status).await.expect("status");
    }
    assert_eq!(read(&world, "web").await.resource_version, release.resource_version);
    let answer = port.write_status(&first, &full_status()).await;
    assert!(is_stale(&answer), "{answer:?}");
}

async fn a_status_changes_no_generation(world: Plane) {
    let release = created(&world, "web").await;
    world
        .port()
        .write_status(&release, &full_status())
        .await
        .expect("write");
    let after = read(&world, "web").await;
    assert_eq!(after.generation, 1);
    assert_eq!(after.spec, release.spec);
}

async fn the_status_of_a_release_that_is_gone_is_not_found(world: Plane) {
    let release = created(&world, "web").await;
    world.delete_release("web").await;
    let answer = world.port().write_status(&release, &full_status()).await;
    assert!(matches!(answer, Err(ControlPlaneError::NotFound { .. })), "{answer:?}");
    assert_eq!(
        world.port().release(&release.id).await,
        Ok(None),
        "a status makes no Release"
    );
}

fn source_status(ready: Truth, reason: SourceReason) -> SourceStatus {
    SourceStatus {
        observed_generation: 1,
        ready,
        reason,
        message: "asked for HEAD".to_owned(),
        last_verified: Some(at(4)),
        last_transition: at(2),
        endpoint: "https://example.invalid/repo.git".to_owned(),
    }
}

async fn the_status_of_a_source_comes_back(world: Plane) {
    let port = world.port();
    world
        .create_git_repository("repo", "https://example.invalid/repo.git")
        .await;
    let key = SourceKey {
        kind: SourceKind::Git,
        id: id(&world, "repo"),
    };
    let source = port.source(&key).await.expect("read").expect("exists");
    assert_eq!(source.url, "https://example.invalid/repo.git");
    assert_eq!((source.status.clone(), source.generation), (None, 1));
    assert!(source.unsupported.is_empty() && source.ignored.is_empty());
    // A source is verified now and then by the same copy: the last writer wins.
    for status in [
        source_status(Truth::False, SourceReason::Unreachable),
        source_status(Truth::True, SourceReason::Verified),
    ] {
        port.write_source_status(&source, &status).await.expect("write");
        let after = port.source(&key).await.expect("read").expect("exists");
        assert_eq!(after.status, Some(status));
        assert_eq!(after.generation, 1);
    }
    let mut replaced = source;
    "another".clone_into(&mut replaced.uid);
    let status = source_status(Truth::False, SourceReason::TlsFailed);
    port.write_source_status(&replaced, &status)
        .await
        .expect("what is gone is no error");
    let after = port.source(&key).await.expect("read").expect("exists");
    assert_ne!(
        after.status,
        Some(status),
        "the status of a source that is gone is not its successor's"
    );
}

async fn a_source_that_is_gone_needs_no_status(world: Plane) {
    let port = world.port();
    world
        .create_git_repository("repo", "https://example.invalid/repo.git")
        .await;
    let key = SourceKey {
        kind: SourceKind::Git,
        id: id(&world, "repo"),
    };
    let mut source = port.source(&key).await.expect("read").expect("exists");
    source.key.id = id(&world, "gone");
    let status = source_status(Truth::True, SourceReason::Verified);
    port.write_source_status(&source, &status).await.expect("no error");
    assert_eq!(port.source(&source.key).await, Ok(None), "a status makes no source");
}

async fn a_source_is_stamped_and_nothing_else_of_it_changes(world: Plane) {
    let port = world.port();
    world
        .create_git_repository("repo", "https://example.invalid/repo.git")
        .await;
    let key = SourceKey {
        kind: SourceKind::Git,
        id: id(&world, "repo"),
    };
    let source = port.source(&key).await.expect("read").expect("exists");
    assert_eq!(source.fetch_requested, None);
    for time in [at(7), at(5)] {
        port.request_fetch(&source, time).await.expect("stamp");
        let after = port.source(&key).await.expect("read").expect("exists");
        let expect = Source {
            fetch_requested: Some(time),
            resource_version: after.resource_version.clone(),
            ..source.clone()
        };
        assert_eq!(after, expect);
    }
    let mut other = source.clone();
    "another".clone_into(&mut other.uid);
    port.request_fetch(&other, at(9))
        .await
        .expect("what is gone is no error");
    other.key.id = id(&world, "gone");
    port.request_fetch(&other, at(9))
        .await
        .expect("what is gone is no error");
    assert_eq!(port.source(&other.key).await, Ok(None), "a stamp makes no source");
    let after = port.source(&key).await.expect("read").expect("exists");
    assert_eq!(after.fetch_requested, Some(at(5)), "the stamp is not for its successor");
}

fn facts() -> ClusterFacts {
    ClusterFacts {
        version: "v1.36.3".to_owned(),
        nodes: Some(3),
        cluster_id: "c-1".to_owned(),
    }
}

async fn a_cluster_is_read_and_described(world: Plane) {
    let port = world.port();
    world.create_cluster("here", ("tier", "test")).await;
    let cluster = port.cluster(&id(&world, "here")).await.expect("read").expect("exists");
    assert_eq!(cluster.labels.get("tier").map(String::as_str), Some("test"));
    assert!(cluster.unsupported.is_empty() && !cluster.uid.is_empty());
    let ready = condition(ConditionType::Ready, Truth::True, Reason::Succeeded);
    port.write_cluster_status(&cluster, &ready, Some(&facts()))
        .await
        .expect("write");
    let expect = ("True".to_owned(), "v1.36.3".to_owned(), "c-1".to_owned());
    assert_eq!(world.cluster_status("here").await, Some(expect));
}

async fn facts_of_a_cluster_stay_while_it_does_not_answer(world: Plane) {
    let port = world.port();
    world.create_cluster("here", ("tier", "test")).await;
    let cluster = port.cluster(&id(&world, "here")).await.expect("read").expect("exists");
    let ready = condition(ConditionType::Ready, Truth::True, Reason::Succeeded);
    port.write_cluster_status(&cluster, &ready, Some(&facts()))
        .await
        .expect("write");
    let lost = condition(ConditionType::Ready, Truth::False, Reason::ClusterUnreachable);
    port.write_cluster_status(&cluster, &lost, None).await.expect("write");
    let expect = ("False".to_owned(), "v1.36.3".to_owned(), "c-1".to_owned());
    assert_eq!(world.cluster_status("here").await, Some(expect));
}

async fn a_cluster_that_is_gone_needs_no_status(world: Plane) {
    let port = world.port();
    world.create_cluster("here", ("tier", "test")).await;
    let cluster = port.cluster(&id(&world, "here")).await.expect("read").expect("exists");
    world.delete_cluster("here").await;
    let ready = condition(ConditionType::Ready, Truth::True, Reason::Succeeded);
    for facts in [Some(&facts()), None] {
        port.write_cluster_status(&cluster, &ready, facts)
            .await
            .expect("no error");
    }
    assert_eq!(port.cluster(&cluster.id).await, Ok(None), "a status makes no Cluster");
}

async fn a_secret_is_created_once_and_its_namespace_with_it(world: Plane) {
    let port = world.port();
    let entries = |text: &[u8]| BTreeMap::from([("key".to_owned(), Secret::new(text.to_vec()))]);
    let elsewhere = format!("{}-made", world.namespace());
    for id in [
        id(&world, "made"),
        NamespacedName::new(&elsewhere, "made").expect("a name of the suite"),
    ] {
        assert_eq!(port.create_secret(&id, &entries(b"first")).await, Ok(true), "{id}");
        assert_eq!(port.create_secret(&id, &entries(b"second")).await, Ok(false), "{id}");
        assert_eq!(port.secret(&id).await, Ok(Some(entries(b"first"))), "{id}");
    }
}

async fn what_was_ever_applied_is_known(world: Plane) {
    let port = world.port();
    let release = created(&world, "applied").await;
    let mut status = full_status();
    port.write_status(&release, &status).await.expect("write");
    assert_eq!(port.any_applied().await, Ok(true));
    // Whether there is another one that was applied is not this case's to say, but a status without it is none.
    status.last_successful = None;
    let release = read(&world, "applied").await;
    port.write_status(&release, &status).await.expect("write");
    assert!(read(&world, "applied").await.status.last_successful.is_none());
}

async fn the_entries_of_a_secret_come_back_and_never_print(world: Plane) {
    world
        .create_secret("key", &[("password", b"hunter2"), ("bytes", &[0, 255])])
        .await;
    let entries = world
        .port()
        .secret(&id(&world, "key"))
        .await
        .expect("read")
        .expect("exists");
    let shown = format!("{entries:?}");
    assert!(!shown.contains("hunter2"), "{shown}");
    let exposed: BTreeMap<&str, &[u8]> = entries
        .iter()
        .map(|(key, secret)| (key.as_str(), secret.expose().as_slice()))
        .collect();
    assert_eq!(
        exposed,
        BTreeMap::from([("bytes", &[0, 255][..]), ("password", b"hunter2")])
    );
}

fn entry(name: &str) -> InventoryEntry {
    InventoryEntry {
        id: ObjectId {
            group: "apps".to_owned(),
            kind: "Deployment".to_owned(),
            namespace: "web".to_owned(),
            name: name.to_owned(),
        },
        version: "v1".to_owned(),
        uid: format!("uid-of-{name}"),
        wave: -2,
        render_ref: render(9),
        adopted: name == "b",
    }
}

fn part(release: &Release, number: u32, names: &[&str]) -> InventoryPart {
    InventoryPart {
        release: release.id.clone(),
        release_uid: release.uid.clone(),
        part: number,
        cluster_id: "c-1".to_owned(),
        resource_version: String::new(),
        objects: names.iter().map(|name| entry(name)).collect(),
    }
}

async fn written(world: &Plane, mut part: InventoryPart) -> InventoryPart {
    part.resource_version = world.port().write_inventory(&part).await.expect("write");
    part
}

async fn the_parts_of_an_inventory_come_back_in_order(world: Plane) {
    let release = created(&world, "web").await;
    let mut parts = Vec::new();
    for number in [10, 2, 0] {
        parts.insert(0, written(&world, part(&release, number, &["a", "b"])).await);
    }
    assert_eq!(world.port().inventory(&release.id).await, Ok(parts));
}

async fn a_part_is_written_from_the_latest_copy_only(world: Plane) {
    let port = world.port();
    let release = created(&world, "web").await;
    let first = written(&world, part(&release, 0, &["a"])).await;
    let answer = port.write_inventory(&part(&release, 0, &["c"])).await;
    assert!(is_stale(&answer), "created twice: {answer:?}");
    let mut second = first.clone();
    second.objects.push(entry("b"));
    second.objects[0].uid = String::new();
    let second = written(&world, second).await;
    assert_ne!(first.resource_version, second.resource_version);
    let answer = port.write_inventory(&first).await;
    assert!(is_stale(&answer), "written from an old copy: {answer:?}");
    assert_eq!(port.inventory(&release.id).await, Ok(vec![second]));
}

async fn a_part_is_deleted_once_and_for_all(world: Plane) {
    let port = world.port();
    let release = created(&world, "web").await;
    let gone = written(&world, part(&release, 0, &["a"])).await;
    let stays = written(&world, part(&release, 1, &["b"])).await;
    port.delete_inventory(&gone).await.expect("delete");
    assert_eq!(port.inventory(&release.id).await, Ok(vec![stays]));
    port.delete_inventory(&gone).await.expect("what is gone is no error");
    let again = written(&world, part(&release, 0, &["c"])).await;
    assert_eq!(port.inventory(&release.id).await.expect("read")[0], again);
}

async fn inventories_of_neighbours_are_not_mixed(world: Plane) {
    let port = world.port();
    let (web, web1) = (created(&world, "web").await, created(&world, "web-1").await);
    let ours = written(&world, part(&web, 1, &["a"])).await;
    let theirs = written(&world, part(&web1, 0, &["b"])).await;
    assert_eq!(port.inventory(&web.id).await, Ok(vec![ours]));
    assert_eq!(port.inventory(&web1.id).await, Ok(vec![theirs]));
}

async fn a_full_part_is_kept_whole(world: Plane) {
    let release = created(&world, "web").await;
    let names: Vec<String> = (0..PART_OBJECTS)
        .map(|number| format!("object-{number:04}-{}", "x".repeat(100)))
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let full = written(&world, part(&release, 0, &names)).await;
    assert_eq!(world.port().inventory(&release.id).await, Ok(vec![full]));
}

async fn equal_events_are_counted(world: Plane) {
    let port = world.port();
    let release = created(&world, "web").await;
    let event = |kind, reason, message: &str| Event {
        kind,
        reason,
        message: message.to_owned(),
    };
    let failed = event(EventType::Warning, Reason::RenderFailed, "line 3");
    for _ in 0..3 {
        port.record_event(&release, &failed).await.expect("record");
    }
    let long = event(EventType::Normal, Reason::Succeeded, &"é".repeat(1_000));
    port.record_event(&release, &long)
        .await
        .expect("a long message is cut, not refused");
    let mut seen = world.events("web").await;
    seen.sort_by_key(|event| event.count);
    assert_eq!(seen.len(), 2, "{seen:?}");
    assert!(!seen[0].warning && seen[0].message.starts_with('é') && seen[0].message.len() <= 1_024);
    let expect = SeenEvent {
        warning: true,
        reason: "RenderFailed".to_owned(),
        message: "line 3".to_owned(),
        count: 3,
    };
    assert_eq!(seen[1], expect);
}
