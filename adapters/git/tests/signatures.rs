//! `verify`: commits and tags signed by the real gpg and ssh-keygen, and every way in which that does not count.

mod support;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use convoy_domain::access::{Access, SignaturePolicy, SignedSubject};
use convoy_domain::artifact::Revision;
use convoy_domain::limits::Limits;
use convoy_domain::secret::Secret;
use convoy_domain::source::{GitRef, Source, SourceRef};
use convoy_ports::{FetchError, SourceFetcher as _};
use convoy_testkit_contract::source_fetcher::{files, git_source};
use convoy_testkit_controlplane::component::require;
use convoy_testkit_faultproxy::FaultProxy;

use support::http::GitServer;
use support::repositories::{Repositories, noise};
use support::sshd::keygen;

const HEAD: SourceRef = SourceRef::Git(GitRef::Head);

/// A folder with keys, and the programs that use them.
struct Signing {
    home: tempfile::TempDir,
    gpg: PathBuf,
}

impl Signing {
    fn new() -> Option<Self> {
        require("ssh-keygen")?;
        let signing = Self {
            home: tempfile::tempdir().expect("a folder"),
            gpg: require("gpg")?,
        };
        // gpg refuses a home that others may look into.
        let private = std::os::unix::fs::PermissionsExt::from_mode(0o700);
        std::fs::set_permissions(signing.home.path(), private).expect("permissions");
        Some(signing)
    }

    fn gpg(&self, arguments: &[&str]) -> Vec<u8> {
        let output = Command::new(&self.gpg)
            .args([
                "--batch",
                "--yes",
                "--quiet",
                "--pinentry-mode",
                "loopback",
                "--passphrase",
                "",
            ])
            .args(arguments)
            .env("GNUPGHOME", self.home.path())
            .output()
            .expect("gpg");
        assert!(
            output.status.success(),
            "gpg {arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        output.stdout
    }

    /// Makes a key, and gives its fingerprint.
    fn key(&self, name: &str, more: &[&str]) -> String {
        self.gpg(&[&["--quick-generate-key", name], more].concat());
        self.fingerprint(name)
    }

    fn fingerprint(&self, name: &str) -> String {
        let listed = self.gpg(&["--with-colons", "--list-keys", &format!("={name}")]);
        let listed = String::from_utf8(listed).expect("text");
        let line = listed
            .lines()
            .find(|line| line.starts_with("fpr:"))
            .expect("a fingerprint");
        line.split(':').nth(9).expect("a fingerprint").to_owned()
    }

    fn export(&self, name: &str) -> Vec<u8> {
        self.gpg(&["--armor", "--export", &format!("={name}")])
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// Runs git so that it signs with `key`, in the format of PGP or ssh.
    fn git(&self, folder: &Path, format: &str, key: &str, arguments: &[&str]) -> String {
        let program = self.gpg.display().to_string();
        let output = Command::new("git")
            .current_dir(folder)
            .args(["-c", "user.name=Ann", "-c", "user.email=ann@example.com"])
            .args([
                "-c",
                &format!("gpg.format={format}"),
                "-c",
                &format!("user.signingkey={key}"),
            ])
            .args(["-c", &format!("gpg.program={program}")])
            .args(arguments)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GNUPGHOME", self.home.path())
            .output()
            .expect("git");
        assert!(
            output.status.success(),
            "git {arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// A signed commit on top of `parent`, with its tree, on `main`.
    fn commit(&self, folder: &Path, parent: &Revision, format: &str, key: &str) -> Revision {
        let tree = format!("{}^{{tree}}", parent.0);
        let arguments = ["commit-tree", "-S", "-m", "signed", "-p", &parent.0, &tree];
        let id = self.git(folder, format, key, &arguments);
        support::repositories::git(folder, &["update-ref", "refs/heads/main", &id]);
        Revision(id)
    }
}

/// A repository with one commit, without a signature.
fn repository() -> (Repositories, Revision) {
    let repositories = Repositories::new();
    repositories.create("app");
    let first = repositories.commit("app", "main", &files(&[("a", b"1")]));
    (repositories, first)
}

fn asking(url: &str, subject: SignedSubject, keys: &[&[u8]]) -> Source {
    Source {
        access: Access {
            signature: Some(SignaturePolicy {
                subject,
                keys: keys.iter().map(|key| Secret::new(key.to_vec())).collect(),
            }),
            ..Access::default()
        },
        ..git_source(url)
    }
}

/// Fetches and proves, which must agree: `Ok`, or the words of a `Signature` error.
async fn check(source: &Source, wanted: &SourceRef, revision: &Revision, expect: Result<(), &str>) {
    let fetcher = support::fetcher();
    let artifact = fetcher
        .fetch(source, wanted, revision, &Limits::default())
        .await
        .map(drop);
    let proved = fetcher.prove(source, wanted, revision).await;
    for answer in [artifact, proved] {
        match (&answer, expect) {
            (Ok(()), Ok(())) => {}
            (Err(FetchError::Signature { why, .. }), Err(expect)) => assert!(why.contains(expect), "{expect}: {why}"),
            _ => panic!("expected {expect:?}, found {answer:?}"),
        }
    }
}

#[tokio::test]
async fn openpgp_keys_of_every_kind_sign_commits() {
    let Some(signing) = Signing::new() else { return };
    let (repositories, first) = repository();
    let (folder, url) = (repositories.folder("app"), repositories.url("app"));
    let mut all = Vec::new();
    for kind in ["ed25519", "rsa2048", "nistp256", "nistp384"] {
        let name = format!("{kind} <a@example.com>");
        let key = signing.key(&name, &[kind, "sign", "never"]);
        let revision = signing.commit(&folder, &first, "openpgp", &key);
        all.push((signing.export(&name), revision));
    }
    for (number, (key, revision)) in all.iter().enumerate() {
        check(&asking(&url, SignedSubject::Head, &[key]), &HEAD, revision, Ok(())).await;
        let others: Vec<&[u8]> = all
            .iter()
            .enumerate()
            .filter(|(at, _)| *at != number)
            .map(|(_, (key, _))| key.as_slice())
            .collect();
        let unknown = Err("is signed by a key that the source does not name");
        check(&asking(&url, SignedSubject::Head, &others), &HEAD, revision, unknown).await;
        let every: Vec<&[u8]> = all.iter().map(|(key, _)| key.as_slice()).collect();
        check(&asking(&url, SignedSubject::Head, &every), &HEAD, revision, Ok(())).await;
    }
    let joined: Vec<u8> = all.iter().flat_map(|(key, _)| key.clone()).collect();
    let binary = signing.gpg(&["--export"]);
    for keys in [joined, binary] {
        check(&asking(&url, SignedSubject::Head, &[&keys]), &HEAD, &all[1].1, Ok(())).await;
    }
    for keys in [
        &b""[..],
        b"garbage",
        b"-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nAAAA\n-----END PGP PUBLIC KEY BLOCK-----",
    ] {
        let unknown = Err("is signed by a key that the source does not name");
        check(&asking(&url, SignedSubject::Head, &[keys]), &HEAD, &all[0].1, unknown).await;
    }
    check(
        &asking(&url, SignedSubject::Head, &[&all[0].0]),
        &HEAD,
        &first,
        Err("is not signed"),
    )
    .await;
}

#[tokio::test]
async fn a_subkey_signs_for_its_primary_key() {
    let Some(signing) = Signing::new() else { return };
    let (repositories, first) = repository();
    let (folder, url) = (repositories.folder("app"), repositories.url("app"));
    let name = "Ann <ann@example.com>";
    let key = signing.key(name, &["ed25519", "cert", "never"]);
    let bare = signing.export(name);
    signing.gpg(&["--quick-add-key", &key, "rsa2048", "sign", "never"]);
    signing.gpg(&["--quick-add-key", &key, "cv25519", "encr", "never"]);
    let revision = signing.commit(&folder, &first, "openpgp", &key);
    check(
        &asking(&url, SignedSubject::Head, &[&signing.export(name)]),
        &HEAD,
        &revision,
        Ok(()),
    )
    .await;
    let unknown = Err("is signed by a key that the source does not name");
    check(&asking(&url, SignedSubject::Head, &[&bare]), &HEAD, &revision, unknown).await;
    let listed = String::from_utf8(signing.gpg(&["--with-colons", "--list-keys", name])).expect("text");
    let mut lines = listed.lines().skip_while(|line| !line.starts_with("sub:"));
    let subkey = lines
        .find(|line| line.starts_with("fpr:"))
        .and_then(|line| line.split(':').nth(9))
        .expect("a subkey");
    revoke(&signing, subkey);
    let revoked = Err("is signed by a key that is revoked");
    check(
        &asking(&url, SignedSubject::Head, &[&signing.export(name)]),
        &HEAD,
        &revision,
        revoked,
    )
    .await;
}

/// Revokes a subkey, as a person at the terminal would.
fn revoke(signing: &Signing, subkey: &str) {
    let mut child = Command::new(&signing.gpg)
        .args([
            "--no-tty",
            "--pinentry-mode",
            "loopback",
            "--passphrase",
            "",
            "--command-fd",
            "0",
            "--edit-key",
            "Ann",
        ])
        .env("GNUPGHOME", signing.home.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("gpg");
    let commands = format!("key {subkey}\nrevkey\ny\n0\n\ny\nsave\n");
    child
        .stdin
        .take()
        .expect("its input")
        .write_all(commands.as_bytes())
        .expect("commands");
    assert!(child.wait().expect("gpg").success());
}

#[tokio::test]
async fn keys_that_are_revoked_or_out_of_their_time_do_not_count() {
    let Some(signing) = Signing::new() else { return };
    let (repositories, first) = repository();
    let (folder, url) = (repositories.folder("app"), repositories.url("app"));
    let name = "Bob <bob@example.com>";
    let key = signing.key(name, &["ed25519", "sign", "never"]);
    let revision = signing.commit(&folder, &first, "openpgp", &key);
    check(
        &asking(&url, SignedSubject::Head, &[&signing.export(name)]),
        &HEAD,
        &revision,
        Ok(()),
    )
    .await;
    // gpg writes a certificate of revocation beside each key, with a colon that keeps it from being used by mistake.
    let path = signing.path(&format!("openpgp-revocs.d/{key}.rev"));
    let text = std::fs::read_to_string(&path)
        .expect("a revocation")
        .replace(":-----BEGIN", "-----BEGIN");
    std::fs::write(&path, text).expect("a file");
    signing.gpg(&["--import", &path.display().to_string()]);
    let revoked = Err("is signed by a key that is revoked");
    check(
        &asking(&url, SignedSubject::Head, &[&signing.export(name)]),
        &HEAD,
        &revision,
        revoked,
    )
    .await;

    let name = "Carl <carl@example.com>";
    let then = "--faked-system-time=20200101T000000";
    signing.gpg(&[then, "--quick-generate-key", name, "ed25519", "sign", "1y"]);
    let key = signing.fingerprint(name);
    let program = signing.path("gpg-then");
    std::fs::write(
        &program,
        format!("#!/bin/sh\nexec {} {then} \"$@\"\n", signing.gpg.display()),
    )
    .expect("a program");
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("permissions");
    let past = Signing {
        home: signing.home,
        gpg: program,
    };
    let revision = past.commit(&folder, &first, "openpgp", &key);
    let expired = Err("is signed by a key that is out of its time");
    check(
        &asking(&url, SignedSubject::Head, &[&past.export(name)]),
        &HEAD,
        &revision,
        expired,
    )
    .await;
}

#[tokio::test]
async fn a_signature_is_of_its_own_content_only() {
    let Some(signing) = Signing::new() else { return };
    let (repositories, first) = repository();
    let (folder, url) = (repositories.folder("app"), repositories.url("app"));
    let key = signing.key("Ann <ann@example.com>", &["ed25519", "sign", "never"]);
    keygen(&signing.path("ssh"), "ed25519", "256", "");
    let keys = [
        signing.export("Ann <ann@example.com>"),
        std::fs::read(signing.path("ssh.pub")).expect("a key"),
    ];
    let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    for (format, key) in [("openpgp", key), ("ssh", signing.path("ssh").display().to_string())] {
        let revision = signing.commit(&folder, &first, format, &key);
        let own = support::repositories::git(&folder, &["cat-file", "commit", &revision.0]);
        check(&asking(&url, SignedSubject::Head, &keys), &HEAD, &revision, Ok(())).await;
        let double = own.replacen("\ngpgsig ", "\ngpgsig x\nother y\ngpgsig ", 1);
        for (changed, expect) in [
            (
                own.replacen("author Ann", "author Eve", 1),
                "has a signature that is not of this content",
            ),
            (format!("{own} and more"), "has a signature that is not of this content"),
            (
                own.replacen("\ngpgsig ", "\nextra header\ngpgsig ", 1),
                "has a signature that is not of this content",
            ),
            (double, "is signed more than once"),
            (
                own.replacen("\ngpgsig -----BEGIN", "\ngpgsig -----begin", 1),
                "has a signature that cannot be read",
            ),
        ] {
            let path = signing.path("changed");
            std::fs::write(&path, format!("{changed}\n")).expect("a file");
            let text = path.display().to_string();
            let id = support::repositories::git(&folder, &["hash-object", "-t", "commit", "--literally", "-w", &text]);
            check(
                &asking(&url, SignedSubject::Head, &keys),
                &HEAD,
                &Revision(id),
                Err(expect),
            )
            .await;
        }
    }
}

#[tokio::test]
async fn ssh_keys_sign_commits_within_their_rules() {
    let Some(signing) = Signing::new() else { return };
    let (repositories, first) = repository();
    let (folder, url) = (repositories.folder("app"), repositories.url("app"));
    let public = |name: &str| std::fs::read_to_string(signing.path(&format!("{name}.pub"))).expect("a key");
    for (name, kind, bits) in [
        ("one", "ed25519", "256"),
        ("two", "ecdsa", "256"),
        ("three", "rsa", "2048"),
        ("four", "ecdsa", "521"),
    ] {
        keygen(&signing.path(name), kind, bits, "");
        let revision = signing.commit(&folder, &first, "ssh", &signing.path(name).display().to_string());
        check(
            &asking(&url, SignedSubject::Head, &[public(name).as_bytes()]),
            &HEAD,
            &revision,
            Ok(()),
        )
        .await;
        if name != "one" {
            let unknown = Err("is signed by a key that the source does not name: SHA256:");
            check(
                &asking(&url, SignedSubject::Head, &[public("one").as_bytes()]),
                &HEAD,
                &revision,
                unknown,
            )
            .await;
            continue;
        }
        let key = public("one");
        let unknown = Err("is signed by a key that the source does not name");
        let expired = Err("is signed by a key that is out of its time");
        for (line, expect) in [
            (format!("ann@example.com {key}"), Ok(())),
            (format!("# people\nann@example.com namespaces=\"git\" {key}"), Ok(())),
            (
                format!("* valid-after=\"20200101\",valid-before=\"29990101\" {key}"),
                Ok(()),
            ),
            (format!("* valid-before=\"20200101\" {key}"), expired),
            (format!("* valid-after=\"29990101\" {key}"), expired),
            (format!("* namespaces=\"file\" {key}"), unknown),
            (format!("* cert-authority {key}"), unknown),
        ] {
            check(
                &asking(&url, SignedSubject::Head, &[line.as_bytes()]),
                &HEAD,
                &revision,
                expect,
            )
            .await;
        }
    }
}

#[tokio::test]
async fn a_tag_is_checked_under_its_own_name() {
    let Some(signing) = Signing::new() else { return };
    let (repositories, first) = repository();
    let (folder, url) = (repositories.folder("app"), repositories.url("app"));
    let key = signing.key("Ann <ann@example.com>", &["rsa2048", "sign", "never"]);
    keygen(&signing.path("ssh"), "ed25519", "256", "");
    let ssh = signing.path("ssh").display().to_string();
    let keys = [
        signing.export("Ann <ann@example.com>"),
        std::fs::read(signing.path("ssh.pub")).expect("a key"),
    ];
    let source = asking(&url, SignedSubject::Tag, &[&keys[0], &keys[1]]);
    let tag = |name: &str| SourceRef::Git(GitRef::Tag(name.to_owned()));
    let version = |text: &str| SourceRef::Git(GitRef::Semver(text.to_owned()));
    signing.git(
        &folder,
        "openpgp",
        &key,
        &["tag", "-s", "-m", "one", "v1.0.0", &first.0],
    );
    signing.git(&folder, "ssh", &ssh, &["tag", "-s", "-m", "two", "v1.1.0", &first.0]);
    let plain = support::repositories::git;
    plain(&folder, &["tag", "-a", "-m", "nobody", "v1.2.0", &first.0]);
    plain(&folder, &["tag", "v1.3.0", &first.0]);
    plain(&folder, &["update-ref", "refs/tags/v2.0.0", "v1.0.0"]);
    let nested = plain(&folder, &["rev-parse", "v1.0.0"]);
    signing.git(&folder, "ssh", &ssh, &["tag", "-s", "-m", "nested", "v3.0.0", &nested]);
    check(&source, &tag("v1.0.0"), &first, Ok(())).await;
    check(&source, &tag("v1.1.0"), &first, Ok(())).await;
    check(&source, &version("~1.1.0"), &first, Ok(())).await;
    check(&source, &tag("v1.2.0"), &first, Err("the tag v1.2.0 is not signed")).await;
    check(&source, &tag("v1.3.0"), &first, Err("the tag v1.3.0 is not signed")).await;
    check(&source, &version("1.x"), &first, Err("the tag v1.3.0 is not signed")).await;
    check(&source, &tag("v2.0.0"), &first, Err("the tag has another name")).await;
    check(&source, &tag("v3.0.0"), &first, Err("the tag's target is another one")).await;
    for other in [
        HEAD,
        SourceRef::Git(GitRef::Branch("main".into())),
        SourceRef::Git(GitRef::Commit(first.0.clone())),
    ] {
        check(&source, &other, &first, Err("is no tag, and a tag must be signed")).await;
    }
    let second = repositories.commit("app", "main", &files(&[("a", b"2")]));
    let moved = support::fetcher()
        .fetch(&source, &tag("v1.0.0"), &second, &Limits::default())
        .await;
    assert!(matches!(moved, Err(FetchError::RefNotFound { .. })), "{moved:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_is_asked_for_what_is_signed_only() {
    let (Some(signing), Some(server)) = (Signing::new(), GitServer::start()) else {
        return;
    };
    server.repositories.create("app");
    let first = server
        .repositories
        .commit("app", "main", &files(&[("a", &noise(1, 500_000))]));
    let folder = server.repositories.folder("app");
    let key = signing.key("Ann <ann@example.com>", &["ed25519", "sign", "never"]);
    let revision = signing.commit(&folder, &first, "openpgp", &key);
    signing.git(
        &folder,
        "openpgp",
        &key,
        &["tag", "-s", "-m", "one", "v1.0.0", &revision.0],
    );
    let keys = signing.export("Ann <ann@example.com>");
    let tag = SourceRef::Git(GitRef::Tag("v1.0.0".to_owned()));
    for way in ["", "old/"] {
        let url = format!("http://127.0.0.1:{}/{way}app.git", server.plain_port);
        check(&asking(&url, SignedSubject::Head, &[&keys]), &HEAD, &revision, Ok(())).await;
        check(&asking(&url, SignedSubject::Tag, &[&keys]), &tag, &revision, Ok(())).await;
        check(
            &asking(&url, SignedSubject::Head, &[&keys]),
            &SourceRef::Git(GitRef::Commit(first.0.clone())),
            &first,
            Err("is not signed"),
        )
        .await;
    }
    support::repositories::git(&folder, &["config", "uploadpack.allowFilter", "true"]);
    let proxy = FaultProxy::start(server.plain_port);
    let source = asking(
        &format!("http://127.0.0.1:{}/app.git", proxy.port()),
        SignedSubject::Tag,
        &[&keys],
    );
    assert_eq!(support::fetcher().prove(&source, &tag, &revision).await, Ok(()));
    assert!(proxy.received() < 20_000, "{} bytes", proxy.received());
}
