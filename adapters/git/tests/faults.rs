//! Servers that are absent, slow, broken or hostile: each gives its typed error, in time.

mod support;

use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use convoy_domain::artifact::Revision;
use convoy_domain::limits::Limits;
use convoy_domain::source::{GitRef, Source, SourceRef};
use convoy_git::{GitFetcher, Options};
use convoy_ports::{FetchError, SourceFetcher as _};
use convoy_testkit_contract::source_fetcher::{files, git_source};

use support::SHORT;
use support::faulty::{ADVERTISEMENT, Faulty, RESULT, SHA, begin, greeting, line, respond, until_pack};
use support::http::GitServer;

const HEAD: SourceRef = SourceRef::Git(GitRef::Head);

fn source(url: &str) -> Source {
    Source {
        timeout: SHORT,
        ..git_source(url)
    }
}

/// Runs verify, resolve and fetch, each of which must fail in time with a text that begins with `expect`.
async fn check(url: &str, expect: &str) {
    check_calls(url, expect, true).await;
}

/// As [`check`], where only the pack is at fault.
async fn check_fetch(url: &str, expect: &str) {
    check_calls(url, expect, false).await;
}

async fn check_calls(url: &str, expect: &str, all: bool) {
    let fetcher = support::fetcher();
    let source = source(url);
    let assert_failed = |call: &str, found: Option<FetchError>| {
        let text = found.map_or_else(|| "it did not fail".to_owned(), |error| error.to_string());
        assert!(
            text.starts_with(expect),
            "{call}: `{text}` does not begin with `{expect}`"
        );
    };
    let started = Instant::now();
    if all {
        assert_failed("verify", fetcher.verify(&source).await.err());
        assert_failed("resolve", fetcher.resolve(&source, &HEAD).await.err());
    }
    let revision = Revision(SHA.to_owned());
    let answer = fetcher.fetch(&source, &HEAD, &revision, &Limits::default()).await;
    assert_failed("fetch", answer.err());
    let elapsed = started.elapsed();
    assert!(elapsed < 3 * (SHORT + Duration::from_secs(1)), "it took {elapsed:?}");
}

#[tokio::test]
async fn a_status_gives_its_error() {
    for (status, expect) in [
        (
            "401 Unauthorized",
            "asks for other credentials: it answered 401 and wants Basic",
        ),
        ("403 Forbidden", "asks for other credentials: it answered 403"),
        ("404 Not Found", "is not a repository: it answered 404"),
        ("410 Gone", "is not a repository: it answered 410"),
        ("429 Too Many Requests", "cannot be reached: it answered 429"),
        ("500 Internal Server Error", "cannot be reached: it answered 500"),
        ("503 Service Unavailable", "cannot be reached: it answered 503"),
        ("204 No Content", "is not a repository: it answered 204"),
    ] {
        let server =
            Faulty::start(move |_, stream| respond(stream, status, &[("WWW-Authenticate", "Basic realm=\"x\"")], b""));
        check(&server.url(), &format!("`{}` {expect}", server.url())).await;
    }
}

#[tokio::test]
async fn a_status_in_place_of_a_pack_gives_its_error() {
    let server = Faulty::start(until_pack(|stream| respond(stream, "403 Forbidden", &[], b"")));
    let expect = format!("`{}` asks for other credentials: it answered 403", server.url());
    check_fetch(&server.url(), &expect).await;
}

#[tokio::test]
async fn a_server_that_is_not_there_is_unreachable() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("its address").port();
    drop(listener);
    let url = format!("http://127.0.0.1:{port}/app.git");
    check(&url, &format!("`{url}` cannot be reached: ")).await;
    let url = "http://no-such-host.invalid/app.git";
    check(url, &format!("`{url}` cannot be reached: ")).await;
}

#[tokio::test]
async fn a_server_that_never_answers_ends_at_the_timeout() {
    let server = Faulty::start(|_, _| {
        std::thread::sleep(Duration::from_mins(1));
        false
    });
    check(&server.url(), &format!("`{}` did not answer within 1 s", server.url())).await;
}

#[tokio::test]
async fn a_server_that_stops_in_its_greeting_or_its_pack_ends_at_the_timeout() {
    let server = Faulty::start(|_, stream| {
        begin(stream, ADVERTISEMENT);
        let _ = stream.write_all(&greeting()[..40]);
        std::thread::sleep(Duration::from_mins(1));
        false
    });
    check(&server.url(), &format!("`{}` did not answer within 1 s", server.url())).await;
    let server = Faulty::start(until_pack(|stream| {
        begin(stream, RESULT);
        let mut start = line(b"packfile\n");
        start.extend(line(b"\x01PACK\0\0\0\x02\0\0\0\x07"));
        let _ = stream.write_all(&start);
        std::thread::sleep(Duration::from_mins(1));
        false
    }));
    check_fetch(&server.url(), &format!("`{}` did not answer within 1 s", server.url())).await;
}

#[tokio::test]
async fn a_server_that_dribbles_ends_at_the_timeout() {
    let server = Faulty::start(|_, stream| {
        begin(stream, ADVERTISEMENT);
        for byte in greeting() {
            if stream.write_all(&[byte]).is_err() {
                break;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        false
    });
    check(&server.url(), &format!("`{}` did not answer within 1 s", server.url())).await;
}

#[tokio::test]
async fn the_runtime_goes_on_while_a_server_hangs() {
    let server = Faulty::start(|_, _| {
        std::thread::sleep(Duration::from_mins(1));
        false
    });
    let source = source(&server.url());
    let fetcher = support::fetcher();
    let ticks = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&ticks);
    let ticking = tokio::spawn(async move {
        loop {
            tokio::time::sleep(Duration::from_millis(10)).await;
            counted.fetch_add(1, Ordering::Relaxed);
        }
    });
    let verified = fetcher.verify(&source).await;
    ticking.abort();
    assert!(matches!(verified, Err(FetchError::Timeout { .. })), "{verified:?}");
    let ticks = ticks.load(Ordering::Relaxed);
    assert!(ticks > 20, "the runtime of one thread stood still: {ticks} ticks");
}

#[tokio::test]
async fn calls_that_ran_out_of_time_or_were_dropped_give_their_turn_back() {
    let hanging = Faulty::start(|_, _| {
        std::thread::sleep(Duration::from_mins(1));
        false
    });
    let refusing = Faulty::start(|_, stream| respond(stream, "404 Not Found", &[], b""));
    let fetcher = support::fetcher_with(Options {
        concurrency: 1,
        ..Options::default()
    });
    let (hanging, refusing) = (source(&hanging.url()), source(&refusing.url()));
    for _ in 0..3 {
        let verified = fetcher.verify(&hanging).await;
        assert!(matches!(verified, Err(FetchError::Timeout { .. })), "{verified:?}");
        let dropped = tokio::time::timeout(Duration::from_millis(100), fetcher.verify(&hanging)).await;
        assert!(dropped.is_err(), "it was to be dropped");
        let verified = fetcher.verify(&refusing).await;
        assert!(
            matches!(verified, Err(FetchError::NotARepository { .. })),
            "{verified:?}"
        );
    }
}

#[tokio::test]
async fn a_call_that_waits_for_its_turn_waits_no_longer_than_its_timeout() {
    let server = Faulty::start(|_, _| {
        std::thread::sleep(Duration::from_mins(1));
        false
    });
    let fetcher = Arc::new(support::fetcher_with(Options {
        concurrency: 1,
        ..Options::default()
    }));
    let long = Source {
        timeout: Duration::from_secs(30),
        ..source(&server.url())
    };
    let first = Arc::clone(&fetcher);
    let first = tokio::spawn(async move { first.verify(&long).await });
    tokio::time::sleep(Duration::from_millis(50)).await;
    let started = Instant::now();
    let second = fetcher.verify(&source(&server.url())).await;
    assert!(matches!(second, Err(FetchError::Timeout { .. })), "{second:?}");
    assert!(started.elapsed() < SHORT + Duration::from_millis(500));
    first.abort();
}

#[tokio::test]
async fn answers_that_are_no_http_or_no_git_are_told() {
    let server = Faulty::start(|_, stream| {
        let _ = stream.write_all(b"\x00\xff garbage garbage\r\n\r\n");
        false
    });
    check(&server.url(), &format!("`{}` cannot be reached: ", server.url())).await;

    let server = Faulty::start(|_, stream| {
        respond(
            stream,
            "200 OK",
            &[("Content-Type", "text/html")],
            b"<html>sign in</html>",
        )
    });
    check(&server.url(), &format!("`{}` is not a repository: ", server.url())).await;

    for garbage in [&b"garbage"[..], b"", b"0000", b"fffe", b"0004", b"zzzz"] {
        let server =
            Faulty::start(move |_, stream| respond(stream, "200 OK", &[("Content-Type", ADVERTISEMENT)], garbage));
        check(&server.url(), &format!("`{}` is not a repository: ", server.url())).await;
    }
}

#[tokio::test]
async fn a_pack_that_is_cut_or_damaged_is_told() {
    let cut = Faulty::start(until_pack(|stream| {
        begin(stream, RESULT);
        let _ = stream.write_all(&line(b"packfile\n"));
        let _ = stream.write_all(b"0100\x01PACK\0\0\0\x02\0\0\0\x07");
        false
    }));
    check_fetch(
        &cut.url(),
        &format!("`{}` cannot be reached: its answer broke off", cut.url()),
    )
    .await;

    let short = Faulty::start(until_pack(|stream| {
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {RESULT}\r\nContent-Length: 5000\r\n\r\n");
        let _ = stream.write_all(head.as_bytes());
        let _ = stream.write_all(&line(b"packfile\n"));
        false
    }));
    check_fetch(&short.url(), &format!("`{}` cannot be reached: ", short.url())).await;

    let damaged = Faulty::start(until_pack(|stream| {
        let mut body = line(b"packfile\n");
        body.extend(line(b"\x01PACK\0\0\0\x02\0\0\0\x07garbage garbage garbage garbage"));
        body.extend_from_slice(b"0000");
        respond(stream, "200 OK", &[("Content-Type", RESULT)], &body)
    }));
    let expect = format!("what `{}` gave is invalid: its pack is damaged", damaged.url());
    check_fetch(&damaged.url(), &expect).await;

    let garbage = Faulty::start(until_pack(|stream| {
        respond(stream, "200 OK", &[("Content-Type", RESULT)], b"garbage")
    }));
    let expect = format!("what `{}` gave is invalid: its answer: ", garbage.url());
    check_fetch(&garbage.url(), &expect).await;

    let dying = Faulty::start(until_pack(|stream| {
        let mut body = line(b"packfile\n");
        body.extend(line(b"\x03the disk is on fire\n"));
        body.extend_from_slice(b"0000");
        respond(stream, "200 OK", &[("Content-Type", RESULT)], &body)
    }));
    let expect = format!("`{}` cannot be reached: it gave up: the disk is on fire", dying.url());
    check_fetch(&dying.url(), &expect).await;
}

#[tokio::test]
async fn endless_answers_end_at_their_limit() {
    let endless = Faulty::start(until_pack(|stream| {
        begin(stream, RESULT);
        let _ = stream.write_all(&line(b"packfile\n"));
        let piece = line(&[&b"\x01"[..], &vec![b'x'; 60_000]].concat());
        while stream.write_all(&piece).is_ok() {}
        false
    }));
    let fetcher = support::fetcher();
    let limits = Limits {
        source_bytes: 1000,
        ..Limits::default()
    };
    let source = Source {
        timeout: Duration::from_mins(1),
        ..git_source(&endless.url())
    };
    let answer = fetcher.fetch(&source, &HEAD, &Revision(SHA.to_owned()), &limits).await;
    match answer {
        Err(FetchError::Limit { limit, .. }) => assert_eq!(limit, "67109864 bytes received"),
        other => panic!("an endless pack was to end: {other:?}"),
    }

    let refs = Faulty::start(|asked, stream| {
        if asked.line.starts_with("GET") {
            return respond(stream, "200 OK", &[("Content-Type", ADVERTISEMENT)], &greeting());
        }
        begin(stream, RESULT);
        let name = "x".repeat(60_000);
        let piece = line(format!("{SHA} refs/heads/{name}\n").as_bytes());
        while stream.write_all(&piece).is_ok() {}
        false
    });
    let source = Source {
        timeout: Duration::from_mins(1),
        ..git_source(&refs.url())
    };
    let resolved = fetcher.resolve(&source, &HEAD).await;
    assert!(matches!(resolved, Err(FetchError::Limit { .. })), "{resolved:?}");
}

/// A server that sends `location` for each request.
fn redirecting(location: impl Fn(&str) -> String + Send + Sync + 'static) -> Faulty {
    Faulty::start(move |asked: &support::faulty::Asked, stream: &mut TcpStream| {
        let path = asked.line.split(' ').nth(1).unwrap_or_default().to_owned();
        respond(stream, "302 Found", &[("Location", &location(&path))], b"")
    })
}

#[tokio::test]
async fn redirects_are_followed_only_by_the_rules() {
    let refused = "is refused: ";
    for (server, expect) in [
        (redirecting(str::to_owned), format!("{refused}more than 5 redirects")),
        (
            redirecting(|_| "/users/sign_in".to_owned()),
            "is not a repository: it redirects to another page of `127.0.0.1`".to_owned(),
        ),
        (
            redirecting(|path| format!("ftp://example.com{path}")),
            format!("{refused}it redirects to `example.com` by ftp"),
        ),
        (
            redirecting(|path| format!("http://ann:canary@example.com{path}")),
            format!("{refused}it redirects to `example.com` with credentials in the URL"),
        ),
        (
            redirecting(|path| format!("http://169.254.169.254{path}")),
            format!("{refused}the address policy denies `169.254.169.254`"),
        ),
        (
            redirecting(|path| format!("http://[::ffff:a9fe:a9fe]{path}")),
            format!("{refused}the address policy denies `[::ffff:a9fe:a9fe]`"),
        ),
    ] {
        check(&server.url(), &format!("`{}` {expect}", server.url())).await;
    }
    let server = Faulty::start(until_pack(|stream| {
        respond(
            stream,
            "307 Temporary Redirect",
            &[("Location", "http://127.0.0.1:1/")],
            b"",
        )
    }));
    let expect = format!("`{}` is refused: it redirects a request that has a body", server.url());
    check_fetch(&server.url(), &expect).await;
}

#[tokio::test]
async fn addresses_are_looked_at_where_they_are_connected_to() {
    let server = Faulty::start(|_, stream| respond(stream, "404 Not Found", &[], b""));
    let fetcher = support::fetcher_with(Options {
        addresses: convoy_git::AddressPolicy::new(|address| address.is_loopback()),
        ..Options::default()
    });
    for host in ["127.0.0.1", "localhost", "[::ffff:7f00:1]"] {
        let url = format!("http://{host}:{}/app.git", server.port);
        let verified = fetcher.verify(&source(&url)).await;
        assert!(
            matches!(verified, Err(FetchError::HostRefused { .. })),
            "{host}: {verified:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_is_checked_unless_the_source_says_otherwise() {
    let Some(server) = GitServer::start() else { return };
    server.repositories.create("app");
    let revision = server.repositories.commit("app", "main", &files(&[("a", b"1")]));
    let mut source = git_source(&server.https("app"));
    let fetcher = support::fetcher();
    let verified = fetcher.verify(&source).await;
    match &verified {
        Err(FetchError::Tls { why, .. }) => assert!(why.contains("UnknownIssuer"), "{why}"),
        other => panic!("the authority is not trusted: {other:?}"),
    }
    source.tls.insecure_skip_verify = true;
    assert_eq!(fetcher.verify(&source).await, Ok(()));
    assert_eq!(fetcher.resolve(&source, &HEAD).await, Ok(revision));

    let trusting = GitFetcher::new(Options {
        authorities: vec![server.authority.clone()],
        ..Options::default()
    })
    .expect("a fetcher");
    source.tls.insecure_skip_verify = false;
    assert_eq!(trusting.verify(&source).await, Ok(()));

    let plain = git_source(&format!("https://127.0.0.1:{}/app.git", server.plain_port));
    let verified = fetcher.verify(&plain).await;
    assert!(matches!(verified, Err(FetchError::Tls { .. })), "{verified:?}");
    let downgrade = git_source(&format!("https://127.0.0.1:{}/plain/app.git", server.tls_port));
    match trusting.verify(&downgrade).await {
        Err(FetchError::HostRefused { why, .. }) => assert_eq!(why, "it redirects to `127.0.0.1` by http"),
        other => panic!("https may not lead to http: {other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_real_server_that_wants_credentials_says_so() {
    let Some(server) = GitServer::start() else { return };
    for place in ["secret", "forbidden"] {
        let url = format!("http://127.0.0.1:{}/{place}/app.git", server.plain_port);
        let verified = support::fetcher().verify(&git_source(&url)).await;
        assert!(
            matches!(verified, Err(FetchError::Authentication { .. })),
            "{place}: {verified:?}"
        );
    }
}
