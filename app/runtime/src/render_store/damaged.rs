//! What reads have shown to be wrong, until it is mended.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// Keys of blobs that are missing or whose bytes are wrong, to be written anew when the render is at hand.
#[derive(Debug, Default)]
pub(super) struct DamagedBlobs(Mutex<BTreeSet<String>>);

impl DamagedBlobs {
    /// Most keys remembered; a further one is found again by the next read.
    const MOST: usize = 10_000;

    pub(super) fn add(&self, key: &str) {
        let mut keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if keys.len() < Self::MOST {
            keys.insert(key.to_owned());
        }
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(key)
    }

    pub(super) fn remove(&self, key: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
    }
}
