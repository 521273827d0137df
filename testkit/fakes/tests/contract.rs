//! The fakes, and the decorators without faults, pass the suites of their ports.

use std::sync::Arc;

use async_trait::async_trait;
use convoy_domain::Timestamp;
use convoy_domain::artifact::{Files, Revision};
use convoy_domain::object::Object;
use convoy_domain::source::{Source, SourceKind, SourceRef};
use convoy_ports::{BlobStore, Cluster, ControlPlane, EventType, SourceFetcher};
use convoy_testkit_contract::charts::ChartWorld;
use convoy_testkit_contract::source_fetcher::{SourceWorld, git_source};
use convoy_testkit_contract::{blob_store, charts, cluster, control_plane, source_fetcher};
use convoy_testkit_fakes::faults::{EffectCounter, FaultyBlobStore, FaultyCluster, FaultyControlPlane, FaultyFetcher};
use convoy_testkit_fakes::{FakeBlobStore, FakeCluster, FakeControlPlane, FakeFetcher, samples};

const NAMESPACE: &str = "suite";

#[tokio::test]
async fn the_blob_store_keeps_the_contract() {
    blob_store::run(|| Arc::new(FakeBlobStore::new())).await;
}

#[tokio::test]
async fn a_decorated_blob_store_keeps_the_contract() {
    let decorated = || -> Arc<dyn BlobStore> {
        let effects = EffectCounter::new().counting_reads();
        Arc::new(FaultyBlobStore::new(Arc::new(FakeBlobStore::new()), effects))
    };
    blob_store::run(decorated).await;
}

#[derive(Debug, Default)]
struct Sources(Arc<FakeFetcher>);

impl SourceWorld for Sources {
    fn fetcher(&self) -> Arc<dyn SourceFetcher> {
        let inner = Arc::clone(&self.0) as Arc<dyn SourceFetcher>;
        Arc::new(FaultyFetcher::new(inner, EffectCounter::new()))
    }

    fn source(&self, repository: &str) -> Source {
        git_source(&format!("fake://{repository}"))
    }

    fn create(&self, repository: &str) {
        self.0.create(&format!("fake://{repository}"));
    }

    fn commit(&self, repository: &str, branch: &str, files: &Files) -> Revision {
        self.0.commit(&format!("fake://{repository}"), branch, files)
    }

    fn tag(&self, repository: &str, tag: &str, revision: &Revision) {
        self.0.tag(&format!("fake://{repository}"), tag, revision);
    }
}

#[tokio::test]
async fn the_fetcher_keeps_the_contract() {
    source_fetcher::run(|| Arc::new(Sources::default())).await;
}

#[derive(Debug)]
struct ChartServer(Arc<FakeFetcher>);

impl ChartServer {
    const URL: &str = "fake://charts";

    fn world() -> Arc<dyn ChartWorld> {
        let fetcher = FakeFetcher::new();
        fetcher.create_charts(Self::URL);
        Arc::new(Self(Arc::new(fetcher)))
    }

    fn at(url: &str) -> Source {
        let mut source = git_source(url);
        source.key.kind = SourceKind::Helm;
        source
    }
}

impl ChartWorld for ChartServer {
    fn fetcher(&self) -> Arc<dyn SourceFetcher> {
        Arc::clone(&self.0) as Arc<dyn SourceFetcher>
    }

    fn source(&self) -> Source {
        Self::at(Self::URL)
    }

    fn other_source(&self) -> Source {
        Self::at("fake://elsewhere")
    }

    fn wanted(&self, chart: &str, version: &str) -> SourceRef {
        SourceRef::Helm {
            chart: chart.to_owned(),
            version: version.to_owned(),
        }
    }

    fn publish(&self, chart: &str, version: &str, files: &Files) {
        self.0.publish(Self::URL, chart, version, files);
    }
}

#[tokio::test]
async fn the_fetcher_of_charts_keeps_the_contract() {
    charts::run(ChartServer::world).await;
}

#[derive(Debug)]
struct Target(Arc<FakeCluster>);

#[async_trait]
impl cluster::World for Target {
    fn port(&self) -> Arc<dyn Cluster> {
        let inner = Arc::clone(&self.0) as Arc<dyn Cluster>;
        Arc::new(FaultyCluster::new(inner, EffectCounter::new()))
    }

    fn namespace(&self) -> &str {
        NAMESPACE
    }

    async fn create(&self, object: &Object, manager: &str) {
        self.0.put(object, manager);
    }
}

#[tokio::test]
async fn the_cluster_keeps_the_contract() {
    cluster::run(|| async {
        let fake = FakeCluster::new();
        fake.make_namespace(NAMESPACE);
        Arc::new(Target(Arc::new(fake))) as Arc<dyn cluster::World>
    })
    .await;
}

#[derive(Debug, Default)]
struct Plane(Arc<FakeControlPlane>);

#[async_trait]
impl control_plane::World for Plane {
    fn port(&self) -> Arc<dyn ControlPlane> {
        let inner = Arc::clone(&self.0) as Arc<dyn ControlPlane>;
        Arc::new(FaultyControlPlane::new(inner, EffectCounter::new()))
    }

    fn namespace(&self) -> &str {
        NAMESPACE
    }

    async fn create_release(&self, name: &str) {
        self.0.create_release(&samples::release(NAMESPACE, name));
    }

    async fn suspend_release(&self, name: &str) {
        let id = samples::named(NAMESPACE, name);
        self.0.edit_release(&id, |release| release.spec.suspend = true);
    }

    async fn delete_release(&self, name: &str) {
        let now = Timestamp::from_second(1_800_000_100).expect("a time");
        self.0.delete_release(&samples::named(NAMESPACE, name), now);
    }

    async fn create_git_repository(&self, name: &str, url: &str) {
        self.0.put_source(&samples::git_repository(NAMESPACE, name, url));
    }

    async fn create_cluster(&self, name: &str, (key, value): (&str, &str)) {
        let mut cluster = samples::cluster(NAMESPACE, name);
        cluster.labels.insert(key.to_owned(), value.to_owned());
        self.0.put_cluster(&cluster);
    }

    async fn delete_cluster(&self, name: &str) {
        self.0.delete_cluster(&samples::named(NAMESPACE, name));
    }

    async fn cluster_status(&self, name: &str) -> Option<(String, String, String)> {
        let status = self.0.cluster_status(&samples::named(NAMESPACE, name))?;
        let facts = status.facts?;
        Some((status.ready.truth.to_string(), facts.version, facts.cluster_id))
    }

    async fn create_secret(&self, name: &str, entries: &[(&str, &[u8])]) {
        let entries = entries.iter().map(|(key, value)| ((*key).to_owned(), value.to_vec()));
        self.0.put_secret(&samples::named(NAMESPACE, name), entries);
    }

    async fn events(&self, release: &str) -> Vec<control_plane::SeenEvent> {
        let events = self.0.events(&samples::named(NAMESPACE, release));
        let seen = events.into_iter().map(|(event, count)| control_plane::SeenEvent {
            warning: event.kind == EventType::Warning,
            reason: event.reason.to_string(),
            message: event.message,
            count,
        });
        seen.collect()
    }
}

#[tokio::test]
async fn the_control_plane_keeps_the_contract() {
    control_plane::run(|| async { Arc::new(Plane::default()) as Arc<dyn control_plane::World> }).await;
}
