//! Requests and what a real kube-apiserver 1.36 answered: ours answers the same, and the real one still does.
//!
//! `recorded.json` holds cases of steps. A step with `differs` says why this server answers differently; when it no
//! longer does, the test fails so that the note goes.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use convoy_testkit_controlplane::{ControlPlane, Options};
use kube::Client;
use kube::config::{KubeConfigOptions, Kubeconfig};
use regex::Regex;
use serde_json::{Value, json};

use crate::common::{Answer, call};

static RECORDED: &str = include_str!("recorded.json");

/// Values that differ from run to run.
const VARIABLE: &[&str] = &[
    "resourceVersion",
    "uid",
    "creationTimestamp",
    "deletionTimestamp",
    "time",
    "clusterIP",
    "clusterIPs",
    "selfLink",
    "lastTransitionTime",
    "batch.kubernetes.io/controller-uid",
    "controller-uid",
];

fn normal(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut out: serde_json::Map<String, Value> = map
                .iter()
                .filter(|(name, value)| !VARIABLE.contains(&name.as_str()) || (value.is_object()))
                .map(|(name, value)| (name.clone(), normal(value)))
                .collect();
            if let Some(entries) = out.get_mut("managedFields").and_then(Value::as_array_mut) {
                entries.sort_by_key(|entry| {
                    format!("{} {} {}", entry["manager"], entry["operation"], entry["subresource"])
                });
            }
            if out.get("kind") == Some(&json!("Status")) {
                several_causes(&mut out);
            }
            Value::Object(out)
        }
        Value::Array(items) => Value::Array(items.iter().map(normal).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

/// The order of several causes, and so of the message that lists them, is not fixed in a real server.
fn several_causes(status: &mut serde_json::Map<String, Value>) {
    let causes = status
        .get("details")
        .and_then(|details| details["causes"].as_array())
        .cloned()
        .unwrap_or_default();
    if causes.len() > 1 {
        status.remove("message");
        let sorted: BTreeSet<String> = causes.iter().map(Value::to_string).collect();
        let sorted: Vec<Value> = sorted.iter().map(|text| serde_json::from_str(text).unwrap()).collect();
        status["details"]["causes"] = Value::Array(sorted);
    }
}

/// What cannot be foreseen inside texts, and what stands for it.
static PLACEHOLDERS: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let pairs = [
        ("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "{uid}"),
        (r"record \([0-9]+\)", "record ({rv})"),
        ("current: [0-9]+", "current: {rv}"),
        (r#""abc-[a-z0-9]{5}""#, "\"{generated}\""),
    ];
    pairs
        .into_iter()
        .map(|(pattern, with)| (Regex::new(pattern).unwrap(), with))
        .collect()
});

fn placeholders(text: &str, namespace: &str) -> String {
    let mut out = text.replace(namespace, "{ns}");
    for (pattern, with) in &*PLACEHOLDERS {
        out = pattern.replace_all(&out, *with).into_owned();
    }
    out
}

fn comparable(answer: &Answer, namespace: &str) -> (u16, Value, Vec<String>) {
    let text = placeholders(&normal(&answer.body).to_string(), namespace);
    let mut warnings: Vec<String> = answer
        .warnings
        .iter()
        .map(|text| text.replace(namespace, "{ns}"))
        .collect();
    warnings.sort();
    (answer.code, normal(&serde_json::from_str(&text).unwrap()), warnings)
}

fn expected(step: &Value) -> (u16, Value, Vec<String>) {
    let code = u16::try_from(step["code"].as_u64().unwrap()).unwrap();
    let warnings = step["warnings"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned);
    (code, normal(&step["answer"]), warnings.collect())
}

async fn run(client: &Client, prefix: &str, respect_differs: bool) -> Vec<String> {
    let cases: Vec<Value> = serde_json::from_str(RECORDED).unwrap();
    let mut wrong = Vec::new();
    for (at, case) in cases.iter().enumerate() {
        let namespace = format!("{prefix}-{at}");
        let object = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}});
        crate::common::json(client, "POST", "/api/v1/namespaces", &object).await;
        for (number, step) in case["steps"].as_array().unwrap().iter().enumerate() {
            let filled: Value = serde_json::from_str(&step.to_string().replace("{ns}", &namespace)).unwrap();
            let answer = perform(client, &filled).await;
            if step.get("until").is_some() {
                continue;
            }
            let got = comparable(&answer, &namespace);
            let expect = expected(step);
            let differs = step.get("differs").filter(|_| respect_differs);
            if differs.is_some() == (got == expect) {
                let name = &case["name"];
                wrong.push(format!(
                    "{name} [{number}] {}\n  want {expect:?}\n  got  {got:?}",
                    step["path"]
                ));
            }
        }
    }
    assert!(cases.len() > 30, "the recording is truncated");
    wrong
}

async fn perform(client: &Client, step: &Value) -> Answer {
    let body = step.get("body").map(Value::to_string).unwrap_or_default().into_bytes();
    let media_type = step["type"].as_str().unwrap_or("application/json");
    let (method, path) = (step["method"].as_str().unwrap(), step["path"].as_str().unwrap());
    for _ in 0..200 {
        let answer = call(client, method, path, media_type, body.clone()).await;
        if step.get("until").is_none_or(|code| *code == json!(answer.code)) {
            if step.get("until").is_some() {
                tokio::time::sleep(std::time::Duration::from_millis(300)).await;
            }
            return answer;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("{path} never answered as wanted");
}

#[tokio::test]
async fn answers_are_those_of_a_real_server() {
    let (_server, client) = crate::common::started(crate::common::builder().controllers(false)).await;
    let wrong = run(&client, "rec", true).await;
    assert!(wrong.is_empty(), "{} steps differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_recorded_answers_are_still_those_of_a_real_server() {
    let plane = tokio::task::spawn_blocking(|| ControlPlane::start_or_skip(Options::default()))
        .await
        .unwrap();
    let Some(plane) = plane else { return };
    let kubeconfig = Kubeconfig::read_from(plane.kubeconfig_path()).unwrap();
    let mut config = kube::Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default())
        .await
        .unwrap();
    config.default_retry = false;
    let client = Client::try_from(config).unwrap();
    let wrong = run(&client, "rec", false).await;
    assert!(wrong.is_empty(), "{} steps differ:\n{}", wrong.len(), wrong.join("\n"));
    tokio::task::spawn_blocking(move || drop(plane)).await.unwrap();
}
