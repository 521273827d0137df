//! Counters of a store's calls.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use convoy_ports::{BlobError, CallTotal, StoreCalls};

/// Totals by kind and answer.
#[derive(Debug, Default)]
pub(crate) struct Calls(Mutex<StoreCalls>);

impl Calls {
    /// Counts one call that has ended.
    pub(crate) fn count<T>(&self, kind: &'static str, answer: &Result<T, BlobError>, bytes: u64, time: Duration) {
        let answer = answer.as_ref().map_or_else(BlobError::kind, |_| "ok");
        let mut calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let total: &mut CallTotal = calls.totals.entry((kind, answer)).or_default();
        total.calls += 1;
        total.bytes += bytes;
        total.time += time;
    }

    /// As they are now.
    pub(crate) fn now(&self, requests: u64) -> StoreCalls {
        let calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        StoreCalls {
            requests,
            ..calls.clone()
        }
    }
}
