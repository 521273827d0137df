//! Charts of ours as `helm template` renders them: recorded, and live where Helm is installed.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use convoy_helm::layers::{self, Layer};
use convoy_helm::{Chart, Files, KubeVersion, Selection, Settings, render};
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

/// A chart with flags of `helm template`; `flags/<chart>` has a line for each but the first: its name, and the flags.
struct Case {
    chart: PathBuf,
    name: String,
    flags: Vec<String>,
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for chart in charts() {
        let name = chart.file_name().unwrap().to_str().unwrap().to_owned();
        let given = chart.join(VALUES);
        let values = given.exists().then(|| format!("-f {}", given.display()));
        let mut lines = vec![format!(" --include-crds {}", values.unwrap_or_default())];
        lines.extend(
            fs::read_to_string(folder("flags").join(&name))
                .unwrap_or_default()
                .lines()
                .map(|line| format!("@{line}")),
        );
        for line in lines {
            let (own, flags) = line.split_once(' ').unwrap();
            cases.push(Case {
                chart: chart.clone(),
                name: format!("{name}{own}"),
                flags: flags.split_whitespace().map(str::to_owned).collect(),
            });
        }
    }
    cases
}

/// What the flags ask for.
#[derive(Default)]
struct Asked {
    settings: Settings,
    selection: Selection,
    files: Vec<(String, Vec<u8>)>,
    sets: Vec<(String, String)>,
    show_only: Vec<String>,
}

fn read(flags: &[String]) -> Result<Asked, convoy_helm::Error> {
    let mut asked = Asked::default();
    let mut flags = flags.iter();
    while let Some(flag) = flags.next() {
        let mut next = || flags.next().unwrap().clone();
        match flag.as_str() {
            "-f" => {
                let path = next();
                let text = fs::read(&path).unwrap();
                asked.files.push((path, text));
            }
            "--include-crds" => asked.selection.include_crds = true,
            "--skip-tests" => asked.selection.skip_tests = true,
            "--no-hooks" => asked.selection.no_hooks = true,
            "--is-upgrade" => asked.settings.is_upgrade = true,
            "--show-only" => asked.show_only.push(next()),
            "-a" | "--api-versions" => {
                let given = next();
                asked.settings.api_versions.extend(given.split(',').map(str::to_owned));
            }
            "--kube-version" => asked.settings.kube_version = KubeVersion::parse(&next())?,
            _ if flag.starts_with("--set") => asked.sets.push((flag.clone(), next())),
            _ => panic!("a flag that is not known: {flag}"),
        }
    }
    Ok(asked)
}

fn ours(case: &Case) -> Result<String, convoy_helm::Error> {
    let mut files = BTreeMap::new();
    collect(&case.chart, "", &mut files);
    let Asked {
        mut settings,
        selection,
        files: given,
        sets,
        show_only,
    } = read(&case.flags)?;
    let mut all: Vec<Layer<'_>> = given.iter().map(|(name, text)| Layer::File(name, text)).collect();
    all.extend(sets.iter().map(|(option, text)| match option.as_str() {
        "--set" => Layer::Set(text),
        "--set-string" => Layer::Text(text),
        "--set-json" => Layer::Json(text),
        _ => Layer::Literal(text),
    }));
    settings.values = layers::apply(&all, &mut |_| Err("no file".into()))?;
    settings.release_name = "rel".into();
    settings.namespace = "ns".into();
    let rendered = render(&Chart::load(&files)?, &settings)?;
    if show_only.is_empty() {
        Ok(rendered.text(selection))
    } else {
        rendered.show_only(selection, &show_only)
    }
}

/// The text, or Helm's error line; on a stack that holds a thousand includes.
fn shown(case: &Case) -> String {
    thread::scope(|scope| {
        let worker = thread::Builder::new().stack_size(512 << 20).spawn_scoped(scope, || {
            ours(case).unwrap_or_else(|error| format!("Error: {}\n", error.go_text()))
        });
        worker.unwrap().join().unwrap()
    })
}

fn recorded(case: &Case) -> String {
    fs::read_to_string(folder("expected").join(format!("{}.txt", case.name))).unwrap()
}

#[test]
fn charts_render_as_recorded() {
    let cases = cases();
    assert!(cases.len() >= 120, "only {} cases", cases.len());
    let mut differences = String::new();
    for case in &cases {
        let (got, expect) = (shown(case), recorded(case));
        if got.trim_end() != expect.trim_end() {
            let shown = format!("{}\n--- ours\n{got}\n--- helm\n{expect}", case.name);
            differences.push_str(&shown);
        }
    }
    assert!(differences.is_empty(), "{differences}");
}

#[test]
fn helm_still_answers_what_was_recorded() {
    let Some(helm) = components::find("helm") else { return };
    for case in cases() {
        let mut command = Command::new(&helm);
        command
            .args(["template", "rel", "-n", "ns"])
            .args(&case.flags)
            .arg(&case.chart);
        let output = command.output().unwrap();
        let expect = recorded(&case);
        if output.status.success() {
            assert_eq!(String::from_utf8(output.stdout).unwrap(), expect, "{}", case.name);
        } else {
            let error = String::from_utf8(output.stderr).unwrap();
            assert!(error.contains(expect.trim_end()), "{}: {error}", case.name);
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
