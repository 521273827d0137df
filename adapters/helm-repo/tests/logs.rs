//! No secret is printed: every kind of credential, right and wrong, with every log line of every library caught.
//!
//! One test in a process of its own, because loggers are the process's.

mod support;

use convoy_domain::access::{Access, Credentials};
use convoy_domain::limits::Limits;
use convoy_domain::secret::Secret;
use convoy_domain::source::Source;
use convoy_helm_repo::HelmFetcher;
use convoy_ports::SourceFetcher as _;
use convoy_testkit_canary::Lines;
use convoy_testkit_faultproxy::HttpProxy;

use support::charts::{self, index, listed};
use support::server::{PASSWORD, Server, TOKEN};
use support::{by, chart, fetcher, no_revision, password, secret, server_header, source_with, token};

/// Every call, whatever comes of it; what it says is added to the lines.
async fn use_it(lines: &Lines, fetcher: &HelmFetcher, url: &str, access: Access) {
    let source = source_with(url, access);
    let wanted = chart("web", "");
    let verified = fetcher.verify(&source).await;
    let resolved = fetcher.resolve(&source, &wanted).await;
    let revision = resolved.clone().unwrap_or_else(|_| no_revision());
    let proved = fetcher.prove(&source, &wanted, &revision).await;
    let artifact = fetcher.fetch(&source, &wanted, &revision, &Limits::default()).await;
    // A URL may hold what it should not; a source shows its URL.
    let source = Source {
        url: String::new(),
        ..source
    };
    lines.add(&format!(
        "{source:?} {fetcher:?} {verified:?} {resolved:?} {proved:?} {artifact:?}"
    ));
    for error in [verified.err(), resolved.err(), proved.err(), artifact.err()]
        .into_iter()
        .flatten()
    {
        lines.add(&error.to_string());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_credential_is_in_any_log_line_error_or_debug_text() {
    let lines = Lines::default();
    let writer = lines.clone();
    tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::TRACE)
        .with_writer(move || writer.clone())
        .init();
    // `init` may already have taken the place of the other logger.
    let _ = log::set_boxed_logger(Box::new(lines.clone()));
    log::set_max_level(log::LevelFilter::Trace);
    tracing::trace!("heard by tracing");
    let Some(server) = Server::start() else { return };
    let archive = charts::publish(&server.root(), "web", "1.0.0", &[]);
    let entry = listed(
        "web",
        "1.0.0",
        &charts::digest(&archive),
        &[&server.other_host("absent.tgz?token=canary"), "web-1.0.0.tgz"],
    );
    std::fs::write(server.root().join("index.yaml"), index(&[entry])).expect("an index");
    let proxy = HttpProxy::start(Some(&server_header("proxy", "canary-proxy")));
    let mut client = server.client.clone();
    client.key = Secret::new(b"-----BEGIN PRIVATE KEY-----\nY2FuYXJ5\n-----END PRIVATE KEY-----\n".to_vec());
    let through = |password: &str, access: Access| Access {
        proxy: Some(secret(&format!("http://proxy:{password}@127.0.0.1:{}", proxy.port()))),
        authorities: Some(server.authority.clone()),
        ..access
    };
    let passing = Access {
        pass_credentials: true,
        ..by(password(PASSWORD))
    };
    for (url, access) in [
        (server.http("basic"), by(password(PASSWORD))),
        (server.http("basic"), by(password("wrong-canary"))),
        (server.http("basic"), by(password("canary\n"))),
        (server.http("basic"), passing.clone()),
        (server.http("bearer"), by(token(TOKEN))),
        (server.http("bearer"), by(token("canary\n1"))),
        (server.http("elsewhere"), passing),
        (server.http("moved-basic"), by(password(PASSWORD))),
        (server.http("loop?token=canary"), by(password(PASSWORD))),
        (server.http("?token=canary"), by(password(PASSWORD))),
        (server.http("absent?token=canary"), by(password(PASSWORD))),
        (server.http("basic"), through("canary-proxy", by(password(PASSWORD)))),
        (server.https("basic"), through("canary-proxy", by(password(PASSWORD)))),
        (server.https("basic"), through("wrong-canary", by(password(PASSWORD)))),
        (
            server.mutual(""),
            through("canary-proxy", by(Credentials::ClientCertificate(client))),
        ),
        ("http://ann:canary@127.0.0.1:1/".to_owned(), Access::default()),
        ("http://127.0.0.1:1/?token=canary".to_owned(), by(token(TOKEN))),
        ("canary".to_owned(), by(token(TOKEN))),
    ] {
        use_it(&lines, &fetcher(), &url, access).await;
        lines.assert_clean(&url.replace("canary", "…"));
    }
    let heard = lines.text();
    assert!(
        heard.contains("heard by tracing") && heard.len() > 10_000,
        "the log was caught"
    );
    // The test can fail.
    lines.add("Authorization: Basic YW5uOmNhbmFyeQ");
    assert!(std::panic::catch_unwind(|| lines.assert_clean("planted")).is_err());
}
