//! What a repository's server is asked for, and what it may say.

mod support;

use std::sync::Arc;

use convoy_domain::artifact::Revision;
use convoy_domain::limits::Limits;
use convoy_domain::source::{GitRef, Source, SourceRef};
use convoy_ports::{FetchError, SourceFetcher as _};

use support::charts::{self, index, listed};
use support::server::{PASSWORD, Server};
use support::{by, chart, fetcher, no_revision, password, source, source_with, take};

/// Method, path and status of what was asked.
fn asked(server: &Server, before: usize, count: usize) -> Vec<String> {
    let words = |line: String| line.split(' ').skip(1).take(3).collect::<Vec<_>>().join(" ");
    server.seen_since(before, count).into_iter().map(words).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_is_received_once_and_asked_for_again_by_what_the_server_said_of_it() {
    let Some(server) = Server::start() else { return };
    charts::publish(&server.root(), "web", "1.0.0", &[]);
    let (fetcher, source) = (fetcher(), source(&server.http("")));
    take(&fetcher, &source, &chart("web", "")).await.expect("a chart");
    fetcher.verify(&source).await.expect("a repository");
    fetcher
        .resolve(&source, &chart("web", "1.x"))
        .await
        .expect("a revision");
    assert_eq!(
        asked(&server, 0, 4),
        [
            "GET /index.yaml 200",
            "GET /web-1.0.0.tgz 200",
            "GET /index.yaml 304",
            "GET /index.yaml 304"
        ]
    );
    // Other credentials have an answer of their own.
    let before = server.seen().len();
    let other = source_with(&server.http(""), by(password(PASSWORD)));
    fetcher.verify(&other).await.expect("a repository");
    assert_eq!(asked(&server, before, 1), ["GET /index.yaml 200"]);
    let archive = charts::archive("web", "1.10.0", &[]);
    std::fs::write(server.root().join("web-1.10.0.tgz"), &archive).expect("an archive");
    let entry = listed("web", "1.10.0", &charts::digest(&archive), &["web-1.10.0.tgz"]);
    std::fs::write(server.root().join("index.yaml"), index(&[entry])).expect("an index");
    let before = server.seen().len();
    let artifact = take(&fetcher, &source, &chart("web", "")).await.expect("a chart");
    assert_eq!(artifact.revision.shown(), "web-1.10.0");
    assert_eq!(
        asked(&server, before, 2),
        ["GET /index.yaml 200", "GET /web-1.10.0.tgz 200"]
    );
    let before = server.seen().len();
    let silent = support::source(&server.http("noetag"));
    for _ in 0..2 {
        fetcher.verify(&silent).await.expect("a repository");
    }
    assert_eq!(
        asked(&server, before, 2),
        ["GET /noetag/index.yaml 200", "GET /noetag/index.yaml 200"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn look_ups_that_wait_for_each_other_share_an_answer() {
    let Some(server) = Server::start() else { return };
    let entries: Vec<_> = (0..30)
        .map(|number| listed(&format!("web{number}"), "1.0.0", "", &["web.tgz"]))
        .collect();
    std::fs::write(server.root().join("index.yaml"), index(&entries)).expect("an index");
    let (fetcher, source) = (Arc::new(fetcher()), source(&server.http("")));
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..30 {
        let (fetcher, source) = (Arc::clone(&fetcher), source.clone());
        tasks.spawn(async move { fetcher.resolve(&source, &chart(&format!("web{number}"), "")).await });
    }
    for revision in tasks.join_all().await {
        revision.expect("a revision");
    }
    let asked = asked(&server, 0, 2);
    assert!(asked.len() <= 4, "{asked:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn urls_are_tried_in_turn_and_a_digest_decides() {
    let Some(server) = Server::start() else { return };
    let archive = charts::archive("web", "1.0.0", &[("a", b"right")]);
    let other = charts::archive("web", "1.0.0", &[("a", b"wrong")]);
    std::fs::write(server.root().join("right.tgz"), &archive).expect("an archive");
    std::fs::write(server.root().join("wrong.tgz"), &other).expect("an archive");
    let digest = charts::digest(&archive);
    let fetch = async |digest: &str, urls: &[&str]| {
        let text = index(&[listed("web", "1.0.0", digest, urls)]);
        std::fs::write(server.root().join("index.yaml"), text).expect("an index");
        take(&fetcher(), &source(&server.http("")), &chart("web", "1.0.0")).await
    };
    let unreachable = "http://127.0.0.1:1/right.tgz";
    for urls in [
        &["right.tgz"][..],
        &["absent.tgz", "right.tgz"],
        &["", "wrong.tgz", "oci://h/web:1.0.0", unreachable, "right.tgz"],
        &["secret/x.tgz", "http://[::1", "right.tgz"],
    ] {
        let artifact = fetch(&digest, urls).await;
        assert_eq!(artifact.expect("a chart").files["a"][..], b"right"[..], "{urls:?}");
    }
    let fails = async |digest: &str, urls: &[&str], expect: fn(&FetchError) -> bool| {
        let error = fetch(digest, urls).await.expect_err("a failure");
        assert!(expect(&error), "{urls:?}: {error:?}");
    };
    let is_invalid = |error: &FetchError| matches!(error, FetchError::Invalid { .. });
    fails(&digest, &["wrong.tgz"], is_invalid).await;
    fails(&digest, &["wrong.tgz", unreachable], |error| {
        matches!(error, FetchError::Unreachable { .. })
    })
    .await;
    fails("abc", &["right.tgz"], is_invalid).await;
    fails(&digest, &[], is_invalid).await;
    fails(&digest, &["absent.tgz"], |error| {
        matches!(error, FetchError::ChartNotFound { .. })
    })
    .await;
    fails(&digest, &["oci://h/web:1.0.0"], |error| {
        error.to_string().contains("`oci://h/web:1.0.0`") && matches!(error, FetchError::Unsupported { .. })
    })
    .await;
    fails(&digest, &["file:///etc/passwd"], |error| {
        matches!(error, FetchError::Unsupported { .. })
    })
    .await;
    for written in [format!("sha256:{digest}"), digest.to_uppercase(), String::new()] {
        let artifact = fetch(&written, &["right.tgz"]).await.expect("a chart");
        assert_eq!(artifact.files["a"][..], b"right"[..], "{written}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revision_is_proved_by_an_equal_digest_and_an_archive_that_may_be_had() {
    let Some(server) = Server::start() else { return };
    let archive = charts::publish(&server.root(), "web", "1.0.0", &[]);
    let wanted = chart("web", "1.0.0");
    let revision = fetcher()
        .resolve(&source(&server.http("")), &wanted)
        .await
        .expect("a revision");
    assert_eq!(
        revision,
        Revision::of_chart("web", "1.0.0", &format!("sha256:{}", charts::digest(&archive)))
    );
    let prove =
        async |way: &str, revision: &Revision| fetcher().prove(&source(&server.http(way)), &wanted, revision).await;
    let before = server.seen().len();
    assert_eq!(prove("", &revision).await, Ok(()));
    assert_eq!(
        asked(&server, before, 2),
        ["GET /index.yaml 200", "HEAD /web-1.0.0.tgz 200"]
    );
    assert_eq!(prove("nohead", &revision).await, Ok(()));
    let answer = prove("basic", &revision).await;
    assert!(matches!(answer, Err(FetchError::Authentication { .. })), "{answer:?}");
    let answer = prove("", &no_revision()).await;
    assert!(matches!(answer, Err(FetchError::ChartNotFound { .. })), "{answer:?}");
    // The index may be read by all, and the archive only by some.
    let entry = listed("web", "1.0.0", &charts::digest(&archive), &["../basic/web-1.0.0.tgz"]);
    std::fs::create_dir(server.root().join("open")).expect("a folder");
    std::fs::write(server.root().join("open/index.yaml"), index(&[entry])).expect("an index");
    let answer = prove("open", &revision).await;
    assert!(matches!(answer, Err(FetchError::Authentication { .. })), "{answer:?}");
    let entry = listed("web", "1.0.0", "", &["web-1.0.0.tgz"]);
    std::fs::write(server.root().join("index.yaml"), index(&[entry])).expect("an index");
    let without = Revision::of_chart("web", "1.0.0", "");
    let answer = prove("", &without).await;
    assert!(matches!(answer, Err(FetchError::Invalid { .. })), "{answer:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_version_that_was_published_again_is_another_revision() {
    let Some(server) = Server::start() else { return };
    charts::publish(&server.root(), "web", "1.0.0", &[("a", b"1")]);
    let (fetcher, source) = (fetcher(), source(&server.http("")));
    let wanted = chart("web", "1.0.0");
    let first = fetcher.resolve(&source, &wanted).await.expect("a revision");
    let archive = charts::publish(&server.root(), "web", "1.0.0", &[("a", b"22")]);
    // nginx tells versions of a file by its second and its size.
    let entry = listed("web", "1.0.0", &charts::digest(&archive), &["web-1.0.0.tgz", "again"]);
    std::fs::write(server.root().join("index.yaml"), index(&[entry])).expect("an index");
    let second = fetcher.resolve(&source, &wanted).await.expect("a revision");
    assert_ne!(first, second);
    assert_eq!(first.shown(), second.shown());
    let answer = fetcher.fetch(&source, &wanted, &first, &Limits::default()).await;
    assert!(matches!(answer, Err(FetchError::ChartNotFound { .. })), "{answer:?}");
    let artifact = fetcher
        .fetch(&source, &wanted, &second, &Limits::default())
        .await
        .expect("a chart");
    assert_eq!(artifact.files["a"][..], b"22"[..]);
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_archives_and_indexes_are_refused_within_their_limits() {
    let Some(server) = Server::start() else { return };
    let tar = |members: &[(&str, &[u8])]| {
        let mut tar = Vec::new();
        for (path, content) in members {
            charts::add(&mut tar, path, content);
        }
        tar.extend([0; 1024]);
        charts::gzip(&tar)
    };
    let about: (&str, &[u8]) = ("web/Chart.yaml", b"name: web\nversion: 1.0.0\n");
    let many: Vec<String> = (0..50_001).map(|number| format!("web/f{number}")).collect();
    let many: Vec<(&str, &[u8])> = many.iter().map(|path| (path.as_str(), &b""[..])).collect();
    let large = vec![0; 6 << 20];
    let serve = async |archive: &[u8]| {
        std::fs::write(server.root().join("web.tgz"), archive).expect("an archive");
        let entry = listed("web", "1.0.0", &charts::digest(archive), &["web.tgz"]);
        std::fs::write(server.root().join("index.yaml"), index(&[entry])).expect("an index");
        take(&fetcher(), &source(&server.http("")), &chart("web", "")).await
    };
    for archive in [
        tar(&[about, ("web/../../etc/passwd", b"x")]),
        tar(&[about, ("web//etc/passwd", b"x")]),
        tar(&[("web/values.yaml", b"a: 1")]),
        tar(&[]),
        b"no archive".to_vec(),
        tar(&[about])[..40].to_vec(),
    ] {
        let answer = serve(&archive).await;
        assert!(matches!(answer, Err(FetchError::Invalid { .. })), "{answer:?}");
    }
    for (archive, expect) in [
        (tar(&many), "50000 files"),
        (tar(&[about, ("web/large", &large)]), "5242880 bytes of a file"),
    ] {
        let answer = serve(&archive).await;
        assert!(
            matches!(&answer, Err(FetchError::Limit { limit, .. }) if limit == expect),
            "{answer:?}"
        );
    }
    for (text, expect) in [
        ("apiVersion: v1\nentries:\n  web: []\n  web: []\n", "line 4"),
        ("apiVersion: v1\nentries: &a\n  web: *a\n", "contains itself"),
        ("\u{1b}[31m: [", "line 1"),
        (
            "apiVersion: v1\nentries:\n  web:\n    version: 1\n",
            "`entries.web` is no list",
        ),
    ] {
        std::fs::write(server.root().join("index.yaml"), text).expect("an index");
        match fetcher().verify(&source(&server.http(""))).await {
            Err(FetchError::IndexInvalid { why, .. }) => {
                assert!(why.contains(expect) && !why.contains('\u{1b}'), "{why}");
            }
            other => panic!("{text:?}: {other:?}"),
        }
    }
    std::fs::write(server.root().join("index.yaml"), vec![b'#'; 17 << 20]).expect("an index");
    let answer = fetcher().verify(&source(&server.http(""))).await;
    assert!(matches!(answer, Err(FetchError::Limit { .. })), "{answer:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_helm_repository_is_refused_by_every_call() {
    let fetcher = fetcher();
    let check = async |source: &Source, wanted: &SourceRef| {
        let revision = no_revision();
        let answers = [
            fetcher.resolve(source, wanted).await.map(drop),
            fetcher.prove(source, wanted, &revision).await,
            fetcher
                .fetch(source, wanted, &revision, &Limits::default())
                .await
                .map(drop),
        ];
        for answer in answers {
            assert!(matches!(answer, Err(FetchError::Unsupported { .. })), "{answer:?}");
        }
    };
    let own = source("http://127.0.0.1:1/");
    check(&own, &SourceRef::Git(GitRef::Head)).await;
    let wanted = chart("web", "");
    for url in ["oci://127.0.0.1:1/", "file:///srv", "canary"] {
        check(&source(url), &wanted).await;
        let answer = fetcher.verify(&source(url)).await;
        assert!(matches!(answer, Err(FetchError::Unsupported { .. })), "{answer:?}");
    }
    let mut later = own;
    later.unsupported = vec!["spec.auth".to_owned()];
    check(&later, &wanted).await;
    assert!(fetcher.verify(&later).await.is_err());
}
