//! Garbage collection against a model of a store that crashes, refuses deletions and lists what is old.

use std::collections::BTreeSet;

use convoy_domain::gc::{effective_keep, named, sweep, trim};
use convoy_domain::history::HistoryKey;
use convoy_domain::render_ref::RenderRef;
use convoy_testkit_strategies::{history_keys, render_ref};
use proptest::collection::{btree_set, vec};
use proptest::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq)]
struct Store {
    blobs: BTreeSet<RenderRef>,
    history: BTreeSet<HistoryKey>,
}

/// What goes wrong in one run, call by call.
#[derive(Clone, Debug, Default)]
struct Faults {
    /// The process dies at this deletion, before (`false`) or after (`true`) it takes effect.
    crash: Option<(usize, bool)>,
    /// These deletions answer an error, after taking effect (`true`) or not.
    errors: Vec<(usize, bool)>,
    /// The second listing lacks what it gives for these numbers…
    missed: Vec<usize>,
    /// …or still has the entries that were deleted.
    stale: bool,
}

struct Crashed;

/// One run as the shell makes it.
struct Run<'a> {
    store: &'a mut Store,
    faults: &'a Faults,
    calls: usize,
}

impl Run<'_> {
    /// Whether the deletion is known to have happened.
    fn delete(&mut self, effect: impl FnOnce(&mut Store)) -> Result<bool, Crashed> {
        let call = self.calls;
        self.calls += 1;
        match self.faults.crash {
            Some((at, false)) if at == call => return Err(Crashed),
            Some((at, true)) if at == call => {
                effect(self.store);
                return Err(Crashed);
            }
            Some(_) | None => {}
        }
        let error = self.faults.errors.iter().find(|(at, _)| *at == call);
        if error.is_none_or(|(_, takes_effect)| *takes_effect) {
            effect(self.store);
        }
        Ok(error.is_none())
    }

    fn collect(&mut self, keep: Option<i64>, protected: &BTreeSet<RenderRef>) -> Result<(), Crashed> {
        let first = self.store.history.clone();
        let Some(beyond) = trim(&first, keep) else {
            return Ok(());
        };
        let mut deleted = BTreeSet::new();
        for key in beyond {
            if self.delete(|store| {
                store.history.remove(&key);
            })? {
                deleted.insert(key);
            }
        }
        let listed = if self.faults.stale { &first } else { &self.store.history };
        let second: BTreeSet<HistoryKey> = listed
            .iter()
            .enumerate()
            .filter(|(number, _)| !self.faults.missed.contains(number))
            .map(|(_, key)| key.clone())
            .collect();
        let named = named(&first, &deleted, &second);
        for blob in sweep(&self.store.blobs.clone(), &named, protected) {
            self.delete(|store| {
                store.blobs.remove(&blob);
            })?;
        }
        Ok(())
    }
}

fn run(store: &mut Store, keep: Option<i64>, protected: &BTreeSet<RenderRef>, faults: &Faults) -> usize {
    let mut run = Run {
        store,
        faults,
        calls: 0,
    };
    let _ = run.collect(keep, protected);
    run.calls
}

fn store() -> impl Strategy<Value = Store> {
    (history_keys(16), btree_set(render_ref(), 0..6)).prop_map(|(history, others)| Store {
        blobs: history.iter().map(HistoryKey::render).chain(others).collect(),
        history,
    })
}

fn faults() -> impl Strategy<Value = Faults> {
    (
        prop::option::of((0..12_usize, any::<bool>())),
        vec((0..12_usize, any::<bool>()), 0..4),
        vec(0..16_usize, 0..6),
        any::<bool>(),
    )
        .prop_map(|(crash, errors, missed, stale)| Faults {
            crash,
            errors,
            missed,
            stale,
        })
}

fn keep() -> impl Strategy<Value = Option<i64>> {
    prop::option::of(-1..14_i64)
}

proptest! {
    #[test]
    fn whatever_fails_nothing_that_is_needed_goes(
        mut store in store(), keep in keep(), protected in btree_set(render_ref(), 0..4), faults in faults(),
    ) {
        let before = store.clone();
        run(&mut store, keep, &protected, &faults);
        let gone: BTreeSet<_> = before.blobs.difference(&store.blobs).copied().collect();
        prop_assert!(gone.is_disjoint(&protected), "a protected render is gone");
        prop_assert!(
            store.history.iter().all(|key| !gone.contains(&key.render())),
            "an entry names a render that is gone"
        );
        let effective = effective_keep(keep);
        if effective <= 0 {
            prop_assert_eq!(&store, &before);
        } else {
            let newest = usize::try_from(effective).unwrap();
            let must: BTreeSet<_> = before.history.iter().rev().take(newest).cloned().collect();
            prop_assert!(must.is_subset(&store.history), "one of the newest entries is gone");
        }
    }

    #[test]
    fn after_a_crash_or_an_error_another_run_reaches_the_same_state(
        store in store(), keep in keep(), protected in btree_set(render_ref(), 0..4), faults in faults(),
    ) {
        let mut clean = store.clone();
        run(&mut clean, keep, &protected, &Faults::default());
        let mut broken = store;
        run(&mut broken, keep, &protected, &faults);
        run(&mut broken, keep, &protected, &Faults::default());
        prop_assert_eq!(broken, clean);
    }

    #[test]
    fn every_crash_point_of_one_history_leads_to_the_same_state(
        store in store(), keep in keep(), protected in btree_set(render_ref(), 0..4),
    ) {
        let mut clean = store.clone();
        let calls = run(&mut clean, keep, &protected, &Faults::default());
        for crash in (0..calls).flat_map(|at| [(at, false), (at, true)]) {
            let mut crashed = store.clone();
            run(&mut crashed, keep, &protected, &Faults { crash: Some(crash), ..Faults::default() });
            run(&mut crashed, keep, &protected, &Faults::default());
            prop_assert_eq!(&crashed, &clean, "crash at {:?}", crash);
        }
    }

    #[test]
    fn a_second_run_deletes_nothing_and_what_is_left_is_needed(
        mut store in store(), keep in keep(), protected in btree_set(render_ref(), 0..4),
    ) {
        run(&mut store, keep, &protected, &Faults::default());
        let calls = run(&mut store, keep, &protected, &Faults::default());
        prop_assert_eq!(calls, 0);
        if let Ok(keep @ 1..) = usize::try_from(effective_keep(keep)) {
            prop_assert!(store.history.len() <= keep);
            let named: BTreeSet<_> = store.history.iter().map(HistoryKey::render).collect();
            prop_assert!(store.blobs.iter().all(|blob| named.contains(blob) || protected.contains(blob)));
        }
    }
}
