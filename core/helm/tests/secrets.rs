//! What an error displays holds no value, while Helm's own words do.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::collections::BTreeMap;
use std::sync::Arc;

use convoy_helm::layers::{self, Layer};
use convoy_helm::{Chart, Error, Files, Settings, render};

const CANARY: &str = "hunter2-canary";

fn files(extra: &[(&str, &str)]) -> Files {
    let base = [("Chart.yaml", "apiVersion: v2\nname: c\nversion: 1.0.0\n")];
    let all = base.iter().chain(extra);
    all.map(|(name, text)| ((*name).to_string(), Arc::from(text.as_bytes())))
        .collect::<BTreeMap<_, _>>()
}

fn fails(extra: &[(&str, &str)], layers: &[Layer<'_>]) -> Error {
    let result = Chart::load(&files(extra)).and_then(|chart| {
        let values = layers::apply(layers, &mut |name| Err(format!("no file {name}")))?;
        render(
            &chart,
            &Settings {
                values,
                ..Settings::default()
            },
        )
    });
    result.unwrap_err()
}

fn hides(error: &Error, place: &str) {
    let shown = format!("{error} {error:?}");
    assert!(!shown.contains(CANARY), "shown: {shown}");
    assert!(shown.contains(place), "not in place: {shown}");
    let go = error.go_text();
    assert!(go.contains(CANARY), "Helm's words hold it: {go}");
}

fn template(template: &str, place: &str) {
    let values = format!("password: {CANARY}\ntext: '{{{{ fail \"{CANARY}\" }}}}'\n");
    let error = fails(
        &[("templates/a.yaml", template)],
        &[Layer::File("v.yaml", values.as_bytes())],
    );
    hides(&error, place);
}

#[test]
fn errors_of_templates_show_no_value() {
    template("{{ fail .Values.password }}", "c/templates/a.yaml:1:3");
    template(
        "{{ required .Values.password .Values.absent }}",
        "c/templates/a.yaml:1:3",
    );
    template("\n{{ range .Values.password }}{{ end }}", "c/templates/a.yaml:2:");
    template("{{ include .Values.password . }}", "c/templates/a.yaml:1:3");
    template("{{ tpl .Values.text . }}", "c/templates/a.yaml:1:3");
    template(
        "{{ tpl (printf \"{{ %s }}\" .Values.password) . }}",
        "c/templates/a.yaml:1:3",
    );
    template(
        "{{ mustRegexMatch (printf \"(%s\" .Values.password) \"a\" }}",
        "c/templates/a.yaml:1:3",
    );
    template("{{ mustToDate \"2006\" .Values.password }}", "c/templates/a.yaml:1:3");
}

#[test]
fn what_a_chart_says_in_a_literal_is_shown() {
    let error = fails(&[("templates/a.yaml", "{{ fail \"give a \\\"password\\\"\" }}")], &[]);
    assert_eq!(
        error.to_string(),
        "execution error at (c/templates/a.yaml:1:3): give a \"password\""
    );
}

#[test]
fn errors_of_manifests_show_no_value() {
    let values = format!("password: {CANARY}\n");
    for text in ["a: *{{ .Values.password }}", "a: !!int {{ .Values.password }}"] {
        let error = fails(
            &[("templates/a.yaml", text)],
            &[Layer::File("v.yaml", values.as_bytes())],
        );
        hides(&error, "c/templates/a.yaml");
    }
}

#[test]
fn errors_of_values_show_no_value() {
    let text = format!("a: *{CANARY}");
    hides(&fails(&[], &[Layer::File("v.yaml", text.as_bytes())]), "v.yaml");
    hides(&fails(&[("values.yaml", &text)], &[]), "values.yaml");
    for layer in [
        Layer::Json(&format!("a={{{CANARY}")),
        Layer::Json(&format!("{{{CANARY}")),
        Layer::Set(CANARY),
        Layer::Set(&format!("a[{CANARY}]=1")),
        Layer::Content(&format!("a={CANARY}")),
    ] {
        hides(&fails(&[], &[layer]), "failed parsing --set");
    }
    let sub = ("charts/s/Chart.yaml", "apiVersion: v2\nname: s\nversion: 1.0.0\n");
    let text = format!("s: {CANARY}");
    hides(
        &fails(&[sub], &[Layer::File("v.yaml", text.as_bytes())]),
        "mismatch on s",
    );
}

#[test]
fn failures_of_schemas_show_no_value() {
    for property in [r#"{"pattern": "^x"}"#, r#"{"format": "ipv4"}"#] {
        let schema =
            format!(r#"{{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {{"a": {property}}}}}"#);
        let text = format!("a: {CANARY}");
        let error = fails(
            &[("values.schema.json", &schema)],
            &[Layer::File("v.yaml", text.as_bytes())],
        );
        hides(&error, "/a");
    }
    let schema = r#"{"properties": {"a": {"minimum": 5000}, "b": {"minLength": 5000}}}"#;
    let error = fails(
        &[("values.schema.json", schema)],
        &[Layer::Set("a=4711"), Layer::Text("b=abc")],
    );
    assert!(error.go_text().contains("got 4,711") || error.go_text().contains("got 4711"));
    assert!(!error.to_string().contains("got"), "{error}");
}
