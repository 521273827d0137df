//! The type of `.Values`, of what templates are executed with, and its methods: `AsMap`, `Table`, `PathValue`, `YAML`.

#![expect(
    clippy::needless_pass_by_value,
    reason = "the types of its operands are the signature of a function"
)]

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;

use convoy_template::value::{MapRef, Named};
use convoy_template::{CallError, Context, Function, Str, Value, go_quote};

use super::yaml_json;

/// The type with its methods.
pub(super) fn named() -> Arc<Named> {
    let methods = [
        ("AsMap", Function::new("AsMap", as_map)),
        ("Table", Function::new("Table", table)),
        ("PathValue", Function::new("PathValue", path_value)),
        ("YAML", Function::new("YAML", yaml)),
    ];
    let methods = methods.into_iter().map(|(name, method)| (name, Arc::new(method)));
    Arc::new(Named {
        name: "common.Values",
        methods: methods.collect(),
    })
}

fn as_map(context: &mut Context, values: Value) -> Result<Value, CallError> {
    let heap = context.heap_mut();
    Ok(Value::Map(match values.as_map() {
        Some(map) if heap.map_len(map) > 0 => heap.plain(map),
        _ => heap.map()?,
    }))
}

/// The map at a path of keys with dots between.
fn walk(context: &Context, values: &Value, path: &str) -> Result<MapRef, CallError> {
    let not_table = |key: &str| CallError::new(format!("{} is not a table", go_quote(key.as_bytes())));
    let mut map = values.as_map().ok_or_else(|| not_table(path))?;
    for key in path.split('.') {
        let next = context.heap().get(map, key.as_bytes()).and_then(Value::as_map);
        map = next.ok_or_else(|| not_table(key))?;
    }
    Ok(map)
}

fn table(context: &mut Context, values: Value, path: Str) -> Result<Value, CallError> {
    let map = walk(context, &values, &path.to_text())?;
    Ok(Value::Map(context.heap_mut().view(map, named())?))
}

fn path_value(context: &mut Context, values: Value, path: Str) -> Result<Value, CallError> {
    let path = path.to_text();
    if path.is_empty() {
        return Err(CallError::new("YAML path cannot be empty"));
    }
    let (tables, key) = path
        .rsplit_once('.')
        .map_or((None, &*path), |(tables, key)| (Some(tables), key));
    let map = match tables {
        Some(tables) => walk(context, &values, tables).ok(),
        None => values.as_map(),
    };
    let found = map
        .and_then(|map| context.heap().get(map, key.as_bytes()))
        .filter(|value| value.as_map().is_none());
    found
        .cloned()
        .ok_or_else(|| CallError::new(format!("{} is not a value", go_quote(key.as_bytes()))))
}

fn yaml(context: &mut Context, values: Value) -> Result<String, CallError> {
    let plain = context
        .heap()
        .export(&values)
        .map_err(|error| CallError::new(format!("{error}")))?;
    let mut text = yaml_json::marshal(&plain)?;
    text.push('\n');
    Ok(text)
}
