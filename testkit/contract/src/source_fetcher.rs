//! The suite of [`SourceFetcher`], for git sources.
//!
//! An implementation brings a [`SourceWorld`]: repositories that the suite fills, and the fetcher that reads them.

use std::sync::Arc;
use std::time::Duration;

use convoy_domain::access::Access;
use convoy_domain::artifact::{Artifact, Files, Revision};
use convoy_domain::credentials::SecretRefs;
use convoy_domain::id::NamespacedName;
use convoy_domain::limits::Limits;
use convoy_domain::source::{GitRef, Source, SourceKey, SourceKind, SourceRef, Tls};
use convoy_ports::{FetchError, SourceFetcher};
use tokio::task::JoinSet;

use crate::case;

/// Repositories, by name, and what reads them.
///
/// # Contract
/// A new world has no repositories. HEAD of a repository is its branch `main`. A method panics when it cannot do its
/// work: that is a failure of the test's set-up.
pub trait SourceWorld: Send + Sync + std::fmt::Debug {
    /// What is under test.
    fn fetcher(&self) -> Arc<dyn SourceFetcher>;
    /// The source whose URL is the repository's, which need not exist.
    fn source(&self, repository: &str) -> Source;
    /// Makes a repository without any commit.
    fn create(&self, repository: &str);
    /// Gives `branch` a further commit with exactly `files`; its parent is the branch's last commit.
    fn commit(&self, repository: &str, branch: &str, files: &Files) -> Revision;
    /// Puts an annotated tag on a commit.
    fn tag(&self, repository: &str, tag: &str, revision: &Revision);
}

type World = Arc<dyn SourceWorld>;

/// A git source with `url` and settings that fit a test on one machine.
///
/// # Panics
/// Never: the name in it is one.
#[must_use]
pub fn git_source(url: &str) -> Source {
    Source {
        key: SourceKey {
            kind: SourceKind::Git,
            id: NamespacedName::new("default", "app").expect("both are names"),
        },
        uid: "3a6c2f5e-0000-4000-8000-000000000001".to_owned(),
        generation: 1,
        resource_version: "1".to_owned(),
        url: url.to_owned(),
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

/// Files out of pairs of path and content.
#[must_use]
pub fn files(entries: &[(&str, &[u8])]) -> Files {
    entries
        .iter()
        .map(|(path, content)| ((*path).to_owned(), Arc::from(*content)))
        .collect()
}

macro_rules! cases {
    ($make:ident: $($name:ident),+ $(,)?) => { $( case(stringify!($name), $name($make())).await; )+ };
}

/// Runs every case, each in an empty world that `make` gives.
///
/// # Panics
/// With the name of the case that does not hold.
pub async fn run(make: impl Fn() -> Arc<dyn SourceWorld>) {
    cases! { make:
        a_repository_is_verified_with_and_without_commits,
        what_is_no_repository_is_told_apart,
        refs_resolve_to_commits,
        a_branch_moves_and_a_tag_stays,
        an_absent_ref_is_not_found,
        a_version_resolves_to_the_highest_tag_that_fits,
        a_revision_is_proved_where_the_repository_can_be_read,
        an_empty_repository_has_no_head,
        all_files_come_back_as_they_were_committed,
        a_revision_is_fetched_after_its_branch_moved,
        an_absent_commit_is_not_found,
        each_limit_is_kept_and_named,
        a_setting_that_is_not_built_is_refused_by_every_call,
        a_chart_of_a_git_repository_is_refused,
        concurrent_fetches_give_the_same,
    }
}

fn branch(name: &str) -> SourceRef {
    SourceRef::Git(GitRef::Branch(name.to_owned()))
}

fn tag(name: &str) -> SourceRef {
    SourceRef::Git(GitRef::Tag(name.to_owned()))
}

fn commit(revision: &Revision) -> SourceRef {
    SourceRef::Git(GitRef::Commit(revision.0.clone()))
}

const HEAD: SourceRef = SourceRef::Git(GitRef::Head);

/// A commit id that no repository has.
const NO_COMMIT: &str = "123456789abcdef0123456789abcdef012345678";

async fn resolve(world: &World, wanted: &SourceRef) -> Result<Revision, FetchError> {
    world.fetcher().resolve(&world.source("app"), wanted).await
}

async fn fetch(world: &World, wanted: &SourceRef, revision: &Revision) -> Result<Artifact, FetchError> {
    fetch_within(world, wanted, revision, &Limits::default()).await
}

async fn fetch_within(
    world: &World,
    wanted: &SourceRef,
    revision: &Revision,
    limits: &Limits,
) -> Result<Artifact, FetchError> {
    let source = world.source("app");
    world.fetcher().fetch(&source, wanted, revision, limits).await
}

fn assert_not_found<T: std::fmt::Debug>(found: Result<T, FetchError>, expect: &str) {
    match found {
        Err(FetchError::RefNotFound { wanted, .. }) => assert_eq!(wanted, expect),
        other => panic!("`{expect}` was to be not found, but: {other:?}"),
    }
}

async fn a_repository_is_verified_with_and_without_commits(world: World) {
    world.create("app");
    let fetcher = world.fetcher();
    fetcher.verify(&world.source("app")).await.expect("an empty repository");
    world.commit("app", "main", &files(&[("a", b"1")]));
    fetcher.verify(&world.source("app")).await.expect("with a commit");
}

async fn what_is_no_repository_is_told_apart(world: World) {
    world.create("app");
    let absent = world.source("absent");
    let verified = world.fetcher().verify(&absent).await;
    assert!(
        matches!(verified, Err(FetchError::NotARepository { .. })),
        "{verified:?}"
    );
    let resolved = world.fetcher().resolve(&absent, &HEAD).await;
    assert!(
        matches!(resolved, Err(FetchError::NotARepository { .. })),
        "{resolved:?}"
    );
}

async fn refs_resolve_to_commits(world: World) {
    world.create("app");
    let main = world.commit("app", "main", &files(&[("a", b"1")]));
    let side = world.commit("app", "release/1.x", &files(&[("a", b"2")]));
    let unicode = world.commit("app", "größe", &files(&[("a", b"3")]));
    world.tag("app", "v1", &main);
    for (wanted, expect) in [
        (HEAD, &main),
        (branch("main"), &main),
        (branch("release/1.x"), &side),
        (branch("größe"), &unicode),
        (tag("v1"), &main),
        (commit(&side), &side),
        (SourceRef::Git(GitRef::Commit(side.0.to_uppercase())), &side),
    ] {
        let found = resolve(&world, &wanted).await;
        assert_eq!(found.as_ref(), Ok(expect), "{wanted:?}");
    }
}

async fn a_branch_moves_and_a_tag_stays(world: World) {
    world.create("app");
    let first = world.commit("app", "main", &files(&[("a", b"1")]));
    world.tag("app", "v1", &first);
    let second = world.commit("app", "main", &files(&[("a", b"2")]));
    assert_ne!(first, second);
    assert_eq!(resolve(&world, &branch("main")).await, Ok(second));
    assert_eq!(resolve(&world, &tag("v1")).await, Ok(first));
}

async fn an_absent_ref_is_not_found(world: World) {
    world.create("app");
    world.commit("app", "main-line", &files(&[("a", b"1")]));
    world.commit("app", "team/main", &files(&[("a", b"1")]));
    assert_not_found(resolve(&world, &branch("main")).await, "branch main");
    assert_not_found(resolve(&world, &branch("team")).await, "branch team");
    assert_not_found(resolve(&world, &branch("a..b")).await, "branch a..b");
    assert_not_found(resolve(&world, &tag("main-line")).await, "tag main-line");
    let short = SourceRef::Git(GitRef::Commit("abcdef".to_owned()));
    assert_not_found(resolve(&world, &short).await, "commit abcdef");
}

async fn a_version_resolves_to_the_highest_tag_that_fits(world: World) {
    world.create("app");
    let mut revisions = Vec::new();
    for (number, name) in ["1.9.0", "v1.10.0", "v2.0.0-rc.1", "latest", "app/v9.0.0"]
        .iter()
        .enumerate()
    {
        let revision = world.commit("app", "main", &files(&[("a", number.to_string().as_bytes())]));
        world.tag("app", name, &revision);
        revisions.push(revision);
    }
    let semver = |text: &str| SourceRef::Git(GitRef::Semver(text.to_owned()));
    for (constraint, expect) in [("*", 1), ("1.x", 1), ("~1.9", 0), (">=2.0.0-0", 2)] {
        let wanted = semver(constraint);
        let found = resolve(&world, &wanted).await;
        assert_eq!(found.as_ref(), Ok(&revisions[expect]), "{constraint}");
        let artifact = fetch(&world, &wanted, &revisions[expect]).await.expect("fetch");
        assert_eq!(*artifact.files, files(&[("a", expect.to_string().as_bytes())]));
    }
    assert_not_found(resolve(&world, &semver("^3")).await, "semver ^3");
    let senseless = resolve(&world, &semver("one")).await;
    assert!(
        matches!(senseless, Err(FetchError::RefNotFound { .. })),
        "{senseless:?}"
    );
}

async fn a_revision_is_proved_where_the_repository_can_be_read(world: World) {
    world.create("app");
    let revision = world.commit("app", "main", &files(&[("a", b"1")]));
    let fetcher = world.fetcher();
    for wanted in [HEAD, branch("main"), commit(&revision)] {
        let proved = fetcher.prove(&world.source("app"), &wanted, &revision).await;
        assert_eq!(proved, Ok(()), "{wanted:?}");
        let absent = fetcher.prove(&world.source("absent"), &wanted, &revision).await;
        assert!(matches!(absent, Err(FetchError::NotARepository { .. })), "{absent:?}");
    }
}

async fn an_empty_repository_has_no_head(world: World) {
    world.create("app");
    assert_not_found(resolve(&world, &HEAD).await, "HEAD");
    assert_not_found(resolve(&world, &branch("main")).await, "branch main");
}

async fn all_files_come_back_as_they_were_committed(world: World) {
    let every_byte: Vec<u8> = (0..=255).cycle().take(70_000).collect();
    let committed = files(&[
        ("README.md", b"hello\n"),
        ("empty", b""),
        ("deep/er/and/deeper.yaml", b"a: 1\n"),
        ("deep/er.txt", b"crlf\r\n"),
        ("bytes.bin", &every_byte),
        ("with space/\u{e4}\u{1f680}.yaml", b"unicode"),
        ("back\\slash", b"a name"),
        (".hidden", b"h"),
        ("copy/README.md", b"hello\n"),
    ]);
    world.create("app");
    let revision = world.commit("app", "main", &committed);
    world.tag("app", "v1", &revision);
    for wanted in [HEAD, branch("main"), tag("v1"), commit(&revision)] {
        let artifact = fetch(&world, &wanted, &revision).await.expect("fetch");
        assert_eq!(artifact.revision, revision, "{wanted:?}");
        let paths: Vec<&String> = artifact.files.keys().collect();
        assert_eq!(paths, committed.keys().collect::<Vec<_>>(), "{wanted:?}");
        assert!(*artifact.files == committed, "contents differ for {wanted:?}");
    }
}

async fn a_revision_is_fetched_after_its_branch_moved(world: World) {
    world.create("app");
    let old = files(&[("a", b"1"), ("gone", b"x")]);
    let first = world.commit("app", "main", &old);
    let second = world.commit("app", "main", &files(&[("a", b"2")]));
    assert_ne!(first, second);
    let artifact = fetch(&world, &branch("main"), &first).await.expect("fetch");
    assert!(*artifact.files == old, "{artifact:?}");
}

async fn an_absent_commit_is_not_found(world: World) {
    world.create("app");
    world.commit("app", "main", &files(&[("a", b"1")]));
    let absent = Revision(NO_COMMIT.to_owned());
    let found = fetch(&world, &commit(&absent), &absent).await;
    assert_not_found(found, &format!("commit {NO_COMMIT}"));
}

async fn each_limit_is_kept_and_named(world: World) {
    world.create("app");
    let committed = files(&[("a", b"12345678"), ("b/c", b"1234"), ("b/d", b"")]);
    let revision = world.commit("app", "main", &committed);
    let generous = Limits::default();
    for (limits, expect) in [
        (
            Limits {
                files: 2,
                ..generous.clone()
            },
            Some("2 files"),
        ),
        (
            Limits {
                files: 3,
                ..generous.clone()
            },
            None,
        ),
        (
            Limits {
                file_bytes: 7,
                ..generous.clone()
            },
            Some("7 bytes"),
        ),
        (
            Limits {
                file_bytes: 8,
                ..generous.clone()
            },
            None,
        ),
        (
            Limits {
                source_bytes: 11,
                ..generous.clone()
            },
            Some("11 bytes"),
        ),
        (
            Limits {
                source_bytes: 12,
                ..generous.clone()
            },
            None,
        ),
    ] {
        let found = fetch_within(&world, &branch("main"), &revision, &limits).await;
        match (found, expect) {
            (Ok(artifact), None) => assert!(*artifact.files == committed),
            (Err(FetchError::Limit { limit, .. }), Some(expect)) => assert!(limit.starts_with(expect), "{limit}"),
            (found, _) => panic!("expected {expect:?} with {limits:?}, found {found:?}"),
        }
    }
}

async fn a_setting_that_is_not_built_is_refused_by_every_call(world: World) {
    world.create("app");
    let revision = world.commit("app", "main", &files(&[("a", b"1")]));
    let mut source = world.source("app");
    source.unsupported = vec!["spec.auth".to_owned()];
    let fetcher = world.fetcher();
    let expect = FetchError::Unsupported {
        what: "`spec.auth`".to_owned(),
    };
    assert_eq!(fetcher.verify(&source).await, Err(expect.clone()));
    assert_eq!(fetcher.resolve(&source, &HEAD).await, Err(expect.clone()));
    assert_eq!(fetcher.prove(&source, &HEAD, &revision).await, Err(expect.clone()));
    let answer = fetcher.fetch(&source, &HEAD, &revision, &Limits::default()).await;
    assert_eq!(answer, Err(expect));
}

async fn a_chart_of_a_git_repository_is_refused(world: World) {
    world.create("app");
    world.commit("app", "main", &files(&[("a", b"1")]));
    let chart = SourceRef::Helm {
        chart: "web".to_owned(),
        version: "1.0.0".to_owned(),
    };
    let resolved = resolve(&world, &chart).await;
    assert!(matches!(resolved, Err(FetchError::Unsupported { .. })), "{resolved:?}");
}

async fn concurrent_fetches_give_the_same(world: World) {
    world.create("app");
    let committed = files(&[("a", b"1"), ("b", b"2")]);
    let revision = world.commit("app", "main", &committed);
    let mut fetches = JoinSet::new();
    for _ in 0..12 {
        let (world, revision) = (Arc::clone(&world), revision.clone());
        fetches.spawn(async move { fetch(&world, &branch("main"), &revision).await });
    }
    for fetched in fetches.join_all().await {
        assert!(*fetched.expect("fetch").files == committed);
    }
}
