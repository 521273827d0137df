//! What `kubectl kustomize` is made of, in a process that builds one tree after another: a build costs milliseconds there,
//! and a start of kubectl a tenth of a second and more.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde::Deserialize;

use super::{Answer, Tree};
use crate::components;
use crate::encoding::from_base64;

/// The process; it ends with this value.
#[derive(Debug)]
pub struct Oracle {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

#[derive(Deserialize)]
struct Reply {
    ok: Option<String>,
    err: Option<String>,
}

impl Oracle {
    /// Starts it, if it is installed.
    ///
    /// # Panics
    /// When it does not start.
    #[must_use]
    pub fn start() -> Option<Self> {
        let program = components::find("kustomize-oracle")?;
        let mut child = Command::new(program)
            .env_clear()
            .env("HOME", "/nonexistent")
            .env("HTTP_PROXY", "http://127.0.0.1:9")
            .env("HTTPS_PROXY", "http://127.0.0.1:9")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the oracle starts");
        let questions = child.stdin.take().expect("the pipe is asked for");
        let answers = BufReader::new(child.stdout.take().expect("the pipe is asked for"));
        Some(Self {
            child,
            questions,
            answers,
        })
    }

    /// The tool's answer for `directory` of a tree.
    ///
    /// # Errors
    /// When the tool refuses it.
    ///
    /// # Panics
    /// When the process ends or does not answer as agreed.
    pub fn build(&mut self, tree: &Tree, directory: &str) -> Answer {
        let question = serde_json::json!({ "files": tree, "directory": directory });
        writeln!(self.questions, "{question}").expect("the oracle listens");
        let mut line = String::new();
        let bytes = self.answers.read_line(&mut line).expect("the oracle answers");
        assert!(bytes > 0, "the oracle ended");
        let reply: Reply = serde_json::from_str(&line).expect("an answer is JSON");
        if let Some(error) = reply.err {
            return Err(error);
        }
        let bytes = from_base64(&reply.ok.unwrap_or_default()).expect("base64");
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        // Nothing is lost if it is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
