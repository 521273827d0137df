//! Charts of ours as `helm template` renders them: recorded, and live where Helm is installed.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use convoy_helm::layers::{self, Layer};
use convoy_helm::{Chart, Files, Selection, Settings, render};
use convoy_testkit_golden::components;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data/helm").join(name)
}

fn charts() -> Vec<PathBuf> {
    let mut charts: Vec<PathBuf> = fs::read_dir(folder("charts"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    charts.sort();
    charts
}

fn collect(dir: &Path, base: &str, files: &mut Files) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{base}{}", path.file_name().unwrap().to_str().unwrap());
        if path.is_dir() {
            collect(&path, &format!("{name}/"), files);
        } else {
            files.insert(name, fs::read(&path).unwrap().into());
        }
    }
}

const VALUES: &str = "ci-values.yaml";

fn ours(chart: &Path) -> Result<String, convoy_helm::Error> {
    let mut files = BTreeMap::new();
    collect(chart, "", &mut files);
    let given = files.get(VALUES).cloned();
    let layer = given.as_deref().map(|text| Layer::File(VALUES, text));
    let values = layers::apply(layer.as_slice(), &mut |_| Err("no file".into()))?;
    let settings = Settings {
        release_name: "rel".into(),
        namespace: "ns".into(),
        values,
        ..Settings::default()
    };
    let rendered = render(&Chart::load(&files)?, &settings)?;
    Ok(rendered.text(Selection {
        include_crds: true,
        ..Selection::default()
    }))
}

/// The text, or Helm's error line; on a stack that holds a thousand includes.
fn shown(chart: &Path) -> String {
    let chart = chart.to_owned();
    let worker = thread::Builder::new()
        .stack_size(512 << 20)
        .spawn(move || ours(&chart).unwrap_or_else(|error| format!("Error: {}\n", error.go_text())));
    worker.unwrap().join().unwrap()
}

fn recorded(chart: &Path) -> String {
    let name = format!("{}.txt", chart.file_name().unwrap().to_str().unwrap());
    fs::read_to_string(folder("expected").join(name)).unwrap()
}

#[test]
fn charts_render_as_recorded() {
    let charts = charts();
    assert!(charts.len() >= 25, "only {} charts", charts.len());
    for chart in charts {
        let (got, expect) = (shown(&chart), recorded(&chart));
        assert!(
            got.trim_end() == expect.trim_end(),
            "{}\n--- ours\n{got}\n--- helm\n{expect}",
            chart.display()
        );
    }
}

#[test]
fn helm_still_answers_what_was_recorded() {
    let Some(helm) = components::find("helm") else { return };
    for chart in charts() {
        let mut command = Command::new(&helm);
        command
            .args(["template", "rel", "-n", "ns", "--include-crds"])
            .arg(&chart);
        if chart.join(VALUES).exists() {
            command.arg("-f").arg(chart.join(VALUES));
        }
        let output = command.output().unwrap();
        let expect = recorded(&chart);
        if output.status.success() {
            assert_eq!(String::from_utf8(output.stdout).unwrap(), expect, "{}", chart.display());
        } else {
            let error = String::from_utf8(output.stderr).unwrap();
            assert!(error.contains(expect.trim_end()), "{}: {error}", chart.display());
        }
    }
}

#[test]
fn a_template_that_includes_itself_is_refused_as_helm_refuses_it() {
    let files: Files = [
        ("Chart.yaml", "apiVersion: v2\nname: r\nversion: 1.0.0"),
        (
            "templates/a.yaml",
            "{{ define \"r\" }}{{ include \"r\" . }}{{ end }}{{ include \"r\" . }}",
        ),
    ]
    .into_iter()
    .map(|(name, text)| (name.to_owned(), text.as_bytes().into()))
    .collect();
    let worker = thread::Builder::new().stack_size(1 << 30).spawn(move || {
        let error = render(&Chart::load(&files).unwrap(), &Settings::default()).unwrap_err();
        error.go_text()
    });
    let error = worker.unwrap().join().unwrap();
    assert!(
        error.ends_with("rendering template has a nested reference name: r: unable to execute template"),
        "{}",
        &error[error.len() - 200..]
    );
}
