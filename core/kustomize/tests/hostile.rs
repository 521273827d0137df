//! Trees that nobody should build: each is an error that says why, and deep ones take no stack.

use convoy_kustomize::{Error, Files, Limits, LoadRestrictor, Options, build};
use proptest::prelude::*;

const CONFIG_MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";

fn tree(files: &[(&str, &str)]) -> Files {
    files.iter().map(|(path, text)| (path, text.as_bytes())).collect()
}

fn refusal(files: &[(&str, &str)], options: &Options) -> String {
    build(&tree(files), "", options).expect_err("a refusal").to_string()
}

#[test]
fn what_is_wrong_is_said_with_file_and_field() {
    for (files, expect) in [
        (
            &[("kustomization.yaml", "resources: [https://example.com/a.yaml]")][..],
            "`resources`: `https://example.com/a.yaml` is remote",
        ),
        (
            &[("kustomization.yaml", "components: ['git@github.com:a/b']")],
            "is remote",
        ),
        (&[("kustomization.yaml", "resources: [../a]")], "leads out of the tree"),
        (&[("kustomization.yaml", "resources: [.]")], "cycle detected"),
        (
            &[
                ("kustomization.yaml", "resources: [a]"),
                ("a/kustomization.yaml", "resources: [..]"),
            ],
            "cycle detected",
        ),
        (&[("kustomization.yaml", "resources: [/etc/passwd]")], "`/etc/passwd`"),
        (&[("kustomization.yaml", "nonsense: 1")], "unknown field `nonsense`"),
        (&[("kustomization.yaml", "namePrefix: [")], "`kustomization.yaml`"),
        (
            &[("kustomization.yaml", "resources: [a.yaml]"), ("a.yaml", "kind: A")],
            "missing metadata.name",
        ),
        (&[("a.yaml", CONFIG_MAP)], "unable to find one of"),
        (
            &[
                ("kustomization.yaml", "transformers: [t.yaml]"),
                ("t.yaml", "apiVersion: x/v1\nkind: Exec\nmetadata: {name: a}"),
            ],
            "only built-in plugins",
        ),
    ] {
        let found = refusal(files, &Options::default());
        assert!(found.contains(expect), "{found}\nshould say {expect}");
    }
}

#[test]
fn a_file_outside_of_the_directory_needs_the_restrictor_lifted() {
    let files = tree(&[
        ("top/kustomization.yaml", "resources: [../a.yaml]"),
        ("a.yaml", CONFIG_MAP),
    ]);
    let restricted = build(&files, "top", &Options::default())
        .expect_err("a refusal")
        .to_string();
    assert!(restricted.contains("security"), "{restricted}");
    let options = Options {
        load_restrictor: LoadRestrictor::None,
        ..Options::default()
    };
    assert_eq!(build(&files, "top", &options).map(|built| built.resources.len()), Ok(1));
}

#[test]
fn a_thousand_nested_bases_build() {
    let mut files = Files::new();
    for level in 0..1_000 {
        let next = level + 1;
        files.insert(
            &format!("b{level}/kustomization.yaml"),
            format!("resources: [../b{next}]\nnamePrefix: x\n").into_bytes(),
        );
    }
    files.insert("b1000/kustomization.yaml", b"resources: [a.yaml]".as_slice());
    files.insert("b1000/a.yaml", CONFIG_MAP.as_bytes());
    let built = build(&files, "b0", &Options::default()).expect("it builds");
    let name = built.resources[0]
        .at(&["metadata", "name"])
        .and_then(|name| name.as_str())
        .map(str::len);
    assert_eq!(name, Some(1_001));
}

#[test]
fn each_limit_is_named() {
    let files = &[
        ("kustomization.yaml", "resources: [a.yaml, b]"),
        ("a.yaml", CONFIG_MAP),
        ("b/kustomization.yaml", "namePrefix: x"),
    ];
    let limits = Limits::default();
    for (limits, expect) in [
        (
            Limits {
                file_bytes: 30,
                ..limits.clone()
            },
            "bytes of a file",
        ),
        (
            Limits {
                bytes: 40,
                ..limits.clone()
            },
            "bytes in all",
        ),
        (
            Limits {
                objects: 0,
                ..limits.clone()
            },
            "0 objects",
        ),
        (
            Limits {
                kustomizations: 1,
                ..limits.clone()
            },
            "1 kustomizations",
        ),
        (
            Limits {
                depth: 1,
                ..limits.clone()
            },
            "1 nested kustomizations",
        ),
    ] {
        let found = refusal(
            files,
            &Options {
                limits,
                ..Options::default()
            },
        );
        assert!(found.contains(expect), "{found}\nshould say {expect}");
    }
    assert!(matches!(
        build(
            &tree(files),
            "",
            &Options {
                limits: Limits { objects: 0, ..limits },
                ..Options::default()
            }
        ),
        Err(Error::Limit { .. })
    ));
}

proptest! {
    #[test]
    fn no_text_makes_a_build_panic(kustomization in "[a-zA-Z:\\[\\]{}, \n$-]{0,200}", object in "[a-zA-Z:\\[\\]{}, \n$-]{0,200}") {
        let text = format!("resources: [a.yaml]\n{kustomization}");
        let object = format!("{CONFIG_MAP}{object}");
        let _ = build(&tree(&[("kustomization.yaml", &text), ("a.yaml", &object)]), "", &Options::default());
    }

    #[test]
    fn no_patch_makes_a_build_panic(patch in "[a-z:\\[\\]{}, \n$/\"-]{0,120}", path in "[a-z.\\[\\]=*/0-9-]{0,40}") {
        let text = format!("resources: [a.yaml]\npatches: [{{path: p.yaml, target: {{kind: ConfigMap}}}}]\nreplacements: [{{source: {{kind: ConfigMap}}, targets: [{{select: {{kind: ConfigMap}}, fieldPaths: ['{path}'], options: {{create: true}}}}]}}]\n");
        let files = tree(&[("kustomization.yaml", &text), ("a.yaml", CONFIG_MAP), ("p.yaml", &patch)]);
        let _ = build(&files, "", &Options::default());
    }
}
