//! Garbage collection by owner references.

use serde_json::{Value, json};

use super::context::Context;
use crate::ops::{FOREGROUND, ORPHAN};
use crate::store::Key;

/// Removes an object whose owners are gone, and carries on a deletion that waits for dependents. Answers whether the
/// object is still there to be looked at.
pub(super) fn keep(context: &mut Context<'_>, key: &Key, object: &Value) -> bool {
    let metadata = &object["metadata"];
    let deleting = metadata.get("deletionTimestamp").is_some();
    if deleting {
        return !waits_for_dependents(context, key, object);
    }
    let owners = metadata["ownerReferences"].as_array().map_or(&[][..], Vec::as_slice);
    if owners.is_empty() || owners.iter().any(|owner| exists(context, key, owner)) {
        return true;
    }
    context.delete(key, "Background");
    false
}

fn exists(context: &Context<'_>, key: &Key, owner: &Value) -> bool {
    let Some(found) = context.core.store.by_uid(owner["uid"].as_str().unwrap_or("")) else {
        return false;
    };
    let near = found.namespace.is_empty() || found.namespace == key.namespace;
    // An owner that is deleted in the foreground takes its dependents with it.
    let foreground = context.core.store.get(found).is_some_and(|stored| {
        let metadata = &stored.value["metadata"];
        metadata.get("deletionTimestamp").is_some() && has_finalizer(&stored.value, FOREGROUND)
    });
    near && !foreground
}

fn has_finalizer(object: &Value, name: &str) -> bool {
    object["metadata"]["finalizers"]
        .as_array()
        .is_some_and(|list| list.contains(&json!(name)))
}

fn waits_for_dependents(context: &mut Context<'_>, key: &Key, object: &Value) -> bool {
    let uid = object["metadata"]["uid"].as_str().unwrap_or("");
    let dependents = context.core.store.dependents(uid);
    if has_finalizer(object, ORPHAN) {
        for dependent in dependents {
            orphan(context, &dependent, uid);
        }
        drop_finalizer(context, key, object, ORPHAN);
        return true;
    }
    if !has_finalizer(object, FOREGROUND) {
        return false;
    }
    let mut blocking = false;
    for dependent in dependents {
        let Some(value) = context.get(&dependent) else { continue };
        let references = value["metadata"]["ownerReferences"].as_array().into_iter().flatten();
        let ours = references.into_iter().find(|reference| reference["uid"] == json!(uid));
        if value["metadata"].get("deletionTimestamp").is_none() {
            context.delete(&dependent, "Foreground");
        }
        let still = context.get(&dependent).is_some();
        blocking |= still && ours.is_some_and(|reference| reference["blockOwnerDeletion"] == json!(true));
    }
    if !blocking {
        drop_finalizer(context, key, object, FOREGROUND);
    }
    true
}

fn orphan(context: &mut Context<'_>, key: &Key, uid: &str) {
    let Some(mut object) = context.get(key) else { return };
    if let Some(references) = object["metadata"]["ownerReferences"].as_array_mut() {
        references.retain(|reference| reference["uid"] != json!(uid));
    }
    context.replace(key, object, "");
}

fn drop_finalizer(context: &mut Context<'_>, key: &Key, object: &Value, name: &str) {
    let mut object = object.clone();
    if let Some(list) = object["metadata"]["finalizers"].as_array_mut() {
        list.retain(|finalizer| finalizer != name);
    }
    context.replace(key, object, "");
}
