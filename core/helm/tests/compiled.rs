//! A compiled chart renders as the chart does, whatever the values.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread;

use convoy_helm::layers::{self, Layer};
use convoy_helm::{Chart, CompiledChart, Error, Files, Rendered, Settings, render};

fn chart(extra: &[(&str, &str)]) -> Chart {
    let base = [
        (
            "Chart.yaml",
            "apiVersion: v2\nname: c\nversion: 1.0.0\ndependencies:\n- {name: s, version: 1.0.0, condition: s.on}\n- {name: s, version: 1.0.0, alias: t}\n",
        ),
        (
            "templates/a.yaml",
            "{{ define \"x\" }}of c{{ end }}a: {{ include \"x\" . }}\n",
        ),
        ("charts/s/Chart.yaml", "apiVersion: v2\nname: s\nversion: 1.0.0\n"),
        ("charts/s/values.yaml", "v: 1\n"),
        (
            "charts/s/templates/b.yaml",
            "{{ define \"x\" }}of s{{ end }}b: {{ include \"x\" . }} {{ .Template.Name }} {{ .Values.v }}\n",
        ),
    ];
    let files: Files = base
        .iter()
        .chain(extra)
        .map(|(name, text)| ((*name).to_string(), Arc::from(text.as_bytes())))
        .collect::<BTreeMap<_, _>>();
    Chart::load(&files).unwrap()
}

fn settings(set: &str) -> Settings {
    let values = layers::apply(&[Layer::Set(set)], &mut |name| Err(format!("no file {name}"))).unwrap();
    Settings {
        values,
        ..Settings::default()
    }
}

const CHOICES: [&str; 4] = ["a=1", "s.on=false", "s.v=2,t.v=3", "s.on=false,t.v=4"];

fn check(chart: &Chart) -> Vec<Result<Rendered, Error>> {
    let compiled = CompiledChart::new(chart.clone());
    let each = CHOICES.map(|set| {
        let (once, again) = (render(chart, &settings(set)), compiled.render(&settings(set)));
        assert_eq!(once, again, "{set}");
        again
    });
    each.into()
}

#[test]
fn values_decide_which_of_the_templates_are_used() {
    let counts: Vec<usize> = check(&chart(&[]))
        .into_iter()
        .map(|rendered| rendered.unwrap().manifests.len())
        .collect();
    assert_eq!(counts, [3, 2, 3, 2]);
}

#[test]
fn a_malformed_template_fails_the_renders_that_need_it() {
    let broken = chart(&[("charts/s/templates/c.yaml", "{{ nothing }}")]);
    assert!(check(&broken).iter().all(Result::is_err));
    let elsewhere = [
        ("charts/u/Chart.yaml", "apiVersion: v2\nname: u\nversion: 1.0.0\n"),
        ("charts/u/templates/c.yaml", "{{ nothing }}"),
        (
            "Chart.yaml",
            "apiVersion: v2\nname: c\nversion: 1.0.0\ndependencies:\n- {name: u, version: 1.0.0, condition: s.on}\n",
        ),
    ];
    let results = check(&chart(&elsewhere));
    assert_eq!(
        results.iter().map(Result::is_ok).collect::<Vec<_>>(),
        [false, true, false, true]
    );
}

#[test]
fn threads_share_one_compiled_chart() {
    let compiled = CompiledChart::new(chart(&[]));
    let expect = compiled.render(&settings("s.v=2")).unwrap();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(compiled.render(&settings("s.v=2")).unwrap(), expect));
        }
    });
}
