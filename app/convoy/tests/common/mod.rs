//! Runs the built binary as people do, in an environment of its own.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

/// How a command ended and what it said.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ended {
    /// Asserts the exit code, showing what was said otherwise.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// Asserts a part of what was said on stderr.
    #[track_caller]
    pub(crate) fn says(self, text: &str) -> Self {
        assert!(self.stderr.contains(text), "`{text}` is not in:\n{}", self.stderr);
        self
    }

    /// Asserts everything that was said on stdout.
    #[track_caller]
    pub(crate) fn prints(self, text: &str) -> Self {
        assert_eq!(self.stdout, text, "stderr:\n{}", self.stderr);
        self
    }
}

/// The binary, with nothing of the caller's configuration.
pub(crate) fn command(dir: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_convoy"));
    command
        .args(arguments)
        .current_dir(dir)
        .env("HOME", dir)
        .env("TERM", "dumb");
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CONVOY_") || text.starts_with("KUBE") {
            command.env_remove(&name);
        }
    }
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Runs a command to its end, which must come within a minute.
pub(crate) fn run_in(dir: &Path, arguments: &[&str]) -> Ended {
    finish(&mut command(dir, arguments), Duration::from_mins(1))
}

/// Runs a command in an empty directory.
pub(crate) fn run(arguments: &[&str]) -> Ended {
    run_in(tempfile::tempdir().unwrap().path(), arguments)
}

/// Runs a prepared command to its end.
pub(crate) fn finish(command: &mut Command, limit: Duration) -> Ended {
    let mut child = command.spawn().unwrap();
    let read = |stream: Option<Box<dyn std::io::Read + Send>>| {
        let mut stream = stream.unwrap();
        thread::spawn(move || {
            let mut text = Vec::new();
            stream.read_to_end(&mut text).unwrap();
            String::from_utf8(text).unwrap()
        })
    };
    let stdout = read(child.stdout.take().map(|s| Box::new(s) as _));
    let stderr = read(child.stderr.take().map(|s| Box::new(s) as _));
    let code = wait(&mut child, limit);
    Ended {
        code,
        stdout: stdout.join().unwrap(),
        stderr: stderr.join().unwrap(),
    }
}

fn wait(child: &mut Child, limit: Duration) -> i32 {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code().unwrap_or(-1);
        }
        if started.elapsed() > limit {
            child.kill().unwrap();
            child.wait().unwrap();
            return -2;
        }
        thread::sleep(Duration::from_millis(10));
    }
}

/// A command that goes on, line by line.
#[derive(Debug)]
pub(crate) struct Running {
    child: Child,
    stdout: Receiver<String>,
    stderr: Receiver<String>,
    heard: Vec<String>,
}

impl Running {
    /// Starts a command.
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut child = command.spawn().unwrap();
        let stdout = lines(child.stdout.take().unwrap());
        let stderr = lines(child.stderr.take().unwrap());
        Self {
            child,
            stdout,
            stderr,
            heard: Vec::new(),
        }
    }

    /// Waits for a line on stdout that holds `text`.
    #[track_caller]
    pub(crate) fn prints(&mut self, text: &str) -> String {
        self.wait_for(text, true)
    }

    /// Waits for a line on stderr that holds `text`.
    #[track_caller]
    pub(crate) fn says(&mut self, text: &str) -> String {
        self.wait_for(text, false)
    }

    #[track_caller]
    fn wait_for(&mut self, text: &str, stdout: bool) -> String {
        let lines = if stdout { &self.stdout } else { &self.stderr };
        let end = Instant::now() + Duration::from_mins(1);
        loop {
            match lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(line) if line.contains(text) => return line,
                Ok(line) => self.heard.push(line),
                Err(error) => {
                    let heard = self.heard.join("\n");
                    let rest: Vec<String> = self.stderr.try_iter().chain(self.stdout.try_iter()).collect();
                    panic!("no line holds `{text}` ({error}):\n{heard}\n{}", rest.join("\n"));
                }
            }
        }
    }

    /// Asks the process to end, as Kubernetes does, and answers its exit code and how long it took.
    pub(crate) fn terminate(&mut self) -> (i32, Duration) {
        let started = Instant::now();
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        (wait(&mut self.child, Duration::from_secs(30)), started.elapsed())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ended_already = self.child.kill();
        let _reaped_already = self.child.wait();
    }
}

fn lines(stream: impl std::io::Read + Send + 'static) -> Receiver<String> {
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            if send.send(line).is_err() {
                return;
            }
        }
    });
    receive
}
