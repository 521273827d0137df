//! A file store whose writer is killed, and one whose disk takes no more.
//!
//! The writer is this very program, started again with a variable that names its directory.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use convoy_blob::open;
use convoy_ports::{BlobStore, Written};
use convoy_testkit_fakes::PiecesOf;

const WRITER: &str = "CONVOY_TEST_WRITER";
const KEYS: u64 = 12;
const MIB: usize = 1024 * 1024;

fn store_in(dir: &Path) -> Arc<dyn BlobStore> {
    open(&format!("file://{}?create_dir=true", dir.display()))
        .unwrap()
        .unwrap()
}

/// What is written in a round: every byte tells the round, and so does the length.
fn content(round: u64) -> Vec<u8> {
    let length = 8 + usize::try_from(round * 7_919 % 90_000).unwrap();
    let length = if round.is_multiple_of(16) {
        length + 6 * MIB
    } else {
        length
    };
    let mut bytes = vec![u8::try_from(round % 251).unwrap(); length];
    bytes[..8].copy_from_slice(&round.to_be_bytes());
    bytes
}

/// The round that wrote these bytes, if they are whole.
fn round_of(bytes: &[u8]) -> Option<u64> {
    let round = u64::from_be_bytes(*bytes.first_chunk()?);
    (content(round) == bytes).then_some(round)
}

/// Run as a process of its own: writes and deletes until it is killed.
#[test]
fn writer() {
    let Some(dir) = std::env::var_os(WRITER) else { return };
    let store = store_in(Path::new(&dir));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let first: u64 = std::env::var("CONVOY_TEST_ROUND").unwrap().parse().unwrap();
        println!("\nready");
        for round in first.. {
            let key = format!("ns/app/{}", round % KEYS);
            match round % 4 {
                0 => store
                    .put_pieces(&key, &mut PiecesOf::new(&content(round), 200_000))
                    .await
                    .unwrap(),
                1 => store.delete(&key).await.unwrap(),
                2 => store.put(&key, content(round)).await.unwrap(),
                _ => assert!(matches!(
                    store.put_if_absent(&key, content(round)).await.unwrap(),
                    Written::Created | Written::Existed
                )),
            }
        }
    });
}

fn started(dir: &Path, round: u64) -> Child {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "writer", "--nocapture", "--test-threads=1"])
        .env(WRITER, dir)
        .env("CONVOY_TEST_ROUND", round.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(
        lines.any(|line| line.is_ok_and(|line| line == "ready")),
        "the writer did not start"
    );
    child
}

#[tokio::test]
async fn a_writer_that_is_killed_200_times_leaves_no_torn_blob() {
    let dir = tempfile::tempdir().unwrap();
    let mut left_half = 0;
    for kill in 0..200_u64 {
        let mut child = started(dir.path(), kill * 10_000);
        // A moment that differs each time and does not depend on chance: in this range lie several writes of each kind.
        std::thread::sleep(Duration::from_micros(kill * 7_919 % 23_000));
        child.kill().unwrap();
        child.wait().unwrap();
        let store = store_in(dir.path());
        for key in store.list("").await.unwrap() {
            let bytes = store.get(&key).await.unwrap();
            assert!(
                round_of(&bytes).is_some(),
                "`{key}` is torn after kill {kill}: {} bytes",
                bytes.len()
            );
        }
        left_half = left_half.max(
            convoy_blob::leftovers(&format!("file://{}", dir.path().display()))
                .unwrap()
                .len(),
        );
    }
    assert!(
        left_half > 0,
        "no kill came in the middle of a write: the test shows nothing"
    );
}

/// Run as a process of its own whose files may have 32 KiB.
#[test]
fn limited_writer() {
    let Some(dir) = std::env::var_os("CONVOY_TEST_LIMITED") else {
        return;
    };
    let store = store_in(Path::new(&dir));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        store.put("a/small", vec![1; 1_000]).await.unwrap();
        store.put("a/old", vec![1; 1_000]).await.unwrap();
        for key in ["a/large", "a/old"] {
            store.put(key, vec![2; 100_000]).await.unwrap_err();
            store.put_if_absent("a/large", vec![2; 100_000]).await.unwrap_err();
            for size in [40_000, 2 * MIB, 12 * MIB] {
                store
                    .put_pieces(key, &mut PiecesOf::new(&vec![2; size], 30_000))
                    .await
                    .unwrap_err();
            }
        }
        assert_eq!(store.list("").await.unwrap(), ["a/old", "a/small"]);
        assert_eq!(store.get("a/old").await.unwrap(), vec![1; 1_000]);
        store.put("a/small", vec![3; 1_000]).await.unwrap();
    });
}

#[test]
fn a_disk_that_takes_no_more_keeps_what_was_there_and_nothing_by_half() {
    let dir = tempfile::tempdir().unwrap();
    let ended = Command::new("/bin/sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 64; exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "limited_writer", "--test-threads=1"])
        .env("CONVOY_TEST_LIMITED", dir.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.success() && said.contains("1 passed"), "{said}");
    let left = convoy_blob::leftovers(&format!("file://{}", dir.path().display())).unwrap();
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(std::fs::read(dir.path().join("a/small")).unwrap(), vec![3; 1_000]);
}
