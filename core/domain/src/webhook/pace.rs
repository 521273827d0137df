//! How often webhooks are looked at, and how often one counts.

use core::time::Duration;

use jiff::Timestamp;

/// How long to wait until a source that was last asked to be fetched at `last` may be again; nothing when it may now.
///
/// A clock that stepped back makes nobody wait longer than `min_sync_interval`.
#[must_use]
pub fn due(last: Option<Timestamp>, now: Timestamp, min_sync_interval: Duration) -> Option<Duration> {
    let age = Duration::try_from(now.duration_since(last?)).unwrap_or_default();
    min_sync_interval.checked_sub(age).filter(|left| !left.is_zero())
}

/// So many at once, and so many a second after that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    most: u32,
    a_second: u32,
    /// Thousandths of what may come now.
    left: u64,
    filled: Timestamp,
}

impl Bucket {
    /// A full bucket.
    #[must_use]
    pub const fn new(most: u32, a_second: u32, now: Timestamp) -> Self {
        Self {
            most,
            a_second,
            left: most as u64 * 1_000,
            filled: now,
        }
    }

    /// Takes one, if there is one.
    pub fn take(&mut self, now: Timestamp) -> bool {
        let passed = Duration::try_from(now.duration_since(self.filled)).unwrap_or_default();
        let millis = u64::try_from(passed.as_millis()).unwrap_or(u64::MAX);
        let more = millis.saturating_mul(u64::from(self.a_second));
        self.left = self.left.saturating_add(more).min(u64::from(self.most) * 1_000);
        self.filled = now;
        match self.left.checked_sub(1_000) {
            Some(left) => {
                self.left = left;
                true
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millisecond(1_800_000_000_000 + millis).unwrap()
    }

    #[test]
    fn a_source_is_asked_for_once_in_its_interval() {
        let interval = Duration::from_secs(30);
        let check = |last: Option<i64>, now: i64, expect: Option<u64>| {
            let found = due(last.map(at), at(now), interval);
            assert_eq!(found, expect.map(Duration::from_millis), "{last:?} {now}");
        };
        check(None, 0, None);
        check(Some(0), 0, Some(30_000));
        check(Some(0), 29_999, Some(1));
        check(Some(0), 30_000, None);
        check(Some(500_000), 0, Some(30_000));
        assert_eq!(due(Some(at(0)), at(0), Duration::ZERO), None);
    }

    #[test]
    fn a_bucket_gives_a_burst_and_then_its_rate() {
        let mut bucket = Bucket::new(3, 2, at(0));
        let mut taken = |now, wanted: usize| (0..wanted).filter(|_| bucket.take(at(now))).count();
        assert_eq!(taken(0, 9), 3);
        assert_eq!(taken(499, 9), 0);
        assert_eq!(taken(500, 9), 1);
        assert_eq!(taken(1_500, 9), 2);
        assert_eq!(taken(3_600_000, 9), 3, "it holds no more than at first");
        assert_eq!(taken(0, 9), 0, "a clock that steps back fills nothing");
        assert_eq!(taken(1_000, 9), 2);
    }

    proptest::proptest! {
        #[test]
        fn no_more_pass_than_the_rate_allows(steps in proptest::collection::vec(0_i64..400, 1..200)) {
            let mut bucket = Bucket::new(5, 3, at(0));
            let (mut now, mut passed) = (0_i64, 0_i64);
            for step in steps {
                now += step;
                passed += i64::from(bucket.take(at(now)));
                proptest::prop_assert!(passed <= 5 + now * 3 / 1_000, "{passed} within {now} ms");
            }
        }
    }
}
