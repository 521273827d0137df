//! What servers answered lately, and how long they are not asked again.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use convoy_domain::Timestamp;
use convoy_domain::artifact::Revision;
use convoy_domain::sharing::{Caller, Terms};
use convoy_domain::source::{Source, SourceRef};
use convoy_ports::FetchError;

/// One question to a server: equal ones have equal answers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Question {
    terms: Terms,
    caller: Caller,
    wanted: SourceRef,
    timeout: Duration,
}

impl Question {
    pub(super) fn new(source: &Source, wanted: &SourceRef) -> Self {
        Self {
            terms: Terms::of(source, wanted),
            caller: Caller::of(source),
            wanted: wanted.clone(),
            timeout: source.timeout,
        }
    }
}

/// What a server answered to a question for a revision.
pub(super) type Answer = Result<Revision, FetchError>;

/// The last answers to questions, and when they were given.
#[derive(Debug)]
pub(super) struct Answers<K, T>(Mutex<HashMap<K, Dated<T>>>);

/// An answer and when it was given.
type Dated<T> = (Result<T, FetchError>, Timestamp);

impl<K, T> Default for Answers<K, T> {
    fn default() -> Self {
        Self(Mutex::new(HashMap::new()))
    }
}

impl<K: Eq + Hash, T: Clone> Answers<K, T> {
    /// Answers remembered, at most; all are asked for again beyond it.
    const MOST: usize = 100_000;

    /// The last answer and its age. A clock that stepped back knows none.
    pub(super) fn last(&self, question: &K, now: Timestamp) -> Option<(Result<T, FetchError>, Duration)> {
        let answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (answer, at) = answers.get(question)?;
        let age = Duration::try_from(now.duration_since(*at)).ok()?;
        Some((answer.clone(), age))
    }

    /// Remembers an answer.
    pub(super) fn remember(&self, question: K, answer: Result<T, FetchError>, now: Timestamp) {
        let mut answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if answers.len() >= Self::MOST && !answers.contains_key(&question) {
            answers.clear();
        }
        answers.insert(question, (answer, now));
    }

    /// Forgets an answer.
    pub(super) fn forget(&self, question: &K) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(question);
    }
}

/// How long nobody asks again after an answer. What may pass by itself is tried again as its Release's backoff says,
/// but never before the server wants to be asked.
pub(super) fn rest<T>(answer: &Result<T, FetchError>, min_sync_interval: Duration) -> Duration {
    match answer {
        Ok(_) => min_sync_interval,
        Err(error) => match error.retry_after() {
            Some(after) => after,
            None if error.is_transient() => Duration::ZERO,
            None => min_sync_interval,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_left_alone_as_long_as_its_answer_says() {
        let (url, why) = (|| "https://git.example/a.git".to_string(), || "said so".to_string());
        let interval = Duration::from_secs(30);
        let check = |answer: Answer, expect| assert_eq!(rest(&answer, interval).as_secs(), expect, "{answer:?}");
        check(Ok(Revision("1".into())), 30);
        check(Err(FetchError::Authentication { url: url(), why: why() }), 30);
        check(Err(FetchError::Unreachable { url: url(), why: why() }), 0);
        check(
            Err(FetchError::Busy {
                url: url(),
                why: why(),
                after: Duration::from_mins(2),
            }),
            120,
        );
    }
}
