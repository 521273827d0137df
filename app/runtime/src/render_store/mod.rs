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
mod damaged;
mod delete;
mod error;
mod history;
mod inspect;
mod migrate;
mod pieces;
mod renders;
mod sealed;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::Arc;

use convoy_domain::Timestamp;
use convoy_domain::history::HistoryEntry;
use convoy_domain::id::ReleaseId;
use convoy_domain::render::Render;
use convoy_domain::render_ref::RenderRef;
use convoy_domain::store_key;
use convoy_ports::{BlobError, BlobStore, Entropy, Pieces, StoreCalls};

use damaged::DamagedBlobs;
use sealed::{Opener, SALT, Sealer};

pub use collect::{Collectable, Collected};
pub use error::RenderStoreError;
pub use inspect::{Finding, Inspection, Problem};
pub use migrate::Migrated;
pub use pieces::StoredPieces;
pub use renders::Verified;
pub use sealed::{InvalidKeys, Key, KeyId, Keyring};

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
    damaged: Arc<DamagedBlobs>,
    sealing: Option<SealingKeys>,
}

/// What seals blobs, and opens sealed ones.
#[derive(Clone, Debug)]
struct SealingKeys {
    keys: Keyring,
    entropy: Arc<dyn Entropy>,
}

impl StoredRenders {
    /// What seals a blob; `None` when blobs stay clear.
    fn sealer(&self, release: &ReleaseId, render_ref: RenderRef) -> Result<Option<Sealer>, BlobError> {
        let Some(SealingKeys { keys, entropy }) = &self.sealing else {
            return Ok(None);
        };
        let failed = |why: String| BlobError::Other {
            key: store_key::blob(release, render_ref),
            why,
        };
        let mut salt = [0; SALT];
        entropy.fill(&mut salt).map_err(|error| failed(error.to_string()))?;
        let sealer = Sealer::new(keys.sealing(), salt, &bound_name(release, render_ref));
        sealer.map(Some).ok_or_else(|| failed("the key cannot seal".to_owned()))
    }

    fn opener(&self, release: &ReleaseId, render_ref: RenderRef) -> Opener {
        let keys = self.sealing.as_ref().map(|sealing| sealing.keys.clone());
        Opener::new(keys, bound_name(release, render_ref))
    }
}

/// What a sealed blob is bound to; neither part holds a `/`.
fn bound_name(release: &ReleaseId, render_ref: RenderRef) -> String {
    format!("{release}/{render_ref}")
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
            damaged: Arc::default(),
            sealing: None,
        })
    }

    /// The same store, whose blobs are sealed with the first of these keys and opened with any of them. Clear blobs stay
    /// readable.
    #[must_use]
    pub fn sealed(self, keys: Keyring, entropy: Arc<dyn Entropy>) -> Self {
        match self {
            Self::Disabled => Self::Disabled,
            Self::Enabled(store) => Self::Enabled(StoredRenders {
                sealing: Some(SealingKeys { keys, entropy }),
                ..store
            }),
        }
    }

    /// The calls of the store since it was opened.
    #[must_use]
    pub fn calls(&self) -> StoreCalls {
        match self {
            Self::Disabled => StoreCalls::default(),
            Self::Enabled(store) => store.blobs.calls(),
        }
    }

    fn enabled(&self) -> Result<&StoredRenders, RenderStoreError> {
        match self {
            Self::Disabled => Err(RenderStoreError::Disabled),
            Self::Enabled(store) => Ok(store),
        }
    }

    /// Stores a render. One that is stored is not written again, unless it is known to be damaged. Above 1 MiB, a few
    /// pieces of it are held at a time.
    ///
    /// # Errors
    /// [`RenderStoreError`] when it is not known to be stored now.
    pub async fn put_render(&self, release: &ReleaseId, render: &Render) -> Result<(), RenderStoreError> {
        self.enabled()?.put_render(release, render).await
    }

    /// Reads a render back. Looks only at the Release's own key.
    ///
    /// # Errors
    /// [`RenderStoreError::NotFound`] when it is not stored, [`RenderStoreError::Corrupt`] or
    /// [`RenderStoreError::Unopened`] when the bytes are not the render, which are never served,
    /// [`RenderStoreError::UnknownKey`] when the key is missing that it is sealed with.
    pub async fn get_render(&self, release: &ReleaseId, render_ref: RenderRef) -> Result<Render, RenderStoreError> {
        self.enabled()?.get_render(release, render_ref).await
    }

    /// Writes a render anew that a read has found missing or damaged; answers whether it was so. Asks nothing of the store
    /// otherwise.
    ///
    /// # Errors
    /// [`RenderStoreError`] when it is not known to be stored now.
    pub async fn heal(&self, release: &ReleaseId, render: &Render) -> Result<bool, RenderStoreError> {
        match self {
            Self::Disabled => Ok(false),
            Self::Enabled(store) => store.heal(release, render).await,
        }
    }

    /// Stores a render from its clear bytes, of which a few pieces are held at a time. When they have another hash,
    /// nothing is written.
    ///
    /// # Errors
    /// [`RenderStoreError`] when it is not known to be stored now.
    pub async fn put_pieces(
        &self,
        release: &ReleaseId,
        render_ref: RenderRef,
        clear: &mut dyn Pieces,
    ) -> Result<(), RenderStoreError> {
        self.enabled()?.put_pieces(release, render_ref, clear).await
    }

    /// Reads all bytes of a render, holding a few pieces at a time, and compares their hash.
    ///
    /// # Errors
    /// As [`get_render`](Self::get_render).
    pub async fn verify(&self, release: &ReleaseId, render_ref: RenderRef) -> Result<Verified, RenderStoreError> {
        self.enabled()?.verify(release, render_ref).await
    }

    /// Verifies a render, and then gives its clear bytes, piece by piece.
    ///
    /// # Errors
    /// As [`get_render`](Self::get_render).
    pub async fn pieces(
        &self,
        release: &ReleaseId,
        render_ref: RenderRef,
    ) -> Result<(Verified, StoredPieces), RenderStoreError> {
        self.enabled()?.pieces(release, render_ref).await
    }

    /// Looks at every key below a literal prefix, and reads every blob and entry.
    ///
    /// # Errors
    /// [`RenderStoreError`] when the keys cannot be listed or a blob cannot be read just now.
    pub async fn inspect(
        &self,
        prefix: &str,
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<Inspection, RenderStoreError> {
        self.enabled()?.inspect(prefix, progress).await
    }

    /// Copies every render and entry below a literal prefix into another store, which seals with its own key.
    ///
    /// # Errors
    /// [`RenderStoreError`] when the keys cannot be listed, or either store does not answer.
    pub async fn migrate_to(
        &self,
        to: &Self,
        prefix: &str,
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<Migrated, RenderStoreError> {
        self.enabled()?.migrate_to(to.enabled()?, prefix, progress).await
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

    /// As [`append_history`](Self::append_history), with one listing: answers whether the entry is new.
    ///
    /// # Errors
    /// [`RenderStoreError`] when the entry is not known to be stored.
    pub async fn record_history(
        &self,
        release: &ReleaseId,
        render_ref: RenderRef,
        summary: &str,
        now: Timestamp,
    ) -> Result<bool, RenderStoreError> {
        self.enabled()?.record_history(release, render_ref, summary, now).await
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

    /// What [`gc`](Self::gc) would delete now. Deletes nothing.
    ///
    /// # Errors
    /// [`RenderStoreError`] when a listing failed.
    pub async fn plan_gc(
        &self,
        release: &ReleaseId,
        keep: Option<i64>,
        protected: &BTreeSet<RenderRef>,
    ) -> Result<Collectable, RenderStoreError> {
        self.enabled()?.plan_gc(release, keep, protected).await
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
