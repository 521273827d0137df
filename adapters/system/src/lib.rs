//! The operating system's clock behind the port [`Clock`].

use std::time::{SystemTime, UNIX_EPOCH};

use convoy_domain::Timestamp;
use convoy_ports::Clock;

/// The wall clock, in UTC. It steps back when an administrator or a time service sets it back.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        to_timestamp(SystemTime::now())
    }
}

/// The time to the nanosecond; one outside the calendar (years -9999 to 9999) is its nearest end.
fn to_timestamp(time: SystemTime) -> Timestamp {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => Timestamp::UNIX_EPOCH.checked_add(since).unwrap_or(Timestamp::MAX),
        Err(before) => Timestamp::UNIX_EPOCH
            .checked_sub(before.duration())
            .unwrap_or(Timestamp::MIN),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn times_are_kept_to_the_nanosecond_on_both_sides_of_1970() {
        for (seconds, nanoseconds) in [(0, 0), (0, 1), (1_800_000_000, 999_999_999), (1, 500)] {
            let offset = Duration::new(seconds, nanoseconds);
            let expected = i128::try_from(offset.as_nanos()).unwrap();
            assert_eq!(to_timestamp(UNIX_EPOCH + offset).as_nanosecond(), expected);
            assert_eq!(to_timestamp(UNIX_EPOCH - offset).as_nanosecond(), -expected);
        }
    }

    #[test]
    fn a_time_outside_the_calendar_is_its_nearest_end() {
        let far = Duration::from_secs(1 << 40);
        assert_eq!(to_timestamp(UNIX_EPOCH + far), Timestamp::MAX);
        assert_eq!(to_timestamp(UNIX_EPOCH - far), Timestamp::MIN);
    }

    #[test]
    fn now_is_between_two_looks_at_the_system() {
        let before = to_timestamp(SystemTime::now());
        let now = SystemClock.now();
        assert!(
            before <= now && now <= to_timestamp(SystemTime::now()),
            "{before} {now}"
        );
    }
}
