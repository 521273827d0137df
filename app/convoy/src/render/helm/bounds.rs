//! The bounds of one render, as the engine takes them, and what to do when one is met.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

pub(super) use convoy_domain::content::template_limits as templates;
use convoy_domain::limits::Limits;
use convoy_template::Limit;

use super::input::Bound;
use crate::failure::Failure;

/// A values file, or what `--set-file` names.
pub(super) fn file(limits: &Limits) -> Bound {
    Bound {
        bytes: limits.file_bytes,
        flag: Some("--limit-file-bytes"),
    }
}

/// A packaged chart.
pub(super) fn packed(limits: &Limits) -> Bound {
    Bound {
        bytes: limits.source_bytes,
        flag: Some("--limit-source-bytes"),
    }
}

pub(super) fn documents(limits: &Limits) -> convoy_value::Limits {
    convoy_value::Limits {
        depth: limits.depth,
        alias_bytes: limits.alias_bytes,
        ..convoy_value::Limits::default()
    }
}

/// Runs `work`; raises the flag when the time is over, and then says so.
pub(super) fn timed<T>(
    time: Duration,
    cancel: &Arc<AtomicBool>,
    work: impl FnOnce() -> Result<T, Failure>,
) -> Result<T, Failure> {
    let (ended, told) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            if told.recv_timeout(time) == Err(RecvTimeoutError::Timeout) {
                cancel.store(true, Ordering::Relaxed);
            }
        });
        let result = work();
        // Ends the wait.
        drop(ended);
        result.map_err(|failure| {
            if cancel.load(Ordering::Relaxed) {
                Failure::new(format!("the render passes the limit of time of {time:?}"))
                    .hint("`--limit-render-time` sets another")
            } else {
                failure
            }
        })
    })
}

/// The flag that sets another bound in place of the one that was met.
pub(super) fn flag(error: &convoy_helm::Error) -> Option<&'static str> {
    let convoy_helm::Error::Template { limit, .. } = error else {
        return None;
    };
    let met = (*limit)?;
    let flags = [
        ("--limit-template-steps", matches!(met, Limit::Steps { .. })),
        ("--limit-template-recursion", matches!(met, Limit::Templates { .. })),
        ("--limit-template-output", matches!(met, Limit::Output { .. })),
    ];
    flags.into_iter().find(|(_, sets)| *sets).map(|(flag, _)| flag)
}
