//! No secret is printed: every kind of credential, right and wrong, with every log line of every library caught.
//!
//! One test in a process of its own, because loggers are the process's.

mod support;

use convoy_domain::access::{Access, Credentials, GitHubApp, SshAccess};
use convoy_domain::artifact::Revision;
use convoy_domain::limits::Limits;
use convoy_domain::secret::Secret;
use convoy_domain::source::{GitRef, Source, SourceRef};
use convoy_git::GitFetcher;
use convoy_ports::SourceFetcher as _;
use convoy_testkit_canary::Lines;
use convoy_testkit_contract::source_fetcher::{files, git_source};
use convoy_testkit_faultproxy::HttpProxy;

use support::http::{GitServer, INSTALLATION_TOKEN, PASSWORD, TOKEN, USER};
use support::sshd::{self, SshServer, by_ssh};

const HEAD: SourceRef = SourceRef::Git(GitRef::Head);

fn secret(text: &str) -> Secret<String> {
    Secret::new(text.to_owned())
}

fn basic(password: &str) -> Credentials {
    Credentials::Basic {
        username: secret(USER),
        password: secret(password),
    }
}

/// Every call, whatever comes of it; what it says is added to the lines.
async fn use_it(lines: &Lines, fetcher: &GitFetcher, url: &str, access: Access) {
    let source = Source {
        access,
        ..git_source(url)
    };
    let verified = fetcher.verify(&source).await;
    let resolved = fetcher.resolve(&source, &HEAD).await;
    let revision = resolved.clone().unwrap_or_else(|_| Revision("1".repeat(40)));
    let proved = fetcher.prove(&source, &HEAD, &revision).await;
    let artifact = fetcher.fetch(&source, &HEAD, &revision, &Limits::default()).await;
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

async fn by_http(lines: &Lines, fetcher: &GitFetcher, server: &GitServer) {
    let proxy = HttpProxy::start(Some(&support::http::basic("ann", "canary-proxy")));
    let plain = |credentials| Access {
        credentials,
        ..Access::default()
    };
    let through = |password: &str| Access {
        proxy: Some(Secret::new(format!("http://ann:{password}@127.0.0.1:{}", proxy.port()))),
        authorities: Some(server.authority.clone()),
        ..plain(basic(PASSWORD))
    };
    let app = GitHubApp {
        app: "1".to_owned(),
        installation: "7".to_owned(),
        private_key: secret("canary"),
        api: Some("http://127.0.0.1:1".to_owned()),
    };
    let installed = basic(INSTALLATION_TOKEN);
    let secure = format!("https://localhost:{}/basic/app.git", server.tls_port);
    for (way, access) in [
        ("basic", plain(basic(PASSWORD))),
        ("basic", plain(basic("canary-wrong"))),
        ("basic", through("canary-proxy")),
        ("basic", through("canary-no")),
        ("bearer", plain(Credentials::Token(secret(TOKEN)))),
        ("bearer", plain(Credentials::Token(secret("canary\nnewline")))),
        ("app", plain(installed)),
        ("app", plain(Credentials::GitHubApp(app))),
        ("elsewhere-basic", plain(basic(PASSWORD))),
    ] {
        let url = format!("http://127.0.0.1:{}/{way}/app.git", server.plain_port);
        use_it(lines, fetcher, &url, access).await;
    }
    use_it(lines, fetcher, &secure, through("canary-proxy")).await;
    use_it(lines, fetcher, &secure, through("canary-no")).await;
    use_it(
        lines,
        fetcher,
        "https://ann:canary@127.0.0.1:1/app.git",
        Access::default(),
    )
    .await;
    use_it(
        lines,
        fetcher,
        "ssh://git:canary@127.0.0.1:1/app.git",
        Access::default(),
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_secret_is_ever_printed() {
    let (Some(http), Some(ssh)) = (GitServer::start(), SshServer::start("AcceptEnv GIT_PROTOCOL")) else {
        return;
    };
    let lines = Lines::default();
    let writer = lines.clone();
    tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(move || writer.clone())
        .init();
    log::set_boxed_logger(Box::new(lines.clone())).expect("the only logger");
    log::set_max_level(log::LevelFilter::Trace);
    for repositories in [&http.repositories, &ssh.repositories] {
        repositories.create("app");
        repositories.commit("app", "main", &files(&[("a", b"1")]));
    }
    let fetcher = support::fetcher();
    by_http(&lines, &fetcher, &http).await;
    lines.assert_clean("by http");
    let url = ssh.url("app");
    for access in [
        SshAccess {
            passphrase: Some(secret(sshd::PASSPHRASE)),
            ..ssh.access(Some("ed25519-locked"))
        },
        SshAccess {
            passphrase: Some(secret("canary-wrong")),
            ..ssh.access(Some("ed25519-locked"))
        },
        SshAccess {
            password: Some(secret(sshd::PASSWORD)),
            ..ssh.access(None)
        },
        SshAccess {
            password: Some(secret("canary-wrong")),
            ..ssh.access(Some("stranger"))
        },
        SshAccess {
            identity: Some(secret("canary")),
            ..ssh.access(None)
        },
    ] {
        use_it(&lines, &fetcher, &url, by_ssh(access)).await;
    }
    lines.assert_clean("by ssh");
    {
        let said = lines.text();
        assert!(
            said.contains("hyper") && said.contains("russh"),
            "the libraries were listened to"
        );
        // A part of the identity would be a leak as well.
        let identity = ssh.read("ed25519-locked");
        let part = identity.lines().nth(2).expect("a line");
        assert!(!said.contains(part) && !said.contains("PRIVATE KEY"));
    }
    // A leak on purpose is seen.
    tracing::debug!("a token: {TOKEN}");
    let leaked = std::panic::catch_unwind(|| lines.assert_clean("on purpose"));
    assert!(leaked.is_err());
}
