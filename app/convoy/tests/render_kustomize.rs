//! `convoy render kustomize`: what `kustomize build` prints, and what it says of bad input.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[expect(dead_code, reason = "other test files use the rest")]
mod common;

use std::fs;
use std::path::Path;

use common::{Ended, run_in};

const CONFIG_MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: v}\n";
const BUILT: &str = "apiVersion: v1\ndata:\n  k: v\nkind: ConfigMap\nmetadata:\n  name: a\n";

fn directory(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let file = dir.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    dir
}

fn kustomize(dir: &Path, arguments: &[&str]) -> Ended {
    run_in(dir, &[&["render", "kustomize"], arguments].concat())
}

fn simple() -> tempfile::TempDir {
    directory(&[
        ("app/kustomization.yaml", "resources: [a.yaml]\n"),
        ("app/a.yaml", CONFIG_MAP),
    ])
}

#[test]
fn a_directory_or_the_working_one_is_built() {
    let dir = simple();
    kustomize(dir.path(), &["app"]).exits(0).prints(BUILT);
    kustomize(&dir.path().join("app"), &[]).exits(0).prints(BUILT);
    for flags in [
        &["--enable-helm", "--enable-alpha-plugins"][..],
        &["--helm-command", "helm"],
    ] {
        let ended = kustomize(dir.path(), &[&["app"], flags].concat()).exits(0);
        assert_eq!(ended.stderr, "");
    }
}

#[test]
fn deprecated_fields_work_and_are_named_on_stderr() {
    let dir = directory(&[
        ("kustomization.yaml", "bases: [app]\ncommonLabels: {x: z}\n"),
        ("app/kustomization.yaml", "resources: [a.yaml]\n"),
        ("app/a.yaml", CONFIG_MAP),
    ]);
    let ended = kustomize(dir.path(), &[]).exits(0);
    assert!(ended.stdout.contains("x: z"), "{}", ended.stdout);
    assert_eq!(
        ended.stderr,
        "# Warning: 'bases' is deprecated. Please use 'resources' instead. Run 'kustomize edit fix' to update your Kustomization automatically.\n\
         # Warning: 'commonLabels' is deprecated. Please use 'labels' instead. Run 'kustomize edit fix' to update your Kustomization automatically.\n"
    );
}

#[test]
fn a_namespace_goes_everywhere_but_into_names_of_namespaces() {
    let dir = directory(&[
        ("kustomization.yaml", "resources: [a.yaml, n.yaml]\nnamespace: own\n"),
        ("a.yaml", CONFIG_MAP),
        ("n.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: given}\n"),
    ]);
    let names = |arguments: &[&str]| kustomize(dir.path(), arguments).exits(0);
    let ended = names(&["-n", "target"]);
    assert!(ended.stdout.contains("namespace: target") && ended.stdout.contains("name: own"));
    ended.says("the Namespace `own` is not renamed to the target namespace `target`");
    // As kustomize does it, without the flag.
    let ended = names(&[]);
    assert!(ended.stdout.contains("namespace: own"));
    ended.says("the Namespace `given` is renamed to `own` by the kustomization");
}

#[test]
fn output_is_a_form_or_a_path() {
    let dir = simple();
    kustomize(dir.path(), &["app", "-o", "name"])
        .exits(0)
        .prints("configmap/a\n");
    kustomize(dir.path(), &["app", "-o", "yaml"]).exits(0).prints(BUILT);
    let list: serde_json::Value =
        serde_json::from_str(&kustomize(dir.path(), &["app", "--output=json"]).exits(0).stdout).unwrap();
    assert_eq!(list["items"][0]["metadata"]["name"], "a");
    kustomize(dir.path(), &["app", "-o", "./json"]).exits(0).prints("");
    assert_eq!(fs::read_to_string(dir.path().join("json")).unwrap(), BUILT);
    kustomize(dir.path(), &["app", "-o", "none/out.yaml"])
        .exits(1)
        .says("cannot write `none/out.yaml`");
}

#[test]
fn into_a_directory_each_object_is_a_file() {
    let dir = directory(&[
        ("kustomization.yaml", "resources: [all.yaml]\n"),
        (
            "all.yaml",
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: Web.x}\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: ns}\n",
        ),
    ]);
    fs::create_dir(dir.path().join("out")).unwrap();
    let written = || {
        let mut names: Vec<String> = fs::read_dir(dir.path().join("out"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    kustomize(dir.path(), &["-o", "out"]).exits(0).prints("");
    assert_eq!(written(), ["apps_v1_deployment_web.x.yaml", "v1_namespace_ns.yaml"]);
    assert_eq!(
        fs::read_to_string(dir.path().join("out/v1_namespace_ns.yaml")).unwrap(),
        "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: ns\n"
    );
    // Names begin with the namespace once there are several.
    let more = "---\napiVersion: v1\nkind: Service\nmetadata: {name: s, namespace: other}\n";
    let all = fs::read_to_string(dir.path().join("all.yaml")).unwrap() + more;
    fs::write(dir.path().join("all.yaml"), all).unwrap();
    fs::remove_dir_all(dir.path().join("out")).unwrap();
    fs::create_dir(dir.path().join("out")).unwrap();
    kustomize(dir.path(), &["-o", "out"]).exits(0);
    assert_eq!(
        written(),
        [
            "default_apps_v1_deployment_web.x.yaml",
            "other_v1_service_s.yaml",
            "v1_namespace_ns.yaml"
        ]
    );
}

#[test]
fn files_outside_of_the_directory_need_the_restrictor_lifted() {
    let dir = directory(&[
        ("app/kustomization.yaml", "resources: [../a.yaml]\n"),
        ("a.yaml", CONFIG_MAP),
    ]);
    for rule in ["root", "LoadRestrictionsRootOnly"] {
        kustomize(dir.path(), &["app", "--load-restrictor", rule])
            .exits(1)
            .says("security; file `a.yaml` is not in or below `app`")
            .says("hint: `--load-restrictor none`");
    }
    for rule in ["none", "LoadRestrictionsNone"] {
        kustomize(dir.path(), &["app", "--load-restrictor", rule])
            .exits(0)
            .prints(BUILT);
    }
    kustomize(dir.path(), &["app", "--load-restrictor", "some"])
        .exits(2)
        .says("LoadRestrictionsRootOnly");
}

#[test]
fn flags_for_programs_and_servers_change_nothing_and_old_ones_work() {
    let dir = simple();
    for flags in [
        &["--enable-exec"][..],
        &["--network"],
        &["--network-name", "x"],
        &["--mount", "x"],
        &["-e", "A=b"],
        &["--as-current-user"],
        &["--kubeconfig", "none", "--context=x", "-s", "none", "--v=6"],
        &["--insecure-skip-tls-verify=true", "--request-timeout", "1s"],
    ] {
        let ended = kustomize(dir.path(), &[&["app"], flags].concat())
            .exits(0)
            .prints(BUILT);
        assert_eq!(ended.stderr, "");
    }
    // What would need one of them is refused with or without it.
    let function = "apiVersion: v1\nkind: Any\nmetadata:\n  name: f\n  annotations: {config.kubernetes.io/function: 'exec: {path: ./f}'}\n";
    fs::write(dir.path().join("app/f.yaml"), function).unwrap();
    fs::write(
        dir.path().join("app/kustomization.yaml"),
        "resources: [a.yaml]\ntransformers: [f.yaml]\n",
    )
    .unwrap();
    kustomize(dir.path(), &["app", "--enable-alpha-plugins", "--enable-exec"])
        .exits(1)
        .says("only built-in plugins run here")
        .says("hint: plugins that are programs or containers are never run");
    fs::write(
        dir.path().join("app/kustomization.yaml"),
        "resources: [a.yaml]\nsecretGenerator: [{name: s, options: {disableNameSuffixHash: true}}]\nconfigMapGenerator: [{name: B, options: {disableNameSuffixHash: true}}]\n",
    )
    .unwrap();
    kustomize(dir.path(), &["app", "-o", "name"])
        .exits(0)
        .prints("configmap/B\nconfigmap/a\nsecret/s\n");
    kustomize(dir.path(), &["app", "-o", "name", "--reorder", "none"])
        .exits(0)
        .says("--reorder has been deprecated")
        .prints("configmap/a\nconfigmap/B\nsecret/s\n");
}

#[test]
fn only_what_is_named_is_read() {
    let dir = simple();
    // A gigabyte of nothing, a pipe that would never end, and a directory that contains itself.
    let large = fs::File::create(dir.path().join("app/large.yaml")).unwrap();
    large.set_len(1 << 30).unwrap();
    let pipe = dir.path().join("app/pipe");
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    #[cfg(unix)]
    std::os::unix::fs::symlink(".", dir.path().join("app/again")).unwrap();
    kustomize(dir.path(), &["app"]).exits(0).prints(BUILT);
    let check = |resource: &str, expect: &str| {
        let text = format!("resources: [{resource}]\n");
        fs::write(dir.path().join("app/kustomization.yaml"), text).unwrap();
        kustomize(dir.path(), &["app"])
            .exits(1)
            .says("`app/kustomization.yaml`: `resources`")
            .says(expect);
    };
    check("large.yaml", "the limit of 16777216 bytes of a file is passed");
    kustomize(dir.path(), &["app", "--limit-file-bytes", "4Ki"])
        .exits(1)
        .says("the limit of 4096 bytes of a file is passed")
        .says("hint: `--limit-file-bytes`");
    check("pipe", "not a regular file");
    check("again", "cycle detected");
    check("/dev/zero", "`/dev/zero`");
    check("none.yaml", "`app/none.yaml` is not there");
    check("../app", "cycle detected");
}

#[cfg(unix)]
#[test]
fn links_are_followed_as_kustomize_follows_them() {
    let dir = directory(&[
        ("app/kustomization.yaml", "resources: [base, l.yaml]\n"),
        ("elsewhere/kustomization.yaml", "resources: [b.yaml]\n"),
        (
            "elsewhere/b.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n",
        ),
        ("app/a.yaml", CONFIG_MAP),
        ("a.yaml", CONFIG_MAP),
    ]);
    let link = |to: &str, at: &str| std::os::unix::fs::symlink(to, dir.path().join(at)).unwrap();
    link("../elsewhere", "app/base");
    link("a.yaml", "app/l.yaml");
    kustomize(dir.path(), &["app", "-o", "name"])
        .exits(0)
        .prints("configmap/a\nconfigmap/b\n");
    // A link is where it points to: outside of the directory.
    fs::remove_file(dir.path().join("app/l.yaml")).unwrap();
    link("../a.yaml", "app/l.yaml");
    kustomize(dir.path(), &["app"]).exits(1).says("security; file `a.yaml`");
    kustomize(dir.path(), &["app", "--load-restrictor", "none", "-o", "name"])
        .exits(0)
        .prints("configmap/a\nconfigmap/b\n");
}

#[test]
fn what_cannot_be_built_is_named() {
    let dir = directory(&[
        ("two/kustomization.yaml", "namePrefix: a"),
        ("two/Kustomization", "namePrefix: b"),
        ("none/a.yaml", CONFIG_MAP),
        ("remote/kustomization.yaml", "resources: ['https://example.com/a.yaml']"),
        ("plugin/kustomization.yaml", "generators: [g.yaml]"),
        ("plugin/g.yaml", "apiVersion: x/v1\nkind: Exec\nmetadata: {name: a}"),
    ]);
    let check = |directory: &str, expect: &[&str]| {
        let mut ended = kustomize(dir.path(), &[directory]).exits(1);
        assert_eq!(ended.stdout, "");
        for part in expect {
            ended = ended.says(part);
        }
    };
    check("two", &["`two`: found multiple kustomization files"]);
    check(
        "none",
        &["`none`: unable to find one of", "hint: `convoy render manifests`"],
    );
    check("absent", &["cannot build `absent`: there is no such directory"]);
    check("none/a.yaml", &["it is a file"]);
    check(
        "https://github.com/a/b?ref=c",
        &["`https://github.com/a/b?ref=c`", "nothing is fetched", "hint: clone it"],
    );
    check(
        "remote",
        &[
            "`remote/kustomization.yaml`: `resources`: `https://example.com/a.yaml` is remote",
            "hint:",
        ],
    );
    check("plugin", &["only built-in plugins run here", "hint:"]);
}

#[test]
fn charts_in_the_tree_are_rendered_and_others_refused() {
    let dir = directory(&[
        (
            "kustomization.yaml",
            "namespace: shop\nhelmCharts:\n- name: web\n  releaseName: r\n  valuesInline: {a: 1}\n",
        ),
        ("charts/web/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n"),
        ("charts/web/values.yaml", "a: 0\nb: 2\n"),
        (
            "charts/web/templates/a.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}\n  namespace: {{ .Release.Namespace }}\ndata:\n  values: {{ toJson .Values | quote }}\n  kube: {{ .Capabilities.KubeVersion }}\n",
        ),
    ]);
    kustomize(dir.path(), &["--enable-helm", "--helm-kube-version", "1.30.1"])
        .exits(0)
        .prints(
            "apiVersion: v1\ndata:\n  kube: v1.30.1\n  values: '{\"a\":1,\"b\":2}'\nkind: ConfigMap\nmetadata:\n  name: r\n  namespace: shop\n",
        );
    fs::write(
        dir.path().join("kustomization.yaml"),
        "helmCharts: [{name: other, repo: 'https://charts.example.com', version: 1.0.0}]\n",
    )
    .unwrap();
    kustomize(dir.path(), &[])
        .exits(1)
        .says("`helmCharts`: `https://charts.example.com` is remote");
}

#[test]
fn random_values_of_charts_come_from_the_key_that_is_given() {
    let dir = directory(&[
        ("kustomization.yaml", "helmCharts: [{name: web, releaseName: r}]\n"),
        ("charts/web/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n"),
        ("charts/web/values.yaml", "{}\n"),
        (
            "charts/web/templates/a.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: r}\ndata: {drawn: {{ randAlpha 20 }}}\n",
        ),
        ("key", &"k".repeat(32)),
        ("other", &"o".repeat(32)),
    ]);
    let drawn = |arguments: &[&str]| kustomize(dir.path(), arguments).exits(0).stdout;
    let key = ["--entropy-key", "key"];
    assert_eq!(drawn(&key), drawn(&key));
    assert_ne!(drawn(&key), drawn(&["--entropy-key", "other"]));
    assert_ne!(drawn(&[]), drawn(&[]), "each run has a key of its own");
}
