//! `convoy render manifests`: files of this machine to objects.

use std::path::{Path, PathBuf};

use convoy_domain::artifact::Files;
use convoy_domain::limits::Limits;
use convoy_domain::manifests::{RenderError, render_manifests};
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
        entries.push(Entry {
            key,
            given: path.clone(),
        });
    }
    let manifests = Manifests {
        paths: entries.iter().map(Entry::path).collect(),
        target_namespace: None,
    };
    render_manifests(&tree.into_files(), &manifests, limits).map_err(|error| Failure::of(&as_given(error, &entries)))
}

/// An argument, and the key under which its files are.
#[derive(Debug)]
struct Entry {
    key: String,
    given: PathBuf,
}

impl Entry {
    /// The argument as a path of `spec.manifests`.
    fn path(&self) -> String {
        if self.key.is_empty() {
            ".".to_string()
        } else {
            self.key.clone()
        }
    }

    /// A key below this one, as a path that begins with the argument.
    fn named(&self, text: &str) -> Option<String> {
        if text == self.path() {
            return Some(self.given.display().to_string());
        }
        let below = if self.key.is_empty() {
            text
        } else {
            text.strip_prefix(&self.key)?.strip_prefix('/')?
        };
        Some(self.given.join(below).display().to_string())
    }
}

/// The error with the paths that the person typed in place of keys.
fn as_given(mut error: RenderError, entries: &[Entry]) -> RenderError {
    let name = |text: &mut String| {
        // The longest key is the nearest.
        let named = entries
            .iter()
            .filter_map(|entry| Some((entry.key.len(), entry.named(text)?)))
            .max_by_key(|(length, _)| *length);
        if let Some((_, named)) = named {
            *text = named;
        }
    };
    match &mut error {
        RenderError::NoPaths | RenderError::Limit { .. } => {}
        RenderError::OutsidePath(path)
        | RenderError::NothingSelected { path, .. }
        | RenderError::Yaml { file: path, .. } => name(path),
        RenderError::SelectedTwice { file, first, second } => [file, first, second].into_iter().for_each(name),
        RenderError::NotAnObject { place, .. }
        | RenderError::BadList(place)
        | RenderError::Unnamed(place)
        | RenderError::NameNotText { place, .. }
        | RenderError::GeneratedName(place) => name(&mut place.file),
        RenderError::Duplicate { first, second, .. } => {
            name(&mut first.file);
            name(&mut second.file);
        }
    }
    error
}

/// Reads what the files of a source need to give for `manifests`: YAML files, and those that it names.
pub(super) fn read(source: &Path, manifests: &Manifests, limits: &Limits) -> Result<Files, Failure> {
    let mut tree = Tree::new(limits);
    let named = |key: &str| manifests.paths.iter().any(|path| path.trim_start_matches("./") == key);
    tree.add_directory(source, "", &|key| disk::is_yaml(key) || named(key))?;
    Ok(tree.into_files())
}
