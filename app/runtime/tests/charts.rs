//! Charts and kustomizations in the life of a Release, on fakes: what they draw stays, and what is lost is not made
//! anew.

use std::sync::Arc;
use std::time::Duration;

use convoy_domain::condition::Reason;
use convoy_domain::id::{NamespacedName, ObjectId, ReleaseId};
use convoy_domain::release::{CapabilitiesMode, Content, Helm, Kustomize, Release, ValuesLayer};
use convoy_domain::status::ReleaseStatus;
use convoy_ports::{Clock, ClusterConnector, ControlPlane, ControlPlaneError, Reconciler, SourceFetcher};
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
    entropy: Arc<FakeEntropy>,
}

fn id() -> ReleaseId {
    samples::named("team", "shop")
}

fn secret() -> NamespacedName {
    samples::named("convoy-system", "convoy-entropy-key")
}

impl World {
    fn new() -> Self {
        let world = Self {
            control_plane: Arc::new(FakeControlPlane::new()),
            cluster: Arc::new(FakeCluster::new()),
            fetcher: Arc::new(FakeFetcher::new()),
            clock: Arc::new(FakeClock::at_second(1_800_000_000)),
            blobs: Arc::new(FakeBlobStore::new()),
            entropy: Arc::new(FakeEntropy::new()),
        };
        world.control_plane.put_cluster(&samples::cluster("team", "here"));
        world
            .control_plane
            .put_source(&samples::git_repository("team", "repo", URL));
        world
    }

    fn process(&self) -> Runtime {
        let connector = FakeConnector::with(&samples::named("team", "here"), &self.cluster);
        let ports = Ports {
            control_plane: Arc::clone(&self.control_plane) as Arc<dyn ControlPlane>,
            clusters: Arc::new(connector) as Arc<dyn ClusterConnector>,
            sources: Arc::clone(&self.fetcher) as Arc<dyn SourceFetcher>,
            artifacts: None,
            store: RenderStore::new(Arc::clone(&self.blobs) as _),
            clock: Arc::clone(&self.clock) as Arc<dyn Clock>,
            entropy: Arc::clone(&self.entropy) as _,
        };
        Runtime::new(ports, Settings::default())
    }

    /// Looks some times, as long as a life without trouble takes.
    async fn look(&self, process: &Runtime) -> ReleaseStatus {
        for _ in 0..6 {
            process.release(&id()).await;
            self.clock.advance(Duration::from_mins(1));
        }
        self.control_plane.status(&id())
    }

    fn create(&self, content: Content) {
        let mut release = samples::release("team", "shop");
        release.spec.content = content;
        self.control_plane.create_release(&release);
    }

    fn edit(&self, edit: impl FnOnce(&mut Release)) {
        self.control_plane.edit_release(&id(), edit);
    }

    fn value(&self, name: &str) -> String {
        let id = ObjectId {
            group: String::new(),
            kind: "ConfigMap".to_owned(),
            namespace: "default".to_owned(),
            name: name.to_owned(),
        };
        let object = self.cluster.object(&id);
        object.map_or_else(String::new, |object| object.text(&["data", "v"]).to_owned())
    }

    fn commit(&self, template: &str) {
        let text = format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata: {{v: {template}}}\n");
        self.fetcher.commit_texts(
            URL,
            "main",
            &[
                ("chart/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n"),
                ("chart/templates/a.yaml", &text),
            ],
        );
    }
}

fn chart() -> Helm {
    Helm {
        path: "chart".to_owned(),
        ..Helm::default()
    }
}

fn reason(status: &ReleaseStatus) -> Option<Reason> {
    let failure = status.last_attempted.as_ref()?.failure.as_ref()?;
    Some(failure.failure.reason)
}

fn message(status: &ReleaseStatus) -> String {
    let attempt = status.last_attempted.as_ref();
    let failure = attempt.and_then(|attempt| attempt.failure.as_ref());
    failure.map_or_else(String::new, |failure| failure.failure.message.clone())
}

#[tokio::test]
async fn a_password_survives_edits_restarts_and_the_release_itself() {
    let world = World::new();
    let process = world.process();
    process.make_key().await.unwrap();
    world.commit("{{ randAlphaNum 20 }}");
    world.create(Content::Helm(chart()));
    let status = world.look(&process).await;
    assert_eq!(reason(&status), None, "{}", message(&status));
    let password = world.value("a");
    assert_eq!(password.len(), 20);

    world.commit("{{/* an unrelated edit */}}{{ randAlphaNum 20 }}");
    let status = world.look(&process).await;
    assert_eq!(reason(&status), None, "{}", message(&status));
    assert_eq!(world.value("a"), password);

    world.control_plane.delete_release(&id(), world.clock.now());
    world.look(&process).await;
    assert_eq!(world.value("a"), "", "the object is gone with its Release");
    world.create(Content::Helm(chart()));
    world.look(&world.process()).await;
    assert_eq!(world.value("a"), password);
    assert_eq!(world.control_plane.stored_secret(&secret()).unwrap().len(), 1);
}

#[tokio::test]
async fn a_lost_key_stops_charts_and_nothing_is_applied() {
    let world = World::new();
    world.process().make_key().await.unwrap();
    world.commit("{{ randAlphaNum 20 }}");
    world.create(Content::Helm(chart()));
    let process = world.process();
    world.look(&process).await;
    let password = world.value("a");
    let kept = world.control_plane.stored_secret(&secret()).unwrap();

    world.control_plane.delete_secret(&secret());
    world.commit("x{{ randAlphaNum 20 }}");
    for process in [process, world.process()] {
        assert_eq!(process.make_key().await.unwrap_err().reason, Reason::EntropyKeyMissing);
        let status = world.look(&process).await;
        assert_eq!(reason(&status), Some(Reason::EntropyKeyMissing), "{}", message(&status));
        assert!(message(&status).contains("convoy-system/convoy-entropy-key"));
        assert_eq!(world.value("a"), password, "the old objects stay");
        assert_eq!(
            world.control_plane.stored_secret(&secret()),
            None,
            "no other key is made"
        );
    }

    let restored = kept.into_iter().map(|(key, value)| (key, value.expose().clone()));
    world.control_plane.put_secret(&secret(), restored);
    let status = world.look(&world.process()).await;
    assert_eq!(reason(&status), None, "{}", message(&status));
    assert_eq!(world.value("a"), format!("x{password}"));
}

#[tokio::test]
async fn a_key_is_made_while_nothing_was_applied_and_a_short_one_is_none() {
    let world = World::new();
    world.commit("{{ randAlphaNum 20 }}");
    world.create(Content::Helm(chart()));
    // Nobody made a key at the start: the first chart does.
    let status = world.look(&world.process()).await;
    assert_eq!(reason(&status), None, "{}", message(&status));

    let world = World::new();
    let short = [("key".to_owned(), b"short".to_vec())];
    world.control_plane.put_secret(&secret(), short);
    let failure = world.process().make_key().await.unwrap_err();
    assert_eq!(failure.reason, Reason::EntropyKeyMissing);
    world
        .control_plane
        .put_secret(&secret(), [("other".to_owned(), vec![1; 32])]);
    let failure = world.process().make_key().await.unwrap_err();
    assert!(failure.message.contains("no entry `key`"), "{}", failure.message);
}

#[tokio::test]
async fn a_control_plane_that_does_not_answer_is_no_lost_key() {
    let world = World::new();
    let unavailable = ControlPlaneError::Unavailable {
        object: "Secret".to_owned(),
        why: "too slow".to_owned(),
    };
    world.control_plane.refuse("secret", "", unavailable, Times::Always);
    let failure = world.process().make_key().await.unwrap_err();
    assert!(failure.is_transient(), "{failure:?}");
}

#[tokio::test]
async fn a_release_without_charts_needs_no_key() {
    let world = World::new();
    world.fetcher.commit_texts(
        URL,
        "main",
        &[
            ("kustomization.yaml", "resources: [a.yaml]\ncommonLabels: {a: b}\n"),
            (
                "a.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {v: x}\n",
            ),
        ],
    );
    world.create(Content::Kustomize(Kustomize::default()));
    let status = world.look(&world.process()).await;
    assert_eq!(world.value("a"), "x");
    assert!(
        status.warnings.iter().any(|warning| warning.contains("commonLabels")),
        "{:?}",
        status.warnings
    );
}

#[tokio::test]
async fn a_broken_chart_leaves_what_runs_alone_and_tells_no_value() {
    const CANARY: &str = "c4n4ry-of-a-value";
    let world = World::new();
    world.commit("'{{ .Values.password | len }}'");
    let values: Map = [("password", Value::from(CANARY))].into_iter().collect();
    world.create(Content::Helm(Helm {
        values: vec![ValuesLayer::Inline(values)],
        ..chart()
    }));
    let process = world.process();
    world.look(&process).await;
    assert_eq!(world.value("a"), "17");
    for broken in [
        "{{ .Values.password.deeper }}",
        "{{ add1 .Values.password | required .Values.password }}{{ index .Values.password 99 }}",
        "{{ fail .Values.password }}",
        "{{ required .Values.password .Values.absent }}",
        "{{ .Values.password | mustToDate \"2006\" }}",
        "{{ tpl .Values.password . | atoi | until }}{{ printf \"{{%s\" .Values.password | fromYaml }}\n  bad: [",
        "{{ include .Values.password . }}",
        "{{ template \"absent\" .Values.password }}",
        "{{ tpl (printf \"{{ %s }}\" .Values.password) . }}",
    ] {
        world.commit(broken);
        let status = world.look(&process).await;
        assert_eq!(
            reason(&status),
            Some(Reason::RenderFailed),
            "{broken}: {}",
            message(&status)
        );
        assert!(
            message(&status).contains("web/templates/a.yaml"),
            "{broken}: {}",
            message(&status)
        );
        assert!(!format!("{status:?}").contains(CANARY), "{broken}: {status:#?}");
        let told = format!("{:?}", world.control_plane.events(&id()));
        assert!(!told.contains(CANARY), "{broken}: {told}");
        assert_eq!(world.value("a"), "17", "{broken}");
    }
}

#[tokio::test]
async fn a_chart_sees_the_cluster_only_when_it_asks() {
    let world = World::new();
    world
        .commit("'{{ .Capabilities.KubeVersion.Version }} {{ .Capabilities.APIVersions.Has \"apps/v1/Deployment\" }}'");
    world.create(Content::Helm(chart()));
    let process = world.process();
    world.look(&process).await;
    assert_eq!(world.value("a"), "v1.36.0 false");
    world.edit(|release| {
        release.spec.content = Content::Helm(Helm {
            capabilities: CapabilitiesMode::Cluster,
            ..chart()
        });
    });
    world.look(&process).await;
    assert_eq!(world.value("a"), "v1.36.3 true");
}

#[tokio::test]
async fn a_render_that_does_not_end_is_a_timeout() {
    let world = World::new();
    world.commit("'{{ range $i := until 90000 }}{{ range $j := until 90000 }}x{{ end }}{{ end }}'");
    world.create(Content::Helm(chart()));
    let connector = FakeConnector::with(&samples::named("team", "here"), &world.cluster);
    let ports = Ports {
        control_plane: Arc::clone(&world.control_plane) as Arc<dyn ControlPlane>,
        clusters: Arc::new(connector) as Arc<dyn ClusterConnector>,
        sources: Arc::clone(&world.fetcher) as Arc<dyn SourceFetcher>,
        artifacts: None,
        store: RenderStore::Disabled,
        clock: Arc::clone(&world.clock) as Arc<dyn Clock>,
        entropy: Arc::clone(&world.entropy) as _,
    };
    let mut settings = Settings::default();
    settings.limits.render_time = Duration::from_millis(1);
    let process = Runtime::new(ports, settings);
    process.release(&id()).await;
    let status = world.control_plane.status(&id());
    assert_eq!(reason(&status), Some(Reason::RenderTimeout), "{}", message(&status));
}
