//! The folders of a cache and the files in them.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use crate::encoding::Hash;

/// Why a folder cannot be a cache.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// It cannot be made, read or written.
    #[error("`{path}` cannot keep artifacts")]
    Folder {
        /// The folder or file.
        path: String,
        /// What the system says.
        #[source]
        source: io::Error,
    },
    /// Another process has it.
    #[error("`{path}` keeps the artifacts of another process")]
    InUse {
        /// The folder.
        path: String,
    },
}

/// An entry of the index, as a start finds it.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) key: Hash,
    pub(crate) content: Hash,
    pub(crate) bytes: u64,
    pub(crate) used: SystemTime,
}

/// Where files are. All of them are the owner's alone.
#[derive(Debug)]
pub(crate) struct Layout {
    root: PathBuf,
    /// Held while the process lives.
    _lock: File,
    temporaries: AtomicU64,
}

const CONTENT: &str = "content";
const INDEX: &str = "index";
const TEMPORARY: &str = "temporary";

impl Layout {
    /// Makes the folders that are not there, and clears away what an earlier process left half done.
    pub(crate) fn open(root: &Path) -> Result<Self, OpenError> {
        let failed = |path: &Path| {
            let path = path.display().to_string();
            |source| OpenError::Folder { path, source }
        };
        for folder in [
            root.to_path_buf(),
            root.join(CONTENT),
            root.join(INDEX),
            root.join(TEMPORARY),
        ] {
            let made = DirBuilder::new().recursive(true).mode(0o700).create(&folder);
            made.map_err(failed(&folder))?;
        }
        let lock = root.join("lock");
        let file = created(&lock, false).map_err(failed(&lock))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(fs::TryLockError::WouldBlock) => {
                return Err(OpenError::InUse {
                    path: root.display().to_string(),
                });
            }
            Err(fs::TryLockError::Error(error)) => return Err(failed(&lock)(error)),
        }
        let layout = Self {
            root: root.to_path_buf(),
            _lock: file,
            temporaries: AtomicU64::new(0),
        };
        let temporary = layout.root.join(TEMPORARY);
        for (name, _) in layout.names(TEMPORARY).map_err(failed(&temporary))? {
            let path = temporary.join(name);
            fs::remove_file(&path).map_err(failed(&path))?;
        }
        Ok(layout)
    }

    /// The whole entries of the index. What belongs to none is deleted; what has no name of ours is left alone.
    pub(crate) fn entries(&self) -> io::Result<Vec<Found>> {
        let mut contents: Vec<(Hash, u64, bool)> = Vec::new();
        for (name, metadata) in self.names(CONTENT)? {
            if is_hash(&name) && metadata.is_file() {
                contents.push((name, metadata.len(), false));
            }
        }
        contents.sort();
        let mut found = Vec::new();
        for (key, metadata) in self.names(INDEX)? {
            if !is_hash(&key) || !metadata.is_file() {
                continue;
            }
            let named = self.named(&key).ok();
            let at = named.and_then(|hash| contents.binary_search_by(|(name, ..)| name.cmp(&hash)).ok());
            let Some((content, bytes, is_named)) = at.and_then(|at| contents.get_mut(at)) else {
                self.forget(&key);
                continue;
            };
            *is_named = true;
            found.push(Found {
                key,
                content: content.clone(),
                bytes: *bytes,
                used: metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH),
            });
        }
        for (content, _, _) in contents.iter().filter(|(.., is_named)| !is_named) {
            self.delete(content);
        }
        Ok(found)
    }

    /// The content that an entry of the index names.
    fn named(&self, key: &str) -> io::Result<Hash> {
        let path = self.index(key);
        if fs::symlink_metadata(&path)?.len() != 64 {
            return Err(io::Error::from(io::ErrorKind::InvalidData));
        }
        let text = fs::read_to_string(path)?;
        is_hash(&text)
            .then_some(text)
            .ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData))
    }

    /// Opens a content, and says how long it is. A link is none.
    pub(crate) fn open_content(&self, content: &Hash) -> io::Result<(File, u64)> {
        let path = self.content(content);
        let metadata = fs::symlink_metadata(&path)?;
        if !metadata.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "it is no file"));
        }
        Ok((File::open(path)?, metadata.len()))
    }

    /// A new file under a name of its own.
    pub(crate) fn temporary(&self) -> io::Result<(PathBuf, File)> {
        let number = self.temporaries.fetch_add(1, Ordering::Relaxed);
        let path = self.root.join(TEMPORARY).join(number.to_string());
        let file = created(&path, true)?;
        Ok((path, file))
    }

    /// Gives a whole file the name of its content.
    pub(crate) fn keep(&self, temporary: &Path, content: &Hash) -> io::Result<()> {
        fs::rename(temporary, self.content(content))
    }

    /// Lets a key name a content.
    pub(crate) fn record(&self, key: &str, content: &Hash) -> io::Result<()> {
        let (path, mut file) = self.temporary()?;
        let written = io::Write::write_all(&mut file, content.as_bytes());
        let kept = written.and_then(|()| fs::rename(&path, self.index(key)));
        if kept.is_err() {
            discard(&path);
        }
        kept
    }

    /// Notes that an entry was used, for the next start.
    pub(crate) fn touch(&self, key: &str) {
        let now = SystemTime::now();
        let touched = OpenOptions::new()
            .write(true)
            .open(self.index(key))
            .and_then(|file| file.set_modified(now));
        if let Err(error) = touched {
            tracing::debug!(%error, "cannot note the use of an artifact");
        }
    }

    /// Deletes an entry of the index.
    pub(crate) fn forget(&self, key: &str) {
        discard(&self.index(key));
    }

    /// Deletes a content.
    pub(crate) fn delete(&self, content: &Hash) {
        discard(&self.content(content));
    }

    fn content(&self, content: &Hash) -> PathBuf {
        self.root.join(CONTENT).join(content)
    }

    fn index(&self, key: &str) -> PathBuf {
        self.root.join(INDEX).join(key)
    }

    fn names(&self, folder: &str) -> io::Result<Vec<(String, fs::Metadata)>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(self.root.join(folder))? {
            let entry = entry?;
            // Of a link, the link itself.
            let metadata = fs::symlink_metadata(entry.path())?;
            if let Ok(name) = entry.file_name().into_string() {
                names.push((name, metadata));
            }
        }
        Ok(names)
    }
}

fn created(path: &Path, new: bool) -> io::Result<File> {
    OpenOptions::new()
        .write(true)
        .create(true)
        .create_new(new)
        .truncate(false)
        .mode(0o600)
        .open(path)
}

/// Deletes a file; one that is not there is as good.
pub(crate) fn discard(path: &Path) {
    if let Err(error) = fs::remove_file(path)
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!(path = %path.display(), %error, "cannot delete a file of the artifact cache");
    }
}

fn is_hash(name: &str) -> bool {
    name.len() == 64 && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
