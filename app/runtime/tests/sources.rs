//! What Releases get from sources, on fakes: counts, layers of values, charts that charts need, faults and healing.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use convoy_domain::compat::Compat;
use convoy_domain::condition::{ConditionType, Reason, Stage, Truth};
use convoy_domain::id::{NamespacedName, ObjectId, ReleaseId};
use convoy_domain::release::{Content, DependencyMode, Helm, Release, ValuesFile, ValuesKey, ValuesLayer};
use convoy_domain::source::{GitRef, OciContent, Source, SourceKey, SourceKind, SourceRef};
use convoy_domain::status::ReleaseStatus;
use convoy_ports::{Clock, ClusterConnector, ControlPlane, FetchError, Reconciler, SourceFetcher};
use convoy_runtime::render_store::RenderStore;
use convoy_runtime::{Ports, Runtime, Settings};
use convoy_testkit_fakes::{
    FakeBlobStore, FakeClock, FakeCluster, FakeConnector, FakeControlPlane, FakeEntropy, FakeFetcher, Times, samples,
};
use convoy_value::{Map, Value};

const URL: &str = "fake://repo";

struct World {
    control_plane: Arc<FakeControlPlane>,
    cluster: Arc<FakeCluster>,
    fetcher: Arc<FakeFetcher>,
    clock: Arc<FakeClock>,
    blobs: Arc<FakeBlobStore>,
}

fn named(name: &str) -> NamespacedName {
    samples::named("team", name)
}

fn id() -> ReleaseId {
    named("shop")
}

fn source(kind: SourceKind, name: &str, url: &str) -> Source {
    Source {
        key: SourceKey { kind, id: named(name) },
        min_sync_interval: Duration::from_secs(30),
        ..samples::git_repository("team", name, url)
    }
}

impl World {
    fn new() -> Self {
        let world = Self {
            control_plane: Arc::new(FakeControlPlane::new()),
            cluster: Arc::new(FakeCluster::new()),
            fetcher: Arc::new(FakeFetcher::new()),
            clock: Arc::new(FakeClock::at_second(1_800_000_000)),
            blobs: Arc::new(FakeBlobStore::new()),
        };
        world.control_plane.put_cluster(&samples::cluster("team", "here"));
        world.control_plane.put_source(&source(SourceKind::Git, "repo", URL));
        world
    }

    fn process(&self) -> Runtime {
        self.with(Settings::default())
    }

    fn with(&self, settings: Settings) -> Runtime {
        let connector = FakeConnector::with(&named("here"), &self.cluster);
        let ports = Ports {
            control_plane: Arc::clone(&self.control_plane) as Arc<dyn ControlPlane>,
            clusters: Arc::new(connector) as Arc<dyn ClusterConnector>,
            sources: Arc::clone(&self.fetcher) as Arc<dyn SourceFetcher>,
            artifacts: None,
            store: RenderStore::new(Arc::clone(&self.blobs) as _),
            clock: Arc::clone(&self.clock) as Arc<dyn Clock>,
            entropy: Arc::new(FakeEntropy::new()),
        };
        Runtime::new(ports, settings)
    }

    fn create(&self, content: Content) {
        let mut release = samples::release("team", "shop");
        release.spec.content = content;
        self.control_plane.create_release(&release);
    }

    fn edit(&self, edit: impl FnOnce(&mut Release)) {
        self.control_plane.edit_release(&id(), edit);
    }

    /// Looks some times, as long as a life without trouble takes.
    async fn look(&self, process: &Runtime) -> ReleaseStatus {
        for _ in 0..6 {
            process.release(&id()).await;
            self.clock.advance(Duration::from_mins(1));
        }
        self.control_plane.status(&id())
    }

    /// The entries of the `ConfigMap` `name` on the cluster.
    fn applied(&self, name: &str) -> BTreeMap<String, String> {
        let id = ObjectId {
            group: String::new(),
            kind: "ConfigMap".to_owned(),
            namespace: "default".to_owned(),
            name: name.to_owned(),
        };
        let Some(object) = self.cluster.object(&id) else {
            return BTreeMap::new();
        };
        let Some(Value::Object(data)) = object.at(&["data"]).cloned() else {
            return BTreeMap::new();
        };
        data.iter()
            .map(|(key, value)| (key.to_owned(), value.as_str().unwrap_or_default().to_owned()))
            .collect()
    }

    fn calls(&self, call: &str) -> usize {
        self.fetcher
            .take_calls()
            .iter()
            .filter(|made| made.starts_with(call))
            .count()
    }
}

fn failure(status: &ReleaseStatus) -> Option<(Stage, Reason, String)> {
    let failure = &status.last_attempted.as_ref()?.failure.as_ref()?.failure;
    Some((failure.stage, failure.reason, failure.message.clone()))
}

fn truth(status: &ReleaseStatus, kind: ConditionType) -> Option<Truth> {
    let found = status.conditions.iter().find(|condition| condition.kind == kind);
    found.map(|condition| condition.truth)
}

const TEMPLATE: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  \
    {{- range $k, $v := .Values.data }}\n  {{ $k }}: {{ $v | toString | quote }}\n  {{- end }}\n";

fn chart_texts() -> [(&'static str, &'static str); 3] {
    [
        ("chart/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n"),
        ("chart/values.yaml", "data: {zero: chart, one: chart}\n"),
        ("chart/templates/a.yaml", TEMPLATE),
    ]
}

fn chart(values: Vec<ValuesLayer>) -> Content {
    Content::Helm(Helm {
        path: "chart".to_owned(),
        values,
        ..Helm::default()
    })
}

fn inline(text: &str) -> ValuesLayer {
    let map = convoy_domain::values::parse("a test", text.as_bytes()).expect("values");
    ValuesLayer::Inline(map)
}

fn key(name: &str, optional: bool) -> ValuesKey {
    ValuesKey {
        name: name.to_owned(),
        key: "values.yaml".to_owned(),
        optional,
    }
}

fn file(repository: &str, reference: GitRef, path: &str, optional: bool) -> ValuesLayer {
    ValuesLayer::GitRepository(ValuesFile {
        repository: repository.to_owned(),
        reference,
        path: path.to_owned(),
        optional,
    })
}

fn values_yaml(text: &str) -> [(String, Vec<u8>); 1] {
    [("values.yaml".to_owned(), text.as_bytes().to_vec())]
}

#[tokio::test]
async fn a_hundred_releases_on_one_branch_cost_one_question_a_time_and_one_download_a_commit() {
    let world = World::new();
    let manifest =
        |text: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata: {{v: '{text}'}}\n");
    world.fetcher.commit_texts(URL, "main", &[("a.yaml", &manifest("0"))]);
    let names: Vec<ReleaseId> = (0..100).map(|number| named(&format!("r{number}"))).collect();
    for name in &names {
        let mut release = samples::release("team", name.name());
        // Only what is asked of sources is counted here.
        release.spec.sync.automatic = false;
        world.control_plane.create_release(&release);
    }
    let process = world.process();
    let mut commits = 1;
    // Ten minutes, in steps of min_sync_interval, in each of which every Release is looked at twice.
    for step in 0..20 {
        for _ in 0..2 {
            let looks = names.iter().map(|name| process.release(name));
            futures::future::join_all(looks).await;
            world.clock.advance(Duration::from_secs(15));
        }
        if step % 5 == 4 {
            let text = manifest(&step.to_string());
            world.fetcher.commit_texts(URL, "main", &[("a.yaml", &text)]);
            commits += u64::from(step < 19);
        }
    }
    let usage = process.fetch_usage();
    assert_eq!((usage.look_ups, usage.downloads, usage.proofs), (20, commits, 0));
    let calls = world.fetcher.calls();
    assert_eq!(calls.len() as u64, 20 + commits, "what is counted is what was asked");
}

#[tokio::test]
async fn layers_merge_in_order_and_every_kind_is_read() {
    let world = World::new();
    world.fetcher.commit_texts(URL, "main", &chart_texts());
    world
        .control_plane
        .put_source(&source(SourceKind::Git, "shared", "fake://shared"));
    world.fetcher.commit_texts(
        "fake://shared",
        "prod",
        &[("env/values.yaml", "data: {three: git, four: git, five: git}")],
    );
    world.control_plane.put_config_map(
        &named("base"),
        values_yaml("data: {one: map, two: map, three: map, list: [1, 2]}"),
    );
    world
        .control_plane
        .put_secret(&named("hidden"), values_yaml("data: {four: secret, five: secret}"));
    world.create(chart(vec![
        inline("data: {one: inline, number: 1000000}"),
        ValuesLayer::ConfigMap(key("base", false)),
        file("shared", GitRef::Branch("prod".to_owned()), "env/values.yaml", false),
        ValuesLayer::Secret(key("hidden", false)),
        inline("data: {five: last, list: [3]}"),
    ]));
    let process = world.process();
    let status = world.look(&process).await;
    assert_eq!(failure(&status), None);
    let expect = [
        ("zero", "chart"),
        ("one", "map"),
        ("two", "map"),
        ("three", "git"),
        ("four", "secret"),
        ("five", "last"),
        ("list", "[3]"),
        ("number", "1e+06"),
    ];
    let expect: BTreeMap<String, String> = expect.map(|(key, value)| (key.to_owned(), value.to_owned())).into();
    assert_eq!(world.applied("a"), expect);
    let inputs = status.last_attempted.unwrap().inputs;
    assert_eq!(inputs.values.len(), 3, "{inputs:?}");
    assert!(inputs.values[1].starts_with("GitRepository `shared`: "), "{inputs:?}");
}

#[tokio::test]
async fn a_changed_layer_counts_at_the_next_look_and_an_unchanged_one_renders_nothing() {
    let world = World::new();
    world.fetcher.commit_texts(URL, "main", &chart_texts());
    world
        .control_plane
        .put_config_map(&named("base"), values_yaml("data: {v: '1'}"));
    world
        .control_plane
        .put_source(&source(SourceKind::Git, "shared", "fake://shared"));
    world
        .fetcher
        .commit_texts("fake://shared", "main", &[("v.yaml", "data: {w: '1'}")]);
    world.create(chart(vec![
        ValuesLayer::ConfigMap(key("base", false)),
        file("shared", GitRef::Head, "v.yaml", false),
    ]));
    let process = world.process();
    let first = world.look(&process).await;
    assert_eq!(world.applied("a")["v"], "1");
    let fingerprint = |status: &ReleaseStatus| status.last_attempted.as_ref().unwrap().inputs.fingerprint.clone();
    assert_eq!(fingerprint(&world.look(&process).await), fingerprint(&first));
    world
        .control_plane
        .put_config_map(&named("base"), values_yaml("data: {v: '2'}"));
    let second = world.look(&process).await;
    assert_ne!(fingerprint(&second), fingerprint(&first));
    assert_eq!(world.applied("a")["v"], "2");
    world
        .fetcher
        .commit_texts("fake://shared", "main", &[("v.yaml", "data: {w: '2'}")]);
    world.look(&process).await;
    assert_eq!(world.applied("a")["w"], "2");
}

#[tokio::test]
async fn an_absent_layer_is_not_found_unless_it_may_be_absent() {
    let world = World::new();
    world.fetcher.commit_texts(URL, "main", &chart_texts());
    world
        .control_plane
        .put_secret(&named("other-key"), [("x".to_owned(), vec![])]);
    for (name, optional, wanted) in [
        (
            "ConfigMap `gone`",
            ValuesLayer::ConfigMap(key("gone", true)),
            ValuesLayer::ConfigMap(key("gone", false)),
        ),
        (
            "Secret `other-key`",
            ValuesLayer::Secret(key("other-key", true)),
            ValuesLayer::Secret(key("other-key", false)),
        ),
        (
            "file `none.yaml` of GitRepository `repo` at HEAD",
            file("repo", GitRef::Head, "none.yaml", true),
            file("repo", GitRef::Head, "none.yaml", false),
        ),
    ] {
        world.create(chart(vec![wanted]));
        let process = world.process();
        let status = world.look(&process).await;
        let (stage, reason, message) = failure(&status).unwrap();
        assert_eq!((stage, reason), (Stage::Values, Reason::ValuesNotFound), "{message}");
        assert!(message.contains(name), "{message}");
        assert_eq!(truth(&status, ConditionType::Rendered), Some(Truth::False));
        world.edit(|release| release.spec.content = chart(vec![optional]));
        let status = world.look(&process).await;
        assert_eq!(failure(&status), None, "{name}");
        assert_eq!(world.applied("a")["zero"], "chart");
        world.control_plane.delete_release(&id(), world.clock.now());
        world.look(&process).await;
    }
    // A repository or a ref that is not there is no absent file.
    for layer in [
        file("nowhere", GitRef::Head, "a", true),
        file("repo", GitRef::Branch("gone".to_owned()), "a", true),
    ] {
        world.create(chart(vec![layer]));
        let process = world.process();
        let status = world.look(&process).await;
        let (stage, reason, message) = failure(&status).unwrap();
        assert_eq!((stage, reason), (Stage::Values, Reason::ValuesNotFound), "{message}");
        world.control_plane.delete_release(&id(), world.clock.now());
        world.look(&process).await;
    }
}

#[tokio::test]
async fn a_layer_that_cannot_be_read_tells_nothing_of_itself() {
    const CANARY: &str = "c4n4ry-of-a-secret";
    let world = World::new();
    world.fetcher.commit_texts(URL, "main", &chart_texts());
    for text in [
        format!("password: {CANARY}\n\tbroken"),
        format!("[{CANARY}"),
        CANARY.to_owned(),
        format!("- {CANARY}"),
        format!("a: &x {CANARY}\nb: *{CANARY}"),
        format!("a: {CANARY}: {CANARY}"),
    ] {
        world.control_plane.put_secret(&named("hidden"), values_yaml(&text));
        world.create(chart(vec![ValuesLayer::Secret(key("hidden", false))]));
        let process = world.process();
        let status = world.look(&process).await;
        let (stage, reason, message) = failure(&status).unwrap();
        assert_eq!(
            (stage, reason),
            (Stage::Values, Reason::ValuesInvalid),
            "{text}: {message}"
        );
        assert!(message.contains("key `values.yaml` of Secret `hidden`"), "{message}");
        let told = format!("{status:?} {:?}", world.control_plane.events(&id()));
        assert!(!told.contains(CANARY), "{text}: {told}");
        world.control_plane.delete_release(&id(), world.clock.now());
        world.look(&process).await;
    }
    // One that is read, too.
    world.control_plane.put_secret(
        &named("hidden"),
        values_yaml(&format!("secret: {CANARY}\ndata: {{n: 1}}")),
    );
    world.create(chart(vec![ValuesLayer::Secret(key("hidden", false))]));
    let status = world.look(&world.process()).await;
    assert_eq!(failure(&status), None);
    let told = format!("{status:?} {:?}", world.control_plane.events(&id()));
    assert!(!told.contains(CANARY), "{told}");
}

fn umbrella(dependencies: &str, lock: Option<&str>) -> Vec<(String, String)> {
    let chart = format!("apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies: {dependencies}\n");
    let mut files = vec![
        ("chart/Chart.yaml".to_owned(), chart),
        ("chart/templates/a.yaml".to_owned(), TEMPLATE.to_owned()),
        ("chart/values.yaml".to_owned(), "data: {own: x}".to_owned()),
        (
            "lib/Chart.yaml".to_owned(),
            "apiVersion: v2\nname: lib\nversion: 0.1.0\n".to_owned(),
        ),
        ("lib/templates/b.yaml".to_owned(), of_sub("lib")),
    ];
    files.extend(lock.map(|lock| ("chart/Chart.lock".to_owned(), lock.to_owned())));
    files
}

fn of_sub(name: &str) -> String {
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\ndata: {{v: '{{{{ .Chart.Version }}}}'}}\n")
}

impl World {
    fn commit_umbrella(&self, dependencies: &str, lock: Option<&str>) {
        let files = umbrella(dependencies, lock);
        let files: Vec<(&str, &str)> = files
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str()))
            .collect();
        self.fetcher.commit_texts(URL, "main", &files);
    }

    fn publish(&self, url: &str, path: &str, version: &str) {
        let name = path.rsplit('/').next().expect("a last part");
        let chart = format!("apiVersion: v2\nname: {name}\nversion: {version}\n");
        let template = of_sub(name);
        let files = [("Chart.yaml", chart.as_str()), ("templates/b.yaml", template.as_str())];
        self.fetcher.publish_texts(url, path, version, &files);
    }
}

fn resolving() -> Content {
    Content::Helm(Helm {
        path: "chart".to_owned(),
        dependencies: DependencyMode::Resolve,
        ..Helm::default()
    })
}

const HELM_URL: &str = "https://charts.example/stable";
const OCI_URL: &str = "oci://registry.example/team";

#[tokio::test]
async fn what_a_chart_needs_comes_from_the_sources_of_its_namespace() {
    let world = World::new();
    world
        .control_plane
        .put_source(&source(SourceKind::Helm, "stable", HELM_URL));
    world
        .control_plane
        .put_source(&source(SourceKind::Oci, "registry", OCI_URL));
    for version in ["1.0.0", "1.2.0", "2.0.0"] {
        world.publish(HELM_URL, "redis", version);
        world.publish(OCI_URL, "charts/queue", version);
    }
    world.commit_umbrella(
        "[{name: redis, version: ^1, repository: 'https://charts.example/stable/'}, \
          {name: queue, version: '>=1.0.0', repository: 'oci://registry.example/team/charts'}, \
          {name: lib, version: '*', repository: 'file://../lib'}]",
        None,
    );
    world.create(resolving());
    let process = world.process();
    let status = world.look(&process).await;
    assert_eq!(failure(&status), None);
    let versions = || ["redis", "queue", "lib"].map(|name| world.applied(name)["v"].clone());
    assert_eq!(versions(), ["1.2.0", "2.0.0", "0.1.0"]);

    // A new version that fits is a new render.
    world.publish(HELM_URL, "redis", "1.3.0");
    world.look(&process).await;
    assert_eq!(versions(), ["1.3.0", "2.0.0", "0.1.0"]);

    // The lock file holds versions down.
    world.commit_umbrella(
        "[{name: redis, version: ^1, repository: '@stable'}, \
          {name: queue, version: '>=1.0.0', repository: 'alias:registry', alias: unused}]",
        Some("dependencies: [{name: redis, version: 1.0.0}, {name: queue, version: 1.0.0}]"),
    );
    world.publish(OCI_URL, "queue", "1.0.0");
    let status = world.look(&process).await;
    assert_eq!(failure(&status), None);
    assert_eq!(world.applied("redis")["v"], "1.0.0");
}

#[tokio::test]
async fn what_is_nowhere_in_the_namespace_is_refused_and_no_server_is_asked() {
    let world = World::new();
    world
        .control_plane
        .put_source(&source(SourceKind::Helm, "stable", HELM_URL));
    world.publish("https://elsewhere.example", "redis", "1.0.0");
    world.commit_umbrella(
        "[{name: redis, version: ^1, repository: 'https://elsewhere.example'}]",
        None,
    );
    world.create(resolving());
    let process = world.process();
    let status = world.look(&process).await;
    let (stage, reason, message) = failure(&status).unwrap();
    assert_eq!((stage, reason), (Stage::Fetch, Reason::Unsupported), "{message}");
    assert!(message.contains("https://elsewhere.example"), "{message}");
    assert!(world.fetcher.calls().iter().all(|call| call.ends_with(URL)));

    for (dependencies, lock, expect) in [
        (
            "[{name: redis, version: ^1, repository: '@stable'}]",
            None,
            (Stage::Fetch, Reason::ChartNotFound),
        ),
        (
            "[{name: redis, version: ^1, repository: '@stable'}]",
            Some("dependencies: []"),
            (Stage::Render, Reason::RenderFailed),
        ),
        (
            "[{name: lib, version: '1.0.0', repository: 'file://../lib'}]",
            None,
            (Stage::Render, Reason::RenderFailed),
        ),
        (
            "[{name: lib, version: '*', repository: 'file://../../../lib'}]",
            None,
            (Stage::Render, Reason::RenderFailed),
        ),
    ] {
        world.commit_umbrella(dependencies, lock);
        world.fetcher.publish_texts(HELM_URL, "unrelated", "1.0.0", &[]);
        let status = world.look(&process).await;
        let (stage, reason, message) = failure(&status).unwrap();
        assert_eq!((stage, reason), expect, "{dependencies}: {message}");
    }
    let of_old = Settings {
        compat: Compat::V0_9,
        ..Settings::default()
    };
    let status = world.look(&world.with(of_old)).await;
    assert_eq!(
        failure(&status).map(|(stage, reason, _)| (stage, reason)),
        Some((Stage::Validate, Reason::Unsupported))
    );
}

#[tokio::test]
async fn releases_of_registries_are_rendered_and_fixed_versions_are_asked_for_once() {
    let world = World::new();
    world
        .control_plane
        .put_source(&source(SourceKind::Helm, "stable", HELM_URL));
    world
        .control_plane
        .put_source(&source(SourceKind::Oci, "registry", OCI_URL));
    world.publish(HELM_URL, "web", "1.0.0");
    world.publish(OCI_URL, "charts/web", "2.0.0");
    let of = |kind, source_ref: SourceRef, name: &str| {
        let source = SourceKey { kind, id: named(name) };
        move |release: &mut Release| {
            release.spec.source = source;
            release.spec.source_ref = source_ref;
            release.spec.content = Content::Helm(Helm::default());
        }
    };
    world.create(chart(Vec::new()));
    world.edit(of(
        SourceKind::Helm,
        SourceRef::Helm {
            chart: "web".to_owned(),
            version: "1.0.0".to_owned(),
        },
        "stable",
    ));
    let process = world.process();
    let status = world.look(&process).await;
    assert_eq!(failure(&status), None);
    assert_eq!(world.applied("web")["v"], "1.0.0");
    let calls = world.fetcher.take_calls();
    assert_eq!(calls, [format!("resolve {HELM_URL}"), format!("fetch {HELM_URL}")]);
    let attempt = status.last_attempted.unwrap();
    assert_eq!(attempt.revision.unwrap().0, "web-1.0.0");
    assert!(
        attempt.inputs.source.starts_with("web-1.0.0@sha256:"),
        "{}",
        attempt.inputs.source
    );

    world.edit(of(
        SourceKind::Oci,
        SourceRef::Oci {
            chart: "charts/web".to_owned(),
            version: "^2".to_owned(),
            content: OciContent::Chart,
        },
        "registry",
    ));
    let status = world.look(&process).await;
    assert_eq!(failure(&status), None);
    assert_eq!(world.applied("web")["v"], "2.0.0");
}

/// What each fault of a source is called.
fn faults() -> [(FetchError, Reason); 15] {
    let (url, why) = (|| URL.to_owned(), || "said so".to_owned());
    let wanted = || "branch main".to_owned();
    [
        (
            FetchError::Authentication { url: url(), why: why() },
            Reason::AuthenticationFailed,
        ),
        (FetchError::HostNotTrusted { url: url() }, Reason::HostNotTrusted),
        (FetchError::HostRefused { url: url(), why: why() }, Reason::HostRefused),
        (FetchError::Tls { url: url(), why: why() }, Reason::TlsFailed),
        (FetchError::Unreachable { url: url(), why: why() }, Reason::FetchFailed),
        (
            FetchError::Busy {
                url: url(),
                why: why(),
                after: Duration::from_secs(7),
            },
            Reason::FetchFailed,
        ),
        (FetchError::Timeout { url: url(), seconds: 5 }, Reason::FetchTimeout),
        (
            FetchError::NotARepository { url: url(), why: why() },
            Reason::ArtifactInvalid,
        ),
        (
            FetchError::IndexInvalid { url: url(), why: why() },
            Reason::ArtifactInvalid,
        ),
        (
            FetchError::ChartNotFound {
                url: url(),
                wanted: wanted(),
            },
            Reason::ChartNotFound,
        ),
        (
            FetchError::RefNotFound {
                url: url(),
                wanted: wanted(),
            },
            Reason::RefNotFound,
        ),
        (FetchError::Invalid { url: url(), why: why() }, Reason::ArtifactInvalid),
        (
            FetchError::NoChartLayer {
                url: url(),
                found: why(),
            },
            Reason::NoChartLayer,
        ),
        (
            FetchError::Signature { url: url(), why: why() },
            Reason::SignatureInvalid,
        ),
        (
            FetchError::Limit {
                url: url(),
                limit: "1 file".to_owned(),
            },
            Reason::LimitExceeded,
        ),
    ]
}

#[tokio::test]
async fn each_fault_of_a_source_gives_its_reason_is_tried_again_as_the_table_says_and_heals() {
    for call in ["resolve", "fetch"] {
        for (error, reason) in &faults() {
            let world = World::new();
            let manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {v: x}\n";
            world.fetcher.commit_texts(URL, "main", &[("a.yaml", manifest)]);
            world.control_plane.create_release(&samples::release("team", "shop"));
            let process = world.process();
            world.fetcher.refuse(call, "", error.clone(), Times::Always);
            process.release(&id()).await;
            let status = world.control_plane.status(&id());
            let attempt = status.last_attempted.as_ref().unwrap().failure.as_ref().unwrap();
            assert_eq!(
                (attempt.failure.stage, attempt.failure.reason),
                (Stage::Fetch, *reason),
                "{call} {error}"
            );
            assert_eq!(attempt.next_retry.is_some(), error.is_transient(), "{call} {error}");
            assert_eq!(
                truth(&status, ConditionType::SourceReady),
                Some(Truth::False),
                "{call} {error}"
            );
            assert!(world.applied("a").is_empty());
            assert_eq!(process.fetch_usage().memory.bytes, 0, "nothing stays behind");
            world.fetcher.lift_refusals();
            world.clock.advance(Duration::from_mins(1));
            let status = world.look(&process).await;
            assert_eq!(failure(&status), None, "{call} {error}");
            assert_eq!(world.applied("a")["v"], "x", "{call} {error}");
        }
    }
}

#[tokio::test]
async fn a_pin_is_not_hindered_by_a_layer_that_is_gone() {
    let world = World::new();
    world.fetcher.commit_texts(URL, "main", &chart_texts());
    world
        .control_plane
        .put_config_map(&named("base"), values_yaml("data: {v: '1'}"));
    world.create(chart(vec![ValuesLayer::ConfigMap(key("base", false))]));
    let process = world.process();
    let status = world.look(&process).await;
    let render_ref = status.last_successful.unwrap().render_ref;
    world.control_plane.delete_config_map(&named("base"));
    world.edit(|release| {
        release.pin = Some(convoy_domain::release::Pin {
            render_ref,
            reason: String::new(),
        });
    });
    let status = world.look(&process).await;
    assert_eq!(failure(&status), None);
    assert_eq!(truth(&status, ConditionType::Pinned), Some(Truth::True));
    assert!(
        status
            .warnings
            .iter()
            .any(|warning| warning.contains("ConfigMap `base`")),
        "{:?}",
        status.warnings
    );
}

#[tokio::test]
async fn one_ref_has_one_revision_in_one_look() {
    let world = World::new();
    let mut always = source(SourceKind::Git, "repo", URL);
    always.min_sync_interval = Duration::ZERO;
    world.control_plane.put_source(&always);
    world.fetcher.commit_texts(URL, "main", &chart_texts());
    let same = || file("repo", GitRef::Branch("main".to_owned()), "chart/values.yaml", false);
    world.create(chart(vec![same(), same()]));
    let process = world.process();
    process.release(&id()).await;
    assert_eq!(world.calls("resolve"), 1);
}

#[test]
fn maps_are_what_layers_hold() {
    assert_eq!(inline("{}"), ValuesLayer::Inline(Map::new()));
}

#[tokio::test]
async fn an_endpoint_is_verified_at_its_interval_and_of_old_at_the_resync() {
    for (compat, expect) in [(Compat::Current, 12), (Compat::V0_9, 1)] {
        let world = World::new();
        world.fetcher.create(URL);
        let process = world.with(Settings {
            compat,
            ..Settings::default()
        });
        let key = source(SourceKind::Git, "repo", URL).key;
        // An hour, a look each minute; the interval is five minutes.
        for _ in 0..60 {
            process.source(&key).await;
            world.clock.advance(Duration::from_mins(1));
        }
        assert_eq!(world.calls("verify"), expect, "{compat}");
    }
}

#[tokio::test]
async fn a_stamp_of_a_webhook_asks_before_min_sync_interval_is_over() {
    let world = World::new();
    let manifest =
        |text: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata: {{v: '{text}'}}\n");
    world.fetcher.commit_texts(URL, "main", &[("a.yaml", &manifest("1"))]);
    world.control_plane.create_release(&samples::release("team", "shop"));
    let process = world.process();
    world.look(&process).await;
    process.release(&id()).await;
    world.fetcher.commit_texts(URL, "main", &[("a.yaml", &manifest("2"))]);
    world.clock.advance(Duration::from_secs(5));
    for _ in 0..3 {
        process.release(&id()).await;
    }
    assert_eq!(world.applied("a")["v"], "1", "it was asked for a moment ago");
    let mut stamped = source(SourceKind::Git, "repo", URL);
    stamped.fetch_requested = Some(world.clock.now());
    world.control_plane.put_source(&stamped);
    world.clock.advance(Duration::from_secs(1));
    drop(world.fetcher.take_calls());
    for _ in 0..4 {
        process.release(&id()).await;
    }
    assert_eq!(world.applied("a")["v"], "2");
    assert_eq!(world.calls("resolve"), 1, "one stamp is one question");
}
