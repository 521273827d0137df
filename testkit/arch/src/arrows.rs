//! Which folder may depend on which.
//!
//! `value ← template ← sprig ← helm ← domain`, `value ← kustomize ← domain`, `domain ← ports ← {adapters, runtime}`,
//! `{adapters, runtime} ← app/convoy`. Nothing that ships depends on `testkit`; an adapter knows no other adapter; the
//! tests of core need nothing outside core and testkit, which keeps them quick to build.
//!
//! # Invariant
//! A folder that the table does not name may depend on nothing, so a new folder must be placed here first.

use cargo_metadata::DependencyKind;

use crate::workspace::Workspace;

/// Folder → folders it may depend on; `name/*` stands for every folder directly under `name`. The first line that
/// matches a folder counts.
const ALLOWED: &[(&str, &[&str])] = &[
    ("core/value", &[]),
    ("core/template", &["core/value"]),
    ("core/sprig", &["core/value", "core/template"]),
    ("core/helm", &["core/value", "core/template", "core/sprig"]),
    ("core/kustomize", &["core/value"]),
    (
        "core/domain",
        &[
            "core/value",
            "core/template",
            "core/sprig",
            "core/helm",
            "core/kustomize",
        ],
    ),
    ("core/ports", &["core/value", "core/domain"]),
    ("adapters/web", &["core/*"]),
    ("adapters/*", &["core/*", "adapters/web"]),
    ("app/runtime", &["core/*"]),
    ("app/convoy", &["core/*", "adapters/*", "app/runtime"]),
    ("testkit/arch", &["core/*"]),
    ("testkit/canary", &[]),
    ("testkit/controlplane", &[]),
    ("testkit/faultproxy", &[]),
    ("testkit/strategies", &["core/*"]),
    ("testkit/golden", &["core/*"]),
    ("testkit/fakes", &["core/*", "testkit/strategies"]),
    ("testkit/contract", &["core/*", "testkit/strategies"]),
    ("testkit/sim", &["core/*", "app/runtime", "testkit/*"]),
    ("testkit/e2e", &["core/*", "adapters/*", "app/*", "testkit/*"]),
];

/// What the tests of a folder may need beyond what its code may.
const ALLOWED_IN_TESTS: &[(&str, &[&str])] = &[
    ("core/*", &["core/*", "testkit/*"]),
    ("testkit/*", &["core/*", "adapters/*", "app/*", "testkit/*"]),
    ("adapters/*", &["adapters/*", "testkit/*"]),
    ("app/*", &["adapters/*", "testkit/*"]),
];

/// Every dependency between members that points the wrong way, as `from → to (kind)`.
#[must_use]
pub fn breaches(workspace: &Workspace) -> Vec<String> {
    let mut breaches = Vec::new();
    for (from, package) in workspace.members() {
        for dependency in &package.dependencies {
            let Some(path) = &dependency.path else { continue };
            let to = workspace.folder(path.as_std_path());
            let for_tests = dependency.kind == DependencyKind::Development;
            if !(is_allowed(ALLOWED, &from, &to) || for_tests && is_allowed(ALLOWED_IN_TESTS, &from, &to)) {
                let kind = if for_tests { "its tests" } else { "its code" };
                breaches.push(format!("{from} → {to} ({kind})"));
            }
        }
    }
    breaches.sort();
    breaches
}

fn is_allowed(table: &[(&str, &[&str])], from: &str, to: &str) -> bool {
    let line = table.iter().find(|(folder, _)| matches(folder, from));
    line.is_some_and(|(_, allowed)| allowed.iter().any(|folder| matches(folder, to)))
}

fn matches(pattern: &str, folder: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(parent) => folder.strip_prefix(parent).is_some_and(|name| !name.contains('/')),
        None => pattern == folder,
    }
}
