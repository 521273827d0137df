//! What core may be built from, and how many versions of a thing there may be.
//!
//! Features count: the same crate with one more feature can read a clock or a random source. The list holds what
//! `cargo tree` says of core built alone; a binary in which other crates ask for more features of a shared dependency
//! is guarded by the words of [`crate::source`] and by clippy's `disallowed-methods` in `core/clippy.toml`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use crate::workspace::Workspace;

/// Second versions of direct dependencies that only another's release can remove, and none of whose types reaches us:
/// name, version, who needs it.
const TOLERATED: &[(&str, &str, &str)] = &[
    ("hashbrown", "v0.14.5", "dashmap, of gix-tempfile"),
    ("hashbrown", "v0.16.1", "clru, of gix, and kube-runtime"),
    ("thiserror", "v1.0.69", "cel, of kube-cel"),
];

/// Name → features, of every crate that code of core is compiled against.
pub type Closure = BTreeMap<String, BTreeSet<String>>;

/// Asks cargo for the closure of `packages` in the workspace at `root`, normal and build dependencies, for this
/// machine's platform. Macros run at build time and leave no code of theirs; they are named without features, as
/// `name (proc-macro)`.
///
/// # Panics
/// When cargo does not answer: a rule that cannot look must not pass.
#[must_use]
pub fn closure(root: &Path, packages: &[String]) -> Closure {
    let arguments = |edges: &str| -> Vec<String> {
        let mut arguments: Vec<String> = [
            "tree", "--locked", "--prefix", "none", "--format", "{p}|{f}", "-e", edges,
        ]
        .map(str::to_owned)
        .to_vec();
        arguments.extend(packages.iter().map(|package| format!("--package={package}")));
        arguments
    };
    let mut closure = parse(&cargo(root, &arguments("normal,build,no-proc-macro")));
    let with_macros = cargo(root, &arguments("normal,build"));
    for line in with_macros.lines().filter(|line| line.contains("(proc-macro)")) {
        if let Some(name) = line.split_whitespace().next() {
            closure.insert(format!("{name} (proc-macro)"), BTreeSet::new());
        }
    }
    closure
}

/// Reads lines of `name vX.Y.Z[ (…)]|feature,feature[ (*)]`.
#[must_use]
pub fn parse(tree: &str) -> Closure {
    let mut closure = Closure::new();
    for line in tree.lines() {
        let Some((package, features)) = line.split_once('|') else {
            continue;
        };
        let Some(name) = package.split_whitespace().next() else {
            continue;
        };
        let features = features
            .trim_end_matches("(*)")
            .trim()
            .split(',')
            .filter(|feature| !feature.is_empty());
        closure
            .entry(name.to_owned())
            .or_default()
            .extend(features.map(str::to_owned));
    }
    closure
}

/// Reads the allow-list: `name feature feature` on each line; `#` begins a comment.
#[must_use]
pub fn parse_allowed(text: &str) -> Closure {
    let mut allowed = Closure::new();
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default().trim();
        let (name, features) = match line.strip_suffix(" (proc-macro)") {
            Some(_) => (line, ""),
            None => line.split_once(' ').unwrap_or((line, "")),
        };
        if !name.is_empty() {
            allowed.insert(
                name.to_owned(),
                features.split_whitespace().map(str::to_owned).collect(),
            );
        }
    }
    allowed
}

/// What is in the closure and not allowed, and what is allowed and no longer there.
#[must_use]
pub fn closure_breaches(closure: &Closure, allowed: &Closure) -> Vec<String> {
    let mut breaches = Vec::new();
    for (name, features) in closure {
        match allowed.get(name) {
            None => breaches.push(format!("{name} is not allowed")),
            Some(allowed) => {
                let surplus = features.difference(allowed);
                breaches.extend(surplus.map(|feature| format!("{name} is not allowed with the feature `{feature}`")));
            }
        }
    }
    let stale = allowed.keys().filter(|name| !closure.contains_key(*name));
    breaches.extend(stale.map(|name| format!("{name} is allowed, but nothing needs it")));
    breaches
}

/// The names of the foreign crates that members of a workspace ask for.
#[must_use]
pub fn direct(workspace: &Workspace) -> BTreeSet<String> {
    let dependencies = workspace.members().flat_map(|(_, package)| &package.dependencies);
    dependencies
        .filter(|dependency| dependency.path.is_none())
        .map(|dependency| dependency.name.clone())
        .collect()
}

/// The direct dependencies of a workspace of which the whole graph, for this machine's platform, holds more than one
/// version, as `name: version, version`.
///
/// # Panics
/// When cargo does not answer.
#[must_use]
pub fn doubled_direct_dependencies(workspace: &Workspace) -> Vec<String> {
    let arguments = [
        "tree",
        "--locked",
        "--workspace",
        "--prefix",
        "none",
        "-e",
        "normal,build,dev",
    ];
    let graph = cargo(workspace.root(), &arguments.map(str::to_owned));
    doubled(&direct(workspace), &graph)
}

/// The names in `direct` that stand with more than one version in `graph`; its lines are `name vX.Y.Z …`.
#[must_use]
pub fn doubled(direct: &BTreeSet<String>, graph: &str) -> Vec<String> {
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for line in graph.lines() {
        let mut words = line.split_whitespace();
        if let (Some(name), Some(version)) = (words.next(), words.next()) {
            let is_tolerated = TOLERATED.iter().any(|(n, v, _)| (*n, *v) == (name, version));
            if !is_tolerated {
                versions.entry(name).or_default().insert(version);
            }
        }
    }
    let doubled = versions
        .into_iter()
        .filter(|(name, versions)| direct.contains(*name) && versions.len() > 1);
    doubled
        .map(|(name, versions)| format!("{name}: {}", versions.into_iter().collect::<Vec<_>>().join(", ")))
        .collect()
}

fn cargo(root: &Path, arguments: &[String]) -> String {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(program)
        .args(arguments)
        .current_dir(root)
        .output()
        .expect("cargo runs");
    assert!(
        output.status.success(),
        "cargo {}: {}",
        arguments.join(" "),
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}
