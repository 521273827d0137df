//! Who asks, over http: users, tokens and apps, private authorities and proxies, and where credentials go.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use convoy_domain::access::{Access, Credentials, GitHubApp};
use convoy_domain::artifact::Revision;
use convoy_domain::limits::Limits;
use convoy_domain::secret::Secret;
use convoy_domain::source::{GitRef, Source, SourceRef};
use convoy_git::{AddressPolicy, GitFetcher, Options};
use convoy_ports::{FetchError, SourceFetcher as _};
use convoy_testkit_contract::source_fetcher::{files, git_source};
use convoy_testkit_faultproxy::HttpProxy;
use data_encoding::BASE64URL_NOPAD;
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, RsaKeyPair, UnparsedPublicKey};
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject as _;

use support::faulty::{Asked, Faulty, respond};
use support::http::{GitServer, INSTALLATION_TOKEN, PASSWORD, TOKEN, USER, basic};
use support::sshd::keygen;

const HEAD: SourceRef = SourceRef::Git(GitRef::Head);

fn secret(text: &str) -> Secret<String> {
    Secret::new(text.to_owned())
}

fn password(password: &str) -> Access {
    Access {
        credentials: Credentials::Basic {
            username: secret(USER),
            password: secret(password),
        },
        ..Access::default()
    }
}

fn token(token: &str) -> Access {
    Access {
        credentials: Credentials::Token(secret(token)),
        ..Access::default()
    }
}

fn source(url: &str, access: Access) -> Source {
    Source {
        access,
        ..git_source(url)
    }
}

/// A server with the repository `app`, and its commit.
fn server() -> Option<(GitServer, Revision)> {
    let server = GitServer::start()?;
    server.repositories.create("app");
    let revision = server.repositories.commit("app", "main", &files(&[("a", b"1")]));
    Some((server, revision))
}

impl GitServer {
    fn below(&self, way: &str) -> String {
        format!("http://127.0.0.1:{}/{way}/app.git", self.plain_port)
    }
}

/// Runs every call, and gives the first error; nothing that is given holds a canary.
async fn call(fetcher: &GitFetcher, source: &Source, revision: &Revision) -> Result<(), FetchError> {
    let calls = async {
        fetcher.verify(source).await?;
        assert_eq!(fetcher.resolve(source, &HEAD).await?, *revision);
        fetcher.prove(source, &HEAD, revision).await?;
        let artifact = fetcher.fetch(source, &HEAD, revision, &Limits::default()).await?;
        assert_eq!(*artifact.files, files(&[("a", b"1")]));
        Ok(())
    };
    let answer: Result<(), FetchError> = calls.await;
    let said = format!("{answer:?} {source:?} {fetcher:?}");
    assert!(!said.contains("canary"), "{said}");
    answer
}

fn assert_refused(answer: &Result<(), FetchError>, expect: &str) {
    match answer {
        Err(FetchError::Authentication { why, .. }) => assert!(why.contains(expect), "{answer:?}"),
        _ => panic!("`{expect}` was to be refused: {answer:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_and_a_token_open_what_is_theirs() {
    let Some((server, revision)) = server() else { return };
    let fetcher = support::fetcher();
    let check = async |way: &str, access: Access| call(&fetcher, &source(&server.below(way), access), &revision).await;
    assert_eq!(check("basic", password(PASSWORD)).await, Ok(()));
    assert_eq!(check("bearer", token(TOKEN)).await, Ok(()));
    assert_eq!(check("moved-basic", password(PASSWORD)).await, Ok(()));
    // Where nobody asks, nobody minds.
    assert_eq!(check("old", password(PASSWORD)).await, Ok(()));
    assert_refused(
        &check("basic", password("canary-wrong")).await,
        "it answered 401 and wants Basic",
    );
    assert_refused(
        &check("basic", Access::default()).await,
        "it answered 401 and wants Basic",
    );
    assert_refused(&check("basic", token(TOKEN)).await, "it answered 401 and wants Basic");
    assert_refused(&check("bearer", token("canary-wrong")).await, "it answered 401");
    assert_refused(&check("bearer", password(PASSWORD)).await, "it answered 401");
    assert_refused(&check("forbidden", password(PASSWORD)).await, "it answered 403");
}

#[tokio::test(flavor = "multi_thread")]
async fn credentials_never_reach_another_host() {
    let Some((server, revision)) = server() else { return };
    let fetcher = support::fetcher();
    let own = basic(USER, PASSWORD);
    let public = source(&server.below("elsewhere"), password(PASSWORD));
    assert_eq!(call(&fetcher, &public, &revision).await, Ok(()));
    let private = source(&server.below("elsewhere-basic"), password(PASSWORD));
    assert_refused(&call(&fetcher, &private, &revision).await, "it answered 401");
    let seen = server.seen();
    let (here, there): (Vec<&String>, Vec<&String>) = seen.iter().partition(|line| line.starts_with("127.0.0.1 "));
    assert!(
        !there.is_empty() && there.iter().all(|line| line.ends_with("[-]")),
        "{there:#?}"
    );
    assert!(
        !here.is_empty() && here.iter().all(|line| line.ends_with(&format!("[{own}]"))),
        "{here:#?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_that_leads_in_circles_ends() {
    let Some((server, revision)) = server() else { return };
    let answer = call(
        &support::fetcher(),
        &source(&server.below("loop"), password(PASSWORD)),
        &revision,
    )
    .await;
    assert!(
        matches!(&answer, Err(FetchError::HostRefused { why, .. }) if why == "more than 5 redirects"),
        "{answer:?}"
    );
    assert_eq!(server.seen().len(), 6);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_brings_its_own_authority() {
    let Some((server, revision)) = server() else { return };
    let fetcher = support::fetcher();
    let url = server.https("app");
    let trusting = |authorities: &[u8]| Access {
        authorities: Some(authorities.to_vec()),
        ..Access::default()
    };
    let check = async |access: Access| call(&fetcher, &source(&url, access), &revision).await;
    assert_eq!(check(trusting(&server.authority)).await, Ok(()));
    for access in [Access::default(), trusting(b"canary"), trusting(b"")] {
        let answer = check(access).await;
        assert!(matches!(answer, Err(FetchError::Tls { .. })), "{answer:?}");
    }
    let mut unchecked = source(&url, Access::default());
    unchecked.tls.insecure_skip_verify = true;
    assert_eq!(call(&fetcher, &unchecked, &revision).await, Ok(()));
    // What one source trusts, another does not.
    let answer = check(Access::default()).await;
    assert!(matches!(answer, Err(FetchError::Tls { .. })), "{answer:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_carries_what_it_should_and_no_more() {
    let Some((server, revision)) = server() else { return };
    let fetcher = support::fetcher();
    let proxies = [
        HttpProxy::start(None),
        HttpProxy::start(Some(&basic("ann", "canary-proxy"))),
    ];
    let through = |proxy: &HttpProxy, user: &str| Access {
        proxy: Some(Secret::new(format!("http://{user}127.0.0.1:{}", proxy.port()))),
        authorities: Some(server.authority.clone()),
        ..password(PASSWORD)
    };
    let plain = server.below("basic");
    let secure = format!("https://localhost:{}/basic/app.git", server.tls_port);
    for url in [&plain, &secure] {
        for (proxy, user) in [(&proxies[0], ""), (&proxies[1], "ann:canary-proxy@")] {
            assert_eq!(
                call(&fetcher, &source(url, through(proxy, user)), &revision).await,
                Ok(())
            );
        }
        let wrong = call(
            &fetcher,
            &source(url, through(&proxies[1], "ann:canary-no@")),
            &revision,
        )
        .await;
        assert_refused(&wrong, "the proxy");
    }
    for proxy in &proxies {
        let seen = proxy.seen();
        let tunnels: Vec<&String> = seen
            .iter()
            .filter(|head| head.starts_with("CONNECT localhost:"))
            .collect();
        assert!(!tunnels.is_empty() && seen.len() > tunnels.len(), "{seen:?}");
        assert!(
            tunnels
                .iter()
                .all(|head| !head.to_ascii_lowercase().contains("\nauthorization:")),
            "{tunnels:?}"
        );
    }
    assert!(
        server
            .seen()
            .iter()
            .all(|line| !line.contains(&basic("ann", "canary-proxy")))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_that_is_none_or_may_not_be_one_is_refused() {
    let Some((server, revision)) = server() else { return };
    let fetcher = support::fetcher_with(Options {
        addresses: AddressPolicy::new(|address| address.to_string() == "10.0.0.1"),
        ..Options::default()
    });
    for proxy in [
        "canary",
        "ftp://ann:canary@127.0.0.1",
        "http://ann:canary@10.0.0.1:3128",
        "http:no-such-proxy",
    ] {
        let access = Access {
            proxy: Some(secret(proxy)),
            ..Access::default()
        };
        let answer = call(&fetcher, &source(&server.http("app"), access), &revision).await;
        // `http:no-such-proxy` is a URL with the host `no-such-proxy`, which does not exist.
        let refused = matches!(answer, Err(FetchError::HostRefused { .. }));
        assert!(
            refused || proxy == "http:no-such-proxy" && answer.is_err(),
            "{proxy}: {answer:?}"
        );
    }
}

/// An API that gives tokens to who shows a statement of its key, and counts.
fn api(key: &str, given: &'static str) -> (Faulty, Arc<AtomicUsize>) {
    let PrivateKeyDer::Pkcs1(pair) = PrivateKeyDer::from_pem_slice(key.as_bytes()).expect("a key") else {
        panic!("another key");
    };
    let pair = RsaKeyPair::from_der(pair.secret_pkcs1_der()).expect("a key");
    let public = pair.public().as_ref().to_vec();
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let server = Faulty::start(move |asked: &Asked, stream| {
        counted.fetch_add(1, Ordering::SeqCst);
        let json = [("Content-Type", "application/json")];
        if asked.line != "POST /api/v3/app/installations/7/access_tokens HTTP/1.1" {
            return respond(stream, "404 Not Found", &json, b"{}");
        }
        let bearer = asked
            .head
            .lines()
            .find_map(|line| line.strip_prefix("authorization: Bearer "));
        let signed = bearer.and_then(|bearer| bearer.rsplit_once('.'));
        let valid = signed.is_some_and(|(signed, signature)| {
            let signature = BASE64URL_NOPAD.decode(signature.as_bytes()).unwrap_or_default();
            let key = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, &public);
            let body = signed
                .split_once('.')
                .map(|(_, body)| BASE64URL_NOPAD.decode(body.as_bytes()).unwrap_or_default());
            let body = String::from_utf8(body.unwrap_or_default()).unwrap_or_default();
            key.verify(signed.as_bytes(), &signature).is_ok() && body.contains(r#""iss":"12345""#)
        });
        if !valid {
            return respond(stream, "401 Unauthorized", &json, b"{}");
        }
        let answer = format!(r#"{{"token":"{given}","expires_at":"2999-01-01T00:00:00Z"}}"#);
        respond(stream, "201 Created", &json, answer.as_bytes())
    });
    (server, count)
}

fn app(key: &str, api: &str) -> Access {
    Access {
        credentials: Credentials::GitHubApp(GitHubApp {
            app: "12345".to_owned(),
            installation: "7".to_owned(),
            private_key: secret(key),
            api: Some(api.to_owned()),
        }),
        ..Access::default()
    }
}

/// A new RSA key, as GitHub gives them.
fn rsa_key() -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("key");
    keygen(&path, "rsa", "2048", "");
    let changed = std::process::Command::new("ssh-keygen")
        .args(["-q", "-p", "-N", "", "-m", "PEM", "-f"])
        .arg(&path)
        .output();
    assert!(changed.expect("ssh-keygen").status.success());
    std::fs::read_to_string(path).expect("a key")
}

#[tokio::test(flavor = "multi_thread")]
async fn an_apps_installation_gets_a_token_and_keeps_it() {
    let Some((server, revision)) = server() else { return };
    let (key, stranger) = (rsa_key(), rsa_key());
    let fetcher = support::fetcher();
    let (api_server, count) = api(&key, INSTALLATION_TOKEN);
    let base = format!("http://127.0.0.1:{}/api/v3/", api_server.port);
    let good = source(&server.below("app"), app(&key, &base));
    for _ in 0..2 {
        assert_eq!(call(&fetcher, &good, &revision).await, Ok(()));
    }
    assert_eq!(count.load(Ordering::SeqCst), 1, "one token serves all calls");
    // Its token is for the source's host only, and the app's word for the API only.
    let own = basic("x-access-token", INSTALLATION_TOKEN);
    assert!(
        server.seen().iter().all(|line| line.ends_with(&format!("[{own}]"))),
        "{:#?}",
        server.seen()
    );

    let wrong = source(&server.below("app"), app(&stranger, &base));
    assert_refused(
        &call(&fetcher, &wrong, &revision).await,
        "the API of its GitHub App answered 401",
    );
    let elsewhere = source(
        &server.below("app"),
        app(&key, &format!("http://127.0.0.1:{}", api_server.port)),
    );
    assert_refused(
        &call(&fetcher, &elsewhere, &revision).await,
        "the API of its GitHub App answered 404",
    );
    let broken = source(&server.below("app"), app("canary", &base));
    assert_refused(&call(&fetcher, &broken, &revision).await, "no RSA key");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_is_refused_is_asked_for_again() {
    let Some((server, revision)) = server() else { return };
    let key = rsa_key();
    let (api_server, count) = api(&key, "canary-revoked");
    let base = format!("http://127.0.0.1:{}/api/v3", api_server.port);
    let fetcher = support::fetcher();
    for calls in 1..=2 {
        let answer = call(&fetcher, &source(&server.below("app"), app(&key, &base)), &revision).await;
        assert_refused(&answer, "it answered 401");
        assert_eq!(count.load(Ordering::SeqCst), calls);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn credentials_that_do_not_fit_the_url_are_refused() {
    let fetcher = support::fetcher();
    let revision = Revision("1".repeat(40));
    for (url, access) in [
        ("ssh://git@127.0.0.1:1/app", password(PASSWORD)),
        ("ssh://git@127.0.0.1:1/app", token(TOKEN)),
        ("file:///nowhere", password(PASSWORD)),
        (
            "http://127.0.0.1:1/app",
            support::sshd::by_ssh(convoy_domain::access::SshAccess::default()),
        ),
    ] {
        let answer = call(&fetcher, &source(url, access), &revision).await;
        assert!(
            matches!(answer, Err(FetchError::Unsupported { .. })),
            "{url}: {answer:?}"
        );
    }
    for access in [token("canary\nx"), token("canary\u{1}"), password("canary\n")] {
        let answer = call(&fetcher, &source("http://127.0.0.1:1/app", access), &revision).await;
        let fine = matches!(
            answer,
            Err(FetchError::Authentication { .. } | FetchError::Unreachable { .. })
        );
        assert!(fine, "{answer:?}");
    }
}
