//! The operating system's clock and randomness behind the ports [`Clock`] and [`Entropy`].

use std::fs::File;
use std::io::Read as _;
use std::time::{SystemTime, UNIX_EPOCH};

use convoy_domain::Timestamp;
use convoy_ports::{Clock, Entropy, EntropyError};

/// The wall clock, in UTC. It steps back when an administrator or a time service sets it back.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        to_timestamp(SystemTime::now())
    }
}

/// The kernel's randomness.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemEntropy;

impl Entropy for SystemEntropy {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        File::open("/dev/urandom")
            .and_then(|mut file| file.read_exact(bytes))
            .map_err(|error| EntropyError { why: error.to_string() })
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
    fn random_bytes_are_others_each_time() {
        let draw = || {
            let mut bytes = [0; 32];
            SystemEntropy.fill(&mut bytes).map(|()| bytes)
        };
        assert_ne!(draw().unwrap(), draw().unwrap());
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
