//! Which requests share: compared with a plain comparison of everything that must be equal.

use std::time::Duration;

use convoy_domain::Timestamp;
use convoy_domain::access::{
    Access, ClientCertificate, Credentials, GitHubApp, SignaturePolicy, SignedSubject, SshAccess,
};
use convoy_domain::artifact::Revision;
use convoy_domain::credentials::SecretRefs;
use convoy_domain::id::NamespacedName;
use convoy_domain::secret::Secret;
use convoy_domain::sharing::{ArtifactKey, Caller, Proof, Terms, asking_proves, bucket, is_fixed};
use convoy_domain::source::{GitRef, OciContent, Source, SourceKey, SourceKind, SourceRef, Tls};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

fn secret() -> impl Strategy<Value = Secret<String>> {
    "[ab]{0,2}".prop_map(Secret::new)
}

fn credentials() -> impl Strategy<Value = Credentials> {
    let ssh = (
        option::of(secret()),
        option::of(secret()),
        option::of(secret()),
        option::of(secret()),
    );
    prop_oneof![
        Just(Credentials::None),
        (secret(), secret()).prop_map(|(username, password)| Credentials::Basic { username, password }),
        secret().prop_map(Credentials::Token),
        secret().prop_map(Credentials::IdentityToken),
        ssh.prop_map(
            |(identity, passphrase, password, known_hosts)| Credentials::Ssh(SshAccess {
                identity,
                passphrase,
                password,
                known_hosts,
            })
        ),
        ("[ab]{0,2}", "[ab]{0,2}").prop_map(|(certificate, key)| {
            Credentials::ClientCertificate(ClientCertificate {
                certificate: certificate.into_bytes(),
                key: Secret::new(key.into_bytes()),
            })
        }),
        ("[ab]{0,2}", "[ab]{0,2}", secret(), option::of("[ab]{0,1}")).prop_map(
            |(app, installation, private_key, api)| Credentials::GitHubApp(GitHubApp {
                app,
                installation,
                private_key,
                api,
            })
        ),
    ]
}

fn signature() -> impl Strategy<Value = Option<SignaturePolicy>> {
    let keys = proptest::collection::vec("[ab]{0,2}".prop_map(|key| Secret::new(key.into_bytes())), 0..3);
    let subject = select(vec![SignedSubject::Head, SignedSubject::Tag]);
    option::of((subject, keys).prop_map(|(subject, keys)| SignaturePolicy { subject, keys }))
}

fn access() -> impl Strategy<Value = Access> {
    let authorities = option::of("[ab]{0,1}".prop_map(String::into_bytes));
    let proxy = option::of(select(vec!["http://p", "http://u:a@p"]).prop_map(|url| Secret::new(url.to_owned())));
    (credentials(), authorities, proxy, any::<[bool; 3]>(), signature()).prop_map(
        |(credentials, authorities, proxy, [submodules, pass_credentials, plain_http], signature)| Access {
            credentials,
            authorities,
            proxy,
            submodules,
            signature,
            pass_credentials,
            plain_http,
        },
    )
}

/// URLs, of which some are written differently for one place.
fn url() -> impl Strategy<Value = String> {
    select(vec![
        "https://h/a",
        " https://H/a.git/ ",
        "HTTPS://h/a/",
        "https://h/A",
        "https://h/b",
        "https://u@h/a",
        "https://U@h/a",
        "ssh://git@h/a",
    ])
    .prop_map(str::to_owned)
}

fn wanted() -> impl Strategy<Value = SourceRef> {
    let text = || select(vec!["a", "a-1", "1", "1-1"]).prop_map(str::to_owned);
    let content = select(vec![OciContent::Chart, OciContent::Files]);
    prop_oneof![
        text().prop_map(|name| SourceRef::Git(GitRef::Branch(name))),
        (text(), text()).prop_map(|(chart, version)| SourceRef::Helm { chart, version }),
        (text(), text(), content).prop_map(|(chart, version, content)| SourceRef::Oci {
            chart,
            version,
            content
        }),
    ]
}

fn request() -> impl Strategy<Value = (Source, SourceRef)> {
    (url(), access(), any::<bool>(), wanted(), "[ab]", 0..2_u64).prop_map(
        |(url, access, insecure, wanted, name, seconds)| {
            let source = Source {
                key: SourceKey {
                    kind: wanted.kind(),
                    id: NamespacedName::new("team", &name).expect("a name"),
                },
                url,
                access,
                tls: Tls {
                    insecure_skip_verify: insecure,
                    ca_secret: None,
                },
                interval: Duration::from_secs(seconds),
                ..source()
            };
            (source, wanted)
        },
    )
}

fn source() -> Source {
    Source {
        key: SourceKey {
            kind: SourceKind::Git,
            id: NamespacedName::new("team", "a").expect("a name"),
        },
        uid: String::new(),
        generation: 1,
        resource_version: String::new(),
        url: "https://h/a".to_owned(),
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

/// The place that a URL names, found another way: by its parts.
fn place(url: &str) -> (String, Option<String>, String, String) {
    let url = url.trim().trim_end_matches('/').trim_end_matches(".git");
    let (scheme, rest) = url.split_once("://").expect("a scheme");
    let (authority, path) = rest.split_once('/').expect("a path");
    let (user, host) = match authority.split_once('@') {
        Some((user, host)) => (Some(user.to_owned()), host),
        None => (None, authority),
    };
    (scheme.to_lowercase(), user, host.to_lowercase(), path.to_owned())
}

fn chart(wanted: &SourceRef) -> Option<(&str, Option<OciContent>)> {
    match wanted {
        SourceRef::Git(_) => None,
        SourceRef::Helm { chart, .. } => Some((chart, None)),
        SourceRef::Oci { chart, content, .. } => Some((chart, Some(*content))),
    }
}

/// Whether two requests ask for the same, by comparison of each part.
fn same_terms((one, wanted): &(Source, SourceRef), (other, others): &(Source, SourceRef)) -> bool {
    let way = |access: &Access| {
        (
            access.authorities.clone(),
            access.plain_http,
            access.proxy.clone(),
            access.submodules,
        )
    };
    one.key.kind == other.key.kind
        && place(&one.url) == place(&other.url)
        && one.tls.insecure_skip_verify == other.tls.insecure_skip_verify
        && way(&one.access) == way(&other.access)
        && chart(wanted) == chart(others)
        && (!one.access.submodules || same_caller(one, other))
}

fn same_caller(one: &Source, other: &Source) -> bool {
    let who = |access: &Access| {
        (
            access.credentials.clone(),
            access.pass_credentials,
            access.signature.clone(),
        )
    };
    who(&one.access) == who(&other.access)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn terms_and_callers_are_equal_where_all_their_parts_are(one in request(), mut other in request(), mix in any::<[bool; 8]>()) {
        // Parts of the first, so that two requests are often equal but for a few.
        let access = &mut other.0.access;
        if mix[0] { access.credentials = one.0.access.credentials.clone(); }
        if mix[1] { access.authorities.clone_from(&one.0.access.authorities); }
        if mix[2] { access.proxy = one.0.access.proxy.clone(); }
        if mix[3] { access.signature = one.0.access.signature.clone(); }
        if mix[4] { access.submodules = one.0.access.submodules; access.plain_http = one.0.access.plain_http; }
        if mix[5] { access.pass_credentials = one.0.access.pass_credentials; }
        if mix[6] { other.0.url.clone_from(&one.0.url); other.0.tls = one.0.tls.clone(); }
        if mix[7] { other.1 = one.1.clone(); other.0.key.kind = one.0.key.kind; }
        let terms = |(source, wanted): &(Source, SourceRef)| Terms::of(source, wanted);
        prop_assert_eq!(terms(&one) == terms(&other), same_terms(&one, &other));
        prop_assert_eq!(Caller::of(&one.0) == Caller::of(&other.0), same_caller(&one.0, &other.0));
        let revision = Revision("a-1-1@sha256:0".to_owned());
        let key = |(source, wanted): &(Source, SourceRef)| ArtifactKey::new(source, wanted, &revision);
        if same_terms(&one, &other) {
            prop_assert_eq!(key(&one), key(&other));
            prop_assert_eq!(key(&one).name(), key(&other).name());
        } else {
            prop_assert_ne!(key(&one), key(&other));
            prop_assert_ne!(key(&one).name(), key(&other).name());
        }
    }

    #[test]
    fn nothing_of_a_request_prints_a_secret(mut request in request(), noise in "[a-z]{0,4}") {
        let canary = format!("c4n4ry{noise}");
        request.0.access.credentials = Credentials::Token(Secret::new(canary.clone()));
        request.0.access.proxy = Some(Secret::new(format!("http://u:{canary}@proxy")));
        let (source, wanted) = &request;
        let revision = Revision("a-1@sha256:0".to_owned());
        let key = ArtifactKey::new(source, wanted, &revision);
        let shown = format!("{:?} {:?} {key:?} {}", Terms::of(source, wanted), Caller::of(source), key.name());
        prop_assert!(!shown.contains(&canary));
        prop_assert!(!key.lasts(), "a password went into its hash");
    }

    #[test]
    fn a_proof_counts_within_the_interval_only(age in -100_i64..100, interval in 0..100_u64) {
        let at = Timestamp::from_second(1_800_000_000).unwrap();
        let now = Timestamp::from_second(1_800_000_000 + age).unwrap();
        let interval = Duration::from_secs(interval);
        let expect = age == 0 || (age > 0 && age.unsigned_abs() < interval.as_secs());
        prop_assert_eq!(Proof::Shown(at).counts(interval, now), expect);
        prop_assert!(Proof::Fetched.counts(interval, now));
    }
}

#[test]
fn buckets_are_the_pages() {
    let check = |url: &str, revision: &str, expect: &str| {
        assert_eq!(bucket(url, &Revision(revision.to_owned())), expect);
    };
    check("https://github.com/Org/App.git", "1f", "https://github.com/org/app#1f");
    check("  https://GitHub.com/org/app/ ", "1f", "https://github.com/org/app#1f");
    check("https://h/a.git/", "1f", "https://h/a#1f");
    check("oci://h/charts", "web-1.0.0@sha256:0a", "oci://h/charts#web-1.0.0");
}

#[test]
fn a_chart_and_its_version_count_as_a_pair() {
    let of = |chart: &str, version: &str| {
        let wanted = SourceRef::Helm {
            chart: chart.to_owned(),
            version: version.to_owned(),
        };
        let mut source = source();
        source.key.kind = SourceKind::Helm;
        let revision = Revision(format!("{chart}-{version}@sha256:{}", "0".repeat(64)));
        ArtifactKey::new(&source, &wanted, &revision)
    };
    assert_eq!(of("a-1", "2").revision().shown(), of("a", "1-2").revision().shown());
    assert_ne!(of("a-1", "2"), of("a", "1-2"));
    assert_eq!(of("a", "1"), of("a", "1"));
}

#[test]
fn what_is_not_addressed_by_its_content_does_not_last() {
    let lasts = |kind, url: &str, revision: &str| {
        let mut source = source();
        source.key.kind = kind;
        url.clone_into(&mut source.url);
        let wanted = match kind {
            SourceKind::Git => SourceRef::Git(GitRef::Head),
            SourceKind::Helm | SourceKind::Oci => SourceRef::Helm {
                chart: "web".to_owned(),
                version: "1.0.0".to_owned(),
            },
        };
        ArtifactKey::new(&source, &wanted, &Revision(revision.to_owned())).lasts()
    };
    let digest = format!("sha256:{}", "a".repeat(64));
    assert!(lasts(SourceKind::Git, "https://h/a", "1f"));
    assert!(lasts(SourceKind::Git, "ssh://git@h/a", "1f"));
    assert!(!lasts(SourceKind::Git, "ssh://git:secret@h/a", "1f"));
    assert!(!lasts(SourceKind::Git, "https://token@h/a", "1f"));
    assert!(!lasts(SourceKind::Git, "https://h/a?token=x", "1f"));
    assert!(lasts(SourceKind::Helm, "https://h", &format!("web-1.0.0@{digest}")));
    assert!(lasts(SourceKind::Oci, "oci://h", &digest));
    assert!(!lasts(SourceKind::Helm, "https://h", "web-1.0.0"));
}

#[test]
fn refs_move_or_stand_still() {
    let git = SourceRef::Git;
    for moving in [
        GitRef::Head,
        GitRef::Branch("main".into()),
        GitRef::Tag("v1".into()),
        GitRef::Semver("1.x".into()),
    ] {
        assert!(!is_fixed(&git(moving.clone())), "{moving}");
        assert!(asking_proves(&source(), &git(moving)));
    }
    let commit = git(GitRef::Commit("ab".repeat(20)));
    assert!(is_fixed(&commit) && !asking_proves(&source(), &commit));
    let mut signed = source();
    signed.access.signature = Some(SignaturePolicy {
        subject: SignedSubject::Head,
        keys: Vec::new(),
    });
    assert!(!asking_proves(&signed, &git(GitRef::Head)));
    for (version, helm, oci) in [
        ("1.2.3", true, true),
        ("v1.2.3", true, true),
        ("1.2.3-rc.1+build", true, true),
        ("1.2", false, false),
        ("1.x", false, false),
        ("1.2.x", false, false),
        ("1.2.3 - 2.0.0", false, false),
        ("1.2.3,<2", false, false),
        ("^1.2.3", false, false),
        (">=1.2.3", false, false),
        ("*", false, false),
        ("latest", false, true),
        ("sha256:0a", false, true),
    ] {
        let chart = || "web".to_owned();
        let version = || version.to_owned();
        let of_helm = SourceRef::Helm {
            chart: chart(),
            version: version(),
        };
        let of_oci = SourceRef::Oci {
            chart: chart(),
            version: version(),
            content: OciContent::Chart,
        };
        assert_eq!((is_fixed(&of_helm), is_fixed(&of_oci)), (helm, oci), "{}", version());
    }
}
