//! How far a long walk has come, on standard error.

use std::io::{IsTerminal as _, stderr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::print;

/// One line that is written over on a terminal; elsewhere one at times, so that a log shows life and no flood.
#[derive(Debug)]
pub(crate) struct Progress {
    doing: &'static str,
    terminal: bool,
    last: Mutex<Instant>,
}

impl Progress {
    /// Of something that is done to keys: `checked`, `copied`.
    pub(crate) fn new(doing: &'static str) -> Self {
        Self {
            doing,
            terminal: stderr().is_terminal(),
            last: Mutex::new(Instant::now()),
        }
    }

    /// So many of so many.
    pub(crate) fn show(&self, done: usize, all: usize) {
        let pause = Duration::from_millis(if self.terminal { 100 } else { 10_000 });
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.elapsed() < pause {
            return;
        }
        *last = Instant::now();
        let text = format!("{} {done} of {all} keys", self.doing);
        if self.terminal {
            print::err_text(&format!("\r{text}\u{1b}[K"));
        } else {
            print::err_line(&text);
        }
    }

    /// Leaves the line empty for what follows.
    pub(crate) fn end(&self) {
        if self.terminal {
            print::err_text("\r\u{1b}[K");
        }
    }
}
