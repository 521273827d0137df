//! Calls that are under way, and who waits for them.
//!
//! A call is made by whoever waits for it, and by all of them together: one that goes away hinders no other, and the call
//! ends when nobody is left.

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

use futures::FutureExt;
use futures::future::{BoxFuture, Shared, WeakShared};

/// A call that several may wait for.
pub(super) type Flight<T> = Shared<BoxFuture<'static, T>>;

/// Calls that are forgotten when nobody waits for them any more are looked for beyond this many.
const MANY: usize = 256;

/// Calls by what they ask for.
pub(super) struct Flights<K, T: Clone>(Mutex<HashMap<K, WeakShared<BoxFuture<'static, T>>>>);

impl<K, T: Clone> Default for Flights<K, T> {
    fn default() -> Self {
        Self(Mutex::new(HashMap::new()))
    }
}

impl<K, T: Clone> fmt::Debug for Flights<K, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Flights").finish_non_exhaustive()
    }
}

impl<K: Eq + Hash, T: Clone> Flights<K, T> {
    /// The call for `key` that is under way, else the one that `start` begins.
    pub(super) fn join(&self, key: K, start: impl FnOnce() -> BoxFuture<'static, T>) -> Flight<T> {
        let mut calls = self.lock();
        if let Some(call) = calls.get(&key).and_then(under_way) {
            return call;
        }
        if calls.len() >= MANY {
            calls.retain(|_, call| under_way(call).is_some());
        }
        let call = start().shared();
        if let Some(weak) = call.downgrade() {
            calls.insert(key, weak);
        }
        call
    }

    /// A call under way whose key `fits`.
    pub(super) fn find(&self, fits: impl Fn(&K) -> bool) -> Option<Flight<T>> {
        let calls = self.lock();
        let mut fitting = calls.iter().filter(|(key, _)| fits(key));
        fitting.find_map(|(_, call)| under_way(call))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<K, WeakShared<BoxFuture<'static, T>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The call, if somebody waits for it and it has no answer yet.
fn under_way<T: Clone>(call: &WeakShared<BoxFuture<'static, T>>) -> Option<Flight<T>> {
    call.upgrade().filter(|call| call.peek().is_none())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use tokio::sync::oneshot;

    use super::*;

    fn waiting(starts: &Arc<AtomicU32>, told: oneshot::Receiver<u32>) -> BoxFuture<'static, u32> {
        starts.fetch_add(1, Ordering::SeqCst);
        async move { told.await.unwrap_or_default() }.boxed()
    }

    #[tokio::test]
    async fn many_wait_for_one_call_and_one_that_goes_hinders_no_other() {
        let (flights, starts) = (Flights::<u8, u32>::default(), Arc::new(AtomicU32::new(0)));
        let (tell, told) = oneshot::channel();
        let mut first = flights.join(1, || waiting(&starts, told));
        // The first one has begun the work; then it goes.
        assert!(futures::poll!(&mut first).is_pending());
        let second = tokio::spawn(flights.join(1, || unreachable!("one is under way")));
        let third = tokio::spawn(flights.join(1, || unreachable!("one is under way")));
        tokio::task::yield_now().await;
        drop(first);
        tell.send(7).unwrap();
        assert_eq!((second.await.unwrap(), third.await.unwrap()), (7, 7));
        assert_eq!(starts.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn a_call_ends_with_the_last_who_waits_and_an_answer_is_given_once() {
        let (flights, starts) = (Flights::<u8, u32>::default(), Arc::new(AtomicU32::new(0)));
        let (tell, told) = oneshot::channel();
        drop(flights.join(1, || waiting(&starts, told)));
        assert!(tell.is_closed(), "nobody waits");
        let (tell, told) = oneshot::channel();
        let call = flights.join(1, || waiting(&starts, told));
        tell.send(1).unwrap();
        assert_eq!(call.clone().await, 1);
        let (tell, told) = oneshot::channel();
        let next = flights.join(1, || waiting(&starts, told));
        tell.send(2).unwrap();
        assert_eq!((call.await, next.await), (1, 2));
        assert_eq!(starts.load(Ordering::SeqCst), 3);
    }

    #[test]
    fn what_nobody_waits_for_is_forgotten() {
        let flights = Flights::<usize, u32>::default();
        for key in 0..3 * MANY {
            drop(flights.join(key, || futures::future::pending().boxed()));
        }
        assert!(flights.lock().len() <= MANY);
    }
}
