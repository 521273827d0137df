//! Strategic merge patches: merge patches in which lists of objects merge by key.
//!
//! Directives: `$patch: delete|replace|merge`, `$deleteFromPrimitiveList/<field>`, `$setElementOrder/<field>`,
//! `$retainKeys`.

use serde_json::{Map, Value, json};

use crate::status::ApiError;
use crate::types::{Field, PatchStrategy, Type, View};

const PATCH: &str = "$patch";
const RETAIN: &str = "$retainKeys";
const DELETE_PRIMITIVES: &str = "$deleteFromPrimitiveList/";
const SET_ORDER: &str = "$setElementOrder/";

/// Lays the patch over the target.
///
/// # Errors
/// 400 when a list item has no merge key or a directive is unknown.
pub(crate) fn strategic(ty: &Type, target: &mut Value, patch: &Value) -> Result<(), ApiError> {
    merge_value(ty, target, patch)
}

fn merge_value(ty: &Type, target: &mut Value, patch: &Value) -> Result<(), ApiError> {
    let Some(fields) = patch.as_object() else {
        *target = patch.clone();
        return Ok(());
    };
    match fields.get(PATCH).and_then(Value::as_str) {
        Some("delete") => {
            *target = Value::Null;
            return Ok(());
        }
        Some("replace") => {
            *target = without_directives(fields);
            return Ok(());
        }
        Some("merge") | None => {}
        Some(other) => return Err(ApiError::bad_request(format!("unknown patch directive `{other}`"))),
    }
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let view = ty.view(Some(patch));
    if let Some(object) = target.as_object_mut() {
        if let Some(keep) = fields.get(RETAIN).and_then(Value::as_array) {
            object.retain(|name, _| keep.iter().any(|kept| kept == name));
        }
        for (name, value) in fields {
            let field = if let View::Map(map) = &view {
                map.field(name)
            } else {
                None
            };
            let child = if let View::Map(map) = &view {
                map.child(name)
            } else {
                &crate::types::ANY
            };
            merge_field(object, name, value, field, child, fields)?;
        }
    }
    Ok(())
}

fn merge_field(
    object: &mut Map<String, Value>,
    name: &str,
    value: &Value,
    field: Option<&Field>,
    child: &Type,
    patch: &Map<String, Value>,
) -> Result<(), ApiError> {
    if name == PATCH || name == RETAIN || name.starts_with(SET_ORDER) {
        return Ok(());
    }
    if let Some(list) = name.strip_prefix(DELETE_PRIMITIVES) {
        if let (Some(items), Some(gone)) = (object.get_mut(list).and_then(Value::as_array_mut), value.as_array()) {
            items.retain(|item| !gone.contains(item));
        }
        return Ok(());
    }
    if value.is_null() {
        object.remove(name);
        return Ok(());
    }
    let none = PatchStrategy::default();
    let strategy = field.map_or(&none, |field| &field.patch);
    if let (Some(patch_items), View::List(element, _), true) =
        (value.as_array(), child.view(Some(value)), strategy.merge)
    {
        let order = patch.get(&format!("{SET_ORDER}{name}")).and_then(Value::as_array);
        let live = object.entry(name.to_owned()).or_insert_with(|| json!([]));
        let Some(live) = live.as_array_mut() else {
            *live = value.clone();
            return Ok(());
        };
        let key = strategy.key.as_deref();
        let before = live.clone();
        merge_items(element, key, live, patch_items)?;
        let patched: Vec<Value> = patch_items
            .iter()
            .filter(|item| item.get(PATCH).is_none())
            .cloned()
            .collect();
        reorder(live, order.map_or(patched.as_slice(), Vec::as_slice), &before, key);
        return Ok(());
    }
    let empty = !object.contains_key(name);
    let slot = object.entry(name.to_owned()).or_insert(Value::Null);
    merge_value(child, slot, value)?;
    if slot.is_null() || (empty && value.get(PATCH).is_some() && slot.as_object().is_some_and(Map::is_empty)) {
        object.remove(name);
    }
    Ok(())
}

fn without_directives(fields: &Map<String, Value>) -> Value {
    let plain = fields.iter().filter(|(name, _)| !name.starts_with('$'));
    Value::Object(plain.map(|(name, value)| (name.clone(), value.clone())).collect())
}

fn merge_items(element: &Type, key: Option<&str>, live: &mut Vec<Value>, patch: &[Value]) -> Result<(), ApiError> {
    let Some(key) = key else {
        for item in patch {
            if !live.contains(item) {
                live.push(item.clone());
            }
        }
        return Ok(());
    };
    let directive = |item: &Value| item.get(PATCH).and_then(Value::as_str).map(str::to_owned);
    if patch
        .iter()
        .any(|item| directive(item).as_deref() == Some("replace") && item.get(key).is_none())
    {
        live.clear();
    }
    for item in patch {
        let kind = directive(item);
        let Some(wanted) = item.get(key) else {
            if kind.as_deref() == Some("replace") {
                continue;
            }
            let why = format!("map: {} does not contain declared merge key: {key}", go_map(item));
            return Err(ApiError::new(500, "", why));
        };
        if kind.as_deref() == Some("delete") {
            live.retain(|known| known.get(key) != Some(wanted));
            continue;
        }
        if let Some(known) = live.iter_mut().find(|known| known.get(key) == Some(wanted)) {
            merge_value(element, known, item)?;
        } else {
            let mut fresh = Value::Null;
            merge_value(element, &mut fresh, item)?;
            live.push(fresh);
        }
    }
    Ok(())
}

/// A value as Go prints a map.
fn go_map(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let fields: Vec<String> = map
                .iter()
                .map(|(name, value)| format!("{name}:{}", go_map(value)))
                .collect();
            format!("map[{}]", fields.join(" "))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(go_map).collect::<Vec<_>>().join(" ")),
        Value::String(text) => text.clone(),
        Value::Null => "<nil>".to_owned(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// Items that the patch orders come in that order; others stay before those that they preceded, else go last.
fn reorder(live: &mut Vec<Value>, order: &[Value], before: &[Value], key: Option<&str>) {
    let key_of = |item: &Value| {
        key.map_or_else(
            || item.clone(),
            |key| item.get(key).cloned().unwrap_or_else(|| item.clone()),
        )
    };
    let place = |list: &[Value], item: &Value| list.iter().position(|known| key_of(known) == key_of(item));
    let (mut ordered, mut rest): (Vec<Value>, Vec<Value>) =
        live.drain(..).partition(|item| place(order, item).is_some());
    ordered.sort_by_key(|item| place(order, item));
    rest.sort_by_key(|item| place(before, item));
    let (mut ordered, mut rest) = (ordered.into_iter().peekable(), rest.into_iter().peekable());
    while let (Some(server), Some(patched)) = (rest.peek(), ordered.peek()) {
        let first = match (place(before, server), place(before, patched)) {
            (Some(server), Some(patched)) => server < patched,
            (Some(_) | None, _) => false,
        };
        live.extend(if first { rest.next() } else { ordered.next() });
    }
    live.extend(ordered);
    live.extend(rest);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::builtin::named;

    fn check(target: &Value, patch: &Value, expect: &Value) {
        let mut target = json!({"spec": target});
        strategic(&named("Pod"), &mut target, &json!({"spec": patch})).unwrap();
        assert_eq!(&target["spec"], expect);
    }

    #[test]
    fn containers_merge_by_name_and_arguments_are_replaced() {
        check(
            &json!({"containers": [{"name": "a", "image": "x", "args": ["1"]}, {"name": "b", "image": "y"}]}),
            &json!({"containers": [{"name": "a", "args": ["2"]}, {"name": "c", "image": "z"}]}),
            &json!({"containers": [{"name": "a", "image": "x", "args": ["2"]}, {"name": "c", "image": "z"}, {"name": "b", "image": "y"}]}),
        );
    }

    #[test]
    fn directives_delete_replace_and_order() {
        check(
            &json!({"containers": [{"name": "a"}, {"name": "b"}]}),
            &json!({"$setElementOrder/containers": [{"name": "c"}, {"name": "a"}],
                "containers": [{"name": "b", "$patch": "delete"}, {"name": "c"}]}),
            &json!({"containers": [{"name": "c"}, {"name": "a"}]}),
        );
        check(
            &json!({"containers": [{"name": "a"}]}),
            &json!({"containers": [{"$patch": "replace"}, {"name": "b"}]}),
            &json!({"containers": [{"name": "b"}]}),
        );
        check(
            &json!({"volumes": [{"name": "v", "emptyDir": {}}]}),
            &json!({"volumes": [{"name": "v", "$retainKeys": ["name", "secret"], "secret": {"secretName": "s"}}]}),
            &json!({"volumes": [{"name": "v", "secret": {"secretName": "s"}}]}),
        );
    }

    #[test]
    fn an_item_without_its_key_is_refused() {
        let mut target = json!({"spec": {"containers": [{"name": "a"}]}});
        let patch = json!({"spec": {"containers": [{"image": "x"}]}});
        assert_eq!(strategic(&named("Pod"), &mut target, &patch).unwrap_err().code, 500);
    }
}
