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

/// Fields of a kustomization whose cases are elsewhere, with where: in the table of another field, or in `kustomize-helm`.
const ELSEWHERE: &[(&str, &str)] = &[
    ("metadata", "kustomization"),
    ("helmChartInflationGenerator", "kustomize-helm"),
    ("helmCharts", "kustomize-helm"),
    ("helmGlobals", "kustomize-helm"),
];

/// The plugins that are built in, besides the one for charts.
const PLUGINS: &[&str] = &[
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
    "SortOrderTransformer",
    "SuffixTransformer",
    "ValueAddTransformer",
];

/// The plugin that kustomize knows and never loads: all its cases are refused.
const NEVER_LOADED: &str = "SortOrderTransformer";

const LEAST: usize = 10;

/// What must have cases: every field of the tool's kustomization, by the table that is made from its source, and every
/// plugin.
fn features() -> Vec<String> {
    let table = include_str!("../data/kustomize-schema/kustomization.txt");
    let fields = table.lines().filter(|line| !line.starts_with('#'));
    fields
        .map(|field| {
            let elsewhere = ELSEWHERE.iter().find(|(name, _)| *name == field);
            elsewhere.map_or(field, |(_, place)| place)
        })
        .filter(|place| *place != "kustomize-helm")
        .chain(PLUGINS.iter().copied())
        .map(str::to_owned)
        .collect()
}

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
fn every_field_and_plugin_has_cases_that_the_tool_builds() {
    let cases = cases();
    for feature in features() {
        let all = cases.get(&feature).map_or(&[][..], Vec::as_slice);
        let built = all.iter().filter(|(_, case)| case.output.is_some()).count();
        assert!(all.len() >= LEAST, "{feature} has {} cases", all.len());
        assert!(
            built >= LEAST || feature == NEVER_LOADED,
            "{feature} has {built} cases that the tool builds"
        );
    }
    for (name, case) in cases.values().flatten() {
        assert_eq!(case.tool, kustomize::TOOL, "{name}");
    }
}

#[test]
fn every_field_of_a_component_has_a_case() {
    let cases = cases();
    let components: Vec<&str> = cases["components"]
        .iter()
        .flat_map(|(_, case)| &case.files)
        .filter(|(_, text)| text.contains("kind: Component"))
        .map(|(_, text)| text.as_str())
        .collect();
    let table = include_str!("../data/kustomize-schema/kustomization.txt");
    let charts = ["helmChartInflationGenerator", "helmCharts", "helmGlobals"];
    let without = ["bases", "imageTags", "metadata"];
    for field in table.lines().filter(|line| !line.starts_with('#')) {
        let exempt = charts.contains(&field) || without.contains(&field);
        let line = format!("{field}:");
        let has = components
            .iter()
            .any(|text| text.lines().any(|other| other.starts_with(&line)));
        assert!(exempt || has, "no component has `{field}`");
    }
}

#[test]
fn the_tables_of_the_engine_are_from_the_tool_s_libraries() {
    let module = include_str!("../data/kustomize-schema/go.mod");
    let tables = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../core/kustomize/tables");
    for (table, library) in [("schema", "kyaml"), ("cluster", "kyaml"), ("fields", "api")] {
        let text = fs::read_to_string(tables.join(format!("{table}.txt"))).expect("the table is there");
        let version = text
            .lines()
            .next()
            .and_then(|head| {
                head.strip_prefix(&format!(
                    "# Made by testkit/golden/data/kustomize-schema from {library} "
                ))
            })
            .unwrap_or_else(|| panic!("{table} names no version"));
        let version = version
            .split([' ', '\n'])
            .next()
            .unwrap_or_default()
            .trim_end_matches('.');
        let requires = format!("sigs.k8s.io/kustomize/{library} {version}");
        assert!(module.contains(&requires), "{table} is from {version}");
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
