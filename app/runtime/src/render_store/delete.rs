//! The end of a Release: all of its keys go.

use convoy_domain::id::ReleaseId;
use convoy_domain::store_key;
use convoy_ports::BlobError;

use super::{RenderStoreError, StoredRenders};

impl StoredRenders {
    pub(super) async fn holds_keys(&self, release: &ReleaseId) -> Result<bool, RenderStoreError> {
        Ok(!self.keys_of(release).await?.is_empty())
    }

    pub(super) async fn delete_release(&self, release: &ReleaseId) -> Result<(), RenderStoreError> {
        let keys = self.keys_of(release).await?;
        if keys.is_empty() {
            return Ok(());
        }
        let history = store_key::history_prefix(release);
        let (entries, others): (Vec<String>, Vec<String>) = keys.into_iter().partition(|key| key.starts_with(&history));
        // Entries first: at no time does one name a blob that is gone.
        let mut failures = self.delete_keys(entries).await;
        if failures.is_empty() {
            failures = self.delete_keys(others).await;
        }
        if let Some((key, first)) = failures.first() {
            return Err(RenderStoreError::NotDeleted {
                remaining: failures.len(),
                key: key.clone(),
                why: first.to_string(),
                transient: failures.iter().all(|(_, error)| error.is_transient()),
            });
        }
        match self.keys_of(release).await?.first() {
            None => Ok(()),
            Some(key) => Err(RenderStoreError::NotDeleted {
                remaining: 1,
                key: key.clone(),
                why: "it is listed although it was deleted, or was written since".to_owned(),
                transient: true,
            }),
        }
    }

    async fn keys_of(&self, release: &ReleaseId) -> Result<Vec<String>, RenderStoreError> {
        let prefix = store_key::prefix(release);
        let listed = self.blobs.list(&prefix).await;
        let mut keys = listed.map_err(RenderStoreError::doing("list the keys of the Release"))?;
        // A store that answers more than it was asked for must not cost another Release its keys.
        keys.retain(|key| key.starts_with(&prefix));
        Ok(keys)
    }

    async fn delete_keys(&self, keys: Vec<String>) -> Vec<(String, BlobError)> {
        for key in &keys {
            self.damaged.remove(key);
        }
        self.blobs.delete_many(keys).await
    }
}
