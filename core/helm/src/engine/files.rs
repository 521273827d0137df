//! `.Files`: the files of a chart that are neither templates nor read by Helm.

#![expect(
    clippy::needless_pass_by_value,
    reason = "the types of its operands are the signature of a function"
)]

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use convoy_template::value::{Elem, Heap, ListRef, MapRef, Named};
use convoy_template::{CallError, Context, Function, Limit, Str, Value, lossy};
use convoy_value::Map;

use super::yaml_json;
use crate::archive::File;
use crate::glob::Glob;

/// The methods, in the order in which they are made.
const NAMES: [&str; 6] = ["Get", "GetBytes", "Glob", "Lines", "AsConfig", "AsSecrets"];

/// The type with its methods.
pub(super) fn named() -> Arc<Named> {
    let methods = [
        Function::new("Get", |context: &mut Context, files: Value, name: Str| {
            content(context, &files, &name)
        }),
        Function::new("GetBytes", |context: &mut Context, files: Value, name: Str| {
            Value::Bytes(content(context, &files, &name))
        }),
        Function::new("Glob", glob),
        Function::new("Lines", lines),
        Function::new("AsConfig", |context: &mut Context, files: Value| {
            by_base_name(context, &files, |bytes| lossy(bytes).into_owned())
        }),
        Function::new("AsSecrets", |context: &mut Context, files: Value| {
            by_base_name(context, &files, base64)
        }),
    ];
    let methods = NAMES
        .into_iter()
        .zip(methods)
        .map(|(name, method)| (name, Arc::new(method)));
    Arc::new(Named {
        name: "engine.files",
        methods: methods.collect(),
    })
}

/// The map of a chart's files.
pub(super) fn map(heap: &mut Heap, named: &Arc<Named>, files: &[File]) -> Result<MapRef, Limit> {
    let map = heap.named_map(Arc::clone(named), Elem::Bytes)?;
    for file in files {
        heap.insert(map, file.name.as_str(), Value::Bytes(Str::from(&file.data[..])))?;
    }
    Ok(map)
}

fn content(context: &Context, files: &Value, name: &[u8]) -> Str {
    let value = files.as_map().and_then(|map| context.heap().get(map, name));
    match value {
        Some(Value::Bytes(bytes) | Value::String(bytes)) => bytes.clone(),
        _ => Str::default(),
    }
}

fn glob(context: &mut Context, files: Value, pattern: Str) -> Result<Value, CallError> {
    let Some(map) = files.as_map() else {
        return Ok(Value::Nil);
    };
    let glob = Glob::new(&pattern.to_text());
    let heap = context.heap();
    let cost: usize = heap
        .entries(map)
        .map(|(name, _)| name.len() * (pattern.len() + 1))
        .sum();
    context.spend(cost as u64 / 16 + 1)?;
    let heap = context.heap();
    let named = heap.map_name(map).map_or_else(named, Arc::clone);
    let found: Vec<(Str, Value)> = heap
        .entries(map)
        .filter(|(name, _)| glob.matches(&name.to_text()))
        .map(|(name, content)| (name.clone(), content.clone()))
        .collect();
    let heap = context.heap_mut();
    let result = heap.named_map(named, Elem::Bytes)?;
    for (name, content) in found {
        heap.insert(result, name, content)?;
    }
    Ok(Value::Map(result))
}

fn lines(context: &mut Context, files: Value, name: Str) -> Result<ListRef, CallError> {
    let known = files
        .as_map()
        .is_some_and(|map| context.heap().get(map, &name).is_some());
    let bytes = content(context, &files, &name);
    let heap = context.heap_mut();
    if !known {
        return Ok(heap.strings::<Str>([])?);
    }
    if bytes.is_empty() {
        return Err(CallError::new("runtime error: index out of range [-1]"));
    }
    let text = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
    Ok(heap.strings(text.split(|b| *b == b'\n'))?)
}

/// As YAML, each file under the last part of its name.
fn by_base_name(context: &mut Context, files: &Value, convert: fn(&[u8]) -> String) -> String {
    let Some(map) = files.as_map() else {
        return String::new();
    };
    let mut texts = BTreeMap::new();
    for (name, value) in context.heap().entries(map) {
        if let Value::Bytes(bytes) | Value::String(bytes) = value {
            let name = name.to_text();
            let base = name.rsplit('/').next().unwrap_or(&name);
            texts.insert(String::from(base), convert(bytes));
        }
    }
    let map: Map = texts.into_iter().collect();
    yaml_json::marshal(&map.into()).unwrap_or_default()
}

pub(super) fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0_u32, |group, byte| group << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let letter = ALPHABET[(group >> (18 - 6 * place) & 63) as usize];
            out.push(if place <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    out
}
