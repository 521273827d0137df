//! The target namespace, and what a build warns of.

use convoy_kustomize::{Built, Files, Options, Warning, build};

const ACCOUNT: &str = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: sa, namespace: given}\n";
const BINDING: &str = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: b}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: r}\nsubjects: [{kind: ServiceAccount, name: sa, namespace: given}, {kind: ServiceAccount, name: default}]\n";
const ROLE: &str = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: r}\nrules: []\n";
const NAMESPACE: &str = "apiVersion: v1\nkind: Namespace\nmetadata: {name: given}\n";
const CONFIG_MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";

fn built(kustomization: &str, target: Option<&str>) -> Result<Built, String> {
    let files: Files = [
        ("kustomization.yaml", kustomization),
        ("sa.yaml", ACCOUNT),
        ("b.yaml", BINDING),
        ("r.yaml", ROLE),
        ("n.yaml", NAMESPACE),
        ("a.yaml", CONFIG_MAP),
        ("base/kustomization.yaml", "resources: [a.yaml]\nnamespace: base\n"),
        ("base/a.yaml", CONFIG_MAP),
        (
            "t.yaml",
            "apiVersion: builtin\nkind: NamespaceTransformer\nmetadata: {name: t, namespace: late}\n",
        ),
    ]
    .into_iter()
    .map(|(path, text)| (path, text.as_bytes()))
    .collect();
    let options = Options {
        target_namespace: target.map(str::to_string),
        ..Options::default()
    };
    build(&files, "", &options).map_err(|error| error.to_string())
}

/// `kind/namespace/name` of each object.
fn places(built: &Built) -> Vec<String> {
    let text = |value: &convoy_value::Value, path: &[&str]| {
        value
            .at(path)
            .and_then(convoy_value::Value::as_str)
            .unwrap_or("-")
            .to_string()
    };
    built
        .resources
        .iter()
        .map(|object| {
            format!(
                "{}/{}/{}",
                text(object, &["kind"]),
                text(object, &["metadata", "namespace"]),
                text(object, &["metadata", "name"])
            )
        })
        .collect()
}

#[test]
fn the_target_namespace_counts_whatever_the_kustomization_says() {
    for (kustomization, expect) in [
        ("resources: [a.yaml]\n", "ConfigMap/target/a"),
        ("resources: [a.yaml]\nnamespace: own\n", "ConfigMap/target/a"),
        ("resources: [base]\n", "ConfigMap/target/a"),
        ("resources: [a.yaml]\nnamePrefix: x-\n", "ConfigMap/target/x-a"),
        // Even where a transformer comes after the kustomization's own fields.
        ("resources: [a.yaml]\ntransformers: [t.yaml]\n", "ConfigMap/target/a"),
        ("resources: [sa.yaml]\n", "ServiceAccount/target/sa"),
    ] {
        let built = built(kustomization, Some("target")).expect(kustomization);
        assert_eq!(places(&built), [expect], "{kustomization}");
    }
    let without = built("resources: [a.yaml]\n", Some("")).expect("it builds");
    assert_eq!(places(&without), ["ConfigMap/-/a"], "an empty one is none");
}

#[test]
fn types_without_a_namespace_stay_and_what_they_name_follows() {
    let built = built("resources: [sa.yaml, b.yaml, r.yaml, n.yaml]\n", Some("target")).expect("it builds");
    assert_eq!(
        places(&built),
        [
            "Namespace/-/given",
            "ServiceAccount/target/sa",
            "ClusterRole/-/r",
            "ClusterRoleBinding/-/b"
        ]
    );
    let subjects = convoy_value::json::to_canonical(built.resources[3].get("subjects").expect("subjects"));
    assert_eq!(
        subjects,
        r#"[{"kind":"ServiceAccount","name":"sa","namespace":"target"},{"kind":"ServiceAccount","name":"default","namespace":"target"}]"#
    );
    assert_eq!(
        built.warnings,
        [Warning::NamespaceKept {
            name: "given".into(),
            target: "target".into()
        }]
    );
    assert!(built.warnings[0].to_string().contains("`given`"));
}

#[test]
fn a_namespace_that_is_the_target_needs_no_warning() {
    let built = built("resources: [n.yaml, a.yaml]\n", Some("given")).expect("it builds");
    assert_eq!(built.warnings, []);
}

#[test]
fn a_namespace_that_the_kustomization_renames_is_named() {
    let renamed = Warning::NamespaceRenamed {
        from: "given".into(),
        to: "own".into(),
    };
    let text = "resources: [n.yaml, a.yaml]\nnamespace: own\n";
    let without = built(text, None).expect("it builds");
    assert_eq!(places(&without), ["Namespace/-/own", "ConfigMap/own/a"]);
    assert_eq!(without.warnings, std::slice::from_ref(&renamed));
    let with = built(text, Some("target")).expect("it builds");
    assert_eq!(places(&with), ["Namespace/-/own", "ConfigMap/target/a"]);
    assert_eq!(
        with.warnings,
        [
            renamed,
            Warning::NamespaceKept {
                name: "own".into(),
                target: "target".into()
            }
        ]
    );
}

#[test]
fn replacements_see_the_target_namespace() {
    let text = "resources: [a.yaml]\nnamespace: own\nreplacements: [{source: {kind: ConfigMap, fieldPath: metadata.namespace}, targets: [{select: {kind: ConfigMap}, fieldPaths: [data.ns], options: {create: true}}]}]\n";
    let built = built(text, Some("target")).expect("it builds");
    let found = built.resources[0]
        .at(&["data", "ns"])
        .and_then(convoy_value::Value::as_str);
    assert_eq!(found, Some("target"));
}

#[test]
fn two_objects_that_would_become_one_are_an_error() {
    let problem = built("resources: [a.yaml, base]\n", Some("target")).expect_err("a refusal");
    for part in [
        "`kustomization.yaml`: `targetNamespace`",
        "ID conflict",
        "ConfigMap",
        "/a.target",
    ] {
        assert!(problem.contains(part), "{problem}");
    }
}

#[test]
fn deprecated_fields_work_and_are_named_with_their_file() {
    for (field, instead, rest) in [
        ("bases", "resources", "[base]"),
        ("commonLabels", "labels", "{a: b}"),
        ("imageTags", "images", "[{name: a, newTag: b}]"),
        (
            "patchesJson6902",
            "patches",
            "[{target: {version: v1, kind: ConfigMap, name: a}, patch: '[{\"op\": \"add\", \"path\": \"/data\", \"value\": {}}]'}]",
        ),
        (
            "patchesStrategicMerge",
            "patches",
            "['{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}']",
        ),
        (
            "vars",
            "replacements",
            "[{name: V, objref: {apiVersion: v1, kind: ConfigMap, name: a}}]",
        ),
    ] {
        let resources = if field == "bases" { "" } else { "resources: [a.yaml]\n" };
        let built = built(&format!("{resources}{field}: {rest}\n"), None).expect(field);
        let expect = Warning::Deprecated {
            file: "kustomization.yaml".into(),
            field,
            instead,
        };
        assert_eq!(built.warnings.first(), Some(&expect));
        let shown = expect.to_string();
        assert!(shown.contains("`kustomization.yaml`") && shown.contains(field) && shown.contains(instead));
        let theirs = expect.as_kustomize().expect("kustomize says something");
        assert!(theirs.starts_with(&format!(
            "# Warning: '{field}' is deprecated. Please use '{instead}' instead."
        )));
    }
    let unused = built(
        "resources: [a.yaml]\nvars: [{name: V, objref: {apiVersion: v1, kind: ConfigMap, name: a}}]\n",
        None,
    );
    assert_eq!(
        unused.expect("it builds").warnings.last(),
        Some(&Warning::UnusedVars(["V".to_string()].into()))
    );
}
