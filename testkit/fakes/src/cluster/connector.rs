//! Connections to fake clusters.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use convoy_domain::cluster::ClusterRecord;
use convoy_domain::id::NamespacedName;
use convoy_ports::{Cluster, ClusterConnector, ClusterError, Impersonation};

use crate::refusals::{Refusals, Times};
use crate::sync::{interleave, lock};

use super::FakeCluster;

/// Gives the clusters that the test has put behind `Cluster` objects.
#[derive(Debug)]
pub struct FakeConnector(Mutex<State>);

#[derive(Debug)]
struct State {
    clusters: BTreeMap<NamespacedName, Arc<dyn Cluster>>,
    connected: Vec<(NamespacedName, Impersonation)>,
    refusals: Refusals<ClusterError>,
}

impl Default for FakeConnector {
    fn default() -> Self {
        Self(Mutex::new(State {
            clusters: BTreeMap::new(),
            connected: Vec::new(),
            refusals: Refusals::of(&["connect"]),
        }))
    }
}

impl FakeConnector {
    /// Reaches no cluster yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reaches one.
    #[must_use]
    pub fn with(id: &NamespacedName, cluster: &Arc<FakeCluster>) -> Self {
        let connector = Self::new();
        connector.put(id, Arc::clone(cluster) as Arc<dyn Cluster>);
        connector
    }

    /// Puts a cluster, decorated or not, behind a `Cluster` object.
    pub fn put(&self, id: &NamespacedName, cluster: Arc<dyn Cluster>) {
        lock(&self.0).clusters.insert(id.clone(), cluster);
    }

    /// Answers `error` to connections to clusters whose name contains `operand`.
    pub fn refuse(&self, operand: &str, error: ClusterError, times: Times) {
        lock(&self.0).refusals.add("connect", operand, error, times);
    }

    /// Lifts every refusal.
    pub fn lift_refusals(&self) {
        lock(&self.0).refusals.lift();
    }

    /// Who connected to what, in order.
    #[must_use]
    pub fn connected(&self) -> Vec<(NamespacedName, Impersonation)> {
        lock(&self.0).connected.clone()
    }
}

#[async_trait]
impl ClusterConnector for FakeConnector {
    async fn connect(&self, cluster: &ClusterRecord, as_: &Impersonation) -> Result<Arc<dyn Cluster>, ClusterError> {
        interleave().await;
        let mut state = lock(&self.0);
        state.refusals.check("connect", &cluster.id.to_string())?;
        state.connected.push((cluster.id.clone(), as_.clone()));
        let found = state.clusters.get(&cluster.id).cloned();
        found.ok_or_else(|| ClusterError::Unreachable {
            why: format!("nothing is behind Cluster {}", cluster.id),
        })
    }
}
