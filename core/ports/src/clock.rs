//! Time.

use convoy_domain::Timestamp;

/// Says what time it is.
pub trait Clock: Send + Sync + core::fmt::Debug {
    /// The present time, which may step back.
    fn now(&self) -> Timestamp;
}
