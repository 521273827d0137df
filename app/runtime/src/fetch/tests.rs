use std::collections::BTreeSet;

use convoy_domain::access::Credentials;
use convoy_domain::secret::Secret;
use convoy_domain::source::GitRef;
use convoy_testkit_fakes::{FakeClock, FakeFetcher, Times, samples};

use super::*;

const URL: &str = "fake://repo";

struct World {
    fetcher: Arc<FakeFetcher>,
    clock: Arc<FakeClock>,
}

impl World {
    fn new() -> Self {
        Self {
            fetcher: Arc::new(FakeFetcher::new()),
            clock: Arc::new(FakeClock::at_second(1_800_000_000)),
        }
    }

    fn commit(&self, text: &str) -> Revision {
        self.fetcher.commit_texts(URL, "main", &[("a", text)])
    }

    fn coordinator(&self) -> Coordinator {
        self.with(512 << 20, Compat::Current)
    }

    fn with(&self, memory_bytes: u64, compat: Compat) -> Coordinator {
        Coordinator::new(Means {
            fetcher: Arc::clone(&self.fetcher) as Arc<dyn SourceFetcher>,
            clock: Arc::clone(&self.clock) as Arc<dyn Clock>,
            disk: None,
            memory_bytes,
            limits: Limits::default(),
            compat,
        })
    }

    /// The calls since the last time, without their URL.
    fn calls(&self) -> Vec<String> {
        let calls = self.fetcher.take_calls();
        calls
            .iter()
            .map(|call| call.split(' ').next().unwrap().to_owned())
            .collect()
    }
}

/// Asked for at most every 30 seconds, verified every 5 minutes.
fn source(name: &str) -> Source {
    Source {
        min_sync_interval: Duration::from_secs(30),
        ..samples::git_repository("team", name, URL)
    }
}

fn with_token(name: &str, token: &str) -> Source {
    let mut source = source(name);
    source.access.credentials = Credentials::Token(Secret::new(token.to_owned()));
    source
}

fn main_branch() -> SourceRef {
    SourceRef::Git(GitRef::Branch("main".to_owned()))
}

fn commit(revision: &Revision) -> SourceRef {
    SourceRef::Git(GitRef::Commit(revision.0.clone()))
}

async fn get(coordinator: &Coordinator, source: &Source, wanted: &SourceRef) -> Result<String, FetchError> {
    let revision = coordinator.resolve(source, wanted).await?;
    let artifact = coordinator.artifact(source, wanted, &revision).await?;
    assert_eq!(artifact.revision, revision);
    Ok(String::from_utf8(artifact.files["a"].to_vec()).unwrap())
}

#[tokio::test]
async fn many_at_one_moment_share_one_question_and_one_download() {
    let world = World::new();
    world.commit("1");
    let (coordinator, source) = (world.coordinator(), source("repo"));
    let wanted = main_branch();
    let wishes = (0..100).map(|_| get(&coordinator, &source, &wanted));
    for text in futures::future::join_all(wishes).await {
        assert_eq!(text.unwrap(), "1");
    }
    assert_eq!(world.calls(), ["resolve", "fetch"]);
}

#[tokio::test]
async fn a_moving_ref_is_asked_for_once_per_min_sync_interval_and_downloaded_once_per_commit() {
    let world = World::new();
    world.commit("1");
    let (coordinator, source, wanted) = (world.coordinator(), source("repo"), main_branch());
    let mut texts = BTreeSet::new();
    // Ten minutes, a look each ten seconds; a commit each two minutes.
    for step in 0..60 {
        if step % 12 == 0 {
            world.commit(&step.to_string());
        }
        texts.insert(get(&coordinator, &source, &wanted).await.unwrap());
        world.clock.advance(Duration::from_secs(10));
    }
    assert_eq!(texts.len(), 5);
    let calls = world.calls();
    let count = |call: &str| calls.iter().filter(|made| *made == call).count();
    assert_eq!((count("resolve"), count("fetch"), count("prove")), (20, 5, 0));
}

#[tokio::test]
async fn a_commit_is_not_asked_for_and_is_downloaded_once() {
    let world = World::new();
    let revision = world.commit("1");
    world.commit("2");
    let (coordinator, source) = (world.coordinator(), source("repo"));
    for _ in 0..3 {
        assert_eq!(get(&coordinator, &source, &commit(&revision)).await.unwrap(), "1");
        world.clock.advance(Duration::from_hours(1));
    }
    assert_eq!(world.calls(), ["fetch"]);
}

#[tokio::test]
async fn what_another_source_fetched_is_had_by_proof_alone_and_the_proof_ages() {
    let world = World::new();
    let revision = world.commit("1");
    let coordinator = world.coordinator();
    get(&coordinator, &with_token("first", "a"), &main_branch())
        .await
        .unwrap();
    assert_eq!(world.calls(), ["resolve", "fetch"]);
    let second = with_token("second", "b");
    for _ in 0..2 {
        assert_eq!(get(&coordinator, &second, &commit(&revision)).await.unwrap(), "1");
    }
    assert_eq!(world.calls(), ["prove"]);
    world.clock.advance(second.interval);
    get(&coordinator, &second, &commit(&revision)).await.unwrap();
    assert_eq!(world.calls(), ["prove"]);
    // Its own question for the branch is the same proof.
    let third = with_token("third", "c");
    get(&coordinator, &third, &main_branch()).await.unwrap();
    assert_eq!(world.calls(), ["resolve"]);
}

#[tokio::test]
async fn who_cannot_prove_gets_nothing_whoever_fetched_it() {
    let world = World::new();
    let revision = world.commit("private");
    world
        .fetcher
        .protect(URL, Credentials::Token(Secret::new("good".to_owned())));
    let coordinator = world.coordinator();
    get(&coordinator, &with_token("owner", "good"), &main_branch())
        .await
        .unwrap();
    for thief in [source("thief"), with_token("thief", "bad")] {
        for wanted in [commit(&revision), main_branch()] {
            let got = get(&coordinator, &thief, &wanted).await;
            assert!(matches!(got, Err(FetchError::Authentication { .. })), "{got:?}");
        }
    }
    // The owner's Secret is replaced by one that its server does not know: what it fetched before helps nothing.
    let got = get(&coordinator, &with_token("owner", "old"), &commit(&revision)).await;
    assert!(matches!(got, Err(FetchError::Authentication { .. })), "{got:?}");
}

#[tokio::test]
async fn who_comes_while_another_downloads_proves_and_waits() {
    let world = World::new();
    let revision = world.commit("1");
    let coordinator = world.coordinator();
    let (first, second) = (with_token("first", "a"), with_token("second", "b"));
    let wanted = commit(&revision);
    let (one, other) = tokio::join!(get(&coordinator, &first, &wanted), get(&coordinator, &second, &wanted),);
    assert_eq!((one.unwrap(), other.unwrap()), ("1".to_owned(), "1".to_owned()));
    let calls = world.calls();
    assert_eq!(calls.iter().filter(|call| *call == "fetch").count(), 1, "{calls:?}");
    assert_eq!(calls.iter().filter(|call| *call == "prove").count(), 1, "{calls:?}");
}

#[tokio::test]
async fn a_failure_of_one_caller_is_not_anothers() {
    let world = World::new();
    world.commit("1");
    world
        .fetcher
        .protect(URL, Credentials::Token(Secret::new("good".to_owned())));
    let coordinator = world.coordinator();
    let wanted = main_branch();
    let (bad, good) = (with_token("bad", "bad"), with_token("good", "good"));
    let (refused, got) = tokio::join!(get(&coordinator, &bad, &wanted), get(&coordinator, &good, &wanted),);
    assert!(matches!(refused, Err(FetchError::Authentication { .. })), "{refused:?}");
    assert_eq!(got.unwrap(), "1");
}

#[tokio::test]
async fn failures_that_stay_are_not_asked_for_again_at_once_and_those_that_pass_are() {
    let world = World::new();
    world.commit("1");
    let (coordinator, source, wanted) = (world.coordinator(), source("repo"), main_branch());
    let (url, why) = (|| URL.to_owned(), || "said so".to_owned());
    let refused = FetchError::Authentication { url: url(), why: why() };
    let reset = FetchError::Unreachable { url: url(), why: why() };
    let busy = FetchError::Busy {
        url: url(),
        why: why(),
        after: Duration::from_mins(2),
    };
    let asks_again = |seconds| {
        world.clock.advance(Duration::from_secs(seconds));
        let (coordinator, source, wanted) = (&coordinator, &source, &wanted);
        async {
            let _answer = coordinator.resolve(source, wanted).await;
            !world.calls().is_empty()
        }
    };
    for (error, quiet) in [(refused, 29), (reset, 0), (busy, 119)] {
        world.fetcher.refuse("resolve", "", error.clone(), Times::Next(1));
        assert_eq!(coordinator.resolve(&source, &wanted).await, Err(error.clone()));
        world.calls();
        if quiet > 0 {
            assert!(!asks_again(quiet).await, "{error}");
        }
        assert!(asks_again(1).await, "{error}");
        assert_eq!(get(&coordinator, &source, &wanted).await.unwrap(), "1", "{error}");
        world.clock.advance(Duration::from_mins(1));
    }
}

#[tokio::test]
async fn a_download_that_fails_for_good_is_not_tried_by_every_release() {
    let world = World::new();
    world.commit("1");
    let (coordinator, source, wanted) = (world.coordinator(), source("repo"), main_branch());
    let large = FetchError::Limit {
        url: URL.to_owned(),
        limit: "1 byte of a source".to_owned(),
    };
    world.fetcher.refuse("fetch", "", large.clone(), Times::Always);
    for _ in 0..100 {
        assert_eq!(get(&coordinator, &source, &wanted).await, Err(large.clone()));
    }
    assert_eq!(world.calls(), ["resolve", "fetch"]);
    world.fetcher.lift_refusals();
    world.clock.advance(source.min_sync_interval);
    assert_eq!(get(&coordinator, &source, &wanted).await.unwrap(), "1");
}

#[tokio::test]
async fn one_that_stops_waiting_hinders_no_other() {
    let world = World::new();
    world.commit("1");
    let (coordinator, source, wanted) = (world.coordinator(), source("repo"), main_branch());
    let mut first = Box::pin(get(&coordinator, &source, &wanted));
    assert!(futures::poll!(&mut first).is_pending());
    let mut second = Box::pin(get(&coordinator, &source, &wanted));
    assert!(futures::poll!(&mut second).is_pending());
    drop(first);
    assert_eq!(second.await.unwrap(), "1");
    assert_eq!(world.calls(), ["resolve", "fetch"]);
}

#[tokio::test(start_paused = true)]
async fn an_adapter_that_hangs_is_given_up() {
    let world = World::new();
    world.commit("1");
    let (coordinator, source) = (world.coordinator(), source("repo"));
    world.fetcher.hang(URL);
    let got = get(&coordinator, &source, &main_branch()).await;
    assert!(matches!(got, Err(FetchError::Timeout { seconds: 60, .. })), "{got:?}");
}

#[tokio::test]
async fn of_old_each_wish_asks_and_downloads_and_only_what_stands_still_is_kept() {
    let world = World::new();
    let revision = world.commit("1");
    let coordinator = world.with(1, Compat::V0_9);
    let (source, wanted) = (source("repo"), main_branch());
    for _ in 0..2 {
        assert_eq!(get(&coordinator, &source, &wanted).await.unwrap(), "1");
    }
    assert_eq!(world.calls(), ["resolve", "fetch", "resolve", "fetch"]);
    for _ in 0..2 {
        assert_eq!(get(&coordinator, &source, &commit(&revision)).await.unwrap(), "1");
    }
    assert_eq!(
        world.calls(),
        [""; 0],
        "the branch brought the commit, and nothing is let go"
    );
    assert_eq!(coordinator.usage().memory.entries, 1);
}

#[tokio::test]
async fn what_memory_has_no_room_for_is_downloaded_again() {
    let world = World::new();
    world.commit("a text of some length");
    let coordinator = world.with(10, Compat::Current);
    let (source, wanted) = (source("repo"), main_branch());
    for _ in 0..2 {
        get(&coordinator, &source, &wanted).await.unwrap();
    }
    assert_eq!(world.calls(), ["resolve", "fetch", "fetch"]);
    let usage = coordinator.usage();
    assert_eq!((usage.look_ups, usage.downloads, usage.proofs), (1, 2, 0));
    assert_eq!((usage.memory.bytes, usage.memory.entries), (0, 0));
}
