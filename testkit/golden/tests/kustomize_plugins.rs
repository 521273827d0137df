//! Ours against recorded answers of `kubectl kustomize`, by built-in plugin, and for files that are no text.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use convoy_kustomize::{Files, LoadRestrictor};
use convoy_testkit_golden::encoding::from_base64;
use convoy_testkit_golden::kustomize_build::{self as kustomize, Tree};

/// A recorded case.
#[derive(serde::Deserialize)]
struct Case {
    tool: String,
    files: Tree,
    /// Files that are no text, in base64.
    #[serde(default)]
    binary: Tree,
    output: Option<String>,
}

/// The plugins that a kustomization may name, but for the one of charts, which `kustomize_helm.rs` looks at; and files
/// that are no text.
const FEATURES: &[&str] = &[
    "AnnotationsTransformer",
    "ConfigMapGenerator",
    "HashTransformer",
    "IAMPolicyGenerator",
    "ImageTagTransformer",
    "LabelTransformer",
    "NamespaceTransformer",
    "PatchJson6902Transformer",
    "PatchStrategicMergeTransformer",
    "PatchTransformer",
    "PrefixSuffixTransformer",
    "PrefixTransformer",
    "ReplacementTransformer",
    "ReplicaCountTransformer",
    "SecretGenerator",
    "SuffixTransformer",
    "ValueAddTransformer",
    "binary",
];

const LEAST: usize = 10;

fn cases() -> BTreeMap<String, BTreeMap<String, Case>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/kustomize-plugins");
    let folders = fs::read_dir(root).expect("the cases are there");
    folders
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_dir())
        .map(|folder| {
            let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
            let cases = fs::read_dir(&folder).expect("a folder of cases").map(|file| {
                let path = file.expect("a case").path();
                let case = serde_json::from_slice(&fs::read(&path).expect("a case")).expect("a case");
                (name(&path), case)
            });
            (name(&folder), cases.collect())
        })
        .collect()
}

fn ours(case: &Case) -> Result<String, String> {
    let mut files: Files = case.files.iter().map(|(path, text)| (path, text.as_bytes())).collect();
    for (path, text) in &case.binary {
        files.insert(path, from_base64(text).expect("base64"));
    }
    kustomize::ours(&files, "", LoadRestrictor::Root)
}

#[test]
fn every_built_in_plugin_does_what_it_does_in_the_tool() {
    let cases = cases();
    for feature in FEATURES {
        let count = cases.get(*feature).map_or(0, BTreeMap::len);
        assert!(count >= LEAST, "{feature} has {count} cases");
    }
    let mut failures = Vec::new();
    for (feature, cases) in &cases {
        for (name, case) in cases {
            assert_eq!(case.tool, kustomize::TOOL, "{feature}/{name}");
            let ours = ours(case);
            if ours.as_ref().ok() != case.output.as_ref() {
                failures.push(format!(
                    "{feature}/{name}\n{}\n{}== ours\n{}\n== theirs\n{}",
                    case.files["kustomization.yaml"],
                    case.files.get("plugin.yaml").map_or("", String::as_str),
                    ours.unwrap_or_else(|error| format!("error: {error}")),
                    case.output.as_deref().unwrap_or("an error")
                ));
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} differ\n{}",
        failures.len(),
        failures.join("\n\n")
    );
}
