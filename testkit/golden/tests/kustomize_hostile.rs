//! Small files that ask for much: each ends soon, within its memory, with an error that names what was too much.
//!
//! Limits are lower than a user's, so that a test is quick; that they hold is what counts, not where they are.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use convoy_kustomize::{Error, Files, Limits, Options, build};

/// No case may take longer, in a development build on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

fn limits() -> Limits {
    Limits {
        steps: 3_000_000,
        written: 8 << 20,
        nodes: 200_000,
        ..Limits::default()
    }
}

fn tree(files: &[(&str, String)]) -> Files {
    files.iter().map(|(path, text)| (path, text.as_bytes())).collect()
}

/// Builds, and looks at the error: that it is a limit's, and that it says all of `expect`.
fn check(files: &[(&str, String)], expect: &[&str]) {
    let options = Options {
        limits: limits(),
        ..Options::default()
    };
    let started = Instant::now();
    let error = build(&tree(files), "", &options).expect_err("a refusal");
    let text = error.to_string();
    assert!(started.elapsed() < PATIENCE, "{text} after {:?}", started.elapsed());
    assert!(matches!(error, Error::Limit { .. }), "{text}");
    for part in expect {
        assert!(text.contains(part), "{text}\nshould say {part}");
    }
    assert!(text.len() < 4_000, "an error of {} bytes", text.len());
}

fn config_maps(count: usize) -> String {
    (0..count).fold(String::new(), |mut text, number| {
        let _ = write!(
            text,
            "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a{number}}}\ndata: {{k: v}}\n"
        );
        text
    })
}

#[test]
fn a_patch_on_everything_times_many_objects_ends() {
    let patches = "- {patch: '{apiVersion: v1, kind: ConfigMap, metadata: {name: x}, data: {b: c}}', target: {kind: ConfigMap}}\n";
    check(
        &[
            (
                "kustomization.yaml",
                format!("resources: [a.yaml]\npatches:\n{}", patches.repeat(2_000)),
            ),
            ("a.yaml", config_maps(1_000)),
        ],
        &["`kustomization.yaml`: `patches`", "limit of"],
    );
    let operations = "- {patch: '- {op: add, path: /data/b, value: c}', target: {name: a.*}}\n";
    check(
        &[
            (
                "kustomization.yaml",
                format!("resources: [a.yaml]\npatches:\n{}", operations.repeat(2_000)),
            ),
            ("a.yaml", config_maps(1_000)),
        ],
        &["`patches`", "limit of"],
    );
}

#[test]
fn a_large_label_times_many_objects_ends() {
    let large = "x".repeat(100_000);
    for field in [
        format!("commonLabels: {{a: {large}}}"),
        format!("commonAnnotations: {{a: {large}}}"),
        format!("labels: [{{pairs: {{a: {large}}}}}]"),
        format!("namePrefix: {large}"),
        format!("nameSuffix: {large}"),
        format!("namespace: {large}"),
    ] {
        let name = field.split(':').next().unwrap_or_default().to_string();
        let shown = if name == "commonLabels" { "labels".into() } else { name };
        check(
            &[
                ("kustomization.yaml", format!("resources: [a.yaml]\n{field}\n")),
                ("a.yaml", config_maps(500)),
            ],
            &[&format!("`{shown}`"), "bytes written by generators and transformers"],
        );
    }
}

#[test]
fn generator_options_times_many_generators_end() {
    let generators = (0..500).fold(String::new(), |mut text, number| {
        let _ = writeln!(text, "- {{name: g{number}}}");
        text
    });
    let large = "x".repeat(100_000);
    check(
        &[(
            "kustomization.yaml",
            format!("generatorOptions: {{labels: {{a: {large}}}}}\nconfigMapGenerator:\n{generators}"),
        )],
        &["`configMapGenerator`", "bytes written"],
    );
}

#[test]
fn a_value_that_is_copied_into_itself_ends() {
    let entry = "- {source: {kind: ConfigMap, fieldPath: data}, targets: [{select: {kind: ConfigMap}, fieldPaths: [data.NEW], options: {create: true}}]}\n";
    let doubling = (0..60).fold(String::new(), |text, number| {
        text + &entry.replace("NEW", &format!("n{number}"))
    });
    check(
        &[
            (
                "kustomization.yaml",
                format!("resources: [a.yaml]\nreplacements:\n{doubling}"),
            ),
            ("a.yaml", config_maps(1)),
        ],
        &["`replacements`", "ConfigMap", "limit of"],
    );
}

#[test]
fn a_path_that_makes_many_levels_ends() {
    let deep = "a.".repeat(100_000);
    let replacement = format!(
        "- {{sourceValue: x, targets: [{{select: {{kind: ConfigMap}}, fieldPaths: ['{deep}b'], options: {{create: true}}}}]}}\n"
    );
    check(
        &[
            (
                "kustomization.yaml",
                format!("resources: [a.yaml]\nreplacements:\n{replacement}"),
            ),
            ("a.yaml", config_maps(1)),
        ],
        &["`replacements`", "limit of 200 parts of a field path"],
    );
    let added = format!(
        "apiVersion: builtin\nkind: ValueAddTransformer\nmetadata: {{name: a}}\nvalue: x\ntargets: [{{fieldPath: {}b}}]\n",
        "a/".repeat(100_000)
    );
    check(
        &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\ntransformers: [t.yaml]".into(),
            ),
            ("a.yaml", config_maps(1)),
            ("t.yaml", added),
        ],
        &["`transformers`", "parts of a field path"],
    );
}

#[test]
fn every_element_of_every_list_ends() {
    let items = "[x, x, x, x, x, x, x, x, x, x]";
    let nested = (0..3).fold(items.to_string(), |inner, _| {
        format!("[{}]", vec![inner; 10].join(", "))
    });
    let object = format!("apiVersion: v1\nkind: A\nmetadata: {{name: a}}\nspec: {nested}\n");
    let entry = "- {sourceValue: z, targets: [{select: {kind: A}, fieldPaths: ['spec.*.*.*.*']}]}\n";
    check(
        &[
            (
                "kustomization.yaml",
                format!("resources: [a.yaml]\nreplacements:\n{}", entry.repeat(500)),
            ),
            ("a.yaml", object),
        ],
        &["`replacements`", "limit of"],
    );
}

#[test]
fn patterns_that_explode_are_refused_or_run_in_linear_time() {
    let text = format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {}}}\ndata: {{k: v}}\n",
        "a".repeat(20_000)
    );
    for (pattern, refused) in [
        ("(a+)+b", false),
        ("(a|aa)*b", false),
        ("(a*)*(a*)*(a*)*b", false),
        ("((a{1,300}){1,300}){1,300}", true),
        ("((((((a{9}){9}){9}){9}){9}){9}){9}", true),
    ] {
        let kustomization = format!(
            "resources: [a.yaml]\npatches: [{{target: {{name: '{pattern}'}}, patch: '- {{op: add, path: /data/x, value: z}}'}}]\n"
        );
        let started = Instant::now();
        let built = build(
            &tree(&[("kustomization.yaml", kustomization), ("a.yaml", text.clone())]),
            "",
            &Options::default(),
        );
        assert!(started.elapsed() < PATIENCE, "{pattern}");
        match built {
            Ok(_) => assert!(!refused, "{pattern}"),
            Err(error) => {
                let error = error.to_string();
                assert!(
                    refused && error.contains("`patches`") && error.contains("limit"),
                    "{error}"
                );
            }
        }
    }
}

#[test]
fn images_times_large_objects_end() {
    let object = format!(
        "apiVersion: v1\nkind: A\nmetadata: {{name: a}}\nspec: {{list: [{}]}}\n",
        vec!["x"; 20_000].join(", ")
    );
    let images = (0..2_000).fold(String::new(), |mut text, number| {
        let _ = writeln!(text, "- {{name: i{number}, newTag: x}}");
        text
    });
    check(
        &[
            ("kustomization.yaml", format!("resources: [a.yaml]\nimages:\n{images}")),
            ("a.yaml", object),
        ],
        &["`images`", "steps"],
    );
}

#[test]
fn aliases_of_many_documents_end() {
    let document = format!(
        "---\napiVersion: v1\nkind: A\nmetadata: {{name: aN}}\na: &a [{}]\nb: &b [{}]\nc: [{}]\n",
        ["x"; 10].join(", "),
        ["*a"; 10].join(", "),
        ["*b"; 10].join(", "),
    );
    let documents = (0..200).fold(String::new(), |text, number| {
        text + &document.replace("aN", &format!("a{number}"))
    });
    check(
        &[
            ("kustomization.yaml", "resources: [a.yaml]".into()),
            ("a.yaml", documents),
        ],
        &["`resources`", "nodes of YAML in all"],
    );
    // One that opens too much by itself is refused by the reader.
    let bomb = (1..10).fold("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_string(), |text, level| {
        text + &format!(
            "a{level}: &a{level} [{}]\n",
            vec![format!("*a{}", level - 1); 10].join(", ")
        )
    });
    for (name, files) in [
        (
            "a.yaml",
            vec![
                ("kustomization.yaml", "resources: [a.yaml]".to_string()),
                (
                    "a.yaml",
                    format!("apiVersion: v1\nkind: A\nmetadata: {{name: a}}\n{bomb}"),
                ),
            ],
        ),
        ("kustomization.yaml", vec![("kustomization.yaml", bomb.clone())]),
        (
            "configurations",
            vec![
                ("kustomization.yaml", "configurations: [c.yaml]".to_string()),
                ("c.yaml", bomb.clone()),
            ],
        ),
        (
            "openapi",
            vec![
                ("kustomization.yaml", "openapi: {path: s.yaml}".to_string()),
                ("s.yaml", bomb.clone()),
            ],
        ),
        (
            "patches",
            vec![
                (
                    "kustomization.yaml",
                    "resources: [a.yaml]\npatches: [{path: p.yaml}]".to_string(),
                ),
                ("a.yaml", config_maps(1)),
                (
                    "p.yaml",
                    format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a0}}\n{bomb}"),
                ),
            ],
        ),
    ] {
        let started = Instant::now();
        let error = build(&tree(&files), "", &Options::default()).expect_err("a refusal");
        assert!(matches!(error, Error::Limit { .. }), "{error:?}");
        let error = error.to_string();
        assert!(started.elapsed() < PATIENCE && error.contains(name), "{error}");
    }
}

#[test]
fn types_that_fan_out_end() {
    let types = (0..40).fold(String::new(), |text, level| {
        let properties = (0..8).fold(String::new(), |text, number| {
            text + &format!("\"p{number}\": {{\"$ref\": \"T{}\"}}, ", level + 1)
        });
        let rest = "\"kind\": {}, \"apiVersion\": {}, \"metadata\": {}";
        text + &format!("\"T{level}\": {{\"Schema\": {{\"properties\": {{{properties}{rest}}}}}}}, ")
    });
    let types = format!("{{{types}\"T40\": {{}}}}");
    check(
        &[
            ("kustomization.yaml", "resources: [a.yaml]\ncrds: [t.json]".into()),
            ("a.yaml", config_maps(1)),
            ("t.json", types),
        ],
        &["`crds`", "`t.json`", "steps"],
    );
}

#[test]
fn variables_that_grow_end() {
    let large = "y".repeat(20_000);
    let uses = "$(V)".repeat(1_000);
    check(
        &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\nvars: [{name: V, objref: {apiVersion: v1, kind: ConfigMap, name: c}, fieldref: {fieldpath: data.k}}]\n".into(),
            ),
            (
                "a.yaml",
                format!(
                    "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c}}\ndata: {{k: {large}}}\n---\napiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec: {{containers: [{{name: c, args: [\"{uses}\"]}}]}}\n"
                ),
            ),
        ],
        &["`vars`", "bytes written"],
    );
}

#[test]
fn lists_with_several_keys_times_patches_end() {
    let ports = |from: usize| {
        (from..from + 1_500).fold(String::new(), |mut text, port| {
            let _ = write!(text, "{{port: {port}, protocol: TCP}}, ");
            text
        })
    };
    let service = |from| {
        format!(
            "apiVersion: v1\nkind: Service\nmetadata: {{name: s}}\nspec: {{ports: [{}]}}\n",
            ports(from)
        )
    };
    check(
        &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\npatches: [{path: p.yaml}]".into(),
            ),
            ("a.yaml", service(1)),
            ("p.yaml", service(301)),
        ],
        &["`patches`", "steps"],
    );
}

#[test]
fn names_of_the_past_times_levels_end() {
    let mut files: Vec<(String, String)> = (0..300)
        .map(|level| {
            let next = level + 1;
            let text = format!("resources: [../l{next}]\nnamePrefix: {}\n", "x".repeat(400));
            (format!("l{level}/kustomization.yaml"), text)
        })
        .collect();
    files.push(("kustomization.yaml".into(), "resources: [l0]".into()));
    files.push(("l300/kustomization.yaml".into(), "resources: [a.yaml]".into()));
    files.push(("l300/a.yaml".into(), config_maps(20)));
    let files: Vec<(&str, String)> = files.iter().map(|(path, text)| (path.as_str(), text.clone())).collect();
    check(&files, &["/kustomization.yaml`: `namePrefix`", "bytes written"]);
}

#[test]
fn bases_that_fan_out_end() {
    // Each level is named twice, through two doors that differ only in their prefix.
    let mut files = Vec::new();
    for level in 0..40 {
        let next = level + 1;
        for door in ["a", "b"] {
            files.push((
                format!("l{level}/{door}/kustomization.yaml"),
                format!("resources: [../../l{next}]\nnamePrefix: {door}\n"),
            ));
        }
        files.push((format!("l{level}/kustomization.yaml"), "resources: [a, b]".into()));
    }
    files.push(("kustomization.yaml".into(), "resources: [l0]".into()));
    files.push(("l40/kustomization.yaml".into(), "resources: [a.yaml]".into()));
    files.push(("l40/a.yaml".into(), config_maps(1)));
    let files: Vec<(&str, String)> = files.iter().map(|(path, text)| (path.as_str(), text.clone())).collect();
    check(&files, &["limit of"]);
}

#[test]
fn a_huge_count_of_replicas_is_a_number_or_refused() {
    let files = |count: &str| {
        tree(&[
            (
                "kustomization.yaml",
                format!("resources: [a.yaml]\nreplicas: [{{name: d, count: {count}}}]"),
            ),
            (
                "a.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec: {replicas: 1}\n".into(),
            ),
        ])
    };
    let largest = build(&files("9223372036854775807"), "", &Options::default()).expect("a number");
    assert_eq!(
        largest.resources[0]
            .at(&["spec", "replicas"])
            .and_then(convoy_value::Value::as_i64),
        Some(i64::MAX)
    );
    for count in ["9223372036854775808", "99999999999999999999999", "1.5", "x", "1e400"] {
        let error = build(&files(count), "", &Options::default())
            .expect_err(count)
            .to_string();
        assert!(
            error.contains("kustomization.yaml") && error.contains("`replicas`"),
            "{error}"
        );
    }
}

#[test]
fn a_flag_that_goes_up_ends_the_build() {
    let files = tree(&[
        ("kustomization.yaml", "resources: [a.yaml]\nnamePrefix: x".into()),
        ("a.yaml", config_maps(2_000)),
    ]);
    let options = |up| Options {
        cancel: Some(Arc::new(AtomicBool::new(up))),
        ..Options::default()
    };
    assert!(build(&files, "", &options(false)).is_ok());
    assert!(matches!(
        build(&files, "", &options(true)),
        Err(Error::Cancelled { .. })
    ));
}
