//! What is wrong with an object, before any server sees it.
//!
//! The schema of a CRD names every field; a server drops what it does not know, silently. Here such a field is an
//! error with its path, and so are a missing field, a value of another type, and a word that is not in the list.
//! Rules in CEL are left to the server and the controller.

use convoy_value::{Map, Value};

use crate::documents::Document;
use crate::failure::Failure;

/// Problems that one object reports at most.
const MOST: usize = 20;

/// Fields of `metadata` that Kubernetes knows.
const METADATA: &[&str] = &[
    "annotations",
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "finalizers",
    "generateName",
    "generation",
    "labels",
    "managedFields",
    "name",
    "namespace",
    "ownerReferences",
    "resourceVersion",
    "selfLink",
    "uid",
];

/// One problem: where, and what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// Path of keys and indexes, `spec.source.gitRepository`.
    pub(crate) path: String,
    /// The rule that is broken.
    pub(crate) what: String,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}` {}", self.path, self.what)
    }
}

/// Compares every object of ours with the schema of its kind.
pub(crate) fn documents(documents: &[Document]) -> Result<(), Failure> {
    let definitions = convoy_kube::crd::definitions();
    for document in documents {
        let schema = definitions.iter().find_map(|definition| {
            let text = |pointer| definition.pointer(pointer).and_then(serde_json::Value::as_str);
            let kind = text("/spec/names/kind") == Some(document.text(&["kind"]));
            let group = text("/spec/group") == Some(document.group());
            (kind && group)
                .then(|| definition.pointer("/spec/versions/0/schema/openAPIV3Schema"))
                .flatten()
        });
        let Some(schema) = schema else { continue };
        let schema: Value = serde_json::from_value(schema.clone())
            .map_err(|error| Failure::new("the schema of a kind cannot be read").because(&error))?;
        let problems: Vec<String> = check(&document.value, &schema)
            .iter()
            .map(ToString::to_string)
            .collect();
        if !problems.is_empty() {
            return Err(Failure::new(format!("{} is not valid", document.place())).because_text(problems.join("; ")));
        }
    }
    Ok(())
}

/// Compares an object with the structural schema (`openAPIV3Schema`) of its kind.
pub(crate) fn check(object: &Value, schema: &Value) -> Vec<Problem> {
    let mut lint = Lint { problems: Vec::new() };
    lint.root(object, schema);
    lint.problems
}

struct Lint {
    problems: Vec<Problem>,
}

impl Lint {
    fn report(&mut self, path: &str, what: impl Into<String>) {
        if self.problems.len() < MOST {
            self.problems.push(Problem {
                path: path.to_string(),
                what: what.into(),
            });
        }
    }

    /// The members that every object has, and then those of the schema.
    fn root(&mut self, object: &Value, schema: &Value) {
        let Some(members) = object.as_object() else {
            self.report(".", "must be a mapping");
            return;
        };
        let mut rest = members.clone();
        rest.remove("apiVersion");
        rest.remove("kind");
        match rest.remove("metadata").as_ref().map(Value::as_object) {
            Some(Some(metadata)) => {
                for key in metadata.keys().filter(|key| !METADATA.contains(key)) {
                    self.report(&format!("metadata.{key}"), unknown(key, METADATA.iter().copied()));
                }
            }
            Some(None) => self.report("metadata", "must be a mapping"),
            None => self.report("metadata", "is missing"),
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        let required = schema.get("required").and_then(Value::as_array).unwrap_or_default();
        self.members("", &rest, properties, None, required);
    }

    fn value(&mut self, path: &str, value: &Value, schema: &Value) {
        let flag = |name| schema.get(name).and_then(Value::as_bool) == Some(true);
        // A null counts as absent.
        if value.is_null() {
            return;
        }
        if let Some(allowed) = schema.get("enum").and_then(Value::as_array)
            && !allowed.contains(value)
        {
            let words: Vec<&str> = allowed.iter().filter_map(Value::as_str).collect();
            self.report(path, format!("must be one of {}", words.join(", ")));
            return;
        }
        if flag("x-kubernetes-int-or-string") {
            if !matches!(value, Value::String(_) | Value::Number(_)) {
                self.report(path, "must be a number or a text");
            }
            return;
        }
        let keeps_unknown = flag("x-kubernetes-preserve-unknown-fields");
        match schema.get("type").and_then(Value::as_str) {
            Some("object") => self.object(path, value, schema, keeps_unknown),
            Some("array") => self.array(path, value, schema),
            Some("string") if value.as_str().is_none() => self.report(path, "must be a text (in quotes)"),
            Some("boolean") if value.as_bool().is_none() => self.report(path, "must be true or false"),
            Some("integer") if value.as_i64().is_none() => self.report(path, "must be a whole number"),
            Some("number") if !matches!(value, Value::Number(_)) => self.report(path, "must be a number"),
            _ => {}
        }
    }

    fn object(&mut self, path: &str, value: &Value, schema: &Value, keeps_unknown: bool) {
        let Some(members) = value.as_object() else {
            self.report(path, "must be a mapping");
            return;
        };
        let properties = schema.get("properties").and_then(Value::as_object);
        let additional = schema
            .get("additionalProperties")
            .filter(|more| more.as_object().is_some());
        let required = schema.get("required").and_then(Value::as_array).unwrap_or_default();
        if keeps_unknown {
            let known: Map = members
                .iter()
                .filter(|(key, _)| properties.is_some_and(|known| known.contains_key(key)))
                .map(|(key, value)| (key, value.clone()))
                .collect();
            self.members(path, &known, properties, additional, required);
        } else {
            self.members(path, members, properties, additional, required);
        }
    }

    fn members(
        &mut self,
        path: &str,
        members: &Map,
        properties: Option<&Map>,
        additional: Option<&Value>,
        required: &[Value],
    ) {
        let below = |key: &str| {
            if path.is_empty() {
                key.to_string()
            } else {
                format!("{path}.{key}")
            }
        };
        for (key, value) in members.iter() {
            if let Some(schema) = properties.and_then(|known| known.get(key)).or(additional) {
                self.value(&below(key), value, schema);
            } else {
                let known = properties.into_iter().flat_map(Map::keys);
                self.report(&below(key), unknown(key, known));
            }
        }
        for key in required.iter().filter_map(Value::as_str) {
            if members.get(key).is_none_or(Value::is_null) {
                self.report(&below(key), "is missing");
            }
        }
    }

    fn array(&mut self, path: &str, value: &Value, schema: &Value) {
        let Some(items) = value.as_array() else {
            self.report(path, "must be a list");
            return;
        };
        if let Some(schema) = schema.get("items") {
            for (index, item) in items.iter().enumerate() {
                self.value(&format!("{path}[{index}]"), item, schema);
            }
        }
    }
}

/// The message for an unknown field, with the known one that is nearest, if one is near.
fn unknown<'a>(key: &str, known: impl Iterator<Item = &'a str>) -> String {
    match nearest(key, known) {
        Some(near) => format!("is not a known field (did you mean `{near}`?)"),
        None => "is not a known field".to_string(),
    }
}

/// The known word that is at most two edits (half of a short word) away.
pub(crate) fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (word.chars().count() / 2).clamp(1, 2);
    known
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}

/// Number of insertions, deletions and replacements between two words, in lower case.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.to_lowercase().chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(json: &str) -> Value {
        serde_json::from_str(json).unwrap()
    }

    fn problems(object: &str) -> Vec<String> {
        let schema = value(
            r#"{"type":"object","required":["spec"],"properties":{"spec":{"type":"object","required":["url"],"properties":{
                "url":{"type":"string"},"count":{"type":"integer"},"on":{"type":"boolean"},
                "mode":{"type":"string","enum":["a","b"]},
                "labels":{"type":"object","additionalProperties":{"type":"string"}},
                "list":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"}}}},
                "free":{"type":"object","x-kubernetes-preserve-unknown-fields":true},
                "port":{"x-kubernetes-int-or-string":true}
            }}}}"#,
        );
        check(&value(object), &schema).iter().map(ToString::to_string).collect()
    }

    fn check_spec(spec: &str, expect: &[&str]) {
        let object = format!(r#"{{"apiVersion":"x/v1","kind":"X","metadata":{{"name":"x"}},"spec":{spec}}}"#);
        assert_eq!(problems(&object), expect, "{spec}");
    }

    #[test]
    fn what_the_schema_allows_passes() {
        check_spec(
            r#"{"url":"u","count":1,"on":true,"mode":"a","labels":{"any":"x"},"list":[{"name":"n"}],
                "free":{"deep":{"er":1}},"port":"http"}"#,
            &[],
        );
    }

    #[test]
    fn each_problem_names_its_path() {
        check_spec("{}", &["`spec.url` is missing"]);
        check_spec(r#"{"url":null,"count":null}"#, &["`spec.url` is missing"]);
        check_spec(r#"{"url":1}"#, &["`spec.url` must be a text (in quotes)"]);
        check_spec(r#"{"url":"u","count":"1"}"#, &["`spec.count` must be a whole number"]);
        check_spec(r#"{"url":"u","on":"yes"}"#, &["`spec.on` must be true or false"]);
        check_spec(r#"{"url":"u","mode":"c"}"#, &["`spec.mode` must be one of a, b"]);
        check_spec(
            r#"{"url":"u","labels":{"a":1}}"#,
            &["`spec.labels.a` must be a text (in quotes)"],
        );
        check_spec(
            r#"{"url":"u","list":[{"name":"n"},{"nam":"n"}]}"#,
            &["`spec.list[1].nam` is not a known field (did you mean `name`?)"],
        );
        check_spec(
            r#"{"url":"u","port":true}"#,
            &["`spec.port` must be a number or a text"],
        );
        check_spec(
            r#"{"url":"u","elsewhere":1}"#,
            &["`spec.elsewhere` is not a known field"],
        );
    }

    #[test]
    fn metadata_and_the_root_are_checked_too() {
        let check = |object: &str, expect: &[&str]| assert_eq!(problems(object), expect);
        check(
            r#"{"metadata":{"nmae":"x"},"spec":{"url":"u"}}"#,
            &["`metadata.nmae` is not a known field (did you mean `name`?)"],
        );
        check(
            r#"{"metadata":{},"spce":{}}"#,
            &[
                "`spce` is not a known field (did you mean `spec`?)",
                "`spec` is missing",
            ],
        );
        check("[]", &["`.` must be a mapping"]);
        check(
            r#"{"metadata":1,"spec":{"url":"u"}}"#,
            &["`metadata` must be a mapping"],
        );
    }

    static SCHEMAS: std::sync::LazyLock<Vec<Value>> = std::sync::LazyLock::new(|| {
        convoy_kube::crd::definitions()
            .iter()
            .map(|definition| {
                let schema = definition.pointer("/spec/versions/0/schema/openAPIV3Schema").unwrap();
                serde_json::from_value(schema.clone()).unwrap()
            })
            .collect()
    });

    proptest::proptest! {
        #[test]
        fn any_value_is_judged_within_bounds(value in convoy_testkit_strategies::value()) {
            for schema in &*SCHEMAS {
                proptest::prop_assert!(check(&value, schema).len() <= MOST);
            }
        }

        #[test]
        fn a_field_that_is_not_known_is_always_found(key in "[a-z]{12,20}", value in convoy_testkit_strategies::value()) {
            let spec = Map::from_iter([("url", Value::from("u")), (key.as_str(), value)]);
            let object = Map::from_iter([("metadata", Value::from(Map::new())), ("spec", spec.into())]);
            let schema = self::value(r#"{"properties":{"spec":{"type":"object","properties":{"url":{"type":"string"}}}}}"#);
            let found = check(&object.into(), &schema);
            proptest::prop_assert_eq!(found.len(), 1);
            proptest::prop_assert_eq!(&found[0].path, &format!("spec.{key}"));
        }
    }

    #[test]
    fn a_flood_of_problems_is_cut() {
        let many: Vec<String> = (0..100).map(|i| format!(r#""unknown-{i}":1"#)).collect();
        let object = format!(r#"{{"metadata":{{}},"spec":{{"url":"u",{}}}}}"#, many.join(","));
        assert_eq!(problems(&object).len(), MOST);
    }
}
