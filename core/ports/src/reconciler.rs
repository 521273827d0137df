//! What the watch loops call.

use alloc::boxed::Box;
use core::time::Duration;

use async_trait::async_trait;
use convoy_domain::id::{NamespacedName, ReleaseId};
use convoy_domain::source::SourceKey;

/// When an object is looked at next, if nothing happens before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requeue {
    /// After this time.
    After(Duration),
    /// Only when it changes.
    OnChange,
}

/// Inbound port: one look at one object. Calls for one object never overlap; the caller sees to it.
///
/// A call never waits for anything but the answers of ports, and never fails: what went wrong is in the status.
#[async_trait]
pub trait Reconciler: Send + Sync {
    /// Looks at a Release.
    async fn release(&self, id: &ReleaseId) -> Requeue;
    /// Verifies a source.
    async fn source(&self, key: &SourceKey) -> Requeue;
    /// Reaches for a Cluster.
    async fn cluster(&self, id: &NamespacedName) -> Requeue;
}
