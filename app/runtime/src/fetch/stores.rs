//! Where artifacts are kept: in memory, and on a disk if there is one.

use std::sync::Arc;

use convoy_domain::artifact::Artifact;
use convoy_domain::sharing::ArtifactKey;
use convoy_ports::{ArtifactStore, ArtifactStoreError, StoreUsage};
use tracing::warn;

use super::memory::MemoryStore;

/// Both tiers. What is wrong with a store is said in the log and costs a download.
#[derive(Debug)]
pub(super) struct Stores {
    memory: MemoryStore,
    disk: Option<Arc<dyn ArtifactStore>>,
}

impl Stores {
    pub(super) fn new(bytes: u64, disk: Option<Arc<dyn ArtifactStore>>) -> Self {
        Self {
            memory: MemoryStore::new(bytes),
            disk,
        }
    }

    /// The artifact, from memory, else from the disk and then in memory, too.
    pub(super) async fn get(&self, key: &ArtifactKey) -> Option<Artifact> {
        if let Some(found) = heard(self.memory.get(key).await) {
            return Some(found);
        }
        let found = heard(self.disk_for(key)?.get(key).await)?;
        heard(self.memory.put(key, &found).await.map(Some));
        Some(found)
    }

    /// Keeps an artifact where it has room.
    pub(super) async fn put(&self, key: &ArtifactKey, artifact: &Artifact) {
        heard(self.memory.put(key, artifact).await.map(Some));
        if let Some(disk) = self.disk_for(key) {
            heard(disk.put(key, artifact).await.map(Some));
        }
    }

    /// Whether memory has it; no use of it is counted.
    pub(super) fn remembers(&self, key: &ArtifactKey) -> bool {
        self.memory.holds(key)
    }

    /// Counters of memory and disk.
    pub(super) fn usage(&self) -> (StoreUsage, Option<StoreUsage>) {
        (self.memory.usage(), self.disk.as_ref().map(|disk| disk.usage()))
    }

    fn disk_for(&self, key: &ArtifactKey) -> Option<&Arc<dyn ArtifactStore>> {
        self.disk.as_ref().filter(|_| key.lasts())
    }
}

fn heard<T>(answer: Result<Option<T>, ArtifactStoreError>) -> Option<T> {
    answer.unwrap_or_else(|error| {
        warn!(%error, "an artifact is fetched again");
        None
    })
}
