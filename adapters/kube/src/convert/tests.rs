use std::time::Duration;

use convoy_domain::access::SignedSubject;
use convoy_domain::artifact::Revision;
use convoy_domain::cluster::Connection;
use convoy_domain::condition::{Condition, ConditionType, Failure, Reason, Stage, Truth};
use convoy_domain::credentials::{CredentialKind, SecretRefs};
use convoy_domain::id::ObjectId;
use convoy_domain::inventory::{InventoryEntry, InventoryPart};
use convoy_domain::release::{
    CapabilitiesMode, Content, DeletionPolicy, DependencyMode, Gate, Helm, Kustomize, Manifests, MutationAction,
    RollbackPolicy, ValuesFile, ValuesKey, ValuesLayer,
};
use convoy_domain::render_ref::RenderRef;
use convoy_domain::source::{GitRef, SourceKind, SourceReason, SourceRef, SourceStatus};
use convoy_domain::status::{
    Applied, Attempt, AttemptFailure, HealthyRender, Inputs, InventorySummary, Phase, ReleaseStatus, Retention,
    Rollout, RolloutStep, Waiting,
};
use proptest::option;
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::*;
use crate::crd;

/// The smallest Release that the schema accepts, without the defaults that the API server adds.
fn smallest() -> Json {
    json!({
        "apiVersion": "core.convoy.kumodo.io/v1alpha1",
        "kind": "Release",
        "metadata": {
            "name": "web", "namespace": "apps", "uid": "uid-1", "generation": 3, "resourceVersion": "77",
            "creationTimestamp": "2026-01-02T03:04:05Z",
        },
        "spec": {
            "clusterRef": {"name": "here"},
            "source": {"type": "gitRepository", "gitRepository": {"name": "repo"}},
            "content": {"type": "manifests", "manifests": {"paths": ["."]}},
        },
    })
}

fn read(json: Json) -> Result<convoy_domain::release::Release, InvalidField> {
    release(serde_json::from_value(json).unwrap())
}

/// The smallest Release with one member replaced.
fn with(pointer: &str, value: Json) -> Json {
    let mut json = smallest();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    json.pointer_mut(parent)
        .unwrap()
        .as_object_mut()
        .unwrap()
        .insert(key.to_owned(), value);
    json
}

#[test]
fn absent_fields_have_the_defaults_of_the_api_also_without_the_server() {
    let release = read(smallest()).unwrap();
    assert_eq!(release.id.to_string(), "apps/web");
    assert_eq!((release.uid.as_str(), release.generation), ("uid-1", 3));
    assert_eq!(release.resource_version, "77");
    assert_eq!(release.created.to_string(), "2026-01-02T03:04:05Z");
    assert_eq!((release.deleted, release.has_finalizer), (None, false));
    let spec = &release.spec;
    assert!(!spec.suspend);
    assert_eq!(spec.cluster, "here");
    assert_eq!(
        (spec.source.kind, spec.source.id.to_string()),
        (SourceKind::Git, "apps/repo".to_owned())
    );
    assert_eq!(spec.source_ref, SourceRef::Git(GitRef::Head));
    let paths = vec![".".to_owned()];
    assert_eq!(
        spec.content,
        Content::Manifests(Manifests {
            paths,
            target_namespace: None
        })
    );
    assert!(spec.sync.automatic && spec.sync.correct_drift && !spec.sync.force);
    assert_eq!(spec.sync.interval, Duration::from_mins(1));
    assert_eq!(spec.sync.timeout, Duration::from_mins(5));
    assert_eq!(spec.sync.retry, None);
    assert_eq!(spec.health_deadline, Duration::from_mins(5));
    assert_eq!(
        (spec.rollback, spec.deletion),
        (RollbackPolicy::Never, DeletionPolicy::Delete)
    );
    assert_eq!(spec.keep_history, Some(10));
    assert!(spec.unsupported.is_empty() && spec.ignored.is_empty(), "{spec:?}");
}

#[test]
fn the_sample_release_is_understood_and_what_comes_later_is_named() {
    let text = include_str!("../../fixtures/release.json");
    let release = read(serde_json::from_str(text).unwrap()).unwrap();
    assert_eq!(release.mutations.len(), 1);
    let mutation = &release.mutations[0];
    assert_eq!(
        mutation.action,
        MutationAction::SyncWave {
            wave: 1,
            gate: Gate::WaitForHealthy
        }
    );
    assert_eq!(mutation.target.group.as_deref(), Some(""));
    assert_eq!(mutation.target.kind.as_deref(), Some("Service"));
    assert_eq!(release.spec.health_deadline, Duration::from_secs(20));
    let Content::Helm(helm) = &release.spec.content else {
        panic!("{:?} is no chart", release.spec.content);
    };
    assert_eq!(
        (helm.path.as_str(), helm.release_name.as_deref()),
        ("charts/podinfo", Some("podinfo-helm"))
    );
    let [ValuesLayer::Inline(values)] = &helm.values[..] else {
        panic!("{:?} is no inline layer", helm.values);
    };
    let tag = values.get("image").and_then(|image| image.at(&["tag"]));
    assert_eq!(tag.and_then(convoy_value::Value::as_str), Some("6.14.0"));
    assert_eq!(
        release.spec.source_ref,
        SourceRef::Git(GitRef::Branch("master".to_owned()))
    );
    assert_eq!(
        release.spec.ignored,
        [
            "spec.healthAssessment.globalRuleSetSelector",
            "spec.failurePolicy.rollback"
        ]
    );
    assert!(release.spec.unsupported.is_empty());
}

#[test]
fn a_chart_has_the_defaults_of_the_page_and_every_setting_is_read() {
    let content = |value: Json| read(with("/spec/content", value)).unwrap().spec.content;
    let defaults = Helm {
        include_crds: true,
        ..Helm::default()
    };
    assert_eq!(content(json!({"type": "helm"})), Content::Helm(defaults.clone()));
    assert_eq!(content(json!({"type": "helm", "helm": {}})), Content::Helm(defaults));
    let all = json!({"type": "helm", "helm": {
        "path": "charts/web", "releaseName": "shop", "releaseNamespace": "prod", "dependencyMode": "resolve",
        "capabilities": "cluster", "includeCRDs": false,
        "values": [
            {"type": "inline", "inline": {"n": 1, "off": null}}, {"type": "configMap", "configMap": {"name": "a"}},
            {"type": "secret", "secret": {"name": "a", "key": "prod", "optional": true}},
            {"type": "gitRepository", "gitRepository": {"name": "a", "path": "b", "ref": {"tag": "v1"}}},
        ],
    }});
    let inline = [("n", convoy_value::Value::from(1)), ("off", convoy_value::Value::Null)];
    let key = || ValuesKey {
        name: "a".to_owned(),
        key: "values.yaml".to_owned(),
        optional: false,
    };
    assert_eq!(
        content(all),
        Content::Helm(Helm {
            path: "charts/web".to_owned(),
            release_name: Some("shop".to_owned()),
            release_namespace: Some("prod".to_owned()),
            dependencies: DependencyMode::Resolve,
            capabilities: CapabilitiesMode::Cluster,
            include_crds: false,
            values: vec![
                ValuesLayer::Inline(inline.into_iter().collect()),
                ValuesLayer::ConfigMap(key()),
                ValuesLayer::Secret(ValuesKey {
                    key: "prod".to_owned(),
                    optional: true,
                    ..key()
                }),
                ValuesLayer::GitRepository(ValuesFile {
                    repository: "a".to_owned(),
                    reference: GitRef::Tag("v1".to_owned()),
                    path: "b".to_owned(),
                    optional: false,
                }),
            ],
        })
    );
    let kustomize = json!({"type": "kustomize", "kustomize": {"path": "a", "targetNamespace": "b"}});
    assert_eq!(
        content(kustomize),
        Content::Kustomize(Kustomize {
            path: "a".to_owned(),
            target_namespace: Some("b".to_owned())
        })
    );
}

#[test]
fn a_field_whose_behaviour_comes_later_is_never_passed_over_in_silence() {
    let unsupported = |pointer: &str, value: Json, path: &str| {
        assert_eq!(
            read(with(pointer, value)).unwrap().spec.unsupported,
            [path],
            "{pointer}"
        );
    };
    let hook = json!({"preSync": [{"name": "migrate", "job": {"template": {}}}]});
    unsupported("/spec/lifecycle", hook, "spec.lifecycle");
    unsupported(
        "/spec/syncPolicy",
        json!({"ignoreDifferences": [{"target": {"kind": "Deployment"}, "jsonPointers": ["/spec/replicas"]}]}),
        "spec.syncPolicy.ignoreDifferences",
    );
    let ignored = |pointer: &str, value: Json, path: &str| {
        let spec = read(with(pointer, value)).unwrap().spec;
        assert_eq!(
            (spec.ignored, spec.unsupported),
            (vec![path.to_owned()], vec![]),
            "{pointer}"
        );
    };
    ignored("/spec/syncPolicy", json!({"force": true}), "spec.syncPolicy.force");
    ignored(
        "/spec/healthAssessment",
        json!({"ruleSetSelector": {"matchLabels": {"a": "b"}}}),
        "spec.healthAssessment.ruleSetSelector",
    );
    ignored(
        "/spec/failurePolicy",
        json!({"rollback": "OnReleaseFailure"}),
        "spec.failurePolicy.rollback",
    );
    let removal = read(with(
        "/mutations",
        json!([{"type": "remove", "target": {"kind": "Job"}}]),
    ))
    .unwrap();
    let MutationAction::Unsupported { kind, settings } = &removal.mutations[0].action else {
        panic!("{:?}", removal.mutations);
    };
    assert_eq!(kind, "remove");
    assert_eq!(
        settings.at(&["target", "kind"]).and_then(convoy_value::Value::as_str),
        Some("Job")
    );
}

#[test]
fn what_an_old_definition_lets_pass_is_refused_with_its_path() {
    let check = |pointer: &str, value: Json, path: &str| {
        assert_eq!(read(with(pointer, value)).unwrap_err().path, path, "{pointer}");
    };
    let git = |reference: Json| json!({"type": "gitRepository", "gitRepository": {"name": "repo", "ref": reference}});
    let path = "spec.source.gitRepository.ref";
    check("/spec/source", git(json!({"branch": "a", "tag": "b"})), path);
    check(
        "/spec/source",
        json!({"type": "gitRepository"}),
        "spec.source.gitRepository",
    );
    check(
        "/spec/source",
        json!({"type": "helmRegistry"}),
        "spec.source.helmRegistry",
    );
    let oci = json!({"type": "ociRegistry", "ociRegistry": {"name": "a", "chart": "b"}});
    check("/spec/source", oci, "spec.source.ociRegistry");
    check("/spec/content", json!({"type": "manifests"}), "spec.content.manifests");
    check("/spec/clusterRef", json!({"name": "A_b"}), "spec.clusterRef.name");
    check(
        "/spec/dependsOn",
        json!([{"name": "ok"}, {"name": "no!"}]),
        "spec.dependsOn[1]",
    );
    check("/pin", json!({"renderRef": "sha256:12"}), "pin.renderRef");
    check("/mutations", json!([{"type": "syncWave"}]), "mutations[0].waveStrategy");
    let successful = json!({"revision": "a", "renderRef": "gone", "appliedAt": "2026-01-02T03:04:05Z"});
    check(
        "/status",
        json!({"lastSuccessful": successful}),
        "status.lastSuccessful.renderRef",
    );
}

#[test]
fn annotations_and_finalizer_are_read() {
    let annotation = |name: &str| format!("core.convoy.kumodo.io/{name}");
    let mut json = smallest();
    json["metadata"]["annotations"] = json!({
        annotation("sync-requested"): "sha256:ab@now", annotation("retry-requested"): "now",
        annotation("allow-prune"): "sha256:cd", annotation("adopt-store"): "true",
        annotation("accept-cluster"): "", annotation("skip-cluster-cleanup"): "yes",
    });
    json["metadata"]["finalizers"] = json!(["other", "core.convoy.kumodo.io/finalizer"]);
    json["metadata"]["deletionTimestamp"] = json!("2026-02-02T03:04:05Z");
    let release = read(json).unwrap();
    let found = &release.annotations;
    assert_eq!(found.sync_requested.as_deref(), Some("sha256:ab@now"));
    assert_eq!(found.retry_requested.as_deref(), Some("now"));
    assert_eq!(found.allow_prune.as_deref(), Some("sha256:cd"));
    assert_eq!(found.accept_cluster, None, "an empty annotation asks for nothing");
    assert!(
        found.adopt_store && !found.skip_cluster_cleanup,
        "only the word `true` is true"
    );
    assert!(release.has_finalizer && release.deleted.is_some());
}

#[test]
fn a_condition_of_a_later_version_does_not_stop_a_release() {
    let condition = |kind: &str, reason: &str| json!({"type": kind, "status": "True", "reason": reason, "lastTransitionTime": "2026-01-02T03:04:05Z"});
    let conditions = json!([
        condition("Ready", "Succeeded"),
        condition("Signed", "Succeeded"),
        condition("Applied", "Odd")
    ]);
    let release = read(with("/status", json!({"conditions": conditions}))).unwrap();
    let kinds: Vec<ConditionType> = release
        .status
        .conditions
        .iter()
        .map(|condition| condition.kind)
        .collect();
    assert_eq!(kinds, [ConditionType::Ready]);
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "a literal at each call reads better without a reference"
)]
fn git_source(spec: Json) -> convoy_domain::source::Source {
    let json = json!({
        "apiVersion": "source.convoy.kumodo.io/v1alpha1", "kind": "GitRepository",
        "metadata": {"name": "repo", "namespace": "apps", "uid": "uid-2", "generation": 2, "resourceVersion": "5"},
        "spec": spec,
    });
    git_repository(serde_json::from_value(json).unwrap()).unwrap()
}

#[test]
fn a_source_has_the_defaults_of_the_api() {
    let source = git_source(json!({"url": "https://example.invalid/a.git", "tls": {"insecureSkipVerify": true}}));
    assert_eq!(source.key.to_string(), "GitRepository apps/repo");
    assert_eq!(source.interval, Duration::from_mins(1));
    assert_eq!(source.min_sync_interval, Duration::from_secs(30));
    assert!(source.tls.insecure_skip_verify);
    assert!(source.unsupported.is_empty() && source.ignored.is_empty());
}

#[test]
fn every_field_of_a_git_repository_is_read() {
    let source = git_source(json!({
        "url": "https://example.invalid/a.git", "auth": {"type": "basic", "secretRef": {"name": "a"}},
        "proxyURL": "http://u:canary@proxy.invalid", "submodules": true, "webhookSecretRef": {"name": "b"},
        "verify": {"mode": "tag", "secretRef": {"name": "c"}}, "tls": {"caSecretRef": {"name": "d"}},
        "interval": "7m", "minSyncInterval": "3s", "timeout": "9s",
    }));
    assert!(source.unsupported.is_empty() && source.ignored.is_empty(), "{source:?}");
    assert_eq!(
        source.secrets,
        SecretRefs {
            credentials: Some((CredentialKind::Basic, "a".to_owned())),
            signature: Some((SignedSubject::Tag, "c".to_owned())),
            webhook: Some("b".to_owned()),
        }
    );
    assert_eq!(source.tls.ca_secret.as_deref(), Some("d"));
    let proxy = source.access.proxy.as_ref().map(|proxy| proxy.expose().as_str());
    assert_eq!(
        (proxy, source.access.submodules),
        (Some("http://u:canary@proxy.invalid"), true)
    );
    let times = [source.interval, source.min_sync_interval, source.timeout];
    assert_eq!(times, [420, 3, 9].map(Duration::from_secs));
    assert!(!format!("{source:?}").contains("canary"));
}

#[test]
fn every_kind_of_credentials_is_read() {
    let auth = |kind: &str| json!({"type": kind, "secretRef": {"name": "a"}});
    let object = |spec: Json| json!({"metadata": {"name": "r", "namespace": "apps"}, "spec": spec});
    let git = |kind: &str| git_source(json!({"url": "https://g.invalid", "auth": auth(kind)}));
    let helm = |kind: &str| {
        let spec = json!({"url": "https://h.invalid", "auth": auth(kind), "passCredentials": true});
        helm_registry(serde_json::from_value(object(spec)).unwrap()).unwrap()
    };
    let oci = |kind: &str| {
        let spec =
            json!({"url": "oci://o.invalid", "auth": auth(kind), "plainHTTP": true, "defaultContentType": "helm"});
        oci_registry(serde_json::from_value(object(spec)).unwrap()).unwrap()
    };
    for (source, expect) in [
        (git("basic"), CredentialKind::Basic),
        (git("token"), CredentialKind::Token),
        (git("ssh"), CredentialKind::Ssh),
        (git("githubApp"), CredentialKind::GitHubApp),
        (helm("basic"), CredentialKind::Basic),
        (helm("token"), CredentialKind::Token),
        (helm("clientCertificate"), CredentialKind::ClientCertificate),
        (oci("basic"), CredentialKind::Basic),
        (oci("token"), CredentialKind::Token),
        (oci("dockerConfig"), CredentialKind::DockerConfig),
    ] {
        assert_eq!(source.secrets.credentials, Some((expect, "a".to_owned())));
        assert!(source.unsupported.is_empty() && source.ignored.is_empty());
    }
    assert!(helm("basic").access.pass_credentials && oci("basic").access.plain_http);
}

#[test]
fn a_source_that_an_old_definition_lets_pass_is_refused_with_its_path() {
    let check = |field: &str, value: Json, path: &str| {
        let mut spec = json!({"url": "https://example.invalid/a.git"});
        spec[field] = value;
        let json = json!({"metadata": {"name": "repo", "namespace": "apps"}, "spec": spec});
        let error = git_repository(serde_json::from_value(json).unwrap()).unwrap_err();
        assert_eq!(error.path, path);
    };
    check("auth", json!({"type": "basic"}), "spec.auth.secretRef");
    check(
        "auth",
        json!({"type": "none", "secretRef": {"name": "a"}}),
        "spec.auth.secretRef",
    );
    check(
        "auth",
        json!({"type": "token", "secretRef": {"name": "../a"}}),
        "spec.auth.secretRef",
    );
    check("verify", json!({"mode": "head"}), "spec.verify.secretRef");
    check("tls", json!({"caSecretRef": {"name": ""}}), "spec.tls.caSecretRef");
    check("webhookSecretRef", json!({"name": "A"}), "spec.webhookSecretRef");
}

#[test]
fn no_custom_resource_prints_the_password_of_a_url() {
    let git = json!({"metadata": {"name": "r"}, "spec": {"url": "https://u:canary@g.invalid/a", "proxyURL": "http://u:canary@p"}});
    let helm = json!({"metadata": {"name": "r"}, "spec": {"url": "https://u:canary@h.invalid/a"}});
    let oci =
        json!({"metadata": {"name": "r"}, "spec": {"url": "oci://u:canary@h.invalid/a", "defaultContentType": "helm"}});
    let cluster = json!({"metadata": {"name": "r"}, "spec": {"inCluster": true, "proxyURL": "http://u:canary@p"}});
    let printed = [
        format!(
            "{:?}",
            serde_json::from_value::<crd::GitRepository>(git.clone()).unwrap()
        ),
        format!("{:?}", serde_json::from_value::<crd::HelmRegistry>(helm).unwrap()),
        format!("{:?}", serde_json::from_value::<crd::OCIRegistry>(oci).unwrap()),
        format!("{:?}", serde_json::from_value::<crd::Cluster>(cluster).unwrap()),
    ];
    for text in printed {
        assert!(text.contains("://") && !text.contains("canary"), "{text}");
    }
    let read: crd::GitRepository = serde_json::from_value(git.clone()).unwrap();
    assert_eq!(
        serde_json::to_value(read).unwrap().pointer("/spec/url"),
        git.pointer("/spec/url")
    );
}

#[test]
fn the_sample_source_is_understood() {
    let text = include_str!("../../fixtures/git-repository.json");
    let source = git_repository(serde_json::from_str(text).unwrap()).unwrap();
    assert_eq!(source.url, "https://github.com/stefanprodan/podinfo.git");
    assert_eq!(source.interval, Duration::from_mins(1));
    assert!(source.unsupported.is_empty() && source.ignored.is_empty());
}

#[test]
fn the_status_of_a_source_comes_back() {
    let status = SourceStatus {
        observed_generation: 2,
        ready: Truth::False,
        reason: SourceReason::TlsFailed,
        message: "unknown issuer".to_owned(),
        last_verified: Some("2026-01-02T03:04:05.123456789Z".parse().unwrap()),
        last_transition: "2026-01-01T00:00:00Z".parse().unwrap(),
        endpoint: "https://example.invalid/a.git".to_owned(),
    };
    let json = json!({
        "apiVersion": "source.convoy.kumodo.io/v1alpha1", "kind": "GitRepository",
        "metadata": {"name": "repo", "namespace": "apps"}, "spec": {"url": "https://example.invalid/a.git"},
        "status": source_status(&status),
    });
    let source = git_repository(serde_json::from_value(json).unwrap()).unwrap();
    assert_eq!(source.status, Some(status));
}

#[test]
fn a_cluster_has_one_connection() {
    let read = |spec: Json| {
        let json = json!({
            "apiVersion": "core.convoy.kumodo.io/v1alpha1", "kind": "Cluster",
            "metadata": {"name": "here", "namespace": "apps"}, "spec": spec,
        });
        cluster(serde_json::from_value(json).unwrap())
    };
    assert_eq!(
        read(json!({"inCluster": true})).unwrap().connection,
        Connection::InCluster
    );
    let kubeconfig = json!({"secretRef": {"name": "far"}});
    let (secret, key) = ("far".to_owned(), "kubeconfig".to_owned());
    let far = read(json!({"kubeconfig": kubeconfig, "proxyURL": "http://p.invalid"})).unwrap();
    assert_eq!(far.connection, Connection::Kubeconfig { secret, key });
    assert_eq!(far.unsupported, ["spec.proxyURL"]);
    for wrong in [
        json!({}),
        json!({"inCluster": false}),
        json!({"inCluster": true, "kubeconfig": kubeconfig}),
    ] {
        assert_eq!(read(wrong).unwrap_err().path, "spec");
    }
}

#[test]
fn a_part_of_an_inventory_comes_back_and_is_owned() {
    let part = InventoryPart {
        release: NamespacedName::new("apps", "web").unwrap(),
        release_uid: "uid-1".to_owned(),
        part: 2,
        cluster_id: "c".to_owned(),
        resource_version: "9".to_owned(),
        objects: vec![InventoryEntry {
            id: ObjectId {
                group: "apps".to_owned(),
                kind: "Deployment".to_owned(),
                namespace: "web".to_owned(),
                name: "front".to_owned(),
            },
            version: "v1".to_owned(),
            uid: "uid-9".to_owned(),
            wave: -3,
            render_ref: RenderRef::from_digest([7; 32]),
            adopted: true,
        }],
    };
    let object = inventory(&part);
    assert_eq!(object.metadata.name.as_deref(), Some("web-2"));
    let owner = &object.metadata.owner_references.as_ref().unwrap()[0];
    assert_eq!((owner.kind.as_str(), owner.uid.as_str()), ("Release", "uid-1"));
    assert_eq!(
        object.metadata.finalizers.as_deref(),
        Some(&["core.convoy.kumodo.io/finalizer".to_owned()][..])
    );
    let json = serde_json::to_value(&object).unwrap();
    assert_eq!(inventory_part(serde_json::from_value(json).unwrap()), Ok(part));
}

#[test]
fn a_message_beyond_the_schemas_bound_is_cut_between_characters() {
    let mut status = ReleaseStatus::default();
    status.conditions.push(Condition {
        kind: ConditionType::Ready,
        truth: Truth::False,
        reason: Reason::RenderFailed,
        message: format!("a{}", "é".repeat(20_000)),
        observed_generation: 1,
        last_transition: Timestamp::UNIX_EPOCH,
    });
    let message = &release_status(&status).conditions[0].message;
    assert_eq!(message.len(), 32_767);
}

#[test]
fn a_live_object_that_is_nested_too_deeply_is_refused() {
    let mut json = json!({});
    for _ in 0..250 {
        json = json!({ "a": json });
    }
    let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "data": json});
    assert!(object_from_json(object).is_err());
    assert!(object_from_json(json!({"apiVersion": "v1"})).is_err());
    assert!(object_from_json(json!({"apiVersion": "v1", "kind": "ConfigMap"})).is_ok());
}

fn texts() -> impl Strategy<Value = String> {
    "[a-zA-Zäö \"\\n]{0,12}"
}

fn times() -> impl Strategy<Value = Timestamp> {
    (0_i64..4_000_000_000, 0_i32..1_000_000_000)
        .prop_map(|(second, nanosecond)| Timestamp::new(second, nanosecond).unwrap())
}

fn renders() -> impl Strategy<Value = RenderRef> {
    any::<[u8; 32]>().prop_map(RenderRef::from_digest)
}

fn one_of<T: Copy + std::fmt::Debug + 'static>(all: &'static [T]) -> impl Strategy<Value = T> {
    proptest::sample::select(all)
}

fn attempts() -> impl Strategy<Value = Attempt> {
    let failure = (
        one_of(Stage::ALL),
        one_of(Reason::ALL),
        texts(),
        any::<u32>(),
        option::of(times()),
    )
        .prop_map(|(stage, reason, message, retries, next_retry)| AttemptFailure {
            failure: Failure { stage, reason, message },
            retries,
            next_retry,
        });
    let lists = || proptest::collection::vec(texts(), 0..3);
    let inputs = (texts(), lists(), lists(), texts()).prop_map(|(source, values, mutations, fingerprint)| Inputs {
        source,
        values,
        mutations,
        fingerprint,
    });
    (
        option::of(texts().prop_map(Revision)),
        option::of(renders()),
        one_of(Phase::ALL),
        times(),
        option::of(times()),
        option::of(failure),
        inputs,
    )
        .prop_map(
            |(revision, render_ref, phase, started, finished, failure, inputs)| Attempt {
                revision,
                render_ref,
                phase,
                started,
                finished,
                failure,
                inputs,
            },
        )
}

fn rollouts() -> impl Strategy<Value = Rollout> {
    let waiting = (texts(), texts(), texts()).prop_map(|(object, health, message)| Waiting {
        object,
        health,
        message,
    });
    (
        renders(),
        one_of(RolloutStep::ALL),
        any::<(u32, u32)>(),
        times(),
        option::of(times()),
        proptest::collection::vec(waiting, 0..3),
    )
        .prop_map(
            |(render_ref, step, (wave, waves), started, wave_applied, waiting_for)| Rollout {
                render_ref,
                step,
                wave,
                waves,
                started,
                wave_applied,
                waiting_for,
            },
        )
}

fn conditions() -> impl Strategy<Value = Vec<Condition>> {
    let details = (
        one_of(Truth::ALL),
        one_of(Reason::ALL),
        texts(),
        0_i64..1_000_000,
        times(),
    );
    let of_kind = option::of(details);
    proptest::collection::vec(of_kind, ConditionType::ALL.len()).prop_map(|found| {
        ConditionType::ALL
            .iter()
            .zip(found)
            .filter_map(|(kind, details)| {
                details.map(
                    |(truth, reason, message, observed_generation, last_transition)| Condition {
                        kind: *kind,
                        truth,
                        reason,
                        message,
                        observed_generation,
                        last_transition,
                    },
                )
            })
            .collect()
    })
}

fn statuses() -> impl Strategy<Value = ReleaseStatus> {
    let applied = (texts(), renders(), times(), any::<u32>()).prop_map(|(revision, render_ref, at, objects)| Applied {
        revision: Revision(revision),
        render_ref,
        at,
        objects,
    });
    let healthy = (texts(), renders(), times()).prop_map(|(revision, render_ref, at)| HealthyRender {
        revision: Revision(revision),
        render_ref,
        at,
    });
    let retention = any::<(i64, u32)>().prop_map(|(keep_history, history_count)| Retention {
        keep_history,
        history_count,
    });
    let inventory =
        (any::<(u32, u32, u32)>(), texts()).prop_map(|((objects, parts, pruned), cluster_id)| InventorySummary {
            objects,
            parts,
            pruned,
            cluster_id,
        });
    (
        (
            0_i64..1_000_000,
            texts(),
            texts(),
            texts(),
            proptest::collection::vec(texts(), 0..3),
        ),
        conditions(),
        option::of(attempts()),
        option::of(applied),
        option::of(healthy),
        option::of(rollouts()),
        option::of(retention),
        option::of(inventory),
    )
        .prop_map(
            |(first, conditions, last_attempted, last_successful, last_healthy, rollout, retention, inventory)| {
                let (observed_generation, shard, sync, retry, warnings) = first;
                ReleaseStatus {
                    observed_generation,
                    shard,
                    last_handled_sync_request: sync,
                    last_handled_retry_request: retry,
                    warnings,
                    conditions,
                    last_attempted,
                    last_successful,
                    last_healthy,
                    rollout,
                    retention,
                    inventory,
                }
            },
        )
}

proptest! {
    #[test]
    fn a_status_survives_the_api_without_loss(status in statuses()) {
        let json = serde_json::to_string(&release_status(&status)).unwrap();
        let read: crd::ReleaseStatus = serde_json::from_str(&json).unwrap();
        prop_assert_eq!(release_status_from(&read), Ok(status));
    }

    #[test]
    fn no_damage_to_a_release_panics(at in any::<proptest::sample::Index>(), value in damages()) {
        let mut json: Json = serde_json::from_str(include_str!("../../fixtures/release.json")).unwrap();
        json["status"] = serde_json::to_value(release_status(&ReleaseStatus::default())).unwrap();
        let places = pointers(&json);
        *json.pointer_mut(&places[at.index(places.len())]).unwrap() = value;
        if let Ok(object) = serde_json::from_value(json) {
            let _ = release(object);
        }
    }
}

/// Values where others are expected.
fn damages() -> impl Strategy<Value = Json> {
    prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        "\\PC{0,20}".prop_map(Json::from),
        Just(json!([])),
        Just(json!({})),
    ]
}

/// Pointers to every value below the root.
fn pointers(json: &Json) -> Vec<String> {
    fn walk(path: &str, json: &Json, found: &mut Vec<String>) {
        let mut below = |key: &str, value: &Json| {
            let key = key.replace('~', "~0").replace('/', "~1");
            let path = format!("{path}/{key}");
            walk(&path, value, found);
            found.push(path);
        };
        match json {
            Json::Object(members) => members.iter().for_each(|(key, value)| below(key, value)),
            Json::Array(items) => items
                .iter()
                .enumerate()
                .for_each(|(key, value)| below(&key.to_string(), value)),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
        }
    }
    let mut found = Vec::new();
    walk("", json, &mut found);
    found
}
