//! The watches themselves. Objects are read without their types, so that one that breaks a rule stops no watch.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::time::Duration;

use convoy_domain::id::NamespacedName;
use convoy_domain::names::PREFIX;
use convoy_domain::source::{SourceKey, SourceKind};
use futures::stream::{BoxStream, select_all};
use futures::{Stream, StreamExt as _};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::{ApiResource, DynamicObject, ObjectMeta, PartialObjectMeta};
use kube::runtime::WatchStreamExt as _;
use kube::runtime::watcher::{self, Event, watcher};
use kube::{Api, Client, Resource};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Key;
use super::data::{Data, DataKind, SeenData};
use super::index::{Facts, Inputs, Name, Seen, Watched};
use crate::convert::MIN_SYNC_INTERVAL;
use crate::crd;
use crate::duration::GoDuration;

/// Objects in one page of a list.
const PAGE: u32 = 500;

impl Watched {
    const ALL: [Self; 5] = [
        Self::Releases,
        Self::GitRepositories,
        Self::HelmRegistries,
        Self::OciRegistries,
        Self::Clusters,
    ];

    fn resource(self) -> ApiResource {
        match self {
            Self::Releases => ApiResource::erase::<crd::Release>(&()),
            Self::GitRepositories => ApiResource::erase::<crd::GitRepository>(&()),
            Self::HelmRegistries => ApiResource::erase::<crd::HelmRegistry>(&()),
            Self::OciRegistries => ApiResource::erase::<crd::OCIRegistry>(&()),
            Self::Clusters => ApiResource::erase::<crd::Cluster>(&()),
        }
    }

    fn key(self, id: NamespacedName) -> Key {
        let source = |kind, id| Key::Source(SourceKey { kind, id });
        match self {
            Self::Releases => Key::Release(id),
            Self::GitRepositories => source(SourceKind::Git, id),
            Self::HelmRegistries => source(SourceKind::Helm, id),
            Self::OciRegistries => source(SourceKind::Oci, id),
            Self::Clusters => Key::Cluster(id),
        }
    }
}

/// All watches as one stream that never ends; of `ConfigMap`s and Secrets only where `data` says so.
pub(super) fn all(client: &Client, data: bool) -> impl Stream<Item = Seen> + use<> {
    let objects = Watched::ALL.map(|watched| one(client.clone(), watched));
    let data = data.then(|| {
        [
            metadata::<ConfigMap>(client.clone(), DataKind::ConfigMap),
            metadata::<Secret>(client.clone(), DataKind::Secret),
        ]
    });
    select_all(objects.into_iter().chain(data.into_iter().flatten()))
}

/// Watches what is not to be read: the server sends metadata alone.
fn metadata<K>(client: Client, kind: DataKind) -> BoxStream<'static, Seen>
where
    K: Resource<DynamicType = ()> + Clone + Debug + DeserializeOwned + Send + 'static,
{
    let config = watcher::Config::default().page_size(PAGE);
    watcher(Api::<PartialObjectMeta<K>>::all(client), config)
        .default_backoff()
        .filter_map(move |event| async move {
            match event {
                Ok(event) => seen_data(kind, &event).map(Seen::Data),
                Err(error) => {
                    tracing::warn!(kind = %K::kind(&()), %error, "a watch broke off and starts again");
                    None
                }
            }
        })
        .boxed()
}

fn seen_data<K>(kind: DataKind, event: &Event<PartialObjectMeta<K>>) -> Option<SeenData> {
    let data = |metadata: &ObjectMeta| {
        let id = NamespacedName::new(metadata.namespace.as_deref()?, metadata.name.as_deref()?).ok()?;
        Some(Data { kind, id })
    };
    match event {
        Event::Init => Some(SeenData::ListBegins(kind)),
        Event::InitApply(object) | Event::Apply(object) => {
            let version = object.metadata.resource_version.clone().unwrap_or_default();
            data(&object.metadata).map(|data| SeenData::Version(data, version))
        }
        Event::InitDone => Some(SeenData::ListEnds(kind)),
        Event::Delete(object) => data(&object.metadata).map(SeenData::Gone),
    }
}

fn one(client: Client, watched: Watched) -> BoxStream<'static, Seen> {
    let api: Api<DynamicObject> = Api::all_with(client, &watched.resource());
    let config = watcher::Config::default().page_size(PAGE);
    watcher(api, config)
        .default_backoff()
        .filter_map(move |event| async move {
            match event {
                Ok(event) => seen(watched, &event),
                Err(error) => {
                    tracing::warn!(kind = watched.resource().kind, %error, "a watch broke off and starts again");
                    None
                }
            }
        })
        .boxed()
}

fn seen(watched: Watched, event: &Event<DynamicObject>) -> Option<Seen> {
    match event {
        Event::Init => Some(Seen::ListBegins(watched)),
        Event::InitApply(object) | Event::Apply(object) => {
            facts(watched, object).map(|facts| Seen::Object(watched, Box::new(facts)))
        }
        Event::InitDone => Some(Seen::ListEnds(watched)),
        Event::Delete(object) => key(watched, object).map(|key| Seen::Gone(watched, key)),
    }
}

fn key(watched: Watched, object: &DynamicObject) -> Option<Key> {
    let namespace = object.metadata.namespace.as_deref()?;
    let name = object.metadata.name.as_deref()?;
    NamespacedName::new(namespace, name).ok().map(|id| watched.key(id))
}

/// What counts of an object.
fn facts(watched: Watched, object: &DynamicObject) -> Option<Facts> {
    let key = key(watched, object)?;
    let metadata = &object.metadata;
    let named = match &key {
        Key::Release(id) => names(id.namespace(), &object.data),
        Key::Source(source) => secrets(
            source.id.namespace(),
            &object.data,
            &[
                "/spec/auth/secretRef",
                "/spec/tls/caSecretRef",
                "/spec/verify/secretRef",
            ],
        ),
        Key::Cluster(id) => secrets(id.namespace(), &object.data, &["/spec/kubeconfig/secretRef"]),
    };
    Some(Facts {
        key,
        inputs: Inputs {
            uid: metadata.uid.clone().unwrap_or_default(),
            generation: metadata.generation.unwrap_or_default(),
            deleting: metadata.deletion_timestamp.is_some(),
            metadata: inputs_of_metadata(watched, object),
        },
        state: state(&object.data),
        names: named,
        rest: rest(&object.data),
    })
}

/// Requests in annotations; of a Cluster all labels and annotations, since mutations read them.
fn inputs_of_metadata(watched: Watched, object: &DynamicObject) -> BTreeMap<String, String> {
    let metadata = &object.metadata;
    let annotations = metadata.annotations.iter().flatten();
    let labels = metadata.labels.iter().flatten();
    let everything = watched == Watched::Clusters;
    annotations
        .filter(|(key, _)| everything || key.starts_with(PREFIX))
        .map(|(key, value)| (format!("annotation {key}"), value.clone()))
        .chain(
            labels
                .filter(|_| everything)
                .map(|(key, value)| (format!("label {key}"), value.clone())),
        )
        .collect()
}

/// `minSyncInterval` of a source, also of one that cannot set it.
fn rest(data: &Value) -> Duration {
    let set = data.pointer("/spec/minSyncInterval").and_then(Value::as_str);
    let set = set.and_then(|text| text.parse::<GoDuration>().ok());
    set.map_or(MIN_SYNC_INTERVAL, GoDuration::get)
}

/// What others wait for: the Ready and Healthy conditions and the generation that they speak of, and which cluster it
/// is.
fn state(data: &Value) -> Vec<String> {
    let conditions = data.pointer("/status/conditions").and_then(Value::as_array);
    let mut state: Vec<String> = conditions
        .into_iter()
        .flatten()
        .filter(|condition| condition["type"] == "Ready" || condition["type"] == "Healthy")
        .map(|condition| format!("{}={}", condition["type"], condition["status"]))
        .collect();
    for pointer in ["/status/observedGeneration", "/status/clusterID"] {
        state.extend(data.pointer(pointer).map(Value::to_string));
    }
    state
}

/// The Secrets that are named at `pointers`.
fn secrets(namespace: &str, object: &Value, pointers: &[&str]) -> BTreeSet<Name> {
    pointers
        .iter()
        .filter_map(|pointer| object.pointer(pointer)?["name"].as_str())
        .filter_map(|name| data(DataKind::Secret, namespace, name))
        .collect()
}

fn data(kind: DataKind, namespace: &str, name: &str) -> Option<Name> {
    let id = NamespacedName::new(namespace, name).ok()?;
    Some(Name::Data(Data { kind, id }))
}

/// What a layer of values names.
fn layer(namespace: &str, layer: &Value) -> Option<Name> {
    let name = |block: &str| layer[block]["name"].as_str();
    if let Some(name) = name("configMap") {
        return data(DataKind::ConfigMap, namespace, name);
    }
    if let Some(name) = name("secret") {
        return data(DataKind::Secret, namespace, name);
    }
    let id = NamespacedName::new(namespace, name("gitRepository")?).ok()?;
    Some(Name::Object(Watched::GitRepositories.key(id)))
}

/// What a Release names.
fn names(namespace: &str, data: &Value) -> BTreeSet<Name> {
    let text = |pointer: &str| data.pointer(pointer).and_then(Value::as_str);
    let id = |namespace: &str, name: &str| NamespacedName::new(namespace, name).ok();
    let sources = [
        (Watched::GitRepositories, "gitRepository"),
        (Watched::HelmRegistries, "helmRegistry"),
        (Watched::OciRegistries, "ociRegistry"),
    ];
    let source = sources.into_iter().filter_map(|(watched, block)| {
        let name = text(&format!("/spec/source/{block}/name"))?;
        let of = text(&format!("/spec/source/{block}/namespace")).unwrap_or(namespace);
        id(of, name).map(|id| watched.key(id))
    });
    let cluster = text("/spec/clusterRef/name")
        .and_then(|name| id(namespace, name))
        .map(Key::Cluster);
    let dependencies = data.pointer("/spec/dependsOn").and_then(Value::as_array);
    let dependencies = dependencies.into_iter().flatten().filter_map(|other| {
        let of = other["namespace"].as_str().unwrap_or(namespace);
        id(of, other["name"].as_str()?).map(Key::Release)
    });
    let layers = data.pointer("/spec/content/helm/values").and_then(Value::as_array);
    let layers = layers.into_iter().flatten().filter_map(|one| layer(namespace, one));
    let objects = source.chain(cluster).chain(dependencies).map(Name::Object);
    objects.chain(layers).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(json: Value) -> DynamicObject {
        serde_json::from_value(json).unwrap()
    }

    #[test]
    fn what_a_release_names_and_tells_is_read_from_it() {
        let release = object(json!({
            "apiVersion": "core.convoy.kumodo.io/v1alpha1", "kind": "Release",
            "metadata": {
                "name": "web", "namespace": "apps", "uid": "u", "generation": 4,
                "deletionTimestamp": "2026-01-02T03:04:05Z",
                "annotations": {"core.convoy.kumodo.io/retry-requested": "now", "other": "x"},
                "labels": {"tier": "front"},
            },
            "spec": {
                "clusterRef": {"name": "here"},
                "source": {"type": "gitRepository", "gitRepository": {"name": "repo"}},
                "dependsOn": [{"name": "db"}, {"name": "bus", "namespace": "infra"}, {"name": "NOT A NAME"}],
                "content": {"type": "helm", "helm": {"values": [
                    {"type": "inline", "inline": {"name": "no"}}, {"type": "configMap", "configMap": {"name": "c"}},
                    {"type": "secret", "secret": {"name": "s"}}, {"type": "secret", "secret": {"name": "NO"}},
                    {"type": "gitRepository", "gitRepository": {"name": "g", "path": "p"}},
                ]}},
            },
            "status": {"observedGeneration": 3, "conditions": [
                {"type": "Ready", "status": "False"}, {"type": "Applied", "status": "True"},
            ]},
        }));
        let facts = facts(Watched::Releases, &release).unwrap();
        assert_eq!(facts.key.to_string(), "Release apps/web");
        assert_eq!((facts.inputs.generation, facts.inputs.deleting), (4, true));
        let requests: Vec<&str> = facts.inputs.metadata.keys().map(String::as_str).collect();
        assert_eq!(requests, ["annotation core.convoy.kumodo.io/retry-requested"]);
        assert_eq!(facts.state, ["\"Ready\"=\"False\"", "3"]);
        let names: Vec<String> = facts.names.iter().map(written).collect();
        assert_eq!(
            names,
            [
                "Release apps/db",
                "Release infra/bus",
                "GitRepository apps/g",
                "GitRepository apps/repo",
                "Cluster apps/here",
                "ConfigMap apps/c",
                "Secret apps/s",
            ]
        );
    }

    fn written(name: &Name) -> String {
        match name {
            Name::Object(key) => key.to_string(),
            Name::Data(data) => format!("{:?} {}", data.kind, data.id),
        }
    }

    #[test]
    fn the_secrets_of_sources_and_clusters_are_named_but_for_the_one_of_webhooks() {
        let check = |watched: Watched, spec: Value, expect: &[&str]| {
            let object = object(json!({"metadata": {"name": "a", "namespace": "apps"}, "spec": spec}));
            let facts = facts(watched, &object).unwrap();
            assert_eq!(facts.names.iter().map(written).collect::<Vec<_>>(), expect);
        };
        let secret = |name: &str| json!({"name": name});
        let all = json!({
            "auth": {"type": "ssh", "secretRef": secret("a")}, "tls": {"caSecretRef": secret("b")},
            "verify": {"mode": "head", "secretRef": secret("c")}, "webhookSecretRef": secret("d"),
        });
        check(
            Watched::GitRepositories,
            all,
            &["Secret apps/a", "Secret apps/b", "Secret apps/c"],
        );
        check(Watched::OciRegistries, json!({"auth": {"type": "none"}}), &[]);
        let kubeconfig = json!({"kubeconfig": {"secretRef": secret("k")}});
        check(Watched::Clusters, kubeconfig, &["Secret apps/k"]);
    }

    #[test]
    fn labels_of_a_cluster_are_inputs() {
        let cluster = |tier: &str| {
            object(json!({
                "apiVersion": "core.convoy.kumodo.io/v1alpha1", "kind": "Cluster",
                "metadata": {"name": "here", "namespace": "apps", "labels": {"tier": tier}},
            }))
        };
        let inputs = |tier: &str| facts(Watched::Clusters, &cluster(tier)).unwrap().inputs;
        assert_ne!(inputs("test"), inputs("prod"));
    }

    #[test]
    fn an_object_without_anything_is_seen_all_the_same() {
        let bare = object(json!({"metadata": {"name": "web", "namespace": "apps"}, "spec": 3, "status": []}));
        let facts = facts(Watched::Releases, &bare).unwrap();
        assert!(facts.names.is_empty() && facts.state.is_empty());
    }
}
