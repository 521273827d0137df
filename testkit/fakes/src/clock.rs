//! A clock that a test sets.

use std::sync::Mutex;
use std::time::Duration;

use convoy_domain::Timestamp;
use convoy_ports::Clock;

use crate::sync::lock;

/// Stands still until it is told to move, and may step back.
#[derive(Debug)]
pub struct FakeClock(Mutex<Timestamp>);

impl FakeClock {
    /// A clock at `now`.
    #[must_use]
    pub const fn at(now: Timestamp) -> Self {
        Self(Mutex::new(now))
    }

    /// A clock at `seconds` after 1970.
    ///
    /// # Panics
    /// When that is no time of the calendar.
    #[must_use]
    pub fn at_second(seconds: i64) -> Self {
        Self::at(Timestamp::from_second(seconds).expect("a time of the calendar"))
    }

    /// Sets the time, forwards or back.
    pub fn set(&self, now: Timestamp) {
        *lock(&self.0) = now;
    }

    /// Moves forward.
    ///
    /// # Panics
    /// When the calendar ends.
    pub fn advance(&self, by: Duration) {
        let mut now = lock(&self.0);
        *now = now.checked_add(by).expect("a time of the calendar");
    }

    /// Steps back.
    ///
    /// # Panics
    /// When the calendar ends.
    pub fn step_back(&self, by: Duration) {
        let mut now = lock(&self.0);
        *now = now.checked_sub(by).expect("a time of the calendar");
    }
}

impl Clock for FakeClock {
    fn now(&self) -> Timestamp {
        *lock(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_stands_still_moves_and_steps_back() {
        let clock = FakeClock::at_second(1_000);
        let start = clock.now();
        assert_eq!(clock.now(), start);
        clock.advance(Duration::from_millis(1_500));
        assert_eq!(clock.now().as_millisecond(), 1_001_500);
        clock.step_back(Duration::from_secs(2));
        assert_eq!(clock.now().as_millisecond(), 999_500);
        clock.set(start);
        assert_eq!(clock.now(), start);
    }
}
