//! Who is shown credentials: the registry, and nobody to whom it leads.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use convoy_domain::access::Credentials;
use convoy_domain::limits::Limits;
use convoy_domain::secret::Secret;
use convoy_oci::digest::Digest;
use convoy_ports::{FetchError, SourceFetcher as _};
use convoy_testkit_faultproxy::HttpProxy;

use support::helm::Helm;
use support::registries::{RunningRegistry, Setup};
use support::scripted::{Answer, Asked, Scripted};
use support::tokens::{TokenService, basic};
use support::{PASSWORD, USER};

/// A manifest of nothing, as an answer.
fn manifest(asked: &Asked) -> Answer {
    let body = br#"{"schemaVersion":2,"layers":[]}"#;
    let digest = Digest::of(body).to_string();
    let answer = if asked.method == "HEAD" { &b""[..] } else { body };
    Answer::new(200, answer).with("Docker-Content-Digest", digest)
}

fn challenge(value: &str) -> Answer {
    Answer::new(401, "").with("WWW-Authenticate", value)
}

/// Resolves a tag with each kind of credentials; gives what came of it.
async fn resolve(registry: &Scripted, credentials: Credentials) -> Result<(), FetchError> {
    let source = support::with(credentials, support::plain(&registry.oci("charts")));
    let resolved = support::fetcher()
        .resolve(&source, &support::chart("web", "1.0.0"))
        .await;
    resolved.map(drop)
}

fn kinds() -> [Credentials; 3] {
    [
        support::basic(PASSWORD),
        Credentials::Token(support::secret("canary-token")),
        Credentials::IdentityToken(support::secret("canary-identity")),
    ]
}

fn assert_anonymous(server: &Scripted, what: &str) {
    for asked in server.asked() {
        assert_eq!(asked.authorization(), None, "{what}: {} {}", asked.method, asked.target);
        assert!(!String::from_utf8_lossy(&asked.body).contains("canary"), "{what}");
    }
}

async fn check_blobs_elsewhere(setup: Setup<'_>) {
    let storage: Arc<std::sync::OnceLock<std::path::PathBuf>> = Arc::default();
    let folder = Arc::clone(&storage);
    let other = Scripted::start(move |asked| {
        let path = asked
            .target
            .split('?')
            .next()
            .unwrap_or_default()
            .trim_start_matches('/');
        let file = folder.get().expect("a folder").join(path);
        std::fs::read(file).map_or_else(|_| Answer::new(404, ""), |content| Answer::new(200, content))
    });
    let setup = Setup {
        blobs: Some(format!("http://localhost:{}", other.port)),
        ..setup
    };
    let (Some(registry), Some(helm)) = (RunningRegistry::start(&setup), Helm::find()) else {
        return;
    };
    storage.set(registry.storage()).expect("the first");
    helm.publish(&registry, "charts", "web", "1.0.0");
    let source = support::with(support::basic(PASSWORD), support::plain(&registry.oci("charts")));
    let fetcher = support::fetcher();
    let wanted = support::chart("web", "1.0.0");
    let revision = fetcher.resolve(&source, &wanted).await.expect("a revision");
    let artifact = fetcher
        .fetch(&source, &wanted, &revision, &Limits::default())
        .await
        .expect("a chart");
    assert!(artifact.files.contains_key("Chart.yaml"));
    assert_eq!(other.asked().len(), 1, "the layer was there");
    assert_anonymous(&other, "where blobs are");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_blob_on_another_host_is_fetched_as_nobody() {
    check_blobs_elsewhere(Setup {
        password: true,
        ..Setup::default()
    })
    .await;
    let tokens = TokenService::start();
    check_blobs_elsewhere(Setup {
        tokens: Some(&tokens),
        ..Setup::default()
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn another_server_that_asks_for_credentials_gets_none() {
    for wants in ["Basic realm=\"x\"", "Bearer realm=\"http://127.0.0.1:1/token\""] {
        let other = Scripted::start(move |_| challenge(wants));
        let target = format!("http://localhost:{}/v2/a", other.port);
        let registry = Scripted::start(move |_| Answer::new(307, "").with("Location", target.clone()));
        for credentials in kinds() {
            let found = resolve(&registry, credentials).await;
            assert!(matches!(found, Err(FetchError::Authentication { .. })), "{found:?}");
        }
        assert_eq!(other.asked().len(), 3);
        assert_anonymous(&other, wants);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_service_on_another_host_is_asked_by_nobody_only() {
    let other = Scripted::start(|_| Answer::new(200, r#"{"token":"t"}"#));
    let realm = format!("Bearer realm=\"http://localhost:{}/token\",service=\"s\"", other.port);
    let registry = Scripted::start(move |asked| match asked.authorization() {
        Some("Bearer t") => manifest(asked),
        _ => challenge(&realm),
    });
    for credentials in kinds() {
        let found = resolve(&registry, credentials).await;
        let Err(FetchError::Authentication { why, .. }) = &found else {
            panic!("{found:?}");
        };
        assert!(!why.contains("canary"), "{why}");
    }
    assert_eq!(other.asked().len(), 0);
    assert_eq!(resolve(&registry, Credentials::None).await, Ok(()));
    assert_eq!(
        other.lines(),
        ["GET /token?service=s&scope=repository%3Acharts%2Fweb%3Apull"]
    );
    assert_anonymous(&other, "the token service");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_service_on_the_same_host_gets_the_password_and_nothing_else_does() {
    let service = Scripted::start(|asked| {
        if asked.authorization() == Some(&basic(USER, PASSWORD)) {
            Answer::new(200, r#"{"access_token":"t"}"#)
        } else {
            Answer::new(401, "")
        }
    });
    let realm = format!("Bearer realm=\"http://127.0.0.1:{}/token\"", service.port);
    let registry = Scripted::start(move |asked| match asked.authorization() {
        Some("Bearer t") => manifest(asked),
        _ => challenge(&realm),
    });
    assert_eq!(resolve(&registry, support::basic(PASSWORD)).await, Ok(()));
    let shown: Vec<Option<String>> = registry
        .asked()
        .iter()
        .map(|asked| asked.authorization().map(str::to_owned))
        .collect();
    assert_eq!(shown, [None, Some("Bearer t".to_owned())]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_is_refused_is_asked_for_again_once() {
    let given = Arc::new(AtomicUsize::new(0));
    let wanted = Arc::new(AtomicUsize::new(1));
    let (counter, right) = (Arc::clone(&given), Arc::clone(&wanted));
    let service = Scripted::start(move |_| {
        let number = counter.fetch_add(1, Ordering::SeqCst) + 1;
        Answer::new(200, format!(r#"{{"token":"t{number}","expires_in":3600}}"#))
    });
    let realm = format!("Bearer realm=\"http://127.0.0.1:{}/token\"", service.port);
    let registry = Scripted::start(move |asked| {
        let shown = format!("Bearer t{}", right.load(Ordering::SeqCst));
        if asked.authorization() == Some(&shown) {
            manifest(asked)
        } else {
            challenge(&realm)
        }
    });
    let source = support::with(support::basic(PASSWORD), support::plain(&registry.oci("charts")));
    let fetcher = support::fetcher();
    let chart = support::chart("web", "1.0.0");
    fetcher.resolve(&source, &chart).await.expect("with the first token");
    fetcher
        .resolve(&source, &chart)
        .await
        .expect("with the first token again");
    assert_eq!((given.load(Ordering::SeqCst), registry.asked().len()), (1, 3));
    wanted.store(2, Ordering::SeqCst);
    fetcher.resolve(&source, &chart).await.expect("with the second token");
    assert_eq!((given.load(Ordering::SeqCst), registry.asked().len()), (2, 5));
    // A registry that refuses whatever it is shown is asked twice, not for ever.
    wanted.store(9, Ordering::SeqCst);
    let refused = fetcher.resolve(&source, &chart).await;
    assert!(matches!(refused, Err(FetchError::Authentication { .. })), "{refused:?}");
    assert_eq!((given.load(Ordering::SeqCst), registry.asked().len()), (3, 7));
    // Another password finds nothing of what this one was given.
    let other = support::with(support::basic("canary-other"), source);
    let refused = fetcher.resolve(&other, &chart).await;
    assert!(refused.is_err() && given.load(Ordering::SeqCst) == 4, "{refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_of_tags_that_goes_on_elsewhere_is_not_followed() {
    let other = Scripted::start(|_| Answer::new(200, r#"{"tags":["9.0.0"]}"#));
    for target in [
        format!("http://127.0.0.1:{}/v2/charts/web/tags/list?last=1", other.port),
        "/v2/other/tags/list".to_owned(),
        "//localhost/v2/charts/web/tags/list".to_owned(),
    ] {
        let link = format!("<{target}>; rel=\"next\"");
        let registry = Scripted::start(move |_| Answer::new(200, r#"{"tags":["1.0.0"]}"#).with("Link", link.clone()));
        let source = support::with(
            Credentials::Token(support::secret("canary")),
            support::plain(&registry.oci("charts")),
        );
        let found = support::fetcher().resolve(&source, &support::chart("web", "*")).await;
        assert!(matches!(found, Err(FetchError::Invalid { .. })), "{target}: {found:?}");
        assert_eq!(registry.asked().len(), 1);
    }
    assert_eq!(other.asked().len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_sees_its_own_credentials_only() {
    let setup = Setup {
        password: true,
        tls: true,
        ..Setup::default()
    };
    let (Some(registry), Some(helm)) = (RunningRegistry::start(&setup), Helm::find()) else {
        return;
    };
    helm.publish(&registry, "charts", "web", "1.0.0");
    let own = basic("proxy", "canary-proxy");
    let proxy = HttpProxy::start(Some(&own));
    let mut source = support::with(support::basic(PASSWORD), support::plain(&registry.oci("charts")));
    source.access.plain_http = false;
    source.access.authorities.clone_from(&registry.authority);
    source.access.proxy = Some(Secret::new(format!(
        "http://proxy:canary-proxy@127.0.0.1:{}",
        proxy.port()
    )));
    let resolved = support::fetcher()
        .resolve(&source, &support::chart("web", "1.0.0"))
        .await;
    resolved.expect("a revision through the proxy");
    let registrys = basic(USER, PASSWORD);
    for head in proxy.seen() {
        assert!(head.starts_with("CONNECT "), "{head}");
        assert!(head.contains(&own) && !head.contains(&registrys), "{head}");
    }
}
