//! What a large render costs in memory on its way to and from a store: measured on processes of their own, since the peak of
//! a process says nothing of one of its tests.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::process::Command;
use std::sync::Arc;

use async_trait::async_trait;
use convoy_blob::{Environment, Options, open_with};
use convoy_domain::id::ReleaseId;
use convoy_domain::render_ref::RenderRef;
use convoy_ports::{BlobError, Pieces};
use convoy_runtime::render_store::{Keyring, RenderStore};
use convoy_testkit_controlplane::BlobServer;
use convoy_testkit_fakes::FakeEntropy;
use sha2::{Digest as _, Sha256};

const URL: &str = "CONVOY_TEST_STORE";
const MIB: usize = 1024 * 1024;

/// Lines of an object each, made when they are asked for.
struct Lines {
    left: usize,
}

impl Lines {
    fn piece(&self) -> Vec<u8> {
        let line = format!(
            "{{\"kind\":\"ConfigMap\",\"n\":{},\"x\":\"{}\"}}\n",
            self.left,
            "x".repeat(4_000)
        );
        line.repeat(MIB / line.len() + 1).into_bytes()
    }
}

#[async_trait]
impl Pieces for Lines {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, BlobError> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        Ok(Some(self.piece()))
    }
}

async fn hash(pieces: &mut dyn Pieces) -> (RenderRef, usize) {
    let (mut hash, mut bytes) = (Sha256::new(), 0);
    while let Some(piece) = pieces.next().await.unwrap() {
        hash.update(&piece);
        bytes += piece.len();
    }
    (RenderRef::from_digest(hash.finalize().into()), bytes)
}

/// Run as a process of its own: stores a render, verifies it, reads it, and tells its peak.
#[test]
fn keeper() {
    let Ok(url) = std::env::var(URL) else { return };
    let pieces: usize = std::env::var("CONVOY_TEST_MIB").unwrap().parse().unwrap();
    let options = Options {
        environment: Environment::of_process(),
        ..Options::default()
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let store = RenderStore::from(open_with(&url, &options).unwrap());
        let store = if std::env::var_os("CONVOY_TEST_SEALED").is_some() {
            store.sealed(Keyring::parse(&"07".repeat(32)).unwrap(), Arc::new(FakeEntropy::new()))
        } else {
            store
        };
        let release = ReleaseId::new("team", "large").unwrap();
        let (render_ref, bytes) = hash(&mut Lines { left: pieces }).await;
        store
            .put_pieces(&release, render_ref, &mut Lines { left: pieces })
            .await
            .unwrap();
        let (verified, mut stored) = store.pieces(&release, render_ref).await.unwrap();
        assert_eq!(verified.bytes, bytes as u64);
        assert_eq!(hash(&mut stored).await, (render_ref, bytes));
    });
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    println!("\n{peak}");
}

/// MiB of memory that the process had at its peak.
fn peak(url: &str, mib: usize, variables: &[(String, String)]) -> u64 {
    let ended = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "keeper", "--nocapture", "--test-threads=1"])
        .env(URL, url)
        .env("CONVOY_TEST_MIB", mib.to_string())
        .envs(variables.iter().cloned())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ended.stdout).into_owned();
    let told = String::from_utf8_lossy(&ended.stderr);
    let line = said.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let line = line.unwrap_or_else(|| panic!("{said}\n{told}"));
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024
}

#[test]
fn a_render_of_64_mib_passes_in_less_than_32_mib() {
    let dir = tempfile::tempdir().unwrap();
    let url = format!("file://{}", dir.path().display());
    let clear = peak(&url, 64, &[]);
    // Fewer bytes: ciphers without optimisation take their time.
    let sealed = peak(&url, 16, &[("CONVOY_TEST_SEALED".to_owned(), "1".to_owned())]);
    println!("files: {clear} MiB, sealed {sealed} MiB");
    assert!(clear < 32 && sealed < 32, "{clear} MiB, sealed {sealed} MiB");
}

#[test]
fn at_a_server_too() {
    let Some(server) = BlobServer::amazon() else { return };
    let peak = peak(&server.url("large/"), 64, &server.variables());
    println!("S3: {peak} MiB");
    assert!(peak < 32, "{peak} MiB");
}
