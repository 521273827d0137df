//! What every [`SourceFetcher`] of charts must do: Helm repositories and OCI registries alike.

use std::sync::Arc;

use convoy_domain::artifact::{Artifact, Files, Revision};
use convoy_domain::limits::Limits;
use convoy_domain::source::{GitRef, Source, SourceRef};
use convoy_ports::{FetchError, SourceFetcher};
use tokio::task::JoinSet;

use crate::case;
use crate::source_fetcher::files;

/// A server of charts that a case can fill, and a fetcher for it. Publishing panics when it fails.
pub trait ChartWorld: Send + Sync + std::fmt::Debug {
    /// The fetcher under test.
    fn fetcher(&self) -> Arc<dyn SourceFetcher>;
    /// The source of the charts of this world.
    fn source(&self) -> Source;
    /// A source whose server is not there as such: it answers, but has no charts of this kind.
    fn other_source(&self) -> Source;
    /// What selects a chart and a version, or a constraint.
    fn wanted(&self, chart: &str, version: &str) -> SourceRef;
    /// Packages `files`, which are a chart's, and publishes them; once more in place of what was published before.
    fn publish(&self, chart: &str, version: &str, files: &Files);
}

type World = Arc<dyn ChartWorld>;

/// The files of a small chart.
#[must_use]
pub fn chart_files(chart: &str, version: &str, value: &str) -> Files {
    files(&[
        (
            "Chart.yaml",
            format!("apiVersion: v2\nname: {chart}\nversion: {version}\n").as_bytes(),
        ),
        ("values.yaml", format!("value: {value}\n").as_bytes()),
        ("templates/deep/er/a.yaml", b"a: {{ .Values.value }}\n"),
        ("files/bytes.bin", &[0, 159, 146, 150, 255]),
    ])
}

macro_rules! cases {
    ($make:ident: $($name:ident),+ $(,)?) => { $( case(stringify!($name), $name($make())).await; )+ };
}

/// Runs every case, each in an empty world that `make` gives.
///
/// # Panics
/// With the name of the case that does not hold.
pub async fn run(make: impl Fn() -> Arc<dyn ChartWorld>) {
    cases! { make:
        a_server_of_charts_is_verified,
        an_exact_version_is_named_with_its_chart,
        a_constraint_selects_the_highest_version,
        what_does_not_exist_is_not_found,
        the_files_of_a_chart_have_its_metadata_at_their_root,
        a_version_that_is_published_again_is_another_revision,
        a_chart_is_proved_to_whoever_can_read_it,
        each_limit_is_kept_and_named,
        a_setting_that_is_not_built_is_refused_by_every_call,
        a_ref_of_a_repository_is_refused,
        concurrent_fetches_give_the_same,
    }
}

async fn resolve(world: &World, chart: &str, version: &str) -> Result<Revision, FetchError> {
    let wanted = world.wanted(chart, version);
    world.fetcher().resolve(&world.source(), &wanted).await
}

async fn resolved(world: &World, chart: &str, version: &str) -> Revision {
    resolve(world, chart, version).await.expect("a revision")
}

async fn fetch(
    world: &World,
    wanted: &SourceRef,
    revision: &Revision,
    limits: &Limits,
) -> Result<Artifact, FetchError> {
    world.fetcher().fetch(&world.source(), wanted, revision, limits).await
}

fn publish(world: &World, chart: &str, version: &str) -> Files {
    let files = chart_files(chart, version, version);
    world.publish(chart, version, &files);
    files
}

async fn a_server_of_charts_is_verified(world: World) {
    publish(&world, "web", "1.0.0");
    world.fetcher().verify(&world.source()).await.expect("verified");
    let other = world.fetcher().verify(&world.other_source()).await;
    let told = matches!(
        other,
        Err(FetchError::NotARepository { .. } | FetchError::IndexInvalid { .. })
    );
    assert!(told, "{other:?}");
}

async fn an_exact_version_is_named_with_its_chart(world: World) {
    publish(&world, "web", "1.0.0");
    publish(&world, "web", "1.0.1-rc.1+build.5");
    for version in ["1.0.0", "1.0.1-rc.1+build.5"] {
        let revision = resolved(&world, "web", version).await;
        assert_eq!(revision.to_string(), format!("web-{version}"));
        assert!(revision.0.contains("@sha256:"), "{}", revision.0);
    }
}

async fn a_constraint_selects_the_highest_version(world: World) {
    for version in ["1.9.0", "1.10.0", "2.0.0-rc.1", "0.1.0"] {
        publish(&world, "web", version);
    }
    publish(&world, "webs", "9.0.0");
    for (constraint, expect) in [
        ("*", "web-1.10.0"),
        ("1.x", "web-1.10.0"),
        ("~1.9", "web-1.9.0"),
        (">=0.1 <1", "web-0.1.0"),
        (">=2.0.0-0", "web-2.0.0-rc.1"),
    ] {
        let revision = resolved(&world, "web", constraint).await;
        assert_eq!(revision.to_string(), expect, "{constraint}");
        let wanted = world.wanted("web", constraint);
        let artifact = fetch(&world, &wanted, &revision, &Limits::default())
            .await
            .expect("a chart");
        let version = expect.trim_start_matches("web-");
        assert_eq!(*artifact.files, chart_files("web", version, version), "{constraint}");
    }
}

async fn what_does_not_exist_is_not_found(world: World) {
    publish(&world, "web", "1.0.0");
    for (chart, version) in [("web", "1.0.1"), ("web", "^2"), ("absent", "1.0.0"), ("absent", "*")] {
        let found = resolve(&world, chart, version).await;
        assert!(
            matches!(found, Err(FetchError::ChartNotFound { .. })),
            "{chart} {version}: {found:?}"
        );
    }
}

async fn the_files_of_a_chart_have_its_metadata_at_their_root(world: World) {
    let published = publish(&world, "web", "1.0.0");
    let revision = resolved(&world, "web", "1.0.0").await;
    let wanted = world.wanted("web", "1.0.0");
    let artifact = fetch(&world, &wanted, &revision, &Limits::default())
        .await
        .expect("a chart");
    assert_eq!(artifact.revision, revision);
    assert_eq!(*artifact.files, published);
}

async fn a_version_that_is_published_again_is_another_revision(world: World) {
    publish(&world, "web", "1.0.0");
    let first = resolved(&world, "web", "1.0.0").await;
    let files = chart_files("web", "1.0.0", "again");
    world.publish("web", "1.0.0", &files);
    let second = resolved(&world, "web", "1.0.0").await;
    assert_ne!(first, second);
    assert_eq!(first.to_string(), second.to_string());
    let wanted = world.wanted("web", "1.0.0");
    let proved = world.fetcher().prove(&world.source(), &wanted, &first).await;
    assert!(proved.is_err(), "what the server has no more is not proved");
    let artifact = fetch(&world, &wanted, &second, &Limits::default())
        .await
        .expect("a chart");
    assert_eq!(*artifact.files, files);
}

async fn a_chart_is_proved_to_whoever_can_read_it(world: World) {
    publish(&world, "web", "1.0.0");
    publish(&world, "api", "1.0.0");
    let revision = resolved(&world, "web", "1.0.0").await;
    let fetcher = world.fetcher();
    for version in ["1.0.0", "^1"] {
        let wanted = world.wanted("web", version);
        assert_eq!(
            fetcher.prove(&world.source(), &wanted, &revision).await,
            Ok(()),
            "{version}"
        );
        let elsewhere = fetcher.prove(&world.other_source(), &wanted, &revision).await;
        assert!(elsewhere.is_err(), "{version}");
    }
    let other = fetcher
        .prove(&world.source(), &world.wanted("api", "1.0.0"), &revision)
        .await;
    assert!(other.is_err(), "another chart proves nothing");
}

async fn each_limit_is_kept_and_named(world: World) {
    let published = publish(&world, "web", "1.0.0");
    let revision = resolved(&world, "web", "1.0.0").await;
    let bytes: u64 = published.values().map(|content| content.len() as u64).sum();
    let largest = published
        .values()
        .map(|content| content.len() as u64)
        .max()
        .unwrap_or_default();
    let generous = Limits::default();
    let of = |change: &dyn Fn(&mut Limits)| {
        let mut limits = generous.clone();
        change(&mut limits);
        limits
    };
    let few = published.len() - 1;
    let cases = [
        (of(&|limits| limits.files = few), Some(format!("{few} files"))),
        (of(&|limits| limits.files = few + 1), None),
        (
            of(&|limits| limits.file_bytes = largest - 1),
            Some(format!("{} bytes", largest - 1)),
        ),
        (of(&|limits| limits.file_bytes = largest), None),
        (
            of(&|limits| limits.source_bytes = bytes - 1),
            Some(format!("{} bytes", bytes - 1)),
        ),
    ];
    let wanted = world.wanted("web", "1.0.0");
    for (limits, expect) in cases {
        match (fetch(&world, &wanted, &revision, &limits).await, expect) {
            (Ok(artifact), None) => assert_eq!(*artifact.files, published),
            (Err(FetchError::Limit { limit, .. }), Some(expect)) => assert!(limit.starts_with(&expect), "{limit}"),
            (found, expect) => panic!("expected {expect:?} with {limits:?}, found {found:?}"),
        }
    }
}

async fn a_setting_that_is_not_built_is_refused_by_every_call(world: World) {
    publish(&world, "web", "1.0.0");
    let wanted = world.wanted("web", "1.0.0");
    let revision = resolved(&world, "web", "1.0.0").await;
    let mut source = world.source();
    source.unsupported = vec!["spec.auth".to_owned()];
    let fetcher = world.fetcher();
    let expect = FetchError::Unsupported {
        what: "`spec.auth`".to_owned(),
    };
    assert_eq!(fetcher.verify(&source).await, Err(expect.clone()));
    assert_eq!(fetcher.resolve(&source, &wanted).await, Err(expect.clone()));
    assert_eq!(fetcher.prove(&source, &wanted, &revision).await, Err(expect.clone()));
    let answer = fetcher.fetch(&source, &wanted, &revision, &Limits::default()).await;
    assert_eq!(answer, Err(expect));
}

async fn a_ref_of_a_repository_is_refused(world: World) {
    let resolved = world
        .fetcher()
        .resolve(&world.source(), &SourceRef::Git(GitRef::Head))
        .await;
    assert!(matches!(resolved, Err(FetchError::Unsupported { .. })), "{resolved:?}");
}

async fn concurrent_fetches_give_the_same(world: World) {
    let published = publish(&world, "web", "1.0.0");
    let revision = resolved(&world, "web", "1.0.0").await;
    let mut fetches = JoinSet::new();
    for _ in 0..12 {
        let (world, revision) = (Arc::clone(&world), revision.clone());
        fetches.spawn(async move {
            let wanted = world.wanted("web", "1.0.0");
            fetch(&world, &wanted, &revision, &Limits::default()).await
        });
    }
    for fetched in fetches.join_all().await {
        assert_eq!(*fetched.expect("a chart").files, published);
    }
}
