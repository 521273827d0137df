//! The suite of [`BlobStore`].
//!
//! Keys are the product's contract: users copy stores between backends and read them with other tools, so every
//! backend must keep the very text of a key and list it in byte order.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use convoy_ports::{BlobError, BlobStore, Pieces, Written};
use tokio::task::JoinSet;

use crate::suite::{Failing, Suite};

/// The largest blob that every store must take: the bound of a render's canonical bytes.
pub const LARGEST_BLOB: usize = 64 * 1024 * 1024;

type Store = Arc<dyn BlobStore>;

macro_rules! cases {
    ($suite:ident, $make:ident: $($name:ident),+ $(,)?) => { $( $suite.case(stringify!($name), $name($make())).await; )+ };
}

/// Runs every case, each on an empty store that `make` gives.
///
/// # Panics
/// With the name of the case that does not hold.
pub async fn run(make: impl Fn() -> Arc<dyn BlobStore>) {
    run_except(make, &[]).await;
}

/// As [`run`], on a server that is known to break some cases: those must fail, so that the list says what is so.
///
/// # Panics
/// With the name of the case that does not hold, or holds although it is said to fail.
pub async fn run_except(make: impl Fn() -> Arc<dyn BlobStore>, failing: &[Failing]) {
    let mut suite = Suite::new(failing);
    cases! { suite, make:
        bytes_come_back_as_they_were_put,
        the_text_of_a_key_is_kept,
        keys_of_releases_and_of_people_are_kept,
        keys_outside_the_rules_are_refused,
        an_absent_key_is_not_found,
        put_replaces_what_is_there,
        a_reader_never_sees_half_a_write,
        put_if_absent_writes_only_once,
        one_of_many_racing_writers_wins,
        a_deleted_key_can_be_written_again,
        deleting_an_absent_key_is_no_error,
        delete_takes_only_its_own_key,
        many_are_deleted_and_no_others,
        keys_are_listed_in_byte_order,
        a_prefix_is_literal_text,
        a_prefix_that_is_a_key_lists_that_key,
        releases_whose_names_look_alike_are_apart,
        a_list_names_every_one_of_2500_keys,
        pieces_come_back_whole,
        pieces_that_fail_write_nothing,
        the_largest_blob_is_kept_whole,
    }
    suite.end();
}

/// Puts each key with its own text as bytes.
async fn put_all(store: &Store, keys: &[&str]) {
    for key in keys {
        store
            .put(key, key.as_bytes().to_vec())
            .await
            .unwrap_or_else(|error| panic!("put `{key}`: {error}"));
    }
}

/// Puts each key, some at a time.
async fn put_each(store: &Store, keys: BTreeSet<String>) {
    let mut writers = JoinSet::new();
    for key in keys {
        while writers.len() >= 16 {
            writers.join_next().await.expect("a writer").expect("the writer ends");
        }
        let store = Arc::clone(store);
        writers.spawn(async move { store.put(&key, vec![1]).await.expect("put") });
    }
    writers.join_all().await;
}

async fn list(store: &Store, prefix: &str) -> Vec<String> {
    store
        .list(prefix)
        .await
        .unwrap_or_else(|error| panic!("list `{prefix}`: {error}"))
}

async fn get(store: &Store, key: &str) -> Vec<u8> {
    store
        .get(key)
        .await
        .unwrap_or_else(|error| panic!("get `{key}`: {error}"))
}

async fn bytes_come_back_as_they_were_put(store: Store) {
    let every_byte: Vec<u8> = (0..=255).collect();
    for (key, bytes) in [
        ("a/empty", vec![]),
        ("a/text", b"text\n".to_vec()),
        ("a/bytes", every_byte),
    ] {
        store.put(key, bytes.clone()).await.expect("put");
        assert_eq!(get(&store, key).await, bytes, "bytes of `{key}`");
        assert_eq!(store.exists(key).await, Ok(true), "`{key}` exists");
    }
}

/// Keys that some backend or URL library might rewrite.
///
/// Four shapes are left to each backend. Files cannot have a key below another key, nor a last part that ends in `#` and
/// digits (temporary files) or in a letter and `:` or `|` (taken for a drive); URLs cannot have a backslash.
const ODD_KEYS: &[&str] = &[
    "team/shop/renders/sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "team/shop/history/20261130T193001.000000001Z-sha256:9f86d081884c7d659a2feaa0c55ad015",
    "odd/with space",
    "odd/plus+and&and=",
    "odd/100%",
    "odd/%2F",
    "odd/%2e%2e/below",
    "odd/%zz",
    "odd/tilde~caret^",
    "odd/{braces}[brackets]<angles>",
    "odd/star*question?pipe|end",
    "odd/quote\"back`tick'",
    "odd/hash#tag",
    "odd/#",
    "odd/...",
    "odd/..two",
    "odd/two..",
    "odd/.hidden",
    "odd/-dash",
    "odd/C:/x",
    "odd/C|/x",
    "odd/UPPER",
    "odd/upper",
    "odd/caf\u{e9}",
    "odd/cafe\u{301}",
    "odd/日本語",
    "odd/\u{ff5e}",
    "odd/😀",
];

async fn the_text_of_a_key_is_kept(store: Store) {
    put_all(&store, ODD_KEYS).await;
    let mut expected: Vec<&str> = ODD_KEYS.to_vec();
    expected.sort_unstable();
    assert_eq!(list(&store, "").await, expected);
    for key in ODD_KEYS {
        assert_eq!(get(&store, key).await, key.as_bytes(), "bytes of `{key}`");
        assert_eq!(list(&store, key).await, [*key], "list of `{key}`");
    }
    for key in ODD_KEYS {
        store.delete(key).await.expect("delete");
        assert_eq!(store.exists(key).await, Ok(false), "`{key}` is gone");
    }
    assert!(list(&store, "").await.is_empty());
}

/// The keys that convoy writes, and names that people give: what every server must keep.
async fn keys_of_releases_and_of_people_are_kept(store: Store) {
    let hash = "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
    let long = format!("{}/{}/renders/{hash}", "n".repeat(63), "r".repeat(253));
    let keys = [
        format!("team/shop/renders/{hash}"),
        format!("team/shop/history/20261130T193001.000000001Z-{hash}"),
        long,
        "team/shop.v2/notes on a render.txt".to_owned(),
        "team/shop/caf\u{e9}/日本語/😀".to_owned(),
    ];
    for key in &keys {
        store.put(key, key.as_bytes().to_vec()).await.expect("put");
    }
    let mut expected = keys.to_vec();
    expected.sort_unstable();
    assert_eq!(list(&store, "").await, expected);
    for key in &keys {
        assert_eq!(get(&store, key).await, key.as_bytes(), "bytes of `{key}`");
        assert_eq!(list(&store, key).await, [key.as_str()], "list of `{key}`");
    }
}

async fn keys_outside_the_rules_are_refused(store: Store) {
    for key in [
        "", "/", "/a", "a/", "a//b", ".", "..", "../a", "a/./b", "a/../b", "a/..", "a/\nb", "a/\0",
    ] {
        assert!(store.put(key, vec![1]).await.is_err(), "put `{key:?}`");
        assert!(
            store.put_if_absent(key, vec![1]).await.is_err(),
            "put_if_absent `{key:?}`"
        );
        assert!(store.get(key).await.is_err(), "get `{key:?}`");
        assert!(store.exists(key).await.is_err(), "exists `{key:?}`");
        assert!(store.delete(key).await.is_err(), "delete `{key:?}`");
    }
    assert!(list(&store, "").await.is_empty());
}

async fn an_absent_key_is_not_found(store: Store) {
    let absent = |key: &str| Err(BlobError::NotFound { key: key.into() });
    assert_eq!(store.get("a/b/c").await, absent("a/b/c"));
    assert_eq!(store.exists("a/b/c").await, Ok(false));
    assert!(list(&store, "a/").await.is_empty());
    put_all(&store, &["a/b/cc", "a/b/d/e"]).await;
    for key in ["a/b/c", "a/b", "a", "a/b/d", "a/b/cc2"] {
        assert_eq!(store.get(key).await, absent(key), "get `{key}`");
        assert_eq!(store.exists(key).await, Ok(false), "exists `{key}`");
    }
}

async fn put_replaces_what_is_there(store: Store) {
    for bytes in [vec![1; 9_000], vec![], vec![2; 3]] {
        store.put("a/key", bytes.clone()).await.expect("put");
        assert_eq!(get(&store, "a/key").await, bytes);
    }
    assert_eq!(list(&store, "").await, ["a/key"]);
}

async fn a_reader_never_sees_half_a_write(store: Store) {
    const SIZE: usize = 200_000;
    store.put("a/key", vec![0; SIZE]).await.expect("put");
    let writer = {
        let store = Arc::clone(&store);
        tokio::spawn(async move {
            for round in 1..=20_u8 {
                store
                    .put("a/key", vec![round; SIZE + usize::from(round)])
                    .await
                    .expect("put");
            }
        })
    };
    while !writer.is_finished() {
        let bytes = get(&store, "a/key").await;
        let round = bytes[0];
        assert_eq!(bytes.len(), SIZE + usize::from(round), "length of round {round}");
        assert!(bytes.iter().all(|byte| *byte == round), "bytes of two rounds");
        assert_eq!(list(&store, "").await, ["a/key"], "only whole blobs are listed");
    }
    writer.await.expect("the writer ends");
}

async fn put_if_absent_writes_only_once(store: Store) {
    assert_eq!(store.put_if_absent("a/key", vec![1]).await, Ok(Written::Created));
    assert_eq!(store.put_if_absent("a/key", vec![2]).await, Ok(Written::Existed));
    assert_eq!(get(&store, "a/key").await, [1]);
    store.put("a/key", vec![3]).await.expect("put");
    assert_eq!(store.put_if_absent("a/key", vec![4]).await, Ok(Written::Existed));
    assert_eq!(get(&store, "a/key").await, [3]);
}

async fn one_of_many_racing_writers_wins(store: Store) {
    for round in 0..10 {
        let key = format!("race/{round}");
        let mut writers = JoinSet::new();
        for writer in 0..16_u8 {
            let (store, key) = (Arc::clone(&store), key.clone());
            writers.spawn(async move { (writer, store.put_if_absent(&key, vec![writer; 1_000]).await) });
        }
        let answers = writers.join_all().await;
        let winners: Vec<u8> = answers
            .iter()
            .filter(|(_, answer)| *answer == Ok(Written::Created))
            .map(|(writer, _)| *writer)
            .collect();
        assert_eq!(winners.len(), 1, "winners of `{key}`: {answers:?}");
        assert!(answers.iter().all(|(_, answer)| answer.is_ok()), "{answers:?}");
        assert_eq!(get(&store, &key).await, vec![winners[0]; 1_000]);
    }
}

async fn a_deleted_key_can_be_written_again(store: Store) {
    put_all(&store, &["a/key"]).await;
    store.delete("a/key").await.expect("delete");
    assert_eq!(store.put_if_absent("a/key", vec![2]).await, Ok(Written::Created));
    assert_eq!(get(&store, "a/key").await, [2]);
}

async fn deleting_an_absent_key_is_no_error(store: Store) {
    assert_eq!(store.delete("a/b/c").await, Ok(()));
    put_all(&store, &["a/b/c"]).await;
    assert_eq!(store.delete("a/b/c").await, Ok(()));
    assert_eq!(store.delete("a/b/c").await, Ok(()));
}

async fn delete_takes_only_its_own_key(store: Store) {
    put_all(&store, &["a/app", "a/app2", "a/app-1/x", "b/app"]).await;
    store.delete("a/app").await.expect("delete");
    assert_eq!(store.delete("a/app-1").await, Ok(()), "a directory is no key");
    assert_eq!(list(&store, "").await, ["a/app-1/x", "a/app2", "b/app"]);
}

async fn many_are_deleted_and_no_others(store: Store) {
    let keys: Vec<String> = (0..1_200).map(|n| format!("many/{n}")).collect();
    put_each(&store, keys.iter().cloned().collect()).await;
    put_all(&store, &["many/stays", "many2/0"]).await;
    let mut asked: Vec<String> = keys.into_iter().filter(|key| key != "many/77").collect();
    asked.push("many/absent".to_owned());
    asked.push("other/absent".to_owned());
    assert_eq!(store.delete_many(asked).await, [], "nothing failed");
    assert_eq!(list(&store, "").await, ["many/77", "many/stays", "many2/0"]);
    assert_eq!(store.delete_many(Vec::new()).await, []);
    let failures = store
        .delete_many(vec!["many/77".to_owned(), "many/../x".to_owned()])
        .await;
    let failed: Vec<&str> = failures.iter().map(|(key, _)| key.as_str()).collect();
    assert_eq!(failed, ["many/../x"], "a key outside the rules fails alone");
    assert_eq!(store.exists("many/77").await, Ok(false));
}

async fn keys_are_listed_in_byte_order(store: Store) {
    // `-` and `.` sort before `/`, `0` after; U+FF5E sorts before U+1F600 by bytes and after it by UTF-16.
    let sorted = [
        "x/A",
        "x/a-b",
        "x/a.b",
        "x/a/b",
        "x/a/b0",
        "x/a0",
        "x/aa",
        "x/\u{e9}",
        "x/\u{ff5e}",
        "x/\u{1f600}",
        "y",
    ];
    let mut shuffled = sorted;
    shuffled.reverse();
    shuffled.swap(1, 6);
    put_all(&store, &shuffled).await;
    assert_eq!(list(&store, "").await, sorted);
    assert_eq!(list(&store, "x/").await, sorted[..10]);
}

async fn a_prefix_is_literal_text(store: Store) {
    put_all(
        &store,
        &[
            "ns/app/h/2025",
            "ns/app/h/2026a",
            "ns/app/r/1",
            "ns/app2/r/1",
            "ns/app-b/r/1",
            "ns2/app/r/1",
        ],
    )
    .await;
    for (prefix, expected) in [
        (
            "ns/app",
            vec![
                "ns/app-b/r/1",
                "ns/app/h/2025",
                "ns/app/h/2026a",
                "ns/app/r/1",
                "ns/app2/r/1",
            ],
        ),
        ("ns/app/", vec!["ns/app/h/2025", "ns/app/h/2026a", "ns/app/r/1"]),
        ("ns/app/h/2026", vec!["ns/app/h/2026a"]),
        ("ns/app/h/2025", vec!["ns/app/h/2025"]),
        ("ns/app/h/2025/", vec![]),
        ("ns/a%", vec![]),
        ("ns/*", vec![]),
        ("NS", vec![]),
        ("ns2", vec!["ns2/app/r/1"]),
        ("s/app", vec![]),
        ("/ns", vec![]),
        ("ns//", vec![]),
    ] {
        assert_eq!(list(&store, prefix).await, expected, "list of `{prefix}`");
    }
    assert_eq!(list(&store, "n").await.len(), 6);
}

async fn a_prefix_that_is_a_key_lists_that_key(store: Store) {
    put_all(&store, &["a/b", "a/b.c", "a/c"]).await;
    assert_eq!(list(&store, "a/b").await, ["a/b", "a/b.c"]);
}

/// Prefixes that are names of others, and a namespace with a name that joins to the same letters.
async fn releases_whose_names_look_alike_are_apart(store: Store) {
    let keys = [
        "ns-a/pp/history/1",
        "ns/app-2/history/1",
        "ns/app.x/history/1",
        "ns/app/history/1",
        "ns/app2/history/1",
    ];
    put_all(&store, &keys).await;
    for key in keys {
        let release = key.strip_suffix("history/1").expect("the key of an entry");
        assert_eq!(list(&store, release).await, [key]);
    }
    assert_eq!(store.delete_many(list(&store, "ns/app/").await).await, []);
    assert_eq!(list(&store, "").await.len(), 4);
    assert!(list(&store, "ns/app/").await.is_empty());
}

async fn a_list_names_every_one_of_2500_keys(store: Store) {
    let keys: BTreeSet<String> = (0..2_500).map(|n| format!("many/{}/{n}", n % 7)).collect();
    put_each(&store, keys.clone()).await;
    let expected: Vec<String> = keys.into_iter().collect();
    assert_eq!(list(&store, "many/").await, expected);
}

/// Pieces that are made when they are asked for; at the end, or an error.
struct Made {
    left: Vec<usize>,
    fails: bool,
}

impl Made {
    fn of(sizes: &[usize]) -> Self {
        Self {
            left: sizes.iter().rev().copied().collect(),
            fails: false,
        }
    }
}

#[async_trait]
impl Pieces for Made {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, BlobError> {
        let number = u8::try_from(self.left.len() % 251).expect("below 251");
        match self.left.pop() {
            Some(size) => Ok(Some(vec![number; size])),
            None if self.fails => Err(BlobError::Other {
                key: "pieces".into(),
                why: "no more".into(),
            }),
            None => Ok(None),
        }
    }
}

async fn whole(pieces: &mut dyn Pieces) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let Some(piece) = pieces.next().await.expect("a piece") {
        assert!(!piece.is_empty(), "a piece is never empty");
        bytes.extend(piece);
    }
    bytes
}

async fn pieces_come_back_whole(store: Store) {
    const MIB: usize = 1024 * 1024;
    for (number, sizes) in [
        &[][..],
        &[1],
        &[MIB],
        &[MIB, 1],
        &[3, MIB, MIB],
        &[MIB; 5],
        &[5 * MIB, 1],
        &[2 * MIB; 8],
        &[11 * MIB],
    ]
    .into_iter()
    .enumerate()
    {
        let key = format!("a/{number}");
        store.put_pieces(&key, &mut Made::of(sizes)).await.expect("put_pieces");
        let expected = whole(&mut Made::of(sizes)).await;
        let mut pieces = store.get_pieces(&key).await.expect("get_pieces");
        assert!(
            whole(pieces.as_mut()).await == expected,
            "the bytes of {sizes:?} differ"
        );
        assert!(get(&store, &key).await == expected, "the bytes of {sizes:?} differ");
    }
    store.put_pieces("a/7", &mut Made::of(&[2])).await.expect("put_pieces");
    assert_eq!(get(&store, "a/7").await.len(), 2, "it is replaced");
    let absent = store.get_pieces("a/absent").await.err();
    assert_eq!(absent, Some(BlobError::NotFound { key: "a/absent".into() }));
}

async fn pieces_that_fail_write_nothing(store: Store) {
    const MIB: usize = 1024 * 1024;
    put_all(&store, &["a/old"]).await;
    for sizes in [&[][..], &[1], &[MIB; 3], &[MIB; 13]] {
        for key in ["a/new", "a/old"] {
            let mut pieces = Made::of(sizes);
            pieces.fails = true;
            let error = store.put_pieces(key, &mut pieces).await.expect_err("an error");
            assert!(error.to_string().contains("no more"), "{error}");
        }
        assert_eq!(list(&store, "").await, ["a/old"]);
        assert_eq!(get(&store, "a/old").await, b"a/old");
    }
}

async fn the_largest_blob_is_kept_whole(store: Store) {
    let mut bytes = vec![0_u8; LARGEST_BLOB];
    for (index, byte) in bytes.iter_mut().enumerate().step_by(4_093) {
        *byte = u8::try_from(index % 251).expect("below 251");
    }
    store.put("a/large", bytes.clone()).await.expect("put");
    // No assert_eq: a difference must not print 64 MiB.
    assert!(get(&store, "a/large").await == bytes, "the bytes differ");
    assert_eq!(store.put_if_absent("a/large", vec![1]).await, Ok(Written::Existed));
}
