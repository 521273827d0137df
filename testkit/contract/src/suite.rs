//! Running cases under their names.

use std::any::Any;

/// A case that a server is known to break.
#[derive(Clone, Copy, Debug)]
pub struct Failing {
    /// The name of the case.
    pub case: &'static str,
    /// What the server does in its place.
    pub because: &'static str,
}

/// Cases that run one after the other, some of which must fail.
#[derive(Debug)]
pub(crate) struct Suite<'a> {
    failing: &'a [Failing],
    seen: Vec<&'static str>,
}

impl<'a> Suite<'a> {
    pub(crate) fn new(failing: &'a [Failing]) -> Self {
        Self {
            failing,
            seen: Vec::new(),
        }
    }

    /// Runs one case.
    pub(crate) async fn case<F>(&mut self, name: &'static str, body: F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.seen.push(name);
        let known = self.failing.iter().find(|failing| failing.case == name);
        match (known, outcome(body).await) {
            (None, Err(why)) => panic!("case `{name}` failed: {why}"),
            (Some(known), Ok(())) => panic!("case `{name}` holds, although it was known to fail: {}", known.because),
            (None, Ok(())) | (Some(_), Err(_)) => {}
        }
    }

    /// Every case that must fail was there.
    pub(crate) fn end(self) {
        for failing in self.failing {
            assert!(self.seen.contains(&failing.case), "there is no case `{}`", failing.case);
        }
    }
}

/// Runs one case on a task of its own, so that its panic can be told with its name.
///
/// Call it within a tokio runtime.
///
/// # Panics
/// When the case panics; the message starts with `name`.
pub async fn case<F>(name: &str, body: F)
where
    F: Future<Output = ()> + Send + 'static,
{
    if let Err(why) = outcome(body).await {
        panic!("case `{name}` failed: {why}");
    }
}

/// How a body ended: with the text of its panic, if it did.
async fn outcome<F>(body: F) -> Result<(), String>
where
    F: Future<Output = ()> + Send + 'static,
{
    tokio::spawn(body)
        .await
        .map_err(|failure| match failure.try_into_panic() {
            Ok(payload) => text_of(payload.as_ref()).to_owned(),
            Err(cancelled) => cancelled.to_string(),
        })
}

fn text_of(payload: &(dyn Any + Send)) -> &str {
    payload
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| payload.downcast_ref::<&str>().copied())
        .unwrap_or("it panicked without a message")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_failure_carries_the_name_of_its_case_and_its_message() {
        let failed = tokio::spawn(case("one_is_two", async { assert_eq!(1, 2, "numbers differ") })).await;
        let payload = failed.unwrap_err().into_panic();
        let text = text_of(payload.as_ref());
        assert!(text.starts_with("case `one_is_two` failed: "), "{text}");
        assert!(text.contains("numbers differ"), "{text}");
    }

    #[tokio::test]
    async fn a_case_that_holds_is_silent() {
        case("holds", async {}).await;
    }

    #[tokio::test]
    async fn a_case_that_must_fail_must_be_there_and_fail() {
        let failing = [Failing {
            case: "broken",
            because: "the server forgets",
        }];
        let mut suite = Suite::new(&failing);
        suite.case("broken", async { panic!("it forgot") }).await;
        suite.end();
        let held = tokio::spawn(async {
            let failing = [Failing {
                case: "broken",
                because: "the server forgets",
            }];
            Suite::new(&failing).case("broken", async {}).await;
        });
        let payload = held.await.unwrap_err().into_panic();
        assert!(text_of(payload.as_ref()).contains("known to fail: the server forgets"));
        assert!(std::panic::catch_unwind(|| Suite::new(&failing).end()).is_err());
    }
}
