//! What convoy keeps of the renders that it applied: their bytes, and the order in which they were first applied.
//!
//! Built on [`BlobStore`] alone; it knows no Kubernetes type. Which entries and blobs go is decided in
//! [`convoy_domain::gc`]; here the decisions are carried out. One replica writes the keys of a Release at a time, so
//! that nothing here locks.
//!
//! # Invariant
//! After each call, whether it succeeded, failed or the process died in it:
//! - every entry of the history names a blob that is stored, unless the blob was never stored or somebody else deleted it;
//! - a blob that a pointer of the Release or an entry names is there still;
//! - no key of another Release has changed;
//! - bytes that do not have the hash of their key are never served.

mod collect;
mod delete;
mod error;
mod history;
mod renders;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use convoy_domain::Timestamp;
use convoy_domain::history::HistoryEntry;
use convoy_domain::id::ReleaseId;
use convoy_domain::render::Render;
use convoy_domain::render_ref::RenderRef;
use convoy_ports::BlobStore;

pub use collect::Collected;
pub use error::RenderStoreError;

/// Calls made at a time within one operation.
const CONCURRENCY: usize = 16;

/// The render store, or none: every caller says what it does then.
#[derive(Clone, Debug)]
pub enum RenderStore {
    /// No store; every call answers [`RenderStoreError::Disabled`].
    Disabled,
    /// A store.
    Enabled(StoredRenders),
}

/// Renders and histories in a [`BlobStore`]. Clones share what they know.
#[derive(Clone, Debug)]
pub struct StoredRenders {
    blobs: Arc<dyn BlobStore>,
    corrupt: Arc<CorruptBlobs>,
}

/// Keys whose bytes were seen to be wrong, to be written anew when the right ones are at hand.
#[derive(Debug, Default)]
struct CorruptBlobs(Mutex<BTreeSet<String>>);

impl CorruptBlobs {
    /// Most keys remembered; a further one is found again by the next read.
    const MOST: usize = 10_000;

    fn add(&self, key: &str) {
        let mut keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if keys.len() < Self::MOST {
            keys.insert(key.to_owned());
        }
    }

    fn has(&self, key: &str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(key)
    }

    fn remove(&self, key: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
    }
}

impl From<Option<Arc<dyn BlobStore>>> for RenderStore {
    fn from(blobs: Option<Arc<dyn BlobStore>>) -> Self {
        blobs.map_or(Self::Disabled, Self::new)
    }
}

impl RenderStore {
    /// A store in `blobs`.
    #[must_use]
    pub fn new(blobs: Arc<dyn BlobStore>) -> Self {
        Self::Enabled(StoredRenders {
            blobs,
            corrupt: Arc::default(),
        })
    }

    fn enabled(&self) -> Result<&StoredRenders, RenderStoreError> {
        match self {
            Self::Disabled => Err(RenderStoreError::Disabled),
            Self::Enabled(store) => Ok(store),
        }
    }

    /// Stores a render. One that is stored is not written again, unless its bytes are known to be corrupt.
    ///
    /// # Errors
    /// [`RenderStoreError`] when it is not known to be stored now.
    pub async fn put_render(&self, release: &ReleaseId, render: &Render) -> Result<(), RenderStoreError> {
        self.enabled()?.put_render(release, render).await
    }

    /// Reads a render back. Looks only at the Release's own key.
    ///
    /// # Errors
    /// [`RenderStoreError::NotFound`] when it is not stored, [`RenderStoreError::Corrupt`] when the bytes have another
    /// hash, which are never served.
    pub async fn get_render(&self, release: &ReleaseId, render_ref: RenderRef) -> Result<Render, RenderStoreError> {
        self.enabled()?.get_render(release, render_ref).await
    }

    /// Whether the history has an entry of the render.
    ///
    /// # Errors
    /// [`RenderStoreError`] when the history cannot be listed.
    pub async fn has_history_ref(&self, release: &ReleaseId, render_ref: RenderRef) -> Result<bool, RenderStoreError> {
        self.enabled()?.has_history_ref(release, render_ref).await
    }

    /// Adds an entry that is later than the newest, or returns the one that the render has.
    ///
    /// # Errors
    /// [`RenderStoreError`] when the entry is not known to be stored.
    pub async fn append_history(
        &self,
        release: &ReleaseId,
        render_ref: RenderRef,
        summary: &str,
        now: Timestamp,
    ) -> Result<HistoryEntry, RenderStoreError> {
        self.enabled()?.append_history(release, render_ref, summary, now).await
    }

    /// The newest 1,000 entries, newest last. An entry that cannot be understood is there with what its key says.
    ///
    /// # Errors
    /// [`RenderStoreError`] when the history cannot be listed or an entry cannot be read.
    pub async fn list_history(&self, release: &ReleaseId) -> Result<Vec<HistoryEntry>, RenderStoreError> {
        self.enabled()?.list_history(release).await
    }

    /// Number of entries.
    ///
    /// # Errors
    /// [`RenderStoreError`] when the history cannot be listed.
    pub async fn history_count(&self, release: &ReleaseId) -> Result<usize, RenderStoreError> {
        Ok(self.enabled()?.history_keys(release).await?.len())
    }

    /// Deletes the oldest entries beyond `keep` (unset is 10; 0 or less keeps everything, and nothing is asked of the
    /// store), then the blobs that nothing names.
    ///
    /// `protected` are the renders that the Release's pointers named when the reconcile began; `live` reads them anew
    /// just before blobs are deleted. When `live` fails, no blob is deleted.
    ///
    /// # Errors
    /// [`RenderStoreError`] when a listing or `live` failed. Single deletions that failed are in [`Collected`].
    pub async fn gc<F, Fut>(
        &self,
        release: &ReleaseId,
        keep: Option<i64>,
        protected: &BTreeSet<RenderRef>,
        live: F,
    ) -> Result<Collected, RenderStoreError>
    where
        F: FnOnce() -> Fut + Send,
        Fut: Future<Output = Result<BTreeSet<RenderRef>, String>> + Send,
    {
        self.enabled()?.gc(release, keep, protected, live).await
    }

    /// Whether any key is below the Release's prefix.
    ///
    /// # Errors
    /// [`RenderStoreError`] when the keys cannot be listed.
    pub async fn holds_keys(&self, release: &ReleaseId) -> Result<bool, RenderStoreError> {
        self.enabled()?.holds_keys(release).await
    }

    /// Deletes every key of the Release, entries before blobs. Running it again finishes what failed.
    ///
    /// # Errors
    /// [`RenderStoreError::NotDeleted`] when keys remain.
    pub async fn delete_release(&self, release: &ReleaseId) -> Result<(), RenderStoreError> {
        self.enabled()?.delete_release(release).await
    }
}
