//! A folder as the tree of a build: links are followed as the file system follows them, as long as they stay inside.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use convoy_kustomize::{Entry, Tree};

/// A folder.
#[derive(Clone, Debug)]
pub struct Disk {
    root: PathBuf,
}

impl Disk {
    /// The folder `root`.
    ///
    /// # Errors
    /// When there is none.
    pub fn open(root: &Path) -> std::io::Result<Self> {
        Ok(Self {
            root: fs::canonicalize(root)?,
        })
    }
}

impl Tree for Disk {
    fn find(&self, path: &str) -> Result<Option<Entry>, String> {
        let Ok(found) = fs::canonicalize(self.root.join(path)) else {
            return Ok(None);
        };
        let inside = found
            .strip_prefix(&self.root)
            .map_err(|_| format!("`{path}` leads out of the tree"))?;
        let inside = inside.to_string_lossy().into_owned();
        Ok(Some(if found.is_dir() {
            Entry::Directory(inside)
        } else {
            Entry::File(inside)
        }))
    }

    fn read(&self, path: &str, limit: usize) -> Result<Arc<[u8]>, String> {
        let read = || {
            let mut content = Vec::new();
            let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
            fs::File::open(self.root.join(path))?
                .take(most)
                .read_to_end(&mut content)?;
            Ok::<_, std::io::Error>(content.into())
        };
        read().map_err(|error| format!("`{path}`: {error}"))
    }
}
