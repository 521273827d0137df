//! Performs the steps of a sync through the ports and answers with what came of them.
//!
//! The machine decides ([`convoy_domain::sync`]); here is no choice left but how to say what happened.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use convoy_domain::artifact::Revision;
use convoy_domain::condition::{ConditionType, Failure, Reason, Stage, Truth};
use convoy_domain::id::ObjectId;
use convoy_domain::inventory::InventoryPart;
use convoy_domain::status::{Applied, HealthyRender, Inputs, Phase};
use convoy_domain::sync::{Outcome, PlannedWave, Step, Sync, SyncPlan};
use convoy_ports::Requeue;
use tracing::info;

use super::prepare::Prepared;
use super::session::{Session, new_attempt};
use super::{apply, inventory, keeping, steady};
use crate::failures;
use crate::registry::Work;
use crate::target::Target;

/// A sync under way in this look.
pub(crate) struct Executor<'s, 'r> {
    pub(crate) session: &'s mut Session<'r>,
    pub(crate) target: &'s Target,
    pub(crate) work: Work,
    pub(crate) prepared: Arc<[Prepared]>,
    /// Objects that the dry run of this look found to be as they should.
    pub(crate) unchanged: BTreeSet<usize>,
    /// Inventory, once read in this look.
    pub(crate) inventory: Option<Vec<InventoryPart>>,
    /// Orphans that are gone, or on their way.
    pub(crate) gone: BTreeSet<ObjectId>,
}

/// Goes as far as the sync goes now.
pub(crate) async fn roll_out(
    session: &mut Session<'_>,
    target: &Target,
    work: Work,
    prepared: Arc<[Prepared]>,
) -> Result<Requeue, Failure> {
    let plan = plan(session, &work);
    let now = session.now();
    let mut sync = match &session.status.rollout {
        Some(rollout) => Sync::resume(plan, rollout, now),
        None => Sync::begin(plan, now),
    };
    let mut executor = Executor {
        session,
        target,
        work,
        prepared,
        unchanged: BTreeSet::new(),
        inventory: None,
        gone: BTreeSet::new(),
    };
    loop {
        match sync.next() {
            Step::Wait { until } => return Ok(executor.wait(&sync, until)),
            Step::AwaitSync { differing } => return Ok(executor.await_sync(differing)),
            Step::Finished => return Ok(executor.finish()),
            Step::Failed(failure) => return Err(executor.stop(&sync, failure)),
            step @ (Step::Begin
            | Step::DryRun
            | Step::Persist
            | Step::SaveInventory
            | Step::Apply { .. }
            | Step::AssessGate { .. }
            | Step::Prune
            | Step::TrimInventory
            | Step::RecordHistory
            | Step::CollectGarbage
            | Step::AssessHealth) => {
                let outcome = executor.perform(&sync, &step).await.unwrap_or_else(Outcome::Failed);
                sync.done(outcome, executor.session.now());
            }
        }
    }
}

fn plan(session: &mut Session<'_>, work: &Work) -> SyncPlan {
    let render_ref = work.render.render_ref();
    let waves = work.waves.iter().map(|wave| PlannedWave {
        number: wave.number,
        gated: !wave.gate.is_empty(),
    });
    SyncPlan {
        render_ref,
        waves: waves.collect(),
        permission: session.permission(render_ref),
        deadline: session.release.spec.health_deadline,
    }
}

impl Executor<'_, '_> {
    async fn perform(&mut self, sync: &Sync, step: &Step) -> Result<Outcome, Failure> {
        match step {
            Step::Begin => self.begin(sync).await.map(|()| Outcome::Done),
            Step::DryRun => {
                self.announce();
                self.check_plan().await?;
                let differing = apply::dry_run(self).await?;
                Ok(Outcome::Compared { differing })
            }
            Step::Persist => {
                self.phase(Phase::Storing);
                keeping::persist(self.session, &self.work).await?;
                Ok(Outcome::Done)
            }
            Step::SaveInventory => inventory::save_union(self).await.map(|()| Outcome::Done),
            Step::Apply { wave } => apply::apply_wave(self, *wave as usize).await.map(|()| Outcome::Done),
            Step::AssessGate { wave } => {
                let gate = self
                    .work
                    .waves
                    .get(*wave as usize)
                    .map(|wave| wave.gate.clone())
                    .unwrap_or_default();
                Ok(Outcome::Assessed(steady::assess(self, &gate).await?))
            }
            Step::Prune => inventory::prune(self).await.map(|()| Outcome::Done),
            Step::TrimInventory => {
                inventory::save_exact(self).await?;
                self.applied();
                Ok(Outcome::Done)
            }
            Step::RecordHistory => {
                keeping::record_history(self.session, &self.work).await;
                Ok(Outcome::Done)
            }
            Step::CollectGarbage => {
                keeping::collect_garbage(self.session, &self.work).await;
                Ok(Outcome::Done)
            }
            Step::AssessHealth => {
                let all: Vec<usize> = (0..self.prepared.len()).collect();
                Ok(Outcome::Assessed(steady::assess(self, &all).await?))
            }
            Step::Wait { .. } | Step::AwaitSync { .. } | Step::Finished | Step::Failed(_) => Ok(Outcome::Done),
        }
    }

    /// What `lastAttempted` says of a sync that is about to begin; stored when it has an end or an effect.
    fn announce(&mut self) {
        let mut attempt = new_attempt(self.session.now());
        attempt.revision = Some(self.work.revision.clone());
        attempt.render_ref = Some(self.work.render.render_ref());
        attempt.inputs = Inputs {
            source: self.work.source.clone(),
            values: self.work.values.clone(),
            fingerprint: self.work.fingerprint.clone(),
            ..Inputs::default()
        };
        let before = self.session.status.last_attempted.replace(attempt);
        self.keep_failure_of(before);
    }

    /// Finalizer first, then `lastAttempted`: before any blob, inventory or object.
    async fn begin(&mut self, sync: &Sync) -> Result<(), Failure> {
        let session = &mut *self.session;
        if !session.release.has_finalizer {
            keeping::adopt(session).await?;
            let version = session
                .runtime
                .ports
                .control_plane
                .add_finalizer(&session.release)
                .await;
            session.release.resource_version = version.map_err(|error| failures::control_plane(Stage::Plan, &error))?;
            session.release.has_finalizer = true;
        }
        self.progress(sync);
        info!(release = %self.session.release.id, render_ref = self.work.render.render_ref().short(), "sync begins");
        self.session.save_in(Stage::Plan).await
    }

    /// A sync that is tried again after a failure shows that failure until it has an end of its own, and counts on.
    fn keep_failure_of(&mut self, before: Option<convoy_domain::status::Attempt>) {
        let Some(before) = before else { return };
        let Some(attempt) = &mut self.session.status.last_attempted else {
            return;
        };
        if attempt.render_ref != before.render_ref {
            return;
        }
        if attempt.inputs == before.inputs && before.phase == Phase::Pending {
            attempt.started = before.started;
        }
        attempt.failure = before.failure;
    }

    async fn check_plan(&mut self) -> Result<(), Failure> {
        inventory::read(self).await?;
        inventory::guard(self).await
    }

    /// Every object is applied and the inventory is exact: this render is in force.
    fn applied(&mut self) {
        let now = self.session.now();
        let render_ref = self.work.render.render_ref();
        let objects = u32::try_from(self.prepared.len()).unwrap_or(u32::MAX);
        let before = self.session.status.last_successful.as_ref();
        let revision = revision(&self.work.revision, before, render_ref);
        self.session.status.last_successful = Some(Applied {
            revision,
            render_ref,
            at: now,
            objects,
        });
        self.session.set(
            ConditionType::Applied,
            Truth::True,
            Reason::Succeeded,
            format!("{objects} objects of {}", render_ref.short()),
        );
        self.session.unset(ConditionType::Drifted);
    }

    /// Writes where the sync stands into the status.
    fn progress(&mut self, sync: &Sync) {
        self.session.status.rollout = sync.rollout();
        self.phase(sync.phase());
    }

    fn phase(&mut self, phase: Phase) {
        if let Some(attempt) = &mut self.session.status.last_attempted {
            attempt.phase = phase;
        }
    }

    fn wait(mut self, sync: &Sync, until: convoy_domain::Timestamp) -> Requeue {
        self.progress(sync);
        if !self.retries_a_failure() {
            self.say_waiting(sync);
        }
        let pause = Duration::try_from(until.duration_since(self.session.now())).unwrap_or_default();
        self.session.memo.work = Some(self.work);
        Requeue::After(pause)
    }

    /// Whether this sync tries again what failed for good: until it has an end of its own, the conditions go on
    /// saying why.
    fn retries_a_failure(&self) -> bool {
        let attempt = self.session.status.last_attempted.as_ref();
        attempt
            .and_then(|attempt| attempt.failure.as_ref())
            .is_some_and(|failed| !failed.failure.is_transient())
    }

    fn say_waiting(&mut self, sync: &Sync) {
        let rollout = self.session.status.rollout.as_ref();
        let first = rollout.and_then(|rollout| rollout.waiting_for.first());
        let message = first.map_or_else(String::new, |first| {
            format!("waiting for {}: {}", first.object, first.message)
        });
        if !sync.is_applied() {
            self.session.set(
                ConditionType::Applied,
                Truth::Unknown,
                Reason::Progressing,
                message.clone(),
            );
        }
        self.session
            .set(ConditionType::Healthy, Truth::Unknown, Reason::Progressing, message);
    }

    fn await_sync(self, differing: u32) -> Requeue {
        self.session.status.rollout = None;
        let render_ref = self.work.render.render_ref();
        let request = &self.session.status.last_handled_sync_request;
        let refused = if request.is_empty() {
            ""
        } else {
            "; the sync request names another render"
        };
        let message = format!("{differing} objects differ from {render_ref}; `convoy sync` lets it through{refused}");
        self.session
            .set(ConditionType::Applied, Truth::Unknown, Reason::AwaitingSync, message);
        self.session.interval()
    }

    fn finish(self) -> Requeue {
        let now = self.session.now();
        let render_ref = self.work.render.render_ref();
        self.session.status.rollout = None;
        if let Some(attempt) = &mut self.session.status.last_attempted {
            attempt.phase = Phase::Succeeded;
            attempt.finished = Some(now);
            attempt.failure = None;
        }
        steady::healthy(self.session, &self.work, render_ref);
        info!(release = %self.session.release.id, render_ref = render_ref.short(), "applied and healthy");
        steady::remember(self.session, &self.work, &self.prepared);
        self.session.interval()
    }

    /// A transient failure is resumed where the sync stood; after a permanent one the next sync begins anew.
    fn stop(self, sync: &Sync, failure: Failure) -> Failure {
        if failure.is_transient() {
            self.session.memo.work = Some(self.work);
        } else {
            self.session.status.rollout = None;
        }
        if let Some(attempt) = &mut self.session.status.last_attempted {
            attempt.phase = sync.phase();
        }
        failure
    }
}

/// Revision of what is in force: a pinned render keeps the one under which it was applied.
fn revision(now: &Revision, before: Option<&Applied>, render_ref: convoy_domain::render_ref::RenderRef) -> Revision {
    match before {
        Some(before) if now.0.is_empty() && before.render_ref == render_ref => before.revision.clone(),
        Some(_) | None => now.clone(),
    }
}

/// The healthy render of a status.
pub(crate) fn healthy_render(work: &Work, at: convoy_domain::Timestamp) -> HealthyRender {
    HealthyRender {
        revision: work.revision.clone(),
        render_ref: work.render.render_ref(),
        at,
    }
}
