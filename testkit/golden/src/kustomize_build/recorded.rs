//! Recorded answers of the tool: one file a case, in a folder for each field or plugin.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use convoy_kustomize::{Files, LoadRestrictor};

use super::{Answer, Tree, ours};
use crate::encoding::from_base64;

/// The plugins that are built in, besides the one for charts.
pub const PLUGINS: &[&str] = &[
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
    NEVER_LOADED,
    "SuffixTransformer",
    "ValueAddTransformer",
];

/// The plugin that kustomize knows and never loads: all its cases are refused.
pub const NEVER_LOADED: &str = "SortOrderTransformer";

/// The fewest cases of a field or a plugin.
pub const LEAST: usize = 10;

/// A recorded case.
#[derive(Debug, serde::Deserialize)]
pub struct Case {
    /// The tool and its version.
    pub tool: String,
    /// Files that are text.
    pub files: Tree,
    /// Files that are no text, in base64.
    #[serde(default)]
    pub binary: Tree,
    /// What the tool prints; nothing if it refuses the case.
    pub output: Option<String>,
}

impl Case {
    /// Our answer.
    ///
    /// # Errors
    /// When we refuse it.
    ///
    /// # Panics
    /// When a file is no base64.
    pub fn ours(&self) -> Answer {
        let mut files: Files = self.files.iter().map(|(path, text)| (path, text.as_bytes())).collect();
        for (path, text) in &self.binary {
            files.insert(path, from_base64(text).expect("base64"));
        }
        ours(&files, "", LoadRestrictor::Root)
    }

    /// The two answers side by side, if they differ.
    #[must_use]
    pub fn difference(&self) -> Option<String> {
        let ours = self.ours();
        if ours.as_ref().ok() == self.output.as_ref() {
            return None;
        }
        Some(format!(
            "{}\n{}\n== ours\n{}\n== theirs\n{}",
            self.files["kustomization.yaml"],
            self.files.get("plugin.yaml").map_or("", String::as_str),
            ours.unwrap_or_else(|error| format!("error: {error}")),
            self.output.as_deref().unwrap_or("an error")
        ))
    }
}

/// The cases below `data/<folder>`, by what they are of and by their names.
///
/// # Panics
/// When there are none, or one cannot be read.
#[must_use]
pub fn cases(folder: &str) -> BTreeMap<String, BTreeMap<String, Case>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(folder);
    let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
    let folders = fs::read_dir(root).expect("the cases are there");
    folders
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_dir())
        .map(|folder| {
            let cases = fs::read_dir(&folder).expect("a folder of cases").map(|file| {
                let path = file.expect("a case").path();
                let case = serde_json::from_slice(&fs::read(&path).expect("a case")).expect("a case");
                (name(&path), case)
            });
            (name(&folder), cases.collect())
        })
        .collect()
}

/// What differs among the cases of a folder.
///
/// # Panics
/// When something does, or a case is of another version of the tool.
pub fn check(folder: &str) {
    let (mut failures, mut count) = (Vec::new(), 0);
    for (feature, cases) in cases(folder) {
        for (name, case) in cases {
            count += 1;
            assert_eq!(case.tool, super::TOOL, "{feature}/{name}");
            failures.extend(case.difference().map(|text| format!("{feature}/{name}\n{text}")));
        }
    }
    assert!(
        failures.is_empty(),
        "{} of {count} differ\n{}",
        failures.len(),
        failures.join("\n\n")
    );
}
