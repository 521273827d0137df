//! From a URL to a store.

use std::sync::Arc;

use convoy_ports::BlobStore;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;

use crate::bounds::Bounds;
use crate::directory::Directory;
use crate::error::OpenError;
use crate::location::{Location, parse};
use crate::store::{Access, Backend, ObjectBlobStore};

/// Opens the store at `url` with the default [`Bounds`]; `None` when the URL is empty.
///
/// `file:///dir?create_dir=true&prefix=…` writes whole files that outlast a loss of power; `mem://` is private to
/// this process and lost at its end.
///
/// # Errors
/// [`OpenError`] when the URL breaks a rule, its backend is not built yet, or the directory cannot be used.
pub fn open(url: &str) -> Result<Option<Arc<dyn BlobStore>>, OpenError> {
    open_with(url, &Bounds::default())
}

/// As [`open`], with bounds.
///
/// # Errors
/// As [`open`].
pub fn open_with(url: &str, bounds: &Bounds) -> Result<Option<Arc<dyn BlobStore>>, OpenError> {
    opened(url, bounds, Access::Write)
}

/// As [`open`], for a process that only reads: the directory is not made and need not be writable, and every write is
/// refused.
///
/// # Errors
/// As [`open`].
pub fn open_to_read(url: &str) -> Result<Option<Arc<dyn BlobStore>>, OpenError> {
    opened(url, &Bounds::default(), Access::Read)
}

fn opened(url: &str, bounds: &Bounds, access: Access) -> Result<Option<Arc<dyn BlobStore>>, OpenError> {
    let (backend, prefix) = match parse(url)? {
        Location::Nowhere => return Ok(None),
        Location::Memory { prefix } => {
            tracing::warn!("the render store is in memory: no other process can read it, and it is lost at exit");
            (Backend::Memory(InMemory::new()), prefix)
        }
        Location::Directory { dir, create, prefix } => {
            let directory = match access {
                Access::Read => Directory::open_to_read(&dir)?,
                Access::Write => Directory::open(&dir, create)?,
            };
            let files = LocalFileSystem::new_with_prefix(directory.path())
                .map_err(|error| OpenError::Backend { why: error.to_string() })?
                .with_fsync(true);
            (Backend::Files { files, directory }, prefix)
        }
    };
    Ok(Some(Arc::new(ObjectBlobStore::new(backend, prefix, bounds, access))))
}
