//! The two shapes of Event objects: `v1` (in which they are kept) and `events.k8s.io/v1`.

use serde_json::{Map, Value};

/// Field names in `v1` and in `events.k8s.io/v1`.
const RENAMED: &[(&str, &str)] = &[
    ("involvedObject", "regarding"),
    ("message", "note"),
    ("reportingComponent", "reportingController"),
    ("source", "deprecatedSource"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("count", "deprecatedCount"),
];

fn rename(object: &mut Map<String, Value>, from: &str, to: &str) {
    if let Some(value) = object.remove(from) {
        object.insert(to.to_owned(), value);
    }
}

/// From `v1` to `events.k8s.io/v1`.
pub(crate) fn to_new(event: &mut Value) {
    let Some(object) = event.as_object_mut() else { return };
    for (old, new) in RENAMED {
        rename(object, old, new);
    }
    object.retain(|name, value| !(matches!(name.as_str(), "reportingController" | "reportingInstance") && value == ""));
}

/// From `events.k8s.io/v1` to `v1`.
pub(crate) fn to_old(event: &mut Value) {
    let Some(object) = event.as_object_mut() else { return };
    for (old, new) in RENAMED {
        rename(object, new, old);
    }
}
