//! Garbage collection: carries out what [`convoy_domain::gc`] decides.

use std::collections::BTreeSet;

use convoy_domain::gc;
use convoy_domain::history::HistoryKey;
use convoy_domain::id::ReleaseId;
use convoy_domain::render_ref::RenderRef;
use convoy_domain::store_key::{self, StoreKey};
use convoy_ports::BlobError;
use futures::stream::{self, StreamExt};

use super::{CONCURRENCY, RenderStoreError, StoredRenders};

/// What one collection did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collected {
    /// Entries of the history that were deleted.
    pub entries: usize,
    /// Blobs that were deleted.
    pub blobs: usize,
    /// Keys that this version does not know; they stay.
    pub unknown: usize,
    /// Deletions that failed; the next collection tries them again.
    pub failures: Vec<BlobError>,
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

    /// Deletes entries, oldest first; returns the ones that are really gone.
    async fn delete_entries(
        &self,
        release: &ReleaseId,
        beyond: Vec<HistoryKey>,
        collected: &mut Collected,
    ) -> BTreeSet<HistoryKey> {
        let mut deleted = BTreeSet::new();
        for entry in beyond {
            match self.blobs.delete(&store_key::history(release, &entry)).await {
                Ok(()) => {
                    deleted.insert(entry);
                }
                Err(error) => collected.failures.push(error),
            }
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
        let keys = unnamed
            .into_iter()
            .map(|render_ref| store_key::blob(release, render_ref));
        let deletions = keys.map(|key| async move {
            let answer = self.blobs.delete(&key).await;
            if answer.is_ok() {
                self.corrupt.remove(&key);
            }
            answer
        });
        let answers: Vec<_> = stream::iter(deletions).buffer_unordered(CONCURRENCY).collect().await;
        for answer in answers {
            match answer {
                Ok(()) => collected.blobs += 1,
                Err(error) => collected.failures.push(error),
            }
        }
    }
}
