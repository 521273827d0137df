//! A signal that ends the blocking half of a call.
//!
//! The asynchronous half raises it at the deadline, and when its future is dropped; the blocking half looks at it
//! between steps and wakes up from every wait on the network.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// Shared by both halves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cancel(Arc<State>);

#[derive(Debug, Default)]
struct State {
    raised: AtomicBool,
    waiters: Notify,
}

impl Cancel {
    pub(crate) fn raise(&self) {
        self.0.raised.store(true, Ordering::SeqCst);
        self.0.waiters.notify_waiters();
    }

    pub(crate) fn is_raised(&self) -> bool {
        self.0.raised.load(Ordering::SeqCst)
    }

    /// The flag that the git library looks at.
    pub(crate) fn flag(&self) -> &AtomicBool {
        &self.0.raised
    }

    /// Ends when the signal is raised.
    pub(crate) async fn raised(&self) {
        loop {
            let notified = self.0.waiters.notified();
            tokio::pin!(notified);
            // From here on a notification is not missed, so that the flag is looked at after it.
            notified.as_mut().enable();
            if self.is_raised() {
                return;
            }
            notified.await;
        }
    }
}

/// Raises the signal when it is dropped.
#[derive(Debug)]
pub(crate) struct RaiseOnDrop(pub(crate) Cancel);

impl Drop for RaiseOnDrop {
    fn drop(&mut self) {
        self.0.raise();
    }
}
