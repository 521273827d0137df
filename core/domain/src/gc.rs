//! Which stored renders may be forgotten.
//!
//! Two decisions with a listing between them, because the history may have grown while entries were being deleted:
//! [`trim`] picks entries beyond `keepHistory`; [`sweep`] picks blobs that nothing names any more.
//!
//! # Invariant
//! A render that any pointer of the Release or any remaining entry names is never swept, also when the second listing
//! is stale: [`named`] counts every entry of the first that was not really deleted.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use crate::history::HistoryKey;
use crate::render_ref::RenderRef;
use crate::status::ReleaseStatus;

/// `keepHistory` of a Release that sets none.
pub const DEFAULT_KEEP: i64 = 10;

/// Effective `keepHistory`: 10 when unset.
#[must_use]
pub const fn effective_keep(keep: Option<i64>) -> i64 {
    match keep {
        Some(keep) => keep,
        None => DEFAULT_KEEP,
    }
}

/// The entries to delete, oldest first, so that the newest `keep` remain; `None` when everything is kept, and then
/// nothing may be swept either.
#[must_use]
pub fn trim(history: &BTreeSet<HistoryKey>, keep: Option<i64>) -> Option<Vec<HistoryKey>> {
    let keep = effective_keep(keep);
    if keep <= 0 {
        return None;
    }
    let keep = usize::try_from(keep).unwrap_or(usize::MAX);
    let beyond = history.len().saturating_sub(keep);
    Some(history.iter().take(beyond).cloned().collect())
}

/// The renders that entries name: those of the first listing without the ones that were really deleted, and those of
/// the second.
#[must_use]
pub fn named(
    first: &BTreeSet<HistoryKey>,
    deleted: &BTreeSet<HistoryKey>,
    second: &BTreeSet<HistoryKey>,
) -> BTreeSet<RenderRef> {
    first
        .difference(deleted)
        .chain(second)
        .map(HistoryKey::render)
        .collect()
}

/// The renders that pointers of a Release name: the one applied now, the last successful, attempted and healthy ones,
/// the pin, and the one that is rolled out.
///
/// Called on the Release as read at the start of the reconcile and again on the Release as it is just before the sweep;
/// both answers protect.
#[must_use]
pub fn protected(status: &ReleaseStatus, pin: Option<RenderRef>, applied: Option<RenderRef>) -> BTreeSet<RenderRef> {
    let successful = status.last_successful.as_ref().map(|applied| applied.render_ref);
    let attempted = status.last_attempted.as_ref().and_then(|attempt| attempt.render_ref);
    let healthy = status.last_healthy.as_ref().map(|healthy| healthy.render_ref);
    let rollout = status.rollout.as_ref().map(|rollout| rollout.render_ref);
    [applied, successful, attempted, pin, healthy, rollout]
        .into_iter()
        .flatten()
        .collect()
}

/// The blobs to delete: those that no entry and no pointer names.
#[must_use]
pub fn sweep(
    blobs: &BTreeSet<RenderRef>,
    named: &BTreeSet<RenderRef>,
    protected: &BTreeSet<RenderRef>,
) -> Vec<RenderRef> {
    blobs
        .iter()
        .filter(|blob| !named.contains(blob) && !protected.contains(blob))
        .copied()
        .collect()
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::artifact::Revision;
    use crate::status::{Applied, Attempt, HealthyRender, Inputs, Phase, Rollout, RolloutStep};

    fn render(n: u8) -> RenderRef {
        RenderRef::from_digest([n; 32])
    }

    fn entries(renders: &[u8]) -> BTreeSet<HistoryKey> {
        let key = |(at, n): (usize, &u8)| {
            let time = Timestamp::from_second(i64::try_from(at).unwrap()).unwrap();
            HistoryKey::new(time, render(*n)).unwrap()
        };
        renders.iter().enumerate().map(key).collect()
    }

    #[test]
    fn the_newest_entries_stay_and_the_oldest_go_first() {
        let check = |count: u8, keep, expect: Option<&[u8]>| {
            let all: Vec<u8> = (0..count).collect();
            let gone = trim(&entries(&all), keep).map(|keys| keys.iter().map(HistoryKey::render).collect::<Vec<_>>());
            let expect = expect.map(|expect| expect.iter().map(|n| render(*n)).collect());
            assert_eq!(gone, expect, "{count} entries, keep {keep:?}");
        };
        check(12, None, Some(&[0, 1]));
        check(10, None, Some(&[]));
        check(3, Some(1), Some(&[0, 1]));
        check(3, Some(3), Some(&[]));
        check(3, Some(i64::MAX), Some(&[]));
        check(3, Some(0), None);
        check(3, Some(-1), None);
        check(0, Some(1), Some(&[]));
    }

    #[test]
    fn an_entry_counts_as_naming_until_it_was_really_deleted() {
        let first = entries(&[1, 2, 3]);
        let deleted: BTreeSet<HistoryKey> = first.iter().take(1).cloned().collect();
        let stale = BTreeSet::new();
        assert_eq!(named(&first, &deleted, &stale), BTreeSet::from([render(2), render(3)]));
        assert_eq!(
            named(&first, &deleted, &entries(&[1, 4])),
            BTreeSet::from([render(1), render(2), render(3), render(4)])
        );
    }

    #[test]
    fn blobs_that_nothing_names_go() {
        let blobs = BTreeSet::from([render(1), render(2), render(3)]);
        let gone = sweep(
            &blobs,
            &BTreeSet::from([render(1)]),
            &BTreeSet::from([render(3), render(9)]),
        );
        assert_eq!(gone, [render(2)]);
    }

    #[test]
    fn each_pointer_of_a_release_protects_its_render() {
        let at = Timestamp::UNIX_EPOCH;
        let revision = Revision("r".into());
        let mut status = ReleaseStatus::default();
        assert_eq!(protected(&status, None, None), BTreeSet::new());
        status.last_successful = Some(Applied {
            revision: revision.clone(),
            render_ref: render(1),
            at,
            objects: 1,
        });
        status.last_healthy = Some(HealthyRender {
            revision,
            render_ref: render(2),
            at,
        });
        status.last_attempted = Some(Attempt {
            revision: None,
            render_ref: Some(render(3)),
            phase: Phase::Applying,
            started: at,
            finished: None,
            failure: None,
            inputs: Inputs::default(),
        });
        status.rollout = Some(Rollout {
            render_ref: render(4),
            step: RolloutStep::Apply,
            wave: 0,
            waves: 1,
            started: at,
            wave_applied: None,
            waiting_for: Vec::new(),
        });
        assert_eq!(
            protected(&status, Some(render(5)), Some(render(6))),
            (1..=6).map(render).collect()
        );
    }
}
