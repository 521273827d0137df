//! Garbage collection: carries out what [`convoy_domain::gc`] decides.

use std::collections::BTreeSet;

use convoy_domain::gc;
use convoy_domain::history::HistoryKey;
use convoy_domain::id::ReleaseId;
use convoy_domain::render_ref::RenderRef;
use convoy_domain::store_key::{self, StoreKey};
use convoy_ports::BlobError;

use super::{RenderStoreError, StoredRenders};

/// What one collection did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collected {
    /// Entries of the history that were deleted.
    pub entries: usize,
    /// Blobs that were deleted.
    pub blobs: usize,
    /// Entries that stay, as far as the collection has seen; 0 when there was nothing to collect.
    pub kept: usize,
    /// Keys that this version does not know; they stay.
    pub unknown: usize,
    /// Deletions that failed; the next collection tries them again.
    pub failures: Vec<BlobError>,
}

/// What a collection would delete.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collectable {
    /// Entries, oldest first.
    pub entries: Vec<HistoryKey>,
    /// Blobs.
    pub blobs: Vec<RenderRef>,
}

impl StoredRenders {
    pub(super) async fn gc<F, Fut>(
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
        let mut collected = Collected::default();
        if gc::effective_keep(keep) <= 0 {
            return Ok(collected);
        }
        let (first, _) = self.list_history_keys(release).await?;
        let Some(beyond) = gc::trim(&first, keep) else {
            return Ok(collected);
        };
        collected.kept = first.len() - beyond.len();
        let deleted = self.delete_entries(release, beyond, &mut collected).await;
        // Blobs are listed before the history is listed again, so that every blob of the list that has an entry had
        // the time to be in the history's.
        let blobs = self.list_blobs(release, &mut collected).await?;
        let (second, unknown) = self.list_history_keys(release).await?;
        collected.unknown += unknown;
        let named = gc::named(&first, &deleted, &second);
        if gc::sweep(&blobs, &named, protected).is_empty() {
            return Ok(collected);
        }
        let mut pointers = live().await.map_err(|why| RenderStoreError::PointersUnknown { why })?;
        pointers.extend(protected);
        let unnamed = gc::sweep(&blobs, &named, &pointers);
        self.delete_blobs(release, unnamed, &mut collected).await;
        Ok(collected)
    }

    /// Deletes entries; returns the ones that are really gone.
    async fn delete_entries(
        &self,
        release: &ReleaseId,
        beyond: Vec<HistoryKey>,
        collected: &mut Collected,
    ) -> BTreeSet<HistoryKey> {
        let mut deleted: BTreeSet<HistoryKey> = beyond.into_iter().collect();
        let keys = deleted.iter().map(|entry| store_key::history(release, entry)).collect();
        for (key, error) in self.blobs.delete_many(keys).await {
            collected.failures.push(error);
            deleted.retain(|entry| store_key::history(release, entry) != key);
            collected.kept += 1;
        }
        collected.entries = deleted.len();
        deleted
    }

    async fn list_blobs(
        &self,
        release: &ReleaseId,
        collected: &mut Collected,
    ) -> Result<BTreeSet<RenderRef>, RenderStoreError> {
        let listed = self.blobs.list(&store_key::blobs_prefix(release)).await;
        let listed = listed.map_err(RenderStoreError::doing("list the renders"))?;
        let all = listed.len();
        let known: BTreeSet<RenderRef> = listed
            .iter()
            .filter_map(|key| match store_key::parse(release, key) {
                StoreKey::Blob(render_ref) => Some(render_ref),
                StoreKey::History(_) | StoreKey::Unknown => None,
            })
            .collect();
        collected.unknown += all - known.len();
        Ok(known)
    }

    async fn delete_blobs(&self, release: &ReleaseId, unnamed: Vec<RenderRef>, collected: &mut Collected) {
        let keys: Vec<String> = unnamed
            .iter()
            .map(|render_ref| store_key::blob(release, *render_ref))
            .collect();
        for key in &keys {
            self.damaged.remove(key);
        }
        let failures = self.blobs.delete_many(keys).await;
        collected.blobs = unnamed.len() - failures.len();
        collected.failures.extend(failures.into_iter().map(|(_, error)| error));
    }

    pub(super) async fn plan_gc(
        &self,
        release: &ReleaseId,
        keep: Option<i64>,
        protected: &BTreeSet<RenderRef>,
    ) -> Result<Collectable, RenderStoreError> {
        let (first, _) = self.list_history_keys(release).await?;
        let Some(entries) = gc::trim(&first, keep) else {
            return Ok(Collectable::default());
        };
        let blobs = self.list_blobs(release, &mut Collected::default()).await?;
        let gone: BTreeSet<HistoryKey> = entries.iter().cloned().collect();
        let remaining = first.difference(&gone).cloned().collect();
        let named = gc::named(&first, &gone, &remaining);
        let blobs = gc::sweep(&blobs, &named, protected);
        Ok(Collectable { entries, blobs })
    }
}
