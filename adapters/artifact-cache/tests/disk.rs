//! The disk tier: the suite of its port, restarts, and what people and accidents do to files.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use convoy_artifact_cache::{DiskStore, OpenError};
use convoy_domain::access::Credentials;
use convoy_domain::artifact::Revision;
use convoy_domain::secret::Secret;
use convoy_domain::sharing::ArtifactKey;
use convoy_domain::source::{GitRef, SourceRef};
use convoy_ports::{ArtifactStore, ArtifactStoreError};
use convoy_testkit_contract::artifact_store::{self, artifact, key};
use convoy_testkit_contract::source_fetcher::git_source;
use tempfile::TempDir;

const BOUND: u64 = 10_000;

fn open(folder: &TempDir) -> DiskStore {
    DiskStore::open(folder.path(), BOUND).expect("a store")
}

fn names(folder: &Path) -> Vec<PathBuf> {
    let mut names: Vec<PathBuf> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    names.sort();
    names
}

/// The one content of a folder.
fn content(folder: &TempDir) -> PathBuf {
    let contents = names(&folder.path().join("content"));
    assert_eq!(contents.len(), 1);
    contents[0].clone()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    ["content", "index", "temporary"]
        .iter()
        .flat_map(|name| names(&folder.join(name)))
        .collect()
}

fn bytes_on_disk(folder: &TempDir) -> u64 {
    let contents = names(&folder.path().join("content"));
    contents
        .iter()
        .map(|path| fs::metadata(path).expect("a file").len())
        .sum()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_suite_of_the_port_holds() {
    let folder = tempfile::tempdir().unwrap();
    let count = std::sync::atomic::AtomicU32::new(0);
    artifact_store::run(|bound| {
        let number = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let store = DiskStore::open(&folder.path().join(number.to_string()), bound).unwrap();
        Arc::new(store) as Arc<dyn ArtifactStore>
    })
    .await;
}

/// What is done to a file.
type Harm = fn(&Path);

#[tokio::test]
async fn what_was_kept_is_there_after_a_restart_and_the_latest_stay() {
    let folder = tempfile::tempdir().unwrap();
    let large = vec![7; 3_000];
    let store = open(&folder);
    for commit in ["1", "2", "3"] {
        store.put(&key("app", commit), &artifact(commit, &large)).await.unwrap();
        // Times of files tell who was used last.
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    store.get(&key("app", "1")).await.unwrap().unwrap();
    let bytes = store.usage().bytes;
    assert_eq!(bytes, bytes_on_disk(&folder));
    drop(store);

    let store = open(&folder);
    assert_eq!((store.usage().entries, store.usage().bytes), (3, bytes));
    assert_eq!(
        store.get(&key("app", "2")).await,
        Ok(Some(artifact("2", &large))),
        "as it was put"
    );
    drop(store);

    // A smaller bound: the one that was used longest ago goes.
    let store = DiskStore::open(folder.path(), 7_000).unwrap();
    assert_eq!(store.get(&key("app", "3")).await, Ok(None));
    assert!(store.get(&key("app", "1")).await.unwrap().is_some());
    assert!(store.get(&key("app", "2")).await.unwrap().is_some());
    assert_eq!(store.usage().bytes, bytes_on_disk(&folder));
}

#[tokio::test]
async fn a_file_that_was_changed_is_noticed_deleted_and_can_be_kept_again() {
    let harm: [(&str, Harm); 6] = [
        ("a byte", |path| {
            let mut bytes = fs::read(path).unwrap();
            let last = bytes.len() - 1;
            bytes[last] ^= 1;
            fs::write(path, bytes).unwrap();
        }),
        ("a path", |path| {
            let bytes = fs::read(path).unwrap();
            let text = String::from_utf8(bytes).unwrap();
            fs::write(path, text.replace("a.yaml", "../yam")).unwrap();
        }),
        ("cut", |path| {
            let bytes = fs::read(path).unwrap();
            fs::write(path, &bytes[..bytes.len() - 3]).unwrap();
        }),
        ("longer", |path| {
            let mut bytes = fs::read(path).unwrap();
            bytes.extend_from_slice(b"more");
            fs::write(path, bytes).unwrap();
        }),
        ("a link", |path| {
            let elsewhere = path.with_extension("elsewhere");
            fs::rename(path, &elsewhere).unwrap();
            symlink(&elsewhere, path).unwrap();
        }),
        ("gone", |path| fs::remove_file(path).unwrap()),
    ];
    for (name, harm) in harm {
        let folder = tempfile::tempdir().unwrap();
        let store = open(&folder);
        let (key, kept) = (key("app", "1f"), artifact("1f", b"hello"));
        store.put(&key, &kept).await.unwrap();
        harm(&content(&folder));
        let found = store.get(&key).await;
        assert!(
            matches!(found, Err(ArtifactStoreError::Damaged { .. })),
            "{name}: {found:?}"
        );
        assert_eq!(store.get(&key).await, Ok(None), "{name}");
        let usage = store.usage();
        assert_eq!((usage.bytes, usage.entries, usage.misses), (0, 0, 2), "{name}");
        assert_eq!(names(&folder.path().join("index")), Vec::<PathBuf>::new(), "{name}");
        assert_eq!(store.put(&key, &kept).await, Ok(true), "{name}");
        assert_eq!(store.get(&key).await, Ok(Some(kept)), "{name}");
    }
}

#[tokio::test]
async fn what_was_left_half_done_or_belongs_to_nothing_is_cleared_away_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    store.put(&key("app", "1f"), &artifact("1f", b"x")).await.unwrap();
    drop(store);
    let at = |name: &str| folder.path().join(name);
    let name = |digit: &str| digit.repeat(64);
    fs::write(at("temporary/0"), b"half").unwrap();
    fs::write(at(&format!("content/{}", name("a"))), b"named by nobody").unwrap();
    fs::write(at(&format!("index/{}", name("b"))), name("c")).unwrap();
    fs::write(at(&format!("index/{}", name("d"))), "../../etc/passwd").unwrap();
    fs::write(at(&format!("index/{}", name("e"))), vec![b'f'; 100_000]).unwrap();
    symlink("/etc/passwd", at(&format!("content/{}", name("f")))).unwrap();
    fs::write(at("index/README"), "of somebody else").unwrap();
    fs::create_dir(at(&format!("content/{}", name("0")))).unwrap();
    let store = open(&folder);
    assert_eq!(store.usage().entries, 1);
    assert!(store.get(&key("app", "1f")).await.unwrap().is_some());
    assert!(Path::new("/etc/passwd").exists());
    let left = files(folder.path());
    let ours = |path: &&PathBuf| fs::symlink_metadata(path).unwrap().is_file() && !path.ends_with("README");
    assert_eq!(left.iter().filter(ours).count(), 2, "{left:?}");
}

#[tokio::test]
async fn files_are_the_owners_alone_and_a_folder_has_one_process() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    store.put(&key("app", "1f"), &artifact("1f", b"x")).await.unwrap();
    for path in files(folder.path()).into_iter().chain([folder.path().join("lock")]) {
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", path.display());
    }
    for name in ["content", "index", "temporary"] {
        let mode = fs::metadata(folder.path().join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "{name}");
    }
    let second = DiskStore::open(folder.path(), BOUND);
    assert!(matches!(second, Err(OpenError::InUse { .. })), "{second:?}");
    drop(store);
    open(&folder);
}

#[tokio::test]
async fn a_disk_that_refuses_leaves_nothing_behind_and_heals() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let aside = folder.path().join("aside");
    fs::rename(folder.path().join("content"), &aside).unwrap();
    let put = store.put(&key("app", "1f"), &artifact("1f", b"x")).await;
    assert!(matches!(put, Err(ArtifactStoreError::Unavailable { .. })), "{put:?}");
    assert_eq!((store.usage().bytes, store.usage().entries), (0, 0));
    assert_eq!(names(&folder.path().join("temporary")), Vec::<PathBuf>::new());
    fs::rename(aside, folder.path().join("content")).unwrap();
    assert_eq!(store.put(&key("app", "1f"), &artifact("1f", b"x")).await, Ok(true));
    let no_folder = folder.path().join("file");
    fs::write(&no_folder, b"").unwrap();
    let opened = DiskStore::open(&no_folder, BOUND);
    assert!(matches!(opened, Err(OpenError::Folder { .. })), "{opened:?}");
}

#[tokio::test]
async fn no_credential_url_or_name_reaches_the_disk() {
    const CANARY: &str = "c4n4ry";
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let mut source = git_source(&format!("https://git.example/{CANARY}/app"));
    source.access.credentials = Credentials::Token(Secret::new(CANARY.to_owned()));
    source.access.authorities = Some(CANARY.as_bytes().to_vec());
    let wanted = SourceRef::Git(GitRef::Branch(CANARY.to_owned()));
    let revision = Revision("1f".to_owned());
    let key = ArtifactKey::new(&source, &wanted, &revision);
    assert_eq!(store.put(&key, &artifact("1f", b"x")).await, Ok(true));
    source.access.proxy = Some(Secret::new(format!("http://user:{CANARY}@proxy")));
    let with_password = ArtifactKey::new(&source, &wanted, &revision);
    assert_eq!(store.put(&with_password, &artifact("1f", b"x")).await, Ok(false));
    let all = files(folder.path());
    assert_eq!(all.len(), 2);
    for path in all {
        assert!(!path.display().to_string().contains(CANARY));
        let bytes = fs::read(&path).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains(CANARY), "{}", path.display());
    }
}
