//! What a delivery that counts leads to: a stamp on its source, at most one in each `minSyncInterval`.
//!
//! A delivery that comes sooner is not forgotten: one stamp follows when the interval is over. Stamps are made one
//! after another, each from the source as it is then, so that two deliveries at once are one stamp.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use convoy_domain::source::SourceKey;
use convoy_domain::webhook::due;
use convoy_ports::{Clock, ControlPlane, ControlPlaneError};
use tokio::sync::Mutex;
use tokio::time::sleep;
use tracing::{info, warn};

/// Sources whose stamp follows later; more are left to their interval.
const WAITING: usize = 10_000;

/// Makes stamps.
#[derive(Debug)]
pub(crate) struct Stamps {
    control_plane: Arc<dyn ControlPlane>,
    clock: Arc<dyn Clock>,
    /// Sources whose stamp follows later.
    waiting: Mutex<BTreeSet<SourceKey>>,
}

impl Stamps {
    pub(crate) fn new(control_plane: Arc<dyn ControlPlane>, clock: Arc<dyn Clock>) -> Self {
        Self {
            control_plane,
            clock,
            waiting: Mutex::default(),
        }
    }

    /// Stamps a source, now or as soon as it may be.
    ///
    /// # Errors
    /// Those of the control plane; nothing follows then.
    pub(crate) async fn request(self: &Arc<Self>, key: &SourceKey) -> Result<(), ControlPlaneError> {
        let mut waiting = self.waiting.lock().await;
        if waiting.contains(key) {
            return Ok(());
        }
        let Some(left) = self.stamp(key).await? else {
            return Ok(());
        };
        if waiting.len() >= WAITING {
            warn!(source = %key, "too many webhooks wait; the source is left to its interval");
            return Ok(());
        }
        waiting.insert(key.clone());
        tokio::spawn(Arc::clone(self).later(key.clone(), left));
        Ok(())
    }

    async fn later(self: Arc<Self>, key: SourceKey, left: Duration) {
        sleep(left).await;
        let mut waiting = self.waiting.lock().await;
        waiting.remove(&key);
        // A stamp that somebody else made meanwhile is as good.
        if let Err(error) = self.stamp(&key).await {
            warn!(source = %key, %error, "cannot stamp the source that a webhook is about");
        }
    }

    /// Stamps a source that may be; answers how long it may not.
    async fn stamp(&self, key: &SourceKey) -> Result<Option<Duration>, ControlPlaneError> {
        let Some(source) = self.control_plane.source(key).await? else {
            return Ok(None);
        };
        let now = self.clock.now();
        let left = due(source.fetch_requested, now, source.min_sync_interval);
        if left.is_none() {
            self.control_plane.request_fetch(&source, now).await?;
            info!(source = %key, "a webhook asks for a look");
        }
        Ok(left)
    }
}
