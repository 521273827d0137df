//! Each rule on convoy itself, where it finds nothing, and on a planted breach, where it finds exactly that.
//!
//! Every breach here is permanent: the tests named `…_is_seen` are the proof, on each run, that their rule can fail.

use std::collections::BTreeSet;
use std::path::PathBuf;

use convoy_testkit_arch::{Workspace, arrows, dependencies, layout, manifest, repository, source};

const NONE: [&str; 0] = [];

fn planted(name: &str) -> PathBuf {
    repository().join("testkit/arch/breaches").join(name)
}

fn planted_text(name: &str) -> String {
    std::fs::read_to_string(planted(name)).expect("the planted breach is readable")
}

// Rule 1: no effect can be named. Rule 4: time, randomness and settings are arguments; no map with random order; no
// print macros. Rule 5: no async but in ports, no unsafe.

#[test]
fn core_names_no_effect() {
    assert_eq!(source::breaches(&Workspace::read(&repository())), NONE);
}

/// `breaches/core_source.rs` says each forbidden word once where it is code, and after literals, comments and test
/// items that could hide it.
#[test]
fn each_named_effect_is_seen() {
    let text = planted_text("core_source.rs");
    let mut expected = BTreeSet::new();
    for (number, line) in text.lines().enumerate() {
        let marks = line.split_once("//~").map_or("", |(_, marks)| marks.trim());
        // A mark of two words is one word of the rule; only the maps share a line.
        let marks: Vec<&str> = if marks.starts_with("Hash") {
            marks.split(' ').collect()
        } else {
            vec![marks]
        };
        expected.extend(
            marks
                .iter()
                .filter(|mark| !mark.is_empty())
                .map(|mark| (number + 1, (*mark).to_owned())),
        );
    }
    let word = |breach: &str| breach.split('`').nth(1).unwrap_or_default().to_owned();
    let found: BTreeSet<_> = source::text_breaches(&text, false, false)
        .into_iter()
        .map(|(line, breach)| (line, word(&breach)))
        .collect();
    assert_eq!(found, expected);

    let seen: BTreeSet<&str> = expected.iter().map(|(_, word)| word.as_str()).collect();
    let unseen: Vec<&str> = source::forbidden_words().filter(|word| !seen.contains(word)).collect();
    assert_eq!(unseen, NONE, "each word of the rule has its breach");
}

#[test]
fn a_core_crate_without_no_std_is_seen() {
    let check = |name: &str, expect: usize| assert_eq!(source::root_breaches(&planted_text(name)).len(), expect);
    check("core_source.rs", 1);
    check("core_innocent.rs", 0);
    check("workspace/core/value/src/lib.rs", 1);
}

#[test]
fn a_forbidden_word_in_a_comment_a_literal_or_a_test_is_no_breach() {
    assert_eq!(
        source::text_breaches(&planted_text("core_innocent.rs"), false, false),
        []
    );
}

#[test]
fn only_ports_may_be_async() {
    let text = "#[async_trait::async_trait]\ntrait Clock { async fn now(&self); }";
    assert_eq!(source::text_breaches(text, true, false), []);
    assert_eq!(source::text_breaches(text, false, false).len(), 2);
}

/// The whole way: files are found, named and given their lines.
#[test]
fn a_breach_in_a_workspace_is_seen_with_its_place() {
    let expected = [
        "core/domain/src/lib.rs:4: `Timestamp::now`: time is an argument",
        "core/value/src/lib.rs:1: `#![no_std]` is missing",
    ];
    let mut found = source::breaches(&Workspace::read(&planted("workspace")));
    found.sort();
    assert_eq!(found, expected);
}

// Rule 2: core is built from a list, features included.

#[test]
fn core_is_built_from_what_the_list_allows() {
    let root = repository();
    let core: Vec<String> = Workspace::read(&root)
        .members()
        .filter(|(folder, _)| folder.starts_with("core/"))
        .map(|(_, package)| package.name.to_string())
        .collect();
    let allowed = std::fs::read_to_string(root.join("testkit/arch/core-dependencies.txt")).unwrap();
    let found = dependencies::closure_breaches(
        &dependencies::closure(&root, &core),
        &dependencies::parse_allowed(&allowed),
    );
    assert_eq!(found, NONE);
}

/// A crate that is not on the list, a feature that is not, and a line that nothing needs any more.
#[test]
fn a_dependency_or_a_feature_beyond_the_list_is_seen() {
    let closure = dependencies::parse(&planted_text("dependencies.txt"));
    let allowed = dependencies::parse_allowed(&planted_text("allowed.txt"));
    let expected = [
        "getrandom is not allowed",
        "indexmap is not allowed with the feature `std`",
        "jiff is not allowed with the feature `std`",
        "jiff is not allowed with the feature `tz-system`",
        "once_cell is allowed, but nothing needs it",
    ];
    assert_eq!(dependencies::closure_breaches(&closure, &allowed), expected);
}

/// Asked of an adapter, the same question finds the clocks and random sources that core must not have: the answer of
/// cargo is read, not only that of a file.
#[test]
fn the_closure_of_an_adapter_would_not_be_allowed() {
    let root = repository();
    let allowed = std::fs::read_to_string(root.join("testkit/arch/core-dependencies.txt")).unwrap();
    let closure = dependencies::closure(&root, &["convoy-kube".to_owned()]);
    let found = dependencies::closure_breaches(&closure, &dependencies::parse_allowed(&allowed));
    for expected in ["tokio is not allowed", "jiff is not allowed with the feature `std`"] {
        assert!(
            found.iter().any(|breach| breach == expected),
            "{expected} is not among {found:?}"
        );
    }
}

// Rule 3: arrows point inwards.

#[test]
fn dependencies_point_inwards() {
    assert_eq!(arrows::breaches(&Workspace::read(&repository())), NONE);
}

#[test]
fn each_outward_arrow_is_seen() {
    let expected = [
        "adapters/git → adapters/kube (its code)",
        "adapters/kube → app/runtime (its code)",
        "app/convoy → testkit/fakes (its code)",
        "app/runtime → adapters/git (its code)",
        "core/domain → adapters/git (its tests)",
        "core/surprise → core/value (its code)",
        "core/value → core/domain (its code)",
        "testkit/fakes → adapters/git (its code)",
    ];
    assert_eq!(arrows::breaches(&Workspace::read(&planted("workspace"))), expected);
}

// Rule 5, by the compiler: unsafe code is forbidden in every crate; and nothing runs while core is built.

#[test]
fn every_crate_inherits_lints_that_forbid_unsafe_code() {
    assert_eq!(manifest::breaches(&Workspace::read(&repository())), NONE);
}

#[test]
fn a_crate_without_the_lints_or_with_a_build_script_is_seen() {
    let expected = [
        "adapters/kube: the lints of the workspace are not inherited",
        "core/domain: a build script can read a clock and an environment",
        "the workspace does not forbid unsafe code",
    ];
    assert_eq!(manifest::breaches(&Workspace::read(&planted("workspace"))), expected);
}

// The shape of the repository.

#[test]
fn no_direct_dependency_has_two_versions() {
    assert_eq!(
        dependencies::doubled_direct_dependencies(&Workspace::read(&repository())),
        NONE
    );
}

#[test]
fn a_second_version_of_a_direct_dependency_is_seen() {
    let direct = ["http", "serde"].map(str::to_owned).into();
    let graph =
        "app v0.1.0 (somewhere)\nserde v1.0.1\nhttp v1.4.0\nhttp v0.2.12\nserde v1.0.1 (*)\nsyn v1.0.0\nsyn v2.0.0";
    assert_eq!(dependencies::doubled(&direct, graph), ["http: v0.2.12, v1.4.0"]);
}

/// What the rule looks at: dependencies of every member, of code and of tests, and none of ours.
#[test]
fn the_direct_dependencies_are_those_of_all_members() {
    let direct = dependencies::direct(&Workspace::read(&repository()));
    for name in ["thiserror", "kube", "tempfile", "proptest", "cargo_metadata"] {
        assert!(direct.contains(name), "{name} is not among {direct:?}");
    }
    assert!(!direct.contains("convoy-domain"), "{direct:?}");
}

#[test]
fn the_top_level_holds_the_six_names_and_what_every_repository_has() {
    assert_eq!(layout::top_level_breaches(&layout::tracked_files(&repository())), NONE);
}

#[test]
fn a_surplus_or_missing_name_at_the_top_level_is_seen() {
    let tracked = [
        "Cargo.toml",
        "core/a",
        "adapters/a",
        "app/a",
        "testkit/a",
        "src/main.rs",
        "README.md",
    ];
    let expected = ["`src` does not belong at the top level", "`fuzz` is missing"];
    assert_eq!(layout::top_level_breaches(&tracked.map(str::to_owned)), expected);
}

#[test]
fn nothing_committed_names_a_path_of_one_machine() {
    let root = repository();
    let mut found = Vec::new();
    for name in layout::tracked_files(&root) {
        // A file deleted but not yet committed as such has nothing to say.
        let Ok(bytes) = std::fs::read(root.join(&name)) else {
            continue;
        };
        let text = String::from_utf8_lossy(&bytes);
        let breaches = layout::machine_path_breaches(&text).into_iter();
        found.extend(breaches.map(|(line, why)| format!("{name}:{line}: {why}")));
    }
    assert_eq!(found, NONE);
}

#[test]
fn a_path_of_one_machine_is_seen() {
    let check = |text: &str, expect: usize| assert_eq!(layout::machine_path_breaches(text).len(), expect, "{text}");
    // Written in pieces, or the test above would find this file.
    let (work, root) = (["/wo", "rk/main"].concat(), ["/ro", "ot/target"].concat());
    check(&format!("cd {work}"), 1);
    check(&format!("first\nCARGO_TARGET_DIR={root}"), 1);
    check(&format!("\"{root}\": `{work}`"), 2);
    check(
        "https://example.invalid/work/main, ./work/main, $HOME/root/target, homework/root",
        0,
    );
}
