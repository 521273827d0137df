//! An index of 50 MiB with 100,000 versions is read within 150 MiB.
//!
//! One test in a process of its own, whose peak is asked of the system.

mod support;

use convoy_ports::SourceFetcher as _;

use support::server::Server;
use support::{chart, fetcher, large, source};

/// The most that this process has held, in KiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("a status");
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("a peak");
    let digits: String = line.chars().filter(char::is_ascii_digit).collect();
    digits.parse().expect("a number")
}

#[tokio::test]
async fn a_large_index_is_read_within_150_mib() {
    let Some(server) = Server::start() else { return };
    let bytes = large::write(&server.root().join("index.yaml"));
    assert!(bytes >= 50 << 20, "{bytes}");
    let before = peak();
    let (fetcher, source) = (fetcher(), source(&server.http("")));
    for _ in 0..2 {
        let revision = fetcher.resolve(&source, &chart(large::CHART, large::VERSION)).await;
        assert_eq!(revision.expect("a revision").shown(), large::REVISION);
    }
    fetcher.verify(&source).await.expect("a repository");
    let seen = peak();
    assert!(seen < 150 << 10, "{seen} KiB, {before} KiB of them before");
}
