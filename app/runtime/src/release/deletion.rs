//! The end of a Release: its objects, its inventory, its stored renders, its finalizer, in this order.

use std::time::Duration;

use convoy_domain::condition::{Failure, Reason, Stage};
use convoy_domain::inventory::{InventoryPart, entries};
use convoy_domain::ownership::{Ownership, assess_ownership, field_manager};
use convoy_domain::prune::{DeletionPlan, plan_deletion};
use convoy_domain::release::DeletionPolicy;
use convoy_domain::status::InventorySummary;
use convoy_ports::{Event, EventType, Requeue};
use tracing::info;

use super::inventory::{self, Outcome};
use super::prepare::owner;
use super::session::Session;
use crate::failures;
use crate::render_store::RenderStore;
use crate::target::{self, Target};

/// How long until objects that are on their way are looked for again.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// Goes as far with the deletion as it goes now.
pub(crate) async fn finalize(session: &mut Session<'_>) -> Result<Requeue, Failure> {
    if !session.release.has_finalizer {
        session.mark_gone();
        return Ok(Requeue::OnChange);
    }
    if let Some(pause) = clean_cluster(session).await? {
        return Ok(pause);
    }
    delete_inventory(session).await?;
    let store = &session.runtime.ports.store;
    if !matches!(store, RenderStore::Disabled) {
        store.delete_release(&session.release.id).await.map_err(|error| {
            let reason = if error.is_transient() {
                Reason::StoreUnavailable
            } else {
                Reason::DeleteFailed
            };
            Failure::new(Stage::Delete, reason, error.to_string())
        })?;
    }
    let removed = session
        .runtime
        .ports
        .control_plane
        .remove_finalizer(&session.release)
        .await;
    removed.map_err(|error| failures::control_plane(Stage::Delete, &error))?;
    info!(release = %session.release.id, "deleted");
    session.mark_gone();
    Ok(Requeue::OnChange)
}

/// Empties the cluster of the Release's objects. `Some` while there is something to wait for.
async fn clean_cluster(session: &mut Session<'_>) -> Result<Option<Requeue>, Failure> {
    let nothing_applied = session.status.inventory.is_none() && stored_parts(session).await?.is_empty();
    if session.release.annotations.skip_cluster_cleanup || nothing_applied {
        return Ok(None);
    }
    let target = target::reach(session.runtime, &session.release)
        .await
        .map_err(in_deletion)?;
    let parts = inventory::parts(session, &target).await.map_err(in_deletion)?;
    match session.release.spec.deletion {
        DeletionPolicy::Orphan => orphan(session, &target, &parts).await.map(|()| None),
        DeletionPolicy::Delete => delete_objects(session, &target, &parts).await,
    }
}

/// The failure of another stage, on the way of a deletion: the reason stays, and so does the way out.
#[expect(clippy::needless_pass_by_value, reason = "the shape that `map_err` asks for")]
fn in_deletion(failure: Failure) -> Failure {
    let hint = "; annotate core.convoy.kumodo.io/skip-cluster-cleanup: \"true\" to leave the cluster as it is";
    let reason = if failure.is_transient() {
        Reason::DeleteFailed
    } else {
        failure.reason
    };
    Failure::new(Stage::Delete, reason, format!("{}{hint}", failure.message))
}

async fn stored_parts(session: &Session<'_>) -> Result<Vec<InventoryPart>, Failure> {
    let parts = session.runtime.ports.control_plane.inventory(&session.release.id).await;
    let mut parts = parts.map_err(|error| failures::control_plane(Stage::Delete, &error))?;
    parts.retain(|part| part.release_uid == session.release.uid);
    Ok(parts)
}

/// Deletes wave by wave, the last one first; an earlier wave goes only when the later ones are gone.
async fn delete_objects(
    session: &mut Session<'_>,
    target: &Target,
    parts: &[InventoryPart],
) -> Result<Option<Requeue>, Failure> {
    let recorded: Vec<_> = entries(parts).cloned().collect();
    let settings = &session.runtime.settings;
    let plan = plan_deletion(&recorded, session.release.spec.sync.prune, &settings.own_namespace);
    let mut stays = vec![];
    for wave in &plan.waves {
        let mut pending = vec![];
        for entry in wave {
            let outcome = inventory::delete(session, target, entry).await;
            match outcome.map_err(|error| failures::cluster(Stage::Delete, &error))? {
                Outcome::Forget => {}
                Outcome::Pending => pending.push(entry.id.to_string()),
                Outcome::Stays => stays.push(entry.id.to_string()),
            }
        }
        if let Some(first) = pending.first() {
            let more = pending.len() - 1;
            let rest = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            let message = format!("waiting until {first}{rest} are gone");
            pend(session, message);
            return Ok(Some(Requeue::After(LOOK_AGAIN)));
        }
    }
    tell_kept(session, &plan, stays).await;
    Ok(None)
}

/// Says what is waited for; looked at again soon, whatever the back-off of failures is.
fn pend(session: &mut Session<'_>, message: String) {
    use convoy_domain::condition::{ConditionType, Truth};
    session.set(ConditionType::Ready, Truth::False, Reason::DeletePending, message);
}

/// The last event lists what stays on the cluster.
async fn tell_kept(session: &Session<'_>, plan: &DeletionPlan, mut stays: Vec<String>) {
    stays.extend(plan.kept.iter().map(|kept| format!("{} ({})", kept.id, kept.why)));
    if stays.is_empty() {
        return;
    }
    let event = Event {
        kind: EventType::Normal,
        reason: Reason::Succeeded,
        message: super::session::cut(format!("deleted, but these stay on the cluster: {}", stays.join(", "))),
    };
    if let Err(error) = session
        .runtime
        .ports
        .control_plane
        .record_event(&session.release, &event)
        .await
    {
        tracing::warn!(release = %session.release.id, %error, "cannot record an event");
    }
}

/// Takes our labels off, and leaves the objects.
async fn orphan(session: &Session<'_>, target: &Target, parts: &[InventoryPart]) -> Result<(), Failure> {
    let (manager, owner) = (field_manager(&session.release.id), owner(session));
    let fail = |error| failures::cluster(Stage::Delete, &error);
    for entry in entries(parts) {
        let live = target.client.get(&entry.id, &entry.version).await.map_err(fail)?;
        if assess_ownership(live.as_ref(), &owner) != Ownership::Ours {
            continue;
        }
        if let Some(live) = live {
            target.client.release_ownership(&live, &manager).await.map_err(fail)?;
        }
    }
    Ok(())
}

/// Parts go last to first. The summary goes first, so that a crash between two parts is not an incomplete inventory.
async fn delete_inventory(session: &mut Session<'_>) -> Result<(), Failure> {
    let mut parts = stored_parts(session).await?;
    if parts.is_empty() {
        return Ok(());
    }
    if session
        .status
        .inventory
        .as_ref()
        .is_some_and(|inventory| inventory.parts > 0)
    {
        session.status.inventory = Some(InventorySummary {
            objects: 0,
            parts: 0,
            pruned: 0,
            cluster_id: String::new(),
        });
        session.save_in(Stage::Delete).await?;
    }
    parts.sort_by_key(|part| std::cmp::Reverse(part.part));
    for part in &parts {
        let deleted = session.runtime.ports.control_plane.delete_inventory(part).await;
        deleted.map_err(|error| failures::control_plane(Stage::Delete, &error))?;
    }
    Ok(())
}
