//! What the process remembers of Releases between two looks. All of it can be lost: it only saves work.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use convoy_domain::Timestamp;
use convoy_domain::artifact::Revision;
use convoy_domain::cluster::{ClusterFacts, ClusterRecord};
use convoy_domain::drift::Signature;
use convoy_domain::id::{ObjectId, ReleaseId};
use convoy_domain::render::Render;
use convoy_domain::render_ref::RenderRef;
use convoy_domain::wave::Wave;

use crate::release::Prepared;

/// A render at hand: kept while its rollout is under way, so that a look at a gate renders nothing.
#[derive(Clone, Debug)]
pub(crate) struct Work {
    /// What it was made from.
    pub(crate) fingerprint: String,
    /// Revision of the source as people see it (of the pinned render: empty, since the store does not say).
    pub(crate) revision: Revision,
    /// The same in full.
    pub(crate) source: String,
    /// Revisions of the layers of values.
    pub(crate) values: Vec<String>,
    /// The effective render.
    pub(crate) render: Arc<Render>,
    /// Its waves.
    pub(crate) waves: Arc<[Wave]>,
    /// Its objects as they are sent to the cluster, once prepared.
    pub(crate) prepared: Option<Arc<[Prepared]>>,
    /// UID and signature of the objects that this process has applied, by index.
    pub(crate) applied: BTreeMap<usize, Seen>,
    /// Objects that existed without being ours when this process applied them.
    pub(crate) adopted: BTreeSet<usize>,
    /// What is said of it in `status.warnings`.
    pub(crate) warnings: Vec<String>,
}

/// A live object as it was seen right after its apply.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// `metadata.uid`.
    pub(crate) uid: String,
    /// What is desired of it.
    pub(crate) signature: Signature,
}

/// What was on the cluster when the render was last seen to be in force.
#[derive(Clone, Debug)]
pub(crate) struct InForce {
    /// What the render was made from.
    pub(crate) fingerprint: String,
    /// The render.
    pub(crate) render_ref: RenderRef,
    /// Its objects, the version to read each with, and what was desired of it.
    pub(crate) objects: BTreeMap<ObjectId, (String, Signature)>,
}

/// What is remembered of one Release.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memo {
    /// The rollout's render.
    pub(crate) work: Option<Work>,
    /// The render in force.
    pub(crate) in_force: Option<InForce>,
    /// The render that was seen to be stored since it came into force.
    pub(crate) ensured: Option<RenderRef>,
}

/// What clusters said of themselves lately, by uid and generation of the Cluster and by the caller: one answer serves
/// every Release of a cluster, but no caller gets what another was allowed to see.
#[derive(Debug, Default)]
pub(crate) struct KnownClusters(Mutex<HashMap<ClusterKey, (ClusterFacts, Timestamp)>>);

/// Uid and generation of a Cluster, and the caller.
type ClusterKey = (String, i64, String);

impl KnownClusters {
    /// How long an answer to "who are you" is good for.
    const AGE: Duration = Duration::from_secs(10);
    /// Clusters remembered, at most; all are asked again beyond it.
    const MOST: usize = 10_000;

    /// The answer, if it is fresh.
    pub(crate) fn get(&self, cluster: &ClusterRecord, caller: &str, now: Timestamp) -> Option<ClusterFacts> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (facts, asked) = known.get(&Self::key(cluster, caller))?;
        let age = Duration::try_from(now.duration_since(*asked)).ok()?;
        (age < Self::AGE).then(|| facts.clone())
    }

    /// Remembers an answer.
    pub(crate) fn put(&self, cluster: &ClusterRecord, caller: &str, facts: &ClusterFacts, now: Timestamp) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= Self::MOST {
            known.clear();
        }
        known.insert(Self::key(cluster, caller), (facts.clone(), now));
    }

    fn key(cluster: &ClusterRecord, caller: &str) -> ClusterKey {
        (cluster.uid.clone(), cluster.generation, caller.to_string())
    }
}

/// Memos of all Releases.
#[derive(Debug, Default)]
pub(crate) struct Registry(Mutex<HashMap<ReleaseId, Memo>>);

impl Registry {
    /// Takes the memo out; looks at one Release never overlap.
    pub(crate) fn take(&self, id: &ReleaseId) -> Memo {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(id)
            .unwrap_or_default()
    }

    /// Puts the memo back.
    pub(crate) fn put(&self, id: &ReleaseId, memo: Memo) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(id.clone(), memo);
    }

    /// Forgets a Release that is gone.
    pub(crate) fn forget(&self, id: &ReleaseId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
    }
}
