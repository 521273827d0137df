//! Ours against recorded answers of `kubectl kustomize`, by feature: one file a case in `data/kustomize/<feature>/`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use convoy_testkit_golden::kustomize_build::recorded::{self, Case, LEAST, NEVER_LOADED, PLUGINS};

/// Fields of a kustomization whose cases are elsewhere, with where: in the table of another field, or in `kustomize-helm`.
const ELSEWHERE: &[(&str, &str)] = &[
    ("metadata", "kustomization"),
    ("helmChartInflationGenerator", "kustomize-helm"),
    ("helmCharts", "kustomize-helm"),
    ("helmGlobals", "kustomize-helm"),
];

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

#[test]
fn every_field_and_plugin_has_cases_that_the_tool_builds() {
    let cases = recorded::cases("kustomize");
    for feature in features() {
        let all: Vec<&Case> = cases.get(&feature).into_iter().flat_map(BTreeMap::values).collect();
        let built = all.iter().filter(|case| case.output.is_some()).count();
        assert!(all.len() >= LEAST, "{feature} has {} cases", all.len());
        assert!(
            built >= LEAST || feature == NEVER_LOADED,
            "{feature} has {built} cases that the tool builds"
        );
    }
}

#[test]
fn every_field_of_a_component_has_a_case() {
    let cases = recorded::cases("kustomize");
    let components: Vec<&str> = cases["components"]
        .values()
        .flat_map(|case| &case.files)
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
    recorded::check("kustomize");
}
