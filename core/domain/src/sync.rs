//! What a sync does next.
//!
//! The order is the pages': dry run, begin (finalizer and status), persist, inventory, the waves with their gates,
//! prune, exact inventory, history, garbage collection, health. A dry run has no effect, so that a render that never
//! passes it is tried again and again without a write. The shell asks [`Sync::next`], performs the step
//! through a port, and answers with an [`Outcome`]; nothing waits, a gate that is closed answers with the time at
//! which to look again.
//!
//! # Invariant
//! Nothing is applied before the render is stored, nothing is stored before the dry run passed, and history and
//! garbage collection follow only a full apply. A sync that is resumed from its [`Rollout`] repeats at most steps
//! whose repetition changes nothing.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::condition::{Failure, Reason, Stage};
use crate::render_ref::RenderRef;
use crate::status::{Phase, Rollout, RolloutStep, Waiting};

/// Objects named in `status.rollout.waitingFor`, at most: the status stays small however large the render is.
pub const MOST_WAITING: usize = 20;

/// What is to be done with a render.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyncPlan {
    /// The effective render.
    pub render_ref: RenderRef,
    /// Its waves, in order.
    pub waves: Vec<PlannedWave>,
    /// Whether differences may be applied.
    pub permission: Permission,
    /// How long a gate, and the whole after the last wave, may take to become healthy.
    pub deadline: Duration,
}

/// One wave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedWave {
    /// Number, as people wrote it.
    pub number: i32,
    /// Whether the next wave waits for something of this one.
    pub gated: bool,
}

/// Whether a sync may go past its dry run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permission {
    /// `syncPolicy.automatic`, or a request for exactly this render.
    Granted,
    /// Nobody asked: the differences are counted and shown.
    Withheld,
}

/// What the shell does next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Dry-run every object; answer [`Outcome::Compared`].
    DryRun,
    /// Store finalizer, `lastAttempted` and `rollout`.
    Begin,
    /// Write the blob.
    Persist,
    /// Write the union of inventory and render.
    SaveInventory,
    /// Apply the objects of a wave, by index.
    Apply {
        /// Index in [`SyncPlan::waves`].
        wave: u32,
    },
    /// Assess the gate of a wave; answer [`Outcome::Assessed`].
    AssessGate {
        /// Index in [`SyncPlan::waves`].
        wave: u32,
    },
    /// Delete orphans.
    Prune,
    /// Write the exact inventory.
    TrimInventory,
    /// Add to the history.
    RecordHistory,
    /// Collect garbage in the store.
    CollectGarbage,
    /// Assess everything; answer [`Outcome::Assessed`].
    AssessHealth,
    /// Store the rollout and look again at this time.
    Wait {
        /// Time of the next look.
        until: Timestamp,
    },
    /// The dry run found differences and nobody may apply them.
    AwaitSync {
        /// Number of objects that differ.
        differing: u32,
    },
    /// Everything is applied and healthy.
    Finished,
    /// The sync stopped.
    Failed(Failure),
}

/// What came of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was done.
    Done,
    /// The dry run passed.
    Compared {
        /// Number of objects that differ from the live ones.
        differing: u32,
    },
    /// The health of what is waited for.
    Assessed(Assessment),
    /// It failed.
    Failed(Failure),
}

/// Health of the objects of a gate, or of all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assessment {
    /// Objects that are not healthy yet.
    pub waiting: Vec<Waiting>,
    /// Objects that have failed for good: waiting longer is of no use.
    pub degraded: Vec<Waiting>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum At {
    DryRun,
    Begin,
    Persist,
    SaveInventory,
    Apply(u32),
    Gate(u32),
    Prune,
    TrimInventory,
    Record,
    Collect,
    Health,
    Waiting { gate: Option<u32>, until: Timestamp },
    Awaiting { differing: u32 },
    Finished,
    Failed(Failure),
}

/// A sync under way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sync {
    plan: SyncPlan,
    at: At,
    started: Timestamp,
    wave_applied: Option<Timestamp>,
    waiting_for: Vec<Waiting>,
}

impl Sync {
    /// A new sync.
    #[must_use]
    pub const fn begin(plan: SyncPlan, now: Timestamp) -> Self {
        Self {
            plan,
            at: At::DryRun,
            started: now,
            wave_applied: None,
            waiting_for: Vec::new(),
        }
    }

    /// Goes on where `rollout` stands; begins anew when it is of another render or of another number of waves.
    #[must_use]
    pub fn resume(plan: SyncPlan, rollout: &Rollout, now: Timestamp) -> Self {
        let waves = wave_count(&plan);
        if rollout.render_ref != plan.render_ref || rollout.waves != waves || rollout.wave > waves {
            return Self::begin(plan, now);
        }
        let at = match rollout.step {
            RolloutStep::DryRun => At::DryRun,
            RolloutStep::Persist => At::Persist,
            RolloutStep::Apply if rollout.wave < waves => At::Apply(rollout.wave),
            RolloutStep::Gate if rollout.wave < waves => At::Gate(rollout.wave),
            RolloutStep::Apply | RolloutStep::Gate => return Self::begin(plan, now),
            RolloutStep::Prune => At::Prune,
            RolloutStep::Record => At::Record,
            RolloutStep::Health => At::Health,
        };
        let wave_applied = rollout.wave_applied.map(|at| at.min(now));
        Self {
            plan,
            at,
            started: rollout.started,
            wave_applied,
            waiting_for: rollout.waiting_for.clone(),
        }
    }

    /// What to do now.
    #[must_use]
    pub fn next(&self) -> Step {
        match &self.at {
            At::Begin => Step::Begin,
            At::DryRun => Step::DryRun,
            At::Persist => Step::Persist,
            At::SaveInventory => Step::SaveInventory,
            At::Apply(wave) => Step::Apply { wave: *wave },
            At::Gate(wave) => Step::AssessGate { wave: *wave },
            At::Prune => Step::Prune,
            At::TrimInventory => Step::TrimInventory,
            At::Record => Step::RecordHistory,
            At::Collect => Step::CollectGarbage,
            At::Health => Step::AssessHealth,
            At::Waiting { until, .. } => Step::Wait { until: *until },
            At::Awaiting { differing } => Step::AwaitSync { differing: *differing },
            At::Finished => Step::Finished,
            At::Failed(failure) => Step::Failed(failure.clone()),
        }
    }

    /// Takes the answer to the present step.
    pub fn done(&mut self, outcome: Outcome, now: Timestamp) {
        self.at = match outcome {
            Outcome::Failed(failure) => At::Failed(failure),
            Outcome::Compared { differing } => self.after_dry_run(differing),
            Outcome::Assessed(assessment) => self.after_assessment(assessment, now),
            Outcome::Done => self.after_step(now),
        };
    }

    /// What the status remembers of the sync; `None` when there is nothing to resume.
    #[must_use]
    pub fn rollout(&self) -> Option<Rollout> {
        let (step, wave) = match &self.at {
            At::Begin | At::DryRun => (RolloutStep::DryRun, 0),
            At::Persist | At::SaveInventory => (RolloutStep::Persist, 0),
            At::Apply(wave) => (RolloutStep::Apply, *wave),
            At::Gate(wave) | At::Waiting { gate: Some(wave), .. } => (RolloutStep::Gate, *wave),
            At::Prune | At::TrimInventory => (RolloutStep::Prune, wave_count(&self.plan)),
            At::Record | At::Collect => (RolloutStep::Record, wave_count(&self.plan)),
            At::Health | At::Waiting { gate: None, .. } => (RolloutStep::Health, wave_count(&self.plan)),
            At::Awaiting { .. } | At::Finished | At::Failed(_) => return None,
        };
        Some(Rollout {
            render_ref: self.plan.render_ref,
            step,
            wave,
            waves: wave_count(&self.plan),
            started: self.started,
            wave_applied: self.wave_applied,
            waiting_for: self.waiting_for.iter().take(MOST_WAITING).cloned().collect(),
        })
    }

    /// The phase that people see.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        match &self.at {
            At::Begin | At::DryRun | At::Awaiting { .. } => Phase::Pending,
            At::Persist => Phase::Storing,
            At::SaveInventory | At::Apply(_) | At::Prune | At::TrimInventory | At::Record | At::Collect => {
                Phase::Applying
            }
            At::Gate(_) | At::Health | At::Waiting { .. } => Phase::WaitingForHealth,
            At::Finished => Phase::Succeeded,
            At::Failed(_) => Phase::Failed,
        }
    }

    /// Whether every object has been applied and recorded: `lastSuccessful` is this render.
    #[must_use]
    pub const fn is_applied(&self) -> bool {
        matches!(
            self.at,
            At::Record | At::Collect | At::Health | At::Waiting { gate: None, .. } | At::Finished
        )
    }

    fn after_dry_run(&self, differing: u32) -> At {
        match self.plan.permission {
            Permission::Withheld if differing > 0 => At::Awaiting { differing },
            Permission::Withheld | Permission::Granted => At::Begin,
        }
    }

    fn after_step(&mut self, now: Timestamp) -> At {
        match self.at.clone() {
            At::Begin => At::Persist,
            At::DryRun | At::Gate(_) | At::Health => At::Failed(Failure::new(
                Stage::Plan,
                Reason::DeployFailed,
                "the shell answered a question with `done`",
            )),
            At::Persist => At::SaveInventory,
            At::SaveInventory => self.wave_or_prune(0),
            At::Apply(wave) => {
                self.wave_applied = Some(now);
                if self.plan.waves.get(wave as usize).is_some_and(|wave| wave.gated) {
                    At::Gate(wave)
                } else {
                    self.wave_or_prune(wave + 1)
                }
            }
            At::Prune => At::TrimInventory,
            At::TrimInventory => At::Record,
            At::Record => At::Collect,
            At::Collect | At::Waiting { gate: None, .. } => At::Health,
            At::Waiting { gate: Some(wave), .. } => At::Gate(wave),
            end @ (At::Awaiting { .. } | At::Finished | At::Failed(_)) => end,
        }
    }

    fn wave_or_prune(&self, wave: u32) -> At {
        if wave < wave_count(&self.plan) {
            At::Apply(wave)
        } else {
            At::Prune
        }
    }

    fn after_assessment(&mut self, assessment: Assessment, now: Timestamp) -> At {
        let gate = if let At::Gate(wave) = self.at { Some(wave) } else { None };
        if let Some(first) = assessment.degraded.first() {
            let stage = if gate.is_some() { Stage::Apply } else { Stage::Health };
            let message = format!("{} has failed: {}", first.object, first.message);
            self.waiting_for = assessment.degraded;
            return At::Failed(Failure::new(stage, Reason::Degraded, message));
        }
        if assessment.waiting.is_empty() {
            self.waiting_for.clear();
            return gate.map_or(At::Finished, |wave| self.wave_or_prune(wave + 1));
        }
        self.waiting_for = assessment.waiting;
        let since = *self.wave_applied.get_or_insert(now);
        let deadline = since
            .saturating_add(to_signed(self.plan.deadline))
            .unwrap_or(Timestamp::MAX);
        if now >= deadline {
            return At::Failed(self.overdue(gate));
        }
        At::Waiting {
            gate,
            until: deadline.min(look_again(since, now)),
        }
    }

    fn overdue(&self, gate: Option<u32>) -> Failure {
        let seconds = self.plan.deadline.as_secs_f64();
        let what = self
            .waiting_for
            .iter()
            .take(3)
            .map(describe)
            .collect::<Vec<_>>()
            .join("; ");
        let more = self.waiting_for.len().saturating_sub(3);
        let rest = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        match gate.and_then(|wave| self.plan.waves.get(wave as usize)) {
            Some(wave) => Failure::new(
                Stage::Apply,
                Reason::WaveTimeout,
                format!("wave {} is not healthy after {seconds} s: {what}{rest}", wave.number),
            ),
            None => Failure::new(
                Stage::Health,
                Reason::HealthDeadlineExceeded,
                format!("not healthy after {seconds} s: {what}{rest}"),
            ),
        }
    }
}

fn describe(waiting: &Waiting) -> String {
    if waiting.message.is_empty() {
        format!("{} is {}", waiting.object, waiting.health)
    } else {
        format!("{} is {} ({})", waiting.object, waiting.health, waiting.message)
    }
}

fn wave_count(plan: &SyncPlan) -> u32 {
    u32::try_from(plan.waves.len()).unwrap_or(u32::MAX)
}

fn to_signed(duration: Duration) -> SignedDuration {
    SignedDuration::try_from(duration).unwrap_or(SignedDuration::MAX)
}

/// The next look comes after a quarter of the time waited so far, between 250 ms and 10 s: quick things are seen
/// quickly, slow things cost few looks.
fn look_again(since: Timestamp, now: Timestamp) -> Timestamp {
    let waited = now.duration_since(since).unsigned_abs();
    let pause = (waited / 4).clamp(Duration::from_millis(250), Duration::from_secs(10));
    now.saturating_add(to_signed(pause)).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use alloc::vec;

    const START: Timestamp = Timestamp::UNIX_EPOCH;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(seconds).unwrap()
    }

    fn plan(gates: &[bool]) -> SyncPlan {
        SyncPlan {
            render_ref: RenderRef::from_digest([7; 32]),
            waves: gates
                .iter()
                .zip(0..)
                .map(|(gated, number)| PlannedWave { number, gated: *gated })
                .collect(),
            permission: Permission::Granted,
            deadline: Duration::from_secs(20),
        }
    }

    fn waiting() -> Assessment {
        let object = Waiting {
            object: "Deployment web".to_string(),
            health: "Progressing".into(),
            message: "0 of 1".into(),
        };
        Assessment {
            waiting: vec![object],
            degraded: vec![],
        }
    }

    /// The good answer to a step; `None` where a run ends.
    fn good(step: &Step) -> Option<Outcome> {
        match step {
            Step::Wait { .. } | Step::AwaitSync { .. } | Step::Finished | Step::Failed(_) => None,
            Step::DryRun => Some(Outcome::Compared { differing: 2 }),
            Step::AssessGate { .. } | Step::AssessHealth => Some(Outcome::Assessed(Assessment::default())),
            Step::Begin
            | Step::Persist
            | Step::SaveInventory
            | Step::Apply { .. }
            | Step::Prune
            | Step::TrimInventory
            | Step::RecordHistory
            | Step::CollectGarbage => Some(Outcome::Done),
        }
    }

    /// Runs with every answer good until `stop` says so; answers nothing to that step.
    fn run_until(sync: &mut Sync, now: Timestamp, stop: impl Fn(&Step) -> bool) {
        while !stop(&sync.next()) {
            sync.done(good(&sync.next()).unwrap(), now);
        }
    }

    /// Runs with every answer good until the sync waits or ends; gives the steps.
    fn run(sync: &mut Sync, now: Timestamp) -> Vec<Step> {
        let mut steps = vec![];
        for _ in 0..100 {
            let step = sync.next();
            steps.push(step.clone());
            let Some(outcome) = good(&step) else { return steps };
            sync.done(outcome, now);
        }
        panic!("the sync does not end: {steps:?}");
    }

    #[test]
    fn the_order_is_the_pages() {
        let mut sync = Sync::begin(plan(&[true, false]), START);
        let expected = [
            Step::DryRun,
            Step::Begin,
            Step::Persist,
            Step::SaveInventory,
            Step::Apply { wave: 0 },
            Step::AssessGate { wave: 0 },
            Step::Apply { wave: 1 },
            Step::Prune,
            Step::TrimInventory,
            Step::RecordHistory,
            Step::CollectGarbage,
            Step::AssessHealth,
            Step::Finished,
        ];
        assert_eq!(run(&mut sync, START), expected);
        assert_eq!(sync.rollout(), None);
        assert_eq!(sync.phase(), Phase::Succeeded);
    }

    #[test]
    fn a_render_without_objects_still_prunes_and_records() {
        let steps = run(&mut Sync::begin(plan(&[]), START), START);
        assert!(!steps.iter().any(|step| matches!(step, Step::Apply { .. })));
        assert!(steps.contains(&Step::Prune) && steps.contains(&Step::RecordHistory));
    }

    #[test]
    fn a_failure_at_any_step_ends_the_sync_and_nothing_later_happens() {
        for broken in 0..11 {
            let mut sync = Sync::begin(plan(&[true, false]), START);
            let failure = Failure::new(Stage::Apply, Reason::DeployFailed, "planted");
            for _ in 0..broken {
                sync.done(good(&sync.next()).unwrap(), START);
            }
            sync.done(Outcome::Failed(failure.clone()), START);
            assert_eq!(run(&mut sync, START), [Step::Failed(failure)], "after {broken} steps");
            assert!(!sync.is_applied());
        }
    }

    #[test]
    fn without_permission_differences_stop_after_the_dry_run() {
        let mut sync = Sync::begin(
            SyncPlan {
                permission: Permission::Withheld,
                ..plan(&[false])
            },
            START,
        );
        assert_eq!(run(&mut sync, START), [Step::DryRun, Step::AwaitSync { differing: 2 }]);
        assert_eq!(sync.rollout(), None);
    }

    #[test]
    fn without_permission_a_render_that_changes_nothing_is_recorded() {
        let mut sync = Sync::begin(
            SyncPlan {
                permission: Permission::Withheld,
                ..plan(&[false])
            },
            START,
        );
        sync.done(Outcome::Compared { differing: 0 }, START);
        assert_eq!(run(&mut sync, START).last(), Some(&Step::Finished));
    }

    fn at_gate(applied: Timestamp) -> Sync {
        let mut sync = Sync::begin(plan(&[true, false]), START);
        run_until(&mut sync, applied, |step| matches!(step, Step::AssessGate { .. }));
        sync
    }

    #[test]
    fn a_closed_gate_waits_and_is_resumed_without_applying_again() {
        let mut sync = at_gate(at(5));
        sync.done(Outcome::Assessed(waiting()), at(9));
        assert_eq!(sync.next(), Step::Wait { until: at(10) });
        let rollout = sync.rollout().unwrap();
        assert_eq!(
            (rollout.step, rollout.wave, rollout.wave_applied),
            (RolloutStep::Gate, 0, Some(at(5)))
        );
        let mut resumed = Sync::resume(plan(&[true, false]), &rollout, at(10));
        assert_eq!(run(&mut resumed, at(10)).first(), Some(&Step::AssessGate { wave: 0 }));
        assert_eq!(resumed.next(), Step::Finished);
    }

    #[test]
    fn the_deadline_counts_from_the_end_of_the_waves_apply() {
        let mut sync = at_gate(at(5));
        sync.done(Outcome::Assessed(waiting()), at(24));
        assert_eq!(
            sync.next(),
            Step::Wait { until: at(25) },
            "never later than the deadline"
        );
        sync.done(Outcome::Done, at(25));
        sync.done(Outcome::Assessed(waiting()), at(25));
        let Step::Failed(failure) = sync.next() else {
            panic!("the gate stays closed")
        };
        assert_eq!((failure.stage, failure.reason), (Stage::Apply, Reason::WaveTimeout));
        assert_eq!(
            failure.message,
            "wave 0 is not healthy after 20 s: Deployment web is Progressing (0 of 1)"
        );
    }

    #[test]
    fn a_terminal_failure_ends_the_wait_at_once() {
        let mut sync = at_gate(at(5));
        let degraded = Assessment {
            waiting: vec![],
            degraded: waiting().waiting,
        };
        sync.done(Outcome::Assessed(degraded), at(6));
        assert!(matches!(sync.next(), Step::Failed(failure) if failure.reason == Reason::Degraded));
    }

    #[test]
    fn health_after_the_last_wave_has_its_own_reason_and_the_render_counts_as_applied() {
        let mut sync = Sync::begin(plan(&[false]), START);
        run_until(&mut sync, at(1), |step| *step == Step::AssessHealth);
        assert!(sync.is_applied());
        sync.done(Outcome::Assessed(waiting()), at(21));
        assert!(matches!(sync.next(), Step::Failed(f) if f.reason == Reason::HealthDeadlineExceeded));
    }

    #[test]
    fn a_rollout_of_another_render_or_shape_is_begun_anew() {
        let mut sync = at_gate(at(5));
        sync.done(Outcome::Assessed(waiting()), at(6));
        let rollout = sync.rollout().unwrap();
        let other = SyncPlan {
            render_ref: RenderRef::from_digest([8; 32]),
            ..plan(&[true, false])
        };
        assert_eq!(Sync::resume(other, &rollout, at(7)).next(), Step::DryRun);
        assert_eq!(Sync::resume(plan(&[true]), &rollout, at(7)).next(), Step::DryRun);
        let beyond = Rollout { wave: 9, ..rollout };
        assert_eq!(Sync::resume(plan(&[true, false]), &beyond, at(7)).next(), Step::DryRun);
    }

    #[test]
    fn a_crash_after_any_step_resumes_to_the_same_end() {
        let mut sync = Sync::begin(plan(&[true, true, false]), START);
        while let Some(outcome) = good(&sync.next()) {
            sync.done(outcome, START);
            let Some(rollout) = sync.rollout() else { continue };
            let mut resumed = Sync::resume(plan(&[true, true, false]), &rollout, START);
            let steps = run(&mut resumed, START);
            assert_eq!(steps.last(), Some(&Step::Finished), "from {rollout:?}");
            let applied_first = steps.iter().position(|step| matches!(step, Step::Apply { .. }));
            let stored = steps.iter().position(|step| *step == Step::Persist);
            assert!(rollout.step as u8 > RolloutStep::Persist as u8 || stored < applied_first);
        }
    }
}
