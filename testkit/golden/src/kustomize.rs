//! `kubectl kustomize` as the judge: one process reads and prints a batch of resources.

use std::fs;
use std::process::Command;

use convoy_value::{Limits, json, yaml};

use crate::components;

/// What kustomize prints for resources whose `spec` is each of `specs` (text that begins on its own line, indented
/// by two spaces or more), if it is installed: the specs' canonical JSON.
///
/// # Panics
/// When kustomize fails or prints something else than the resources.
#[must_use]
pub fn ask(specs: &[String]) -> Option<Vec<String>> {
    let kubectl = components::find("kubectl")?;
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let resource = |(index, spec): (usize, &String)| {
        format!("apiVersion: example.com/v1\nkind: Case\nmetadata:\n  name: c{index:06}\nspec:\n{spec}")
    };
    let resources: Vec<String> = specs.iter().enumerate().map(resource).collect();
    fs::write(folder.path().join("cases.yaml"), resources.join("---\n")).expect("a file can be written");
    fs::write(folder.path().join("kustomization.yaml"), "resources: [cases.yaml]\n").expect("a file can be written");
    let output = Command::new(kubectl)
        .arg("kustomize")
        .arg(folder.path())
        .output()
        .expect("kubectl runs");
    assert!(
        output.status.success(),
        "kustomize failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let limits = Limits {
        bytes: usize::MAX,
        documents: usize::MAX,
        ..Limits::default()
    };
    let mut documents: Vec<(String, String)> = yaml::helm::parse_documents(&output.stdout, &limits)
        .expect("kustomize prints YAML")
        .into_iter()
        .map(|document| {
            let name = document
                .value
                .at(&["metadata", "name"])
                .and_then(|name| name.as_str())
                .unwrap_or_default();
            let spec = document.value.get("spec").cloned().unwrap_or_default();
            (name.to_owned(), json::to_canonical(&spec))
        })
        .collect();
    documents.sort();
    assert_eq!(documents.len(), specs.len(), "a document for each resource");
    Some(documents.into_iter().map(|(_, spec)| spec).collect())
}
