//! The tree that a build reads.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::sync::Arc;
use alloc::vec::Vec;

/// Where a path leads, all links followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A file, by its own path.
    File(String),
    /// A directory, by its own path.
    Directory(String),
}

/// A tree of files. Paths are relative to its root, without empty, `.` or `..` parts; the root is the empty path.
///
/// Nothing is asked for but what a kustomization names, so that a tree may be read from a disk as it is needed.
pub trait Tree {
    /// Where `path` leads; nothing if nothing is there.
    ///
    /// # Errors
    /// When the tree cannot be looked at, or a link leads out of it.
    fn find(&self, path: &str) -> Result<Option<Entry>, String>;

    /// The content of a file that [`Tree::find`] named: all of it if it is at most `limit` bytes long, else at least
    /// one byte more than that.
    ///
    /// # Errors
    /// When it cannot be read.
    fn read(&self, path: &str, limit: usize) -> Result<Arc<[u8]>, String>;

    /// The path below the root of an absolute path in a kustomization; nothing if the tree has none.
    fn absolute(&self, path: &str) -> Option<String> {
        let _ = path;
        None
    }

    /// A path as errors show it.
    fn shown(&self, path: &str) -> String {
        if path.is_empty() {
            ".".to_string()
        } else {
            path.to_string()
        }
    }
}

/// Files by their path below the root of the tree: `base/kustomization.yaml`, without a leading `/`.
///
/// Links are resolved by whoever fills it. A directory is there if a file is below it.
#[derive(Clone, Debug, Default)]
pub struct Files {
    files: BTreeMap<String, Arc<[u8]>>,
}

impl Files {
    /// An empty tree.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file; `path` is taken as it is, except that `.` and empty parts are left out.
    pub fn insert(&mut self, path: &str, content: impl Into<Arc<[u8]>>) {
        let parts: Vec<&str> = path
            .split('/')
            .filter(|part| !part.is_empty() && *part != ".")
            .collect();
        self.files.insert(parts.join("/"), content.into());
    }

    /// Number of files.
    #[must_use]
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether there is no file.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The content of a file.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&Arc<[u8]>> {
        self.files.get(path)
    }

    /// Whether a file is below `path`; the root is always there.
    #[must_use]
    pub fn is_directory(&self, path: &str) -> bool {
        if path.is_empty() {
            return true;
        }
        let mut first = path.to_string();
        first.push('/');
        self.files
            .range::<String, _>(&first..)
            .next()
            .is_some_and(|(path, _)| path.starts_with(&first))
    }
}

impl Tree for Files {
    fn find(&self, path: &str) -> Result<Option<Entry>, String> {
        Ok(if self.files.contains_key(path) {
            Some(Entry::File(path.to_string()))
        } else {
            self.is_directory(path).then(|| Entry::Directory(path.to_string()))
        })
    }

    fn read(&self, path: &str, _: usize) -> Result<Arc<[u8]>, String> {
        let content = self.files.get(path);
        content.cloned().ok_or_else(|| format!("`{path}` is not there"))
    }
}

impl<P: AsRef<str>, C: Into<Arc<[u8]>>> FromIterator<(P, C)> for Files {
    fn from_iter<I: IntoIterator<Item = (P, C)>>(files: I) -> Self {
        let mut tree = Self::new();
        for (path, content) in files {
            tree.insert(path.as_ref(), content);
        }
        tree
    }
}
