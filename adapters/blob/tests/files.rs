//! What only a file store does.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use convoy_blob::{Bounds, OpenError, Options, open, open_with};
use convoy_ports::{BlobError, BlobStore};

fn open_to_read(url: &str) -> Result<Option<Arc<dyn BlobStore>>, OpenError> {
    let options = Options {
        read_only: true,
        ..Options::default()
    };
    open_with(url, &options)
}

fn open_within(url: &str, bounds: Bounds) -> Arc<dyn BlobStore> {
    let options = Options {
        bounds,
        ..Options::default()
    };
    open_with(url, &options)
        .expect("the store opens")
        .expect("the URL names a store")
}

fn store_in(dir: &Path, query: &str) -> Arc<dyn BlobStore> {
    open(&format!("file://{}?{query}", dir.display()))
        .expect("the store opens")
        .expect("the URL names a store")
}

fn files_below(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files_below(&path));
        } else {
            found.push(path);
        }
    }
    found
}

fn refusal(url: &str) -> String {
    let error = open(url).expect_err("the store does not open");
    let cause = std::error::Error::source(&error).map(ToString::to_string);
    format!("{error}: {}", cause.unwrap_or_default())
}

#[tokio::test]
async fn the_path_of_a_file_is_the_text_of_its_key() {
    let dir = tempfile::tempdir().unwrap();
    let store = store_in(dir.path(), "prefix=p-");
    let keys = ["ns/app/renders/sha256:00ff", "ns/app/100% é {x}"];
    for key in keys {
        store.put(key, key.as_bytes().to_vec()).await.unwrap();
        let path = dir.path().join(format!("p-{key}"));
        assert_eq!(fs::read(&path).unwrap(), key.as_bytes(), "{}", path.display());
    }
    assert_eq!(files_below(dir.path()).len(), keys.len(), "no temporary file stays");
}

#[tokio::test]
async fn files_that_others_put_there_are_listed_with_their_names() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("ns/app/renders")).unwrap();
    fs::write(dir.path().join("ns/app/renders/sha256:0f"), b"x").unwrap();
    fs::write(dir.path().join("ns/app/renders/sha256:0f.attrs"), b"{}").unwrap();
    let store = store_in(dir.path(), "");
    assert_eq!(
        store.list("ns/").await.unwrap(),
        ["ns/app/renders/sha256:0f", "ns/app/renders/sha256:0f.attrs"]
    );
}

#[tokio::test]
async fn what_a_crashed_write_left_is_neither_listed_nor_in_the_way() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("a")).unwrap();
    fs::write(dir.path().join("a/key#1"), b"half").unwrap();
    let store = store_in(dir.path(), "");
    assert!(store.list("").await.unwrap().is_empty());
    store.put("a/key", b"whole".to_vec()).await.unwrap();
    assert_eq!(store.list("").await.unwrap(), ["a/key"]);
    assert_eq!(store.get("a/key").await.unwrap(), b"whole");
}

#[tokio::test]
async fn a_key_that_files_cannot_have_is_refused_with_the_rule() {
    let dir = tempfile::tempdir().unwrap();
    let store = store_in(dir.path(), "");
    for (key, rule) in [
        ("a/key#1", "must not end in `#` and digits"),
        ("a/C:", "must not end in a letter and `:` or `|`"),
        ("a/pipe|", "must not end in a letter and `:` or `|`"),
    ] {
        let message = store.put(key, vec![1]).await.unwrap_err().to_string();
        assert!(message.contains(rule), "`{key}`: {message}");
    }
    assert!(fs::read_dir(dir.path()).unwrap().next().is_none());
}

#[tokio::test]
async fn a_key_below_another_key_is_an_error_and_harms_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let store = store_in(dir.path(), "");
    store.put("a/b", vec![1]).await.unwrap();
    assert!(store.put("a/b/c", vec![2]).await.is_err());
    assert!(store.put("a", vec![2]).await.is_err());
    let absent = |key: &str| Err(BlobError::NotFound { key: key.into() });
    assert_eq!(store.get("a/b/c").await, absent("a/b/c"));
    assert_eq!(store.exists("a/b/c").await, Ok(false));
    assert_eq!(store.delete("a/b/c").await, Ok(()));
    assert_eq!(store.delete("a").await, Ok(()));
    assert_eq!(store.get("a/b").await.unwrap(), [1]);
    assert_eq!(files_below(dir.path()).len(), 1);
}

#[tokio::test]
async fn a_directory_that_is_gone_is_never_an_empty_store() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("store");
    let store = store_in(&root, "create_dir=true");
    store.put("a/key", vec![1]).await.unwrap();
    fs::rename(&root, dir.path().join("elsewhere")).unwrap();
    let gone = |answer: Result<(), BlobError>| {
        let error = answer.unwrap_err();
        assert!(error.is_transient(), "{error}");
        assert!(error.to_string().contains("does not exist any more"), "{error}");
    };
    gone(store.list("").await.map(|_| ()));
    gone(store.get("a/key").await.map(|_| ()));
    gone(store.exists("a/key").await.map(|_| ()));
    gone(store.put("a/key", vec![1]).await);
    gone(store.delete("a/key").await);
    assert!(!root.exists(), "a write does not make an empty store of it");
    fs::write(&root, b"").unwrap();
    let error = store.list("").await.unwrap_err().to_string();
    assert!(error.contains("is not a directory any more"), "{error}");
}

#[test]
fn a_directory_that_cannot_be_used_is_an_error_at_the_start() {
    let dir = tempfile::tempdir().unwrap();
    let base = dir.path().display().to_string();
    fs::write(dir.path().join("file"), b"").unwrap();
    for (url, expected) in [
        (
            format!("file://{base}/absent"),
            "does not exist: create it, or add `create_dir=true`",
        ),
        (format!("file://{base}/absent?create_dir=false"), "does not exist"),
        (format!("file://{base}/file"), "is not a directory"),
        (format!("file://{base}/file?create_dir=true"), "is not a directory"),
        (format!("file://{base}/file/below"), "is not a directory"),
        (
            format!("file://{base}/file/below?create_dir=true"),
            "is not a directory",
        ),
    ] {
        let message = refusal(&url);
        assert!(message.contains(expected), "{url}: {message}");
        assert!(message.contains(&base), "the directory is named: {message}");
    }
    assert!(!dir.path().join("absent").exists());
}

/// /proc refuses new files even to root, whom permission bits do not bind.
#[cfg(target_os = "linux")]
#[test]
fn a_directory_without_permission_is_an_error_at_the_start() {
    for (url, expected) in [
        (
            "file:///proc/self",
            "`/proc/self` of the render store cannot be written: ",
        ),
        (
            "file:///proc/self/store?create_dir=true",
            "`/proc/self/store` of the render store cannot be created: ",
        ),
    ] {
        let message = refusal(url);
        assert!(message.contains(expected), "{url}: {message}");
    }
}

#[test]
fn an_empty_url_is_no_store_and_opening_leaves_no_file() {
    assert!(open("").unwrap().is_none());
    let dir = tempfile::tempdir().unwrap();
    drop(store_in(dir.path(), ""));
    assert!(files_below(dir.path()).is_empty());
}

#[tokio::test]
async fn a_blob_above_the_limit_is_neither_written_nor_read() {
    let dir = tempfile::tempdir().unwrap();
    let bounds = Bounds {
        blob_bytes: 10,
        ..Bounds::default()
    };
    let store = open_within(&format!("file://{}", dir.path().display()), bounds);
    store.put("a", vec![1; 10]).await.unwrap();
    assert_eq!(store.get("a").await.unwrap().len(), 10);
    fs::write(dir.path().join("b"), [1; 11]).unwrap();
    for answer in [store.put("c", vec![1; 11]).await, store.get("b").await.map(|_| ())] {
        let message = answer.unwrap_err().to_string();
        assert!(
            message.contains("11 bytes pass the limit `bytes of a blob` of 10"),
            "{message}"
        );
    }
    assert_eq!(store.exists("c").await, Ok(false));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_wait_for_their_turn() {
    let bounds = Bounds {
        concurrent_calls: 1,
        ..Bounds::default()
    };
    let store = open_within("mem://", bounds);
    let mut writers = tokio::task::JoinSet::new();
    for n in 0..50 {
        let store = Arc::clone(&store);
        writers.spawn(async move { store.put(&format!("a/{n}"), vec![1]).await });
    }
    assert!(writers.join_all().await.iter().all(Result::is_ok));
    assert_eq!(store.list("a/").await.unwrap().len(), 50);
}

#[tokio::test]
async fn a_reader_needs_no_permission_to_write_and_has_none() {
    let dir = tempfile::tempdir().unwrap();
    let writer = store_in(dir.path(), "prefix=p/");
    writer.put("a/key", vec![1]).await.unwrap();
    let url = format!("file://{}?create_dir=true&prefix=p/", dir.path().display());
    let reader = open_to_read(&url).unwrap().unwrap();
    assert_eq!(reader.get("a/key").await.unwrap(), [1]);
    assert_eq!(reader.list("").await.unwrap(), ["a/key"]);
    for answer in [
        reader.put("a/key", vec![2]).await,
        reader.put_if_absent("a/other", vec![2]).await.map(|_| ()),
        reader.delete("a/key").await,
    ] {
        assert!(matches!(answer, Err(BlobError::Denied { .. })), "{answer:?}");
    }
    assert_eq!(writer.get("a/key").await.unwrap(), [1]);
    let absent = dir.path().join("absent");
    let url = format!("file://{}?create_dir=true", absent.display());
    assert!(open_to_read(&url).is_err());
    assert!(!absent.exists(), "a reader makes no directory");
}

/// /proc can be read, and refuses new files even to root.
#[cfg(target_os = "linux")]
#[test]
fn a_directory_that_is_read_only_opens_to_read() {
    assert!(open_to_read("file:///proc/self").unwrap().is_some());
    assert!(open("file:///proc/self").is_err());
}

/// Makes a file look as if nothing had written to it for a time.
fn age(path: &Path, by: std::time::Duration) {
    let file = fs::File::options().write(true).open(path).expect("the file opens");
    file.set_modified(std::time::SystemTime::now() - by).expect("a time");
}

#[test]
fn only_the_temporary_files_of_dead_writers_are_removed() {
    use convoy_blob::{LeftoverKind, STALE, leftovers, remove_stale};
    let dir = tempfile::tempdir().unwrap();
    let url = format!("file://{}", dir.path().display());
    fs::create_dir_all(dir.path().join("ns/app/renders")).unwrap();
    let file = |name: &str| dir.path().join("ns/app/renders").join(name);
    for name in ["sha256:0f", "sha256:0f#1", "sha256:0f#22", "notes#x", "#7"] {
        fs::write(file(name), b"half").unwrap();
        age(&file(name), STALE);
    }
    fs::write(file("sha256:0f#3"), b"being written").unwrap();
    std::os::unix::fs::symlink("/etc/passwd", file("link")).unwrap();
    let found = leftovers(&url).unwrap();
    let names: Vec<_> = found
        .iter()
        .map(|left| left.path.file_name().unwrap().to_str().unwrap())
        .collect();
    assert_eq!(names, ["#7", "link", "sha256:0f#1", "sha256:0f#22", "sha256:0f#3"]);
    assert_eq!(found[1].kind, LeftoverKind::NotAFile);
    assert!(!found[4].is_stale());
    assert_eq!(remove_stale(&url).unwrap(), 3);
    for (name, there) in [
        ("sha256:0f", true),
        ("sha256:0f#1", false),
        ("sha256:0f#3", true),
        ("notes#x", true),
        ("#7", false),
    ] {
        assert_eq!(file(name).exists(), there, "{name}");
    }
    assert!(leftovers("mem://").unwrap().is_empty());
}

#[test]
fn a_writer_that_starts_cleans_up_after_dead_ones() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("a")).unwrap();
    let (old, new) = (dir.path().join("a/key#1"), dir.path().join("a/key#2"));
    for path in [&old, &new] {
        fs::write(path, b"half").unwrap();
    }
    age(&old, convoy_blob::STALE);
    drop(open_to_read(&format!("file://{}", dir.path().display())).unwrap());
    let _store = store_in(dir.path(), "");
    for _ in 0..1_000 {
        if !old.exists() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert!(!old.exists() && new.exists());
}
