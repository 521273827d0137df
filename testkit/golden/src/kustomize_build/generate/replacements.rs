//! Replacements: every option, and paths of every form.

use std::fmt::Write as _;

use super::{Maker, Place};

const SOURCES: &[&str] = &[
    "kind: ConfigMap, fieldPath: data.a",
    "kind: ConfigMap, name: web",
    "kind: ConfigMap, name: db, fieldPath: data.url, options: {delimiter: /, index: 2}",
    "kind: ConfigMap, fieldPath: data.b, options: {delimiter: \"\\n\", index: 0}",
    "kind: Service, name: web, fieldPath: metadata.name",
    "kind: Service, fieldPath: spec.ports.0.port",
    "kind: Service, fieldPath: \"spec.ports.[name=http].port\"",
    "kind: Service, fieldPath: spec.ports",
    "kind: Deployment, name: web, fieldPath: spec.replicas",
    "kind: Deployment, fieldPath: \"spec.template.spec.containers.[name=main].image\", options: {delimiter: \":\", index: 1}",
    "kind: Deployment, fieldPath: spec.template.metadata.labels",
    "kind: Deployment, fieldPath: \"spec.template.spec.containers.*.image\"",
    "kind: Widget, fieldPath: spec.size",
    "kind: Widget, fieldPath: spec.on",
    "kind: Widget, fieldPath: spec.list",
    "kind: ServiceAccount",
    "kind: Secret, fieldPath: stringData.k",
    "kind: Namespace",
    "group: apps, version: v1, kind: Deployment, namespace: one",
    "name: web, fieldPath: metadata.namespace",
    "name: db, kind: ConfigMap, fieldPath: metadata.labels.app",
    "kind: ConfigMap, fieldPath: data.none",
    "kind: None",
    "kind: ConfigMap, fieldPath: data.a, options: {delimiter: ., index: 9}",
    "kind: ConfigMap, fieldPath: metadata.annotations.note",
    "kind: Gadget, fieldPath: \"spec.items.[=x]\"",
    "kind: Gadget, fieldPath: spec.items.2",
];

const SELECTS: &[&str] = &[
    "kind: Deployment",
    "kind: Service",
    "kind: ConfigMap",
    "kind: Widget",
    "kind: Gadget",
    "name: web",
    "name: db, kind: Deployment",
    "kind: \"Deployment|StatefulSet\"",
    "namespace: one",
    "group: apps",
    "labelSelector: app=web",
    "annotationSelector: note",
    "kind: Ingress",
    "kind: CronJob",
    "kind: None",
    "name: \"[\"",
];

const FIELDS: &[&str] = &[
    "metadata.annotations.copied",
    "metadata.labels.app",
    "metadata.name",
    "spec.replicas",
    "\"spec.template.spec.containers.[name=main].env.[name=A].value\"",
    "\"spec.template.spec.containers.[name=main].image\"",
    "\"spec.template.spec.containers.*.image\"",
    "spec.template.spec.containers.0.image",
    "spec.template.spec.containers.9.image",
    "\"spec.template.spec.containers.[name=m.*].image\"",
    "\"spec.template.spec.containers.[name=none].image\"",
    "\"spec.template.spec.containers.[image=nginx:1.2].name\"",
    "\"metadata.annotations.[example.com/a.b]\"",
    "\"metadata.annotations.example\\\\.com/c\"",
    "spec.selector.app",
    "spec.selector",
    "spec.ports.0.port",
    "\"spec.ports.*.name\"",
    "\"spec.ports.[port=80].name\"",
    "data.a",
    "data.new",
    "data.json",
    "data.json.k",
    "data.json.n.0",
    "data.url",
    "spec.list",
    "\"spec.list.[name=a].v\"",
    "\"spec.list.-\"",
    "\"spec.items.[=x]\"",
    "spec.items.*",
    "spec.size",
    "\"spec.rules.[host=web.a.b].host\"",
    "\"spec.rules.*.host\"",
    "spec.new.deep.0.field",
    "\"spec.new.[name=made].value\"",
    "\"spec.new.*.value\"",
    "\"spec.new.[=made]\"",
    "spec.template.spec.nodeSelector",
    "\"\"",
    "spec..x",
    "\"spec.[bad]\"",
];

const OPTIONS: &[&str] = &[
    "create: true",
    "create: true",
    "delimiter: \":\", index: 1",
    "delimiter: \":\"",
    "delimiter: /, index: 2",
    "delimiter: ., index: 0",
    "delimiter: ., index: -1",
    "delimiter: ., index: 9",
    "delimiter: /, index: 1, create: true",
    "index: 1",
    "encoding: base64",
];

const REJECTS: &[&str] = &[
    "{name: web}",
    "{kind: Deployment, name: db}",
    "{namespace: two}",
    "{labelSelector: tier=front}",
    "{name: \"w.*\"}, {name: db}",
    "{}",
    "{kind: Secret}, {labelSelector: \"!app\"}",
];

/// Paths that there are in every object of a type, and paths that are made.
const SOUND: &[(&str, &str)] = &[
    ("Deployment", "spec.replicas"),
    ("Deployment", "spec.template.spec.containers.0.image"),
    ("Deployment", "\"spec.template.spec.containers.[name=main].image\""),
    ("Deployment", "\"spec.template.spec.containers.*.image\""),
    (
        "Deployment",
        "\"spec.template.spec.containers.[name=main].env.[name=A].value\"",
    ),
    ("Deployment", "\"spec.template.spec.containers.[name=m.*].image\""),
    ("Deployment", "spec.template.metadata.labels.app"),
    ("Deployment", "spec.template.metadata.labels"),
    ("Widget", "spec.size"),
    ("Widget", "spec.on"),
    ("Widget", "\"spec.list.[name=a].v\""),
    ("Widget", "\"spec.list.*.v\""),
    ("Widget", "spec.list"),
    ("Gadget", "spec.items.*"),
    ("Gadget", "spec.items.1"),
    ("Gadget", "\"spec.items.[=x]\""),
    ("ConfigMap", "data.a"),
    ("ConfigMap", "metadata.name"),
    ("Service", "metadata.name"),
    ("Namespace", "metadata.name"),
    ("Ingress", "spec.rules.0.host"),
    ("Ingress", "\"spec.rules.*.host\""),
    ("CronJob", "spec.schedule"),
];

const MADE: &[&str] = &[
    "metadata.annotations.copied",
    "metadata.labels.app",
    "\"metadata.annotations.[example.com/a.b]\"",
    "\"metadata.annotations.example\\\\.com/c\"",
    "added.deep.0.field",
    "\"added.[name=made].value\"",
    "\"added.list.[=made]\"",
    "spec.selector.app",
];

/// A target for what `from` has, a kind and the path of a field.
fn target(maker: &mut Maker<'_>, from: (&str, &str)) -> String {
    if maker.mistakes > 0 && maker.one_in(3) {
        return any_target(maker);
    }
    let mut out;
    if maker.one_in(3) {
        let (select, field) = (maker.pick(&SELECTS[..14]), maker.pick(MADE));
        let delimiter = if maker.one_in(4) {
            ", delimiter: /, index: 1"
        } else {
            ""
        };
        out =
            format!("  - select: {{{select}}}\n    fieldPaths: [{field}]\n    options: {{create: true{delimiter}}}\n");
    } else {
        let (kind, mut field) = SOUND[maker.random.below(SOUND.len())];
        if kind == from.0 && is_within(field, from.1) {
            // Kustomize would make a node that holds itself.
            field = "metadata.name";
        }
        out = format!("  - select: {{kind: {kind}}}\n    fieldPaths: [{field}]\n");
        if maker.one_in(3) {
            let _ = writeln!(out, "    options: {{{}}}", maker.pick(&OPTIONS[2..8]));
        }
    }
    if maker.one_in(5) {
        let _ = writeln!(out, "    reject: [{}]", maker.pick(REJECTS));
    }
    out
}

/// A target with whatever fields and options.
fn any_target(maker: &mut Maker<'_>) -> String {
    let select = maker.pick(SELECTS);
    let mut out = format!("  - select: {{{select}}}\n");
    if maker.one_in(4) {
        let _ = writeln!(out, "    reject: [{}]", maker.pick(REJECTS));
    }
    if !maker.one_in(16) {
        let count = if maker.one_in(4) { 2 } else { 1 };
        let fields: Vec<&str> = (0..count).map(|_| maker.pick(FIELDS)).collect();
        let _ = writeln!(out, "    fieldPaths: [{}]", fields.join(", "));
    }
    if maker.one_in(2) {
        let _ = writeln!(out, "    options: {{{}}}", maker.pick(OPTIONS));
    }
    out
}

/// Whether a field is a part of what is copied.
fn is_within(field: &str, from: &str) -> bool {
    let path = |text: &str| {
        let text = text.trim_start_matches("fieldPath: ");
        text.split(", options")
            .next()
            .unwrap_or_default()
            .trim_matches('"')
            .to_owned()
    };
    let (field, from) = (path(field), path(from));
    field.strip_prefix(&from).is_some_and(|rest| rest.starts_with('.'))
}

/// Fields that every object of a type has.
const FROM: &[(&str, &str)] = &[
    ("ConfigMap", "fieldPath: data.a"),
    ("ConfigMap", "fieldPath: metadata.name"),
    ("ConfigMap", "fieldPath: data.a, options: {delimiter: ., index: 0}"),
    ("Deployment", "fieldPath: spec.replicas"),
    ("Deployment", "fieldPath: spec.template.metadata.labels"),
    (
        "Deployment",
        "fieldPath: \"spec.template.spec.containers.[name=main].image\", options: {delimiter: \":\", index: 0}",
    ),
    ("Widget", "fieldPath: spec.size"),
    ("Widget", "fieldPath: spec.on"),
    ("Widget", "fieldPath: spec.list"),
    ("Widget", "fieldPath: spec.list.1.v"),
    ("Gadget", "fieldPath: spec.items.2"),
    ("Gadget", "fieldPath: \"spec.items.[=x]\""),
    ("Service", ""),
    ("Ingress", "fieldPath: \"spec.rules.*.host\""),
    ("Namespace", ""),
    ("Secret", "fieldPath: type"),
];

/// A source, with the kind and the field that it copies.
fn source(maker: &mut Maker<'_>) -> Option<(String, (&'static str, &'static str))> {
    let nothing = ("", "");
    if maker.one_in(8) {
        let value = maker.pick(&["text", "\"5\"", "\"true\"", "\"a: b\"", "\"null\""]);
        return Some((format!("- sourceValue: {value}\n"), nothing));
    }
    if maker.mistakes > 0 && maker.one_in(3) {
        return Some((format!("- source: {{{}}}\n", maker.pick(SOURCES)), nothing));
    }
    let sound: Vec<(&'static str, &'static str)> = FROM
        .iter()
        .filter(|(kind, _)| maker.known.iter().any(|known| known.kind == *kind))
        .copied()
        .collect();
    if sound.is_empty() {
        return None;
    }
    let (kind, rest) = sound[maker.random.below(sound.len())];
    let name = maker.known(kind);
    let comma = if rest.is_empty() { "" } else { ", " };
    let text = format!("- source: {{kind: {kind}, name: {name}{comma}{rest}}}\n");
    Some((text, (kind, rest)))
}

fn entry(maker: &mut Maker<'_>) -> Option<String> {
    let (mut out, from) = source(maker)?;
    out.push_str("  targets:\n");
    for _ in 0..=maker.random.below(2) {
        out.push_str(&target(maker, from));
    }
    Some(out)
}

/// Entries of `replacements`; none if there is nothing to copy from.
pub(super) fn entries(maker: &mut Maker<'_>) -> Option<String> {
    let count = 1 + maker.random.below(2);
    (0..count).map(|_| entry(maker)).collect()
}

pub(super) fn replacements(maker: &mut Maker<'_>, place: &Place<'_>) -> String {
    let Some(entries) = entries(maker) else {
        return String::new();
    };
    if !maker.one_in(5) {
        return format!("replacements:\n{entries}");
    }
    let text = if maker.one_in(2) {
        entries
    } else {
        let Some(one) = entry(maker) else {
            return String::new();
        };
        one.replace("\n  ", "\n").replacen("- ", "", 1)
    };
    let file = maker.file(place, "replacement.yaml", text);
    format!("replacements:\n- path: {file}\n")
}
