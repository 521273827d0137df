//! Namespaces: what each has, and their end.

use serde_json::{Value, json};

use super::context::Context;
use crate::store::Key;

/// Gives a namespace its service account and certificate, or empties it when it is being deleted.
pub(super) fn reconcile(context: &mut Context<'_>, key: &Key, namespace: &Value) {
    let name = &key.name;
    if namespace["metadata"].get("deletionTimestamp").is_some() {
        terminate(context, key, namespace);
        return;
    }
    let account = Key {
        storage: "serviceaccounts".into(),
        namespace: name.clone(),
        name: "default".into(),
    };
    if context.core.store.get(&account).is_none() {
        let object = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}});
        context.create("serviceaccounts", name, object);
    }
    let root = Key {
        storage: "configmaps".into(),
        namespace: name.clone(),
        name: "kube-root-ca.crt".into(),
    };
    if context.core.store.get(&root).is_none() {
        let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "kube-root-ca.crt"},
            "data": {"ca.crt": ""}});
        context.create("configmaps", name, object);
    }
}

fn terminate(context: &mut Context<'_>, key: &Key, namespace: &Value) {
    for content in context.core.store.in_namespace(&key.name) {
        context.delete(&content, "Background");
    }
    if !context.core.store.in_namespace(&key.name).is_empty() {
        return;
    }
    let mut object = namespace.clone();
    object["spec"] = json!({});
    context.replace(key, object, "finalize");
}
