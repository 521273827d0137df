//! A chart out of an index of 50 MiB with 100,000 versions: CPU and memory beside `helm pull`, in one run.
//!
//! `cargo bench -p convoy-helm-repo` prints one line for each way.

#![expect(clippy::print_stdout, reason = "a program that prints a table")]

#[path = "../tests/support/mod.rs"]
mod support;

use std::process::Command;
use std::time::Duration;

use convoy_ports::SourceFetcher as _;
use convoy_testkit_controlplane::component::require;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;

use support::server::Server;
use support::{chart, fetcher, large, source, take};

/// CPU time of this process or of the children that have ended, and the most memory that one of them held, in MiB.
fn usage(who: UsageWho) -> (Duration, i64) {
    let usage = getrusage(who).expect("a usage");
    let time = |value: TimeVal| {
        let micros = value.tv_sec() * 1_000_000 + value.tv_usec();
        Duration::from_micros(u64::try_from(micros).unwrap_or_default())
    };
    (
        time(usage.user_time()) + time(usage.system_time()),
        usage.max_rss() / 1024,
    )
}

fn main() {
    let (Some(helm), Some(server)) = (require("helm"), Server::start()) else {
        return;
    };
    let bytes = large::write(&server.root().join("index.yaml"));
    std::fs::create_dir(server.root().join("files")).expect("a folder");
    let file = server.root().join(format!("files/{}.tgz", large::REVISION));
    std::fs::write(file, large::archive()).expect("an archive");
    println!("index.yaml: {} MiB, 100,000 versions", bytes >> 20);

    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let (fetcher, source) = (fetcher(), source(&server.http("")));
    let wanted = chart(large::CHART, large::VERSION);
    let (before, _) = usage(UsageWho::RUSAGE_SELF);
    let artifact = runtime.block_on(take(&fetcher, &source, &wanted)).expect("a chart");
    let (after, memory) = usage(UsageWho::RUSAGE_SELF);
    assert_eq!(artifact.revision.shown(), large::REVISION);
    let first = after.saturating_sub(before);
    runtime.block_on(fetcher.resolve(&source, &wanted)).expect("a revision");
    let again = usage(UsageWho::RUSAGE_SELF).0.saturating_sub(after);

    let home = tempfile::tempdir().expect("a folder");
    let (before, _) = usage(UsageWho::RUSAGE_CHILDREN);
    let output = Command::new(helm)
        .env_clear()
        .env("HOME", home.path())
        .args([
            "pull",
            large::CHART,
            "--version",
            large::VERSION,
            "--repo",
            &server.http(""),
            "-d",
        ])
        .arg(home.path())
        .output()
        .expect("helm runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let (after, memory_of_helm) = usage(UsageWho::RUSAGE_CHILDREN);
    let pulled = after.saturating_sub(before);

    let ratio = |own: Duration| pulled.as_secs_f64() / own.as_secs_f64().max(0.000_001);
    println!("helm pull:    {:8.3} s CPU, {memory_of_helm} MiB", pulled.as_secs_f64());
    println!(
        "first time:   {:8.3} s CPU, {memory} MiB: {:.1} times less",
        first.as_secs_f64(),
        ratio(first)
    );
    println!(
        "look-up again:{:8.3} s CPU: {:.0} times less",
        again.as_secs_f64(),
        ratio(again)
    );
}
