//! Ours against recorded answers of `kubectl kustomize`, by built-in plugin, and for files that are no text.

use convoy_testkit_golden::kustomize_build::recorded::{self, LEAST, NEVER_LOADED, PLUGINS};

#[test]
fn every_built_in_plugin_has_cases_of_its_own() {
    let cases = recorded::cases("kustomize-plugins");
    let loaded = PLUGINS.iter().filter(|plugin| **plugin != NEVER_LOADED);
    for feature in loaded.chain(&["binary"]) {
        let count = cases.get(*feature).map_or(0, std::collections::BTreeMap::len);
        assert!(count >= LEAST, "{feature} has {count} cases");
    }
}

#[test]
fn every_built_in_plugin_does_what_it_does_in_the_tool() {
    recorded::check("kustomize-plugins");
}
