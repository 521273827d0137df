//! The watch loops: they see what changes and call the reconciler.
//!
//! One task owns the index of what has been seen and the schedule of what is due; reconciles run beside it, so many
//! at once as the settings say.
//!
//! # Invariant
//! Looks at one object never overlap. A change that is seen while its object is being looked at leads to another look.
//! A panic of one look ends that look alone.

mod data;
mod index;
mod observe;
mod schedule;

use std::collections::HashMap;
use std::fmt;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use convoy_domain::id::{NamespacedName, ReleaseId};
use convoy_domain::source::SourceKey;
use convoy_ports::{Reconciler, Requeue};
use futures::{Stream, StreamExt as _};
use kube::Client;
use tokio::sync::mpsc;
use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::{Instant, sleep_until, timeout};

use index::{Index, Seen};
use schedule::Schedule;

/// What is looked at.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// A Release.
    Release(ReleaseId),
    /// A source.
    Source(SourceKey),
    /// A Cluster.
    Cluster(NamespacedName),
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Release(id) => write!(f, "Release {id}"),
            Self::Source(key) => write!(f, "{key}"),
            Self::Cluster(id) => write!(f, "Cluster {id}"),
        }
    }
}

/// How the loops run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Looks that run at once.
    pub max_concurrent: usize,
    /// How long a change waits for others of the same burst.
    pub debounce: Duration,
    /// When an object whose look has panicked is looked at again.
    pub after_panic: Duration,
    /// How long looks may go on once the loops are told to end.
    pub grace: Duration,
    /// Whether a change of a `ConfigMap` or Secret that something names leads to a look.
    pub data_changes: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_concurrent: 16,
            debounce: Duration::from_millis(50),
            after_panic: Duration::from_mins(1),
            grace: Duration::from_secs(20),
            data_changes: true,
        }
    }
}

/// No requeue is sooner: a reconciler that always asks for now must not take the processor.
const SOONEST: Duration = Duration::from_millis(10);

/// Asks for looks from outside the watches: a webhook, a watch of live objects.
#[derive(Clone, Debug)]
pub struct Enqueue(mpsc::UnboundedSender<Key>);

impl Enqueue {
    /// Asks for a look soon. Once the loops have ended this does nothing.
    pub fn look_at(&self, key: Key) {
        // Nobody is left to look when the receiver is gone.
        let _ = self.0.send(key);
    }
}

/// The loops, before they run.
///
/// While the API server cannot be reached, the client library logs each attempt of a watch as an error of the target
/// `kube_client::client` that names no object. The loops log a broken watch themselves and by its kind, so that a
/// process should filter that target to `off`, as in `info,kube_client::client=off`.
pub struct WatchLoops {
    reconciler: Arc<dyn Reconciler>,
    settings: Settings,
    sender: mpsc::UnboundedSender<Key>,
    receiver: mpsc::UnboundedReceiver<Key>,
}

impl fmt::Debug for WatchLoops {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WatchLoops")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

impl WatchLoops {
    /// Loops that call `reconciler`.
    #[must_use]
    pub fn new(reconciler: Arc<dyn Reconciler>, settings: Settings) -> Self {
        let (sender, receiver) = mpsc::unbounded_channel();
        Self {
            reconciler,
            settings,
            sender,
            receiver,
        }
    }

    /// A handle that asks for looks.
    #[must_use]
    pub fn enqueue(&self) -> Enqueue {
        Enqueue(self.sender.clone())
    }

    /// Watches Releases, sources and Clusters of all namespaces behind `client`, and the metadata of `ConfigMap`s and
    /// Secrets, until `shutdown` is done; then waits
    /// for the looks under way, for the grace of the settings at most.
    pub async fn run(self, client: Client, shutdown: impl Future<Output = ()>) {
        let seen = observe::all(&client, self.settings.data_changes);
        self.run_on(seen, shutdown).await;
    }

    async fn run_on(self, seen: impl Stream<Item = Seen>, shutdown: impl Future<Output = ()>) {
        let mut seen = pin!(seen);
        let mut shutdown = pin!(shutdown);
        let mut asked = self.receiver;
        let mut index = Index::default();
        let mut later = Schedule::default();
        let mut looks = Looks {
            reconciler: self.reconciler,
            settings: self.settings,
            schedule: Schedule::default(),
            tasks: JoinSet::new(),
            running: HashMap::new(),
        };
        loop {
            while let Some(key) = later.start(Instant::now()) {
                later.finish(&key, None);
                looks.soon(key);
            }
            looks.start_due();
            // A full house waits for an end, not for the clock.
            let next = looks.schedule.next_due().filter(|_| looks.has_room());
            let next = [next, later.next_due()].into_iter().flatten().min();
            let wake = next.unwrap_or_else(|| Instant::now() + Duration::from_hours(1));
            tokio::select! {
                biased;
                () = &mut shutdown => break,
                Some(ended) = looks.tasks.join_next_with_id() => looks.ended(ended),
                Some(event) = seen.next() => {
                    let effect = index.see(event);
                    for key in effect.gone {
                        looks.schedule.forget(&key);
                        later.forget(&key);
                    }
                    for (key, rest) in effect.look_later {
                        later.add(key, Instant::now() + rest + looks.settings.debounce);
                    }
                    for key in effect.look_at {
                        looks.soon(key);
                    }
                }
                Some(key) = asked.recv() => looks.soon(key),
                () = sleep_until(wake) => {}
            }
        }
        looks.end().await;
    }
}

/// Runs the loops with the default settings until `shutdown` is done.
pub async fn run(client: Client, reconciler: Arc<dyn Reconciler>, shutdown: impl Future<Output = ()>) {
    WatchLoops::new(reconciler, Settings::default())
        .run(client, shutdown)
        .await;
}

/// What is due, and what runs.
struct Looks {
    reconciler: Arc<dyn Reconciler>,
    settings: Settings,
    schedule: Schedule<Key>,
    tasks: JoinSet<Requeue>,
    running: HashMap<Id, Key>,
}

impl Looks {
    fn has_room(&self) -> bool {
        self.running.len() < self.settings.max_concurrent.max(1)
    }

    /// Asks for a look when a burst of changes has had its time.
    fn soon(&mut self, key: Key) {
        self.schedule.add(key, Instant::now() + self.settings.debounce);
    }

    fn start_due(&mut self) {
        while self.has_room()
            && let Some(key) = self.schedule.start(Instant::now())
        {
            let reconciler = Arc::clone(&self.reconciler);
            let looked_at = key.clone();
            let task = self.tasks.spawn(async move {
                match looked_at {
                    Key::Release(id) => reconciler.release(&id).await,
                    Key::Source(key) => reconciler.source(&key).await,
                    Key::Cluster(id) => reconciler.cluster(&id).await,
                }
            });
            self.running.insert(task.id(), key);
        }
    }

    fn ended(&mut self, ended: Result<(Id, Requeue), JoinError>) {
        let id = match &ended {
            Ok((id, _)) => *id,
            Err(error) => error.id(),
        };
        let Some(key) = self.running.remove(&id) else { return };
        let after = match ended {
            Ok((_, Requeue::After(delay))) => Some(delay.max(SOONEST)),
            Ok((_, Requeue::OnChange)) => None,
            Err(error) => {
                // What it panicked with is for the panic hook: it may quote what must not be logged here.
                tracing::error!(%key, panicked = error.is_panic(), "a look ended without an answer");
                Some(self.settings.after_panic)
            }
        };
        let due = after.and_then(|delay| Instant::now().checked_add(delay));
        self.schedule.finish(&key, due);
    }

    async fn end(mut self) {
        let all = async { while self.tasks.join_next().await.is_some() {} };
        if timeout(self.settings.grace, all).await.is_err() {
            tracing::warn!(
                looks = self.tasks.len(),
                "looks were abandoned at the end of the grace period"
            );
            self.tasks.shutdown().await;
        }
    }
}

#[cfg(test)]
mod tests;
