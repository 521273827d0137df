//! `toYamlPretty`: YAML with lists indented below their keys, as yaml.v3 writes it with two spaces.

use alloc::string::String;
use alloc::vec::Vec;

use convoy_value::{Map, Value, yaml};

/// `value` as YAML, without a line break at the end.
pub(super) fn write(value: &Value) -> String {
    let mut out = String::new();
    match value {
        Value::Object(map) if !map.is_empty() => object(map, 0, &mut out),
        Value::Array(items) if !items.is_empty() => list(items, 0, &mut out),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            scalar(value, 0, &mut out);
        }
    }
    if out.ends_with('\n') {
        out.pop();
    }
    out
}

fn indent(depth: usize, out: &mut String) {
    for _ in 0..depth {
        out.push_str("  ");
    }
}

/// Keys in the order in which the writer of YAML has them.
fn ordered(map: &Map) -> Vec<(&str, &Value)> {
    let nulls: Map = map.keys().map(|key| (key, Value::Null)).collect();
    let text = yaml::to_string(&Value::Object(nulls));
    let order: Vec<&str> = text.lines().collect();
    let place = |key: &str| {
        let mut line = key_text(key);
        line.push_str(": null");
        order.iter().position(|known| *known == line).unwrap_or(usize::MAX)
    };
    let mut members: Vec<(usize, &str, &Value)> = map.iter().map(|(key, value)| (place(key), key, value)).collect();
    members.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.cmp(b.1)));
    members.into_iter().map(|(_, key, value)| (key, value)).collect()
}

fn key_text(key: &str) -> String {
    let one: Map = [(key, Value::Null)].into_iter().collect();
    let text = yaml::to_string(&Value::Object(one));
    text.strip_suffix(": null\n").map_or_else(|| key.into(), Into::into)
}

fn object(map: &Map, depth: usize, out: &mut String) {
    for (index, (key, value)) in ordered(map).into_iter().enumerate() {
        if index > 0 {
            indent(depth, out);
        }
        out.push_str(&key_text(key));
        out.push(':');
        match value {
            Value::Object(inner) if !inner.is_empty() => {
                out.push('\n');
                indent(depth + 1, out);
                object(inner, depth + 1, out);
            }
            Value::Array(items) if !items.is_empty() => {
                out.push('\n');
                indent(depth + 1, out);
                list(items, depth + 1, out);
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
                out.push(' ');
                scalar(value, depth, out);
            }
        }
    }
}

fn list(items: &[Value], depth: usize, out: &mut String) {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            indent(depth, out);
        }
        out.push_str("- ");
        match item {
            Value::Object(map) if !map.is_empty() => object(map, depth + 1, out),
            Value::Array(inner) if !inner.is_empty() => list(inner, depth + 1, out),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
                scalar(item, depth, out);
            }
        }
    }
}

/// A scalar or an empty collection; the further lines of a block are indented one step more than `depth`.
fn scalar(value: &Value, depth: usize, out: &mut String) {
    let member: Map = [("k", value.clone())].into_iter().collect();
    let text = yaml::to_string(&Value::Object(member));
    let text = text.strip_prefix("k:").unwrap_or(&text);
    for (index, line) in text.trim_start_matches(' ').lines().enumerate() {
        if index > 0 && !line.is_empty() {
            indent(depth, out);
        }
        out.push_str(line);
        out.push('\n');
    }
}
