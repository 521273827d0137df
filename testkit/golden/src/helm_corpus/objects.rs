//! The objects of a text, what differs between two of them, and their digest without it.

use std::collections::BTreeSet;

use convoy_value::{Limits, Value, json, yaml};

use crate::corpus;

/// The number of a document, then keys and indexes.
pub type Path = Vec<String>;

/// The documents of a text, in order; one that is no YAML is its text.
#[must_use]
pub fn documents(text: &str) -> Vec<Value> {
    let limits = Limits {
        bytes: usize::MAX,
        ..Limits::default()
    };
    let mut parts = vec![String::new()];
    for line in text.lines() {
        let rest = line
            .strip_prefix("---")
            .filter(|rest| rest.is_empty() || rest.starts_with([' ', '\t']));
        if let Some(rest) = rest {
            parts.push(format!("{}\n", rest.trim_start()));
        } else if let Some(part) = parts.last_mut() {
            part.push_str(line);
            part.push('\n');
        }
    }
    let read = |part: &String| yaml::helm::parse(part, &limits).unwrap_or_else(|_| Value::from(part.trim()));
    parts.iter().map(read).filter(|value| !value.is_null()).collect()
}

/// The paths of what differs between two lists of documents of one length; `None` if their lengths differ.
#[must_use]
pub fn differing(a: &[Value], b: &[Value]) -> Option<BTreeSet<Path>> {
    if a.len() != b.len() {
        return None;
    }
    let mut found = BTreeSet::new();
    for (index, (a, b)) in a.iter().zip(b).enumerate() {
        compare(a, b, &mut vec![index.to_string()], &mut found);
    }
    Some(found)
}

fn compare(a: &Value, b: &Value, path: &mut Path, found: &mut BTreeSet<Path>) {
    let mut at = |key: String, pair: Option<(&Value, &Value)>, path: &mut Path| {
        path.push(key);
        match pair {
            Some((a, b)) => compare(a, b, path, found),
            None => drop(found.insert(path.clone())),
        }
        path.pop();
    };
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            for (key, value) in a.iter() {
                at(key.to_string(), b.get(key).map(|other| (value, other)), path);
            }
            for (key, _) in b.iter().filter(|(key, _)| !a.contains_key(key)) {
                at(key.to_string(), None, path);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (index, pair) in a.iter().zip(b.iter()).enumerate() {
                at(index.to_string(), Some(pair), path);
            }
        }
        _ if a == b => {}
        _ => drop(found.insert(path.clone())),
    }
}

/// The digest of documents without what `paths` name.
#[must_use]
pub fn digest(documents: &[Value], paths: &[Path]) -> String {
    let mut documents = documents.to_vec();
    for path in paths {
        let [document, rest @ ..] = &path[..] else { continue };
        let found = document.parse().ok().and_then(|index: usize| documents.get_mut(index));
        if let Some(document) = found {
            hide(document, rest);
        }
    }
    let text: Vec<String> = documents.iter().map(json::to_canonical).collect();
    corpus::digest(text.join("\n").as_bytes())
}

fn hide(value: &mut Value, path: &[String]) {
    let [key, rest @ ..] = path else {
        *value = Value::Null;
        return;
    };
    match value {
        Value::Object(map) if rest.is_empty() => map.retain(|name, _| name != key.as_str()),
        Value::Object(map) => {
            if let Some(inner) = map.get_mut(key) {
                hide(inner, rest);
            }
        }
        Value::Array(items) => {
            if let Some(inner) = key.parse().ok().and_then(|index: usize| items.get_mut(index)) {
                hide(inner, rest);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// A path as text: parts with `/` between.
#[must_use]
pub fn write_path(path: &Path) -> String {
    let escaped = path.iter().map(|part| {
        part.replace('~', "~0")
            .replace('/', "~1")
            .replace('\t', "~2")
            .replace('\n', "~3")
    });
    escaped.collect::<Vec<String>>().join("/")
}

/// The path that a text is of.
#[must_use]
pub fn read_path(text: &str) -> Path {
    let part = |part: &str| {
        part.replace("~3", "\n")
            .replace("~2", "\t")
            .replace("~1", "/")
            .replace("~0", "~")
    };
    text.split('/').map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_named_and_left_out() {
        let a = documents("---\n# x\na: {k: 1, l: [1, 2]}\n---\nb: 1\n--- \n");
        let b = documents("a: {k: 2, l: [1]}\n---\nb: 1\nc: 1\n");
        let found = differing(&a, &b).unwrap();
        let shown: Vec<String> = found.iter().map(write_path).collect();
        assert_eq!(shown, ["0/a/k", "0/a/l", "1/c"]);
        let paths: Vec<Path> = found.into_iter().collect();
        assert_eq!(digest(&a, &paths), digest(&b, &paths));
        assert_ne!(digest(&a, &paths[1..]), digest(&b, &paths[1..]));
        assert!(differing(&a, &b[1..]).is_none());
    }
}
