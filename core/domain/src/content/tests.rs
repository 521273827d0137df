use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::{format, vec};

use convoy_value::{Map, Value, json};

use super::*;
use crate::condition::{Failure, Reason};
use crate::id::NamespacedName;
use crate::release::{CapabilitiesMode, Helm, Kustomize, ValuesLayer};

fn tree(files: &[(&str, &str)]) -> Files {
    files
        .iter()
        .map(|(path, text)| ((*path).to_string(), Arc::from(text.as_bytes())))
        .collect()
}

fn map(text: &str) -> Map {
    let value = json::parse(text, &convoy_value::Limits::default()).unwrap();
    let Value::Object(map) = value else {
        panic!("{value:?} is no map")
    };
    map
}

fn key(byte: u8) -> EntropyKey {
    EntropyKey::new(vec![byte; 32]).unwrap()
}

fn at<'a>(files: &Files, content: &Content, change: impl FnOnce(&mut Inputs<'a>)) -> Result<Rendered, ContentError> {
    // Leaked, so that a test may put shorter-lived ones in their place.
    let release = Box::leak(Box::new(NamespacedName::new("apps", "web").unwrap()));
    let mut inputs = Inputs {
        release,
        entropy: Some(Box::leak(Box::new(key(1)))),
        now: Timestamp::from_second(1_800_000_000).unwrap(),
        cluster: None,
        cancel: None,
    };
    change(&mut inputs);
    render(files, content, &inputs, &Limits::default())
}

fn shown(rendered: &Rendered) -> Vec<String> {
    rendered
        .objects
        .iter()
        .map(|object| json::to_canonical(object.as_value()))
        .collect()
}

const CHART: &str = "apiVersion: v2\nname: web\nversion: 1.0.0\n";

fn chart(templates: &[(&str, &str)]) -> Files {
    let mut files = tree(&[
        ("charts/web/Chart.yaml", CHART),
        ("README.md", "not a part of the chart"),
    ]);
    for (name, text) in templates {
        files.insert(format!("charts/web/{name}"), Arc::from(text.as_bytes()));
    }
    files
}

fn helm() -> Helm {
    Helm {
        path: "charts/web".into(),
        include_crds: true,
        ..Helm::default()
    }
}

fn config(name: &str, value: &str) -> String {
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\ndata: {{v: {value}}}\n")
}

/// What the one value of a chart's one `ConfigMap` is.
fn drawn<'a>(template: &str, helm: &Helm, change: impl FnOnce(&mut Inputs<'a>)) -> String {
    let files = chart(&[("templates/a.yaml", &config("a", template))]);
    let rendered = at(&files, &Content::Helm(helm.clone()), change).unwrap();
    rendered.objects[0].text(&["data", "v"]).to_string()
}

#[test]
fn names_default_as_the_page_says_and_layers_are_merged_in_order() {
    let template = "'{{ .Release.Name }} {{ .Release.Namespace }} {{ .Release.IsInstall }}'";
    assert_eq!(drawn(template, &helm(), |_| {}), "web default true");
    let named = Helm {
        release_name: Some("shop".into()),
        release_namespace: Some("prod".into()),
        values: vec![
            ValuesLayer::Inline(map(r#"{"a":{"x":1,"y":[1,2]},"n":1000000}"#)),
            ValuesLayer::Inline(map(r#"{"a":{"y":[3],"z":null},"s":"t"}"#)),
        ],
        ..helm()
    };
    assert_eq!(drawn(template, &named, |_| {}), "shop prod true");
    assert_eq!(
        drawn("{{ toJson .Values | quote }}", &named, |_| {}),
        r#"{"a":{"x":1,"y":[3],"z":null},"n":1000000,"s":"t"}"#
    );
    // Numbers of values are floats, as in Helm.
    assert_eq!(drawn("'{{ .Values.n }}'", &named, |_| {}), "1e+06");
}

#[test]
fn tests_go_other_hooks_stay_and_crds_come_first_when_asked() {
    let hook = |name: &str, hook: &str| {
        format!(
            "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: {name}, annotations: {{helm.sh/hook: \"{hook}\"}}}}\n"
        )
    };
    let files = chart(&[
        ("templates/tests/a.yaml", &hook("test", "test")),
        ("templates/b.yaml", &hook("old-test", "test-success")),
        ("templates/c.yaml", &hook("both", "pre-install,test")),
        ("templates/d.yaml", &hook("migrate", "pre-install,pre-upgrade")),
        ("templates/e.yaml", &config("a", "x")),
        ("templates/NOTES.txt", "never an object"),
        (
            "crds/w.yaml",
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: ws.example.com}\n",
        ),
    ]);
    let names = |helm: Helm| -> Vec<String> {
        let rendered = at(&files, &Content::Helm(helm), |_| {}).unwrap();
        rendered
            .objects
            .iter()
            .map(|object| object.name().to_string())
            .collect()
    };
    assert_eq!(names(helm()), ["ws.example.com", "a", "migrate"]);
    let without = Helm {
        include_crds: false,
        ..helm()
    };
    assert_eq!(names(without), ["a", "migrate"]);
}

#[test]
fn lists_are_opened_and_nothing_is_twice() {
    let list = format!(
        "apiVersion: v1\nkind: List\nitems:\n- {}- {}",
        config("a", "x").replace('\n', "\n  ").trim_end().to_string() + "\n",
        config("b", "x").replace('\n', "\n  ").trim_end().to_string() + "\n",
    );
    let files = chart(&[("templates/a.yaml", &list)]);
    assert_eq!(at(&files, &Content::Helm(helm()), |_| {}).unwrap().objects.len(), 2);
    let files = chart(&[("templates/a.yaml", &list), ("templates/b.yaml", &config("b", "y"))]);
    let error = at(&files, &Content::Helm(helm()), |_| {}).unwrap_err().to_string();
    assert_eq!(
        error,
        "ConfigMap default/b is defined twice: in `web/templates/b.yaml` and in `web/templates/a.yaml` item 2"
    );
}

#[test]
fn a_broken_chart_names_template_line_and_column() {
    let failure = |template: &str| {
        let files = chart(&[("templates/a.yaml", template)]);
        Failure::from(at(&files, &Content::Helm(helm()), |_| {}).unwrap_err())
    };
    let failed = failure("a: 1\nb: {{ .Values.x.y }}\n");
    assert_eq!(failed.reason, Reason::RenderFailed);
    assert!(
        failed
            .message
            .starts_with("the chart in `charts/web` does not render: web/templates/a.yaml:2:"),
        "{}",
        failed.message
    );
    let failed = failure("b: {{ fail \"not so\" }}\n");
    assert!(
        failed
            .message
            .contains("execution error at (web/templates/a.yaml:1:6): not so"),
        "{}",
        failed.message
    );
    let failed = failure("{{ if }}");
    assert!(failed.message.contains("web/templates/a.yaml:1"), "{}", failed.message);
    let failed = failure("{{ range $i := until 1000000000 }}x{{ end }}");
    assert_eq!(failed.reason, Reason::LimitExceeded, "{}", failed.message);
    let failed = failure("kind: ConfigMap\n");
    assert_eq!(
        (failed.reason, failed.message.as_str()),
        (
            Reason::RenderFailed,
            "`web/templates/a.yaml` is not a Kubernetes object: `apiVersion` is missing"
        )
    );
}

#[test]
fn an_absent_chart_is_named() {
    let error = |path: &str| {
        let content = Content::Helm(Helm {
            path: path.into(),
            ..helm()
        });
        at(&chart(&[]), &content, |_| {}).unwrap_err().to_string()
    };
    assert_eq!(
        error("charts/api"),
        "path `charts/api` selects no files: there is no such directory"
    );
    assert_eq!(error("../x"), "path `../x` leads out of the source");
    assert_eq!(
        error(""),
        "the chart at the root of the source does not render: Chart.yaml file is missing"
    );
    assert_eq!(
        error("./charts/../charts"),
        "the chart in `charts` does not render: Chart.yaml file is missing"
    );
}

#[test]
fn a_draw_depends_on_key_release_and_call_and_on_nothing_else() {
    let password = |template: &str, change: fn(&mut Inputs<'_>)| drawn(template, &helm(), change);
    let first = password("{{ randAlphaNum 20 }}", |_| {});
    assert_eq!(first.len(), 20);
    assert_eq!(first, password("{{ randAlphaNum 20 }}", |_| {}));
    let later = password("{{ randAlphaNum 20 }}", |inputs| {
        inputs.now = Timestamp::from_second(1_900_000_000).unwrap();
    });
    assert_eq!(first, later);
    assert_eq!(
        first,
        password("{{ if true }}{{ randAlphaNum 20 }}{{ end }}", |_| {}),
        "an unrelated edit"
    );
    assert_ne!(
        first,
        password("{{ $x := randAlphaNum 20 }}{{ randAlphaNum 20 }}", |_| {})
    );
    let other = NamespacedName::new("apps", "api").unwrap();
    assert_ne!(
        first,
        drawn("{{ randAlphaNum 20 }}", &helm(), |inputs| inputs.release = &other)
    );
    let other = key(2);
    assert_ne!(
        first,
        drawn("{{ randAlphaNum 20 }}", &helm(), |inputs| inputs.entropy = Some(&other))
    );
    assert_eq!(drawn("{{ now | unixEpoch | quote }}", &helm(), |_| {}), "1800000000");
}

#[test]
fn without_a_key_no_chart_renders_and_others_do() {
    let files = chart(&[("templates/a.yaml", &config("a", "x"))]);
    let error = at(&files, &Content::Helm(helm()), |inputs| inputs.entropy = None).unwrap_err();
    assert_eq!(Failure::from(error).reason, Reason::EntropyKeyMissing);
    let files = tree(&[
        ("kustomization.yaml", "resources: [a.yaml]\n"),
        ("a.yaml", &config("a", "x")),
    ]);
    let content = Content::Kustomize(Kustomize::default());
    assert!(at(&files, &content, |inputs| inputs.entropy = None).is_ok());
}

#[test]
fn capabilities_are_helms_or_the_clusters() {
    let asks = "'{{ .Capabilities.KubeVersion.Minor }} {{ .Capabilities.APIVersions.Has \"apps/v1\" }} \
                {{ .Capabilities.APIVersions.Has \"example.com/v1/Widget\" }} {{ .Capabilities.APIVersions.Has \"extensions/v1beta1\" }}'";
    let cluster = ClusterApi {
        version: "v1.33.4-gke.1".into(),
        api_versions: ["apps/v1", "example.com/v1/Widget"].map(ToString::to_string).into(),
    };
    assert_eq!(
        drawn(asks, &helm(), |inputs| inputs.cluster = Some(&cluster)),
        "36 true false true"
    );
    let asking = Helm {
        capabilities: CapabilitiesMode::Cluster,
        ..helm()
    };
    assert_eq!(
        drawn(asks, &asking, |inputs| inputs.cluster = Some(&cluster)),
        "33 true true false"
    );
    let files = chart(&[]);
    assert_eq!(
        at(&files, &Content::Helm(asking), |_| {}),
        Err(ContentError::NoClusterApi)
    );
}

#[test]
fn a_raised_flag_ends_a_render() {
    let flag = Arc::new(AtomicBool::new(true));
    let files = chart(&[("templates/a.yaml", "{{ range $i := until 100000 }}x{{ end }}")]);
    let error = at(&files, &Content::Helm(helm()), |inputs| {
        inputs.cancel = Some(Arc::clone(&flag));
    })
    .unwrap_err();
    assert_eq!(error, ContentError::Cancelled);
    assert_eq!(Failure::from(error).reason, Reason::RenderTimeout);
}

#[test]
fn a_call_of_lookup_is_warned_about() {
    let warned = |template: &str| {
        let files = chart(&[("templates/a.yaml", template)]);
        at(&files, &Content::Helm(helm()), |_| {}).unwrap().warnings
    };
    assert_eq!(
        warned("{{- $s := lookup \"v1\" \"Secret\" \"a\" \"b\" }}"),
        ["`templates/a.yaml` calls `lookup`, which finds nothing in any cluster here"]
    );
    assert_eq!(warned("{{ (lookup \"v1\" \"Secret\" \"\" \"\").items }}").len(), 1);
    for quiet in [
        "# lookup x",
        "{{/* lookup it */}}",
        "{{ .Values.lookup }}",
        "# {{ .Values.lookup | default \"lookup x\" | quote }}{{/* */}}\n",
    ] {
        assert_eq!(warned(quiet), [""; 0], "{quiet}");
    }
}

#[test]
fn a_kustomization_names_files_beside_it_but_none_outside_of_the_source() {
    let files = tree(&[
        (
            "overlays/prod/kustomization.yml",
            "resources: [../../base/a.yaml]\nnamePrefix: prod-\n",
        ),
        ("base/a.yaml", &config("a", "x")),
        ("out/Kustomization", "resources: [../../a.yaml]\n"),
        (
            "url/kustomization.yaml",
            "resources: [https://example.invalid/a.yaml]\n",
        ),
    ]);
    let build = |path: &str| {
        let content = Content::Kustomize(Kustomize {
            path: path.into(),
            target_namespace: None,
        });
        at(&files, &content, |_| {})
    };
    let rendered = build("overlays/prod").unwrap();
    assert_eq!(
        shown(&rendered),
        [r#"{"apiVersion":"v1","data":{"v":"x"},"kind":"ConfigMap","metadata":{"name":"prod-a"}}"#]
    );
    for (path, named) in [
        ("out", "a.yaml"),
        ("url", "https://example.invalid/a.yaml"),
        ("base", "the kustomization in `base` does not build"),
        ("absent", "absent"),
        ("", "the kustomization at the root of the source"),
    ] {
        let failure = Failure::from(build(path).unwrap_err());
        assert_eq!(failure.reason, Reason::RenderFailed);
        assert!(failure.message.contains(named), "{path}: {}", failure.message);
    }
}

#[test]
fn the_target_namespace_replaces_namespaces_and_renames_none() {
    let files = tree(&[
        ("kustomization.yaml", "resources: [a.yaml, n.yaml]\nnamespace: own\n"),
        ("a.yaml", &config("a", "x")),
        ("n.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: own}\n"),
    ]);
    let content = Content::Kustomize(Kustomize {
        path: String::new(),
        target_namespace: Some("prod".into()),
    });
    let rendered = at(&files, &content, |_| {}).unwrap();
    let named: Vec<(&str, &str)> = rendered
        .objects
        .iter()
        .map(|object| (object.name(), object.namespace()))
        .collect();
    assert_eq!(named, [("own", ""), ("a", "prod")]);
    assert!(
        rendered
            .warnings
            .iter()
            .any(|warning| warning.contains("`own`") && warning.contains("`prod`")),
        "{:?}",
        rendered.warnings
    );
}

#[test]
fn a_chart_in_a_kustomization_draws_as_a_chart_of_its_own() {
    let mut files = chart(&[
        ("values.yaml", "a: b\n"),
        ("templates/a.yaml", &config("a", "{{ randAlphaNum 20 }}")),
    ]);
    let kustomization = "helmGlobals: {chartHome: charts}\nhelmCharts: [{name: web, releaseName: web}]\n";
    files.insert("kustomization.yaml".into(), Arc::from(kustomization.as_bytes()));
    let content = Content::Kustomize(Kustomize::default());
    let rendered = at(&files, &content, |_| {}).unwrap();
    let alone = at(&files, &Content::Helm(helm()), |_| {}).unwrap();
    assert_eq!(
        rendered.objects[0].text(&["data", "v"]),
        alone.objects[0].text(&["data", "v"])
    );
    let error = at(&files, &content, |inputs| inputs.entropy = None).unwrap_err();
    assert_eq!(error, ContentError::NoEntropyKey);
}

#[test]
fn deprecated_fields_of_kustomizations_are_warnings() {
    let files = tree(&[
        ("kustomization.yaml", "resources: [a.yaml]\ncommonLabels: {a: b}\n"),
        ("a.yaml", &config("a", "x")),
    ]);
    let rendered = at(&files, &Content::Kustomize(Kustomize::default()), |_| {}).unwrap();
    assert_eq!(rendered.objects[0].label("a"), Some("b"));
    assert!(
        rendered
            .warnings
            .iter()
            .any(|warning| warning.contains("commonLabels") && !warning.contains('\n')),
        "{:?}",
        rendered.warnings
    );
}
