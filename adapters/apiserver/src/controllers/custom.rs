//! Definitions of custom resources: accepted, and their objects removed with them.

use serde_json::Value;

use super::context::Context;
use crate::clock::now_text;
use crate::crd;
use crate::store::Key;

/// Accepts a new definition.
pub(super) fn reconcile(context: &mut Context<'_>, key: &Key, definition: &Value) {
    let established = definition["status"]["conditions"]
        .as_array()
        .is_some_and(|list| !list.is_empty());
    let mut status = crd::accepted(definition, &now_text());
    if established {
        status["conditions"] = definition["status"]["conditions"].clone();
    }
    context.set_status(key, definition, status);
}
