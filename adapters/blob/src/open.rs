//! From a URL to a store.

use std::sync::Arc;

use convoy_ports::BlobStore;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;

use crate::bounds::Bounds;
use crate::cloud::Settings;
use crate::directory::Directory;
use crate::environment::Environment;
use crate::error::OpenError;
use crate::leftovers::clean_in_background;
use crate::location::{Location, Place, parse};
use crate::requests::Counting;
use crate::store::{Access, Backend, Bulk, ObjectBlobStore};

/// How a store is opened.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Bounds of its calls.
    pub bounds: Bounds,
    /// Where its credentials come from.
    pub environment: Environment,
    /// Whether it is read only: a directory is not made and need not be writable, and every write is refused.
    pub read_only: bool,
}

/// Opens the store at `url` with the default [`Bounds`] and the variables of this process; `None` when the URL is empty.
///
/// `file:///dir?create_dir=true` writes whole files that outlast a loss of power; `mem://` is private to this process
/// and lost at its end; `s3://bucket`, `gs://bucket` and `azblob://container` take the parameters of Go's blob drivers.
/// `prefix=…` puts a text before every key. No server is asked.
///
/// # Errors
/// [`OpenError`] when the URL breaks a rule, credentials cannot be understood, or the directory cannot be used.
pub fn open(url: &str) -> Result<Option<Arc<dyn BlobStore>>, OpenError> {
    let options = Options {
        environment: Environment::of_process(),
        ..Options::default()
    };
    open_with(url, &options)
}

/// The Secret that the URL names with `secret=`, whose keys are the names of variables with credentials.
///
/// # Errors
/// [`OpenError`] when the URL breaks a rule.
pub fn secret_of(url: &str) -> Result<Option<String>, OpenError> {
    Ok(parse(url)?.and_then(|location| location.secret))
}

/// As [`open`], as the options say.
///
/// # Errors
/// As [`open`].
pub fn open_with(url: &str, options: &Options) -> Result<Option<Arc<dyn BlobStore>>, OpenError> {
    let Some(Location { place, prefix, .. }) = parse(url)? else {
        return Ok(None);
    };
    let requests = Counting::default();
    let settings = Settings {
        environment: &options.environment,
        bounds: &options.bounds,
        requests: requests.clone(),
    };
    let access = if options.read_only { Access::Read } else { Access::Write };
    let cloud = |objects, bulk| Backend::Cloud {
        objects,
        bulk,
        requests,
    };
    let backend = match place {
        Place::Memory => {
            tracing::warn!("the render store is in memory: no other process can read it, and it is lost at exit");
            Backend::Memory(InMemory::new())
        }
        Place::Directory { dir, create } => {
            let directory = match access {
                Access::Read => Directory::open_to_read(&dir)?,
                Access::Write => Directory::open(&dir, create)?,
            };
            if access == Access::Write {
                clean_in_background(directory.path());
            }
            let files = LocalFileSystem::new_with_prefix(directory.path())
                .map_err(|error| OpenError::Backend { why: error.to_string() })?
                .with_fsync(true);
            Backend::Files { files, directory }
        }
        Place::S3(place) => cloud(settings.s3(&place)?, Bulk::UpTo(1_000)),
        Place::Google(place) => cloud(settings.google(&place)?, Bulk::OneByOne),
        Place::Azure(place) => cloud(settings.azure(&place)?, Bulk::UpTo(256)),
    };
    Ok(Some(Arc::new(ObjectBlobStore::new(
        backend,
        prefix,
        &options.bounds,
        access,
    ))))
}
