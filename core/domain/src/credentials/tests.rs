use alloc::string::ToString as _;
use alloc::vec;
use core::time::Duration;

use super::*;
use crate::id::NamespacedName;
use crate::source::{SourceKey, SourceKind, Tls};

fn source(url: &str) -> Source {
    Source {
        key: SourceKey {
            kind: SourceKind::Git,
            id: NamespacedName::new("apps", "repo").unwrap(),
        },
        uid: "u".into(),
        generation: 1,
        resource_version: "1".into(),
        url: url.into(),
        interval: Duration::from_mins(1),
        min_sync_interval: Duration::from_secs(30),
        timeout: Duration::from_mins(1),
        tls: Tls::default(),
        secrets: SecretRefs::default(),
        access: Access::default(),
        fetch_requested: None,
        unsupported: Vec::new(),
        ignored: Vec::new(),
        status: None,
    }
}

fn with(kind: CredentialKind) -> Source {
    let credentials = Some((kind, "creds".into()));
    Source {
        secrets: SecretRefs {
            credentials,
            ..SecretRefs::default()
        },
        ..source("oci://ghcr.io/org")
    }
}

fn secrets(entries: &[(&str, &[u8])]) -> BTreeMap<String, Entries> {
    let entries = entries
        .iter()
        .map(|(name, value)| ((*name).to_string(), Secret::new(value.to_vec())));
    [("creds".to_string(), entries.collect())].into()
}

fn read(kind: CredentialKind, entries: &[(&str, &[u8])]) -> Result<Credentials, String> {
    let found = with(kind).with_secrets(&secrets(entries));
    found
        .map(|source| source.access.credentials)
        .map_err(|error| error.to_string())
}

fn text(value: &str) -> Secret<String> {
    Secret::new(value.into())
}

fn basic(username: &str, password: &str) -> Credentials {
    Credentials::Basic {
        username: text(username),
        password: text(password),
    }
}

#[test]
fn each_kind_is_read_by_the_names_of_flux_and_kubernetes() {
    use CredentialKind as Kind;
    let check = |kind, entries: &[(&str, &[u8])], expect: Credentials| {
        assert_eq!(read(kind, entries), Ok(expect), "{kind:?}");
    };
    check(
        Kind::Basic,
        &[("username", b"ada"), ("password", b"p w\r\n")],
        basic("ada", "p w"),
    );
    check(Kind::Token, &[("token", b"t\n")], Credentials::Token(text("t")));
    check(Kind::Token, &[("bearerToken", b"t")], Credentials::Token(text("t")));
    let app = GitHubApp {
        app: "12".into(),
        installation: "34".into(),
        private_key: text("PEM\n"),
        api: Some("https://ghe.example/api/v3".into()),
    };
    check(
        Kind::GitHubApp,
        &[
            ("githubAppID", b"12"),
            ("githubAppInstallationID", b"34\n"),
            ("githubAppPrivateKey", b"PEM\n"),
            ("githubAppBaseURL", b"https://ghe.example/api/v3"),
        ],
        Credentials::GitHubApp(app),
    );
    check(
        Kind::ClientCertificate,
        &[("tls.crt", b"C"), ("tls.key", b"K")],
        Credentials::ClientCertificate(ClientCertificate {
            certificate: b"C".to_vec(),
            key: Secret::new(b"K".to_vec()),
        }),
    );
}

#[test]
fn the_password_of_ssh_unlocks_an_identity_or_is_the_users() {
    let check = |entries: &[(&str, &[u8])], expect: [Option<&str>; 3]| {
        let mut all = vec![("known_hosts", &b"h k\n"[..])];
        all.extend_from_slice(entries);
        let Ok(Credentials::Ssh(found)) = read(CredentialKind::Ssh, &all) else {
            panic!("{entries:?}");
        };
        let expect = expect.map(|part| part.map(text));
        assert_eq!(
            [found.identity, found.passphrase, found.password],
            expect,
            "{entries:?}"
        );
        assert_eq!(found.known_hosts, Some(text("h k\n")));
    };
    check(&[("identity", b"I\n")], [Some("I\n"), None, None]);
    check(&[("ssh-privatekey", b"I\n")], [Some("I\n"), None, None]);
    check(
        &[("identity", b"I"), ("password", b"p\n")],
        [Some("I"), Some("p"), None],
    );
    check(
        &[("identity", b"I"), ("passphrase", b"x"), ("password", b"p")],
        [Some("I"), Some("x"), Some("p")],
    );
    check(&[("password", b"p")], [None, None, Some("p")]);
}

#[test]
fn what_is_missing_is_named_and_nothing_that_is_there() {
    use CredentialKind as Kind;
    let check = |kind, entries: &[(&str, &[u8])], expect: &str| {
        let message = read(kind, entries).unwrap_err();
        assert_eq!(message, expect, "{kind:?}");
    };
    let lacks = |what| format!("Secret `creds` of `spec.auth.secretRef` {what}");
    check(Kind::Basic, &[("username", b"ada")], &lacks("has no entry `password`"));
    check(
        Kind::Basic,
        &[("username", b""), ("password", b"canary")],
        &lacks("has an entry `username` that is empty"),
    );
    check(
        Kind::Token,
        &[("other", b"canary")],
        &lacks("has no entry `token` (or `bearerToken`)"),
    );
    check(
        Kind::Token,
        &[("token", b"canary\ncanary")],
        &lacks("has an entry `token` that holds control characters or several lines"),
    );
    check(
        Kind::Token,
        &[("token", b"canary\xff")],
        &lacks("has an entry `token` that is no UTF-8 text"),
    );
    check(
        Kind::Ssh,
        &[("identity", b"canary")],
        &lacks("has no entry `known_hosts`"),
    );
    check(
        Kind::Ssh,
        &[("known_hosts", b"x"), ("passphrase", b"canary")],
        &lacks("has no entry `identity` (or `ssh-privatekey`, `password`)"),
    );
    check(
        Kind::GitHubApp,
        &[("githubAppID", b"1"), ("githubAppInstallationID", b"../canary")],
        &lacks("has an entry `githubAppInstallationID` that is no number"),
    );
    check(
        Kind::ClientCertificate,
        &[("tls.crt", b"C")],
        &lacks("has no entry `tls.key`"),
    );
    let absent = with(Kind::Basic).with_secrets(&BTreeMap::new()).unwrap_err();
    assert_eq!(absent.to_string(), lacks("does not exist"));
}

#[test]
fn each_field_has_its_reason() {
    let full = Source {
        tls: Tls {
            ca_secret: Some("ca".into()),
            ..Tls::default()
        },
        secrets: SecretRefs {
            credentials: Some((CredentialKind::Basic, "creds".into())),
            signature: Some((SignedSubject::Head, "keys".into())),
            webhook: Some("hook".into()),
        },
        ..source("https://git.example/a.git")
    };
    assert_eq!(
        full.secret_names().into_iter().collect::<Vec<_>>(),
        ["ca", "creds", "keys"],
        "no fetch reads the Secret of the webhook"
    );
    let mut found = BTreeMap::new();
    let mut check = |name: &str, entries: &[(&str, &[u8])], reasons: (Reason, SourceReason)| {
        let error = full.clone().with_secrets(&found).unwrap_err();
        assert_eq!((error.reason(), error.source_reason()), reasons, "{error}");
        assert_eq!(error.secret, name);
        found.insert(name.to_string(), secrets(entries).remove("creds").unwrap());
    };
    check(
        "creds",
        &[("username", b"u"), ("password", b"p")],
        (Reason::AuthenticationFailed, SourceReason::AuthenticationFailed),
    );
    check(
        "ca",
        &[("ca.crt", b"PEM")],
        (Reason::TlsFailed, SourceReason::TlsFailed),
    );
    check(
        "keys",
        &[("author.pub", b"ssh-ed25519 A"), ("empty", b"")],
        (Reason::SignatureInvalid, SourceReason::AuthenticationFailed),
    );
    let access = full.with_secrets(&found).unwrap().access;
    assert_eq!(access.authorities.as_deref(), Some(&b"PEM"[..]));
    assert_eq!(access.signature.unwrap().keys.len(), 1);
    let hosts = with(CredentialKind::Ssh)
        .with_secrets(&secrets(&[("identity", b"I")]))
        .unwrap_err();
    assert_eq!(
        (hosts.reason(), hosts.source_reason()),
        (Reason::HostNotTrusted, SourceReason::HostNotTrusted)
    );
}

#[test]
fn of_a_docker_configuration_the_place_that_fits_best_counts() {
    let check = |url: &str, auths: &str, expect: Result<Credentials, &str>| {
        let config = format!("{{\"auths\": {auths}}}");
        let source = Source {
            url: url.into(),
            ..with(CredentialKind::DockerConfig)
        };
        let found = source.with_secrets(&secrets(&[(".dockerconfigjson", config.as_bytes())]));
        let found = found.map(|source| source.access.credentials).map_err(|e| e.to_string());
        let expect = expect.map_err(|why| format!("Secret `creds` of `spec.auth.secretRef` {why}"));
        assert_eq!(found, expect, "{url} {auths}");
    };
    // ada:secret, and with a zero byte at the end
    check(
        "oci://ghcr.io/org",
        r#"{"ghcr.io": {"auth": "YWRhOnNlY3JldA=="}}"#,
        Ok(basic("ada", "secret")),
    );
    check(
        "oci://ghcr.io",
        r#"{"https://GHCR.io/v2/": {"auth": "YWRhOnNlY3JldAA="}}"#,
        Ok(basic("ada", "secret")),
    );
    let hub = r#"{"https://index.docker.io/v1/": {"username": "u", "password": "p:q"}}"#;
    check("oci://docker.io/org", hub, Ok(basic("u", "p:q")));
    check("oci://registry-1.docker.io/org", hub, Ok(basic("u", "p:q")));
    let both = r#"{"q.io": {"username": "a", "password": "1"}, "q.io/org": {"username": "b", "password": "2"}}"#;
    check("oci://q.io/org/charts", both, Ok(basic("b", "2")));
    check("oci://q.io/organisation", both, Ok(basic("a", "1")));
    let any = r#"{"*.q.io": {"username": "a", "password": "1"}, "x.q.io": {"username": "b", "password": "2"}}"#;
    check("oci://y.q.io", any, Ok(basic("a", "1")));
    check("oci://x.q.io", any, Ok(basic("b", "2")));
    let other = |host: &str| format!("has credentials for other registries than `{host}`");
    for host in ["q.io", "z.y.q.io", "y.q.io:5000", "yq.io", "y.q.io.evil"] {
        check(&format!("oci://{host}"), any, Err(&other(host)));
    }
    let tokens = r#"{"a": {"identitytoken": "i", "auth": "PHRva2VuPjo="}, "b": {"registrytoken": "r"}}"#;
    check("oci://a", tokens, Ok(Credentials::IdentityToken(text("i"))));
    check("oci://b", tokens, Ok(Credentials::Token(text("r"))));
    let unusable =
        "has an entry `.dockerconfigjson` that has an `auth` for the registry that is no `user:password` in base64";
    check("oci://a", r#"{"a": {"auth": "canary"}}"#, Err(unusable));
    check(
        "oci://a",
        r#"{"a": {}}"#,
        Err("has an entry `.dockerconfigjson` that has neither `auth` nor `username` and `password` for the registry"),
    );
    check(
        "oci://a",
        "3",
        Err("has an entry `.dockerconfigjson` that has no mapping `auths`"),
    );
    check("oci://a", "{", Err("has an entry `.dockerconfigjson` that is no JSON"));
}

#[test]
fn a_source_that_names_no_secret_asks_for_none() {
    let plain = Source {
        access: Access {
            submodules: true,
            ..Access::default()
        },
        ..source("https://git.example/a.git")
    };
    assert_eq!(plain.clone().with_secrets(&BTreeMap::new()), Ok(plain));
}
