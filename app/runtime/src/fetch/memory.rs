//! Artifacts in memory.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use convoy_domain::artifact::Artifact;
use convoy_domain::sharing::ArtifactKey;
use convoy_ports::{ArtifactStore, ArtifactStoreError, StoreUsage};

/// What one file takes besides its path and content, about.
const OVERHEAD: u64 = 64;

/// Keeps the artifacts that were used last, up to a number of bytes.
///
/// One that somebody holds makes no room, since nothing would be freed; when all that is kept is held, a new one is not
/// kept.
#[derive(Debug)]
pub struct MemoryStore {
    bound: u64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    clock: u64,
    stored: HashMap<ArtifactKey, Stored>,
    usage: StoreUsage,
}

#[derive(Debug)]
struct Stored {
    artifact: Artifact,
    bytes: u64,
    used: u64,
}

impl MemoryStore {
    /// An empty store that never holds more than `bound` bytes.
    #[must_use]
    pub fn new(bound: u64) -> Self {
        Self {
            bound,
            state: Mutex::default(),
        }
    }

    /// Whether an artifact is kept; no use of it is counted.
    #[must_use]
    pub fn holds(&self, key: &ArtifactKey) -> bool {
        self.lock().stored.contains_key(key)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }

    fn remove(&mut self, key: &ArtifactKey) -> bool {
        let Some(gone) = self.stored.remove(key) else {
            return false;
        };
        self.usage.bytes -= gone.bytes;
        true
    }

    /// Lets go of what was used longest ago and is not held, until `bytes` more fit into `bound`. Nothing goes when
    /// that is not enough.
    fn make_room(&mut self, bytes: u64, bound: u64) -> bool {
        let Some(most) = bound.checked_sub(bytes) else {
            return false;
        };
        let mut excess = self.usage.bytes.saturating_sub(most);
        let mut idle: Vec<(u64, u64, ArtifactKey)> = Vec::new();
        if excess > 0 {
            let unused = self.stored.iter().filter(|(_, stored)| !stored.is_held());
            idle.extend(unused.map(|(key, stored)| (stored.used, stored.bytes, key.clone())));
            idle.sort_unstable_by_key(|(used, ..)| *used);
        }
        let mut going = Vec::new();
        for (_, bytes, key) in idle {
            if excess == 0 {
                break;
            }
            excess = excess.saturating_sub(bytes);
            going.push(key);
        }
        if excess > 0 {
            return false;
        }
        for key in going {
            self.usage.evictions += u64::from(self.remove(&key));
        }
        true
    }
}

impl Stored {
    /// Whether somebody else has the files, too.
    fn is_held(&self) -> bool {
        Arc::strong_count(&self.artifact.files) > 1
    }
}

/// What an artifact takes, about.
fn bytes_of(artifact: &Artifact) -> u64 {
    let files = artifact.files.iter();
    files
        .map(|(path, content)| (path.len() + content.len()) as u64 + OVERHEAD)
        .sum()
}

#[async_trait]
impl ArtifactStore for MemoryStore {
    async fn get(&self, key: &ArtifactKey) -> Result<Option<Artifact>, ArtifactStoreError> {
        let mut state = self.lock();
        let now = state.tick();
        let found = state.stored.get_mut(key).map(|stored| {
            stored.used = now;
            stored.artifact.clone()
        });
        match found {
            Some(_) => state.usage.hits += 1,
            None => state.usage.misses += 1,
        }
        Ok(found)
    }

    async fn put(&self, key: &ArtifactKey, artifact: &Artifact) -> Result<bool, ArtifactStoreError> {
        let bytes = bytes_of(artifact);
        let mut state = self.lock();
        state.remove(key);
        if !state.make_room(bytes, self.bound) {
            return Ok(false);
        }
        let stored = Stored {
            artifact: artifact.clone(),
            bytes,
            used: state.tick(),
        };
        state.usage.bytes += bytes;
        state.stored.insert(key.clone(), stored);
        Ok(true)
    }

    fn usage(&self) -> StoreUsage {
        let state = self.lock();
        StoreUsage {
            entries: state.stored.len() as u64,
            ..state.usage
        }
    }
}
