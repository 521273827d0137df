//! Every rule of the definitions: one object that keeps it and one that breaks it.

use kube::api::{ApiResource, DynamicObject, Patch, PatchParams, PostParams};
use kube::{Api, Client, Resource};
use serde_json::{Value, json};

use super::Server;
use convoy_kube::crd;

/// An object of each kind with one member replaced.
#[derive(Clone, Copy)]
enum Kind {
    Release,
    GitRepository,
    HelmRegistry,
    OciRegistry,
    Cluster,
    HealthRuleSet,
    ReleaseSet,
}

impl Kind {
    fn resource(self) -> ApiResource {
        fn of<K: Resource<DynamicType = ()>>() -> ApiResource {
            ApiResource::erase::<K>(&())
        }
        match self {
            Self::Release => of::<crd::Release>(),
            Self::GitRepository => of::<crd::GitRepository>(),
            Self::HelmRegistry => of::<crd::HelmRegistry>(),
            Self::OciRegistry => of::<crd::OCIRegistry>(),
            Self::Cluster => of::<crd::Cluster>(),
            Self::HealthRuleSet => of::<crd::HealthRuleSet>(),
            Self::ReleaseSet => of::<crd::ReleaseSet>(),
        }
    }

    /// The members of the smallest valid object.
    fn smallest(self) -> Value {
        let release = json!({
            "source": {"type": "gitRepository", "gitRepository": {"name": "repo"}},
            "content": {"type": "manifests", "manifests": {"paths": ["."]}},
        });
        match self {
            Self::Release => {
                let mut spec = release;
                spec["clusterRef"] = json!({"name": "here"});
                json!({ "spec": spec })
            }
            Self::GitRepository => json!({"spec": {"url": "https://example.invalid/a.git"}}),
            Self::HelmRegistry => json!({"spec": {"url": "https://example.invalid/charts"}}),
            Self::OciRegistry => json!({"spec": {"url": "oci://example.invalid", "defaultContentType": "helm"}}),
            Self::Cluster => json!({"spec": {"inCluster": true}}),
            Self::HealthRuleSet => {
                json!({"spec": {"rules": [{"target": {"kind": "Widget"}, "healthy": "object.status.ok"}]}})
            }
            Self::ReleaseSet => json!({"spec": {"clusterSelector": {}, "template": {"spec": release}}}),
        }
    }
}

/// Sets `pointer` in the smallest object of the kind.
fn with(kind: Kind, pointer: &str, value: Value) -> Value {
    let mut object = kind.smallest();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    object
        .pointer_mut(parent)
        .unwrap_or_else(|| panic!("{parent} exists"))
        .as_object_mut()
        .unwrap()
        .insert(key.to_owned(), value);
    object
}

/// Applies without storing anything; answers what the server complains of.
async fn complaint(client: &Client, namespace: &str, kind: Kind, members: Value) -> Option<String> {
    let resource = kind.resource();
    let api: Api<DynamicObject> = Api::namespaced_with(client.clone(), namespace, &resource);
    let mut object = DynamicObject::new("a", &resource);
    object.data = members;
    let dry_run = PostParams {
        dry_run: true,
        ..PostParams::default()
    };
    match api.create(&dry_run, &object).await {
        Ok(_) => None,
        Err(kube::Error::Api(status)) if status.code == 422 => Some(status.message),
        Err(error) => panic!("neither accepted nor refused by a rule: {error:?}"),
    }
}

/// A rule: where, what keeps it, what breaks it, and a part of what is said then.
type Rule = (Kind, &'static str, Value, Value, &'static str);

fn rules_of_sources_of_releases() -> Vec<Rule> {
    let git = |reference: Value| json!({"type": "gitRepository", "gitRepository": {"name": "repo", "ref": reference}});
    let oci = |more: Value| {
        let mut block = json!({"name": "reg", "chart": "charts/web"});
        block.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"type": "ociRegistry", "ociRegistry": block})
    };
    let helm = json!({"name": "reg", "chart": "web", "version": "1.x"});
    let spec = |source: &Value, content: Value| json!({"clusterRef": {"name": "here"}, "source": source, "content": content});
    let from_helm = json!({"type": "helmRegistry", "helmRegistry": helm});
    let hex = "0123456789abcdef0123456789abcdef01234567";
    let sha = format!("sha256:{}", "0f".repeat(32));
    let (a, r) = ("/spec/source", Kind::Release);
    vec![
        (r, a, git(json!({})), json!({"type": "gitRepository"}), "exactly the block"),
        (r, a, git(json!({"branch": "main"})), json!({"type": "gitRepository", "helmRegistry": helm}), "exactly the block"),
        (r, "/spec", spec(&from_helm, json!({"type": "helm"})), spec(&from_helm, json!({"type": "kustomize"})), "helm content only"),
        (
            r,
            "/spec",
            spec(&git(json!({})), json!({"type": "helm", "helm": {"path": "charts/web"}})),
            spec(&from_helm, json!({"type": "helm", "helm": {"path": "charts/web"}})),
            "gitRepository sources only",
        ),
        (r, a, git(json!({"branch": "a/b"})), git(json!({"branch": "a", "tag": "b"})), "at most one"),
        (r, a, git(json!({"commit": hex})), git(json!({"commit": hex, "semver": "1"})), "at most one"),
        (r, a, git(json!({"commit": format!("{hex}{}", &hex[..24])})), git(json!({"commit": "0123"})), "commit"),
        (r, a, git(json!({"tag": "v1.0"})), git(json!({"tag": "--upload-pack=x"})), "tag"),
        (r, a, oci(json!({"version": "1.0"})), oci(json!({})), "exactly one of version and digest"),
        (r, a, oci(json!({"digest": sha})), oci(json!({"version": "1", "digest": sha})), "exactly one of version and digest"),
        (
            Kind::ReleaseSet,
            "/spec/template/spec",
            json!({"source": from_helm, "content": {"type": "helm"}}),
            json!({"source": from_helm, "content": {"type": "kustomize"}}),
            "helm content only",
        ),
    ]
}

fn rules_of_releases() -> Vec<Rule> {
    let helm = |layer: Value| json!({"type": "helm", "helm": {"values": [layer]}});
    let manifests = json!({"type": "manifests", "manifests": {"paths": ["a", "b/c.yaml"]}});
    let hook = |body: Value| {
        let mut hook = json!({"name": "migrate"});
        hook.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
        json!({"preSync": [hook]})
    };
    let job = json!({"template": {"spec": {"containers": []}}});
    let object = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}});
    let selector = |requirement: Value| json!({"ruleSetSelector": {"matchExpressions": [requirement]}});
    let sha = format!("sha256:{}", "0f".repeat(32));
    let r = Kind::Release;
    vec![
        (r, "/spec/content", manifests.clone(), json!({"type": "manifests"}), "only the block"),
        (r, "/spec/content", json!({"type": "kustomize"}), json!({"type": "helm", "kustomize": {}}), "only the block"),
        (r, "/spec/content", manifests, json!({"type": "manifests", "manifests": {"paths": []}}), "paths"),
        (r, "/spec/content", helm(json!({"type": "inline", "inline": {"a": {"b": [1]}}})), helm(json!({"type": "inline"})), "exactly the block"),
        (
            r,
            "/spec/content",
            helm(json!({"type": "secret", "secret": {"name": "a"}})),
            helm(json!({"type": "secret", "configMap": {"name": "a"}})),
            "exactly the block",
        ),
        (r, "/spec/syncPolicy", json!({"interval": "1h30m"}), json!({"interval": "1ms"}), "interval must be at least 1s"),
        (r, "/spec/syncPolicy", json!({"interval": "1.5s"}), json!({"interval": "1 day"}), "interval"),
        (r, "/spec/syncPolicy", json!({"timeout": "1s"}), json!({"timeout": "0"}), "timeout must be at least 1s"),
        (r, "/spec/syncPolicy", json!({"retryBackoff": {}}), json!({"retryBackoff": {"base": "0s"}}), "base must be longer"),
        (r, "/spec/syncPolicy", json!({"retryBackoff": {"base": "1s", "max": "1s"}}), json!({"retryBackoff": {"base": "1m", "max": "1s"}}), "max must not be shorter"),
        (
            r,
            "/spec/syncPolicy",
            json!({"ignoreDifferences": [{"target": {"kind": "*"}, "jsonPointers": ["/spec/a~1b"]}]}),
            json!({"ignoreDifferences": [{"target": {"kind": "*"}}]}),
            "jsonPointers or managers",
        ),
        (
            r,
            "/spec/syncPolicy",
            json!({"ignoreDifferences": [{"managers": ["hpa"]}]}),
            json!({"ignoreDifferences": [{"jsonPointers": ["spec"]}]}),
            "jsonPointers",
        ),
        (r, "/spec/lifecycle", hook(json!({"job": job})), hook(json!({})), "exactly one of job and object"),
        (r, "/spec/lifecycle", hook(json!({"object": object})), hook(json!({"object": object, "job": job})), "exactly one of job and object"),
        (
            r,
            "/spec/healthAssessment",
            selector(json!({"key": "a", "operator": "In", "values": ["b"]})),
            selector(json!({"key": "a", "operator": "In"})),
            "need values",
        ),
        (
            r,
            "/spec/healthAssessment",
            selector(json!({"key": "a", "operator": "Exists"})),
            selector(json!({"key": "a", "operator": "Exists", "values": ["b"]})),
            "need values",
        ),
        (r, "/spec/failurePolicy", json!({"rollback": "OnReleaseFailure"}), json!({"rollback": "Always"}), "rollback"),
        (r, "/spec/retentionPolicy", json!({"keepHistory": -1}), json!({"keepHistory": "ten"}), "keepHistory"),
        (r, "/spec/dependsOn", json!([{"name": "a.b", "namespace": "c"}]), json!([{"name": "A"}]), "dependsOn"),
        (r, "/spec/clusterRef", json!({"name": "here"}), json!({}), "name"),
        (r, "/pin", json!({"renderRef": sha}), json!({"renderRef": "sha256:0F"}), "renderRef"),
    ]
}

fn rules_of_mutations() -> Vec<Rule> {
    let one = |mutation: Value| json!([mutation]);
    let git = json!({"kind": "GitRepository", "name": "a", "path": "p.yaml"});
    let patch = json!({"spec": {"replicas": "${release.name}"}});
    let rule = |good: Value, bad: Value, says: &'static str| (Kind::Release, "/mutations", one(good), one(bad), says);
    let matching = "exactly the block";
    let patches = "exactly one of strategicMerge";
    vec![
        rule(json!({"type": "syncWave", "waveStrategy": {"wave": -1}}), json!({"type": "syncWave"}), matching),
        rule(json!({"type": "labels", "labels": {"set": {"a": "b"}}}), json!({"type": "labels", "annotations": {}}), matching),
        rule(json!({"type": "annotations", "annotations": {"remove": ["a"]}}), json!({"type": "annotations"}), matching),
        rule(json!({"type": "replicas", "replicas": 0}), json!({"type": "replicas"}), matching),
        rule(json!({"type": "namespace", "namespace": "web"}), json!({"type": "namespace"}), matching),
        rule(json!({"type": "remove", "target": {"kind": "Job"}}), json!({"type": "remove", "namespace": "web"}), matching),
        rule(json!({"type": "set", "set": {"pointer": "/a", "value": "1"}}), json!({"type": "set"}), matching),
        rule(json!({"type": "image", "image": {"name": "a", "newTag": "1"}}), json!({"type": "image", "image": {"name": "a"}}), "newName, newTag or digest"),
        rule(json!({"type": "patch", "strategicMerge": patch, "templated": true}), json!({"type": "patch"}), patches),
        rule(json!({"type": "patch", "from": git}), json!({"type": "patch", "from": git, "strategicMerge": patch}), patches),
        rule(
            json!({"type": "patch", "json6902": [{"op": "add", "path": "/a", "value": [1, {"b": null}]}]}),
            json!({"type": "patch", "json6902": [{"op": "put", "path": "/a"}]}),
            "op",
        ),
        rule(json!({"type": "remove"}), json!({"type": "remove", "strategicMerge": patch}), patches),
        rule(json!({"type": "remove"}), json!({"type": "remove", "templated": true}), patches),
        rule(
            json!({"type": "patch", "from": {"kind": "Secret", "name": "a", "key": "k"}}),
            json!({"type": "patch", "from": {"kind": "Secret", "name": "a", "path": "k"}}),
            "a GitRepository needs path",
        ),
        rule(
            json!({"type": "patch", "from": {"kind": "GitRepository", "name": "a", "path": "p", "ref": {"tag": "v1"}}}),
            json!({"type": "patch", "from": {"kind": "ConfigMap", "name": "a", "key": "p", "ref": {"tag": "v1"}}}),
            "a GitRepository needs path",
        ),
        rule(
            json!({"type": "remove", "target": {"group": "", "version": "*", "kind": "*", "name": "system:node", "labelSelector": "a in (b)"}}),
            json!({"type": "remove", "target": {"kind": "a/b"}}),
            "kind",
        ),
    ]
}

fn rules_of_other_kinds() -> Vec<Rule> {
    let secret = json!({"name": "a"});
    let git = Kind::GitRepository;
    let (helm, oci, cluster) = (Kind::HelmRegistry, Kind::OciRegistry, Kind::Cluster);
    let kubeconfig = json!({"secretRef": {"name": "a"}});
    let auth = |kind: &str| json!({"type": kind, "secretRef": secret});
    let needs = "secretRef must be set";
    let group = |more: Value| {
        let mut group = json!({"name": "first", "clusterSelector": {}});
        group.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"groups": [group]})
    };
    vec![
        (git, "/spec/url", json!("ssh://git@example.invalid/a"), json!("ext::sh -c x"), "url"),
        (git, "/spec/auth", auth("githubApp"), json!({"type": "token"}), needs),
        (git, "/spec/auth", json!({"type": "none"}), auth("none"), needs),
        (git, "/spec/auth", auth("ssh"), auth("dockerConfig"), "type"),
        (git, "/spec/verify", json!({"mode": "head", "secretRef": secret}), json!({"mode": "head"}), needs),
        (git, "/spec/interval", json!("1s"), json!("999ms"), "interval must be at least 1s"),
        (git, "/spec/timeout", json!("1s"), json!("0s"), "timeout must be at least 1s"),
        (helm, "/spec/url", json!("http://example.invalid"), json!("oci://example.invalid"), "url"),
        (helm, "/spec/auth", auth("clientCertificate"), json!({"type": "basic"}), needs),
        (helm, "/spec/interval", json!("1s"), json!("0"), "interval must be at least 1s"),
        (helm, "/spec/timeout", json!("1s"), json!("0"), "timeout must be at least 1s"),
        (oci, "/spec/url", json!("oci://example.invalid/a"), json!("https://example.invalid"), "url"),
        (oci, "/spec/auth", auth("dockerConfig"), json!({"type": "dockerConfig"}), needs),
        (oci, "/spec/interval", json!("1s"), json!("0"), "interval must be at least 1s"),
        (oci, "/spec/timeout", json!("1s"), json!("0"), "timeout must be at least 1s"),
        (oci, "/spec/defaultContentType", json!("manifests"), json!("tar"), "defaultContentType"),
        (cluster, "/spec", json!({"kubeconfig": kubeconfig}), json!({}), "exactly one of inCluster"),
        (cluster, "/spec", json!({"inCluster": true}), json!({"inCluster": false}), "exactly one of inCluster"),
        (cluster, "/spec", json!({"inCluster": false, "kubeconfig": kubeconfig}), json!({"inCluster": true, "kubeconfig": kubeconfig}), "exactly one of inCluster"),
        (
            Kind::HealthRuleSet,
            "/spec/rules",
            json!([{"target": {"kind": "A"}, "degraded": "false"}]),
            json!([{"target": {"kind": "A"}, "message": "'x'"}]),
            "healthy, progressing or degraded",
        ),
        (Kind::ReleaseSet, "/spec/rollout", group(json!({"maxParallel": "25%", "pause": "approval"})), group(json!({"maxParallel": "25"})), "maxParallel"),
        (Kind::ReleaseSet, "/spec/rollout", group(json!({"maxParallel": 3, "pause": "10m"})), group(json!({"pause": "later"})), "pause"),
    ]
}

pub(crate) async fn check(server: &Server) {
    let namespace = server.namespace().await;
    let all = [
        rules_of_sources_of_releases(),
        rules_of_releases(),
        rules_of_mutations(),
        rules_of_other_kinds(),
    ];
    for (kind, pointer, good, bad, says) in all.into_iter().flatten() {
        let answer = complaint(&server.client, &namespace, kind, with(kind, pointer, good.clone())).await;
        assert_eq!(answer, None, "{pointer} {good}");
        let answer = complaint(&server.client, &namespace, kind, with(kind, pointer, bad.clone())).await;
        assert!(answer.as_ref().is_some_and(|text| text.contains(says)), "{pointer} {bad}: {answer:?}");
    }
    check_samples(server).await;
    check_what_cannot_change(server, &namespace).await;
}

/// The sample objects of the documentation are accepted as they are.
async fn check_samples(server: &Server) {
    for (resource, text) in [
        (Kind::Release.resource(), include_str!("../../fixtures/release.json")),
        (Kind::GitRepository.resource(), include_str!("../../fixtures/git-repository.json")),
    ] {
        let sample: Value = serde_json::from_str(text).unwrap();
        let name = sample.pointer("/metadata/name").and_then(Value::as_str).unwrap();
        let api: Api<DynamicObject> = Api::namespaced_with(server.client.clone(), "default", &resource);
        let stored = api.patch(name, &PatchParams::apply("test"), &Patch::Apply(&sample)).await.unwrap();
        let stored = serde_json::to_value(stored).unwrap();
        assert_contains(&stored, &sample, name);
    }
}

/// Whether every member of `part` is in `whole`: defaults may be added, nothing may be pruned.
fn assert_contains(whole: &Value, part: &Value, path: &str) {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => {
            for (key, value) in part {
                let found = whole.get(key).unwrap_or_else(|| panic!("{path}.{key} was pruned"));
                assert_contains(found, value, &format!("{path}.{key}"));
            }
        }
        (Value::Array(whole), Value::Array(part)) => {
            assert_eq!(whole.len(), part.len(), "{path}");
            for (whole, part) in whole.iter().zip(part) {
                assert_contains(whole, part, path);
            }
        }
        _ => assert_eq!(whole, part, "{path}"),
    }
}

async fn check_what_cannot_change(server: &Server, namespace: &str) {
    let releases: Api<crd::Release> = Api::namespaced(server.client.clone(), namespace);
    let mut release = Kind::Release.smallest();
    release["apiVersion"] = "core.convoy.kumodo.io/v1alpha1".into();
    release["kind"] = "Release".into();
    release["metadata"] = json!({"name": "fixed"});
    releases
        .patch("fixed", &PatchParams::apply("test"), &Patch::Apply(&release))
        .await
        .unwrap();
    let change = |name: &str| json!({"spec": {"clusterRef": {"name": name}, "suspend": true}});
    let parameters = PatchParams::default();
    releases.patch("fixed", &parameters, &Patch::Merge(&change("here"))).await.unwrap();
    let refused = releases.patch("fixed", &parameters, &Patch::Merge(&change("there"))).await.unwrap_err();
    assert!(refused.to_string().contains("clusterRef cannot be changed"), "{refused}");

    let inventories: Api<crd::ReleaseInventory> = Api::namespaced(server.client.clone(), namespace);
    let inventory: crd::ReleaseInventory = serde_json::from_value(json!({
        "metadata": {"name": "fixed-0"},
        "spec": {"releaseRef": {"name": "fixed", "uid": "u"}, "part": 0, "clusterID": "c", "objects": []},
    }))
    .unwrap();
    inventories.create(&PostParams::default(), &inventory).await.unwrap();
    let change = json!({"spec": {"releaseRef": {"name": "other"}}});
    let refused = inventories.patch("fixed-0", &parameters, &Patch::Merge(&change)).await.unwrap_err();
    assert!(refused.to_string().contains("releaseRef cannot be changed"), "{refused}");
}
