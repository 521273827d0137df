//! A real server behind a relay that delays, cuts, corrupts, stalls and lies: each fault gives its error in time,
//! and the next good answer heals it.

mod support;

use std::time::{Duration, Instant};

use convoy_domain::artifact::Revision;
use convoy_domain::limits::Limits;
use convoy_domain::source::{GitRef, Source, SourceRef};
use convoy_git::GitFetcher;
use convoy_ports::{FetchError, SourceFetcher as _};
use convoy_testkit_contract::source_fetcher::{files, git_source};
use convoy_testkit_faultproxy::{Fault, FaultProxy};
use gix::objs::tree::EntryKind;

use support::http::GitServer;
use support::repositories::{git, noise, tree};

const HEAD: SourceRef = SourceRef::Git(GitRef::Head);
const TIMEOUT: Duration = Duration::from_millis(1500);

fn server() -> Option<(GitServer, Revision)> {
    let server = GitServer::start()?;
    server.repositories.create("app");
    let revision = server
        .repositories
        .commit("app", "main", &files(&[("a", &noise(1, 300_000))]));
    Some((server, revision))
}

fn answer(status: &str, headers: &str) -> Fault {
    Fault::Answer(format!("HTTP/1.1 {status}\r\n{headers}Content-Length: 0\r\nConnection: close\r\n\r\n").into_bytes())
}

async fn fetch(fetcher: &GitFetcher, source: &Source, revision: &Revision) -> Result<(), FetchError> {
    let artifact = fetcher.fetch(source, &HEAD, revision, &Limits::default()).await?;
    assert_eq!(artifact.files["a"].len(), 300_000);
    Ok(())
}

/// The name of an error's variant.
fn kind(error: &FetchError) -> &'static str {
    match error {
        FetchError::Authentication { .. } => "Authentication",
        FetchError::Busy { .. } => "Busy",
        FetchError::HostRefused { .. } => "HostRefused",
        FetchError::Invalid { .. } => "Invalid",
        FetchError::NotARepository { .. } => "NotARepository",
        FetchError::Timeout { .. } => "Timeout",
        FetchError::Unreachable { .. } => "Unreachable",
        FetchError::Limit { .. } => "Limit",
        FetchError::HostNotTrusted { .. }
        | FetchError::Tls { .. }
        | FetchError::RefNotFound { .. }
        | FetchError::IndexInvalid { .. }
        | FetchError::ChartNotFound { .. }
        | FetchError::NoChartLayer { .. }
        | FetchError::Signature { .. }
        | FetchError::Unsupported { .. } => "another",
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_fault_gives_its_error_and_the_next_good_answer_heals_it() {
    let Some((server, revision)) = server() else { return };
    let proxy = FaultProxy::start(server.plain_port);
    let source = Source {
        timeout: TIMEOUT,
        ..git_source(&format!("http://127.0.0.1:{}/app.git", proxy.port()))
    };
    let circle = format!(
        "Location: http://127.0.0.1:{}/app.git/info/refs?service=git-upload-pack\r\n",
        proxy.port()
    );
    for (fault, expect) in [
        (Fault::Refuse, &["Unreachable"][..]),
        (Fault::CutAfter(0), &["Unreachable"]),
        (Fault::CutAfter(20), &["Unreachable"]),
        (Fault::CutAfter(300), &["Unreachable"]),
        (Fault::CutAfter(5_000), &["Unreachable"]),
        (Fault::CutAfter(200_000), &["Unreachable"]),
        (Fault::StallAfter(0), &["Timeout"]),
        (Fault::StallAfter(100_000), &["Timeout"]),
        (Fault::Delay(Duration::from_secs(2)), &["Timeout"]),
        (Fault::Corrupt(0), &["Unreachable"]),
        (Fault::Corrupt(150_000), &["Invalid"]),
        (Fault::Corrupt(250_000), &["Invalid"]),
        (answer("401 Unauthorized", ""), &["Authentication"]),
        (answer("403 Forbidden", ""), &["Authentication"]),
        (answer("404 Not Found", ""), &["NotARepository"]),
        (answer("429 Too Many Requests", "Retry-After: 30\r\n"), &["Busy"]),
        (answer("429 Too Many Requests", ""), &["Unreachable"]),
        (answer("500 Internal Server Error", ""), &["Unreachable"]),
        (answer("503 Service Unavailable", "Retry-After: 30\r\n"), &["Busy"]),
        (answer("302 Found", &circle), &["HostRefused"]),
        (answer("200 OK", ""), &["NotARepository"]),
    ] {
        // A new fetcher has no connection from before the fault.
        let fetcher = support::fetcher();
        proxy.set(fault.clone());
        let started = Instant::now();
        let error = fetch(&fetcher, &source, &revision).await.expect_err("a fault");
        assert!(expect.contains(&kind(&error)), "{fault:?}: {error:?}");
        assert!(
            started.elapsed() < TIMEOUT + Duration::from_secs(2),
            "{fault:?}: {:?}",
            started.elapsed()
        );
        let transient = matches!(kind(&error), "Unreachable" | "Timeout" | "Busy");
        assert_eq!(error.is_transient(), transient, "{error:?}");
        proxy.set(Fault::None);
        let patient = Source {
            timeout: Duration::from_mins(1),
            ..source.clone()
        };
        assert_eq!(fetch(&fetcher, &patient, &revision).await, Ok(()), "after {fault:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_fails_for_a_while_is_asked_again_a_few_times() {
    let Some((server, revision)) = server() else { return };
    let proxy = FaultProxy::start(server.plain_port);
    let source = git_source(&format!("http://127.0.0.1:{}/app.git", proxy.port()));
    let count = async |fault: Fault| {
        proxy.set(fault);
        let before = proxy.connections();
        fetch(&support::fetcher(), &source, &revision)
            .await
            .expect_err("a fault");
        proxy.connections() - before
    };
    assert_eq!(count(answer("503 Service Unavailable", "")).await, 3);
    assert_eq!(count(answer("404 Not Found", "")).await, 1);
    assert_eq!(
        count(answer("429 Too Many Requests", "Retry-After: 100\r\n")).await,
        1,
        "not before it is over"
    );
    // A server that is back in a second is fetched from in one call.
    proxy.set(answer("429 Too Many Requests", "Retry-After: 1\r\n"));
    let started = Instant::now();
    let (answer, ()) = tokio::join!(async { fetch(&support::fetcher(), &source, &revision).await }, async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        proxy.set(Fault::None);
    });
    assert_eq!(answer, Ok(()));
    assert!(started.elapsed() >= Duration::from_secs(1), "{:?}", started.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tip_over_the_limit_ends_while_it_is_received() {
    let Some(server) = GitServer::start() else { return };
    server.repositories.create("app");
    let folder = server.repositories.folder("app");
    // Stored as it is, which is quick.
    for (key, value) in [("core.compression", "0"), ("core.bigFileThreshold", "1m")] {
        git(&folder, &["config", key, value]);
    }
    let large = folder.join("large");
    std::fs::write(&large, noise(1, 90_000_000)).expect("a file");
    let id = git(
        &folder,
        &["hash-object", "-w", "--no-filters", &large.display().to_string()],
    );
    let id = gix::ObjectId::from_hex(id.as_bytes()).expect("an id");
    let root = tree(&server.repositories.open("app"), &[(b"a", EntryKind::Blob, id)]);
    let revision = server.repositories.commit_tree("app", root);
    let proxy = FaultProxy::start(server.plain_port);
    let source = git_source(&format!("http://127.0.0.1:{}/app.git", proxy.port()));
    let limits = Limits {
        source_bytes: 1_000_000,
        ..Limits::default()
    };
    let answer = support::fetcher().fetch(&source, &HEAD, &revision, &limits).await;
    assert!(matches!(answer, Err(FetchError::Limit { .. })), "{answer:?}");
    assert!(proxy.received() < 80_000_000, "{} bytes", proxy.received());
}
