//! Charts that the real `helm` pushed, in each way that a registry is entered, against what `helm pull` gives.

mod support;

use convoy_domain::access::{Access, Credentials};
use convoy_domain::limits::Limits;
use convoy_domain::source::Source;
use convoy_oci::OciFetcher;
use convoy_ports::{FetchError, SourceFetcher as _};

use support::helm::Helm;
use support::registries::{RunningRegistry, Setup};
use support::tokens::{IDENTITY, TokenService};

/// Versions that helm pushes, not in order.
const VERSIONS: [&str; 6] = [
    "1.9.0",
    "1.10.0",
    "1.10.1-rc.1",
    "2.0.0-beta.1",
    "0.9.9",
    "1.10.0+build.7",
];

/// What is asked of helm and of ours.
const WANTED: [&str; 10] = [
    "1.9.0",
    "1.10.0+build.7",
    "^1",
    "~1.9",
    "1.x",
    "*",
    ">=1.10.1-0 <2",
    ">= 2.0.0-0",
    "<1 || ^1.9 <1.10",
    "^3",
];

/// A source with the credentials that a registry takes.
fn source(registry: &RunningRegistry, credentials: Credentials) -> Source {
    let source = support::with(credentials, support::plain(&registry.oci("charts")));
    match &registry.authority {
        None => source,
        Some(authority) => Source {
            access: Access {
                plain_http: false,
                authorities: Some(authority.clone()),
                ..source.access
            },
            ..source
        },
    }
}

async fn check(registry: &RunningRegistry, credentials: Credentials) {
    let Some(helm) = Helm::find() else { return };
    for version in VERSIONS {
        helm.publish(registry, "charts", "web", version);
    }
    let fetcher = support::fetcher();
    let source = source(registry, credentials);
    fetcher.verify(&source).await.expect("a registry");
    for version in WANTED {
        let pulled = helm.pull(registry, "charts", "web", version);
        let wanted = support::chart("web", version);
        let (revision, files) = match (fetcher.resolve(&source, &wanted).await, pulled) {
            (Ok(revision), Ok(files)) => (revision, files),
            (Err(FetchError::ChartNotFound { .. }), Err(_)) => continue,
            (ours, helms) => panic!(
                "{version}: ours is {ours:?}, helm's {:?}",
                helms.map(|files| files.len())
            ),
        };
        let metadata = String::from_utf8_lossy(&files["Chart.yaml"]).into_owned();
        let helms = metadata
            .lines()
            .find_map(|line| line.strip_prefix("version: "))
            .expect("a version");
        assert_eq!(revision.to_string(), format!("web-{helms}"), "{version}");
        let artifact = fetcher
            .fetch(&source, &wanted, &revision, &Limits::default())
            .await
            .expect("a chart");
        assert_eq!(
            artifact.files.keys().collect::<Vec<_>>(),
            files.keys().collect::<Vec<_>>(),
            "{version}"
        );
        assert_eq!(*artifact.files, files, "{version}");
        assert_eq!(fetcher.prove(&source, &wanted, &revision).await, Ok(()));
    }
    by_digest(&fetcher, &source).await;
}

async fn by_digest(fetcher: &OciFetcher, source: &Source) {
    let revision = fetcher
        .resolve(source, &support::chart("web", "1.9.0"))
        .await
        .expect("a revision");
    let (_, digest) = revision.0.split_once('@').expect("a digest");
    let wanted = support::chart("web", digest);
    let found = fetcher
        .resolve(source, &wanted)
        .await
        .expect("a digest is its own revision");
    assert_eq!(found.0, digest);
    let artifact = fetcher
        .fetch(source, &wanted, &found, &Limits::default())
        .await
        .expect("a chart");
    assert!(artifact.files.contains_key("Chart.yaml"));
    assert_eq!(fetcher.prove(source, &wanted, &found).await, Ok(()));
}

fn assert_refused<T: std::fmt::Debug>(found: &Result<T, FetchError>, whose: &str) {
    assert!(
        matches!(found, Err(FetchError::Authentication { .. })),
        "{whose}: {found:?}"
    );
}

/// Wrong credentials and none are refused, by every call.
async fn check_refusals(registry: &RunningRegistry) {
    let fetcher = support::fetcher();
    let right = source(registry, support::basic(support::PASSWORD));
    let wanted = support::chart("web", "1.9.0");
    let revision = fetcher.resolve(&right, &wanted).await.expect("a revision");
    for credentials in [
        Credentials::None,
        support::basic("canary-wrong"),
        Credentials::Token(support::secret("canary-no")),
    ] {
        let wrong = source(registry, credentials);
        assert_refused(&fetcher.verify(&wrong).await, "verify");
        assert_refused(&fetcher.resolve(&wrong, &wanted).await, "resolve");
        assert_refused(&fetcher.prove(&wrong, &wanted, &revision).await, "prove");
        assert_refused(
            &fetcher.fetch(&wrong, &wanted, &revision, &Limits::default()).await,
            "fetch",
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_credentials() {
    let Some(registry) = RunningRegistry::start(&Setup::default()) else {
        return;
    };
    check(&registry, Credentials::None).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_password() {
    let setup = Setup {
        password: true,
        ..Setup::default()
    };
    let Some(registry) = RunningRegistry::start(&setup) else {
        return;
    };
    check(&registry, support::basic(support::PASSWORD)).await;
    check_refusals(&registry).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_token_for_a_password() {
    let tokens = TokenService::start();
    let setup = Setup {
        tokens: Some(&tokens),
        ..Setup::default()
    };
    let Some(registry) = RunningRegistry::start(&setup) else {
        return;
    };
    check(&registry, support::basic(support::PASSWORD)).await;
    check_refusals(&registry).await;
    let fetcher = support::fetcher();
    let wanted = support::chart("web", "1.9.0");
    let identity = source(&registry, Credentials::IdentityToken(support::secret(IDENTITY)));
    fetcher
        .resolve(&identity, &wanted)
        .await
        .expect("a revision by an identity token");
    let wrong = source(&registry, Credentials::IdentityToken(support::secret("canary-no")));
    assert_refused(&fetcher.resolve(&wrong, &wanted).await, "another identity");
    let pushes = tokens.server.lines();
    let ours = pushes
        .iter()
        .filter(|line| line.contains("pull") && !line.contains("push"))
        .count();
    assert!(ours > 0, "{pushes:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn by_tls_with_an_authority_of_its_own() {
    let setup = Setup {
        password: true,
        tls: true,
        ..Setup::default()
    };
    let Some(registry) = RunningRegistry::start(&setup) else {
        return;
    };
    check(&registry, support::basic(support::PASSWORD)).await;
    let fetcher = support::fetcher();
    let trusting = source(&registry, support::basic(support::PASSWORD));
    let mut strange = trusting.clone();
    strange.access.authorities = None;
    let found = fetcher.verify(&strange).await;
    assert!(matches!(found, Err(FetchError::Tls { .. })), "{found:?}");
    strange.tls.insecure_skip_verify = true;
    assert_eq!(fetcher.verify(&strange).await, Ok(()));
    let mut plain = trusting;
    plain.access.plain_http = true;
    let found = fetcher.verify(&plain).await;
    assert!(found.is_err(), "a registry with TLS does not answer without");
}

#[tokio::test(flavor = "multi_thread")]
async fn tls_is_spoken_unless_plain_http_is_asked_for() {
    let Some(registry) = RunningRegistry::start(&Setup::default()) else {
        return;
    };
    let fetcher = support::fetcher();
    let mut source = source(&registry, support::basic(support::PASSWORD));
    source.access.plain_http = false;
    let found = fetcher.verify(&source).await;
    assert!(
        matches!(found, Err(FetchError::Tls { .. } | FetchError::Unreachable { .. })),
        "{found:?}"
    );
    assert_eq!(registry.asked(0), [""; 0], "nothing was asked without TLS");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_registry_of_other_people() {
    let Some(registry) = RunningRegistry::start_in_memory() else {
        return;
    };
    check(&registry, Credentials::None).await;
}
