//! When a call that failed is made again, within its own time.

use std::time::Duration;

use convoy_ports::FetchError;
use tokio::time::{Instant, sleep, timeout_at};

use crate::site::Site;

/// The longest time any call may take, whatever a source says.
pub const LONGEST: Duration = Duration::from_hours(24);

/// How often one call is made, all in all.
pub const ATTEMPTS: u32 = 3;

/// The pause before the second attempt; later ones are doubled.
const FIRST: Duration = Duration::from_millis(250);

/// How long to wait before the attempt that follows `attempt` (from 1 on), or `None` when there is none: a failure
/// that stays, too many attempts, or a pause that leaves nothing of the time that is `left`.
///
/// A server that names its pause is not asked before it is over.
#[must_use]
pub fn pause(error: &FetchError, attempt: u32, left: Duration) -> Option<Duration> {
    let repeatable = error.is_transient() && !matches!(error, FetchError::Timeout { .. });
    if !repeatable || attempt >= ATTEMPTS {
        return None;
    }
    let own = FIRST * 2_u32.pow(attempt - 1);
    let pause = error.retry_after().map_or(own, |asked| asked.max(own));
    (pause < left / 2).then_some(pause)
}

/// Does `work`, again where its failure may pass, in no more time than `bound` in all.
///
/// # Errors
/// The last failure of `work`; `Timeout` when the time is over.
pub async fn repeat<T, W>(site: &Site, bound: Duration, mut work: impl FnMut() -> W) -> Result<T, FetchError>
where
    W: Future<Output = Result<T, FetchError>>,
{
    let deadline = Instant::now() + bound.min(LONGEST);
    let mut attempt = 1;
    loop {
        let error = match timeout_at(deadline, work()).await {
            Ok(Ok(done)) => return Ok(done),
            Ok(Err(error)) => error,
            Err(_) => return Err(site.timeout(bound)),
        };
        let left = deadline.saturating_duration_since(Instant::now());
        let Some(pause) = pause(&error, attempt, left) else {
            return Err(error);
        };
        tracing::debug!(%error, attempt, ?pause, "asking again");
        sleep(pause).await;
        attempt += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fails_until(times: u32, error: FetchError) -> impl FnMut() -> std::future::Ready<Result<u32, FetchError>> {
        let mut asked = 0;
        move || {
            asked += 1;
            std::future::ready(if asked > times { Ok(asked) } else { Err(error.clone()) })
        }
    }

    #[tokio::test]
    async fn work_is_done_again_until_it_succeeds_or_its_time_is_over() {
        let site = Site::named("x");
        let minute = Duration::from_mins(1);
        let reset = site.unreachable("reset");
        assert_eq!(repeat(&site, minute, fails_until(2, reset.clone())).await, Ok(3));
        assert_eq!(repeat(&site, minute, fails_until(3, reset.clone())).await, Err(reset));
        let refused = site.authentication("no");
        assert_eq!(
            repeat(&site, minute, fails_until(1, refused.clone())).await,
            Err(refused)
        );
        let never = || std::future::pending::<Result<(), FetchError>>();
        let short = Duration::from_millis(20);
        assert_eq!(repeat(&site, short, never).await, Err(site.timeout(short)));
    }

    #[test]
    fn only_what_may_pass_is_tried_again_and_no_sooner_than_asked() {
        let url = || "https://example.com/a.git".to_owned();
        let why = String::new;
        let reset = FetchError::Unreachable { url: url(), why: why() };
        let busy = FetchError::Busy {
            url: url(),
            why: why(),
            after: Duration::from_secs(3),
        };
        let slow = FetchError::Timeout { url: url(), seconds: 1 };
        let refused = FetchError::Authentication { url: url(), why: why() };
        let check = |error: &FetchError, attempt, left, expect: Option<u64>| {
            let found = pause(error, attempt, Duration::from_secs(left));
            assert_eq!(found, expect.map(Duration::from_millis), "{error} {attempt} {left}");
        };
        check(&reset, 1, 60, Some(250));
        check(&reset, 2, 60, Some(500));
        check(&reset, 3, 60, None);
        check(&reset, 1, 0, None);
        check(&busy, 1, 60, Some(3000));
        check(&busy, 1, 6, None);
        check(&slow, 1, 60, None);
        check(&refused, 1, 60, None);
    }
}
