//! Helm's own packages, in a process that answers a line with a line.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;

use serde::Deserialize;

use super::{Answer, Question};
use crate::components;

/// The process; it ends with this value.
#[derive(Debug)]
pub struct Sdk {
    child: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

#[derive(Deserialize)]
struct Reply {
    #[serde(default)]
    text: String,
    error: Option<String>,
}

impl Sdk {
    /// Starts it, if it is installed.
    ///
    /// # Panics
    /// When it does not start.
    #[must_use]
    pub fn start() -> Option<Self> {
        let program = components::find("helm-oracle")?;
        let mut child = Command::new(program)
            .arg("answer")
            .env("TZ", "UTC")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the oracle starts");
        let questions = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().expect("the pipe is asked for"));
        Some(Self {
            child,
            questions,
            answers,
        })
    }

    /// The answers to `questions`, in their order.
    ///
    /// # Panics
    /// When the process ends or does not answer as agreed.
    pub fn ask(&mut self, questions: &[Question]) -> Vec<Answer> {
        let mut pipe = self.questions.take().expect("the pipe is open");
        let (answers, pipe) = thread::scope(|scope| {
            let writer = scope.spawn(|| {
                for question in questions {
                    let line = serde_json::to_string(question).expect("a question is JSON");
                    writeln!(pipe, "{line}").expect("the oracle listens");
                }
                // Answers are held back until the last question unless asked for.
                writeln!(pipe).expect("the oracle listens");
                pipe
            });
            let answers = questions.iter().map(|_| Self::next(&mut self.answers)).collect();
            (answers, writer.join().expect("all questions were written"))
        });
        self.questions = Some(pipe);
        answers
    }

    fn next(answers: &mut BufReader<ChildStdout>) -> Answer {
        let mut line = String::new();
        let bytes = answers.read_line(&mut line).expect("the oracle answers");
        assert!(bytes > 0, "the oracle ended");
        let reply: Reply = serde_json::from_str(&line).expect("an answer is JSON");
        match reply.error {
            Some(error) => Err(error),
            None => Ok(reply.text),
        }
    }
}

impl Drop for Sdk {
    fn drop(&mut self) {
        drop(self.questions.take());
        // It ends with its input.
        let _ = self.child.wait();
    }
}
