//! The inventory around a sync: union before the apply, prune, exact after it.

use std::collections::BTreeSet;

use convoy_domain::condition::{Failure, Reason, Stage};
use convoy_domain::id::ObjectId;
use convoy_domain::inventory::{self, InventoryEntry, InventoryOwner, InventoryPart};
use convoy_domain::prune::{Deletion, Kept, PruneInputs, PrunePlan, assess_deletion, plan_prune};
use convoy_domain::status::InventorySummary;
use convoy_ports::{ClusterError, DeleteRequest};
use tracing::info;

use super::executor::Executor;
use super::prepare::owner;
use super::session::Session;
use crate::failures;
use crate::target::Target;

/// What deleting one object came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It is not there, or is not ours any more: the inventory may forget it.
    Forget,
    /// It is on its way.
    Pending,
    /// It stays, and stays recorded.
    Stays,
}

/// Reads all parts and checks that none is missing and that they speak of this cluster.
pub(crate) async fn parts(session: &Session<'_>, target: &Target) -> Result<Vec<InventoryPart>, Failure> {
    let parts = session.runtime.ports.control_plane.inventory(&session.release.id).await;
    let mut parts = parts.map_err(|error| failures::control_plane(Stage::Plan, &error))?;
    // A part of an earlier owner of the name is on its way out with that owner.
    parts.retain(|part| part.release_uid == session.release.uid);
    let recorded = session.status.inventory.as_ref();
    inventory::check_complete(&parts, recorded)?;
    check_emptied(&parts, recorded)?;
    let accepted = session.release.annotations.accept_cluster.as_deref();
    inventory::check_cluster(&parts, recorded, &target.facts.cluster_id, accepted)?;
    Ok(parts)
}

/// A record that was emptied by hand says nothing of what is on the cluster.
fn check_emptied(parts: &[InventoryPart], recorded: Option<&InventorySummary>) -> Result<(), Failure> {
    let objects = recorded.map_or(0, |recorded| recorded.objects);
    if objects == 0 || inventory::entries(parts).next().is_some() {
        return Ok(());
    }
    Err(Failure::new(
        Stage::Plan,
        Reason::InventoryIncomplete,
        format!("the inventory is empty, but {objects} objects were recorded: nothing is pruned or deleted without it"),
    ))
}

/// Reads the inventory once in a look.
pub(crate) async fn read(executor: &mut Executor<'_, '_>) -> Result<(), Failure> {
    if executor.inventory.is_none() {
        executor.inventory = Some(parts(executor.session, executor.target).await?);
    }
    Ok(())
}

/// Stops a sync that would prune too much, before its dry run.
pub(crate) async fn guard(executor: &mut Executor<'_, '_>) -> Result<(), Failure> {
    read(executor).await?;
    plan(executor).map(|_| ())
}

fn plan(executor: &Executor<'_, '_>) -> Result<PrunePlan, Failure> {
    let session = &*executor.session;
    let entries: Vec<InventoryEntry> = recorded(executor).cloned().collect();
    Ok(plan_prune(&PruneInputs {
        inventory: &entries,
        render: &identities(executor),
        render_ref: executor.work.render.render_ref(),
        policy: session.release.spec.sync.prune,
        allow_prune: session.release.annotations.allow_prune.as_deref(),
        convoy_namespace: &session.runtime.settings.own_namespace,
    })?)
}

/// Objects that the inventory holds now.
fn recorded<'e>(executor: &'e Executor<'_, '_>) -> impl Iterator<Item = &'e InventoryEntry> {
    executor.inventory.iter().flat_map(|parts| inventory::entries(parts))
}

fn identities(executor: &Executor<'_, '_>) -> BTreeSet<ObjectId> {
    executor.prepared.iter().map(|object| object.id.clone()).collect()
}

/// Records everything that will be applied.
pub(crate) async fn save_union(executor: &mut Executor<'_, '_>) -> Result<(), Failure> {
    read(executor).await?;
    let planned: Vec<InventoryEntry> = (0..executor.prepared.len())
        .filter_map(|index| entry(executor, index))
        .collect();
    let changed = inventory::union(
        executor.inventory.as_deref().unwrap_or_default(),
        &planned,
        &inventory_owner(executor),
    );
    write(executor, changed).await
}

/// Records what is there now, with UIDs, and forgets what was pruned.
pub(crate) async fn save_exact(executor: &mut Executor<'_, '_>) -> Result<(), Failure> {
    read(executor).await?;
    see_unseen(executor).await?;
    let applied: Vec<InventoryEntry> = (0..executor.prepared.len())
        .filter_map(|index| entry(executor, index))
        .collect();
    let gone = std::mem::take(&mut executor.gone);
    let changed = inventory::exact(
        executor.inventory.as_deref().unwrap_or_default(),
        &applied,
        &gone,
        &inventory_owner(executor),
    );
    write(executor, changed).await?;
    let pruned = u32::try_from(gone.len()).unwrap_or(u32::MAX);
    summarize(executor, pruned);
    Ok(())
}

/// UIDs of objects that an earlier look applied, or that needed no apply.
async fn see_unseen(executor: &mut Executor<'_, '_>) -> Result<(), Failure> {
    let unseen: Vec<usize> = (0..executor.prepared.len())
        .filter(|index| !executor.work.applied.contains_key(index))
        .collect();
    super::steady::assess(executor, &unseen).await.map(|_| ())
}

fn entry(executor: &Executor<'_, '_>, index: usize) -> Option<InventoryEntry> {
    let object = executor.prepared.get(index)?;
    let uid = executor
        .work
        .applied
        .get(&index)
        .map(|seen| seen.uid.clone())
        .unwrap_or_default();
    Some(InventoryEntry {
        id: object.id.clone(),
        version: object.version.clone(),
        uid,
        wave: object.wave,
        render_ref: executor.work.render.render_ref(),
        adopted: executor.work.adopted.contains(&index),
    })
}

fn inventory_owner(executor: &Executor<'_, '_>) -> InventoryOwner {
    InventoryOwner {
        release: executor.session.release.id.clone(),
        release_uid: executor.session.release.uid.clone(),
        cluster_id: executor.target.facts.cluster_id.clone(),
    }
}

/// Writes changed parts, in their order, and keeps the copy at hand true.
async fn write(executor: &mut Executor<'_, '_>, changed: Vec<InventoryPart>) -> Result<(), Failure> {
    for mut part in changed {
        let version = executor
            .session
            .runtime
            .ports
            .control_plane
            .write_inventory(&part)
            .await;
        part.resource_version = version.map_err(|error| failures::control_plane(Stage::Apply, &error))?;
        let parts = executor.inventory.get_or_insert_default();
        match parts.iter_mut().find(|known| known.part == part.part) {
            Some(known) => *known = part,
            None => parts.push(part),
        }
    }
    Ok(())
}

fn summarize(executor: &mut Executor<'_, '_>, pruned: u32) {
    let parts = executor.inventory.as_deref().unwrap_or_default();
    executor.session.status.inventory = Some(inventory::summarize(parts, pruned, &executor.target.facts.cluster_id));
}

/// Deletes orphans. What cannot be deleted stays recorded and is a failure.
pub(crate) async fn prune(executor: &mut Executor<'_, '_>) -> Result<(), Failure> {
    read(executor).await?;
    let plan = plan(executor)?;
    for orphan in &plan.delete {
        let outcome = delete(executor.session, executor.target, orphan)
            .await
            .map_err(|error| {
                let failure = failures::cluster(Stage::Apply, &error);
                Failure {
                    reason: if failure.reason == Reason::Forbidden {
                        Reason::Forbidden
                    } else {
                        Reason::PruneFailed
                    },
                    ..failure
                }
            })?;
        // What a finalizer holds stays recorded until a later sync finds it gone.
        let gone = match outcome {
            Outcome::Forget => true,
            Outcome::Pending => is_gone(executor.target, orphan).await,
            Outcome::Stays => false,
        };
        if gone {
            executor.gone.insert(orphan.id.clone());
        }
    }
    if !executor.gone.is_empty() {
        info!(release = %executor.session.release.id, pruned = executor.gone.len(), "pruned");
    }
    Ok(())
}

/// Whether an object that was deleted just now is gone; an answer that does not come counts as no.
async fn is_gone(target: &Target, entry: &InventoryEntry) -> bool {
    matches!(target.client.get(&entry.id, &entry.version).await, Ok(None))
}

/// Deletes one recorded object if it is still ours: exactly the copy that was looked at.
pub(crate) async fn delete(
    session: &Session<'_>,
    target: &Target,
    entry: &InventoryEntry,
) -> Result<Outcome, ClusterError> {
    let live = target.client.get(&entry.id, &entry.version).await?;
    if live.as_ref().is_some_and(|live| live.uid() == target.record.uid) {
        // Without its Cluster the rest could not be deleted.
        return Ok(Outcome::Stays);
    }
    match assess_deletion(live.as_ref(), &owner(session)) {
        Deletion::Gone | Deletion::Keep(Kept::NotOurs) => Ok(Outcome::Forget),
        Deletion::Waiting => Ok(Outcome::Pending),
        Deletion::Keep(_) => Ok(Outcome::Stays),
        Deletion::Delete { uid, resource_version } => {
            let request = DeleteRequest {
                id: entry.id.clone(),
                version: entry.version.clone(),
                uid,
                resource_version,
            };
            target.client.delete(&request).await.map(|_| Outcome::Pending)
        }
    }
}
