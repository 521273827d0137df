//! Charts of charts: aliases, conditions, tags, imported values, globals, nulls, and values over all of them.

use serde_json::{Map, Value, json};

use crate::generate::Random;
use crate::helm_template::Question;

const NAMES: &[&str] = &["one", "two", "lib"];
const SHOWN: &str = "v: {{ .Values | toJson }}\nn: {{ .Chart.Name }} {{ .Chart.Version }} {{ .Chart.IsRoot }}\n\
d: {{ .Chart.Dependencies | toJson }}\ns: {{ range $k, $v := .Subcharts }}{{ $k }} {{ $v.Values | toJson | len }} {{ end }}\n\
t: {{ .Template.Name }}\ng: {{ (.Values.global | default dict) | toYaml | nindent 2 }}\n";

/// A chart with others in it, and values.
#[must_use]
pub fn chart(random: &mut Random) -> Question {
    let mut question = Question::default();
    folder(random, &mut question, "", "root", 2);
    for _ in 0..random.below(3) {
        let values = values(random, &["one", "two", "lib", "al", "al2"], 3);
        question.values.push(values.to_string());
    }
    for _ in 0..random.below(3) {
        question.sets.push((
            random.pick(&["--set", "--set", "--set-string", "--set-json"]).into(),
            random
                .pick(&[
                    "a.b=1",
                    "global.a.c=5",
                    "one.enabled=false",
                    "two=null",
                    "a=null",
                    "one.global.a.b=2",
                    "tags.t1=true",
                    "tags.t2=false",
                    "b[1].c=1",
                    "one.a=null",
                    "al.enabled=true",
                    "global=null",
                    "one.two.a=3",
                    "one.b.c=null",
                    "exports.data.a=7",
                ])
                .into(),
        ));
    }
    question
}

fn folder(random: &mut Random, question: &mut Question, path: &str, name: &str, depth: usize) -> String {
    let version = random.pick(&["1.0.0", "0.1.2", "2.0.0-rc.1"]).to_owned();
    let mut meta = Map::new();
    let first = random.one_in(8);
    meta.insert("apiVersion".into(), if first { "v1" } else { "v2" }.into());
    meta.insert("name".into(), name.into());
    meta.insert("version".into(), version.clone().into());
    if name == "lib" && random.one_in(2) && !first {
        meta.insert("type".into(), "library".into());
    }
    let mut known: Vec<String> = Vec::new();
    let mut dependencies: Vec<Value> = Vec::new();
    for sub in NAMES {
        if depth == 0 || random.one_in(2) {
            continue;
        }
        let has = folder(random, question, &format!("{path}charts/{sub}/"), sub, depth - 1);
        known.push((*sub).into());
        // Not listed, but there: it is part of the chart.
        if random.one_in(7) {
            continue;
        }
        for time in 0..=usize::from(random.one_in(4)) {
            dependencies.push(dependency(random, sub, &has, time, &mut known));
        }
    }
    let listed = Value::Array(dependencies);
    if first && listed.as_array().is_some_and(|listed| !listed.is_empty()) {
        let text = json!({ "dependencies": listed }).to_string();
        question.files.push((format!("{path}requirements.yaml"), text));
    } else if listed.as_array().is_some_and(|listed| !listed.is_empty()) || random.one_in(10) {
        meta.insert("dependencies".into(), listed);
    }
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let own = values(random, &known, 3);
    let mut put = |file: &str, text: String| question.files.push((format!("{path}{file}"), text));
    put("Chart.yaml", Value::Object(meta).to_string());
    if !random.one_in(12) {
        put("values.yaml", own.to_string());
    }
    put("templates/v.yaml", SHOWN.into());
    if random.one_in(6) {
        put("templates/NOTES.txt", "of {{ .Chart.Name }}".into());
    }
    if random.one_in(8) {
        put("values.schema.json", schema(random).to_string());
    }
    if random.one_in(5) {
        let weight = random.pick(&["-5", "0", "10", "x"]);
        let kind = random.pick(&["Job", "ConfigMap", "Namespace", "Odd", "CustomResourceDefinition"]);
        let hook = random.pick(&["pre-install", "post-install,test", "crd-install", "nope"]);
        put(
            "templates/h.yaml",
            format!(
                "apiVersion: v1\nkind: {kind}\nmetadata:\n  name: {name}-{depth}\n  annotations:\n    helm.sh/hook: \"{hook}\"\n    helm.sh/hook-weight: \"{weight}\"\n---\nkind: Secret\nmetadata: {{name: z}}\n---\n# nothing\n---\nkind: Role\n"
            ),
        );
    }
    version
}

fn dependency(random: &mut Random, name: &str, version: &str, time: usize, known: &mut Vec<String>) -> Value {
    let mut listed = Map::new();
    listed.insert("name".into(), name.into());
    let version = if random.one_in(3) {
        random.pick(&[">=0.0.0-0", "*", "^9", "", "~0.1", "1.x || 2.x-0"])
    } else {
        version
    };
    listed.insert("version".into(), version.into());
    let mut called = name.to_owned();
    if time > 0 || random.one_in(3) {
        called = format!("{}{}", random.pick(&["al", "al2"]), if time > 0 { "x" } else { "" });
        listed.insert("alias".into(), called.clone().into());
        known.push(called.clone());
    }
    if random.one_in(2) {
        let own = format!("{called}.enabled");
        let both = format!("a.b,{called}.enabled");
        let condition = random.pick(&["enabled", &own, &both, "global.a", "absent.x", "tags.t1"]);
        listed.insert("condition".into(), condition.into());
    }
    if random.one_in(3) {
        let tags = random.pick(&["[\"t1\"]", "[\"t2\"]", "[\"t1\",\"t2\"]", "[]"]);
        listed.insert("tags".into(), serde_json::from_str(tags).unwrap_or_default());
    }
    if random.one_in(2) {
        let import = random.pick(&[
            "[\"data\"]",
            "[\"e2\"]",
            "[{\"child\":\"a\",\"parent\":\"imp\"}]",
            "[{\"child\":\"exports.data\",\"parent\":\"a\"}]",
            "[{\"child\":\"global\",\"parent\":\".\"}]",
            "[\"data\",{\"child\":\"b\",\"parent\":\"b.c\"}]",
            "[{\"child\":\"absent\",\"parent\":\"x\"}]",
            "[\"absent\"]",
            "[{\"child\":\"a\"}]",
            "[{\"child\":\"one.a\",\"parent\":\"imp.deep\"}]",
        ]);
        listed.insert("import-values".into(), serde_json::from_str(import).unwrap_or_default());
    }
    Value::Object(listed)
}

fn value(random: &mut Random, depth: usize) -> Value {
    if depth > 0 && random.one_in(2) {
        let mut map = Map::new();
        for key in ["a", "b", "c", "d", "enabled"] {
            if random.one_in(2) {
                map.insert(key.into(), value(random, depth - 1));
            }
        }
        return Value::Object(map);
    }
    let text = random.pick(&[
        "null",
        "null",
        "1",
        "\"x\"",
        "\"y\"",
        "true",
        "false",
        "[1,{\"a\":null}]",
        "1.5",
        "\"\"",
        "0",
        "[]",
        "{}",
        "123456789",
        "\"null\"",
    ]);
    serde_json::from_str(text).unwrap_or_default()
}

fn values(random: &mut Random, subs: &[&str], depth: usize) -> Value {
    let mut map = Map::new();
    for key in ["a", "b", "c", "enabled"] {
        if random.one_in(2) {
            map.insert(key.into(), value(random, depth - 1));
        }
    }
    if random.one_in(2) {
        // What is no map is a difference that docs/differences.md names.
        let global = Some(value(random, 3)).filter(Value::is_object).unwrap_or_default();
        map.insert("global".into(), global);
    }
    for sub in subs {
        if random.one_in(2) {
            let inner = match random.below(40) {
                0 => json!(1),
                1 => json!("x"),
                2 | 3 => Value::Null,
                _ => {
                    let below: &[&str] = if random.one_in(3) { &["one", "two"] } else { &[] };
                    values(random, below, 2)
                }
            };
            map.insert((*sub).into(), inner);
        }
    }
    if random.one_in(3) {
        let tags = random.pick(&[
            "{\"t1\":true}",
            "{\"t1\":false,\"t2\":true}",
            "{\"t2\":\"x\"}",
            "{}",
            "{\"t1\":null}",
        ]);
        map.insert("tags".into(), serde_json::from_str(tags).unwrap_or_default());
    }
    if random.one_in(2) {
        map.insert(
            "exports".into(),
            json!({ "data": value(random, 3), "e2": { "a": value(random, 2), "b": null } }),
        );
    }
    Value::Object(map)
}

fn schema(random: &mut Random) -> Value {
    let text = random.pick(&[
        "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":[\"object\",\"null\"]}}}",
        "{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"properties\":{\"a\":{\"type\":\"string\"}}}",
        "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"required\":[\"a\"]}",
        "{\"properties\":{\"global\":{\"type\":\"object\"}}}",
        "true",
        "false",
        "{\"additionalProperties\":false,\"properties\":{\"a\":{},\"b\":{},\"c\":{},\"global\":{},\"enabled\":{}}}",
        "{\"properties\":{\"b\":{\"enum\":[1,\"x\",null]}}}",
        "{\"$schema\":\"http://json-schema.org/draft-04/schema#\",\"properties\":{\"c\":{\"minimum\":1,\"exclusiveMinimum\":true}}}",
    ]);
    serde_json::from_str(text).unwrap_or_default()
}
