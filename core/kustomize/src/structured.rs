//! YAML or JSON inside of a text: replacements look into it.

use alloc::string::{String, ToString as _};

use convoy_value::{Limits, Value, json, yaml};

use crate::node::{Node, Tag};

/// Reads a text as YAML.
pub(crate) fn parse(text: &str) -> Option<Node> {
    yaml::kustomize::parse_as_written(text, &Limits::default())
        .ok()
        .map(Node::from_written)
}

/// Writes it back as it was: JSON that begins like JSON, else YAML.
pub(crate) fn write(node: &Node, original: &str) -> Result<String, String> {
    match original.trim().chars().next() {
        Some('{' | '[') => {
            let value = node.to_value()?;
            if original.contains('\n') && original.contains("  ") {
                let mut out = String::new();
                pretty(&value, 0, &mut out);
                return Ok(out);
            }
            Ok(json::to_canonical(&value))
        }
        Some(_) => {
            let mut out = String::new();
            block(node, 0, &mut out)?;
            Ok(out.trim().to_string())
        }
        None => Err("the text is empty".into()),
    }
}

fn indent(depth: usize, out: &mut String) {
    for _ in 0..depth {
        out.push_str("  ");
    }
}

/// As Go's `json.MarshalIndent` with two spaces.
fn pretty(value: &Value, depth: usize, out: &mut String) {
    match value {
        Value::Array(items) if !items.is_empty() => {
            out.push_str("[\n");
            for (at, item) in items.iter().enumerate() {
                indent(depth + 1, out);
                pretty(item, depth + 1, out);
                out.push_str(if at + 1 < items.len() { ",\n" } else { "\n" });
            }
            indent(depth, out);
            out.push(']');
        }
        Value::Object(map) if !map.is_empty() => {
            out.push_str("{\n");
            let mut entries: alloc::vec::Vec<_> = map.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            for (at, (key, item)) in entries.iter().enumerate() {
                indent(depth + 1, out);
                out.push_str(&json::to_canonical(&Value::from(*key)));
                out.push_str(": ");
                pretty(item, depth + 1, out);
                out.push_str(if at + 1 < entries.len() { ",\n" } else { "\n" });
            }
            indent(depth, out);
            out.push('}');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            out.push_str(&json::to_canonical(value));
        }
    }
}

/// As yaml.v3 writes a node, keys in their order; comments are gone.
fn block(node: &Node, depth: usize, out: &mut String) -> Result<(), String> {
    match node {
        Node::Map(map) if !map.0.is_empty() => {
            for (at, (key, value)) in map.0.iter().enumerate() {
                if at > 0 {
                    indent(depth, out);
                }
                out.push_str(&scalar(&Value::from(key.as_str()))?);
                out.push(':');
                nested(value, depth, out)?;
            }
            Ok(())
        }
        Node::Seq(items) if !items.is_empty() => {
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    indent(depth, out);
                }
                out.push_str("- ");
                block(item, depth + 1, out)?;
            }
            Ok(())
        }
        Node::Map(_) => {
            out.push_str("{}\n");
            Ok(())
        }
        Node::Seq(_) => {
            out.push_str("[]\n");
            Ok(())
        }
        Node::Scalar(text) => {
            if matches!(text.tag, Tag::Str | Tag::Folded) || text.quoted {
                out.push_str(&scalar(&Value::from(text.text.as_str()))?);
            } else {
                out.push_str(&text.text);
            }
            out.push('\n');
            Ok(())
        }
    }
}

fn nested(value: &Node, depth: usize, out: &mut String) -> Result<(), String> {
    match value {
        Node::Map(map) if !map.0.is_empty() => {
            out.push('\n');
            indent(depth + 1, out);
            block(value, depth + 1, out)
        }
        Node::Seq(items) if !items.is_empty() => {
            out.push('\n');
            indent(depth, out);
            block(value, depth, out)
        }
        Node::Map(_) | Node::Seq(_) | Node::Scalar(_) => {
            out.push(' ');
            block(value, depth, out)
        }
    }
}

fn scalar(value: &Value) -> Result<String, String> {
    let text = yaml::marshal(value).map_err(|error| error.to_string())?;
    Ok(text.trim_end_matches('\n').to_string())
}
