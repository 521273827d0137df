//! Time and bytes of a fetch against `git clone --depth 1`, on the same server, in one run.
//!
//! Ours ends with all files in memory; git's with a bare repository, and with a work tree on the disk.

#![expect(clippy::print_stdout, reason = "its figures are its output")]

#[path = "../tests/support/mod.rs"]
mod support;

use std::fmt::Write as _;
use std::io::{BufWriter, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use convoy_domain::artifact::Files;
use convoy_domain::limits::Limits;
use convoy_domain::source::{GitRef, SourceRef};
use convoy_git::{GitFetcher, Options};
use convoy_ports::SourceFetcher as _;
use convoy_testkit_contract::source_fetcher::git_source;

use support::http::GitServer;
use support::repositories::{git, noise};

const FILES: usize = 5000;
const FILE_BYTES: usize = 10_000;
const ROUNDS: usize = 7;
const LARGE_FILES: usize = 50_000;

fn main() {
    let Some(server) = GitServer::start() else { return };
    server.repositories.create("app");
    for generation in 0..3 {
        server.repositories.commit("app", "main", &content(generation));
    }
    git(&server.repositories.folder("app"), &["gc", "-q"]);
    compare(&server, "app", FILES, ROUNDS);
    drop(server);

    // Where the program is told so, because it takes minutes and 2 GiB of disk.
    if std::env::args().any(|argument| argument == "large") {
        let Some(server) = GitServer::start() else { return };
        server.repositories.create("large");
        history(&server.repositories.folder("large"));
        compare(&server, "large", LARGE_FILES, 3);
    }
}

/// Prints time and bytes of a fetch of the branch `main`, and of git's.
fn compare(server: &GitServer, name: &str, files: usize, rounds: usize) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let fetcher = GitFetcher::new(Options::default()).expect("a fetcher");
    let ours = |url: &str| runtime.block_on(fetch(&fetcher, url, files));
    let url = server.http(name);
    let (mut times, mut bare, mut whole) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        times.push(time(|| ours(&url)));
        bare.push(time(|| clone(&url, true)));
        whole.push(time(|| clone(&url, false)));
    }
    let (times, bare, whole) = (median(times), median(bare), median(whole));
    let relay = Relay::start(server.plain_port);
    let url = format!("http://127.0.0.1:{}/{name}.git", relay.port);
    ours(&url);
    let our_bytes = relay.bytes.swap(0, Ordering::SeqCst);
    clone(&url, true);
    let git_bytes = relay.bytes.load(Ordering::SeqCst);
    println!("{name}: {files} files");
    println!("ours to memory            {times:>10.1?} {our_bytes:>10} bytes");
    println!("git clone --depth 1 --bare{bare:>10.1?} {git_bytes:>10} bytes");
    println!("git clone --depth 1       {whole:>10.1?}");
    println!(
        "ratio of time {:.2} to --bare, {:.2} to a work tree; of bytes {:.3}",
        times.as_secs_f64() / bare.as_secs_f64(),
        times.as_secs_f64() / whole.as_secs_f64(),
        ratio(our_bytes, git_bytes)
    );
}

/// Fills a repository with 64 commits of 16 MiB that do not pack, and a last one of small files.
fn history(folder: &Path) {
    let mut importer = Command::new("git")
        .current_dir(folder)
        .args([
            "-c",
            "core.bigFileThreshold=1m",
            "-c",
            "pack.compression=0",
            "fast-import",
            "--quiet",
        ])
        .stdin(Stdio::piped())
        .spawn()
        .expect("git");
    let mut stream = BufWriter::new(importer.stdin.take().expect("its input"));
    let mut put = |bytes: &[u8]| stream.write_all(bytes).expect("the importer reads");
    for commit in 0..=64_u64 {
        let head = format!("commit refs/heads/main\ncommitter A <a@b> {commit} +0000\ndata 1\nx\ndeleteall\n");
        put(head.as_bytes());
        if commit < 64 {
            put(b"M 644 inline large\ndata 16777216\n");
            put(&noise(commit, 16 * 1024 * 1024));
            put(b"\n");
            continue;
        }
        for number in 0..LARGE_FILES {
            let text = format!(
                "kind: ConfigMap\nmetadata: {{name: c{number}}}\ndata: {{k: v{}}}\n",
                number * 7919
            );
            let file = format!(
                "M 644 inline d{}/e{}/f{number}.yaml\ndata {}\n{text}\n",
                number % 100,
                number % 7,
                text.len()
            );
            put(file.as_bytes());
        }
    }
    stream.flush().expect("the importer reads");
    drop(stream);
    assert!(importer.wait().expect("git").success());
}

#[expect(clippy::cast_precision_loss, reason = "a ratio for people")]
fn ratio(a: u64, b: u64) -> f64 {
    a as f64 / b as f64
}

/// Text that packs about as YAML does; a tenth of it differs by generation.
fn content(generation: usize) -> Files {
    let mut state = 88_172_645_463_325_252_u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..FILES)
        .map(|number| {
            let mut text = format!("generation: {}\n", if number % 10 == 0 { generation } else { 0 });
            while text.len() < FILE_BYTES {
                let _ = writeln!(
                    text,
                    "- name: {:016x}
  value: {}",
                    random(),
                    random() % 1000
                );
            }
            text.truncate(FILE_BYTES);
            (
                format!("d{}/e{}/f{number}.yaml", number % 50, number % 7),
                text.into_bytes().into(),
            )
        })
        .collect()
}

async fn fetch(fetcher: &GitFetcher, url: &str, files: usize) {
    let source = git_source(url);
    let main = SourceRef::Git(GitRef::Branch("main".to_owned()));
    let revision = fetcher.resolve(&source, &main).await.expect("resolve");
    let answer = fetcher.fetch(&source, &main, &revision, &Limits::default()).await;
    assert_eq!(answer.expect("fetch").files.len(), files);
}

fn clone(url: &str, bare: bool) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut arguments = vec!["clone", "-q", "--depth", "1"];
    if bare {
        arguments.push("--bare");
    }
    arguments.extend([url, "clone"]);
    git(Path::new(folder.path()), &arguments);
}

fn time(work: impl FnOnce()) -> Duration {
    let started = Instant::now();
    work();
    started.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// Passes connections on and counts what the server sends.
struct Relay {
    port: u16,
    bytes: Arc<AtomicU64>,
}

impl Relay {
    fn start(to: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("its address").port();
        let bytes = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&bytes);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let Ok(server) = TcpStream::connect(("127.0.0.1", to)) else {
                    return;
                };
                let (up, down) = (
                    client.try_clone().expect("a socket"),
                    server.try_clone().expect("a socket"),
                );
                let counted = Arc::clone(&counted);
                std::thread::spawn(move || copy(up, server, &AtomicU64::new(0)));
                std::thread::spawn(move || copy(down, client, &counted));
            }
        });
        Self { port, bytes }
    }
}

fn copy(mut from: TcpStream, mut to: TcpStream, counted: &AtomicU64) {
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        counted.fetch_add(u64::try_from(length).unwrap_or_default(), Ordering::SeqCst);
        if to.write_all(&buffer[..length]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}
