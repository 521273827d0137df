//! What the manifests must say: every member inherits the workspace's lints, the workspace forbids unsafe code, and no
//! core crate runs a program while it is built.

use cargo_metadata::TargetKind;

use crate::workspace::Workspace;

/// Every manifest that says otherwise, as `folder: why`.
///
/// # Panics
/// When a manifest cannot be read.
#[must_use]
pub fn breaches(workspace: &Workspace) -> Vec<String> {
    let mut breaches = Vec::new();
    let read = |folder: &str| {
        let path = workspace.root().join(folder).join("Cargo.toml");
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    if section(&read(""), "[workspace.lints.rust]").all(|line| line != "unsafe_code = \"forbid\"") {
        breaches.push("the workspace does not forbid unsafe code".to_owned());
    }
    for (folder, package) in workspace.members() {
        if section(&read(&folder), "[lints]").all(|line| line != "workspace = true") {
            breaches.push(format!("{folder}: the lints of the workspace are not inherited"));
        }
        let builds = package
            .targets
            .iter()
            .any(|target| target.kind.contains(&TargetKind::CustomBuild));
        if folder.starts_with("core/") && builds {
            breaches.push(format!("{folder}: a build script can read a clock and an environment"));
        }
    }
    breaches.sort();
    breaches
}

/// The lines of one table of a manifest.
fn section<'a>(manifest: &'a str, header: &'a str) -> impl Iterator<Item = &'a str> {
    let lines = manifest
        .lines()
        .map(str::trim)
        .skip_while(move |line| *line != header)
        .skip(1);
    lines.take_while(|line| !line.starts_with('['))
}
