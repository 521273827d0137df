//! What libraries log while a test uses secrets.

use std::fmt::Write as _;
use std::io;
use std::sync::{Arc, Mutex};

/// What every secret of such a test holds; base64 of it too, at each of its three places.
const CANARIES: [&str; 4] = ["canary", "Y2FuYXJ5", "NhbmFye", "jYW5hcn"];

/// All that was logged, through `tracing` (as a writer) and through `log` (as the process's logger).
#[derive(Clone, Debug, Default)]
pub struct Lines(Arc<Mutex<String>>);

impl Lines {
    /// Adds a line.
    ///
    /// # Panics
    /// When a thread that held the lines has panicked.
    pub fn add(&self, text: &str) {
        let mut lines = self.0.lock().expect("a log");
        let _ = writeln!(lines, "{text}");
    }

    /// All lines.
    ///
    /// # Panics
    /// As [`add`](Self::add).
    #[must_use]
    pub fn text(&self) -> String {
        self.0.lock().expect("a log").clone()
    }

    /// # Panics
    /// When a line holds the word `canary`, as it is or in base64: with `when` and the line.
    pub fn assert_clean(&self, when: &str) {
        for line in self.text().lines() {
            for canary in CANARIES {
                assert!(!line.contains(canary), "{when}: {line}");
            }
        }
    }
}

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.add(&String::from_utf8_lossy(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl log::Log for Lines {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        self.add(&format!("{} {}", record.target(), record.args()));
    }

    fn flush(&self) {}
}
