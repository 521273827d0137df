//! The time for what Kubernetes wants stamped: events and the condition of an object that cannot be read. No decision
//! depends on it.

use std::time::{SystemTime, UNIX_EPOCH};

use convoy_domain::Timestamp;

/// The present time, to the second, as Kubernetes writes it.
pub(crate) fn now() -> Timestamp {
    let seconds = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |elapsed| elapsed.as_secs());
    i64::try_from(seconds)
        .ok()
        .and_then(|seconds| Timestamp::from_second(seconds).ok())
        .unwrap_or(Timestamp::UNIX_EPOCH)
}
