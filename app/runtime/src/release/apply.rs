//! Objects to the cluster: dry run of all, then the waves.

use std::collections::BTreeSet;
use std::sync::Arc;

use convoy_domain::condition::{Failure, Reason, Stage};
use convoy_domain::drift;
use convoy_domain::id::{NamespacedName, ObjectId};
use convoy_domain::names::label;
use convoy_domain::object::Object;
use convoy_domain::ownership::{ForeignOwner, Owner, Ownership, assess_ownership, field_manager};
use convoy_ports::{ApplyRequest, Cluster, ClusterError, ControlPlane};
use futures::StreamExt;

use super::executor::Executor;
use super::prepare::{Prepared, owner};
use crate::failures;
use crate::registry::Seen;

/// What applying one object needs, without the session.
#[derive(Clone)]
pub(crate) struct Applier {
    client: Arc<dyn Cluster>,
    control_plane: Arc<dyn ControlPlane>,
    manager: String,
    owner: Owner,
    /// Objects that the inventory holds with a UID: these we own, and may apply by force.
    recorded: BTreeSet<ObjectId>,
    /// Namespaces that the render brings.
    namespaces: BTreeSet<String>,
}

impl Applier {
    pub(crate) fn new(executor: &Executor<'_, '_>) -> Self {
        let parts = executor.inventory.iter().flatten();
        let recorded = parts
            .flat_map(|part| &part.objects)
            .filter(|entry| !entry.uid.is_empty());
        let namespaces = executor
            .prepared
            .iter()
            .filter(|object| object.id.kind == "Namespace" && object.id.group.is_empty());
        Self {
            client: executor.target.client.clone(),
            control_plane: executor.session.runtime.ports.control_plane.clone(),
            manager: field_manager(&executor.session.release.id),
            owner: owner(executor.session),
            recorded: recorded.map(|entry| entry.id.clone()).collect(),
            namespaces: namespaces.map(|object| object.id.name.clone()).collect(),
        }
    }

    /// Whether the dry run of an object says that applying it would change something.
    async fn differs(&self, prepared: &Prepared) -> Result<bool, Failure> {
        if !prepared.served {
            return Ok(true);
        }
        let fail = |error: ClusterError| failures::cluster(Stage::DryRun, &error);
        let live = self.client.get(&prepared.id, &prepared.version).await.map_err(fail)?;
        self.check_owner(live.as_ref(), &prepared.id).await?;
        match self.send(prepared, true).await {
            Ok(result) => Ok(live.is_none_or(|live| !drift::same(&live, &result))),
            Err(ClusterError::NamespaceMissing { .. }) if self.namespaces.contains(&prepared.id.namespace) => Ok(true),
            Err(error) => Err(explain(Stage::DryRun, &prepared.id, &error)),
        }
    }

    /// Applies an object, which may be somebody's or nobody's until now.
    async fn apply(&self, prepared: &Prepared) -> Result<(Seen, bool), Failure> {
        let fail = |error: ClusterError| failures::cluster(Stage::Apply, &error);
        let mut adopted = false;
        if !self.recorded.contains(&prepared.id) {
            let live = self.client.get(&prepared.id, &prepared.version).await.map_err(fail)?;
            self.check_owner(live.as_ref(), &prepared.id).await?;
            if let Some(live) = live.filter(|live| assess_ownership(Some(live), &self.owner) != Ownership::Ours) {
                self.client.take_over(&live, &self.manager).await.map_err(fail)?;
                adopted = true;
            }
        }
        match self.send(prepared, false).await {
            Ok(live) => Ok((
                Seen {
                    uid: live.uid().to_string(),
                    signature: drift::signature(&live),
                },
                adopted,
            )),
            Err(error) => Err(explain(Stage::Apply, &prepared.id, &error)),
        }
    }

    /// Server-side apply. Until the object is recorded it goes without force first, so that another owner's label
    /// is a conflict and is not overwritten; other fields of other managers are taken over.
    async fn send(&self, prepared: &Prepared, dry_run: bool) -> Result<Object, ClusterError> {
        let recorded = self.recorded.contains(&prepared.id);
        let request = ApplyRequest {
            object: &prepared.object,
            manager: &self.manager,
            force: recorded,
            dry_run,
        };
        match self.client.apply(request).await {
            Err(ClusterError::Conflict { why, .. }) if !recorded && !why.contains(label::RELEASE_UID) => {
                self.client.apply(ApplyRequest { force: true, ..request }).await
            }
            answer => answer,
        }
    }

    async fn check_owner(&self, live: Option<&Object>, id: &ObjectId) -> Result<(), Failure> {
        if live.is_some_and(|live| live.uid() == self.owner.uid) {
            let message = format!("the render holds {id}, the Release itself: it could never be deleted");
            return Err(Failure::new(Stage::Plan, Reason::Conflict, message));
        }
        let Ownership::Foreign(foreign) = assess_ownership(live, &self.owner) else {
            return Ok(());
        };
        if foreign.same_installation && self.is_gone(&foreign).await? {
            return Ok(());
        }
        Err(Failure::new(
            Stage::Plan,
            Reason::Conflict,
            format!("{id} belongs to {foreign}"),
        ))
    }

    /// Whether the Release that a label names does not exist any more.
    async fn is_gone(&self, foreign: &ForeignOwner) -> Result<bool, Failure> {
        let Some((namespace, name)) = foreign.release.split_once('/') else {
            return Ok(false);
        };
        let Ok(id) = NamespacedName::new(namespace, name) else {
            return Ok(false);
        };
        let release = self.control_plane.release(&id).await;
        let release = release.map_err(|error| failures::control_plane(Stage::Plan, &error))?;
        Ok(release.is_none_or(|release| release.uid != foreign.uid))
    }
}

/// A refusal in the words of people: a conflict on the ownership label names what it means.
fn explain(stage: Stage, id: &ObjectId, error: &ClusterError) -> Failure {
    let mut failure = failures::cluster(stage, error);
    if let ClusterError::Conflict { why, .. } = error
        && why.contains(label::RELEASE_UID)
    {
        failure = Failure::new(
            Stage::Plan,
            Reason::Conflict,
            format!("{id} belongs to another Release: {why}"),
        );
    }
    failure
}

/// Dry-runs every object; remembers which are as they should be, and answers how many differ.
pub(crate) async fn dry_run(executor: &mut Executor<'_, '_>) -> Result<u32, Failure> {
    let applier = Applier::new(executor);
    let concurrency = executor.session.runtime.settings.apply_concurrency;
    let objects = executor.prepared.clone();
    let calls: Vec<_> = objects.iter().map(|object| applier.differs(object)).collect();
    let answers: Vec<Result<bool, Failure>> = futures::stream::iter(calls).buffered(concurrency).collect().await;
    let mut failures = vec![];
    let mut differing = 0;
    for (index, answer) in answers.into_iter().enumerate() {
        match answer {
            Ok(true) => differing += 1,
            Ok(false) => {
                executor.unchanged.insert(index);
            }
            Err(failure) => failures.push(failure),
        }
    }
    first_of(failures).map_or(Ok(differing), Err)
}

/// Applies the objects of a wave that the dry run of this look did not find to be as they should.
pub(crate) async fn apply_wave(executor: &mut Executor<'_, '_>, wave: usize) -> Result<(), Failure> {
    let timeout = executor.session.release.spec.sync.timeout;
    match tokio::time::timeout(timeout, apply_groups(executor, wave)).await {
        Ok(applied) => applied,
        Err(_elapsed) => Err(Failure::new(
            Stage::Apply,
            Reason::DeployFailed,
            format!(
                "applying took longer than syncPolicy.timeout, {} s",
                timeout.as_secs_f64()
            ),
        )),
    }
}

async fn apply_groups(executor: &mut Executor<'_, '_>, wave: usize) -> Result<(), Failure> {
    super::inventory::read(executor).await?;
    let applier = Applier::new(executor);
    let concurrency = executor.session.runtime.settings.apply_concurrency;
    let objects = executor.prepared.clone();
    let groups = executor
        .work
        .waves
        .get(wave)
        .map(|wave| wave.groups.clone())
        .unwrap_or_default();
    for group in groups {
        let due: Vec<usize> = group
            .into_iter()
            .filter(|index| !executor.unchanged.contains(index))
            .collect();
        let calls: Vec<_> = due
            .iter()
            .filter_map(|index| objects.get(*index))
            .map(|object| applier.apply(object))
            .collect();
        let answers: Vec<_> = futures::stream::iter(calls).buffered(concurrency).collect().await;
        let mut failures = vec![];
        for (index, answer) in due.into_iter().zip(answers) {
            match answer {
                Ok((seen, adopted)) => {
                    executor.work.applied.insert(index, seen);
                    if adopted {
                        executor.work.adopted.insert(index);
                    }
                }
                Err(failure) => failures.push(failure),
            }
        }
        if let Some(failure) = first_of(failures) {
            return Err(failure);
        }
    }
    Ok(())
}

/// One failure that speaks for all: the first, and the number of the others. A permanent one comes before a
/// transient one, since waiting does not mend it.
fn first_of(mut failures: Vec<Failure>) -> Option<Failure> {
    failures.sort_by_key(Failure::is_transient);
    let more = failures.len().saturating_sub(1);
    let mut first = failures.into_iter().next()?;
    if more > 0 {
        first.message = format!("{} (and {more} more objects)", first.message);
    }
    Some(first)
}
