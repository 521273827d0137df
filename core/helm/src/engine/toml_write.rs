//! `toToml`, as `BurntSushi`'s library writes TOML: what is no table first, then the tables, each two spaces deeper.

#![expect(
    clippy::needless_pass_by_value,
    reason = "the types of its operands are the signature of a function"
)]

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use convoy_template::{CallError, Context, Value as Dynamic};
use convoy_value::{Map, Number, Value};

use crate::gofloat;

fn text(context: &mut Context, value: &Dynamic) -> Result<Result<String, String>, CallError> {
    let text = match super::yaml_json::plain(context, value)? {
        Ok(value) => encode(&value, context.limits().text),
        Err(reason) => Err(reason),
    };
    if let Ok(text) = &text {
        context.afford_text(text.len())?;
    }
    Ok(text)
}

/// TOML, or the text of the error.
pub(super) fn to_toml(context: &mut Context, value: Dynamic) -> Result<String, CallError> {
    if value.is_nil() {
        return Err(CallError::new("reflect: call of reflect.Value.Type on zero Value"));
    }
    Ok(text(context, &value)?.unwrap_or_else(|reason| reason))
}

/// TOML, or an error.
pub(super) fn must_to_toml(context: &mut Context, value: Dynamic) -> Result<String, CallError> {
    if value.is_nil() {
        return Err(CallError::new("reflect: call of reflect.Value.Type on zero Value"));
    }
    text(context, &value)?.map_err(CallError::new)
}

/// The writing ends soon after `max` bytes.
fn encode(value: &Value, max: usize) -> Result<String, String> {
    let mut writer = Writer {
        out: String::new(),
        max,
    };
    match value {
        Value::Object(map) => writer.members(&[], map)?,
        Value::Array(items) if is_tables(items)? => {
            return Err("toml: top-level values must be Go maps or structs".into());
        }
        other => writer.element(other)?,
    }
    Ok(writer.out)
}

/// Whether a list holds tables and nothing else.
fn is_tables(items: &[Value]) -> Result<bool, String> {
    if items.iter().any(Value::is_null) {
        return Err("toml: cannot encode array with nil element".into());
    }
    Ok(!items.is_empty() && items.iter().all(|item| matches!(item, Value::Object(_))))
}

struct Writer {
    out: String,
    max: usize,
}

impl Writer {
    fn line_break(&mut self) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
    }

    fn indent(&mut self, path: &[&str]) {
        for _ in 1..path.len() {
            self.out.push_str("  ");
        }
    }

    fn members(&mut self, path: &[&str], map: &Map) -> Result<(), String> {
        let (mut direct, mut tables) = (Vec::new(), Vec::new());
        for (key, value) in map.iter() {
            let is_table = match value {
                Value::Object(_) => true,
                Value::Array(items) => is_tables(items)?,
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
            };
            if is_table {
                tables.push((key, value));
            } else {
                direct.push((key, value));
            }
        }
        for list in [&mut direct, &mut tables] {
            list.sort_by_key(|(key, _)| *key);
        }
        for (key, value) in direct.into_iter().chain(tables).filter(|(_, value)| !value.is_null()) {
            if self.out.len() > self.max {
                break;
            }
            let path: Vec<&str> = path.iter().copied().chain([key]).collect();
            match value {
                Value::Object(map) => {
                    if path.len() == 1 {
                        self.line_break();
                    }
                    self.header(&path, "[", "]");
                    self.members(&path, map)?;
                }
                Value::Array(items) if is_tables(items)? => {
                    for item in items.iter().filter_map(Value::as_object) {
                        if self.out.len() > self.max {
                            break;
                        }
                        self.line_break();
                        self.header(&path, "[[", "]]");
                        self.members(&path, item)?;
                    }
                }
                other => {
                    self.indent(&path);
                    self.out.push_str(&format!("{} = ", quoted_key(key)));
                    self.element(other)?;
                    self.line_break();
                }
            }
        }
        Ok(())
    }

    fn header(&mut self, path: &[&str], open: &str, close: &str) {
        self.indent(path);
        let keys: Vec<String> = path.iter().map(|key| quoted_key(key)).collect();
        self.out.push_str(&format!("{open}{}{close}", keys.join(".")));
        self.line_break();
    }

    fn element(&mut self, value: &Value) -> Result<(), String> {
        match value {
            Value::Null => return Err("toml: cannot encode array with nil element".into()),
            Value::Bool(b) => self.out.push_str(if *b { "true" } else { "false" }),
            Value::Number(number) => self.out.push_str(&number_text(number)),
            Value::String(text) => self.out.push_str(&quoted(text)),
            Value::Array(items) => {
                is_tables(items)?;
                self.out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        self.out.push_str(", ");
                    }
                    self.element(item)?;
                }
                self.out.push(']');
            }
            Value::Object(map) => self.inline(map)?,
        }
        Ok(())
    }

    fn inline(&mut self, map: &Map) -> Result<(), String> {
        let mut members: Vec<_> = map.iter().filter(|(_, value)| !value.is_null()).collect();
        members.sort_by_key(|(key, value)| (matches!(value, Value::Object(_)), *key));
        self.out.push('{');
        for (index, (key, value)) in members.into_iter().enumerate() {
            if index > 0 {
                self.out.push_str(", ");
            }
            self.out.push_str(&format!("{} = ", quoted_key(key)));
            self.element(value)?;
        }
        self.out.push('}');
        Ok(())
    }
}

fn number_text(number: &Number) -> String {
    match number {
        Number::Float(f) if f.is_nan() => "nan".into(),
        Number::Float(f) if f.is_infinite() => if *f < 0.0 { "-inf" } else { "inf" }.into(),
        Number::Float(f) => {
            let text = gofloat::general(*f);
            if text.contains(['e', '.']) { text } else { text + ".0" }
        }
        other => gofloat::display(other),
    }
}

fn quoted_key(key: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !key.is_empty() && key.chars().all(bare) {
        key.to_string()
    } else {
        quoted(key)
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            c if (c as u32) < 0x20 || c == '\u{7f}' => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use convoy_value::{Limits, yaml};

    use super::*;

    #[test]
    fn tables_come_after_what_is_none() {
        let check = |text: &str, expect: &str| {
            let value = yaml::helm::parse_values(text, &Limits::default()).unwrap();
            assert_eq!(encode(&value, usize::MAX).unwrap_or_else(|reason| reason), expect);
        };
        check(
            "{b: {c: x, d: {e: 1.5}}, a: [1, two], z: null, l: [{k: v}]}",
            "a = [1.0, \"two\"]\n\n[b]\n  c = \"x\"\n  [b.d]\n    e = 1.5\n\n[[l]]\n  k = \"v\"\n",
        );
        check("{'a b': \"x\\n\\\"\"}", "\"a b\" = \"x\\n\\\"\"\n");
        check("{a: [null]}", "toml: cannot encode array with nil element");
    }
}
