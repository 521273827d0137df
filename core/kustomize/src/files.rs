//! The tree that a build reads.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString as _};
use alloc::sync::Arc;
use alloc::vec::Vec;

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

impl<P: AsRef<str>, C: Into<Arc<[u8]>>> FromIterator<(P, C)> for Files {
    fn from_iter<I: IntoIterator<Item = (P, C)>>(files: I) -> Self {
        let mut tree = Self::new();
        for (path, content) in files {
            tree.insert(path.as_ref(), content);
        }
        tree
    }
}
