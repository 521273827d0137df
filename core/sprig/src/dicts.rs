//! Dictionaries, which are references: what one holder changes, all see.

use alloc::vec::Vec;

use convoy_template::value::{Elem, ListRef, MapRef, Type};
use convoy_template::{CallError, Context, Function, Functions, Limit, MAX_VALUE_DEPTH, Rest, Str, Value};

use crate::coerce::{list, text_of};
use crate::merge::merge_into;

type Result<T> = core::result::Result<T, CallError>;

pub(crate) fn register(functions: &mut Functions) {
    functions
        .insert(Function::over("dict", alloc::vec![Type::Any], true, dict))
        .add("get", |context: &mut Context, map: MapRef, key: Str| {
            context
                .heap()
                .get(map, &key)
                .cloned()
                .unwrap_or_else(|| Value::string(""))
        })
        .add("set", set)
        .add(
            "unset",
            |context: &mut Context, map: MapRef, key: Str| -> Result<MapRef> {
                context.heap_mut().remove(map, &key)?;
                Ok(context.heap().plain(map))
            },
        )
        .add("hasKey", |context: &mut Context, map: MapRef, key: Str| {
            context.heap().get(map, &key).is_some()
        })
        .add("pluck", pluck)
        .add("keys", keys)
        .add("values", values)
        .add("pick", pick)
        .add("omit", omit)
        .add("dig", dig);
    for (name, overwrite) in [
        ("merge", false),
        ("mustMerge", false),
        ("mergeOverwrite", true),
        ("mustMergeOverwrite", true),
    ] {
        functions.add(
            name,
            move |context: &mut Context, map: MapRef, Rest(sources): Rest<MapRef>| {
                merge(context, map, &sources, overwrite)
            },
        );
    }
    for name in ["deepCopy", "mustDeepCopy"] {
        functions.add(name, |context: &mut Context, value: Value| -> Result<Value> {
            if value.is_nil() {
                return Err("reflect: call of reflect.Value.Type on zero Value".into());
            }
            Ok(deep_copy(context, &value, 0)?)
        });
    }
}

fn dict(context: &mut Context, values: &mut [Value]) -> Result<MapRef> {
    let map = context.heap_mut().map()?;
    for pair in values.chunks_mut(2) {
        let [key, value @ ..] = pair else { continue };
        let key = text_of(context, key)?;
        let value = value.first_mut().map_or_else(|| Value::string(""), core::mem::take);
        context.heap_mut().insert(map, key, value)?;
    }
    Ok(map)
}

fn set(context: &mut Context, map: MapRef, key: Str, value: Value) -> Result<MapRef> {
    if context.heap().is_nil_map(map) {
        return Err("assignment to entry in nil map".into());
    }
    context.heap_mut().insert(map, key, value)?;
    // What takes a map gives a map, whatever its own type is.
    Ok(context.heap().plain(map))
}

fn pluck(context: &mut Context, key: Str, Rest(maps): Rest<MapRef>) -> Result<ListRef> {
    let found = maps
        .iter()
        .filter_map(|map| context.heap().get(*map, &key).cloned())
        .collect();
    list(context, found)
}

/// In order; Go's order is random.
fn keys(context: &mut Context, Rest(maps): Rest<MapRef>) -> Result<ListRef> {
    let mut keys: Vec<Str> = Vec::new();
    for map in maps {
        keys.extend(context.heap().entries(map).map(|(key, _)| key.clone()));
    }
    Ok(context.heap_mut().strings(keys)?)
}

/// In order of keys; Go's order is random.
fn values(context: &mut Context, map: MapRef) -> Result<ListRef> {
    let values = context.heap().entries(map).map(|(_, value)| value.clone()).collect();
    list(context, values)
}

fn pick(context: &mut Context, map: MapRef, Rest(keys): Rest<Str>) -> Result<MapRef> {
    let picked = context.heap_mut().map()?;
    for key in keys {
        if let Some(value) = context.heap().get(map, &key).cloned() {
            context.heap_mut().insert(picked, key, value)?;
        }
    }
    Ok(picked)
}

fn omit(context: &mut Context, map: MapRef, Rest(keys): Rest<Str>) -> Result<MapRef> {
    let kept: Vec<(Str, Value)> = (context.heap().entries(map))
        .filter(|(key, _)| !keys.contains(key))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let picked = context.heap_mut().map()?;
    for (key, value) in kept {
        context.heap_mut().insert(picked, key, value)?;
    }
    Ok(picked)
}

fn merge(context: &mut Context, mut map: MapRef, sources: &[MapRef], overwrite: bool) -> Result<MapRef> {
    for source in sources {
        // A nil map gives way to a new one.
        if context.heap().is_nil_map(map) && !context.heap().is_nil_map(*source) {
            map = context.heap_mut().map()?;
        }
        merge_into(context, map, *source, overwrite)?;
    }
    Ok(context.heap().plain(map))
}

/// As Go's type assertions fail.
fn conversion(context: &Context, value: &Value, wanted: &str) -> CallError {
    let actual = match value {
        Value::Nil => alloc::string::String::from("nil"),
        _ => alloc::format!("{}", Type::of(value, context.heap())),
    };
    alloc::format!("interface conversion: interface {{}} is {actual}, not {wanted}").into()
}

/// The map, if its type is exactly `map[string]interface {}`.
fn plain_map(context: &Context, value: &Value) -> Result<MapRef> {
    match value {
        Value::Map(map) if context.heap().map_elem(*map) == Elem::Any && context.heap().map_name(*map).is_none() => {
            Ok(*map)
        }
        _ => Err(conversion(context, value, "map[string]interface {}")),
    }
}

fn dig(context: &mut Context, Rest(operands): Rest<Value>) -> Result<Value> {
    let [path @ .., default, dict] = operands.as_slice() else {
        return Err("dig needs at least three arguments".into());
    };
    if path.is_empty() {
        return Err("dig needs at least three arguments".into());
    }
    let mut map = plain_map(context, dict)?;
    let mut keys = Vec::with_capacity(path.len());
    for key in path {
        keys.push(key.as_str().ok_or_else(|| conversion(context, key, "string"))?);
    }
    let Some((last, keys)) = keys.split_last() else {
        return Ok(default.clone());
    };
    for key in keys {
        match context.heap().get(map, key).cloned() {
            Some(step) => map = plain_map(context, &step)?,
            None => return Ok(default.clone()),
        }
    }
    Ok(context.heap().get(map, last).unwrap_or(default).clone())
}

/// New lists and maps all the way down.
fn deep_copy(context: &mut Context, value: &Value, depth: usize) -> core::result::Result<Value, Limit> {
    if depth > MAX_VALUE_DEPTH {
        return Err(Limit::ValueDepth);
    }
    context.spend(1)?;
    match value {
        Value::List(list) => {
            let heap = context.heap_mut();
            let elem = heap.list_elem(*list);
            if heap.is_nil_list(*list) {
                return Ok(Value::List(heap.nil_list(elem)?));
            }
            heap.afford_list(list.len())?;
            let items = heap.items(*list).to_vec();
            let copies = items
                .iter()
                .map(|item| deep_copy(context, item, depth + 1))
                .collect::<core::result::Result<_, _>>()?;
            let heap = context.heap_mut();
            let copy = match heap.list_name(*list).cloned() {
                Some(named) => heap.named_list(named, elem, copies)?,
                None => heap.list_of(elem, copies)?,
            };
            Ok(Value::List(copy))
        }
        Value::Map(map) => {
            let heap = context.heap_mut();
            let elem = heap.map_elem(*map);
            if heap.is_nil_map(*map) {
                return Ok(Value::Map(heap.nil_map(elem)?));
            }
            let copy = match heap.map_name(*map).cloned() {
                Some(named) => heap.named_map(named, elem)?,
                None => heap.map_of(elem)?,
            };
            let entries: Vec<(Str, Value)> = heap
                .entries(*map)
                .map(|(key, value)| (key.clone(), value.clone()))
                .collect();
            for (key, value) in entries {
                let value = deep_copy(context, &value, depth + 1)?;
                context.heap_mut().insert(copy, key, value)?;
            }
            Ok(Value::Map(copy))
        }
        Value::Object(object) => Ok(object.copied().unwrap_or_else(|| value.clone())),
        _ => Ok(value.clone()),
    }
}
