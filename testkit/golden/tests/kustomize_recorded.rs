//! Ours against recorded answers of `kubectl kustomize`, by feature: one file a case in `data/kustomize/<feature>/`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use convoy_testkit_golden::kustomize_build::{self as kustomize, Tree};

/// A recorded case.
#[derive(serde::Deserialize)]
struct Case {
    tool: String,
    files: Tree,
    output: Option<String>,
}

/// The fields of a kustomization that must have cases, and how many at least.
const FEATURES: &[&str] = &[
    "bases",
    "buildMetadata",
    "commonAnnotations",
    "commonLabels",
    "components",
    "configMapGenerator",
    "configurations",
    "crds",
    "generatorOptions",
    "generators",
    "imageTags",
    "images",
    "kustomization",
    "labels",
    "namePrefix",
    "nameSuffix",
    "namespace",
    "openapi",
    "patches",
    "patchesJson6902",
    "patchesStrategicMerge",
    "replacements",
    "replicas",
    "resources",
    "secretGenerator",
    "sortOptions",
    "transformers",
    "validators",
    "vars",
];

const LEAST: usize = 10;

fn cases() -> BTreeMap<String, Vec<(String, Case)>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/kustomize");
    let mut all = BTreeMap::new();
    for feature in fs::read_dir(root).expect("the cases are there") {
        let feature = feature.expect("a folder of cases");
        let mut cases: Vec<(String, Case)> = fs::read_dir(feature.path())
            .expect("the cases are there")
            .map(|file| {
                let file = file.expect("a case");
                let case = serde_json::from_slice(&fs::read(file.path()).expect("a case")).expect("a case");
                (file.file_name().to_string_lossy().into_owned(), case)
            })
            .collect();
        cases.sort_by(|a, b| a.0.cmp(&b.0));
        all.insert(feature.file_name().to_string_lossy().into_owned(), cases);
    }
    all
}

#[test]
fn every_field_has_cases_from_the_tool_that_we_follow() {
    let cases = cases();
    for feature in FEATURES {
        let count = cases.get(*feature).map_or(0, Vec::len);
        assert!(count >= LEAST, "{feature} has {count} cases");
    }
    for (name, case) in cases.values().flatten() {
        assert_eq!(case.tool, kustomize::TOOL, "{name}");
    }
}

#[test]
fn recorded_kustomizations_build_as_the_tool_built_them() {
    let mut failures = Vec::new();
    let mut count = 0;
    for (feature, cases) in cases() {
        for (name, case) in cases {
            count += 1;
            let ours = kustomize::ours_of(&case.files, "");
            if ours.as_ref().ok() != case.output.as_ref() {
                failures.push(format!(
                    "{feature}/{name}\n{}\n== ours\n{}\n== theirs\n{}",
                    case.files["kustomization.yaml"],
                    ours.unwrap_or_else(|error| format!("error: {error}")),
                    case.output.unwrap_or_else(|| "an error".into())
                ));
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} of {count} differ\n{}",
        failures.len(),
        failures.join("\n\n")
    );
}
