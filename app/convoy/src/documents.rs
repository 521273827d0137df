//! YAML files that people write, in; objects that they read, out.

use std::path::{Path, PathBuf};

use convoy_value::{Limits, Value, yaml};

use crate::disk::read_bounded;
use crate::failure::Failure;

/// Bytes of one file of Releases, sources or settings.
const FILE_BYTES: u64 = 16 << 20;

/// One document of a file, and where it is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Document {
    /// Its content.
    pub(crate) value: Value,
    /// The file.
    pub(crate) file: PathBuf,
    /// Line on which it begins, from 1.
    pub(crate) line: usize,
}

impl Document {
    /// The text under a path of keys, empty when there is none.
    pub(crate) fn text(&self, path: &[&str]) -> &str {
        self.value.at(path).and_then(Value::as_str).unwrap_or_default()
    }

    /// Group of its `apiVersion`, empty for the core group.
    pub(crate) fn group(&self) -> &str {
        self.text(&["apiVersion"])
            .rsplit_once('/')
            .map_or("", |(group, _)| group)
    }

    /// Namespace, `default` when it names none.
    pub(crate) fn namespace(&self) -> &str {
        match self.text(&["metadata", "namespace"]) {
            "" => "default",
            namespace => namespace,
        }
    }

    /// Its content, for what reads the JSON of an API.
    pub(crate) fn json(&self) -> serde_json::Value {
        // A value has text keys and finite numbers: it always has a JSON form.
        serde_json::to_value(&self.value).unwrap_or_default()
    }

    /// Kind, name and place, for messages.
    pub(crate) fn place(&self) -> String {
        let (kind, name) = (self.text(&["kind"]), self.text(&["metadata", "name"]));
        format!("{kind} `{name}` (`{}`, line {})", self.file.display(), self.line)
    }
}

/// Reads all documents of a file that hold something.
pub(crate) fn read(path: &Path) -> Result<Vec<Document>, Failure> {
    let documents = yaml::helm::parse_documents(read_bounded(path, FILE_BYTES)?, &Limits::default())
        .map_err(|error| malformed(path, &error))?;
    Ok(documents
        .into_iter()
        .filter(|document| !document.is_empty())
        .map(|document| Document {
            value: document.value,
            file: path.to_path_buf(),
            line: document.line,
        })
        .collect())
}

/// Reads the only document of a file; a key that is set twice is an error.
pub(crate) fn read_one(path: &Path) -> Result<Value, Failure> {
    yaml::helm::parse_strict(read_bounded(path, FILE_BYTES)?, &Limits::default())
        .map_err(|error| malformed(path, &error))
}

fn malformed(path: &Path, error: &yaml::Error) -> Failure {
    Failure::new(format!("`{}` is not YAML that convoy reads", path.display())).because(error)
}

/// YAML as sigs.k8s.io/yaml writes it.
pub(crate) fn to_yaml(value: &Value) -> String {
    yaml::to_string(value)
}

/// JSON as kubectl prints it: keys in order, four spaces.
pub(crate) fn to_json(value: &Value) -> String {
    let mut text = String::new();
    write_json(value, 0, &mut text);
    text.push('\n');
    text
}

fn write_json(value: &Value, depth: usize, out: &mut String) {
    let indent = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n("    ", depth));
    };
    match value {
        Value::Object(map) if !map.is_empty() => {
            let mut entries: Vec<(&str, &Value)> = map.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            for (i, (key, value)) in entries.into_iter().enumerate() {
                out.push(if i == 0 { '{' } else { ',' });
                indent(out, depth + 1);
                out.push_str(&convoy_value::json::to_canonical(&Value::from(key)));
                out.push_str(": ");
                write_json(value, depth + 1, out);
            }
            indent(out, depth);
            out.push('}');
        }
        Value::Array(items) if !items.is_empty() => {
            for (i, item) in items.iter().enumerate() {
                out.push(if i == 0 { '[' } else { ',' });
                indent(out, depth + 1);
                write_json(item, depth + 1, out);
            }
            indent(out, depth);
            out.push(']');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            out.push_str(&convoy_value::json::to_canonical(value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn file(text: &str) -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.yaml");
        fs::write(&path, text).unwrap();
        (dir, path)
    }

    #[test]
    fn documents_know_where_they_begin() {
        let (_dir, path) =
            file("# nothing\n---\nkind: A\napiVersion: g/v1\nmetadata: {name: x}\n---\n\n---\nkind: B\n");
        let documents = read(&path).unwrap();
        let kinds: Vec<(&str, usize)> = documents.iter().map(|d| (d.text(&["kind"]), d.line)).collect();
        assert_eq!(kinds, [("A", 3), ("B", 9)]);
        assert_eq!(documents[0].group(), "g");
        assert_eq!(documents[0].namespace(), "default");
        assert!(documents[0].place().starts_with("A `x` (`"));
    }

    #[test]
    fn a_file_of_settings_sets_each_key_once() {
        let (_dir, path) = file("a: 1\na: 2\n");
        assert!(format!("{:?}", read_one(&path).unwrap_err()).contains("is not YAML"));
    }

    #[test]
    fn json_is_indented_and_sorted() {
        let value: Value = serde_json::from_str(r#"{"b":[1,"x",{}],"a":{"z":null,"y":[]}}"#).unwrap();
        assert_eq!(
            to_json(&value),
            "{\n    \"a\": {\n        \"y\": [],\n        \"z\": null\n    },\n    \"b\": [\n        1,\n        \
             \"x\",\n        {}\n    ]\n}\n"
        );
    }
}
