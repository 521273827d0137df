//! Figures of the render store: 10,000 Releases of 10 entries each, and the speed of hashing.
//!
//! ```text
//! cargo bench -p convoy-runtime --bench store                               a directory, and S3 where it is installed
//! CONVOY_BENCH_RELEASES=1000 cargo bench -p convoy-runtime --bench store    fewer; CONVOY_BENCH_SERVER_RELEASES at S3
//! ```
//!
//! Each line tells how long one call took, as median and 90th percentile of 200 Releases among all of them, and how many
//! requests went to the server for it. `openssl speed` is asked for its own figure in the same run.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

use std::collections::BTreeSet;
use std::future::Future;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use convoy_blob::{Bounds, Environment, Options, open_with};
use convoy_domain::Timestamp;
use convoy_domain::history::{HistoryEntry, HistoryKey};
use convoy_domain::id::ReleaseId;
use convoy_domain::limits::Limits;
use convoy_domain::object::Object;
use convoy_domain::render::Render;
use convoy_domain::store_key;
use convoy_ports::BlobStore;
use convoy_runtime::render_store::RenderStore;
use convoy_testkit_controlplane::BlobServer;
use convoy_value::{Map, Value};
use futures::stream::{self, StreamExt};
use sha2::{Digest as _, Sha256};

const ENTRIES: usize = 10;
const SAMPLES: usize = 200;

fn release(number: usize) -> ReleaseId {
    ReleaseId::new(&format!("team-{}", number % 100), &format!("release-{number}")).expect("a name")
}

/// A render of about 10 KiB.
fn render(number: usize) -> Render {
    let object = |part: usize| {
        let metadata: Map = [("name", format!("object-{number}-{part}"))].into_iter().collect();
        let data: Map = [("text", "x".repeat(900))].into_iter().collect();
        let object: Map = [
            ("apiVersion", Value::from("v1")),
            ("data", Value::from(data)),
            ("kind", Value::from("ConfigMap")),
            ("metadata", Value::from(metadata)),
        ]
        .into_iter()
        .collect();
        Object::new(Value::from(object)).expect("an object")
    };
    Render::new((0..10).map(object).collect(), &Limits::default()).expect("a render")
}

fn time(second: usize) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + i64::try_from(second).expect("a second")).expect("a time")
}

/// The keys and bytes of one Release.
fn contents(number: usize, renders: &[(Render, Vec<u8>)]) -> Vec<(String, Vec<u8>)> {
    let id = release(number);
    let entry = |(at, (render, bytes)): (usize, &(Render, Vec<u8>))| {
        let key = HistoryKey::new(time(at), render.render_ref()).expect("a key");
        let entry = HistoryEntry::new(key, "manifests at main");
        [
            (store_key::blob(&id, render.render_ref()), bytes.clone()),
            (store_key::history(&id, &entry.key), entry.to_bytes()),
        ]
    };
    renders.iter().enumerate().flat_map(entry).collect()
}

async fn fill(place: &Place, releases: usize) -> Duration {
    let with_bytes = |render: Render| (render.clone(), render.to_bytes());
    let renders: Vec<(Render, Vec<u8>)> = (0..ENTRIES).map(render).map(with_bytes).collect();
    let started = Instant::now();
    if let Some(dir) = &place.dir {
        // By hand: each put waits for the disk several times, which is not what is to be measured here.
        for (key, bytes) in (0..releases).flat_map(|number| contents(number, &renders)) {
            let path = dir.join(key);
            std::fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
            std::fs::write(path, bytes).expect("a file");
        }
    } else {
        let all = (0..releases).flat_map(|number| contents(number, &renders));
        let puts = all.map(|(key, bytes)| async move { place.blobs.put(&key, bytes).await.expect("put") });
        stream::iter(puts).buffer_unordered(16).collect::<Vec<()>>().await;
    }
    started.elapsed()
}

/// A store, and its directory if it has one.
struct Place {
    blobs: Arc<dyn BlobStore>,
    dir: Option<PathBuf>,
}

/// Runs a call for some Releases, and prints how long one takes.
async fn measure<F: Future<Output = ()>>(
    what: &str,
    blobs: &Arc<dyn BlobStore>,
    releases: usize,
    call: impl Fn(ReleaseId) -> F,
) {
    let before = blobs.calls().requests;
    let mut times = Vec::new();
    for sample in 0..SAMPLES {
        let id = release(sample * 7_919 % releases);
        let started = Instant::now();
        call(id).await;
        times.push(started.elapsed());
    }
    times.sort();
    let requests = blobs.calls().requests - before;
    println!(
        "  {what:<28} {:>9.2} ms  {:>9.2} ms  {:>6.2} requests",
        times[SAMPLES / 2].as_secs_f64() * 1e3,
        times[SAMPLES * 9 / 10].as_secs_f64() * 1e3,
        f64::from(u32::try_from(requests).unwrap_or(u32::MAX)) / 200.0
    );
}

async fn figures(name: &str, place: Place, releases: usize) {
    let filled = fill(&place, releases).await;
    let blobs = place.blobs;
    println!("{name}: {releases} Releases of {ENTRIES} entries, filled in {filled:.1?}");
    let store = RenderStore::new(Arc::clone(&blobs));
    let (old, new) = (render(3), render(99));
    let none = BTreeSet::new();
    measure("put of a known render", &blobs, releases, |id| {
        let (store, old) = (&store, &old);
        async move { store.put_render(&id, old).await.expect("put") }
    })
    .await;
    measure("put of a new render", &blobs, releases, |id| {
        let (store, new) = (&store, &new);
        async move { store.put_render(&id, new).await.expect("put") }
    })
    .await;
    measure("get and verify", &blobs, releases, |id| {
        let (store, old) = (&store, &old);
        async move { drop(store.get_render(&id, old.render_ref()).await.expect("get")) }
    })
    .await;
    measure("list the keys of a history", &blobs, releases, |id| {
        let store = &store;
        async move { assert!(store.history_count(&id).await.expect("list") > 0) }
    })
    .await;
    measure("record a render", &blobs, releases, |id| {
        let (store, new) = (&store, &new);
        async move {
            let recorded = store.record_history(&id, new.render_ref(), "s", time(1_000)).await;
            assert!(recorded.is_ok(), "{recorded:?}");
        }
    })
    .await;
    for (what, keep) in [("collect one of eleven", 10), ("collect nine of ten", 1)] {
        measure(what, &blobs, releases, |id| {
            let (store, none) = (&store, &none);
            async move {
                let collected = store.gc(&id, Some(keep), none, || async { Ok(BTreeSet::new()) }).await;
                assert!(collected.expect("collect").failures.is_empty());
            }
        })
        .await;
    }
}

fn hashing() {
    let bytes = vec![7_u8; 16 * 1024 * 1024];
    let started = Instant::now();
    let mut rounds = 0_u32;
    while started.elapsed() < Duration::from_secs(2) {
        std::hint::black_box(Sha256::digest(&bytes));
        rounds += 1;
    }
    let speed = f64::from(rounds) * 16.0 * 1024.0 * 1024.0 / started.elapsed().as_secs_f64() / 1e9;
    println!("SHA-256: {speed:.2} GB/s");
    match Command::new("openssl")
        .args(["speed", "-seconds", "2", "-bytes", "16384", "-evp", "sha256"])
        .output()
    {
        Ok(said) => println!(
            "openssl: {}",
            String::from_utf8_lossy(&said.stdout).lines().last().unwrap_or_default()
        ),
        Err(error) => println!("openssl: {error}"),
    }
}

fn opened(url: &str, variables: Vec<(String, String)>) -> Arc<dyn BlobStore> {
    let options = Options {
        environment: Environment::default().with(variables),
        bounds: Bounds::default(),
        ..Options::default()
    };
    open_with(url, &options)
        .expect("the store opens")
        .expect("the URL names a store")
}

fn main() {
    let number = |variable| std::env::var(variable).ok().and_then(|text| text.parse().ok());
    let releases = number("CONVOY_BENCH_RELEASES").unwrap_or(10_000);
    let at_server = number("CONVOY_BENCH_SERVER_RELEASES").unwrap_or(releases);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    hashing();
    let dir = tempfile::tempdir().expect("a directory");
    let files = Place {
        blobs: opened(&format!("file://{}", dir.path().display()), Vec::new()),
        dir: Some(dir.path().to_path_buf()),
    };
    runtime.block_on(figures("files", files, releases));
    drop(dir);
    if let Some(server) = BlobServer::amazon() {
        let bucket = Place {
            blobs: opened(&server.url("bench/"), server.variables()),
            dir: None,
        };
        runtime.block_on(figures("S3", bucket, at_server));
    }
}
