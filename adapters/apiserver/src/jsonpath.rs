//! The part of `JSONPath` that printer columns use.
//!
//! `.a.b`, `['a.b']`, `[0]`, `[*]`, `.*` and `[?(@.a=="b")]`, with or without braces.

use serde_json::Value;

/// At most this many values are found.
const MAX_FOUND: usize = 1_000;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Field(String),
    Index(i64),
    All,
    Where {
        path: Vec<String>,
        equal: bool,
        value: String,
    },
}

/// The values at a path; none when the path cannot be read.
pub(crate) fn find<'a>(path: &str, root: &'a Value) -> Vec<&'a Value> {
    let Some(steps) = parse(path) else { return Vec::new() };
    let mut found = vec![root];
    for step in &steps {
        found = found
            .into_iter()
            .flat_map(|value| take(step, value))
            .take(MAX_FOUND)
            .collect();
    }
    found
}

fn take<'a>(step: &Step, value: &'a Value) -> Vec<&'a Value> {
    match step {
        Step::Field(name) => value.get(name).into_iter().collect(),
        Step::Index(index) => {
            let Some(items) = value.as_array() else {
                return Vec::new();
            };
            let at = if *index < 0 {
                i64::try_from(items.len()).unwrap_or(0) + index
            } else {
                *index
            };
            usize::try_from(at)
                .ok()
                .and_then(|at| items.get(at))
                .into_iter()
                .collect()
        }
        Step::All => match value {
            Value::Array(items) => items.iter().collect(),
            Value::Object(map) => map.values().collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
        },
        Step::Where {
            path,
            equal,
            value: wanted,
        } => {
            let keep = |item: &&Value| {
                let found = path.iter().try_fold(*item, |value, name| value.get(name));
                let text = found.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
                (text.as_deref() == Some(wanted)) == *equal && found.is_some()
            };
            value.as_array().into_iter().flatten().filter(keep).collect()
        }
    }
}

fn parse(path: &str) -> Option<Vec<Step>> {
    let path = path.trim();
    let path = path
        .strip_prefix('{')
        .and_then(|rest| rest.strip_suffix('}'))
        .unwrap_or(path);
    let mut rest = path.strip_prefix('$').unwrap_or(path);
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix('[') {
            let end = closing(inner)?;
            steps.push(bracket(&inner[..end])?);
            rest = &inner[end + 1..];
            continue;
        }
        rest = rest.strip_prefix('.').unwrap_or(rest);
        let (name, after) = word(rest);
        if name == "*" {
            steps.push(Step::All);
        } else if !name.is_empty() {
            steps.push(Step::Field(name));
        }
        rest = after;
    }
    Some(steps)
}

/// A field name with its escapes (`a\.b`), and what follows.
fn word(text: &str) -> (String, &str) {
    let mut out = String::new();
    let mut escaped = false;
    for (at, letter) in text.char_indices() {
        match letter {
            _ if escaped => {
                out.push(letter);
                escaped = false;
            }
            '\\' => escaped = true,
            '.' | '[' => return (out, &text[at..]),
            _ => out.push(letter),
        }
    }
    (out, "")
}

/// Where the bracket closes, outside quotes and parentheses.
fn closing(text: &str) -> Option<usize> {
    let (mut quote, mut depth) = (None, 0_usize);
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            (Some(open), _) => quote = Some(open).filter(|open| *open != letter),
            (None, '\'' | '"') => quote = Some(letter),
            (None, '(') => depth += 1,
            (None, ')') => depth = depth.saturating_sub(1),
            (None, ']') if depth == 0 => return Some(at),
            (None, _) => {}
        }
    }
    None
}

fn unquote(text: &str) -> Option<&str> {
    let text = text.trim();
    ['\'', '"']
        .into_iter()
        .find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote))
}

fn bracket(text: &str) -> Option<Step> {
    let text = text.trim();
    if text == "*" {
        return Some(Step::All);
    }
    if let Some(name) = unquote(text) {
        return Some(Step::Field(name.to_owned()));
    }
    if let Some(filter) = text.strip_prefix("?(").and_then(|rest| rest.strip_suffix(')')) {
        let (path, value, equal) = filter
            .split_once("==")
            .map(|(path, value)| (path, value, true))
            .or_else(|| filter.split_once("!=").map(|(path, value)| (path, value, false)))?;
        let path = path.trim().strip_prefix('@')?.trim_start_matches('.');
        let value = unquote(value).unwrap_or(value.trim()).to_owned();
        return Some(Step::Where {
            path: path.split('.').map(str::to_owned).collect(),
            equal,
            value,
        });
    }
    text.parse().ok().map(Step::Index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn printer_paths_find_their_values() {
        let object =
            json!({"a": {"b.c": 1, "list": [{"type": "Ready", "status": "True"}, {"type": "X", "status": "?"}]}});
        for (path, expect) in [
            (".a.list[0].type", vec![json!("Ready")]),
            (".a.list[?(@.type==\"Ready\")].status", vec![json!("True")]),
            (".a.list[?(@.type!='Ready')].status", vec![json!("?")]),
            (".a['b.c']", vec![json!(1)]),
            (".a.b\\.c", vec![json!(1)]),
            ("{.a.list[*].type}", vec![json!("Ready"), json!("X")]),
            (".a.list[-1].type", vec![json!("X")]),
            (".absent.deeper", vec![]),
            (".a.list[", vec![]),
        ] {
            let found: Vec<Value> = find(path, &object).into_iter().cloned().collect();
            assert_eq!(found, expect, "{path}");
        }
    }
}
