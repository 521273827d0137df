//! `convoy store` on directories: what was planted is found, and copies are whole.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[expect(dead_code, reason = "other test files use the rest")]
mod common;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use common::{Ended, run, run_in};
use sha2::{Digest as _, Sha256};

const BLOB: &str = "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"}}\n";

fn name_of(bytes: &str) -> String {
    let mut name = "sha256:".to_owned();
    for byte in Sha256::digest(bytes) {
        write!(name, "{byte:02x}").unwrap();
    }
    name
}

fn put(dir: &Path, key: &str, text: &str) {
    let path = dir.join(key);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn put_entry(dir: &Path, release: &str, render: &str) {
    let text =
        format!("{{\"renderRef\":\"{render}\",\"syncedAt\":\"2026-12-01T00:00:00.000000001Z\",\"summary\":\"s\"}}");
    put(
        dir,
        &format!("{release}/history/20261201T000000.000000001Z-{render}"),
        &text,
    );
}

/// A store with one Release whose render is whole and recorded.
fn store() -> (tempfile::TempDir, String) {
    let dir = tempfile::tempdir().unwrap();
    put(dir.path(), &format!("web/shop/renders/{}", name_of(BLOB)), BLOB);
    put_entry(dir.path(), "web/shop", &name_of(BLOB));
    let url = format!("file://{}", dir.path().display());
    (dir, url)
}

fn fsck(url: &str, more: &[&str]) -> Ended {
    run(&[&["store", "fsck", "--render-store-url", url], more].concat())
}

#[test]
fn a_whole_store_has_no_findings() {
    let (_dir, url) = store();
    fsck(&url, &[])
        .exits(0)
        .prints("")
        .says("1 render of 63 bytes, 1 entry of history, 1 Release");
    run(&["store", "fsck"])
        .exits(2)
        .says("there is no render store to check");
    fsck("mem://", &[]).exits(1).says("private to the process");
    fsck("file:///nowhere", &[]).exits(1).says("does not exist");
}

#[test]
fn a_check_finds_what_was_planted() {
    let (dir, url) = store();
    let dir = dir.path();
    let other = name_of("other");
    put(dir, &format!("web/shop/renders/{other}"), &BLOB[..30]);
    put(dir, &format!("web/torn/renders/{}", name_of(BLOB)), "");
    put_entry(dir, "web/lost", &name_of(BLOB));
    put(
        dir,
        &format!("web/shop/history/20261202T000000.000000001Z-{}", name_of(BLOB)),
        "{",
    );
    put(dir, "web/shop/notes.txt", "x");
    let temporary = format!("web/shop/renders/{other}#1");
    put(dir, &temporary, "half");
    let two_hours_ago = SystemTime::now() - Duration::from_hours(2);
    fs::File::options()
        .write(true)
        .open(dir.join(&temporary))
        .unwrap()
        .set_modified(two_hours_ago)
        .unwrap();
    let ended = fsck(&url, &["-o", "json"])
        .exits(1)
        .says("4 keys of the render store are damaged");
    let found: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    let mut problems: Vec<String> = found["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| {
            format!(
                "{} {}",
                finding["problem"].as_str().unwrap(),
                finding["key"].as_str().unwrap()
            )
        })
        .collect();
    problems.sort();
    let expected = [
        format!("corrupt web/shop/renders/{other}"),
        format!("corrupt web/torn/renders/{}", name_of(BLOB)),
        format!(
            "damaged-entry web/shop/history/20261202T000000.000000001Z-{}",
            name_of(BLOB)
        ),
        "foreign web/shop/notes.txt".to_owned(),
        format!("no-blob web/lost/history/20261201T000000.000000001Z-{}", name_of(BLOB)),
        format!("orphan web/shop/renders/{other}"),
        format!("orphan web/torn/renders/{}", name_of(BLOB)),
        format!("temporary {}/{temporary}", dir.display()),
    ];
    assert_eq!(problems, expected);
    fsck(&url, &["web/lost/"])
        .exits(1)
        .says("1 key of the render store is damaged");
    assert!(dir.join(&temporary).exists(), "a check changes nothing");
    fsck(&url, &["--clean"]).exits(1).says("removed 1 temporary file");
    assert!(!dir.join(&temporary).exists());
}

#[test]
fn a_copy_can_be_sealed_and_opened_again() {
    let (from_dir, from) = store();
    put(from_dir.path(), "web/shop/notes.txt", "x");
    let (work, target, back) = (
        tempfile::tempdir().unwrap(),
        tempfile::tempdir().unwrap(),
        tempfile::tempdir().unwrap(),
    );
    fs::write(work.path().join("keys"), format!("{}\n", "0b".repeat(32))).unwrap();
    let to = format!("file://{}", target.path().display());
    let migrate = |arguments: &[&str]| run_in(work.path(), &[&["store", "migrate"][..], arguments].concat());
    let ended = migrate(&[&from, &to, "--to-encryption-key-file", "keys"]).exits(0);
    assert!(
        ended.stdout.contains("foreign") && ended.stdout.contains("notes.txt"),
        "{}",
        ended.stdout
    );
    ended.says("copied 1 render of 63 bytes and 1 entry of history; 0 were there already");
    migrate(&[&from, &to, "--to-encryption-key-file", "keys"])
        .exits(0)
        .says("2 were there already");
    let blob = target.path().join(format!("web/shop/renders/{}", name_of(BLOB)));
    assert!(!fs::read(&blob).unwrap().windows(9).any(|part| part == b"ConfigMap"));
    let told = fsck(&to, &[]).exits(1);
    assert!(
        told.stdout.contains("unknown-key") && told.stdout.contains("which is not in the key file"),
        "{}",
        told.stdout
    );
    let sealed = [
        "store",
        "fsck",
        "--render-store-url",
        &to,
        "--render-store-encryption-key-file",
        "keys",
    ];
    let told = run_in(work.path(), &sealed).exits(0).says("1 render sealed with key ");
    assert!(!told.stderr.contains("0b0b0b0b"), "{}", told.stderr);
    let clear = format!("file://{}", back.path().display());
    migrate(&[&to, &clear, "--from-encryption-key-file", "keys"]).exits(0);
    assert_eq!(
        fs::read_to_string(back.path().join(format!("web/shop/renders/{}", name_of(BLOB)))).unwrap(),
        BLOB
    );
    fs::write(&blob, "torn").unwrap();
    let again_dir = tempfile::tempdir().unwrap();
    let again = format!("file://{}", again_dir.path().display());
    migrate(&[&to, &again]).exits(1);
    migrate(&[&from, &from])
        .exits(2)
        .says("a store cannot be copied into itself");
    migrate(&[&from, &to, "--to-encryption-key-file", "absent"]).exits(1);
}

#[test]
fn garbage_is_told_only_with_the_releases_of_a_cluster() {
    let (_dir, url) = store();
    run(&["store", "gc", "--render-store-url", &url])
        .exits(2)
        .says("--dry-run");
    run(&[
        "store",
        "gc",
        "--dry-run",
        "--server",
        "http://127.0.0.1:9",
        "--render-store-url",
        &url,
    ])
    .exits(1)
    .says("cannot list the Releases");
}
