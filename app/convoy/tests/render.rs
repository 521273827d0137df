//! `convoy render`: what it prints, and what it says of bad input.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[expect(dead_code, reason = "other test files use the rest")]
mod common;

use std::fs;
use std::path::Path;

use common::{run, run_in};

const CONFIG_MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata: {\"on\": 'yes', \"n\": \"1\"}\n";
const SERVICE: &str =
    "{\"kind\":\"Service\",\"apiVersion\":\"v1\",\"metadata\":{\"namespace\":\"web\",\"name\":\"b\"}}";

fn directory(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let file = dir.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    dir
}

fn example() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples/manifests/release.yaml")
        .to_string_lossy()
        .into_owned()
}

#[test]
fn manifests_are_printed_as_kubectl_writes_yaml() {
    let dir = directory(&[
        ("app/a.yaml", CONFIG_MAP),
        ("app/deep/b.yml", SERVICE),
        ("app/notes.txt", "no"),
    ]);
    run_in(dir.path(), &["render", "manifests", "app"]).exits(0).prints(
        "apiVersion: v1\ndata:\n  \"n\": \"1\"\n  \"on\": \"yes\"\nkind: ConfigMap\nmetadata:\n  name: a\n---\n\
         apiVersion: v1\nkind: Service\nmetadata:\n  name: b\n  namespace: web\n",
    );
}

#[test]
fn bare_words_are_read_as_kubectl_reads_them() {
    let dir = directory(&[(
        "a.yaml",
        "apiVersion: v1\nkind: X\nmetadata: {name: a}\nspec: {on: y, b: 012, c: 1e3}\n",
    )]);
    run_in(dir.path(), &["render", "manifests", "a.yaml"])
        .exits(0)
        .prints("apiVersion: v1\nkind: X\nmetadata:\n  name: a\nspec:\n  b: 10\n  c: 1000\n  \"true\": true\n");
}

#[test]
fn each_output_shows_the_same_render() {
    let dir = directory(&[("a.yaml", CONFIG_MAP), ("b.json", SERVICE)]);
    run_in(dir.path(), &["render", "manifests", "a.yaml", "b.json", "-o", "name"])
        .exits(0)
        .prints("configmap/a\nservice/b\n");
    let json = run_in(dir.path(), &["render", "manifests", "a.yaml", "b.json", "-o", "json"])
        .exits(0)
        .stdout;
    let list: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(list["kind"], "List");
    assert_eq!(list["items"][1]["metadata"]["name"], "b");
    let lines = concat!(
        r#"{"apiVersion":"v1","data":{"n":"1","on":"yes"},"kind":"ConfigMap","metadata":{"name":"a"}}"#,
        "\n",
        r#"{"apiVersion":"v1","kind":"Service","metadata":{"name":"b","namespace":"web"}}"#,
        "\n"
    );
    let digest = <sha2::Sha256 as sha2::Digest>::digest(lines);
    let expected = digest
        .iter()
        .fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
    run_in(dir.path(), &["render", "manifests", "a.yaml", "b.json", "-o", "ref"])
        .exits(0)
        .prints(&format!("sha256:{expected}\n"));
}

#[test]
fn a_release_is_rendered_with_its_mutations() {
    let ended = run(&["render", &example()]).exits(0);
    assert_eq!(ended.stdout.matches("\nkind: Deployment\n").count(), 2);
    assert!(ended.stdout.contains("core.convoy.kumodo.io/sync-wave: \"1\""));
    assert!(ended.stdout.contains("core.convoy.kumodo.io/wave-gate: waitForHealthy"));
    run(&["render", &example(), "-o", "name"]).exits(0).prints(
        "namespace/bookshelf\nconfigmap/catalogue\ndeployment.apps/backend\nservice/backend\n\
         deployment.apps/frontend\nservice/frontend\nconfigmap/site\n",
    );
}

#[test]
fn a_directory_stands_in_for_the_source() {
    let dir = directory(&[(
        "namespace.yaml",
        "kind: Namespace\napiVersion: v1\nmetadata: {name: other}\n",
    )]);
    let source = dir.path().to_string_lossy();
    run(&["render", &example(), "--source", &source])
        .exits(1)
        .says("`backend`");
}

#[test]
fn a_render_ref_does_not_depend_on_where_the_files_are() {
    let one = run(&["render", &example(), "-o", "ref"]).exits(0).stdout;
    let tree = Path::new(&example())
        .with_file_name("tree")
        .to_string_lossy()
        .into_owned();
    let two = run(&["render", &example(), "--source", &tree, "-o", "ref"])
        .exits(0)
        .stdout;
    assert_eq!(one, two);
    assert!(one.starts_with("sha256:"));
}

#[test]
fn an_unknown_field_is_an_error_with_its_path() {
    let text = fs::read_to_string(example()).unwrap();
    let check = |from: &str, to: &str, expect: &str| {
        assert!(text.contains(from));
        let dir = directory(&[("release.yaml", &text.replace(from, to))]);
        run_in(dir.path(), &["render", "release.yaml"]).exits(1).says(expect);
    };
    check(
        "automatic:",
        "automtic:",
        "`spec.syncPolicy.automtic` is not a known field (did you mean `automatic`?)",
    );
    check(
        "automatic: true",
        "automatic: 1",
        "`spec.syncPolicy.automatic` must be true or false",
    );
    check(
        "strategy: waitForHealthy\n      wave: 1",
        "strategy: wait\n      wave: 1",
        "must be one of",
    );
    check(
        "minSyncInterval",
        "minSyncIntervall",
        "`spec.minSyncIntervall` is not a known field",
    );
}

#[test]
fn bad_input_is_named_and_never_hangs() {
    let deep = format!(
        "apiVersion: v1\nkind: X\nmetadata: {{name: a}}\na: {}{}\n",
        "[".repeat(10_000),
        "]".repeat(10_000)
    );
    let bomb = format!(
        "apiVersion: v1\nkind: X\nmetadata: {{name: a}}\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n{}",
        (1..12).fold(String::new(), |text, i| {
            let aliases = vec![format!("*a{}", i - 1); 10].join(", ");
            text + &format!("a{i}: &a{i} [{aliases}]\n")
        })
    );
    let large = "x".repeat(20 << 20);
    let check = |text: &str, expect: &[&str]| {
        let dir = directory(&[("bad.yaml", text)]);
        let mut ended = run_in(dir.path(), &["render", "manifests", "bad.yaml"]).exits(1);
        for part in expect {
            ended = ended.says(part);
        }
        assert!(ended.stdout.is_empty());
    };
    check("a: b: c", &["bad.yaml", "line 1"]);
    check("a: [1, 2", &["bad.yaml", "line"]);
    check(&deep, &["bad.yaml", "nesting passes the limit of 200"]);
    check(&bomb, &["bad.yaml", "alias"]);
    check(&large, &["bad.yaml", "limit `bytes of one file` of 16777216"]);
    check("just text", &["bad.yaml"]);
    check("kind: X\nmetadata: {name: a}\n", &["bad.yaml", "apiVersion"]);
    check(&format!("{CONFIG_MAP}---\n{CONFIG_MAP}"), &["ConfigMap", "bad.yaml"]);
}

#[test]
fn only_regular_files_are_read() {
    let dir = directory(&[("app/a.yaml", CONFIG_MAP)]);
    let pipe = dir.path().join("app/pipe.yaml");
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let check = |arguments: &[&str]| {
        run_in(dir.path(), arguments).exits(1).says("it is not a regular file");
    };
    check(&["render", "manifests", "app"]);
    check(&["render", "manifests", "app/pipe.yaml"]);
    check(&["render", "manifests", "/dev/zero"]);
    check(&["render", "/dev/zero"]);
    check(&["render", "app/pipe.yaml"]);
    check(&["demo", "app", "--once"]);
    check(&["controller-manager", "--config", "app/pipe.yaml"]);
    check(&["get", "releases", "--kubeconfig", "app/pipe.yaml"]);
    check(&["render", &example(), "--source", "app"]);
    let variable = common::finish(
        common::command(dir.path(), &["get", "releases"]).env("KUBECONFIG", &pipe),
        std::time::Duration::from_secs(30),
    );
    variable.exits(1).says("it is not a regular file");
}

#[test]
fn paths_in_errors_are_as_they_were_given() {
    let dir = directory(&[
        ("app/bad.yaml", "kind: X\nmetadata: {name: a}\n"),
        ("twice/a.yaml", CONFIG_MAP),
        ("twice/b.yaml", CONFIG_MAP),
        ("empty/readme.md", ""),
    ]);
    let root = dir.path().display().to_string();
    let check = |path: &str, expect: &[&str]| {
        let mut ended = run_in(dir.path(), &["render", "manifests", path]).exits(1);
        for part in expect {
            ended = ended.says(part);
        }
    };
    check("app", &["`app/bad.yaml`"]);
    check("./app/", &["`./app/bad.yaml`"]);
    check(&format!("{root}/app"), &[&format!("`{root}/app/bad.yaml`")]);
    check(&format!("{root}/app/bad.yaml"), &[&format!("`{root}/app/bad.yaml`")]);
    check(
        &format!("{root}/twice"),
        &[&format!("`{root}/twice/a.yaml`"), &format!("`{root}/twice/b.yaml`")],
    );
    check(&format!("{root}/empty"), &[&format!("`{root}/empty`")]);
}

#[test]
fn what_is_absent_is_named() {
    run(&["render", "manifests", "absent"])
        .exits(1)
        .says("`absent`")
        .says("No such file or directory");
    run(&["render", "absent.yaml"]).exits(1).says("`absent.yaml`");
    run(&["render"]).exits(2);
    let dir = directory(&[("a.yaml", CONFIG_MAP)]);
    run_in(dir.path(), &["render", "a.yaml"])
        .exits(1)
        .says("holds no Release")
        .says("render manifests");
    let empty = directory(&[("app/readme.md", "")]);
    run_in(empty.path(), &["render", "manifests", "app"])
        .exits(1)
        .says("`app`");
}

#[test]
fn a_source_that_is_not_in_the_files_is_named() {
    let text = fs::read_to_string(example()).unwrap();
    let release = text.split("---\n").nth(2).unwrap();
    let dir = directory(&[("release.yaml", release)]);
    run_in(dir.path(), &["render", "release.yaml"])
        .exits(1)
        .says("GitRepository default/bookshelf")
        .says("hint: ");
}

#[test]
fn a_source_that_cannot_be_reached_is_named() {
    let text = fs::read_to_string(example()).unwrap();
    let with = |url: &str| {
        let dir = directory(&[("release.yaml", &text.replace("file://./tree", url))]);
        run_in(dir.path(), &["render", "release.yaml"]).exits(1)
    };
    with("http://127.0.0.1:9/x.git")
        .says("http://127.0.0.1:9/x.git")
        .says("cannot be reached");
    with("file:///nowhere/at/all").says("file:///nowhere/at/all");
    with("ssh://git@127.0.0.1/x.git").says("is not trusted");
}

const CHART: &[(&str, &str)] = &[
    ("app/chart/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n"),
    ("app/chart/values.yaml", "who: nobody\n"),
    (
        "app/chart/templates/a.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: '{{ .Release.Name }}'}\n\
         data: {password: '{{ randAlphaNum 12 }}', who: '{{ .Values.who }}'}\n",
    ),
    (
        "app/base/kustomization.yaml",
        "resources: [a.yaml]\ncommonLabels: {a: b}\n",
    ),
    ("app/base/a.yaml", CONFIG_MAP),
];

fn release_of(content: &str) -> String {
    format!(
        "apiVersion: source.convoy.kumodo.io/v1alpha1\nkind: GitRepository\nmetadata: {{name: app}}\n\
         spec: {{url: \"file://./app\", auth: {{type: none}}}}\n---\n\
         apiVersion: core.convoy.kumodo.io/v1alpha1\nkind: Release\nmetadata: {{name: web}}\n\
         spec:\n  clusterRef: {{name: here}}\n  source: {{type: gitRepository, gitRepository: {{name: app}}}}\n  content: {content}\n"
    )
}

#[test]
fn a_chart_of_a_release_gives_one_render_for_one_key() {
    let content = "{type: helm, helm: {path: chart, releaseName: shop, values: [{type: inline, inline: {who: me}}]}}";
    let dir = directory(
        &[
            CHART,
            &[("release.yaml", &release_of(content)), ("key", &"k".repeat(32))],
        ]
        .concat(),
    );
    let shown = run_in(dir.path(), &["render", "release.yaml"]).exits(0).stdout;
    assert!(shown.contains("name: shop") && shown.contains("who: me"), "{shown}");
    let named = |key: &[&str]| {
        let arguments = [&["render", "release.yaml", "-o", "ref"], key].concat();
        run_in(dir.path(), &arguments).exits(0).stdout
    };
    let key = ["--entropy-key", "key"];
    assert_eq!(named(&key), named(&key));
    assert_ne!(named(&[]), named(&[]), "each run has a key of its own");
    fs::write(dir.path().join("key"), "short").unwrap();
    run_in(dir.path(), &["render", "release.yaml", "--entropy-key", "key"])
        .exits(1)
        .says("at least 16 bytes");
}

#[test]
fn a_kustomization_of_a_release_is_built_and_its_warnings_are_told() {
    let content = "{type: kustomize, kustomize: {path: base, targetNamespace: prod}}";
    let dir = directory(&[CHART, &[("release.yaml", &release_of(content))]].concat());
    let ended = run_in(dir.path(), &["render", "release.yaml"])
        .exits(0)
        .says("warning: ");
    assert!(ended.stdout.contains("namespace: prod"), "{}", ended.stdout);
    assert!(ended.stderr.contains("commonLabels"), "{}", ended.stderr);
}

#[test]
fn a_broken_chart_of_a_release_names_its_place() {
    let broken = ("app/chart/templates/a.yaml", "a: {{ .Values.absent.deeper }}\n");
    let content = "{type: helm, helm: {path: chart}}";
    let files: Vec<_> = CHART.iter().filter(|(path, _)| *path != broken.0).copied().collect();
    let dir = directory(&[&files[..], &[broken, ("release.yaml", &release_of(content))]].concat());
    run_in(dir.path(), &["render", "release.yaml"])
        .exits(1)
        .says("web/templates/a.yaml:1:");
}

#[test]
fn a_chart_of_a_release_that_does_not_end_passes_the_limit_of_the_flag() {
    let endless = (
        "app/chart/templates/a.yaml",
        "{{ range until 90000 }}{{ range until 90000 }}x{{ end }}{{ end }}\n",
    );
    let files: Vec<_> = CHART.iter().filter(|(path, _)| *path != endless.0).copied().collect();
    let dir = directory(
        &[
            &files[..],
            &[
                endless,
                ("release.yaml", &release_of("{type: helm, helm: {path: chart}}")),
            ],
        ]
        .concat(),
    );
    run_in(dir.path(), &["render", "release.yaml", "--limit-render-time", "1ms"])
        .exits(1)
        .says("`render wall time`");
    run_in(
        dir.path(),
        &["render", "release.yaml", "--limit-template-steps", "1000"],
    )
    .exits(1)
    .says("limit of template steps");
}
