//! What the exchanges of one call with one server share, whatever protocol carries them.
//!
//! # Invariant
//! A wait ends at the signal of [`Cancel`], and the first error is kept as it was before the git library wrapped it.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use convoy_ports::FetchError;
use convoy_web::Site;
use tokio::runtime::Handle;

use crate::cancel::Cancel;

/// Bytes of an answer that is not a pack: capabilities and refs.
pub(crate) const ANSWER_BYTES: u64 = 64 * 1024 * 1024;

/// One server, in one call.
#[derive(Clone, Debug)]
pub(crate) struct Wire {
    pub(crate) runtime: Handle,
    pub(crate) cancel: Cancel,
    pub(crate) site: Site,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    /// The first error.
    fault: Mutex<Option<FetchError>>,
    /// How many bytes the next answer may have.
    limit: AtomicU64,
    /// How many of them came, where answers have no frame of their own.
    received: AtomicU64,
}

impl Wire {
    pub(crate) fn new(runtime: Handle, cancel: Cancel, site: Site) -> Self {
        Self {
            runtime,
            cancel,
            site,
            shared: Arc::new(Shared {
                fault: Mutex::new(None),
                limit: AtomicU64::new(ANSWER_BYTES),
                received: AtomicU64::new(0),
            }),
        }
    }

    /// Takes the first error since the last call.
    pub(crate) fn take_fault(&self) -> Option<FetchError> {
        lock(&self.shared.fault).take()
    }

    /// Bounds the answers that follow.
    pub(crate) fn limit_answers(&self, bytes: u64) {
        self.shared.limit.store(bytes, Ordering::Relaxed);
        self.shared.received.store(0, Ordering::Relaxed);
    }

    /// The bound of the answer that comes.
    pub(crate) fn limit(&self) -> u64 {
        self.shared.limit.load(Ordering::Relaxed)
    }

    /// Counts bytes that came since the last [`Self::limit_answers`].
    pub(crate) fn count(&self, bytes: usize) -> io::Result<()> {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        let before = self.shared.received.fetch_add(bytes, Ordering::Relaxed);
        self.check(before.saturating_add(bytes), self.limit())
    }

    /// Fails when more than `limit` bytes were received.
    pub(crate) fn check(&self, received: u64, limit: u64) -> io::Result<()> {
        if received > limit {
            return Err(self.fail(self.site.limit(format!("{limit} bytes received"))));
        }
        Ok(())
    }

    /// Keeps `fault`, and gives what the git library wraps.
    pub(crate) fn fail(&self, fault: FetchError) -> io::Error {
        let error = io::Error::other(fault.clone());
        lock(&self.shared.fault).get_or_insert(fault);
        error
    }

    /// Waits for `work` or for the signal.
    pub(crate) fn wait<T>(&self, work: impl Future<Output = Result<T, FetchError>>) -> io::Result<T> {
        let done = self.runtime.block_on(async {
            tokio::select! {
                biased;
                () = self.cancel.raised() => None,
                done = work => Some(done),
            }
        });
        match done {
            Some(Ok(value)) => Ok(value),
            Some(Err(fault)) => Err(self.fail(fault)),
            // The asynchronous half has its own words for it.
            None => Err(io::Error::other("ended by the caller")),
        }
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_passes_the_bound_of_an_answer_is_the_first_fault() {
        let url = reqwest::Url::parse("https://example.com/a.git").unwrap();
        let wire = Wire::new(Handle::current(), Cancel::default(), Site::of(&url));
        wire.limit_answers(10);
        assert!(wire.count(6).is_ok());
        assert!(wire.count(4).is_ok());
        assert!(wire.count(1).is_err());
        let _ = wire.fail(wire.site.unreachable("later"));
        let fault = wire.take_fault();
        assert!(
            matches!(&fault, Some(FetchError::Limit { limit, .. }) if limit == "10 bytes received"),
            "{fault:?}"
        );
        wire.limit_answers(10);
        assert!(wire.count(10).is_ok(), "each answer is counted by itself");
        assert!(wire.count(usize::MAX).is_err());
    }
}
