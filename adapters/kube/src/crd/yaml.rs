//! A small YAML writer for the checked-in definitions: block style, keys in the order of the JSON map, every text that
//! could be read as something else in double quotes.

use serde_json::Value;

/// Writes a document.
pub(super) fn write(value: &Value) -> String {
    let mut out = String::new();
    block(&mut out, value, 0);
    out
}

fn block(out: &mut String, value: &Value, indent: usize) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (index, (key, value)) in members.iter().enumerate() {
                if index > 0 {
                    pad(out, indent);
                }
                scalar(out, key);
                out.push(':');
                member(out, value, indent + 2);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    pad(out, indent);
                }
                out.push_str("- ");
                block(out, item, indent + 2);
            }
        }
        Value::String(text) => {
            scalar(out, text);
            out.push('\n');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            out.push_str(&value.to_string());
            out.push('\n');
        }
    }
}

/// The value of a key: on the next line, indented, when it has parts.
fn member(out: &mut String, value: &Value, indent: usize) {
    let has_parts = match value {
        Value::Object(members) => !members.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    };
    if has_parts {
        out.push('\n');
        pad(out, indent);
    } else {
        out.push(' ');
    }
    block(out, value, indent);
}

fn pad(out: &mut String, indent: usize) {
    out.extend(std::iter::repeat_n(' ', indent));
}

/// A text, plain when no reader can take it for anything but itself.
fn scalar(out: &mut String, text: &str) {
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    let reserved = matches!(
        text.to_ascii_lowercase().as_str(),
        "true" | "false" | "yes" | "no" | "on" | "off" | "y" | "n" | "null"
    );
    if text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(word) && !reserved {
        out.push_str(text);
    } else {
        // A JSON text is a double-quoted YAML text.
        out.push_str(&Value::from(text).to_string());
    }
}
