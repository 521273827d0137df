//! Generators, transformers and validators that are objects: in place, in files and in directories.

use std::fmt::Write as _;

use super::{Maker, Place, patches::block, replacements};

const TRANSFORMERS: &[(&str, &str)] = &[
    ("PrefixTransformer", "prefix: x-\nfieldSpecs: [{path: metadata/name}]\n"),
    (
        "SuffixTransformer",
        "suffix: -x\nfieldSpecs: [{path: metadata/name, kind: ConfigMap}, {path: spec/ref/name}]\n",
    ),
    (
        "PrefixSuffixTransformer",
        "prefix: a-\nsuffix: -z\nfieldSpecs: [{path: metadata/name}]\n",
    ),
    (
        "LabelTransformer",
        "labels: {plugged: \"1\"}\nfieldSpecs: [{path: metadata/labels, create: true}, {path: spec/template/metadata/labels}]\n",
    ),
    ("LabelTransformer", "labels: {num: 1}\n"),
    (
        "AnnotationsTransformer",
        "annotations: {plugged: \"1\"}\nfieldSpecs: [{path: metadata/annotations, create: true}]\n",
    ),
    (
        "AnnotationsTransformer",
        "annotations: {a: b}\nfieldSpecs: [{path: spec/list, kind: Widget}]\n",
    ),
    (
        "NamespaceTransformer",
        "fieldSpecs: [{path: metadata/namespace, create: true}]\n",
    ),
    (
        "NamespaceTransformer",
        "unsetOnly: true\nsetRoleBindingSubjects: allServiceAccounts\nfieldSpecs: [{path: metadata/name, kind: Namespace, create: true}]\n",
    ),
    ("NamespaceTransformer", "setRoleBindingSubjects: none\n"),
    (
        "NamespaceTransformer",
        "setRoleBindingSubjects: defaultOnly\nfieldSpecs: [{path: spec/ref/namespace, kind: Widget, create: true}]\n",
    ),
    ("ImageTagTransformer", "imageTag: {name: nginx, newTag: plugged}\n"),
    (
        "ImageTagTransformer",
        "imageTag: {name: nginx, newName: n, digest: \"sha256:12\"}\nfieldSpecs: [{path: spec/image, kind: Widget}]\n",
    ),
    (
        "ReplicaCountTransformer",
        "replica: {name: web, count: 8}\nfieldSpecs: [{path: spec/replicas, create: true, kind: Deployment}, {path: spec/count, kind: Gadget}]\n",
    ),
    (
        "PatchTransformer",
        "patch: '[{\"op\": \"add\", \"path\": \"/metadata/annotations\", \"value\": {\"p\": \"1\"}}]'\ntarget: {kind: Service}\n",
    ),
    (
        "PatchTransformer",
        "patch: |-\n  {apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 9}}\n",
    ),
    ("PatchTransformer", "path: none.yaml\n"),
    (
        "PatchStrategicMergeTransformer",
        "patches: \"{apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {p: q}}\"\n",
    ),
    (
        "PatchJson6902Transformer",
        "target: {name: web, kind: Deployment, group: apps, version: v1}\njsonOp: '[{\"op\": \"remove\", \"path\": \"/spec/replicas\"}]'\n",
    ),
    (
        "ValueAddTransformer",
        "value: added\ntargets: [{selector: {kind: ConfigMap}, fieldPath: data/added}]\n",
    ),
    (
        "ValueAddTransformer",
        "value: added\ntargets: [{fieldPath: metadata/annotations/note, filePathPosition: 1}]\n",
    ),
    ("HashTransformer", ""),
    ("SortOrderTransformer", "sortOptions: {order: legacy}\n"),
    (
        "SortOrderTransformer",
        "sortOptions: {order: legacy, legacySortOptions: {orderFirst: [Service], orderLast: []}}\n",
    ),
    ("Nonsense", "a: b\n"),
    ("ConfigMapGenerator", "literals: [a=b]\n"),
    ("SortOrderTransformer", "sortOptions: {order: fifo}\n"),
];

/// Transformers that change nothing, as a validator must.
const VALIDATORS: &[(&str, &str)] = &[
    (
        "LabelTransformer",
        "labels: {}\nfieldSpecs: [{path: metadata/labels, create: true}]\n",
    ),
    (
        "PrefixTransformer",
        "prefix: \"\"\nfieldSpecs: [{path: metadata/name}]\n",
    ),
    ("ImageTagTransformer", "imageTag: {name: none, newTag: other}\n"),
    (
        "PatchTransformer",
        "patch: '[{\"op\": \"remove\", \"path\": \"/spec\"}]'\ntarget: {kind: None}\n",
    ),
    ("NamespaceTransformer", "fieldSpecs: [{path: spec/none, kind: None}]\n"),
    (
        "ValueAddTransformer",
        "value: added\ntargets: [{selector: {kind: None}, fieldPath: data/added}]\n",
    ),
    ("NamespaceTransformer", "unsetOnly: true\n"),
    (
        "AnnotationsTransformer",
        "annotations: {plugged: \"1\"}\nfieldSpecs: [{path: metadata/annotations, create: true}]\n",
    ),
    ("Nonsense", "a: b\n"),
];

/// How many validators are fine.
const SOUND_VALIDATORS: usize = 6;

/// How many generators are fine.
const SOUND_GENERATORS: usize = 6;

const GENERATORS: &[(&str, &str)] = &[
    ("ConfigMapGenerator", "literals: [a=b, c=d]\n"),
    (
        "ConfigMapGenerator",
        "envs: [env.txt]\noptions: {disableNameSuffixHash: true, labels: {a: b}}\n",
    ),
    ("SecretGenerator", "literals: [a=b]\ntype: x/y\n"),
    (
        "IAMPolicyGenerator",
        "cloud: gke\nkubernetesService: {name: k, namespace: one}\nserviceAccount: {name: s, projectId: p}\n",
    ),
    (
        "ConfigMapGenerator",
        "options: {immutable: true}\nliterals: [\"x=1\"]\n",
    ),
    ("ConfigMapGenerator", "name: other\nliterals: [\"x=1\"]\n"),
    ("ConfigMapGenerator", "literals: [a=b]\nbehavior: merge\n"),
    ("SecretGenerator", "files: [k=file.txt]\nbehavior: replace\n"),
    ("SecretGenerator", ""),
    ("PrefixTransformer", "prefix: x-\n"),
    ("Nonsense", "a: b\n"),
];

fn object(maker: &mut Maker<'_>, kinds: &[(&'static str, &'static str)], sound: usize) -> String {
    let mistaken = maker.mistakes > 0 && maker.one_in(4);
    let (mut kind, mut body) = kinds[maker.random.below(if mistaken { kinds.len() } else { sound })];
    if maker.mistakes == 0
        && [
            "PatchTransformer",
            "PatchStrategicMergeTransformer",
            "PatchJson6902Transformer",
            "ReplicaCountTransformer",
            "SortOrderTransformer",
            "ConfigMapGenerator",
            "Nonsense",
        ]
        .contains(&kind)
        && kinds.len() == TRANSFORMERS.len()
    {
        (kind, body) = kinds[0];
    }
    let name = maker.name();
    let namespace = maker.pick(&["", "", ", namespace: one", ", namespace: three"]);
    if kind == "PrefixTransformer" && maker.one_in(4) {
        let entries = replacements::entries(maker).unwrap_or_default();
        return format!(
            "apiVersion: builtin\nkind: ReplacementTransformer\nmetadata: {{name: {name}}}\nreplacements:\n{entries}"
        );
    }
    format!("apiVersion: builtin\nkind: {kind}\nmetadata: {{name: {name}{namespace}}}\n{body}")
}

fn entries(
    maker: &mut Maker<'_>,
    place: &Place<'_>,
    field: &str,
    (kinds, sound): (&[(&'static str, &'static str)], usize),
) -> String {
    let mut out = format!("{field}:\n");
    for index in 0..=maker.random.below(2) {
        let text = object(maker, kinds, sound);
        let name = format!("{field}{index}");
        match maker.random.below(4) {
            0 => {
                maker.file(place, &format!("{name}.yaml"), text);
                let _ = writeln!(out, "- {name}.yaml");
            }
            1 => {
                maker.file(place, &format!("{name}/plugin.yaml"), text);
                maker.file(
                    place,
                    &format!("{name}/kustomization.yaml"),
                    "resources: [plugin.yaml]\n".into(),
                );
                let _ = writeln!(out, "- {name}");
            }
            _ => {
                let _ = write!(out, "-{}", &block("", &text, 2)[1..]);
            }
        }
    }
    out
}

pub(super) fn transformers(maker: &mut Maker<'_>, place: &Place<'_>) -> String {
    entries(maker, place, "transformers", (TRANSFORMERS, TRANSFORMERS.len()))
}

pub(super) fn generators(maker: &mut Maker<'_>, place: &Place<'_>) -> String {
    if maker.mistakes == 0 || maker.one_in(2) {
        maker.file(place, "env.txt", "A=1\n".into());
        maker.file(place, "file.txt", "line\n".into());
    }
    entries(maker, place, "generators", (GENERATORS, SOUND_GENERATORS))
}

pub(super) fn validators(maker: &mut Maker<'_>, place: &Place<'_>) -> String {
    entries(maker, place, "validators", (VALIDATORS, SOUND_VALIDATORS))
}
