//! `merge` and `mergeOverwrite`, as `dario.cat/mergo` 1.0.1 does it on maps of anything.

use alloc::vec::Vec;

use convoy_template::value::{Heap, MapRef};
use convoy_template::{Context, Limit, MAX_VALUE_DEPTH, Str, Value};

/// Fills `target` from `source`: what is absent or empty there is set; with `overwrite`, everything but maps, which
/// are merged in both cases.
///
/// # Errors
/// When the maps are deeper than the limit, or memory runs out.
pub fn merge_into(context: &mut Context, target: MapRef, source: MapRef, overwrite: bool) -> Result<(), Limit> {
    merge(context, target, source, overwrite, 0)
}

fn merge(context: &mut Context, target: MapRef, source: MapRef, overwrite: bool, depth: usize) -> Result<(), Limit> {
    if depth > MAX_VALUE_DEPTH {
        return Err(Limit::ValueDepth);
    }
    // Maps may hold each other so often that there is no end to them.
    let entries = context.heap().map_len(source) as u64;
    context.spend(4 * (entries + 1))?;
    let heap = context.heap();
    let entries: Vec<(Str, Value)> = heap
        .entries(source)
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    for (key, value) in entries {
        let heap = context.heap_mut();
        let present = heap.get(target, &key).cloned();
        if value.is_nil() {
            if overwrite {
                heap.insert(target, key, Value::Nil)?;
            }
            continue;
        }
        // Both maps: merged even when the one there is empty and will be replaced.
        if let (Value::Map(from), Some(Value::Map(to))) = (&value, &present) {
            merge(context, *to, *from, overwrite, depth + 1)?;
        }
        let heap = context.heap_mut();
        let is_kept = match &present {
            None => false,
            Some(present) if is_empty(heap, present) => false,
            Some(Value::Map(_)) if matches!(value, Value::Map(_)) => true,
            Some(_) => !overwrite,
        };
        if !is_kept {
            heap.insert(target, key, value)?;
        }
    }
    Ok(())
}

/// What counts as not set.
fn is_empty(heap: &Heap, value: &Value) -> bool {
    match value {
        Value::Nil => true,
        Value::Bool(b) => !*b,
        Value::Int(_, i) | Value::Duration(i) => *i == 0,
        Value::Uint(_, u) => *u == 0,
        Value::Float(f) => *f == 0.0,
        Value::String(text) | Value::Bytes(text) => text.is_empty(),
        Value::List(list) => list.is_empty(),
        Value::Map(map) => heap.map_len(*map) == 0,
        _ => false,
    }
}
