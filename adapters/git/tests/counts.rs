//! What a server is asked, counted in its own log, and what it sends, counted on the way.

mod support;

use std::time::{Duration, Instant};

use convoy_domain::limits::Limits;
use convoy_domain::source::{GitRef, SourceRef};
use convoy_ports::SourceFetcher as _;
use convoy_testkit_contract::source_fetcher::{files, git_source};
use convoy_testkit_faultproxy::FaultProxy;

use support::http::GitServer;
use support::repositories::noise;

/// For how long a line of the log is waited for.
const PATIENCE: Duration = Duration::from_secs(10);
const GREETING: &str = "GET info/refs?service=git-upload-pack";
const QUESTION: &str = "POST git-upload-pack";

/// Methods and paths below `app.git`, in the order of the log from line `from` on, once it has `count` of them: a
/// server writes a line after it has answered.
async fn asked(server: &GitServer, from: usize, count: usize) -> Vec<String> {
    let end = Instant::now() + PATIENCE;
    while server.seen().len() < from + count && Instant::now() < end {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let line = |line: &String| {
        let words: Vec<&str> = line.split(' ').collect();
        format!(
            "{} {}",
            words[1],
            words[2].rsplit_once("app.git/").expect("a path of the repository").1
        )
    };
    server.seen()[from..].iter().map(line).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_call_asks_as_often_as_it_says() {
    let Some(server) = GitServer::start() else { return };
    server.repositories.create("app");
    let revision = server.repositories.commit("app", "main", &files(&[("a", b"1")]));
    let source = git_source(&server.http("app"));
    let fetcher = support::fetcher();
    let main = SourceRef::Git(GitRef::Branch("main".to_owned()));
    let commit = SourceRef::Git(GitRef::Commit(revision.0.clone()));

    fetcher.resolve(&source, &main).await.expect("resolve");
    assert_eq!(
        asked(&server, 0, 2).await,
        [GREETING, QUESTION],
        "a branch is asked for once"
    );
    fetcher.prove(&source, &commit, &revision).await.expect("prove");
    assert_eq!(
        asked(&server, 2, 2).await,
        [GREETING, QUESTION],
        "access is asked for once"
    );
    fetcher.resolve(&source, &commit).await.expect("resolve");
    assert_eq!(asked(&server, 4, 0).await, [""; 0], "a commit is not asked for");
    fetcher
        .fetch(&source, &commit, &revision, &Limits::default())
        .await
        .expect("fetch");
    assert_eq!(
        asked(&server, 4, 2).await,
        [GREETING, QUESTION],
        "a commit is fetched alone, in one exchange"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn looking_and_proving_download_nothing_and_a_commit_comes_without_its_past() {
    let Some(server) = GitServer::start() else { return };
    server.repositories.create("app");
    for seed in 0..5 {
        server
            .repositories
            .commit("app", "main", &files(&[("a", &noise(seed, 400_000))]));
    }
    let revision = server
        .repositories
        .commit("app", "main", &files(&[("a", &noise(7, 400_000))]));
    let proxy = FaultProxy::start(server.plain_port);
    let source = git_source(&format!("http://127.0.0.1:{}/app.git", proxy.port()));
    let fetcher = support::fetcher();
    let main = SourceRef::Git(GitRef::Branch("main".to_owned()));
    for _ in 0..10 {
        assert_eq!(fetcher.resolve(&source, &main).await.as_ref(), Ok(&revision));
        fetcher.prove(&source, &main, &revision).await.expect("prove");
    }
    assert!(proxy.received() < 40_000, "{} bytes", proxy.received());
    let before = proxy.received();
    let commit = SourceRef::Git(GitRef::Commit(revision.0.clone()));
    fetcher
        .fetch(&source, &commit, &revision, &Limits::default())
        .await
        .expect("fetch");
    let received = proxy.received() - before;
    assert!(received < 500_000, "{received} bytes for one commit of six");
}
