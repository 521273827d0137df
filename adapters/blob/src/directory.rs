//! The directory of a file store: made and tried at the start, watched afterwards.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use convoy_ports::BlobError;

use crate::error::{OpenError, from_io};

/// A directory that can be written.
#[derive(Clone, Debug)]
pub(crate) struct Directory {
    path: PathBuf,
    device: u64,
}

impl Directory {
    /// Opens the directory to write, makes it when asked, and tries a write.
    pub(crate) fn open(dir: &Path, create: bool) -> Result<Self, OpenError> {
        if create {
            fs::create_dir_all(dir).map_err(|source| {
                if file_in_the_way(&source) {
                    OpenError::NotADirectory { dir: dir.into() }
                } else {
                    OpenError::Create {
                        dir: dir.into(),
                        source,
                    }
                }
            })?;
        }
        let directory = Self::open_to_read(dir)?;
        try_write(dir).map_err(|source| OpenError::Unwritable {
            dir: dir.into(),
            source,
        })?;
        Ok(directory)
    }

    /// Opens the directory as it is.
    pub(crate) fn open_to_read(dir: &Path) -> Result<Self, OpenError> {
        let metadata = fs::metadata(dir).map_err(|source| {
            if source.kind() == io::ErrorKind::NotFound {
                OpenError::Absent { dir: dir.into() }
            } else if file_in_the_way(&source) {
                OpenError::NotADirectory { dir: dir.into() }
            } else {
                OpenError::Unreadable {
                    dir: dir.into(),
                    source,
                }
            }
        })?;
        if !metadata.is_dir() {
            return Err(OpenError::NotADirectory { dir: dir.into() });
        }
        fs::read_dir(dir).map_err(|source| OpenError::Unreadable {
            dir: dir.into(),
            source,
        })?;
        Ok(Self {
            path: dir.into(),
            device: device(&metadata),
        })
    }

    /// Its path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Fails when the directory is gone or another file system stands in its place: the backend would list it as
    /// empty, and an answer that could not be had must never look like none.
    pub(crate) async fn check(&self, key: &str) -> Result<(), BlobError> {
        let gone = |why: String| BlobError::Unavailable {
            key: key.to_owned(),
            why,
        };
        let path = self.path.display();
        match tokio::fs::metadata(&self.path).await {
            Ok(metadata) if !metadata.is_dir() => Err(gone(format!("`{path}` is not a directory any more"))),
            Ok(metadata) if device(&metadata) != self.device => {
                Err(gone(format!("`{path}` is on another file system than at the start")))
            }
            Ok(_) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(gone(format!("the directory `{path}` does not exist any more")))
            }
            Err(error) => Err(from_io(key.to_owned(), error.to_string(), error.kind())),
        }
    }

    /// Makes the deletion of `file` outlast a loss of power, so that a history entry does not come back after the
    /// blob that it names was deleted.
    pub(crate) async fn sync_parent(file: PathBuf, key: &str) -> Result<(), BlobError> {
        let sync = move || match file.parent().map(File::open) {
            Some(Ok(parent)) => parent.sync_all(),
            Some(Err(error)) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Some(Err(_)) | None => Ok(()),
        };
        match tokio::task::spawn_blocking(sync).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(from_io(key.to_owned(), error.to_string(), error.kind())),
            Err(error) => Err(BlobError::Other {
                key: key.to_owned(),
                why: error.to_string(),
            }),
        }
    }
}

fn file_in_the_way(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists
    )
}

/// Writes and removes a file whose name the backend takes for a temporary one and never lists.
fn try_write(dir: &Path) -> io::Result<()> {
    let path = dir.join(format!("write-test#{}", std::process::id()));
    fs::write(&path, b"convoy")?;
    fs::remove_file(&path)
}

#[cfg(unix)]
fn device(metadata: &Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt;
    metadata.dev()
}

#[cfg(not(unix))]
fn device(_: &Metadata) -> u64 {
    0
}
