//! Who owns which field of a live object: taking over from tools that apply on the client's side.
//!
//! Such a tool appears as a manager with operation `Update`. The fields that it owns would never leave the object,
//! since a field goes only when its last owner lets it go; moved to our own entry, they go with the render.

use serde_json::{Map, Value, json};

/// Managers of client-side apply, and what stands for writes from before managers were tracked.
const CLIENT_SIDE: [&str; 4] = ["kubectl-client-side-apply", "kubectl-create", "helm", NOBODY];

/// The manager that the API server itself invents for fields without one.
const NOBODY: &str = "before-first-apply";

fn text<'a>(entry: &'a Value, key: &str) -> &'a str {
    entry.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn is_client_side(entry: &Value) -> bool {
    text(entry, "operation") == "Update"
        && text(entry, "subresource").is_empty()
        && CLIENT_SIDE.contains(&text(entry, "manager"))
}

fn is_ours(entry: &Value, manager: &str) -> bool {
    text(entry, "operation") == "Apply" && text(entry, "subresource").is_empty() && text(entry, "manager") == manager
}

/// The entries with those of client-side managers merged into `manager`'s; `None` when there is nothing to take over.
pub(super) fn taken_over(entries: &[Value], manager: &str) -> Option<Vec<Value>> {
    let (client_side, mut rest): (Vec<&Value>, Vec<&Value>) = entries.iter().partition(|entry| is_client_side(entry));
    let last = client_side.last()?;
    let ours = rest
        .iter()
        .position(|entry| is_ours(entry, manager))
        .map(|index| rest.remove(index));
    let mut fields = ours
        .and_then(|entry| entry.get("fieldsV1"))
        .cloned()
        .unwrap_or_else(|| json!({}));
    for entry in &client_side {
        if let Some(more) = entry.get("fieldsV1") {
            union(&mut fields, more);
        }
    }
    let mut entry = (*ours.unwrap_or(last)).clone();
    entry["manager"] = manager.into();
    entry["operation"] = "Apply".into();
    entry["fieldsV1"] = fields;
    Some(rest.into_iter().cloned().chain([entry]).collect())
}

/// The entries with `manager`'s own given to nobody in particular, from whom the next owner takes it over. An entry
/// that vanished would leave nothing to take: the API server would then invent one at the next apply.
pub(super) fn given_up(entries: &[Value], manager: &str) -> Vec<Value> {
    let mut entries = entries.to_vec();
    for entry in entries.iter_mut().filter(|entry| is_ours(entry, manager)) {
        entry["manager"] = NOBODY.into();
        entry["operation"] = "Update".into();
    }
    entries
}

/// Adds the fields of `more` to `fields`: sets of paths are nested mappings, so that their union is a merge.
fn union(fields: &mut Value, more: &Value) {
    let Some(more) = more.as_object() else { return };
    if !fields.is_object() {
        *fields = Value::Object(Map::new());
    }
    if let Some(fields) = fields.as_object_mut() {
        for (key, below) in more {
            union(fields.entry(key.clone()).or_insert_with(|| json!({})), below);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(
        clippy::needless_pass_by_value,
        reason = "a literal at each call reads better without a reference"
    )]
    fn entry(manager: &str, operation: &str, fields: Value) -> Value {
        json!({
            "manager": manager, "operation": operation, "apiVersion": "v1",
            "fieldsType": "FieldsV1", "fieldsV1": fields,
        })
    }

    #[test]
    fn the_fields_of_client_side_managers_become_ours() {
        let entries = [
            entry(
                "kubectl-client-side-apply",
                "Update",
                json!({"f:data": {".": {}, "f:a": {}}}),
            ),
            entry("someone", "Update", json!({"f:data": {"f:z": {}}})),
            entry("helm", "Update", json!({"f:data": {"f:b": {}}})),
            entry("convoy-1", "Apply", json!({"f:data": {"f:c": {}}})),
        ];
        let merged = json!({"f:data": {".": {}, "f:a": {}, "f:b": {}, "f:c": {}}});
        let expect = vec![entries[1].clone(), entry("convoy-1", "Apply", merged)];
        assert_eq!(taken_over(&entries, "convoy-1"), Some(expect));
    }

    #[test]
    fn without_an_entry_of_ours_the_last_one_is_renamed() {
        let entries = [entry("helm", "Update", json!({"f:spec": {}}))];
        let expect = vec![entry("convoy-1", "Apply", json!({"f:spec": {}}))];
        assert_eq!(taken_over(&entries, "convoy-1"), Some(expect));
    }

    #[test]
    fn other_managers_keep_their_fields() {
        let mut status = entry("kubectl-client-side-apply", "Update", json!({"f:status": {}}));
        status["subresource"] = "status".into();
        let entries = [
            status,
            entry("kube-controller-manager", "Update", json!({"f:spec": {}})),
            entry("helm", "Apply", json!({"f:spec": {}})),
        ];
        assert_eq!(taken_over(&entries, "convoy-1"), None);
        assert_eq!(given_up(&entries, "convoy-1"), entries);
    }

    #[test]
    fn what_one_gives_up_the_next_takes_over() {
        let ours = [entry("convoy-1", "Apply", json!({"f:data": {"f:a": {}}}))];
        let nobodys = given_up(&ours, "convoy-1");
        assert_eq!(nobodys, [entry(NOBODY, "Update", json!({"f:data": {"f:a": {}}}))]);
        let expect = vec![entry("convoy-2", "Apply", json!({"f:data": {"f:a": {}}}))];
        assert_eq!(taken_over(&nobodys, "convoy-2"), Some(expect));
    }
}
