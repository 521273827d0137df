//! No secret is printed: every kind of credential, right and wrong, with every log line of every library caught.
//!
//! One test in a process of its own, because loggers are the process's.

mod support;

use convoy_domain::access::Credentials;
use convoy_domain::artifact::Revision;
use convoy_domain::limits::Limits;
use convoy_domain::secret::Secret;
use convoy_domain::source::Source;
use convoy_oci::OciFetcher;
use convoy_ports::SourceFetcher as _;
use convoy_testkit_canary::Lines;

use support::helm::Helm;
use support::registries::{RunningRegistry, Setup};
use support::scripted::{Answer, Scripted};
use support::tokens::{IDENTITY, TokenService};
use support::{PASSWORD, basic, secret};

/// Every call, whatever comes of it; what it says is added to the lines.
async fn use_it(lines: &Lines, fetcher: &OciFetcher, source: &Source) {
    let wanted = support::chart("web", "1.0.0");
    let verified = fetcher.verify(source).await;
    let resolved = fetcher.resolve(source, &wanted).await;
    let listed = fetcher.resolve(source, &support::chart("web", "*")).await;
    let absent = Revision::of_chart("web", "1.0.0", &format!("sha256:{}", "0".repeat(64)));
    let revision = resolved.clone().unwrap_or(absent);
    let proved = fetcher.prove(source, &wanted, &revision).await;
    let artifact = fetcher.fetch(source, &wanted, &revision, &Limits::default()).await;
    // A URL may hold what it should not; a source shows its URL.
    let shown = Source {
        url: String::new(),
        ..source.clone()
    };
    lines.add(&format!(
        "{shown:?} {fetcher:?} {verified:?} {resolved:?} {listed:?} {proved:?} {artifact:?}"
    ));
    let errors = [
        verified.err(),
        resolved.err(),
        listed.err(),
        proved.err(),
        artifact.err(),
    ];
    for error in errors.into_iter().flatten() {
        lines.add(&error.to_string());
    }
}

fn kinds() -> Vec<Credentials> {
    vec![
        Credentials::None,
        basic(PASSWORD),
        basic("canary-wrong"),
        basic("canary\nline"),
        Credentials::Token(secret("canary-token")),
        Credentials::Token(secret("canary\nline")),
        Credentials::IdentityToken(secret(IDENTITY)),
        Credentials::IdentityToken(secret("canary-wrong")),
    ]
}

/// A registry whose token service gives what it should not, or repeats what it was shown.
fn leaking() -> Scripted {
    Scripted::start(|asked| {
        let shown = asked.authorization().unwrap_or_default().to_owned();
        if asked.target.starts_with("/token") {
            let body = String::from_utf8_lossy(&asked.body).into_owned();
            return Answer::new(200, format!("{{\"token\":\"canary {shown} {body}\"}}"));
        }
        let host = asked.header("host").unwrap_or_default();
        Answer::new(401, shown).with("WWW-Authenticate", format!("Bearer realm=\"http://{host}/token\""))
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn no_secret_is_ever_printed() {
    let tokens = TokenService::start();
    let by_token = Setup {
        tokens: Some(&tokens),
        ..Setup::default()
    };
    let by_password = Setup {
        password: true,
        ..Setup::default()
    };
    let (Some(helm), Some(one), Some(two)) = (
        Helm::find(),
        RunningRegistry::start(&by_token),
        RunningRegistry::start(&by_password),
    ) else {
        return;
    };
    let lines = Lines::default();
    let writer = lines.clone();
    tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::TRACE)
        .with_writer(move || writer.clone())
        .init();
    log::set_boxed_logger(Box::new(lines.clone())).expect("the only logger");
    log::set_max_level(log::LevelFilter::Trace);
    for registry in [&one, &two] {
        helm.publish(registry, "charts", "web", "1.0.0");
    }
    let fetcher = support::fetcher();
    let leaking = leaking();
    for url in [one.oci("charts"), two.oci("charts"), leaking.oci("charts")] {
        for credentials in kinds() {
            use_it(&lines, &fetcher, &support::with(credentials, support::plain(&url))).await;
        }
        lines.assert_clean(&url);
    }
    for url in [
        "oci://ann:canary@127.0.0.1:1/charts",
        "oci://127.0.0.1:1/charts?canary",
        "canary",
    ] {
        use_it(&lines, &fetcher, &support::plain(url)).await;
    }
    let mut proxied = support::with(basic(PASSWORD), support::plain(&one.oci("charts")));
    proxied.access.proxy = Some(Secret::new("http://ann:canary@127.0.0.1:1".to_owned()));
    use_it(&lines, &fetcher, &proxied).await;
    lines.assert_clean("by URL and proxy");
    let said = lines.text().contains("hyper");
    assert!(said, "the libraries were listened to");
    // A leak on purpose is seen.
    lines.add(&format!("a password: {PASSWORD}"));
    let leaked = std::panic::catch_unwind(|| lines.assert_clean("on purpose"));
    assert!(leaked.is_err());
}
