//! When a call that failed is made again, within its own time.

use std::time::Duration;

use convoy_ports::FetchError;

/// How often one call is made, all in all.
pub(crate) const ATTEMPTS: u32 = 3;

/// The pause before the second attempt; later ones are doubled.
const FIRST: Duration = Duration::from_millis(250);

/// How long to wait before the attempt that follows `attempt` (from 1 on), or `None` when there is none: a failure
/// that stays, too many attempts, or a pause that leaves nothing of the time that is `left`.
///
/// A server that names its pause is not asked before it is over.
pub(crate) fn pause(error: &FetchError, attempt: u32, left: Duration) -> Option<Duration> {
    let repeatable = error.is_transient() && !matches!(error, FetchError::Timeout { .. });
    if !repeatable || attempt >= ATTEMPTS {
        return None;
    }
    let own = FIRST * 2_u32.pow(attempt - 1);
    let pause = error.retry_after().map_or(own, |asked| asked.max(own));
    (pause < left / 2).then_some(pause)
}

#[cfg(test)]
mod tests {
    use super::*;

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
