//! What a demo serves: the objects in the YAML files of a directory, and the directories beside them that become git
//! repositories.
//!
//! A `GitRepository` whose URL is `file://./NAME` means the directory `NAME` beside its file; every other URL is left
//! as it is.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use convoy_value::Value;

use crate::documents::{self, Document};
use crate::failure::Failure;

/// How a URL names a directory beside its file.
const RELATIVE: &str = "file://./";

/// Most YAML files at the top of a demo's directory.
const FILES: usize = 1_000;

/// A demo's directory, read.
#[derive(Debug)]
pub(super) struct Project {
    /// The objects, in the order of files and documents.
    pub(super) objects: Vec<Document>,
    /// Directories that become repositories, by the name that URLs give them.
    pub(super) trees: BTreeMap<String, PathBuf>,
}

impl Project {
    /// Reads the YAML files at the top of `dir`.
    pub(super) fn load(dir: &Path) -> Result<Self, Failure> {
        let mut objects = Vec::new();
        for file in files(dir)? {
            objects.extend(documents::read(&file)?);
        }
        if !objects.iter().any(|object| kind(&object.value) == "Release") {
            return Err(Failure::new(format!("`{}` holds no Release", dir.display())).hint(
                "put a Release, its source and its Cluster into YAML files at the top of the directory; \
                 `convoy demo` without a directory shows a whole one",
            ));
        }
        let mut trees = BTreeMap::new();
        for object in &objects {
            if let Some(name) = relative_url(&object.value) {
                trees.insert(name.to_string(), tree(dir, name, object)?);
            }
        }
        Ok(Self { objects, trees })
    }
}

/// The kind of an object, empty when it has none.
pub(super) fn kind(object: &Value) -> &str {
    object.get("kind").and_then(Value::as_str).unwrap_or_default()
}

/// The directory that the URL of a `GitRepository` names, relative to its file.
pub(super) fn relative_url(object: &Value) -> Option<&str> {
    let url = object.at(&["spec", "url"]).and_then(Value::as_str)?;
    (kind(object) == "GitRepository")
        .then(|| url.strip_prefix(RELATIVE))
        .flatten()
}

fn files(dir: &Path) -> Result<Vec<PathBuf>, Failure> {
    let refuse = |error: &std::io::Error| {
        Failure::new(format!("cannot read the demo's directory `{}`", dir.display())).because(error)
    };
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).map_err(|error| refuse(&error))? {
        let path = entry.map_err(|error| refuse(&error))?.path();
        let is_yaml = path
            .extension()
            .is_some_and(|extension| extension == "yaml" || extension == "yml");
        // A pipe or a device is refused by the reader; a link to nothing may be an editor's lock.
        if is_yaml && path.metadata().is_ok_and(|facts| !facts.is_dir()) {
            files.push(path);
        }
        if files.len() > FILES {
            return Err(Failure::new(format!(
                "`{}` holds more than {FILES} YAML files",
                dir.display()
            )));
        }
    }
    files.sort();
    Ok(files)
}

fn tree(dir: &Path, name: &str, object: &Document) -> Result<PathBuf, Failure> {
    let inside = Path::new(name)
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    if name.is_empty() || !inside {
        return Err(
            Failure::new(format!("the URL of {} leaves the demo's directory", object.place()))
                .hint("write `file://./NAME` with the name of a directory beside the file"),
        );
    }
    let path = dir.join(name);
    if path.is_dir() {
        Ok(path)
    } else {
        Err(Failure::new(format!(
            "`{}`, the source of {}, is not a directory",
            path.display(),
            object.place()
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::sample;

    fn load(files: &[(&str, &str)]) -> Result<Project, Failure> {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let file = dir.path().join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        Project::load(dir.path())
    }

    #[test]
    fn the_sample_is_a_project() {
        let dir = tempfile::tempdir().unwrap();
        sample::write(dir.path()).unwrap();
        let project = Project::load(dir.path()).unwrap();
        let kinds: Vec<&str> = project.objects.iter().map(|object| kind(&object.value)).collect();
        assert_eq!(kinds, ["Cluster", "GitRepository", "Release"]);
        assert_eq!(project.trees.keys().collect::<Vec<_>>(), ["tree"]);
    }

    #[test]
    fn a_directory_without_a_release_is_refused() {
        let failure = load(&[("a.yaml", "apiVersion: v1\nkind: ConfigMap\n")]).unwrap_err();
        assert!(format!("{failure:?}").contains("holds no Release"));
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_refused_and_a_link_to_nothing_passed_over() {
        let dir = tempfile::tempdir().unwrap();
        sample::write(dir.path()).unwrap();
        std::os::unix::fs::symlink("nobody@nowhere", dir.path().join(".#release.yaml")).unwrap();
        Project::load(dir.path()).unwrap();
        std::os::unix::fs::symlink("/dev/zero", dir.path().join("zero.yaml")).unwrap();
        let failure = Project::load(dir.path()).unwrap_err();
        assert!(format!("{failure:?}").contains("not a regular file"));
    }

    #[test]
    fn a_source_cannot_leave_the_directory() {
        for name in ["../secrets", "a/../../b", "/etc", ""] {
            let text = format!("kind: Release\n---\nkind: GitRepository\nspec: {{url: 'file://./{name}'}}\n");
            let failure = load(&[("a.yaml", &text)]).unwrap_err();
            assert!(format!("{failure:?}").contains("leaves the demo's directory"), "{name}");
        }
    }

    #[test]
    fn a_source_must_be_there() {
        let text = "kind: Release\n---\nkind: GitRepository\nspec: {url: 'file://./tree'}\n";
        let failure = load(&[("a.yaml", text)]).unwrap_err();
        assert!(format!("{failure:?}").contains("is not a directory"));
    }
}
