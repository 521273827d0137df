//! Steps, outcomes and resumption of a sync.

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
