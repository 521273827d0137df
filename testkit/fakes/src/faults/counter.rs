//! Counting, and deciding what happens at which effect.

use std::fmt;
use std::panic::{AssertUnwindSafe, resume_unwind};
use std::sync::{Arc, Mutex};

use futures::FutureExt;

use crate::sync::lock;

/// On which side of the effect a fault comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum When {
    /// The effect does not happen.
    Before,
    /// The effect happens, and its answer is lost.
    After,
}

/// What happens at the chosen effect.
#[derive(Clone)]
pub enum Fault {
    /// The call answers the port's transient error.
    Fail,
    /// The task panics with a [`Crash`].
    Crash,
    /// The closure runs; when it returns, the task panics with a [`Crash`].
    Call(Arc<dyn Fn() + Send + Sync>),
}

impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Fail => "Fail",
            Self::Crash => "Crash",
            Self::Call(_) => "Call",
        })
    }
}

/// Payload of the panic of a simulated crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crash {
    /// Number of the effect, from 1.
    pub effect: u64,
}

/// Runs `body` until it ends or crashes.
///
/// # Errors
/// The [`Crash`] that ended it.
///
/// # Panics
/// With the panic of `body`, when it is another one.
pub async fn until_crash<F: Future>(body: F) -> Result<F::Output, Crash> {
    match AssertUnwindSafe(body).catch_unwind().await {
        Ok(output) => Ok(output),
        Err(payload) => match payload.downcast::<Crash>() {
            Ok(crash) => Err(*crash),
            Err(other) => resume_unwind(other),
        },
    }
}

/// Counts the effects of every decorator that shares it.
#[derive(Clone, Debug, Default)]
pub struct EffectCounter(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    log: Vec<String>,
    faults: Vec<(u64, When, Fault)>,
    reads_count: bool,
    dead: Option<Crash>,
}

impl EffectCounter {
    /// Counts effects and lets all of them through.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A counter with one fault.
    #[must_use]
    pub fn with(effect: u64, when: When, fault: Fault) -> Self {
        let counter = Self::new();
        counter.add(effect, when, fault);
        counter
    }

    /// Reads are counted, and hit by faults, like effects.
    #[must_use]
    pub fn counting_reads(self) -> Self {
        lock(&self.0).reads_count = true;
        self
    }

    /// Adds a fault at effect number `effect`, from 1.
    pub fn add(&self, effect: u64, when: When, fault: Fault) {
        lock(&self.0).faults.push((effect, when, fault));
    }

    /// How many effects there were, the refused ones too.
    #[must_use]
    pub fn count(&self) -> u64 {
        lock(&self.0).log.len() as u64
    }

    /// What each effect was: number `n` is at index `n - 1`.
    #[must_use]
    pub fn log(&self) -> Vec<String> {
        lock(&self.0).log.clone()
    }

    /// Whether a crash has come.
    #[must_use]
    pub fn is_dead(&self) -> bool {
        lock(&self.0).dead.is_some()
    }

    /// The process is started again; numbers go on.
    pub fn revive(&self) {
        lock(&self.0).dead = None;
    }

    /// Performs an effect unless a fault comes before it; loses its answer when a fault comes after it.
    pub(crate) async fn effect<T, E>(
        &self,
        what: String,
        fail: impl Fn(String) -> E,
        call: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let number = self.next(what);
        self.strike(number, When::Before, &fail)?;
        let answer = call.await;
        self.strike(number, When::After, &fail)?;
        answer
    }

    /// Performs a read, which is an effect only if reads count.
    pub(crate) async fn read<T, E>(
        &self,
        what: String,
        fail: impl Fn(String) -> E,
        call: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let counted = lock(&self.0).reads_count;
        if counted {
            self.effect(what, fail, call).await
        } else {
            self.die_again();
            call.await
        }
    }

    fn next(&self, what: String) -> u64 {
        self.die_again();
        let mut state = lock(&self.0);
        state.log.push(what);
        state.log.len() as u64
    }

    fn die_again(&self) {
        let dead = lock(&self.0).dead;
        if let Some(crash) = dead {
            resume_unwind(Box::new(crash));
        }
    }

    fn strike<E>(&self, number: u64, when: When, fail: &impl Fn(String) -> E) -> Result<(), E> {
        let Some(fault) = self.planned(number, when) else {
            return Ok(());
        };
        let side = match when {
            When::Before => "before",
            When::After => "after",
        };
        if matches!(fault, Fault::Fail) {
            return Err(fail(format!("planned fault {side} effect {number}")));
        }
        lock(&self.0).dead = Some(Crash { effect: number });
        if let Fault::Call(act) = fault {
            act();
        }
        self.die_again();
        Ok(())
    }

    fn planned(&self, number: u64, when: When) -> Option<Fault> {
        let state = lock(&self.0);
        let planned = state.faults.iter().find(|(at, side, _)| (*at, *side) == (number, when));
        planned.map(|(_, _, fault)| fault.clone())
    }
}
