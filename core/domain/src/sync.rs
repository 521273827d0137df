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

#[cfg(test)]
mod tests;

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
