//! `convoy render manifests`: files of this machine to objects.

use std::path::{Path, PathBuf};

use convoy_domain::artifact::Files;
use convoy_domain::limits::Limits;
use convoy_domain::manifests::render_manifests;
use convoy_domain::object::Object;
use convoy_domain::release::Manifests;

use crate::disk::{self, Tree};
use crate::failure::Failure;

/// Renders directories and files, in order.
pub(super) fn render(paths: &[PathBuf], limits: &Limits) -> Result<Vec<Object>, Failure> {
    let mut tree = Tree::new(limits);
    let mut entries = Vec::new();
    for path in paths {
        let key = disk::key(path)?;
        if path.is_dir() {
            tree.add_directory(path, &key, &disk::is_yaml)?;
        } else {
            tree.add_file(path, &key)?;
        }
        entries.push(if key.is_empty() { ".".to_string() } else { key });
    }
    let manifests = Manifests {
        paths: entries,
        target_namespace: None,
    };
    objects(&tree.into_files(), &manifests, limits)
}

/// Reads what the files of a source need to give for `manifests`: YAML files, and those that it names.
pub(super) fn read(source: &Path, manifests: &Manifests, limits: &Limits) -> Result<Files, Failure> {
    let mut tree = Tree::new(limits);
    let named = |key: &str| manifests.paths.iter().any(|path| path.trim_start_matches("./") == key);
    tree.add_directory(source, "", &|key| disk::is_yaml(key) || named(key))?;
    Ok(tree.into_files())
}

/// Files to objects.
pub(super) fn objects(files: &Files, manifests: &Manifests, limits: &Limits) -> Result<Vec<Object>, Failure> {
    render_manifests(files, manifests, limits).map_err(|error| Failure::of(&error))
}
