//! When a failed reconcile is tried again.

use core::time::Duration;

/// `spec.syncPolicy.retryBackoff`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// Delay before the first retry.
    pub base: Duration,
    /// Each delay is the one before times this.
    pub factor: u32,
    /// Longest delay.
    pub max: Duration,
    /// Number of retries, 0 for no limit.
    pub limit: u32,
}
