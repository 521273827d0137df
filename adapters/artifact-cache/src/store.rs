//! The port.

use std::io::{BufReader, BufWriter};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use convoy_domain::artifact::Artifact;
use convoy_domain::sharing::ArtifactKey;
use convoy_ports::{ArtifactStore, ArtifactStoreError, StoreUsage};
use tokio::task::spawn_blocking;

use crate::encoding::{self, Hash};
use crate::layout::{Found, Layout, OpenError, discard};
use crate::ledger::{Leaving, Ledger};

/// Artifacts in a folder, within a bound of bytes. One process at a time has a folder.
#[derive(Clone, Debug)]
pub struct DiskStore(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    layout: Layout,
    ledger: Mutex<Ledger>,
}

impl DiskStore {
    /// Opens a folder, which is made if need be. What an earlier process kept there is kept on, as far as the bound
    /// allows; what it left half done is cleared away.
    ///
    /// # Errors
    /// [`OpenError`] when the folder cannot be used.
    pub fn open(folder: &Path, bound: u64) -> Result<Self, OpenError> {
        let layout = Layout::open(folder)?;
        let found = layout.entries().map_err(|source| OpenError::Folder {
            path: folder.display().to_string(),
            source,
        })?;
        let mut ledger = Ledger::new(bound);
        for leaving in taken_over(&mut ledger, found) {
            delete(&layout, &leaving);
        }
        Ok(Self(Arc::new(Shared {
            layout,
            ledger: Mutex::new(ledger),
        })))
    }
}

/// Enters what was found, what was used longest ago first: it makes room for the rest.
fn taken_over(ledger: &mut Ledger, mut found: Vec<Found>) -> Vec<Leaving> {
    found.sort_by_key(|entry| entry.used);
    let mut leaving = Vec::new();
    for Found {
        key, content, bytes, ..
    } in found
    {
        // A key that shares its content with another needs no further room, but is given it for a moment.
        match ledger.reserve(bytes) {
            Some(before) => {
                leaving.push(before);
                leaving.push(ledger.record(key, content, bytes));
            }
            None => leaving.push(Leaving {
                keys: vec![key],
                contents: vec![content],
            }),
        }
    }
    leaving
}

fn delete(layout: &Layout, leaving: &Leaving) {
    // The index first: an entry without its content is worse than a content without an entry.
    for key in &leaving.keys {
        layout.forget(key);
    }
    for content in &leaving.contents {
        layout.delete(content);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the ledger, and the folder with it.
    fn change<T>(&self, change: impl FnOnce(&mut Ledger) -> (Leaving, T)) -> T {
        let mut ledger = self.lock();
        let (leaving, answer) = change(&mut ledger);
        delete(&self.layout, &leaving);
        answer
    }

    fn get(&self, key: &Hash) -> Result<Option<Artifact>, ArtifactStoreError> {
        let Some(content) = self.lock().begin_read(key) else {
            return Ok(None);
        };
        let read = self.layout.open_content(&content).and_then(|(file, bytes)| {
            let (artifact, hash) = encoding::read(BufReader::with_capacity(BUFFER, file), bytes)?;
            Ok((hash == content).then_some(artifact))
        });
        let is_whole = matches!(read, Ok(Some(_)));
        self.change(|ledger| (ledger.read(&content, is_whole), ()));
        match read {
            Ok(Some(artifact)) => {
                self.layout.touch(key);
                Ok(Some(artifact))
            }
            Ok(None) => Err(ArtifactStoreError::Damaged {
                why: "its hash is another".to_owned(),
            }),
            Err(error) => Err(ArtifactStoreError::Damaged { why: error.to_string() }),
        }
    }

    fn put(&self, key: &str, artifact: &Artifact) -> Result<bool, ArtifactStoreError> {
        let bytes = encoding::length(artifact);
        let has_room = self.change(|ledger| match ledger.reserve(bytes) {
            Some(leaving) => (leaving, true),
            None => (Leaving::default(), false),
        });
        if !has_room {
            return Ok(false);
        }
        self.write(key, artifact, bytes).map_err(|error| {
            self.lock().release(bytes);
            ArtifactStoreError::Unavailable {
                what: "keep an artifact",
                why: error.to_string(),
            }
        })?;
        Ok(true)
    }

    /// Writes the content and the entry of the index. Nothing waits for the disk: what a crash cuts short is found out
    /// when it is read.
    fn write(&self, key: &str, artifact: &Artifact, bytes: u64) -> std::io::Result<()> {
        let (path, file) = self.layout.temporary()?;
        let written = encoding::write(artifact, BufWriter::with_capacity(BUFFER, file));
        let kept = written.and_then(|content| {
            // Under the lock, so that no other content of this name is deleted meanwhile.
            let mut ledger = self.lock();
            self.layout.keep(&path, &content)?;
            self.layout.record(key, &content)?;
            let leaving = ledger.record(key.to_owned(), content, bytes);
            delete(&self.layout, &leaving);
            Ok(())
        });
        if kept.is_err() {
            discard(&path);
        }
        kept
    }
}

/// Bytes read or written at a time.
const BUFFER: usize = 128 * 1024;

#[async_trait]
impl ArtifactStore for DiskStore {
    /// What was changed since it was put is deleted, and [`ArtifactStoreError::Damaged`].
    async fn get(&self, key: &ArtifactKey) -> Result<Option<Artifact>, ArtifactStoreError> {
        let (shared, name) = (Arc::clone(&self.0), key.name());
        blocking("read an artifact", move || shared.get(&name)).await
    }

    /// Keeps only what may outlive the process.
    async fn put(&self, key: &ArtifactKey, artifact: &Artifact) -> Result<bool, ArtifactStoreError> {
        if !key.lasts() {
            return Ok(false);
        }
        let (shared, name, artifact) = (Arc::clone(&self.0), key.name(), artifact.clone());
        blocking("keep an artifact", move || shared.put(&name, &artifact)).await
    }

    fn usage(&self) -> StoreUsage {
        self.0.lock().usage()
    }
}

async fn blocking<T: Send + 'static>(
    what: &'static str,
    work: impl FnOnce() -> Result<T, ArtifactStoreError> + Send + 'static,
) -> Result<T, ArtifactStoreError> {
    match spawn_blocking(work).await {
        Ok(answer) => answer,
        Err(_) => Err(ArtifactStoreError::Unavailable {
            what,
            why: "it failed inside".to_owned(),
        }),
    }
}
