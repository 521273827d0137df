//! What one store may be asked for.

use std::time::Duration;

/// Bounds of every call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Most bytes of one blob.
    pub blob_bytes: u64,
    /// Longest time of one call, the wait for its turn included. A write that was sent may still happen after it.
    pub call_timeout: Duration,
    /// Most calls at a time; others wait for their turn.
    pub concurrent_calls: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        const MIB: u64 = 1024 * 1024;
        Self {
            // The bound of a render's canonical bytes, and a margin.
            blob_bytes: 65 * MIB,
            call_timeout: Duration::from_secs(30),
            concurrent_calls: 32,
        }
    }
}
