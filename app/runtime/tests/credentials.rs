//! Sources whose servers ask who asks, on fakes: what their Secrets hold reaches the fetcher, and nothing of it any
//! status.

use std::sync::Arc;
use std::time::Duration;

use convoy_domain::access::Credentials;
use convoy_domain::condition::{ConditionType, Reason, Truth};
use convoy_domain::credentials::{CredentialKind, SecretRefs};
use convoy_domain::release::Release;
use convoy_domain::secret::Secret;
use convoy_domain::source::{Source, SourceReason, SourceStatus};
use convoy_ports::{Clock, ClusterConnector, ControlPlane, ControlPlaneError, Reconciler, Requeue, SourceFetcher};
use convoy_runtime::render_store::RenderStore;
use convoy_runtime::{Ports, Runtime, Settings};
use convoy_testkit_fakes::{
    FakeClock, FakeCluster, FakeConnector, FakeControlPlane, FakeEntropy, FakeFetcher, Times, samples,
};

const URL: &str = "https://user:canary@git.example/repo";

struct World {
    control_plane: Arc<FakeControlPlane>,
    fetcher: Arc<FakeFetcher>,
    clock: Arc<FakeClock>,
    runtime: Runtime,
}

fn source() -> Source {
    let mut source = samples::git_repository("team", "repo", URL);
    source.secrets = SecretRefs {
        credentials: Some((CredentialKind::Basic, "creds".to_owned())),
        ..SecretRefs::default()
    };
    source
}

fn credentials(password: &str) -> Credentials {
    Credentials::Basic {
        username: Secret::new("ada".to_owned()),
        password: Secret::new(password.to_owned()),
    }
}

impl World {
    fn new() -> Self {
        let control_plane = Arc::new(FakeControlPlane::new());
        let fetcher = Arc::new(FakeFetcher::new());
        let clock = Arc::new(FakeClock::at_second(1_800_000_000));
        let cluster = Arc::new(FakeCluster::new());
        control_plane.put_cluster(&samples::cluster("team", "here"));
        control_plane.put_source(&source());
        fetcher.commit_texts(
            URL,
            "main",
            &[("a.yaml", "kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\n")],
        );
        fetcher.protect(URL, credentials("canary-1"));
        let connector = FakeConnector::with(&samples::named("team", "here"), &cluster);
        let ports = Ports {
            control_plane: Arc::clone(&control_plane) as Arc<dyn ControlPlane>,
            clusters: Arc::new(connector) as Arc<dyn ClusterConnector>,
            sources: Arc::clone(&fetcher) as Arc<dyn SourceFetcher>,
            artifacts: None,
            store: RenderStore::Disabled,
            clock: Arc::clone(&clock) as Arc<dyn Clock>,
            entropy: Arc::new(FakeEntropy::new()) as _,
        };
        Self {
            control_plane,
            fetcher,
            clock,
            runtime: Runtime::new(ports, Settings::default()),
        }
    }

    fn put_secret(&self, entries: &[(&str, &str)]) {
        let entries = entries
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.as_bytes().to_vec()));
        self.control_plane.put_secret(&samples::named("team", "creds"), entries);
    }

    /// Looks at the source; no look is due by the clock.
    async fn look(&self) -> SourceStatus {
        self.clock.advance(Duration::from_secs(1));
        self.runtime.source(&source().key).await;
        let status = self.control_plane.source_status(&source().key).expect("a status");
        assert!(!format!("{status:?}").contains("canary"), "{status:?}");
        status
    }

    async fn release(&self, edit: impl FnOnce(&mut Release)) -> Release {
        let mut release = samples::release("team", "shop");
        edit(&mut release);
        self.control_plane.create_release(&release);
        self.runtime.release(&release.id).await;
        let release = self.control_plane.stored_release(&release.id).expect("a Release");
        assert!(!format!("{release:?}").contains("canary"), "{release:?}");
        release
    }

    fn verifications(&self) -> usize {
        let calls = self.fetcher.calls();
        calls.iter().filter(|call| call.starts_with("verify")).count()
    }
}

fn told(status: &SourceStatus) -> (Truth, SourceReason, &str) {
    (status.ready, status.reason, &status.message)
}

#[tokio::test]
async fn a_source_is_verified_with_what_its_secret_holds_and_again_when_that_changes() {
    let world = World::new();
    let absent = "Secret `creds` of `spec.auth.secretRef` does not exist";
    let failed = SourceReason::AuthenticationFailed;
    assert_eq!(told(&world.look().await), (Truth::False, failed, absent));
    assert_eq!(world.verifications(), 0, "there is nothing to ask with");

    world.put_secret(&[("username", "ada")]);
    let lacks = "Secret `creds` of `spec.auth.secretRef` has no entry `password`";
    assert_eq!(told(&world.look().await), (Truth::False, failed, lacks));

    world.put_secret(&[("username", "ada"), ("password", "canary-0")]);
    let status = world.look().await;
    assert_eq!((status.ready, status.reason), (Truth::False, failed));

    world.put_secret(&[("username", "ada"), ("password", "canary-1")]);
    let status = world.look().await;
    assert_eq!(
        told(&status),
        (Truth::True, SourceReason::Verified, "the repository answers")
    );
    assert_eq!(status.endpoint, "https://git.example/repo");
    assert_eq!(world.verifications(), 2);

    world.look().await;
    assert_eq!(world.verifications(), 2, "nothing has changed");
    world.fetcher.protect(URL, credentials("canary-2"));
    world.put_secret(&[("username", "ada"), ("password", "canary-2")]);
    assert_eq!(world.look().await.ready, Truth::True);
    assert_eq!(world.verifications(), 3);
}

#[tokio::test]
async fn a_release_says_which_secret_its_source_lacks() {
    let world = World::new();
    world.put_secret(&[("username", "ada"), ("Password", "canary")]);
    let release = world.release(|_| {}).await;
    let condition = convoy_domain::condition::find(&release.status.conditions, ConditionType::SourceReady);
    let condition = condition.expect("a condition");
    assert_eq!(
        (condition.truth, condition.reason, condition.message.as_str()),
        (
            Truth::False,
            Reason::AuthenticationFailed,
            "Secret `creds` of `spec.auth.secretRef` has no entry `password`"
        )
    );
    assert!(world.fetcher.calls().is_empty());

    world.put_secret(&[("username", "ada"), ("password", "canary-1")]);
    world.runtime.release(&release.id).await;
    let release = world.control_plane.stored_release(&release.id).expect("a Release");
    let condition = convoy_domain::condition::find(&release.status.conditions, ConditionType::SourceReady);
    assert_eq!(condition.map(|condition| condition.truth), Some(Truth::True));
}

#[tokio::test]
async fn secrets_that_cannot_be_read_now_say_nothing_of_the_source() {
    let world = World::new();
    let error = ControlPlaneError::Unavailable {
        object: "Secret team/creds".to_owned(),
        why: "no leader".to_owned(),
    };
    world.control_plane.refuse("secret", "team/creds", error, Times::Always);
    let requeue = world.runtime.source(&source().key).await;
    assert!(matches!(requeue, Requeue::After(delay) if delay < Duration::from_secs(30)));
    assert_eq!(world.control_plane.source_status(&source().key), None);

    world.control_plane.lift_refusals();
    let error = ControlPlaneError::Forbidden {
        object: "Secret team/creds".to_owned(),
        why: "no".to_owned(),
    };
    world.control_plane.refuse("secret", "team/creds", error, Times::Always);
    let status = world.look().await;
    assert_eq!(
        told(&status),
        (
            Truth::False,
            SourceReason::AuthenticationFailed,
            "the Secrets of the source cannot be read: the control plane forbids `Secret team/creds`: no"
        )
    );
}
