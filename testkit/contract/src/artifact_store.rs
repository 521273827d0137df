//! The suite of [`ArtifactStore`].

use std::sync::Arc;

use convoy_domain::Timestamp;
use convoy_domain::access::Access;
use convoy_domain::artifact::{Artifact, Files, Revision};
use convoy_domain::sharing::ArtifactKey;
use convoy_domain::source::{GitRef, Source, SourceRef};
use convoy_ports::ArtifactStore;
use tokio::task::JoinSet;

use crate::case;
use crate::source_fetcher::{files, git_source};

type Store = Arc<dyn ArtifactStore>;

/// Three artifacts of [`LARGE`] fit into it, and four do not.
const BOUND: u64 = 10_000;

/// Bytes of a file.
const LARGE: usize = 3_000;

macro_rules! cases {
    ($make:ident: $($name:ident),+ $(,)?) => { $( case(stringify!($name), $name($make(BOUND))).await; )+ };
}

/// Runs every case, each on an empty store of the bound that `make` is told.
///
/// # Panics
/// With the name of the case that does not hold.
pub async fn run(make: impl Fn(u64) -> Store) {
    cases! { make:
        an_artifact_comes_back_as_it_was_put,
        what_was_not_put_is_a_miss,
        a_later_artifact_takes_the_place_of_an_earlier,
        what_differs_in_terms_or_revision_is_kept_apart,
        the_bound_holds_and_what_was_used_last_stays,
        what_is_larger_than_the_bound_is_not_kept,
        many_at_one_time_keep_the_bound_and_every_answer_is_whole,
    }
}

/// The key of a commit of `https://example.com/<repository>`.
#[must_use]
pub fn key(repository: &str, commit: &str) -> ArtifactKey {
    key_of(&git_source(&format!("https://example.com/{repository}")), commit)
}

fn key_of(source: &Source, commit: &str) -> ArtifactKey {
    ArtifactKey::new(source, &SourceRef::Git(GitRef::Head), &Revision(commit.to_owned()))
}

/// An artifact of one file.
#[must_use]
pub fn artifact(commit: &str, content: &[u8]) -> Artifact {
    of_files(commit, files(&[("a.yaml", content)]))
}

fn of_files(commit: &str, files: Files) -> Artifact {
    Artifact {
        revision: Revision(commit.to_owned()),
        time: None,
        files: Arc::new(files),
    }
}

async fn put(store: &Store, commit: &str, bytes: usize) -> bool {
    let artifact = artifact(commit, &vec![b'x'; bytes]);
    store.put(&key("app", commit), &artifact).await.expect("put")
}

async fn get(store: &Store, commit: &str) -> Option<Artifact> {
    store.get(&key("app", commit)).await.expect("get")
}

async fn an_artifact_comes_back_as_it_was_put(store: Store) {
    let every_byte: Vec<u8> = (0..=255).cycle().take(2_000).collect();
    let mut artifact = of_files(
        "1f",
        files(&[
            ("README.md", b"hello\n"),
            ("empty", b""),
            ("deep/er/and/deeper.yaml", b"a: 1\n"),
            ("bytes.bin", &every_byte),
            ("with space/\u{e4}\u{1f680}.yaml", b"unicode"),
            ("back\\slash", b"a name"),
            ("..hidden/...", b"dots"),
        ]),
    );
    for time in [None, Timestamp::new(1_800_000_000, 7).ok(), Some(Timestamp::MIN)] {
        artifact.time = time;
        assert_eq!(store.put(&key("app", "1f"), &artifact).await, Ok(true));
        assert_eq!(get(&store, "1f").await.as_ref(), Some(&artifact));
    }
    let empty = of_files("2e", Files::new());
    assert_eq!(store.put(&key("app", "2e"), &empty).await, Ok(true));
    assert_eq!(get(&store, "2e").await, Some(empty));
}

async fn what_was_not_put_is_a_miss(store: Store) {
    assert_eq!(get(&store, "1f").await, None);
    put(&store, "1f", 10).await;
    assert!(get(&store, "1f").await.is_some());
    assert_eq!(get(&store, "2e").await, None);
    let usage = store.usage();
    assert_eq!((usage.hits, usage.misses, usage.evictions, usage.entries), (1, 2, 0, 1));
    assert!(usage.bytes >= 10, "{usage:?}");
}

async fn a_later_artifact_takes_the_place_of_an_earlier(store: Store) {
    put(&store, "1f", LARGE).await;
    let before = store.usage().bytes;
    put(&store, "1f", LARGE).await;
    assert_eq!((store.usage().bytes, store.usage().entries), (before, 1));
    let other = artifact("1f", b"another");
    store.put(&key("app", "1f"), &other).await.expect("put");
    assert_eq!(get(&store, "1f").await, Some(other));
    assert!(store.usage().bytes < before);
}

async fn what_differs_in_terms_or_revision_is_kept_apart(store: Store) {
    let plain = git_source("https://example.com/app");
    let shouted = git_source("https://example.com/APP");
    let by_proxy = Source {
        access: Access {
            authorities: Some(b"PEM".to_vec()),
            ..Access::default()
        },
        ..plain.clone()
    };
    let keys = [
        key_of(&plain, "1f"),
        key_of(&plain, "2e"),
        key_of(&shouted, "1f"),
        key_of(&by_proxy, "1f"),
    ];
    for (number, key) in keys.iter().enumerate() {
        let artifact = artifact("1f", &[u8::try_from(number).expect("few")]);
        assert_eq!(store.get(key).await, Ok(None), "{key:?}");
        store.put(key, &artifact).await.expect("put");
    }
    for (number, key) in keys.iter().enumerate() {
        let found = store.get(key).await.expect("get").expect("what was put");
        assert_eq!(usize::from(found.files["a.yaml"][0]), number, "{key:?}");
    }
}

async fn the_bound_holds_and_what_was_used_last_stays(store: Store) {
    for commit in ["1", "2", "3"] {
        assert!(put(&store, commit, LARGE).await);
    }
    assert!(get(&store, "1").await.is_some());
    assert!(put(&store, "4", LARGE).await);
    let mut there = Vec::new();
    for commit in ["1", "2", "3", "4"] {
        there.push(get(&store, commit).await.is_some());
    }
    assert_eq!(there, [true, false, true, true]);
    let usage = store.usage();
    assert_eq!((usage.evictions, usage.entries), (1, 3));
    assert!(usage.bytes <= BOUND, "{usage:?}");
}

async fn what_is_larger_than_the_bound_is_not_kept(store: Store) {
    put(&store, "1", LARGE).await;
    assert!(!put(&store, "2", usize::try_from(BOUND).expect("small") + 1).await);
    assert_eq!(get(&store, "2").await, None);
    assert!(get(&store, "1").await.is_some(), "nothing made room in vain");
}

async fn many_at_one_time_keep_the_bound_and_every_answer_is_whole(store: Store) {
    let mut tasks = JoinSet::new();
    for task in 0..16_usize {
        let store = Arc::clone(&store);
        tasks.spawn(async move {
            for step in 0..20 {
                let commit = ((task + step) % 6).to_string();
                put(&store, &commit, LARGE).await;
                if let Some(found) = get(&store, &commit).await {
                    assert_eq!((found.revision.0, found.files["a.yaml"].len()), (commit, LARGE));
                }
                assert!(store.usage().bytes <= BOUND);
            }
        });
    }
    tasks.join_all().await;
    assert!(store.usage().entries <= 3);
}
