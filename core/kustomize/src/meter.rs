//! How much a build may still do.
//!
//! # Invariant
//! Whoever works in proportion to something that a file says, times something else that a file says, pays for it here
//! before or while doing it; so no combination of small files takes unbounded time or memory.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::sync::Arc;
use core::cell::Cell;
use core::sync::atomic::{AtomicBool, Ordering};

use convoy_value::{json, patch, yaml};

use crate::limits::Limits;

/// Why nothing more may be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Breach {
    /// A bound.
    Limit { of: &'static str, limit: usize },
    /// The caller's flag is up.
    Cancelled,
}

/// What is left of the bounds of one build.
#[derive(Debug)]
pub(crate) struct Meter {
    limits: Limits,
    cancel: Option<Arc<AtomicBool>>,
    steps: Cell<usize>,
    read: Cell<usize>,
    nodes: Cell<usize>,
    written: Cell<usize>,
    breach: Cell<Option<Breach>>,
}

/// The flag is looked at each time that so many steps are taken.
const LOOK: usize = 1 << 12;

type Result<T> = core::result::Result<T, String>;

impl Meter {
    pub(crate) fn new(limits: &Limits, cancel: Option<Arc<AtomicBool>>) -> Self {
        Self {
            limits: limits.clone(),
            cancel,
            steps: Cell::new(0),
            read: Cell::new(0),
            nodes: Cell::new(0),
            written: Cell::new(0),
            breach: Cell::new(None),
        }
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The bound that was passed, if one was.
    pub(crate) fn breach(&self) -> Option<Breach> {
        self.breach.get()
    }

    /// Notes that a bound is passed, and says so.
    pub(crate) fn pass(&self, of: &'static str, limit: usize) -> String {
        self.breach.set(Some(Breach::Limit { of, limit }));
        format!("the limit of {limit} {of} is passed")
    }

    /// What is wrong with a text of YAML; a bound that it passes is noted.
    pub(crate) fn yaml(&self, error: &yaml::Error) -> String {
        if let yaml::ErrorKind::Limit { of, limit } = error.kind() {
            self.breach.set(Some(Breach::Limit { of, limit }));
        }
        error.to_string()
    }

    /// What is wrong with a text of JSON; a bound that it passes is noted.
    pub(crate) fn json(&self, error: &json::Error) -> String {
        if let json::ErrorKind::Limit { of, limit } = error.kind() {
            self.breach.set(Some(Breach::Limit { of, limit }));
        }
        error.to_string()
    }

    /// What is wrong with a JSON patch; a bound that it passes is noted.
    pub(crate) fn patch(&self, error: &patch::Error) -> String {
        if let patch::Error::Limit { of, limit } = error {
            self.breach.set(Some(Breach::Limit { of, limit: *limit }));
        }
        error.to_string()
    }

    fn pay(&self, cell: &Cell<usize>, amount: usize, of: &'static str, limit: usize) -> Result<()> {
        let sum = cell.get().saturating_add(amount);
        cell.set(sum);
        if sum > limit {
            return Err(self.pass(of, limit));
        }
        Ok(())
    }

    /// Takes steps: one is about what it takes to look at a node.
    ///
    /// # Errors
    /// When none are left, or the caller's flag is up.
    #[inline]
    pub(crate) fn step(&self, steps: usize) -> Result<()> {
        let before = self.steps.get();
        let sum = before.saturating_add(steps);
        self.steps.set(sum);
        if sum > self.limits.steps {
            return Err(self.pass("steps", self.limits.steps));
        }
        if before / LOOK != sum / LOOK {
            self.look()?;
        }
        Ok(())
    }

    fn look(&self) -> Result<()> {
        match &self.cancel {
            Some(flag) if flag.load(Ordering::Relaxed) => {
                self.breach.set(Some(Breach::Cancelled));
                Err("cancelled".into())
            }
            _ => Ok(()),
        }
    }

    /// Pays for bytes that are read.
    pub(crate) fn read(&self, bytes: usize) -> Result<()> {
        self.pay(&self.read, bytes, "bytes in all", self.limits.bytes)
    }

    /// Pays for nodes that are read, and for the time to read them.
    pub(crate) fn nodes(&self, nodes: usize) -> Result<()> {
        self.step(nodes)?;
        self.pay(&self.nodes, nodes, "nodes of YAML in all", self.limits.nodes)
    }

    /// Pays for bytes that generators and transformers write.
    #[inline]
    pub(crate) fn write(&self, bytes: usize) -> Result<()> {
        self.pay(
            &self.written,
            bytes,
            "bytes written by generators and transformers",
            self.limits.written,
        )
    }

    /// Refuses more objects than there may be.
    pub(crate) fn objects(&self, count: usize) -> Result<()> {
        if count > self.limits.objects {
            Err(self.pass("objects", self.limits.objects))
        } else {
            Ok(())
        }
    }

    /// Refuses a path of more parts than nodes may nest.
    pub(crate) fn parts(&self, count: usize) -> Result<()> {
        let limit = self.depth();
        if count > limit {
            Err(self.pass("parts of a field path", limit))
        } else {
            Ok(())
        }
    }

    /// Refuses nodes that nest too deep.
    pub(crate) fn nesting(&self, depth: usize) -> Result<()> {
        let limit = self.depth();
        if depth > limit {
            Err(self.pass("levels of nodes", limit))
        } else {
            Ok(())
        }
    }

    /// How deep nodes may nest.
    fn depth(&self) -> usize {
        self.limits.text.depth.min(convoy_value::MAX_DEPTH)
    }
}
