//! Steps for work that borrows the heap: walks, comparisons and copies of whole values.
//!
//! # Invariant
//! The cancel flag is looked at each [`CANCEL_INTERVAL`] steps, as a context does.

use alloc::sync::Arc;
use core::sync::atomic::{AtomicBool, Ordering};

use crate::Limit;

/// How many steps pass between two looks at the cancel flag.
pub(crate) const CANCEL_INTERVAL: u64 = 1_024;

/// Steps that are left of a context's.
#[derive(Clone, Debug)]
pub struct Meter {
    left: u64,
    limit: u64,
    cancel: Option<Arc<AtomicBool>>,
}

impl Meter {
    pub(crate) fn new(left: u64, limit: u64, cancel: Option<Arc<AtomicBool>>) -> Self {
        Self { left, limit, cancel }
    }

    /// A meter that nothing uses up.
    #[must_use]
    pub fn endless() -> Self {
        Self::new(u64::MAX, u64::MAX, None)
    }

    pub(crate) fn left(&self) -> u64 {
        self.left
    }

    /// Pays for `steps` steps.
    ///
    /// # Errors
    /// When none are left, or the cancel flag is up.
    pub fn spend(&mut self, steps: u64) -> Result<(), Limit> {
        let before = self.left;
        let Some(left) = before.checked_sub(steps) else {
            self.left = 0;
            return Err(Limit::Steps(self.limit));
        };
        self.left = left;
        if before / CANCEL_INTERVAL != left / CANCEL_INTERVAL
            && self.cancel.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
        {
            return Err(Limit::Cancelled);
        }
        Ok(())
    }
}
