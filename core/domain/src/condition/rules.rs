//! How conditions follow from what happened.
//!
//! # Invariant
//! There is one condition of a type, in the order of the table; its transition time changes only with its truth.

use alloc::vec::Vec;

use jiff::Timestamp;

use super::{Condition, ConditionType, Failure, Reason, Stage, Truth};

/// Puts a condition among the others: in the order of [`ConditionType::ALL`], one of each type. The transition time of
/// an older condition with the same truth stays.
pub fn set_condition(conditions: &mut Vec<Condition>, mut condition: Condition) {
    if let Some(old) = conditions.iter().find(|old| old.kind == condition.kind)
        && old.truth == condition.truth
    {
        condition.last_transition = old.last_transition;
    }
    conditions.retain(|old| old.kind != condition.kind);
    let place = conditions.partition_point(|old| old.kind < condition.kind);
    conditions.insert(place, condition);
}

/// The condition of a type.
#[must_use]
pub fn find(conditions: &[Condition], kind: ConditionType) -> Option<&Condition> {
    conditions.iter().find(|condition| condition.kind == kind)
}

/// Which conditions a failure sets, and to what; all with the failure's reason and message.
///
/// Conditions that are not named keep what they said: what an earlier sync applied is still applied and healthy.
#[must_use]
pub const fn conditions_of(failure: &Failure) -> &'static [(ConditionType, Truth)] {
    use ConditionType::{Applied, Healthy, Pinned, Ready, Rendered, SourceReady};
    match failure.stage {
        // Deletion has no condition of its own: what it waits for is why the Release is not Ready.
        Stage::Validate | Stage::Dependencies | Stage::Delete => &[(Ready, Truth::False)],
        Stage::Fetch => &[(SourceReady, Truth::False)],
        Stage::Values | Stage::Render | Stage::Mutate => &[(Rendered, Truth::False), (Applied, Truth::False)],
        // The pin is asked for, but its render is not what is on the cluster.
        Stage::Pin => &[(Applied, Truth::False), (Pinned, Truth::False)],
        Stage::Cluster | Stage::Plan | Stage::DryRun | Stage::Persist | Stage::Apply => &[(Applied, Truth::False)],
        Stage::Health => &[(Healthy, Truth::False)],
        // The render before the failed one is back, so that the effective render is applied; Ready says that it is not
        // the one that was asked for.
        Stage::Rollback if matches!(failure.reason, Reason::RolledBack) => &[(Ready, Truth::False)],
        // Something between the two is on the cluster.
        Stage::Rollback if matches!(failure.reason, Reason::RollbackFailed) => {
            &[(Applied, Truth::False), (Healthy, Truth::Unknown)]
        }
        Stage::Rollback => &[(Applied, Truth::False), (Healthy, Truth::False)],
    }
}

/// Sets the conditions of a failure, then Ready.
pub fn set_failure(conditions: &mut Vec<Condition>, failure: &Failure, generation: i64, now: Timestamp) {
    for (kind, truth) in conditions_of(failure) {
        set_condition(
            conditions,
            Condition {
                kind: *kind,
                truth: *truth,
                reason: failure.reason,
                message: failure.message.clone(),
                observed_generation: generation,
                last_transition: now,
            },
        );
    }
    let decides_itself = conditions_of(failure)
        .iter()
        .any(|(kind, _)| *kind == ConditionType::Ready);
    if !decides_itself {
        let ready = derive_ready(conditions, false, generation, now);
        set_condition(conditions, ready);
    }
}

/// Ready: Applied and Healthy of the effective render, both seen at this generation, and not rolled back.
///
/// Where it is not True it says why with the reason and message of the first condition, in the order of the pipeline,
/// that does not hold.
#[must_use]
pub fn derive_ready(conditions: &[Condition], rolled_back: bool, generation: i64, now: Timestamp) -> Condition {
    let ready = |truth, reason, message: &str| Condition {
        kind: ConditionType::Ready,
        truth,
        reason,
        message: message.into(),
        observed_generation: generation,
        last_transition: now,
    };
    if rolled_back {
        return ready(
            Truth::False,
            Reason::RolledBack,
            "the last healthy render is back on the cluster",
        );
    }
    let holds = |kind| {
        find(conditions, kind)
            .is_some_and(|found| found.truth == Truth::True && found.observed_generation == generation)
    };
    if holds(ConditionType::Applied) && holds(ConditionType::Healthy) {
        return ready(Truth::True, Reason::Succeeded, "the render is applied and healthy");
    }
    let stages = [
        ConditionType::SourceReady,
        ConditionType::Rendered,
        ConditionType::Applied,
        ConditionType::Healthy,
    ];
    let known = stages.iter().filter_map(|kind| find(conditions, *kind));
    let broken = known.clone().find(|found| found.truth == Truth::False);
    match broken.or_else(|| known.clone().find(|found| found.truth == Truth::Unknown)) {
        Some(found) => ready(found.truth, found.reason, &found.message),
        None => ready(
            Truth::Unknown,
            Reason::Progressing,
            "the present generation is not applied yet",
        ),
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::condition::UnknownName;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn condition(kind: ConditionType, truth: Truth, generation: i64, second: i64) -> Condition {
        Condition {
            kind,
            truth,
            reason: Reason::Succeeded,
            message: kind.as_str().into(),
            observed_generation: generation,
            last_transition: at(second),
        }
    }

    #[test]
    fn conditions_stay_in_the_order_of_the_table_one_of_each_type() {
        let mut conditions = Vec::new();
        for kind in ConditionType::ALL.iter().rev().chain(ConditionType::ALL) {
            set_condition(&mut conditions, condition(*kind, Truth::True, 1, 1));
        }
        let kinds: Vec<ConditionType> = conditions.iter().map(|condition| condition.kind).collect();
        assert_eq!(kinds, ConditionType::ALL);
    }

    #[test]
    fn the_transition_time_changes_only_with_the_truth() {
        let mut conditions = Vec::new();
        let mut set = |truth, generation, second| {
            set_condition(
                &mut conditions,
                condition(ConditionType::Applied, truth, generation, second),
            );
            (conditions[0].observed_generation, conditions[0].last_transition)
        };
        assert_eq!(set(Truth::True, 1, 1), (1, at(1)));
        assert_eq!(set(Truth::True, 2, 2), (2, at(1)));
        assert_eq!(set(Truth::False, 2, 3), (2, at(3)));
        assert_eq!(set(Truth::Unknown, 3, 4), (3, at(4)));
    }

    #[test]
    fn each_stage_sets_the_conditions_of_its_row() {
        use ConditionType::{Applied, Healthy, Pinned, Ready, Rendered, SourceReady};
        let expect = |stage: Stage| -> Vec<(ConditionType, Truth)> {
            match stage {
                Stage::Validate | Stage::Dependencies | Stage::Delete => vec![(Ready, Truth::False)],
                Stage::Fetch => vec![(SourceReady, Truth::False)],
                Stage::Values | Stage::Render | Stage::Mutate => {
                    vec![(Rendered, Truth::False), (Applied, Truth::False)]
                }
                Stage::Pin => vec![(Applied, Truth::False), (Pinned, Truth::False)],
                Stage::Cluster | Stage::Plan | Stage::DryRun | Stage::Persist | Stage::Apply => {
                    vec![(Applied, Truth::False)]
                }
                Stage::Health => vec![(Healthy, Truth::False)],
                Stage::Rollback => vec![(Applied, Truth::False), (Healthy, Truth::False)],
            }
        };
        for stage in Stage::ALL {
            let failure = Failure::new(*stage, Reason::NoRollbackTarget, "");
            assert_eq!(conditions_of(&failure), expect(*stage), "{stage}");
        }
    }

    #[test]
    fn ready_needs_applied_and_healthy_of_this_generation() {
        use ConditionType::{Applied, Healthy, SourceReady};
        let check = |conditions: &[Condition], rolled_back, expect: (Truth, &str)| {
            let ready = derive_ready(conditions, rolled_back, 2, at(9));
            assert_eq!((ready.truth, ready.message.as_str()), expect, "{conditions:?}");
        };
        let applied = condition(Applied, Truth::True, 2, 1);
        let healthy = condition(Healthy, Truth::True, 2, 1);
        let done = (Truth::True, "the render is applied and healthy");
        let not_yet = (Truth::Unknown, "the present generation is not applied yet");
        check(&[], false, not_yet);
        check(&[applied.clone(), healthy.clone()], false, done);
        check(core::slice::from_ref(&applied), false, not_yet);
        check(
            &[condition(Applied, Truth::True, 1, 1), healthy.clone()],
            false,
            not_yet,
        );
        check(
            &[applied.clone(), condition(Healthy, Truth::Unknown, 2, 1)],
            false,
            (Truth::Unknown, "Healthy"),
        );
        check(
            &[applied.clone(), condition(Healthy, Truth::False, 2, 1)],
            false,
            (Truth::False, "Healthy"),
        );
        check(
            &[
                condition(Applied, Truth::False, 2, 1),
                condition(Healthy, Truth::False, 2, 1),
            ],
            false,
            (Truth::False, "Applied"),
        );
        let unfetched = condition(SourceReady, Truth::False, 2, 1);
        check(&[unfetched.clone(), applied.clone(), healthy.clone()], false, done);
        check(&[unfetched], false, (Truth::False, "SourceReady"));
        check(
            &[applied, healthy],
            true,
            (Truth::False, "the last healthy render is back on the cluster"),
        );
    }

    #[test]
    fn a_failure_says_in_ready_why() {
        let mut conditions = vec![
            condition(ConditionType::Applied, Truth::True, 1, 1),
            condition(ConditionType::Healthy, Truth::True, 1, 1),
        ];
        let failure = Failure::new(Stage::Render, Reason::RenderFailed, "broken");
        set_failure(&mut conditions, &failure, 1, at(5));
        let ready = find(&conditions, ConditionType::Ready).unwrap();
        assert_eq!(
            (ready.truth, ready.reason, ready.message.as_str()),
            (Truth::False, Reason::RenderFailed, "broken")
        );
        let applied = find(&conditions, ConditionType::Applied).unwrap();
        assert_eq!((applied.truth, applied.last_transition), (Truth::False, at(5)));

        let failure = Failure::new(Stage::Validate, Reason::InvalidSpec, "wrong");
        set_failure(&mut conditions, &failure, 2, at(6));
        let ready = find(&conditions, ConditionType::Ready).unwrap();
        assert_eq!((ready.truth, ready.message.as_str()), (Truth::False, "wrong"));
    }

    #[test]
    fn names_read_back() {
        for reason in Reason::ALL {
            assert_eq!(reason.as_str().parse(), Ok(*reason));
        }
        assert_eq!("Nothing".parse::<Reason>(), Err(UnknownName));
    }
}
