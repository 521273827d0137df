//! A render that is in force: is it still what is on the cluster, and is it healthy?

use std::collections::{BTreeMap, BTreeSet};

use convoy_domain::artifact::Revision;
use convoy_domain::condition::{ConditionType, Failure, Reason, Stage, Truth};
use convoy_domain::drift;
use convoy_domain::health::{self, HealthState};
use convoy_domain::id::ObjectId;
use convoy_domain::object::Object;
use convoy_domain::render_ref::RenderRef;
use convoy_domain::status::{Phase, Waiting};
use convoy_domain::sync::Assessment;
use convoy_ports::{Cluster, EventType, Requeue};
use futures::StreamExt;
use tracing::info;

use super::executor::{Executor, healthy_render};
use super::prepare::Prepared;
use super::session::Session;
use super::{apply, keeping, was_applied};
use crate::failures;
use crate::registry::{InForce, Seen, Work};
use crate::target::Target;

/// Nothing has changed since the render was last seen in force: asks the live objects only, renders nothing and
/// makes no store call. `None` when there is more to do.
pub(crate) async fn unchanged(
    session: &mut Session<'_>,
    target: &Target,
    fingerprint: &str,
) -> Result<Option<Requeue>, Failure> {
    if !was_applied(session) {
        return Ok(None);
    }
    let Some(in_force) = session
        .memo
        .in_force
        .take()
        .filter(|memo| memo.fingerprint == fingerprint)
    else {
        return Ok(None);
    };
    let objects: Vec<(&ObjectId, &str)> = in_force
        .objects
        .iter()
        .map(|(id, (version, _))| (id, version.as_str()))
        .collect();
    let concurrency = session.runtime.settings.apply_concurrency;
    let live = read(&*target.client, &objects, concurrency).await?;
    let drifted = live
        .iter()
        .zip(in_force.objects.values())
        .any(|(live, (_, signature))| live.as_ref().is_none_or(|live| drift::signature(live) != *signature));
    if drifted {
        return Ok(None);
    }
    let assessment = assess_live(objects.iter().map(|(id, _)| *id).zip(&live));
    let requeue = report(session, &assessment, in_force.render_ref);
    session.memo.in_force = Some(in_force);
    Ok(Some(requeue))
}

/// Whether the effective render is the one that was applied last and nothing differs. Drift that may be corrected
/// answers `None`, as a render that was never applied does: both are applied.
pub(crate) async fn in_force(
    session: &mut Session<'_>,
    target: &Target,
    work: &Work,
    prepared: &std::sync::Arc<[Prepared]>,
) -> Result<Option<Requeue>, Failure> {
    let applied = session
        .status
        .last_successful
        .as_ref()
        .map(|applied| applied.render_ref);
    if !was_applied(session) || applied != Some(work.render.render_ref()) {
        return Ok(None);
    }
    let mut executor = Executor {
        session,
        target,
        work: work.clone(),
        prepared: prepared.clone(),
        unchanged: BTreeSet::new(),
        inventory: None,
        gone: BTreeSet::new(),
    };
    super::inventory::read(&mut executor).await?;
    let differing = apply::dry_run(&mut executor).await?;
    let policy = &executor.session.release.spec.sync;
    if differing > 0 && policy.correct_drift && policy.automatic {
        let message = format!("{differing} live objects differ from the render: applying again");
        info!(release = %executor.session.release.id, message);
        executor.session.note(EventType::Normal, Reason::Progressing, message);
        return Ok(None);
    }
    let all: Vec<usize> = (0..prepared.len()).collect();
    let assessment = assess(&mut executor, &all).await?;
    let work = executor.work;
    if differing > 0 {
        let message = format!("{differing} objects differ from {}", work.render.render_ref().short());
        session.set(ConditionType::Drifted, Truth::True, Reason::AwaitingSync, message);
    } else {
        session.unset(ConditionType::Drifted);
    }
    keeping::ensure(session, &work).await;
    note_inputs(session, &work);
    session.permission(work.render.render_ref());
    let requeue = report(session, &assessment, work.render.render_ref());
    remember(session, &work, prepared);
    Ok(Some(requeue))
}

/// The same render from other inputs: the status names them.
fn note_inputs(session: &mut Session<'_>, work: &Work) {
    let Some(attempt) = &mut session.status.last_attempted else {
        return;
    };
    attempt.inputs.fingerprint.clone_from(&work.fingerprint);
    attempt.inputs.values.clone_from(&work.values);
    if work.revision.0.is_empty() {
        return;
    }
    attempt.inputs.source.clone_from(&work.source);
    attempt.revision = Some(work.revision.clone());
    if let Some(applied) = &mut session.status.last_successful {
        applied.revision = work.revision.clone();
    }
}

/// Writes the health of a render in force into the status.
fn report(session: &mut Session<'_>, assessment: &Assessment, render_ref: RenderRef) -> Requeue {
    session.set(
        ConditionType::SourceReady,
        Truth::True,
        Reason::Succeeded,
        source_message(session),
    );
    let objects = session
        .status
        .last_successful
        .as_ref()
        .map_or(0, |applied| applied.objects);
    let message = format!("{objects} objects of {}", render_ref.short());
    session.set(ConditionType::Applied, Truth::True, Reason::Succeeded, message);
    let (first, reason) = match (assessment.degraded.first(), assessment.waiting.first()) {
        (Some(first), _) => (first, Reason::Degraded),
        (None, Some(first)) => (first, Reason::Progressing),
        (None, None) => {
            recovered(session);
            let applied = session.status.last_successful.as_ref();
            let revision = applied.map_or_else(|| Revision(String::new()), |applied| applied.revision.clone());
            set_healthy(session, revision, render_ref);
            return session.interval();
        }
    };
    let overdue = session
        .status
        .last_attempted
        .as_ref()
        .and_then(|attempt| attempt.failure.as_ref());
    if overdue.is_none_or(|failed| failed.failure.stage != Stage::Health) {
        let message = format!("{} is {}: {}", first.object, first.health, first.message);
        session.set(ConditionType::Healthy, Truth::False, reason, message);
    }
    session.soon()
}

fn source_message(session: &Session<'_>) -> String {
    let revision = session
        .status
        .last_attempted
        .as_ref()
        .and_then(|attempt| attempt.revision.as_ref());
    revision.map_or_else(String::new, |revision| format!("at {revision}"))
}

/// What failed without touching the cluster has passed.
fn recovered(session: &mut Session<'_>) {
    let now = session.now();
    if let Some(attempt) = &mut session.status.last_attempted
        && attempt.phase != Phase::Succeeded
    {
        attempt.phase = Phase::Succeeded;
        attempt.failure = None;
        attempt.finished = Some(now);
    }
}

/// The render is applied and healthy.
pub(crate) fn healthy(session: &mut Session<'_>, work: &Work, render_ref: RenderRef) {
    set_healthy(session, healthy_render(work, session.now()).revision, render_ref);
}

fn set_healthy(session: &mut Session<'_>, revision: Revision, render_ref: RenderRef) {
    let at = session.now();
    let known = session
        .status
        .last_healthy
        .as_ref()
        .is_some_and(|healthy| healthy.render_ref == render_ref);
    if !known {
        session.status.last_healthy = Some(convoy_domain::status::HealthyRender {
            revision,
            render_ref,
            at,
        });
    }
    session.set(
        ConditionType::Healthy,
        Truth::True,
        Reason::Succeeded,
        "every object is healthy",
    );
}

/// Remembers what is on the cluster, so that the next look can tell whether it changed.
pub(crate) fn remember(session: &mut Session<'_>, work: &Work, prepared: &[Prepared]) {
    let objects: BTreeMap<_, _> = prepared
        .iter()
        .enumerate()
        .filter_map(|(index, object)| {
            let seen = work.applied.get(&index)?;
            Some((object.id.clone(), (object.version.clone(), seen.signature)))
        })
        .collect();
    session.memo.work = None;
    session.memo.in_force = (objects.len() == prepared.len()).then(|| InForce {
        fingerprint: work.fingerprint.clone(),
        render_ref: work.render.render_ref(),
        objects,
    });
}

/// Reads objects of the render and says which are not healthy yet, and which have failed for good.
pub(crate) async fn assess(executor: &mut Executor<'_, '_>, indices: &[usize]) -> Result<Assessment, Failure> {
    let prepared = executor.prepared.clone();
    let chosen: Vec<(usize, &Prepared)> = indices
        .iter()
        .filter_map(|index| prepared.get(*index).map(|object| (*index, object)))
        .collect();
    let objects: Vec<(&ObjectId, &str)> = chosen
        .iter()
        .map(|(_, object)| (&object.id, object.version.as_str()))
        .collect();
    let concurrency = executor.session.runtime.settings.apply_concurrency;
    let live = read(&*executor.target.client, &objects, concurrency).await?;
    for ((index, _), live) in chosen.iter().zip(&live) {
        if let Some(live) = live {
            let seen = Seen {
                uid: live.uid().to_string(),
                signature: drift::signature(live),
            };
            executor.work.applied.insert(*index, seen);
        }
    }
    Ok(assess_live(chosen.iter().map(|(_, object)| &object.id).zip(&live)))
}

async fn read(
    client: &dyn Cluster,
    objects: &[(&ObjectId, &str)],
    concurrency: usize,
) -> Result<Vec<Option<Object>>, Failure> {
    let calls: Vec<_> = objects.iter().map(|(id, version)| client.get(id, version)).collect();
    let answers: Vec<_> = futures::stream::iter(calls).buffered(concurrency).collect().await;
    answers
        .into_iter()
        .collect::<Result<_, _>>()
        .map_err(|error| failures::cluster(Stage::Cluster, &error))
}

fn assess_live<'a>(objects: impl Iterator<Item = (&'a ObjectId, &'a Option<Object>)>) -> Assessment {
    let mut assessment = Assessment::default();
    for (id, live) in objects {
        let (state, message) = match live {
            Some(live) => {
                let health = health::assess(live);
                (health.state, health.message)
            }
            None => (HealthState::Missing, "it does not exist".to_string()),
        };
        let waiting = || Waiting {
            object: id.to_string(),
            health: state.to_string(),
            message: message.clone(),
        };
        match state {
            HealthState::Healthy | HealthState::Suspended => {}
            HealthState::Degraded => assessment.degraded.push(waiting()),
            HealthState::Progressing | HealthState::Missing | HealthState::Unknown => {
                assessment.waiting.push(waiting());
            }
        }
    }
    assessment
}
