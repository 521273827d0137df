//! The watches themselves. Objects are read without their types, so that one that breaks a rule stops no watch.

use std::collections::{BTreeMap, BTreeSet};

use convoy_domain::id::NamespacedName;
use convoy_domain::names::PREFIX;
use convoy_domain::source::{SourceKey, SourceKind};
use futures::stream::{BoxStream, select_all};
use futures::{Stream, StreamExt as _};
use kube::api::{ApiResource, DynamicObject};
use kube::runtime::WatchStreamExt as _;
use kube::runtime::watcher::{self, Event, watcher};
use kube::{Api, Client};
use serde_json::Value;

use super::Key;
use super::index::{Facts, Inputs, Seen, Watched};
use crate::crd;

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

/// All watches as one stream that never ends.
pub(super) fn all(client: &Client) -> impl Stream<Item = Seen> + use<> {
    select_all(Watched::ALL.map(|watched| one(client.clone(), watched)))
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
        Key::Source(_) | Key::Cluster(_) => BTreeSet::new(),
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

/// What a Release names.
fn names(namespace: &str, data: &Value) -> BTreeSet<Key> {
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
    source.chain(cluster).chain(dependencies).collect()
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
        let names: Vec<String> = facts.names.iter().map(Key::to_string).collect();
        assert_eq!(
            names,
            [
                "Release apps/db",
                "Release infra/bus",
                "GitRepository apps/repo",
                "Cluster apps/here"
            ]
        );
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
