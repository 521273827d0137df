//! The nouns of the domain.

use std::collections::BTreeSet;
use std::sync::Arc;

use convoy_domain::Timestamp;
use convoy_domain::artifact::Files;
use convoy_domain::history::HistoryKey;
use convoy_domain::id::{ObjectId, ReleaseId};
use convoy_domain::inventory::InventoryEntry;
use convoy_domain::object::Object;
use convoy_domain::release::Manifests;
use convoy_domain::render_ref::RenderRef;
use convoy_value::{Map, Value};
use proptest::collection::{btree_map, btree_set, vec};
use proptest::prelude::*;

use crate::text::{hostile_yaml, path_text, unicode};
use crate::value::{map, value};

/// A DNS label.
pub fn label() -> impl Strategy<Value = String> + Clone {
    "[a-z]([a-z0-9-]{0,8}[a-z0-9])?"
}

/// Namespace and name of a Release.
pub fn release_id() -> impl Strategy<Value = ReleaseId> {
    (label(), label()).prop_filter_map("labels are DNS names", |(namespace, name)| {
        ReleaseId::new(&namespace, &name).ok()
    })
}

/// Refs, of which a few come often, so that two are sometimes equal.
pub fn render_ref() -> impl Strategy<Value = RenderRef> + Clone {
    prop_oneof![
        3 => (0..6_u8).prop_map(|n| RenderRef::from_digest([n; 32])),
        1 => any::<[u8; 32]>().prop_map(RenderRef::from_digest),
    ]
}

/// Times that a history key can hold, of which some lie within a few nanoseconds of each other.
pub fn timestamp() -> impl Strategy<Value = Timestamp> + Clone {
    const YEAR_0: i64 = -62_167_219_200;
    const YEAR_9999: i64 = 253_370_764_800;
    prop_oneof![
        (1_790_000_000..1_790_000_003_i64, 0..3_i32),
        (YEAR_0..YEAR_9999, 0..1_000_000_000_i32),
    ]
    .prop_filter_map("the range holds times only", |(second, nanosecond)| {
        Timestamp::new(second, nanosecond).ok()
    })
}

/// A history of up to so many entries.
pub fn history_keys(most: usize) -> impl Strategy<Value = BTreeSet<HistoryKey>> {
    let key = (timestamp(), render_ref()).prop_filter_map("the years have four digits", |(time, render)| {
        HistoryKey::new(time, render).ok()
    });
    btree_set(key, 0..=most)
}

/// An object of one of many kinds, with odd contents.
pub fn object() -> impl Strategy<Value = Object> {
    let kinds = prop::sample::select(vec![
        ("v1", "ConfigMap"),
        ("v1", "Secret"),
        ("v1", "Service"),
        ("v1", "Namespace"),
        ("v1", "Pod"),
        ("v1", "PersistentVolumeClaim"),
        ("apps/v1", "Deployment"),
        ("apps/v1", "StatefulSet"),
        ("apps/v1", "DaemonSet"),
        ("batch/v1", "Job"),
        ("autoscaling/v2", "HorizontalPodAutoscaler"),
        ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
        ("example.com/v1", "Widget"),
    ]);
    let metadata = (
        label(),
        prop::option::of(label()),
        btree_map(label(), unicode(), 0..3),
        prop::option::of(-2..3_i32),
        any::<bool>(),
    );
    let parts = (kinds, metadata, map(value()), value());
    parts.prop_filter_map(
        "it has apiVersion and kind",
        |((api_version, kind), metadata, spec, status)| {
            let (name, namespace, labels, wave, gated) = metadata;
            let mut annotations = Map::new();
            if let Some(wave) = wave {
                annotations.insert("core.convoy.kumodo.io/sync-wave", wave.to_string());
            }
            if gated {
                annotations.insert("core.convoy.kumodo.io/wave-gate", "waitForHealthy");
            }
            let mut metadata: Map = [("name", Value::from(name))].into_iter().collect();
            if let Some(namespace) = namespace {
                metadata.insert("namespace", namespace);
            }
            metadata.insert("labels", labels.into_iter().collect::<Map>());
            metadata.insert("annotations", annotations);
            let fields: [(&str, Value); 5] = [
                ("apiVersion", api_version.into()),
                ("kind", kind.into()),
                ("metadata", metadata.into()),
                ("spec", spec.into()),
                ("status", status),
            ];
            Object::new(Value::Object(fields.into_iter().collect())).ok()
        },
    )
}

/// Up to so many objects with different names.
pub fn objects(most: usize) -> impl Strategy<Value = Vec<Object>> {
    vec(object(), 0..=most).prop_map(|mut objects| {
        for (index, object) in objects.iter_mut().enumerate() {
            let name = format!("{}-{index}", object.name());
            if let Some(metadata) = object.as_map_mut().get_mut("metadata").and_then(Value::as_object_mut) {
                metadata.insert("name", name);
            }
        }
        objects
    })
}

/// Identities of few objects, so that two are often equal.
pub fn object_id() -> impl Strategy<Value = ObjectId> + Clone {
    let kinds = prop::sample::select(vec![
        ("", "ConfigMap"),
        ("", "Namespace"),
        ("apps", "Deployment"),
        ("apiextensions.k8s.io", "CustomResourceDefinition"),
        ("example.com", "Widget"),
    ]);
    let names = prop::sample::select(vec!["a", "b", "c", "d", "default", "kube-system"]);
    (kinds, prop::sample::select(vec!["x", "y"]), names).prop_map(|((group, kind), namespace, name)| {
        let wide = matches!(kind, "Namespace" | "CustomResourceDefinition");
        ObjectId {
            group: group.into(),
            kind: kind.into(),
            namespace: if wide { String::new() } else { namespace.into() },
            name: name.into(),
        }
    })
}

/// A recorded object.
pub fn inventory_entry() -> impl Strategy<Value = InventoryEntry> + Clone {
    (object_id(), "(u[0-9])?", -2..3_i32, render_ref(), any::<bool>()).prop_map(
        |(id, uid, wave, render_ref, adopted)| InventoryEntry {
            id,
            version: "v1".into(),
            uid,
            wave,
            render_ref,
            adopted,
        },
    )
}

/// A small source of odd files under odd paths.
pub fn files() -> impl Strategy<Value = Files> {
    btree_map(path_text(), hostile_yaml().prop_map(Arc::from), 0..6)
}

/// Selections of such a source.
pub fn manifests() -> impl Strategy<Value = Manifests> {
    vec(path_text(), 0..3).prop_map(|paths| Manifests {
        paths,
        target_namespace: None,
    })
}
