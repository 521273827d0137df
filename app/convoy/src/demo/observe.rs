//! What is on the demo's cluster: Releases, and their objects with health.

use std::sync::Arc;

use convoy_domain::health::{Health, assess};
use convoy_domain::id::{NamespacedName, ReleaseId};
use convoy_domain::inventory;
use convoy_domain::names::{GATE_WAIT, annotation};
use convoy_domain::release::Release;
use convoy_ports::{Cluster, ClusterConnector, ControlPlane, Impersonation};

use crate::failure::Failure;
use crate::release_tree::{self, Seen};
use crate::tree::Node;

/// Reads through the controller's own ports.
#[derive(Clone, Debug)]
pub(super) struct Observer {
    pub(super) control_plane: Arc<dyn ControlPlane>,
    pub(super) clusters: Arc<dyn ClusterConnector>,
}

impl Observer {
    /// A Release, which must exist.
    pub(super) async fn release(&self, id: &ReleaseId) -> Result<Release, Failure> {
        let release = self
            .control_plane
            .release(id)
            .await
            .map_err(|error| Failure::new(format!("cannot read Release `{id}`")).because(&error))?;
        release.ok_or_else(|| Failure::new(format!("Release `{id}` is gone")))
    }

    /// All Releases.
    pub(super) async fn releases(&self) -> Result<Vec<ReleaseId>, Failure> {
        self.control_plane
            .releases()
            .await
            .map_err(|error| Failure::new("cannot list Releases").because(&error))
    }

    /// A Release as a tree, with the health of its objects now.
    pub(super) async fn tree(&self, release: &Release) -> Result<Node, Failure> {
        let parts =
            self.control_plane.inventory(&release.id).await.map_err(|error| {
                Failure::new(format!("cannot read the inventory of `{}`", release.id)).because(&error)
            })?;
        let mut seen = Vec::new();
        let cluster = self.cluster(release).await?;
        for entry in inventory::entries(&parts) {
            let live = match &cluster {
                Some(cluster) => cluster
                    .get(&entry.id, &entry.version)
                    .await
                    .map_err(|error| Failure::new(format!("cannot read {}", entry.id)).because(&error))?,
                None => None,
            };
            let health = live.as_ref().map_or_else(Health::missing, assess);
            let gate = live
                .as_ref()
                .and_then(|object| object.annotation(annotation::WAVE_GATE));
            seen.push(Seen {
                wave: entry.wave,
                gated: gate == Some(GATE_WAIT),
                object: entry.id.to_string(),
                health: health.state.to_string(),
                message: health.message,
            });
        }
        Ok(release_tree::node(release, &seen))
    }

    async fn cluster(&self, release: &Release) -> Result<Option<Arc<dyn Cluster>>, Failure> {
        let name = &release.spec.cluster;
        let what = || format!("cannot reach Cluster `{name}`");
        let id =
            NamespacedName::new(release.id.namespace(), name).map_err(|error| Failure::new(what()).because(&error))?;
        let record = self
            .control_plane
            .cluster(&id)
            .await
            .map_err(|error| Failure::new(what()).because(&error))?;
        let Some(record) = record else { return Ok(None) };
        let cluster = self
            .clusters
            .connect(&record, &Impersonation::None)
            .await
            .map_err(|error| Failure::new(what()).because(&error))?;
        Ok(Some(cluster))
    }
}
