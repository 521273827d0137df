//! git by ssh, on a real sshd: keys, passwords, host keys, and what goes wrong.

mod support;

use std::time::{Duration, Instant};

use convoy_domain::access::{Access, SshAccess};
use convoy_domain::artifact::Revision;
use convoy_domain::limits::Limits;
use convoy_domain::secret::Secret;
use convoy_domain::source::{GitRef, Source, SourceRef};
use convoy_git::{AddressPolicy, GitFetcher, Options};
use convoy_ports::{FetchError, SourceFetcher as _};
use convoy_testkit_contract::source_fetcher::{files, git_source};
use convoy_testkit_faultproxy::{Fault, FaultProxy, HttpProxy};
use data_encoding::BASE64;

use support::sshd::{PASSPHRASE, PASSWORD, SshServer, by_ssh};

const HEAD: SourceRef = SourceRef::Git(GitRef::Head);

fn source(url: &str, access: SshAccess) -> Source {
    Source {
        access: by_ssh(access),
        ..git_source(url)
    }
}

/// A server that takes git's protocol 2, with the repository `app`, and its commit.
fn server() -> Option<(SshServer, Revision)> {
    let server = SshServer::start("AcceptEnv GIT_PROTOCOL")?;
    server.repositories.create("app");
    let revision = server.repositories.commit("app", "main", &files(&[("a", b"1")]));
    Some((server, revision))
}

async fn call(fetcher: &GitFetcher, source: &Source, revision: &Revision) -> Result<(), FetchError> {
    let calls = async {
        fetcher.verify(source).await?;
        assert_eq!(fetcher.resolve(source, &HEAD).await?, *revision);
        let artifact = fetcher.fetch(source, &HEAD, revision, &Limits::default()).await?;
        assert_eq!(*artifact.files, files(&[("a", b"1")]));
        Ok(())
    };
    let answer: Result<(), FetchError> = calls.await;
    let said = format!("{answer:?} {source:?}");
    assert!(!said.contains("canary") && !said.contains("PRIVATE"), "{said}");
    answer
}

fn secret(text: &str) -> Secret<String> {
    Secret::new(text.to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_of_every_kind_and_a_password_open_a_repository() {
    let Some((server, revision)) = server() else { return };
    let fetcher = support::fetcher();
    let url = server.url("app");
    let check = async |access: SshAccess| call(&fetcher, &source(&url, access), &revision).await;
    for identity in ["ed25519", "ecdsa", "rsa"] {
        assert_eq!(check(server.access(Some(identity))).await, Ok(()), "{identity}");
    }
    for identity in ["ed25519-locked", "rsa-locked"] {
        let unlocked = SshAccess {
            passphrase: Some(secret(PASSPHRASE)),
            ..server.access(Some(identity))
        };
        assert_eq!(check(unlocked).await, Ok(()), "{identity}");
    }
    let by_password = SshAccess {
        password: Some(secret(PASSWORD)),
        ..server.access(None)
    };
    assert_eq!(check(by_password).await, Ok(()));
    let both = SshAccess {
        password: Some(secret(PASSWORD)),
        ..server.access(Some("stranger"))
    };
    assert_eq!(check(both).await, Ok(()), "the password is tried after the key");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_not_let_in_is_told_so() {
    let Some((server, revision)) = server() else { return };
    let fetcher = support::fetcher();
    let url = server.url("app");
    let access = |identity: Option<&str>| server.access(identity);
    for (access, expect) in [
        (access(Some("stranger")), "it does not take the key of `git`"),
        (access(None), "it wants an identity or a password"),
        (
            SshAccess {
                password: Some(secret("canary-wrong")),
                ..access(Some("stranger"))
            },
            "it does not take the key or the password of `git`",
        ),
        (access(Some("ed25519-locked")), "has a passphrase"),
        (
            SshAccess {
                passphrase: Some(secret("canary-wrong")),
                ..access(Some("ed25519-locked"))
            },
            "has another passphrase",
        ),
        (
            SshAccess {
                identity: Some(secret("canary")),
                ..access(None)
            },
            "its identity is no private key",
        ),
    ] {
        let answer = call(&fetcher, &source(&url, access), &revision).await;
        let said = answer.as_ref().map_err(ToString::to_string);
        assert!(
            matches!(answer, Err(FetchError::Authentication { .. })),
            "{expect}: {answer:?}"
        );
        assert!(said.unwrap_err().contains(expect), "{expect}: {answer:?}");
    }
    assert!(!server.log().contains("Accepted"), "{}", server.log());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_identity_cannot_ask_for_any_amount_of_work() {
    let Some((server, revision)) = server() else { return };
    let own = server.read("ed25519-locked");
    let body: String = own.lines().filter(|line| !line.starts_with('-')).collect();
    let mut body = BASE64.decode(body.as_bytes()).expect("base64");
    // The name of the function, two lengths, 16 bytes of salt, and how often it is run.
    let at = body
        .windows(6)
        .position(|window| window == b"bcrypt")
        .expect("its name")
        + 6
        + 8
        + 16;
    body[at..at + 4].copy_from_slice(&u32::MAX.to_be_bytes());
    let slow = format!(
        "-----BEGIN OPENSSH PRIVATE KEY-----\n{}\n-----END OPENSSH PRIVATE KEY-----\n",
        BASE64.encode(&body)
    );
    for (identity, expect) in [
        (slow, "512 rounds of its identity's passphrase"),
        ("x".repeat(20_000), "16384 bytes of an identity"),
        (
            "-----BEGIN ENCRYPTED PRIVATE KEY-----\n".to_owned(),
            "in another format than OpenSSH's",
        ),
        (
            "PuTTY-User-Key-File-3: x".to_owned(),
            "in another format than OpenSSH's",
        ),
    ] {
        let access = SshAccess {
            identity: Some(secret(&identity)),
            passphrase: Some(secret(PASSPHRASE)),
            ..server.access(None)
        };
        let started = Instant::now();
        let answer = call(&support::fetcher(), &source(&server.url("app"), access), &revision).await;
        assert!(started.elapsed() < Duration::from_secs(5), "{expect}");
        assert!(
            answer.as_ref().is_err_and(|error| error.to_string().contains(expect)),
            "{expect}: {answer:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_is_trusted_by_its_line_only() {
    let Some((server, revision)) = server() else { return };
    let fetcher = support::fetcher();
    let url = server.url("app");
    let name = format!("[127.0.0.1]:{}", server.port);
    let line = server.known("host");
    let hashed = {
        let file = server.path("known");
        std::fs::write(&file, &line).expect("a file");
        let changed = std::process::Command::new("ssh-keygen")
            .arg("-H")
            .arg("-f")
            .arg(&file)
            .output();
        assert!(changed.expect("ssh-keygen").status.success());
        server.read("known")
    };
    assert!(hashed.starts_with("|1|"), "{hashed}");
    let other = server.known("other-host");
    for known in [
        line.clone(),
        hashed,
        server.known("host-rsa"),
        server.known("host-ecdsa"),
        line.replace(&name, &format!("*,{name}")),
        format!("# comment\n\n{other}{line}"),
        format!("@revoked {other}{line}"),
    ] {
        let access = SshAccess {
            known_hosts: Some(secret(&known)),
            ..server.access(Some("ed25519"))
        };
        assert_eq!(
            call(&fetcher, &source(&url, access), &revision).await,
            Ok(()),
            "{known}"
        );
    }
    let entered = server.log().matches("Accepted").count();
    for known in [
        String::new(),
        other.clone(),
        format!("{line}@revoked {line}"),
        format!("@revoked * {}", line.split_once(' ').expect("a line").1) + &line,
        line.replace(&name, "127.0.0.1"),
        line.replace(&name, "[127.0.0.1]:1"),
        line.replace(&name, &format!("!{name},*")),
        format!("@cert-authority {line}"),
        line.replace("ssh-ed25519", "ssh-rsa"),
    ] {
        let access = SshAccess {
            known_hosts: Some(secret(&known)),
            password: Some(secret(PASSWORD)),
            ..server.access(Some("ed25519"))
        };
        let answer = call(&fetcher, &source(&url, access), &revision).await;
        assert!(
            matches!(answer, Err(FetchError::HostNotTrusted { .. })),
            "{known}: {answer:?}"
        );
    }
    let log = server.log();
    assert_eq!(log.matches("Accepted").count(), entered, "{log}");
    assert!(
        !log.contains("Failed password"),
        "nothing was shown to a host that is not trusted: {log}"
    );
    let without = SshAccess {
        known_hosts: None,
        ..server.access(Some("ed25519"))
    };
    let answer = call(&fetcher, &source(&url, without), &revision).await;
    assert!(matches!(answer, Err(FetchError::HostNotTrusted { .. })), "{answer:?}");
    let nobody = git_source(&url);
    let answer = call(&fetcher, &nobody, &revision).await;
    assert!(matches!(answer, Err(FetchError::HostNotTrusted { .. })), "{answer:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn short_addresses_and_homes_work() {
    let Some((server, _)) = server() else { return };
    // The short form has no place for a port, so that the path is tried through the long one's home.
    convoy_git::repository::init(&server.path("home.git"), "main").expect("a repository");
    let committed = files(&[("a", b"1")]);
    let revision = convoy_git::repository::commit_files(&server.path("home.git"), "main", &committed, "one");
    let revision = revision.expect("a commit").revision;
    let url = format!("ssh://git@127.0.0.1:{}/~/home.git", server.port);
    let access = server.access(Some("ed25519"));
    assert_eq!(
        call(&support::fetcher(), &source(&url, access), &revision).await,
        Ok(())
    );
    let answer = call(
        &support::fetcher(),
        &source("git@127.0.0.1:nowhere/app.git", server.access(None)),
        &revision,
    )
    .await;
    assert!(matches!(answer, Err(FetchError::HostNotTrusted { .. })), "{answer:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_repository_is_told_in_the_servers_words() {
    let Some((server, revision)) = server() else { return };
    let fetcher = support::fetcher();
    for (path, expect) in [
        ("absent", "does not appear to be a git repository"),
        ("a'b; touch x", ""),
    ] {
        let url = format!("ssh://git@127.0.0.1:{}/{path}", server.port);
        let answer = call(&fetcher, &source(&url, server.access(Some("ed25519"))), &revision).await;
        match &answer {
            Err(FetchError::NotARepository { why, .. }) => assert!(why.contains(expect), "{why}"),
            _ => panic!("{path}: {answer:?}"),
        }
    }
    assert!(!server.path("x").exists());
    let refusing = SshServer::start("ForceCommand /bin/false").expect("the programs are there");
    let answer = call(
        &fetcher,
        &source(&refusing.url("app"), refusing.access(Some("rsa"))),
        &revision,
    )
    .await;
    assert!(matches!(answer, Err(FetchError::NotARepository { .. })), "{answer:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_and_the_address_policy_hold_for_ssh_too() {
    let Some((server, revision)) = server() else { return };
    let url = server.url("app");
    let through = |proxy: String| Source {
        access: Access {
            proxy: Some(secret(&proxy)),
            ..by_ssh(server.access(Some("ed25519")))
        },
        ..git_source(&url)
    };
    let fetcher = support::fetcher();
    let open = HttpProxy::start(None);
    let closed = HttpProxy::start(Some(&support::http::basic("ann", "canary")));
    let plain = through(format!("http://127.0.0.1:{}", open.port()));
    assert_eq!(call(&fetcher, &plain, &revision).await, Ok(()));
    let known = through(format!("http://ann:can%61ry@127.0.0.1:{}", closed.port()));
    assert_eq!(call(&fetcher, &known, &revision).await, Ok(()));
    assert!(
        open.seen()
            .iter()
            .all(|head| head.starts_with(&format!("CONNECT 127.0.0.1:{}", server.port)))
    );
    let unknown = through(format!("http://127.0.0.1:{}", closed.port()));
    let answer = call(&fetcher, &unknown, &revision).await;
    assert!(matches!(answer, Err(FetchError::Authentication { .. })), "{answer:?}");
    let strict = support::fetcher_with(Options {
        addresses: AddressPolicy::new(|address| address.is_loopback()),
        ..Options::default()
    });
    for source in [source(&url, server.access(Some("ed25519"))), plain] {
        let answer = call(&strict, &source, &revision).await;
        assert!(matches!(answer, Err(FetchError::HostRefused { .. })), "{answer:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_sessions_end_in_time_and_heal() {
    let Some((server, revision)) = server() else { return };
    let proxy = FaultProxy::start(server.port);
    let url = server
        .url("app")
        .replace(&server.port.to_string(), &proxy.port().to_string());
    let known = server
        .known("host")
        .replace(&server.port.to_string(), &proxy.port().to_string());
    let source = Source {
        timeout: Duration::from_millis(1500),
        ..source(
            &url,
            SshAccess {
                known_hosts: Some(secret(&known)),
                ..server.access(Some("ed25519"))
            },
        )
    };
    let fetcher = support::fetcher();
    for fault in [
        Fault::Refuse,
        Fault::Answer(b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec()),
        Fault::CutAfter(10),
        Fault::CutAfter(1000),
        Fault::CutAfter(2500),
        Fault::StallAfter(0),
        Fault::StallAfter(1500),
        Fault::Corrupt(2800),
        Fault::EndlessAfter(0),
    ] {
        proxy.set(fault.clone());
        let started = Instant::now();
        let answer = call(&fetcher, &source, &revision).await;
        let transient = answer.as_ref().is_err_and(FetchError::is_transient);
        assert!(transient, "{fault:?}: {answer:?}");
        assert!(started.elapsed() < Duration::from_secs(4), "{fault:?}");
    }
    proxy.set(Fault::None);
    let patient = Source {
        timeout: Duration::from_mins(1),
        ..source
    };
    assert_eq!(call(&fetcher, &patient, &revision).await, Ok(()));
}
