//! Who asks: users, tokens, certificates, private authorities and proxies, and where credentials go.

mod support;

use convoy_domain::access::{Access, Credentials};
use convoy_domain::source::{Source, Tls};
use convoy_ports::{FetchError, SourceFetcher as _};
use convoy_testkit_faultproxy::HttpProxy;
use convoy_web::AddressPolicy;

use support::charts::{self, listed};
use support::server::{PASSWORD, Server, TOKEN, USER};
use support::{by, chart, fetcher, fetcher_with, password, secret, source, source_with, take, token};

/// A server with the chart `web` 1.0.0.
fn server() -> Option<Server> {
    let server = Server::start()?;
    charts::publish(&server.root(), "web", "1.0.0", &[("values.yaml", b"a: 1\n")]);
    Some(server)
}

async fn succeeds(source: &Source) {
    let artifact = take(&fetcher(), source, &chart("web", "")).await.expect("a chart");
    assert_eq!(artifact.files.len(), 2);
    let fetcher = fetcher();
    fetcher.verify(source).await.expect("a repository");
    let proved = fetcher.prove(source, &chart("web", ""), &artifact.revision).await;
    assert_eq!(proved, Ok(()));
}

fn refused(answer: Result<impl std::fmt::Debug, FetchError>) -> String {
    match answer {
        Err(error @ FetchError::Authentication { .. }) => error.to_string(),
        other => panic!("credentials were to be refused: {other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn users_and_tokens_are_let_in_and_others_are_not() {
    let Some(server) = server() else { return };
    succeeds(&source_with(&server.http("basic"), by(password(PASSWORD)))).await;
    succeeds(&source_with(&server.http("bearer"), by(token(TOKEN)))).await;
    succeeds(&source_with(&server.http("bearer"), by(token(&format!("{TOKEN}\n"))))).await;
    for (way, credentials) in [
        ("basic", Credentials::None),
        ("basic", password("wrong-canary")),
        ("basic", token(TOKEN)),
        ("bearer", password(PASSWORD)),
        ("bearer", token("wrong-canary")),
        ("forbidden", password(PASSWORD)),
        ("secret", password(PASSWORD)),
    ] {
        let source = source_with(&server.http(way), by(credentials));
        let error = refused(fetcher().verify(&source).await);
        assert!(error.contains("it answered 40") && !error.contains("canary"), "{error}");
        refused(take(&fetcher(), &source, &chart("web", "")).await);
    }
    let broken = source_with(&server.http("basic"), by(token("a\nb")));
    refused(fetcher().verify(&broken).await);
    let inside = source(&format!("http://{USER}:{PASSWORD}@127.0.0.1:{}/", server.port));
    let answer = fetcher().verify(&inside).await;
    assert!(matches!(answer, Err(FetchError::HostRefused { .. })), "{answer:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn https_is_trusted_by_a_private_authority_or_not_at_all() {
    let Some(server) = server() else { return };
    let trusting = Access {
        authorities: Some(server.authority.clone()),
        ..Access::default()
    };
    succeeds(&source_with(&server.https(""), trusting.clone())).await;
    let answer = fetcher().verify(&source(&server.https(""))).await;
    assert!(matches!(answer, Err(FetchError::Tls { .. })), "{answer:?}");
    let unchecked = Tls {
        insecure_skip_verify: true,
        ca_secret: None,
    };
    succeeds(&Source {
        tls: unchecked.clone(),
        ..source(&server.https(""))
    })
    .await;
    // A certificate that is not checked for the source is checked for another host.
    let archive = charts::archive("web", "1.0.0", &[]);
    std::fs::create_dir(server.root().join("split")).expect("a folder");
    std::fs::write(server.root().join("web.tgz"), &archive).expect("an archive");
    let elsewhere = format!("https://localhost:{}/web.tgz", server.tls_port);
    let entry = listed("web", "1.0.0", &charts::digest(&archive), &[&elsewhere]);
    std::fs::write(server.root().join("split/index.yaml"), charts::index(&[entry])).expect("an index");
    let split = Source {
        tls: unchecked,
        ..source(&server.https("split"))
    };
    let answer = take(&fetcher(), &split, &chart("web", "")).await;
    assert!(matches!(answer, Err(FetchError::Tls { .. })), "{answer:?}");
    let answer = take(
        &fetcher(),
        &source_with(&server.https("split"), trusting),
        &chart("web", ""),
    )
    .await;
    assert!(answer.is_ok(), "{answer:?}");
    let unread = Source {
        tls: Tls {
            insecure_skip_verify: false,
            ca_secret: Some("ca".to_owned()),
        },
        ..source(&server.https(""))
    };
    let answer = fetcher().verify(&unread).await;
    assert!(matches!(answer, Err(FetchError::Unsupported { .. })), "{answer:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_certificate_is_shown_to_the_sources_server() {
    let Some(server) = server() else { return };
    let access = Access {
        authorities: Some(server.authority.clone()),
        ..by(Credentials::ClientCertificate(server.client.clone()))
    };
    succeeds(&source_with(&server.mutual(""), access.clone())).await;
    let without = Access {
        credentials: Credentials::None,
        ..access.clone()
    };
    let answer = fetcher().verify(&source_with(&server.mutual(""), without)).await;
    assert!(answer.is_err());
    let mut damaged = server.client.clone();
    damaged.certificate = b"canary".to_vec();
    let damaged = Access {
        credentials: Credentials::ClientCertificate(damaged),
        ..access
    };
    let error = refused(fetcher().verify(&source_with(&server.mutual(""), damaged)).await);
    assert!(!error.contains("canary"), "{error}");
}

/// Puts an index below `folder` whose chart is at `url`.
fn point(server: &Server, folder: &str, url: &str) {
    let archive = std::fs::read(server.root().join("web-1.0.0.tgz")).expect("an archive");
    std::fs::create_dir_all(server.root().join(folder)).expect("a folder");
    let entry = listed("web", "1.0.0", &charts::digest(&archive), &[url]);
    std::fs::write(server.root().join(folder).join("index.yaml"), charts::index(&[entry])).expect("an index");
}

/// The requests that came by the other name of the host.
fn elsewhere(server: &Server, before: usize, count: usize) -> Vec<String> {
    let seen = server.seen_since(before, count).into_iter();
    seen.filter(|line| line.starts_with("localhost ")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn another_host_never_sees_credentials_unless_they_are_to_be_passed() {
    let Some(server) = server() else { return };
    point(&server, "split", &server.other_host("web-1.0.0.tgz"));
    point(&server, "jump", "../elsewhere/web-1.0.0.tgz");
    for credentials in [password(PASSWORD), token(TOKEN)] {
        for (way, requests) in [("split", 2), ("jump", 3), ("elsewhere", 4)] {
            let before = server.seen().len();
            let source = source_with(&server.http(way), by(credentials.clone()));
            let artifact = take(&fetcher(), &source, &chart("web", "")).await.expect("a chart");
            let received = elsewhere(&server, before, requests);
            assert!(!received.is_empty(), "{way}");
            assert!(received.iter().all(|line| line.ends_with("[-]")), "{way}: {received:?}");
            let own = server.seen().split_off(before);
            assert!(own.iter().any(|line| line.contains("[B")), "{way}: {own:?}");
            let before = server.seen().len();
            let proved = fetcher().prove(&source, &chart("web", ""), &artifact.revision).await;
            assert_eq!(proved, Ok(()), "{way}");
            let received = elsewhere(&server, before, requests);
            assert!(received.iter().all(|line| line.ends_with("[-]")), "{way}: {received:?}");
        }
    }
    let passing = Access {
        pass_credentials: true,
        ..by(password(PASSWORD))
    };
    let before = server.seen().len();
    take(
        &fetcher(),
        &source_with(&server.http("split"), passing.clone()),
        &chart("web", ""),
    )
    .await
    .expect("a chart");
    let received = elsewhere(&server, before, 2);
    assert!(received.iter().all(|line| line.contains("[Basic ")), "{received:?}");
    // They are passed to where the index says, not to where that redirects.
    let before = server.seen().len();
    take(
        &fetcher(),
        &source_with(&server.http("jump"), passing.clone()),
        &chart("web", ""),
    )
    .await
    .expect("a chart");
    let received = elsewhere(&server, before, 3);
    assert!(received.iter().all(|line| line.ends_with("[-]")), "{received:?}");
    // Nor in the clear where the repository is not.
    let passing = Access {
        authorities: Some(server.authority.clone()),
        ..passing
    };
    let before = server.seen().len();
    take(
        &fetcher(),
        &source_with(&server.https("split"), passing),
        &chart("web", ""),
    )
    .await
    .expect("a chart");
    let received = elsewhere(&server, before, 2);
    assert!(received.iter().all(|line| line.ends_with("[-]")), "{received:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn redirects_are_followed_without_credentials_and_never_out_of_https() {
    let Some(server) = server() else { return };
    succeeds(&source(&server.http("moved"))).await;
    succeeds(&source_with(&server.http("moved-basic"), by(password(PASSWORD)))).await;
    refused(
        fetcher()
            .verify(&source_with(&server.http("elsewhere-basic"), by(password(PASSWORD))))
            .await,
    );
    let refuses = async |source: Source, expect: &str| match fetcher().verify(&source).await {
        Err(FetchError::HostRefused { why, .. }) => assert!(why.contains(expect), "{why}"),
        other => panic!("{other:?}"),
    };
    refuses(source(&server.http("loop")), "more than 5 redirects").await;
    refuses(
        source(&server.http("metadata")),
        "the address policy denies `169.254.169.254`",
    )
    .await;
    let trusting = Access {
        authorities: Some(server.authority.clone()),
        ..Access::default()
    };
    refuses(source_with(&server.https("plain"), trusting), "by http").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn denied_addresses_are_not_connected_to_wherever_they_are_named() {
    let Some(server) = server() else { return };
    point(&server, "split", &server.other_host("web-1.0.0.tgz"));
    point(&server, "metadata-chart", "http://169.254.169.254/web-1.0.0.tgz");
    let closed = || {
        fetcher_with(&convoy_web::Options {
            addresses: AddressPolicy::new(|address| address.is_loopback()),
            ..convoy_web::Options::default()
        })
    };
    for url in [server.http(""), server.other_host("")] {
        let before = server.seen().len();
        let answer = closed().verify(&source(&url)).await;
        assert!(matches!(answer, Err(FetchError::HostRefused { .. })), "{answer:?}");
        assert_eq!(server.seen().len(), before);
    }
    let answer = take(&fetcher(), &source(&server.http("metadata-chart")), &chart("web", "")).await;
    assert!(matches!(answer, Err(FetchError::HostRefused { .. })), "{answer:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_gets_its_own_credentials_and_not_the_sources() {
    let Some(server) = server() else { return };
    let wanted = support::server_header("proxy", "canary-proxy");
    let proxy = HttpProxy::start(Some(&wanted));
    let through = |password: &str| Access {
        proxy: Some(secret(&format!("http://proxy:{password}@127.0.0.1:{}", proxy.port()))),
        authorities: Some(server.authority.clone()),
        ..by(support::password(PASSWORD))
    };
    succeeds(&source_with(&server.http("basic"), through("canary-proxy"))).await;
    succeeds(&source_with(&server.https("basic"), through("canary-proxy"))).await;
    let tunnels: Vec<String> = proxy
        .seen()
        .into_iter()
        .filter(|head| head.starts_with("CONNECT"))
        .collect();
    assert!(!tunnels.is_empty());
    assert!(
        tunnels
            .iter()
            .all(|head| !head.to_lowercase().contains("\nauthorization:")),
        "{tunnels:?}"
    );
    for url in [server.http("basic"), server.https("basic")] {
        let error = refused(fetcher().verify(&source_with(&url, through("wrong-canary"))).await);
        assert!(!error.contains("canary"), "{error}");
    }
}
