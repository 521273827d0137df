//! What is due when, with one look at a time for each key.

use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;

use tokio::time::Instant;

/// Where a key stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It is due then.
    Waiting(Instant),
    /// It is being looked at, and due again then if something came meanwhile.
    Running(Option<Instant>),
    /// It is being looked at for the last time.
    Leaving,
}

/// Keys and the times at which they are due.
///
/// # Invariant
/// A key is in `waiting` exactly when its state is `Waiting`, with the same time.
#[derive(Debug)]
pub(super) struct Schedule<K> {
    states: HashMap<K, State>,
    waiting: BTreeSet<(Instant, K)>,
}

impl<K> Default for Schedule<K> {
    fn default() -> Self {
        Self {
            states: HashMap::new(),
            waiting: BTreeSet::new(),
        }
    }
}

impl<K: Clone + Ord + Hash> Schedule<K> {
    /// Asks for a look at `due`, or sooner when one is already due sooner.
    pub(super) fn add(&mut self, key: K, due: Instant) {
        let state = match self.states.get(&key) {
            None => State::Waiting(due),
            Some(State::Waiting(before)) if *before <= due => return,
            Some(State::Waiting(before)) => {
                self.waiting.remove(&(*before, key.clone()));
                State::Waiting(due)
            }
            Some(State::Running(before)) => State::Running(Some(before.map_or(due, |before| before.min(due)))),
            // It came back while its last look went on.
            Some(State::Leaving) => State::Running(Some(due)),
        };
        self.set(key, state);
    }

    /// The key that has been due longest, which counts as being looked at from now on.
    pub(super) fn start(&mut self, now: Instant) -> Option<K> {
        let (due, _) = self.waiting.first()?;
        if *due > now {
            return None;
        }
        let (_, key) = self.waiting.pop_first()?;
        self.states.insert(key.clone(), State::Running(None));
        Some(key)
    }

    /// Ends a look; the next is at `requeue` or when something asked for one meanwhile, whichever is sooner.
    pub(super) fn finish(&mut self, key: &K, requeue: Option<Instant>) {
        let again = match self.states.remove(key) {
            Some(State::Running(asked)) => [asked, requeue].into_iter().flatten().min(),
            Some(State::Leaving) | None => None,
            Some(waiting @ State::Waiting(_)) => {
                self.states.insert(key.clone(), waiting);
                None
            }
        };
        if let Some(due) = again {
            self.set(key.clone(), State::Waiting(due));
        }
    }

    /// Takes a key off the schedule; a look under way is its last.
    pub(super) fn forget(&mut self, key: &K) {
        match self.states.remove(key) {
            Some(State::Waiting(due)) => {
                self.waiting.remove(&(due, key.clone()));
            }
            Some(State::Running(_) | State::Leaving) => {
                self.states.insert(key.clone(), State::Leaving);
            }
            None => {}
        }
    }

    /// When the next key is due.
    pub(super) fn next_due(&self) -> Option<Instant> {
        self.waiting.first().map(|(due, _)| *due)
    }

    fn set(&mut self, key: K, state: State) {
        if let State::Waiting(due) = state {
            self.waiting.insert((due, key.clone()));
        }
        self.states.insert(key, state);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;

    fn at(start: Instant, seconds: u64) -> Instant {
        start + Duration::from_secs(seconds)
    }

    #[test]
    fn the_sooner_of_two_times_counts() {
        let start = Instant::now();
        let mut schedule = Schedule::default();
        schedule.add("a", at(start, 5));
        schedule.add("a", at(start, 9));
        assert_eq!(schedule.next_due(), Some(at(start, 5)));
        schedule.add("a", at(start, 2));
        assert_eq!(schedule.next_due(), Some(at(start, 2)));
        assert_eq!(schedule.start(at(start, 1)), None);
        assert_eq!(schedule.start(at(start, 2)), Some("a"));
        assert_eq!(schedule.start(at(start, 99)), None, "one look takes the whole burst");
    }

    #[test]
    fn what_changes_during_a_look_is_looked_at_again() {
        let start = Instant::now();
        let mut schedule = Schedule::default();
        schedule.add("a", start);
        assert_eq!(schedule.start(start), Some("a"));
        schedule.add("a", at(start, 1));
        assert_eq!(schedule.start(at(start, 5)), None, "looks at one key never overlap");
        schedule.finish(&"a", Some(at(start, 60)));
        assert_eq!(schedule.start(at(start, 1)), Some("a"));
        schedule.finish(&"a", Some(at(start, 60)));
        assert_eq!(schedule.next_due(), Some(at(start, 60)));
    }

    #[test]
    fn a_forgotten_key_does_not_come_back_by_its_own_requeue() {
        let start = Instant::now();
        let mut schedule = Schedule::default();
        schedule.add("a", start);
        schedule.start(start);
        schedule.forget(&"a");
        schedule.finish(&"a", Some(at(start, 1)));
        assert_eq!(schedule.next_due(), None);
        schedule.add("a", at(start, 3));
        schedule.forget(&"a");
        assert_eq!(schedule.next_due(), None);
    }

    #[test]
    fn a_key_that_is_made_again_during_its_last_look_is_looked_at() {
        let start = Instant::now();
        let mut schedule = Schedule::default();
        schedule.add("a", start);
        schedule.start(start);
        schedule.forget(&"a");
        schedule.add("a", at(start, 1));
        schedule.finish(&"a", None);
        assert_eq!(schedule.start(at(start, 1)), Some("a"));
    }

    #[derive(Clone, Debug)]
    enum Step {
        Add(u8, u64),
        Start(u64),
        Finish(u8, Option<u64>),
        Forget(u8),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            (0..4_u8, 0..50_u64).prop_map(|(key, due)| Step::Add(key, due)),
            (0..50_u64).prop_map(Step::Start),
            (0..4_u8, proptest::option::of(0..50_u64)).prop_map(|(key, due)| Step::Finish(key, due)),
            (0..4_u8).prop_map(Step::Forget),
        ];
        proptest::collection::vec(step, 0..60)
    }

    proptest! {
        #[test]
        fn no_key_runs_twice_at_once_and_no_change_is_lost(steps in steps()) {
            let start = Instant::now();
            let mut schedule = Schedule::default();
            let mut running: HashSet<u8> = HashSet::new();
            let mut owed: HashSet<u8> = HashSet::new();
            for step in steps {
                match step {
                    Step::Add(key, due) => {
                        schedule.add(key, at(start, due));
                        owed.insert(key);
                    }
                    Step::Start(now) => {
                        if let Some(key) = schedule.start(at(start, now)) {
                            prop_assert!(running.insert(key), "{key} runs already");
                            owed.remove(&key);
                        }
                    }
                    Step::Finish(key, due) if running.remove(&key) => {
                        schedule.finish(&key, due.map(|due| at(start, due)));
                    }
                    Step::Finish(..) => {}
                    Step::Forget(key) => {
                        schedule.forget(&key);
                        owed.remove(&key);
                    }
                }
            }
            for key in running.drain() {
                schedule.finish(&key, None);
            }
            while let Some(key) = schedule.start(at(start, 1_000)) {
                owed.remove(&key);
                schedule.finish(&key, None);
            }
            prop_assert!(owed.is_empty(), "{owed:?} was never looked at");
        }
    }
}
