//! Every rule of the definitions: one object that keeps it and one that breaks it.

use kube::api::{ApiResource, DynamicObject, Patch, PatchParams, PostParams};
use kube::{Api, Client, Resource};
use serde_json::{Value, json};

use super::Server;
use convoy_kube::crd;

mod tables;

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

pub(crate) async fn check(server: &Server) {
    let namespace = server.namespace().await;
    for (kind, pointer, good, bad, says) in tables::all() {
        let answer = complaint(&server.client, &namespace, kind, with(kind, pointer, good.clone())).await;
        assert_eq!(answer, None, "{pointer} {good}");
        let answer = complaint(&server.client, &namespace, kind, with(kind, pointer, bad.clone())).await;
        assert!(
            answer.as_ref().is_some_and(|text| text.contains(says)),
            "{pointer} {bad}: {answer:?}"
        );
    }
    check_samples(server).await;
    check_what_cannot_change(server, &namespace).await;
}

/// The sample objects of the documentation are accepted as they are.
async fn check_samples(server: &Server) {
    for (resource, text) in [
        (Kind::Release.resource(), include_str!("../../fixtures/release.json")),
        (
            Kind::GitRepository.resource(),
            include_str!("../../fixtures/git-repository.json"),
        ),
    ] {
        let sample: Value = serde_json::from_str(text).unwrap();
        let name = sample.pointer("/metadata/name").and_then(Value::as_str).unwrap();
        let api: Api<DynamicObject> = Api::namespaced_with(server.client.clone(), "default", &resource);
        let stored = api
            .patch(name, &PatchParams::apply("test"), &Patch::Apply(&sample))
            .await
            .unwrap();
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
    releases
        .patch("fixed", &parameters, &Patch::Merge(&change("here")))
        .await
        .unwrap();
    let refused = releases
        .patch("fixed", &parameters, &Patch::Merge(&change("there")))
        .await
        .unwrap_err();
    assert!(
        refused.to_string().contains("clusterRef cannot be changed"),
        "{refused}"
    );

    let inventories: Api<crd::ReleaseInventory> = Api::namespaced(server.client.clone(), namespace);
    let inventory: crd::ReleaseInventory = serde_json::from_value(json!({
        "metadata": {"name": "fixed-0"},
        "spec": {"releaseRef": {"name": "fixed", "uid": "u"}, "part": 0, "clusterID": "c", "objects": []},
    }))
    .unwrap();
    inventories.create(&PostParams::default(), &inventory).await.unwrap();
    let change = json!({"spec": {"releaseRef": {"name": "other"}}});
    let refused = inventories
        .patch("fixed-0", &parameters, &Patch::Merge(&change))
        .await
        .unwrap_err();
    assert!(
        refused.to_string().contains("releaseRef cannot be changed"),
        "{refused}"
    );
}
