//! Locks that survive a simulated crash, and a point at which tasks interleave.

use std::future::poll_fn;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Poll;

/// Locks; a holder that panicked leaves whole state behind, because no fake awaits or fails between two writes.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Gives other tasks a turn, as a call over a network does.
pub(crate) async fn interleave() {
    let mut pending = true;
    poll_fn(|context| {
        if pending {
            pending = false;
            context.waker().wake_by_ref();
            Poll::Pending
        } else {
            Poll::Ready(())
        }
    })
    .await;
}
