//! Faults on the way between us and a real server: each has its error, and the next good answer heals it.

mod support;

use std::time::{Duration, Instant};

use convoy_domain::limits::Limits;
use convoy_domain::source::Source;
use convoy_helm_repo::HelmFetcher;
use convoy_ports::{FetchError, SourceFetcher as _};
use convoy_testkit_faultproxy::{Fault, FaultProxy};

use support::charts;
use support::server::Server;
use support::{chart, fetcher, source, take};

const TIMEOUT: Duration = Duration::from_millis(1500);

fn answer(status: &str, headers: &str) -> Fault {
    Fault::Answer(format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n{headers}\r\n").into_bytes())
}

/// A server with a chart of about 300,000 bytes, and a relay in front of it.
fn server() -> Option<(Server, FaultProxy)> {
    let server = Server::start()?;
    let noise: Vec<u8> = (0..300_000_u32)
        .map(|n| (n.wrapping_mul(2_654_435_761) >> 13).to_le_bytes()[0])
        .collect();
    charts::publish(&server.root(), "web", "1.0.0", &[("noise", &noise)]);
    let proxy = FaultProxy::start(server.port);
    Some((server, proxy))
}

fn through(proxy: &FaultProxy, timeout: Duration) -> Source {
    Source {
        timeout,
        ..source(&format!("http://127.0.0.1:{}/", proxy.port()))
    }
}

/// The name of an error's variant.
fn kind(error: &FetchError) -> &'static str {
    match error {
        FetchError::Authentication { .. } => "Authentication",
        FetchError::Busy { .. } => "Busy",
        FetchError::HostRefused { .. } => "HostRefused",
        FetchError::Invalid { .. } => "Invalid",
        FetchError::IndexInvalid { .. } => "IndexInvalid",
        FetchError::NotARepository { .. } => "NotARepository",
        FetchError::ChartNotFound { .. } => "ChartNotFound",
        FetchError::Timeout { .. } => "Timeout",
        FetchError::Unreachable { .. } => "Unreachable",
        FetchError::Limit { .. } => "Limit",
        FetchError::HostNotTrusted { .. }
        | FetchError::Tls { .. }
        | FetchError::RefNotFound { .. }
        | FetchError::NoChartLayer { .. }
        | FetchError::Signature { .. }
        | FetchError::Unsupported { .. } => "another",
    }
}

/// Whether an error is the one that is expected, and says whether to try again as its kind does.
fn assert_is(error: &FetchError, expect: &str, fault: &Fault) {
    assert_eq!(kind(error), expect, "{fault:?}: {error:?}");
    let transient = matches!(kind(error), "Unreachable" | "Timeout" | "Busy");
    assert_eq!(error.is_transient(), transient, "{error:?}");
}

async fn heals(proxy: &FaultProxy, fetcher: &HelmFetcher, fault: &Fault) {
    proxy.set(Fault::None);
    let patient = through(proxy, Duration::from_mins(1));
    let artifact = take(fetcher, &patient, &chart("web", "")).await;
    assert_eq!(
        artifact.expect("it heals").files["noise"].len(),
        300_000,
        "after {fault:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn each_fault_of_an_index_gives_its_error_and_the_next_good_answer_heals_it() {
    let Some((_server, proxy)) = server() else { return };
    let circle = format!("Location: http://127.0.0.1:{}/index.yaml\r\n", proxy.port());
    let page = Fault::Answer(b"HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n<html>x</html>".to_vec());
    for (fault, expect) in [
        (Fault::Refuse, "Unreachable"),
        (Fault::CutAfter(0), "Unreachable"),
        (Fault::CutAfter(20), "Unreachable"),
        (Fault::CutAfter(300), "Unreachable"),
        (Fault::StallAfter(0), "Timeout"),
        (Fault::StallAfter(300), "Timeout"),
        (Fault::Delay(Duration::from_secs(2)), "Timeout"),
        (Fault::Corrupt(0), "Unreachable"),
        (answer("401 Unauthorized", ""), "Authentication"),
        (answer("403 Forbidden", ""), "Authentication"),
        (answer("404 Not Found", ""), "NotARepository"),
        (answer("429 Too Many Requests", "Retry-After: 30\r\n"), "Busy"),
        (answer("429 Too Many Requests", ""), "Unreachable"),
        (answer("500 Internal Server Error", ""), "Unreachable"),
        (answer("503 Service Unavailable", "Retry-After: 30\r\n"), "Busy"),
        (answer("302 Found", &circle), "HostRefused"),
        (
            answer("302 Found", "Location: http://169.254.169.254/\r\n"),
            "HostRefused",
        ),
        (answer("304 Not Modified", ""), "NotARepository"),
        (answer("200 OK", ""), "IndexInvalid"),
        (page, "IndexInvalid"),
    ] {
        let fetcher = fetcher();
        proxy.set(fault.clone());
        let started = Instant::now();
        let source = through(&proxy, TIMEOUT);
        let error = fetcher.verify(&source).await.expect_err("a fault");
        assert_is(&error, expect, &fault);
        let resolved = fetcher.resolve(&source, &chart("web", "")).await.expect_err("a fault");
        assert_is(&resolved, expect, &fault);
        assert!(started.elapsed() < 2 * TIMEOUT + Duration::from_secs(2), "{fault:?}");
        heals(&proxy, &fetcher, &fault).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_fault_of_an_archive_gives_its_error_and_the_next_good_answer_heals_it() {
    let Some((_server, proxy)) = server() else { return };
    for (fault, expect) in [
        (Fault::Refuse, "Unreachable"),
        (Fault::CutAfter(5_000), "Unreachable"),
        (Fault::CutAfter(200_000), "Unreachable"),
        (Fault::StallAfter(100_000), "Timeout"),
        (Fault::Corrupt(150_000), "Invalid"),
        (Fault::Corrupt(299_000), "Invalid"),
        (answer("401 Unauthorized", ""), "Authentication"),
        (answer("429 Too Many Requests", "Retry-After: 30\r\n"), "Busy"),
        (answer("500 Internal Server Error", ""), "Unreachable"),
        (answer("200 OK", ""), "Invalid"),
    ] {
        let (fetcher, wanted) = (fetcher(), chart("web", ""));
        let source = through(&proxy, TIMEOUT);
        proxy.set(Fault::None);
        let revision = fetcher.resolve(&source, &wanted).await.expect("a revision");
        // The server ends its connections, so that the archive comes over a new one.
        proxy.set(fault.clone());
        let answer = fetcher.fetch(&source, &wanted, &revision, &Limits::default()).await;
        assert_is(&answer.expect_err("a fault"), expect, &fault);
        heals(&proxy, &fetcher, &fault).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_fails_for_a_while_is_asked_again_a_few_times() {
    let Some((_server, proxy)) = server() else { return };
    let source = through(&proxy, Duration::from_secs(30));
    let count = async |fault: Fault| {
        proxy.set(fault);
        let before = proxy.connections();
        fetcher().verify(&source).await.expect_err("a fault");
        proxy.connections() - before
    };
    assert_eq!(count(answer("503 Service Unavailable", "")).await, 3);
    assert_eq!(count(answer("404 Not Found", "")).await, 1);
    let busy = answer("429 Too Many Requests", "Retry-After: 100\r\n");
    assert_eq!(count(busy).await, 1, "not before it is over");
    proxy.set(answer("429 Too Many Requests", "Retry-After: 1\r\n"));
    let started = Instant::now();
    let fetcher = fetcher();
    let (verified, ()) = tokio::join!(fetcher.verify(&source), async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        proxy.set(Fault::None);
    });
    assert_eq!(verified, Ok(()));
    assert!(started.elapsed() >= Duration::from_secs(1), "{:?}", started.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_without_end_ends_at_its_limit() {
    let Some((server, proxy)) = server() else { return };
    let endless = b"HTTP/1.1 200 OK\r\nContent-Type: text/yaml\r\n\r\n".to_vec();
    let index = [endless, b"apiVersion: v1\n".repeat(4_000)].concat();
    std::fs::write(server.root().join("endless"), &index).expect("a file");
    // Without a length the body lasts as long as the connection.
    let raw = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = raw.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        use std::io::{Read as _, Write as _};
        for mut stream in raw.incoming().flatten() {
            let index = index.clone();
            std::thread::spawn(move || {
                let _ = stream.read(&mut [0; 4096]);
                let _ = stream.write_all(&index);
            });
        }
    });
    let relay = FaultProxy::start(port);
    relay.set(Fault::EndlessAfter(1_000));
    let error = fetcher().verify(&through(&relay, Duration::from_mins(1))).await;
    let limit = "67108864 bytes of an index";
    assert!(
        matches!(&error, Err(FetchError::Limit { limit: found, .. }) if found == limit),
        "{error:?}"
    );
    let announced = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", 1_u64 << 40);
    proxy.set(Fault::Answer(announced.into_bytes()));
    let error = fetcher().verify(&through(&proxy, TIMEOUT)).await;
    assert!(matches!(error, Err(FetchError::Limit { .. })), "{error:?}");
    // An archive has the limit of the caller.
    proxy.set(Fault::None);
    let source = through(&proxy, TIMEOUT);
    let fetcher = fetcher();
    let revision = fetcher.resolve(&source, &chart("web", "")).await.expect("a revision");
    let limits = Limits {
        source_bytes: 100_000,
        ..Limits::default()
    };
    let error = fetcher.fetch(&source, &chart("web", ""), &revision, &limits).await;
    let limit = "100000 bytes of an archive";
    assert!(
        matches!(&error, Err(FetchError::Limit { limit: found, .. }) if found == limit),
        "{error:?}"
    );
}
