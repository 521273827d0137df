//! When a failed reconcile is tried again, and when a Release is looked at without cause.
//!
//! # Invariant
//! Delays depend on the policy, the uid of the Release and the number of the attempt alone, so that tests (and people)
//! can predict them; the uid spreads many Releases over time. No duration overflows, and none is shorter than
//! [`SHORTEST`], so that no setting makes a hot loop.

use core::time::Duration;

use sha2::{Digest, Sha256};

/// No delay and no interval is shorter.
pub const SHORTEST: Duration = Duration::from_millis(100);

/// The limiter of a Release without `retryBackoff`: exponential like the one of the usual controller runtimes, but from
/// one second (not 5 ms, since a reconcile here asks a git server) to five minutes, without an end.
pub const DEFAULT: Backoff = Backoff {
    base: Duration::from_secs(1),
    factor: 2,
    max: Duration::from_mins(5),
    limit: 0,
};

/// `spec.syncPolicy.retryBackoff`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// Delay before the first retry.
    pub base: Duration,
    /// Each delay is the one before times this.
    pub factor: u32,
    /// Longest delay.
    pub max: Duration,
    /// Number of retries, 0 for no limit.
    pub limit: u32,
}

/// How long after the failure number `attempt` (from 1) the next try starts; `None` when the limit is reached and only
/// the interval or a change starts another.
///
/// The delay is `base · factor^(attempt − 1)`, at most `max`, then up to 10 % longer or shorter, but never over `max`.
#[must_use]
pub fn delay(backoff: Option<&Backoff>, uid: &str, attempt: u32) -> Option<Duration> {
    let backoff = backoff.unwrap_or(&DEFAULT);
    let attempt = attempt.max(1);
    if backoff.limit != 0 && attempt > backoff.limit {
        return None;
    }
    let max = backoff.max.max(SHORTEST);
    let mut delay = backoff.base.clamp(SHORTEST, max);
    // A factor of 2 or more passes any maximum within 128 steps, so that the loop is short for any attempt.
    if backoff.factor > 1 {
        for _ in 1..attempt {
            if delay >= max {
                break;
            }
            delay = delay.saturating_mul(backoff.factor).min(max);
        }
    }
    Some(jitter(delay, &[uid.as_bytes(), b"/retry/", &attempt.to_be_bytes()]).clamp(SHORTEST, max))
}

/// The interval of one Release: `interval` ± 10 %, always the same for one uid.
#[must_use]
pub fn jittered_interval(interval: Duration, uid: &str) -> Duration {
    jitter(interval, &[uid.as_bytes(), b"/interval"]).max(SHORTEST)
}

/// A duration times a number between 0.9 and 1.1 that the seed decides.
fn jitter(duration: Duration, seed: &[&[u8]]) -> Duration {
    let mut hash = Sha256::new();
    for part in seed {
        hash.update(part);
    }
    let digest = hash.finalize();
    // 0 to 2000: per mille of a tenth, twice.
    let draw = u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]]) % 2001;
    let tenth = duration / 10;
    duration.saturating_sub(tenth).saturating_add(tenth / 1000 * draw)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn backoff(base: u64, factor: u32, max: u64, limit: u32) -> Backoff {
        Backoff {
            base: Duration::from_secs(base),
            factor,
            max: Duration::from_secs(max),
            limit,
        }
    }

    /// Whether a delay is within 10 % of so many seconds.
    fn near(found: Option<Duration>, seconds: u64) -> bool {
        let expect = Duration::from_secs(seconds);
        found.is_some_and(|found| found >= expect * 9 / 10 && found <= expect + expect / 10)
    }

    #[test]
    fn delays_grow_to_the_maximum_and_stay_there() {
        let policy = backoff(5, 2, 60, 0);
        for (attempt, expect) in [
            (0, 5),
            (1, 5),
            (2, 10),
            (3, 20),
            (4, 40),
            (5, 60),
            (6, 60),
            (u32::MAX, 60),
        ] {
            let found = delay(Some(&policy), "a", attempt);
            assert!(near(found, expect), "{attempt}: {found:?}");
            assert!(found <= Some(policy.max), "{attempt}: {found:?}");
        }
    }

    #[test]
    fn without_a_policy_the_default_limiter_has_no_end() {
        for (attempt, expect) in [(1, 1), (2, 2), (9, 256), (10, 300), (1_000_000, 300)] {
            assert!(near(delay(None, "a", attempt), expect), "{attempt}");
        }
    }

    #[test]
    fn the_limit_ends_the_retries() {
        let policy = backoff(1, 2, 10, 3);
        assert!(delay(Some(&policy), "a", 3).is_some());
        assert_eq!(delay(Some(&policy), "a", 4), None);
    }

    #[test]
    fn one_release_has_the_same_delays_again_and_two_have_others() {
        let delays = |uid: &str| [1, 2, 3].map(|attempt| delay(None, uid, attempt));
        assert_eq!(delays("a"), delays("a"));
        assert_ne!(delays("a"), delays("b"));
        let minute = Duration::from_mins(1);
        assert_eq!(jittered_interval(minute, "a"), jittered_interval(minute, "a"));
        assert_ne!(jittered_interval(minute, "a"), jittered_interval(minute, "b"));
    }

    #[test]
    fn odd_policies_neither_overflow_nor_spin() {
        let huge = Duration::MAX;
        for policy in [
            backoff(0, 0, 0, 0),
            backoff(0, 2, 10, 0),
            backoff(10, 0, 5, 0),
            backoff(u64::MAX, u32::MAX, u64::MAX, 0),
        ] {
            for attempt in [0, 1, 2, u32::MAX] {
                let found = delay(Some(&policy), "a", attempt).unwrap();
                assert!(
                    found >= SHORTEST && found <= policy.max.max(SHORTEST),
                    "{policy:?} {found:?}"
                );
            }
        }
        assert!(jittered_interval(huge, "a") >= huge / 10 * 8);
        assert_eq!(jittered_interval(Duration::ZERO, "a"), SHORTEST);
    }

    #[test]
    fn intervals_spread_over_a_fifth() {
        let minute = Duration::from_mins(1);
        let uids = (0..200).map(|n| alloc::format!("uid-{n}"));
        let found: alloc::vec::Vec<Duration> = uids.map(|uid| jittered_interval(minute, &uid)).collect();
        assert!(found.iter().all(|interval| near(Some(*interval), 60)));
        let early = found
            .iter()
            .filter(|interval| **interval < Duration::from_secs(57))
            .count();
        let late = found
            .iter()
            .filter(|interval| **interval > Duration::from_secs(63))
            .count();
        assert!(early > 20 && late > 20, "{early} early, {late} late");
    }
}
