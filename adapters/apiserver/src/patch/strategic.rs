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
            let field = if let View::Map(map) = &view { map.field(name) } else { None };
            let child = if let View::Map(map) = &view { map.child(name) } else { &crate::types::ANY };
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
    if let (Some(patch_items), View::List(element, _), true) = (value.as_array(), child.view(Some(value)), strategy.merge) {
        let order = patch.get(&format!("{SET_ORDER}{name}")).and_then(Value::as_array);
        let live = object.entry(name.to_owned()).or_insert_with(|| json!([]));
        let Some(live) = live.as_array_mut() else {
            *live = value.clone();
            return Ok(());
        };
        merge_items(element, strategy.key.as_deref(), live, patch_items, name)?;
        if let Some(order) = order {
            reorder(live, order, strategy.key.as_deref());
        }
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

fn merge_items(
    element: &Type,
    key: Option<&str>,
    live: &mut Vec<Value>,
    patch: &[Value],
    name: &str,
) -> Result<(), ApiError> {
    let Some(key) = key else {
        for item in patch {
            if !live.contains(item) {
                live.push(item.clone());
            }
        }
        return Ok(());
    };
    let directive = |item: &Value| item.get(PATCH).and_then(Value::as_str).map(str::to_owned);
    if patch.iter().any(|item| directive(item).as_deref() == Some("replace") && item.get(key).is_none()) {
        live.clear();
    }
    for item in patch {
        let kind = directive(item);
        let Some(wanted) = item.get(key) else {
            if kind.as_deref() == Some("replace") {
                continue;
            }
            return Err(ApiError::bad_request(format!("map: {item} does not contain declared merge key: {key} (in {name})")));
        };
        if kind.as_deref() == Some("delete") {
            live.retain(|known| known.get(key) != Some(wanted));
            continue;
        }
        match live.iter_mut().find(|known| known.get(key) == Some(wanted)) {
            Some(known) => merge_value(element, known, item)?,
            None => {
                let mut fresh = Value::Null;
                merge_value(element, &mut fresh, item)?;
                live.push(fresh);
            }
        }
    }
    Ok(())
}

/// Items named by the order come in that order; others keep their place after the item that they followed.
fn reorder(live: &mut Vec<Value>, order: &[Value], key: Option<&str>) {
    let key_of = |item: &Value| key.map_or_else(|| item.clone(), |key| item.get(key).cloned().unwrap_or(Value::Null));
    let wanted: Vec<Value> = order.iter().map(key_of).collect();
    let mut groups: Vec<(Option<usize>, Vec<Value>)> = Vec::new();
    let mut leading = Vec::new();
    for item in live.drain(..) {
        let place = wanted.iter().position(|key| *key == key_of(&item));
        match (place, groups.last_mut()) {
            (Some(_), _) => groups.push((place, vec![item])),
            (None, Some((_, group))) => group.push(item),
            (None, None) => leading.push(item),
        }
    }
    groups.sort_by_key(|(place, _)| *place);
    live.extend(leading);
    live.extend(groups.into_iter().flat_map(|(_, group)| group));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::builtin::named;

    fn check(target: Value, patch: &Value, expect: &Value) {
        let mut target = json!({"spec": target});
        strategic(&named("Pod"), &mut target, &json!({"spec": patch})).unwrap();
        assert_eq!(&target["spec"], expect);
    }

    #[test]
    fn containers_merge_by_name_and_arguments_are_replaced() {
        check(
            json!({"containers": [{"name": "a", "image": "x", "args": ["1"]}, {"name": "b", "image": "y"}]}),
            &json!({"containers": [{"name": "a", "args": ["2"]}, {"name": "c", "image": "z"}]}),
            &json!({"containers": [{"name": "a", "image": "x", "args": ["2"]}, {"name": "b", "image": "y"}, {"name": "c", "image": "z"}]}),
        );
    }

    #[test]
    fn directives_delete_replace_and_order() {
        check(
            json!({"containers": [{"name": "a"}, {"name": "b"}]}),
            &json!({"$setElementOrder/containers": [{"name": "c"}, {"name": "a"}],
                "containers": [{"name": "b", "$patch": "delete"}, {"name": "c"}]}),
            &json!({"containers": [{"name": "c"}, {"name": "a"}]}),
        );
        check(
            json!({"containers": [{"name": "a"}]}),
            &json!({"containers": [{"$patch": "replace"}, {"name": "b"}]}),
            &json!({"containers": [{"name": "b"}]}),
        );
        check(
            json!({"volumes": [{"name": "v", "emptyDir": {}}]}),
            &json!({"volumes": [{"name": "v", "$retainKeys": ["name", "secret"], "secret": {"secretName": "s"}}]}),
            &json!({"volumes": [{"name": "v", "secret": {"secretName": "s"}}]}),
        );
    }

    #[test]
    fn an_item_without_its_key_is_refused() {
        let mut target = json!({"spec": {"containers": [{"name": "a"}]}});
        let patch = json!({"spec": {"containers": [{"image": "x"}]}});
        assert_eq!(strategic(&named("Pod"), &mut target, &patch).unwrap_err().code, 400);
    }
}
