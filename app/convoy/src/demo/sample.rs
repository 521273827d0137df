//! The sample, which is part of the binary: the files of `examples/demo`.

use std::fs;
use std::path::Path;

use crate::failure::Failure;

macro_rules! files {
    ($($path:literal),+ $(,)?) => {
        /// Path and content of each file.
        const FILES: &[(&str, &str)] =
            &[$(($path, include_str!(concat!("../../../../examples/demo/", $path)))),+];
    };
}

files![
    "release.yaml",
    "tree/charts/bookshelf/.helmignore",
    "tree/charts/bookshelf/Chart.yaml",
    "tree/charts/bookshelf/charts/frontend/Chart.yaml",
    "tree/charts/bookshelf/charts/frontend/templates/_labels.tpl",
    "tree/charts/bookshelf/charts/frontend/templates/deployment.yaml",
    "tree/charts/bookshelf/charts/frontend/templates/service.yaml",
    "tree/charts/bookshelf/charts/frontend/templates/site.yaml",
    "tree/charts/bookshelf/charts/frontend/values.yaml",
    "tree/charts/bookshelf/files/books.json",
    "tree/charts/bookshelf/templates/NOTES.txt",
    "tree/charts/bookshelf/templates/_helpers.tpl",
    "tree/charts/bookshelf/templates/backend.yaml",
    "tree/charts/bookshelf/templates/namespace.yaml",
    "tree/charts/bookshelf/templates/tests/books.yaml",
    "tree/charts/bookshelf/values.yaml",
];

/// Writes the sample below `dir`; files that are there stay as they are, so that a kept directory keeps its edits.
pub(super) fn write(dir: &Path) -> Result<(), Failure> {
    for (path, text) in FILES {
        let file = dir.join(path);
        let place = || format!("cannot write the sample to `{}`", file.display());
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent).map_err(|error| Failure::new(place()).because(&error))?;
        }
        if !file.exists() {
            fs::write(&file, text).map_err(|error| Failure::new(place()).because(&error))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::PathBuf;

    fn walk(dir: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, found);
            } else {
                found.push(path);
            }
        }
    }

    #[test]
    fn every_file_of_the_example_is_in_the_binary() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/demo");
        let mut found = Vec::new();
        walk(&root, &mut found);
        let on_disk: BTreeSet<String> = found
            .iter()
            .map(|path| path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/"))
            .collect();
        let embedded: BTreeSet<String> = FILES.iter().map(|(path, _)| (*path).to_string()).collect();
        assert_eq!(embedded, on_disk);
    }

    #[test]
    fn a_kept_directory_keeps_its_edits() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path()).unwrap();
        let file = dir.path().join("tree/charts/bookshelf/values.yaml");
        fs::write(&file, "edited").unwrap();
        write(dir.path()).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "edited");
    }
}
