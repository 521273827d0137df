//! The disk as the tree of a build: its root is the root of the file system.
//!
//! # Invariant
//! Only what is asked for is looked at, only regular files are opened, and of a file no more than its bound is read.

use std::fs;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use convoy_kustomize::{Entry, Tree};

use crate::failure::Failure;

/// The file system, with paths shown from the working directory.
#[derive(Debug)]
pub(super) struct Disk {
    /// The working directory, without the first `/`.
    here: String,
}

impl Disk {
    pub(super) fn new() -> Self {
        let here = std::env::current_dir()
            .ok()
            .and_then(|here| fs::canonicalize(here).ok());
        let here = here.as_deref().and_then(|here| key(here).ok()).unwrap_or_default();
        Self { here }
    }

    /// The path of a directory in the tree, links followed.
    pub(super) fn key_of(directory: &Path) -> Result<String, Failure> {
        let place = || format!("cannot look at `{}`", directory.display());
        let real = fs::canonicalize(directory).map_err(|error| Failure::new(place()).because(&error))?;
        key(&real).map_err(|problem| Failure::new(place()).because_text(problem))
    }
}

fn key(real: &Path) -> Result<String, String> {
    let text = real.to_str().ok_or("a path is not UTF-8")?;
    Ok(text.trim_start_matches('/').to_string())
}

fn path(key: &str) -> PathBuf {
    Path::new("/").join(key)
}

impl Tree for Disk {
    fn find(&self, key_: &str) -> Result<Option<Entry>, String> {
        let refuse = |problem: &dyn std::fmt::Display| format!("`{}`: {problem}", self.shown(key_));
        let real = match fs::canonicalize(path(key_)) {
            Ok(real) => real,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
            // What kustomize hands over as a path may be a text of any length.
            Err(error) if error.kind() == ErrorKind::InvalidFilename || error.kind() == ErrorKind::InvalidInput => {
                return Ok(None);
            }
            Err(error) => return Err(refuse(&error)),
        };
        let facts = fs::metadata(&real).map_err(|error| refuse(&error))?;
        let found = key(&real).map_err(|problem| refuse(&problem))?;
        if facts.is_dir() {
            Ok(Some(Entry::Directory(found)))
        } else if facts.is_file() {
            Ok(Some(Entry::File(found)))
        } else {
            Err(refuse(&"it is not a regular file"))
        }
    }

    fn read(&self, key: &str, limit: usize) -> Result<Arc<[u8]>, String> {
        let refuse = |error: std::io::Error| format!("`{}`: {error}", self.shown(key));
        let file = fs::File::open(path(key)).map_err(refuse)?;
        let mut content = Vec::new();
        file.take((limit as u64).saturating_add(1))
            .read_to_end(&mut content)
            .map_err(refuse)?;
        Ok(content.into())
    }

    fn absolute(&self, path: &str) -> Option<String> {
        Some(path.trim_start_matches('/').to_string())
    }

    fn shown(&self, key: &str) -> String {
        let below = key.strip_prefix(&self.here).filter(|_| !self.here.is_empty());
        match below {
            Some("") => ".".into(),
            Some(below) if below.starts_with('/') => below.trim_start_matches('/').into(),
            Some(_) | None => format!("/{key}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn links_lead_where_they_point_and_nothing_but_files_and_directories_is_there() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir(at("d")).unwrap();
        fs::write(at("d/f"), "text").unwrap();
        std::os::unix::fs::symlink("d", at("link")).unwrap();
        std::os::unix::fs::symlink("gone", at("broken")).unwrap();
        std::os::unix::fs::symlink("loop", at("loop")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", at("zero")).unwrap();
        let disk = Disk::new();
        let root = Disk::key_of(dir.path()).unwrap();
        let find = |name: &str| disk.find(&format!("{root}/{name}"));
        assert_eq!(find("link/f"), Ok(Some(Entry::File(format!("{root}/d/f")))));
        assert_eq!(find("link"), Ok(Some(Entry::Directory(format!("{root}/d")))));
        for absent in ["broken", "d/f/g", "none", &"x".repeat(5_000)] {
            assert_eq!(find(absent), Ok(None), "{absent}");
        }
        assert!(find("loop").is_err());
        assert!(find("zero").unwrap_err().contains("not a regular file"));
        let content = disk.read(&format!("{root}/d/f"), 2).unwrap();
        assert_eq!(content.len(), 3, "one byte more than the bound shows that it is passed");
    }
}
