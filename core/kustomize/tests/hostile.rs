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
fn whatever_is_remote_is_refused_by_its_url() {
    for (field, url) in [
        ("resources", "https://github.com/a/b//c?ref=v1"),
        ("resources", "http://example.com/a.yaml"),
        ("resources", "github.com/a/b/c?ref=main"),
        ("resources", "git@github.com:a/b.git//c"),
        ("resources", "ssh://git@host/a/b.git"),
        ("resources", "git::https://host/a.git"),
        ("resources", "file:///etc/passwd"),
        ("bases", "https://github.com/a/b"),
        ("components", "https://github.com/a/b"),
        ("components", "git@host:a/b"),
        ("generators", "https://host/g.yaml"),
        ("transformers", "https://host/t.yaml"),
        ("validators", "https://host/v.yaml"),
        ("crds", "https://host/crd.json"),
        ("configurations", "https://host/c.yaml"),
        ("patchesStrategicMerge", "https://host/p.yaml"),
    ] {
        let found = refusal(
            &[("kustomization.yaml", &format!("{field}: ['{url}']"))],
            &Options::default(),
        );
        let shown = if field == "bases" { "resources" } else { field };
        for part in ["`kustomization.yaml`", &format!("`{shown}`"), url, "is remote"] {
            assert!(found.contains(part), "{found}\nshould say {part}");
        }
    }
    for (field, text) in [
        ("patches", "patches: [{path: 'https://host/p.yaml'}]"),
        ("openapi", "openapi: {path: 'https://host/schema.json'}"),
        (
            "configMapGenerator",
            "configMapGenerator: [{name: a, files: ['https://host/a.txt']}]",
        ),
        (
            "secretGenerator",
            "secretGenerator: [{name: a, envs: ['https://host/a.env']}]",
        ),
        ("replacements", "replacements: [{path: 'https://host/r.yaml'}]"),
    ] {
        let found = refusal(&[("kustomization.yaml", text)], &Options::default());
        for part in [&format!("`{field}`"), "https://host/", "is remote"] {
            assert!(found.contains(part), "{found}\nshould say {part}");
        }
    }
}

#[test]
fn components_that_include_each_other_are_a_cycle() {
    const HEAD: &str = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n";
    let (a, b) = (format!("{HEAD}components: [../b]"), format!("{HEAD}components: [../a]"));
    let found = refusal(
        &[
            ("kustomization.yaml", "components: [a]"),
            ("a/kustomization.yaml", &a),
            ("b/kustomization.yaml", &b),
        ],
        &Options::default(),
    );
    assert!(
        found.contains("`b/kustomization.yaml`: `components`: cycle detected: `a`"),
        "{found}"
    );
}

#[test]
fn a_program_is_never_run() {
    for (field, plugin) in [
        (
            "generators",
            "apiVersion: x/v1\nkind: G\nmetadata: {name: a, annotations: {config.kubernetes.io/function: '{exec: {path: ./run}}'}}",
        ),
        (
            "transformers",
            "apiVersion: x/v1\nkind: T\nmetadata: {name: a, annotations: {config.kubernetes.io/function: '{container: {image: a}}'}}",
        ),
        ("validators", "apiVersion: someteam/v1\nkind: Go\nmetadata: {name: a}"),
    ] {
        let found = refusal(
            &[
                ("kustomization.yaml", &format!("resources: [a.yaml]\n{field}: [p.yaml]")),
                ("a.yaml", CONFIG_MAP),
                ("p.yaml", plugin),
                ("run", "#!/bin/sh"),
            ],
            &Options::default(),
        );
        assert!(
            found.contains(&format!("`{field}`")) && found.contains("only built-in plugins run here"),
            "{found}"
        );
    }
}

#[test]
fn two_files_that_could_be_the_kustomization_are_an_error() {
    let found = refusal(
        &[
            ("kustomization.yaml", "namePrefix: a"),
            ("Kustomization", "namePrefix: b"),
        ],
        &Options::default(),
    );
    assert_eq!(
        found,
        "`.`: found multiple kustomization files: `kustomization.yaml`, `Kustomization`"
    );
    for name in ["kustomization.yaml", "kustomization.yml", "Kustomization"] {
        let files = tree(&[(name, "resources: [a.yaml]"), ("a.yaml", CONFIG_MAP)]);
        assert!(build(&files, "", &Options::default()).is_ok(), "{name}");
    }
}

/// A tree that has seen what was asked of it.
#[derive(Debug)]
struct Watched {
    files: Files,
    read: std::cell::RefCell<Vec<String>>,
}

impl convoy_kustomize::Tree for Watched {
    fn find(&self, path: &str) -> Result<Option<convoy_kustomize::Entry>, String> {
        self.files.find(path)
    }

    fn read(&self, path: &str, limit: usize) -> Result<std::sync::Arc<[u8]>, String> {
        self.read.borrow_mut().push(path.to_string());
        self.files.read(path, limit)
    }
}

#[test]
fn only_files_that_are_named_are_read() {
    let watched = Watched {
        files: tree(&[
            (
                "app/kustomization.yaml",
                "resources: [a.yaml]\nconfigMapGenerator: [{name: g, files: [f.txt]}]",
            ),
            ("app/a.yaml", CONFIG_MAP),
            ("app/f.txt", "f"),
            ("app/neighbour.yaml", "large"),
            ("other/kustomization.yaml", "large"),
        ]),
        read: std::cell::RefCell::default(),
    };
    build(&watched, "app", &Options::default()).expect("it builds");
    assert_eq!(
        watched.read.take(),
        ["app/kustomization.yaml", "app/a.yaml", "app/f.txt"]
    );
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
