//! The controller as a process of its own.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Where a controller dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AbortAt {
    /// Before effect number N, from 1.
    Before(usize),
    /// After effect number N, from 1.
    After(usize),
}

/// A running controller, killed when dropped.
#[derive(Debug)]
pub struct Controller {
    process: Child,
    log: PathBuf,
}

impl Controller {
    /// Starts `binary`, the `controller-under-test` of this crate.
    ///
    /// # Panics
    /// When the process cannot be started.
    #[must_use]
    pub fn start(binary: &str, kubeconfig: &Path, store: &str, log: PathBuf, abort: Option<AbortAt>) -> Self {
        let mut command = Command::new(binary);
        command.arg(kubeconfig).arg(store).arg(&log);
        match abort {
            None => {}
            Some(AbortAt::Before(effect)) => {
                command.arg("before").arg(effect.to_string());
            }
            Some(AbortAt::After(effect)) => {
                command.arg("after").arg(effect.to_string());
            }
        }
        let process = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn();
        Self {
            process: process.expect("the controller starts"),
            log,
        }
    }

    /// The effects so far, one a line.
    #[must_use]
    pub fn effects(&self) -> Vec<String> {
        let text = std::fs::read_to_string(&self.log).unwrap_or_default();
        text.lines().map(str::to_string).collect()
    }

    /// Whether the process is still there.
    pub fn is_running(&mut self) -> bool {
        matches!(self.process.try_wait(), Ok(None))
    }

    /// Waits until the process is gone; `None` when it goes on beyond `limit`.
    pub async fn ended(&mut self, limit: Duration) -> Option<ExitStatus> {
        let start = Instant::now();
        while start.elapsed() < limit {
            if let Ok(Some(status)) = self.process.try_wait() {
                return Some(status);
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        None
    }
}

impl Drop for Controller {
    fn drop(&mut self) {
        // The process may have aborted already: nothing is left to do then.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
