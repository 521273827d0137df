//! The reference of the book is what the code says: these tests fail when it is stale.
//!
//! `CONVOY_UPDATE_REFERENCE=1 cargo test -p convoy --test reference` writes it anew.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[expect(dead_code, reason = "other test files use the rest")]
mod common;

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use common::run;
use convoy_domain::condition::{ConditionType, Reason, Stage};
use convoy_domain::names::{self, NameKind, NameOn};
use convoy_domain::source::SourceReason;
use convoy_domain::status::Phase;
use serde_json::Value;

#[track_caller]
fn check(name: &str, expected: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs/reference")
        .join(name);
    if std::env::var_os("CONVOY_UPDATE_REFERENCE").is_some() {
        fs::write(&path, expected).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == expected,
        "docs/reference/{name} is stale: run `CONVOY_UPDATE_REFERENCE=1 cargo test -p convoy --test reference`"
    );
}

const GENERATED: &str = "Generated from the code; a test fails when this page is stale.\n\n";

#[test]
fn the_command_line_is_documented() {
    let mut page = format!("# Command line\n\n{GENERATED}");
    let commands: &[&[&str]] = &[
        &[],
        &["demo"],
        &["render"],
        &["render", "manifests"],
        &["render", "helm"],
        &["render", "kustomize"],
        &["get"],
        &["history"],
        &["sync"],
        &["controller-manager"],
        &["version"],
        &["completion"],
    ];
    for command in commands {
        let help = run(&[*command, &["--help"]].concat()).exits(0).stdout;
        let title = ["convoy"].iter().chain(*command).copied().collect::<Vec<_>>().join(" ");
        let help: Vec<&str> = help.lines().map(str::trim_end).collect();
        write!(page, "## {title}\n\n```text\n{}\n```\n\n", help.join("\n")).unwrap();
    }
    page.truncate(page.trim_end().len());
    page.push('\n');
    check("cli.md", &page);
}

#[test]
fn every_field_is_documented() {
    let mut page = format!("# Kinds and fields\n\n{GENERATED}");
    page.push_str(
        "Kubernetes checks these rules, and the controller checks them again. A field that this version does nothing with is \
         named in\n`status.warnings`, or refused with reason `Unsupported` where passing over it would be dangerous.\n\n",
    );
    for definition in convoy_kube::crd::definitions() {
        let text = |pointer: &str| definition.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let version = text("/spec/versions/0/name");
        writeln!(page, "## {}\n", text("/spec/names/kind")).unwrap();
        let schema = definition.pointer("/spec/versions/0/schema/openAPIV3Schema").unwrap();
        if let Some(about) = schema["description"].as_str() {
            writeln!(page, "{about}\n").unwrap();
        }
        writeln!(
            page,
            "`{}/{version}`, {}\n",
            text("/spec/group"),
            text("/spec/scope").to_lowercase()
        )
        .unwrap();
        writeln!(page, "| field | type | default | meaning |\n|---|---|---|---|").unwrap();
        fields(&mut page, "", schema);
        page.push('\n');
    }
    page.truncate(page.trim_end().len());
    page.push('\n');
    check("api.md", &page);
}

/// One row a field, depth first; a field that must be there has a star.
fn fields(page: &mut String, path: &str, schema: &Value) {
    let Some(properties) = schema["properties"].as_object() else {
        return;
    };
    let required: Vec<&str> = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    // Whatever order the map has, which depends on features of other crates.
    let mut properties: Vec<(&String, &Value)> = properties.iter().collect();
    properties.sort_by_key(|(name, _)| *name);
    for (name, field) in properties {
        if path.is_empty() && ["apiVersion", "kind", "metadata"].contains(&name.as_str()) {
            continue;
        }
        let below = if path.is_empty() {
            name.clone()
        } else {
            format!("{path}.{name}")
        };
        let star = if required.contains(&name.as_str()) { " \\*" } else { "" };
        let default = field
            .get("default")
            .map(|value| format!("`{value}`"))
            .unwrap_or_default();
        let about = field["description"]
            .as_str()
            .unwrap_or_default()
            .replace('\n', " ")
            .replace('|', "\\|");
        writeln!(page, "| `{below}`{star} | {} | {default} | {about} |", type_of(field)).unwrap();
        fields(page, &below, field);
        fields(page, &format!("{below}[]"), &field["items"]);
        fields(page, &format!("{below}.*"), &field["additionalProperties"]);
    }
}

fn type_of(field: &Value) -> String {
    if let Some(words) = field["enum"].as_array() {
        let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
        return words.join(" \\| ");
    }
    match field["type"].as_str() {
        Some("array") => format!("list of {}", type_of(&field["items"])),
        Some("object") if field["additionalProperties"].is_object() => {
            format!("map of {}", type_of(&field["additionalProperties"]))
        }
        Some(name) => name.to_string(),
        None if field["x-kubernetes-int-or-string"] == true => "integer or string".to_string(),
        None => "any".to_string(),
    }
}

#[test]
fn every_name_is_documented() {
    let mut page =
        format!("# Names\n\n{GENERATED}## Labels, annotations, finalizer\n\n| name | is | on |\n|---|---|---|\n");
    for row in names::ALL {
        let kind = match row.kind {
            NameKind::Label => "label",
            NameKind::Annotation => "annotation",
            NameKind::Finalizer => "finalizer",
        };
        let on = match row.on {
            NameOn::AppliedObject => "applied objects",
            NameOn::RenderedObject => "rendered objects",
            NameOn::Release => "Releases, written by people",
            NameOn::Source => "sources, written by the receiver of webhooks",
            NameOn::ControlPlane => "Releases, inventories, Clusters in use",
        };
        writeln!(page, "| `{}` | {kind} | {on} |", row.name).unwrap();
    }
    let list = |page: &mut String, title: &str, words: Vec<&str>| {
        write!(page, "\n## {title}\n\n{}\n", words.join(", ")).unwrap();
    };
    list(
        &mut page,
        "Stages",
        Stage::ALL.iter().map(|stage| stage.as_str()).collect(),
    );
    list(
        &mut page,
        "Phases",
        Phase::ALL.iter().map(|phase| phase.as_str()).collect(),
    );
    list(
        &mut page,
        "Conditions of a Release",
        ConditionType::ALL.iter().map(|kind| kind.as_str()).collect(),
    );
    list(
        &mut page,
        "Reasons of a source",
        SourceReason::ALL.iter().map(|reason| reason.as_str()).collect(),
    );
    page.push_str("\n## Reasons of a Release\n\n| reason | tried again by itself |\n|---|---|\n");
    for reason in Reason::ALL {
        writeln!(
            page,
            "| {reason} | {} |",
            if reason.is_transient() { "yes" } else { "" }
        )
        .unwrap();
    }
    check("names.md", &page);
}
