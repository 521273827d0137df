//! The history: which renders were applied, in the order of their first full apply.

use std::collections::BTreeSet;

use convoy_domain::Timestamp;
use convoy_domain::history::{HistoryEntry, HistoryKey, next_time};
use convoy_domain::id::ReleaseId;
use convoy_domain::render_ref::RenderRef;
use convoy_domain::store_key::{self, StoreKey};
use convoy_ports::{BlobError, Written};
use futures::stream::{self, StreamExt, TryStreamExt};

use super::{CONCURRENCY, RenderStoreError, StoredRenders};

/// Most entries that are read at once.
const READ_AT_MOST: usize = 1_000;
/// Listings before a key that exists, and that listings miss, is taken for the entry.
const LISTINGS: usize = 3;

/// The entry of a render after it was asked for.
enum Added {
    /// Written now.
    New(HistoryEntry),
    /// It has this key.
    Listed(HistoryKey),
    /// Its key exists, and listings miss it.
    Unlisted(HistoryEntry),
}

impl StoredRenders {
    /// The keys of the history; keys that are none are left out.
    pub(super) async fn history_keys(&self, release: &ReleaseId) -> Result<BTreeSet<HistoryKey>, RenderStoreError> {
        Ok(self.list_history_keys(release).await?.0)
    }

    /// The keys of the history, and how many others are among them.
    pub(super) async fn list_history_keys(
        &self,
        release: &ReleaseId,
    ) -> Result<(BTreeSet<HistoryKey>, usize), RenderStoreError> {
        let listed = self.blobs.list(&store_key::history_prefix(release)).await;
        let listed = listed.map_err(RenderStoreError::doing("list the history"))?;
        let all = listed.len();
        let known: BTreeSet<HistoryKey> = listed
            .iter()
            .filter_map(|key| match store_key::parse(release, key) {
                StoreKey::History(key) => Some(key),
                StoreKey::Blob(_) | StoreKey::Unknown => None,
            })
            .collect();
        let unknown = all - known.len();
        Ok((known, unknown))
    }

    pub(super) async fn has_history_ref(
        &self,
        release: &ReleaseId,
        render_ref: RenderRef,
    ) -> Result<bool, RenderStoreError> {
        let keys = self.history_keys(release).await?;
        Ok(keys.iter().any(|key| key.render() == render_ref))
    }

    pub(super) async fn append_history(
        &self,
        release: &ReleaseId,
        render_ref: RenderRef,
        summary: &str,
        now: Timestamp,
    ) -> Result<HistoryEntry, RenderStoreError> {
        match self.add(release, render_ref, summary, now).await? {
            Added::New(entry) | Added::Unlisted(entry) => Ok(entry),
            Added::Listed(key) => {
                let entry = self.read_entry(release, key.clone()).await?;
                // Gone since it was listed: what its key said still holds.
                Ok(entry.unwrap_or_else(|| HistoryEntry::new(key, summary)))
            }
        }
    }

    pub(super) async fn record_history(
        &self,
        release: &ReleaseId,
        render_ref: RenderRef,
        summary: &str,
        now: Timestamp,
    ) -> Result<bool, RenderStoreError> {
        let added = self.add(release, render_ref, summary, now).await?;
        Ok(matches!(added, Added::New(_)))
    }

    /// Lists, and writes an entry when the render has none.
    async fn add(
        &self,
        release: &ReleaseId,
        render_ref: RenderRef,
        summary: &str,
        now: Timestamp,
    ) -> Result<Added, RenderStoreError> {
        let time_error = |cause| RenderStoreError::Time { cause };
        let mut unlisted = None;
        for _ in 0..LISTINGS {
            let keys = self.history_keys(release).await?;
            if let Some(key) = keys.iter().find(|key| key.render() == render_ref) {
                return Ok(Added::Listed(key.clone()));
            }
            let time = next_time(now, keys.last().map(HistoryKey::time)).map_err(time_error)?;
            let key = HistoryKey::new(time, render_ref).map_err(time_error)?;
            let entry = HistoryEntry::new(key, summary);
            let path = store_key::history(release, &entry.key);
            let written = self.blobs.put_if_absent(&path, entry.to_bytes()).await;
            match written.map_err(RenderStoreError::doing("add to the history"))? {
                Written::Created => return Ok(Added::New(entry)),
                Written::Existed => unlisted = Some(entry),
            }
        }
        // The key that exists names this very render: it is recorded, whatever listings say.
        unlisted
            .map(Added::Unlisted)
            .ok_or(RenderStoreError::NotFound { render_ref })
    }

    pub(super) async fn list_history(&self, release: &ReleaseId) -> Result<Vec<HistoryEntry>, RenderStoreError> {
        let keys = self.history_keys(release).await?;
        let skip = keys.len().saturating_sub(READ_AT_MOST);
        let newest: Vec<HistoryKey> = keys.into_iter().skip(skip).collect();
        let reads = newest.into_iter().map(|key| self.read_entry(release, key));
        stream::iter(reads)
            .buffered(CONCURRENCY)
            .try_filter_map(|entry| std::future::ready(Ok(entry)))
            .try_collect()
            .await
    }

    /// The entry under a listed key; `None` when it is gone since. One that cannot be understood has what its key says.
    async fn read_entry(&self, release: &ReleaseId, key: HistoryKey) -> Result<Option<HistoryEntry>, RenderStoreError> {
        let bytes = match self.blobs.get(&store_key::history(release, &key)).await {
            Ok(bytes) => bytes,
            Err(BlobError::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(RenderStoreError::doing("read an entry of the history")(error)),
        };
        Ok(Some(HistoryEntry::from_bytes(key.clone(), &bytes).unwrap_or_else(
            |error| HistoryEntry::new(key, &format!("the entry is damaged: {error}")),
        )))
    }
}
