//! A server process that cannot outlive the test.
//!
//! Each server runs under a small shell that holds the read end of a pipe. The write end is ours: when it closes, by
//! drop, panic, abort or a kill of the test process, the shell kills the server.
//!
//! # Invariant
//! When [`Process`] has been dropped, its server has ended.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Starts the server in the background and a watch on the pipe beside it; ends with the server's status.
///
/// The server's own standard input is closed, so that the pipe has no other reader.
const SUPERVISE: &str = r#"
exec 3<&0 </dev/null
"$@" 3<&- & server=$!
{ read -r _ <&3; kill -KILL "$server"; } 2>/dev/null & watch=$!
wait "$server"; status=$?
kill "$watch" 2>/dev/null
exit "$status"
"#;

/// How many bytes of a server's log go into an error.
const TAIL: u64 = 4096;

/// Why a server process is not there.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// The program could not be run at all.
    #[error("cannot run `{program}`")]
    Spawn {
        /// Its path.
        program: PathBuf,
        /// What the operating system answered.
        source: std::io::Error,
    },
    /// The server ended by itself.
    #[error("`{name}` ended by itself; its log ends with:\n{log}")]
    Ended {
        /// Its name.
        name: String,
        /// The end of its log.
        log: String,
    },
}

/// A running server.
#[derive(Debug)]
pub(crate) struct Process {
    name: String,
    log: PathBuf,
    shell: Child,
}

impl Process {
    /// Runs `program` with `arguments`, its output going to `<folder>/<name>.log`.
    pub(crate) fn start(name: &str, program: &Path, arguments: &[String], folder: &Path) -> Result<Self, ProcessError> {
        let log = folder.join(format!("{name}.log"));
        let spawned = File::create(&log).and_then(|output| {
            Command::new("/bin/sh")
                .args(["-c", SUPERVISE, "supervise"])
                .arg(program)
                .args(arguments)
                .current_dir(folder)
                .stdin(Stdio::piped())
                .stdout(output.try_clone()?)
                .stderr(output)
                .spawn()
        });
        match spawned {
            Ok(shell) => Ok(Self {
                name: name.to_owned(),
                log,
                shell,
            }),
            Err(source) => Err(ProcessError::Spawn {
                program: program.to_owned(),
                source,
            }),
        }
    }

    /// Fails when the server has ended.
    pub(crate) fn check(&mut self) -> Result<(), ProcessError> {
        match self.shell.try_wait() {
            Ok(None) => Ok(()),
            Ok(Some(_)) | Err(_) => Err(ProcessError::Ended {
                name: self.name.clone(),
                log: self.log_tail(),
            }),
        }
    }

    /// The last few KiB the server wrote.
    pub(crate) fn log_tail(&self) -> String {
        let read = || -> std::io::Result<Vec<u8>> {
            let mut file = File::open(&self.log)?;
            let length = file.metadata()?.len();
            file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
            let mut bytes = Vec::new();
            file.take(TAIL).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        read().map_or_else(
            |error| format!("(unreadable: {error})"),
            |bytes| String::from_utf8_lossy(&bytes).into_owned(),
        )
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.shell.stdin.take());
        // Nothing to do about a failure here; the shell is gone or going either way.
        let _ = self.shell.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    fn sleeper(folder: &Path) -> (Process, PathBuf) {
        let pid = folder.join("pid");
        let script = format!("echo $$ > {}; exec sleep 600", pid.display());
        let process = Process::start("sleeper", Path::new("/bin/sh"), &["-c".to_owned(), script], folder).unwrap();
        let started = Instant::now();
        while std::fs::read_to_string(&pid).map_or(true, |text| !text.ends_with('\n')) {
            assert!(started.elapsed() < Duration::from_secs(20), "the server did not start");
            std::thread::sleep(Duration::from_millis(5));
        }
        let number = std::fs::read_to_string(&pid).unwrap();
        (process, PathBuf::from("/proc").join(number.trim()))
    }

    #[test]
    fn a_dropped_server_has_ended() {
        let folder = tempfile::tempdir().unwrap();
        let (mut process, alive) = sleeper(folder.path());
        process.check().unwrap();
        assert!(alive.exists());
        drop(process);
        assert!(!alive.exists(), "{} is still there", alive.display());
    }

    #[test]
    fn a_panicking_test_leaves_no_server() {
        let folder = tempfile::tempdir().unwrap();
        let (process, alive) = sleeper(folder.path());
        let panicked = std::thread::spawn(move || {
            let _held = process;
            std::panic::resume_unwind(Box::new("as a failed assertion does"));
        })
        .join();
        assert!(panicked.is_err());
        assert!(!alive.exists(), "{} is still there", alive.display());
    }

    #[test]
    fn a_server_that_ends_is_reported_with_its_log() {
        let folder = tempfile::tempdir().unwrap();
        let arguments = ["-c".to_owned(), "echo port taken >&2; exit 3".to_owned()];
        let mut process = Process::start("brief", Path::new("/bin/sh"), &arguments, folder.path()).unwrap();
        let started = Instant::now();
        let error = loop {
            if let Err(error) = process.check() {
                break error.to_string();
            }
            assert!(started.elapsed() < Duration::from_secs(20), "its end was not seen");
            std::thread::sleep(Duration::from_millis(5));
        };
        assert!(
            error.contains("`brief` ended by itself") && error.contains("port taken"),
            "{error}"
        );
    }
}
