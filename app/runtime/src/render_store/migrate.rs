//! From one store into another: the only way in which blobs come to be sealed anew.
//!
//! # Invariant
//! Nothing of the first store changes. In the second, the blobs of a Release come before its entries, so that at no time an
//! entry names a blob that is still to come. Running it again goes on where it ended.

use convoy_domain::id::ReleaseId;
use convoy_domain::render_ref::RenderRef;
use convoy_domain::store_key::{self, StoreKey};
use convoy_ports::{BlobError, Written};
use futures::stream::{self, StreamExt};

use super::inspect::{Finding, Problem};
use super::{CONCURRENCY, RenderStoreError, StoredRenders};

/// Copies under way at a time: each holds parts of a blob twice.
const COPIES: usize = CONCURRENCY / 4;

/// What a copy of a store has done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Migrated {
    /// Blobs that were copied.
    pub blobs: usize,
    /// Their bytes, in the clear.
    pub bytes: u64,
    /// Entries that were copied.
    pub entries: usize,
    /// Blobs and entries that were there already.
    pub present: usize,
    /// Keys that were not copied, and why.
    pub left: Vec<Finding>,
}

impl StoredRenders {
    pub(super) async fn migrate_to(
        &self,
        to: &Self,
        prefix: &str,
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<Migrated, RenderStoreError> {
        let listed = self.blobs.list(prefix).await;
        let keys = listed.map_err(RenderStoreError::doing("list the keys of the store"))?;
        let (mut migrated, mut blobs, mut entries) = (Migrated::default(), Vec::new(), Vec::new());
        for key in &keys {
            match store_key::locate(key) {
                Some((release, StoreKey::Blob(render_ref))) => blobs.push((key, release, render_ref)),
                Some((_, StoreKey::History(_))) => entries.push(key),
                Some((_, StoreKey::Unknown)) | None => migrated.leave(key, Problem::Foreign),
            }
        }
        let all = blobs.len() + entries.len();
        let mut done = 0;
        let copies = blobs
            .into_iter()
            .map(|(key, release, render_ref)| async move { (key, self.copy_blob(to, &release, render_ref).await) });
        let mut copies = stream::iter(copies).buffered(COPIES);
        while let Some((key, copied)) = copies.next().await {
            migrated.note(key, copied?);
            done += 1;
            progress(done, all);
        }
        let copies = entries
            .into_iter()
            .map(|key| async move { (key, self.copy_entry(to, key).await) });
        let mut copies = stream::iter(copies).buffered(CONCURRENCY);
        while let Some((key, copied)) = copies.next().await {
            migrated.note(key, copied?);
            done += 1;
            progress(done, all);
        }
        migrated.left.sort();
        Ok(migrated)
    }

    async fn copy_blob(
        &self,
        to: &Self,
        release: &ReleaseId,
        render_ref: RenderRef,
    ) -> Result<Copied, RenderStoreError> {
        let key = store_key::blob(release, render_ref);
        let present = to.blobs.exists(&key).await;
        if present.map_err(RenderStoreError::doing("look for the render"))? {
            return Ok(Copied::Present);
        }
        match self.pieces(release, render_ref).await {
            Ok((verified, mut pieces)) => {
                to.put_pieces(release, render_ref, &mut pieces).await?;
                Ok(Copied::Blob(verified.bytes))
            }
            Err(RenderStoreError::UnknownKey { key, .. }) => Ok(Copied::Left(Problem::UnknownKey(key))),
            Err(RenderStoreError::NotFound { .. }) => Ok(Copied::Present),
            Err(error) if error.is_damage() => Ok(Copied::Left(Problem::Corrupt(error.to_string()))),
            Err(error) => Err(error),
        }
    }

    async fn copy_entry(&self, to: &Self, key: &str) -> Result<Copied, RenderStoreError> {
        let bytes = match self.blobs.get(key).await {
            Ok(bytes) => bytes,
            Err(BlobError::NotFound { .. }) => return Ok(Copied::Present),
            Err(error) => return Err(RenderStoreError::doing("read an entry of the history")(error)),
        };
        let written = to.blobs.put_if_absent(key, bytes).await;
        Ok(match written.map_err(RenderStoreError::doing("add to the history"))? {
            Written::Created => Copied::Entry,
            Written::Existed => Copied::Present,
        })
    }
}

/// What became of one key.
enum Copied {
    Blob(u64),
    Entry,
    Present,
    Left(Problem),
}

impl Migrated {
    fn note(&mut self, key: &str, copied: Copied) {
        match copied {
            Copied::Blob(bytes) => {
                self.blobs += 1;
                self.bytes += bytes;
            }
            Copied::Entry => self.entries += 1,
            Copied::Present => self.present += 1,
            Copied::Left(problem) => self.leave(key, problem),
        }
    }

    fn leave(&mut self, key: &str, problem: Problem) {
        self.left.push(Finding {
            key: key.to_owned(),
            problem,
        });
    }
}
