//! What a kustomization says: each field is there or not.

use std::fmt::Write as _;

use super::{Maker, Place, configurations, patches, plugins, replacements};

type Make = fn(&mut Maker<'_>, &Place<'_>) -> String;

/// Fields with how seldom they are there.
const FIELDS: &[(usize, Make)] = &[
    (4, namespace),
    (4, prefix),
    (6, suffix),
    (6, common_labels),
    (4, labels),
    (5, common_annotations),
    (4, config_maps),
    (6, secrets),
    (8, generator_options),
    (4, images),
    (6, replicas),
    (4, patches::patches),
    (10, patches::strategic_merge),
    (10, patches::json),
    (5, replacements::replacements),
    (8, configurations::vars),
    (8, configurations::configurations),
    (16, configurations::crds),
    (16, configurations::openapi),
    (12, plugins::transformers),
    (16, plugins::generators),
    (24, plugins::validators),
    (10, build_metadata),
    (10, sort_options),
    (40, odd),
];

/// How many fields there are.
pub(super) const COUNT: usize = FIELDS.len();

/// The text of a kustomization.
pub(super) fn kustomization(maker: &mut Maker<'_>, place: &Place<'_>, resources: &[String]) -> String {
    let mut out = String::new();
    if place.component {
        out.push_str("apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n");
    } else if !maker.one_in(4) {
        out.push_str("apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n");
    }
    if !resources.is_empty() {
        let field = if maker.one_in(16) { "bases" } else { "resources" };
        let _ = writeln!(out, "{field}: [{}]", resources.join(", "));
    }
    for (index, (seldom, make)) in FIELDS.iter().enumerate() {
        let seldom = if index == maker.favourite { 2 } else { *seldom };
        if maker.one_in(seldom) {
            out.push_str(&make(maker, place));
        }
    }
    out
}

fn namespace(maker: &mut Maker<'_>, _: &Place<'_>) -> String {
    format!(
        "namespace: {}\n",
        maker.pick(&["one", "two", "three", "default", "\"\"", "\"5\""])
    )
}

fn prefix(maker: &mut Maker<'_>, _: &Place<'_>) -> String {
    format!("namePrefix: {}\n", maker.pick(&["p-", "q-", "\"1-\"", "\"\"", "Ä-"]))
}

fn suffix(maker: &mut Maker<'_>, _: &Place<'_>) -> String {
    format!("nameSuffix: {}\n", maker.pick(&["-s", "-t", "\"-1\"", "\"0\""]))
}

const PAIRS: &[&str] = &[
    "{team: blue}",
    "{app: mine, num: \"1\"}",
    "{tier: \"true\"}",
    "{example.com/x: y.z}",
    "{e: \"\"}",
    "{app: \"\", team: \"1.0\", zone: \"null\"}",
];

fn common_labels(maker: &mut Maker<'_>, _: &Place<'_>) -> String {
    format!("commonLabels: {}\n", maker.pick(PAIRS))
}

fn common_annotations(maker: &mut Maker<'_>, _: &Place<'_>) -> String {
    format!("commonAnnotations: {}\n", maker.pick(PAIRS))
}

const LABEL_OPTIONS: &[&str] = &[
    "includeSelectors: true",
    "includeTemplates: true",
    "includeSelectors: false",
    "includeSelectors: true, includeTemplates: true",
    "fields: [{path: spec/extra, create: true}]",
    "fields: [{path: spec/labels, kind: Widget}]",
    "fields: [{path: metadata/annotations, create: true, kind: Deployment}]",
    "includeTemplates: true, fields: [{path: spec/template/metadata/labels, create: false}]",
    "fields: [{path: spec/volumeClaimTemplates/metadata/labels, create: true, group: apps, kind: StatefulSet}]",
    "fields: [{path: metadata/labels, create: true}]",
];

fn labels(maker: &mut Maker<'_>, _: &Place<'_>) -> String {
    let mut out = "labels:\n".to_owned();
    for _ in 0..=maker.random.below(2) {
        let _ = writeln!(out, "- {{pairs: {}, {}}}", maker.pick(PAIRS), maker.pick(LABEL_OPTIONS));
    }
    out
}

const LITERALS: &[&str] = &[
    "a=9",
    "\"c=d e\"",
    "'q=\"z\"'",
    "'s=''x'''",
    "b=",
    "x=y=z",
    "m=é☃",
    "n=1.0",
    "t=true",
    "'j={\"a\": 1}'",
    "\"nl=a\\nb\"",
    "\"tab=\\tx\"",
    "a.b-c_d=1",
    "bad",
    "'=v'",
    "'sp ace=1'",
    "a=10",
];

/// Literals that are fine.
const SOUND_LITERALS: usize = 13;

const SOURCES: &[&str] = &[
    "  envs: [env.txt]\n",
    "  env: env.txt\n",
    "  files: [file.txt]\n",
    "  files: [key=file.txt, env.txt]\n",
    "  files: [no.txt]\n",
    "  files: ['a=b=c']\n",
    "  files: [=file.txt]\n",
    "  literals: [z=1]\n",
];

const OPTIONS: &[&str] = &[
    "  options: {labels: {own: mine}, annotations: {o: \"1\"}}\n",
    "  options: {disableNameSuffixHash: true}\n",
    "  options: {immutable: true, disableNameSuffixHash: false}\n",
    "  options: {immutable: true}\n",
    "  options: {}\n",
    "  namespace: one\n",
    "  namespace: two\n",
    "  type: kubernetes.io/tls\n",
    "  unknown: field\n",
];

/// Files of variables; the first are fine.
const ENVIRONMENTS: &[&str] = &[
    "# no\nX=1\n Y=<2>&\n\n",
    "A=b\r\nC=d\r\n",
    "\u{feff}BOM=1\n",
    "Q=\"quoted\"\nS='single'\nE=\n",
    "lines=\\n x # c",
    "Z\n",
    "export X=1\n",
    "A=1\nA=2\n",
    "=x\n",
];

const FILES: &[&str] = &[
    "line 1\nline 2\n",
    "",
    "no end",
    " lead\n\n\n",
    "é\u{1F600}\n",
    "a\r\nb\r\n",
    "a: 1\n# c\n",
    "\ttab\n",
];

fn generator(maker: &mut Maker<'_>, place: &Place<'_>, kind: &str) -> String {
    let text = maker.choose(ENVIRONMENTS, 6);
    maker.file(place, "env.txt", text.into());
    let text = maker.choose(FILES, FILES.len() - 1);
    maker.file(place, "file.txt", text.into());
    let object = if kind == "secretGenerator" {
        "Secret"
    } else {
        "ConfigMap"
    };
    let mut out = format!("{kind}:\n");
    for _ in 0..=maker.random.below(2) {
        if maker.one_in(2) && maker.has(object) {
            let (name, namespace) = maker.object(object);
            let behavior = maker.choose(&["merge", "replace", "create", "bogus", "\"\""], 2);
            let _ = writeln!(out, "- name: {name}\n  behavior: {behavior}");
            if !namespace.is_empty() {
                let _ = writeln!(out, "  namespace: {namespace}");
            }
        } else {
            let name = maker.fresh(object, "");
            let _ = writeln!(out, "- name: {name}");
            if maker.one_in(4) {
                out.push_str("  behavior: create\n");
            }
        }
        if object == "ConfigMap" || maker.one_in(2) {
            // Others copy what is under `a`.
            let some = maker.some(&LITERALS[1..], SOUND_LITERALS - 1);
            let _ = writeln!(out, "  literals: [a=9, {some}]");
        }
        if maker.one_in(2) {
            out.push_str(maker.choose(SOURCES, 4));
        }
        if maker.one_in(4) {
            out.push_str(maker.choose(OPTIONS, 5));
        }
    }
    out
}

fn config_maps(maker: &mut Maker<'_>, place: &Place<'_>) -> String {
    generator(maker, place, "configMapGenerator")
}

fn secrets(maker: &mut Maker<'_>, place: &Place<'_>) -> String {
    generator(maker, place, "secretGenerator")
}

fn generator_options(maker: &mut Maker<'_>, _: &Place<'_>) -> String {
    let options = maker.choose(
        &[
            "{disableNameSuffixHash: true}",
            "{labels: {gen: \"1\"}, immutable: true}",
            "{annotations: {own: theirs}, labels: {own: theirs}}",
            "{disableNameSuffixHash: false, immutable: false}",
            "{}",
            "{labels: {own: 1}}",
        ],
        5,
    );
    format!("generatorOptions: {options}\n")
}

const IMAGE_CHANGES: &[&str] = &[
    "newTag: \"2\"",
    "newTag: v2",
    "newName: other/box",
    "digest: sha256:cd",
    "newName: o/x, newTag: t",
    "newTag: t, digest: sha256:ee",
    "tagSuffix: -x",
    "newName: \"a:5000/b\"",
    "newTag: v, tagSuffix: -y",
    "newTag: 1.0",
];

const IMAGE_NAMES: &[&str] = &[
    "nginx",
    "busybox",
    "redis",
    "docker.io/nginx",
    "ngin.",
    "\"*\"",
    "\"example.com:5000/nginx\"",
    "\"[\"",
];

fn images(maker: &mut Maker<'_>, _: &Place<'_>) -> String {
    let mut out = if maker.one_in(12) { "imageTags:\n" } else { "images:\n" }.to_owned();
    for _ in 0..=maker.random.below(3) {
        let names = if maker.one_in(3) {
            &IMAGE_NAMES[..5]
        } else {
            &IMAGE_NAMES[..2]
        };
        let (name, change) = (maker.pick(names), maker.choose(IMAGE_CHANGES, IMAGE_CHANGES.len() - 1));
        let name = if name == "redis" {
            maker.choose(IMAGE_NAMES, 7)
        } else {
            name
        };
        let _ = writeln!(out, "- {{name: {name}, {change}}}");
    }
    out
}

fn replicas(maker: &mut Maker<'_>, _: &Place<'_>) -> String {
    let kind = maker.pick(&["Deployment", "StatefulSet", "ReplicaSet"]);
    if !maker.has(kind) {
        return String::new();
    }
    let mut out = "replicas:\n".to_owned();
    for _ in 0..=maker.random.below(2) {
        let name = maker.known(kind);
        let count = maker.choose(&["0", "5", "-1", "100000", "\"3\"", "1.5"], 4);
        let _ = writeln!(out, "- {{name: {name}, count: {count}}}");
    }
    out
}

fn build_metadata(maker: &mut Maker<'_>, _: &Place<'_>) -> String {
    let options = maker.some(
        &["originAnnotations", "transformerAnnotations", "managedByLabel", "other"],
        3,
    );
    format!("buildMetadata: [{options}]\n")
}

fn sort_options(maker: &mut Maker<'_>, _: &Place<'_>) -> String {
    let options = maker.choose(
        &[
            "{order: fifo}",
            "{order: legacy}",
            "{order: legacy, legacySortOptions: {orderFirst: [Service, Deployment], orderLast: [ConfigMap]}}",
            "{order: legacy, legacySortOptions: {orderFirst: [], orderLast: [Deployment, Namespace]}}",
            "{order: other}",
            "{order: fifo, legacySortOptions: {orderFirst: [Service]}}",
            "{}",
        ],
        4,
    );
    format!("sortOptions: {options}\n")
}

/// Fields that are empty, of another type, unknown, or written in another way.
fn odd(maker: &mut Maker<'_>, _: &Place<'_>) -> String {
    const ODD: &[&str] = &[
        "metadata: {name: any, labels: {a: b}, annotations: {c: d}}\n",
        "patches: []\n",
        "generators: []\n",
        "helmCharts: []\n",
        "helmGlobals: {chartHome: charts}\n",
        "crds: []\nconfigurations: []\n",
        "openapi: {}\n",
        "images: null\n",
        "vars: ~\n",
        "metadata: {name: any, uid: x}\n",
        "NamePrefix: upper-\n",
        "unknownField: 1\n",
        "namePrefix: 1\n",
        "resources: own.yaml\n",
        "commonLabels: {a: 1}\n",
        "commonAnnotations: [a]\n",
        "replicas: {}\n",
        "inventory: {}\n",
        "resources: []\n",
        "components: []\n",
    ];
    maker.choose(ODD, 9).to_owned()
}
