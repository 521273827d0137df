//! What goes wrong between us and a real registry: each fault has its error, leaves nothing, and ends with it.

mod support;

use std::time::{Duration, Instant};

use convoy_domain::artifact::Revision;
use convoy_domain::limits::Limits;
use convoy_domain::source::{Source, SourceRef};
use convoy_ports::{FetchError, SourceFetcher as _};
use convoy_testkit_faultproxy::{Fault, FaultProxy};

use support::push::{self, FLUX, FLUX_CONFIG};
use support::registries::{RunningRegistry, Setup};
use support::{SHORT, archives};

/// A registry with one artifact of 400 KiB, behind a relay.
struct World {
    proxy: FaultProxy,
    source: Source,
    wanted: SourceRef,
    revision: Revision,
    _registry: RunningRegistry,
}

impl World {
    fn start() -> Option<Self> {
        let registry = RunningRegistry::start(&Setup::default())?;
        let noise: Vec<u8> = (0..100_000_u32)
            .flat_map(|number| number.wrapping_mul(2_654_435_761).to_le_bytes())
            .collect();
        let layer = archives::packed(&[("a.yaml", b"a"), ("noise", &noise)]);
        let digest = push::push(registry.port, "team/app", "1.0.0", FLUX_CONFIG, &[(FLUX, &layer)]);
        let proxy = FaultProxy::start(registry.port);
        Some(Self {
            source: support::plain(&format!("oci://127.0.0.1:{}/team", proxy.port())),
            wanted: support::files("app", "1.0.0"),
            revision: Revision::of_chart("app", "1.0.0", digest.as_str()),
            proxy,
            _registry: registry,
        })
    }

    /// Every call with `fault`, each over a connection of its own, then all without.
    async fn with(&self, fault: Fault, timeout: Duration) -> [Result<(), FetchError>; 4] {
        self.proxy.set(fault);
        let found = self.all(timeout).await;
        self.proxy.set(Fault::None);
        let healed = self.all(Duration::from_mins(1)).await;
        assert_eq!(healed, [Ok(()), Ok(()), Ok(()), Ok(())], "the next good answer heals");
        found
    }

    async fn all(&self, timeout: Duration) -> [Result<(), FetchError>; 4] {
        let source = Source {
            timeout,
            ..self.source.clone()
        };
        let (source, wanted, revision) = (&source, &self.wanted, &self.revision);
        let verified = support::fetcher().verify(source).await;
        let resolved = support::fetcher().resolve(source, wanted).await;
        let proved = support::fetcher().prove(source, wanted, revision).await;
        let limits = Limits::default();
        let fetched = support::fetcher().fetch(source, wanted, revision, &limits).await;
        [verified, resolved.map(drop), proved, fetched.map(drop)]
    }
}

fn answer(head: &str, body: &str) -> Fault {
    let length = body.len();
    Fault::Answer(
        format!("HTTP/1.1 {head}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}").into_bytes(),
    )
}

const ENOUGH: Duration = Duration::from_secs(20);

#[tokio::test(flavor = "multi_thread")]
async fn statuses_have_their_errors() {
    let Some(world) = World::start() else { return };
    let check = async |fault: Fault, expect: &str, fits: fn(&FetchError) -> bool| {
        for found in world.with(fault, ENOUGH).await {
            assert!(matches!(&found, Err(error) if fits(error)), "{expect}: {found:?}");
        }
    };
    let refused = |error: &FetchError| matches!(error, FetchError::Authentication { .. });
    check(answer("401 Unauthorized", ""), "401", refused).await;
    check(
        answer("401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"", ""),
        "401 with Basic",
        refused,
    )
    .await;
    check(answer("403 Forbidden", ""), "403", refused).await;
    check(answer("404 Not Found", ""), "404", |error| {
        matches!(
            error,
            FetchError::NotARepository { .. } | FetchError::ChartNotFound { .. }
        )
    })
    .await;
    check(answer("500 Internal Server Error", ""), "500", |error| {
        matches!(error, FetchError::Unreachable { .. })
    })
    .await;
    check(
        answer("429 Too Many Requests\r\nRetry-After: 120", ""),
        "429",
        |error| error.retry_after() == Some(Duration::from_mins(2)),
    )
    .await;
    check(answer("302 Found\r\nLocation: /v2/", ""), "302", |error| {
        matches!(error, FetchError::HostRefused { .. })
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_broken_off_is_tried_again_and_told() {
    let Some(world) = World::start() else { return };
    for fault in [Fault::Refuse, Fault::CutAfter(0), Fault::CutAfter(100)] {
        let before = world.proxy.connections();
        for found in world.with(fault.clone(), ENOUGH).await {
            assert!(
                matches!(found, Err(FetchError::Unreachable { .. })),
                "{fault:?}: {found:?}"
            );
        }
        assert!(
            world.proxy.connections() >= before + 12,
            "{fault:?}: three attempts for each call"
        );
    }
    // Within the layer.
    let [verified, resolved, proved, fetched] = world.with(Fault::CutAfter(100_000), ENOUGH).await;
    assert_eq!([verified, resolved, proved], [Ok(()), Ok(()), Ok(())]);
    assert!(matches!(fetched, Err(FetchError::Unreachable { .. })), "{fetched:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_stalls_ends_at_the_timeout() {
    let Some(world) = World::start() else { return };
    for at in [0, 100] {
        let started = Instant::now();
        for found in world.with(Fault::StallAfter(at), SHORT).await {
            assert!(
                matches!(found, Err(FetchError::Timeout { seconds: 1, .. })),
                "{at}: {found:?}"
            );
        }
        assert!(started.elapsed() < Duration::from_secs(30));
    }
    let fetched = world.with(Fault::StallAfter(100_000), SHORT).await[3].clone();
    assert!(matches!(fetched, Err(FetchError::Timeout { .. })), "{fetched:?}");
    let slow = world.with(Fault::Delay(Duration::from_millis(20)), ENOUGH).await;
    assert_eq!(slow, [Ok(()), Ok(()), Ok(()), Ok(())], "slow is not broken");
}

#[tokio::test(flavor = "multi_thread")]
async fn bits_that_change_are_seen() {
    let Some(world) = World::start() else { return };
    for fault in [Fault::Corrupt(100_000), Fault::EndlessAfter(100_000)] {
        let fetched = world.with(fault.clone(), ENOUGH).await[3].clone();
        let Err(FetchError::Invalid { why, .. }) = &fetched else {
            panic!("{fault:?}: {fetched:?}");
        };
        assert!(why.starts_with("this layer: its digest is sha256:"), "{why}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pause_that_is_asked_for_is_kept() {
    let Some(world) = World::start() else { return };
    world.proxy.set(answer("429 Too Many Requests\r\nRetry-After: 1", ""));
    let started = Instant::now();
    let fetcher = support::fetcher();
    let (source, wanted) = (world.source.clone(), world.wanted.clone());
    let resolving = tokio::spawn(async move { fetcher.resolve(&source, &wanted).await });
    tokio::time::sleep(Duration::from_millis(500)).await;
    world.proxy.set(Fault::None);
    let resolved = resolving.await.expect("a task");
    assert_eq!(resolved, Ok(world.revision.clone()));
    assert!(started.elapsed() >= Duration::from_secs(1), "{:?}", started.elapsed());
    assert_eq!(world.proxy.connections(), 2);
}
