//! How many requests a cluster is sent.

use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::{Instant, sleep_until};

/// Requests per second where a Cluster says nothing: a bound on a fault of ours, not on the work, since an API server
/// guards itself by priority and fairness.
const DEFAULT_QPS: u32 = 1_000;

/// Requests at once where a Cluster says nothing.
const DEFAULT_BURST: u32 = 2_000;

/// A token bucket: `burst` requests at once, then `qps` a second, first come first served.
#[derive(Debug)]
pub(super) struct Limiter {
    /// Time between two requests at the full rate.
    pace: Duration,
    /// How far the schedule may lag behind the present, which is what a burst uses up.
    slack: Duration,
    /// When the next request is due at the full rate.
    next: Mutex<Option<Instant>>,
}

impl Limiter {
    pub(super) fn new(qps: Option<u32>, burst: Option<u32>) -> Self {
        let qps = qps.unwrap_or(DEFAULT_QPS).max(1);
        let burst = burst.unwrap_or_else(|| DEFAULT_BURST.max(qps)).max(1);
        let pace = Duration::from_secs(1) / qps;
        Self {
            pace,
            slack: pace * (burst - 1),
            next: Mutex::new(None),
        }
    }

    /// Waits until a request may be sent.
    pub(super) async fn take(&self) {
        let due = {
            let mut next = self.next.lock().await;
            let now = Instant::now();
            let earliest = now.checked_sub(self.slack).unwrap_or(now);
            let due = next.map_or(earliest, |next| next.max(earliest));
            *next = Some(due + self.pace);
            due
        };
        sleep_until(due).await;
    }
}

impl Default for Limiter {
    fn default() -> Self {
        Self::new(None, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn time_of(limiter: &Limiter, requests: u32) -> Duration {
        let started = Instant::now();
        for _ in 0..requests {
            limiter.take().await;
        }
        started.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn a_burst_goes_at_once_and_the_rest_at_the_rate() {
        tokio::time::advance(Duration::from_hours(1)).await;
        let limiter = Limiter::new(Some(10), Some(5));
        assert_eq!(time_of(&limiter, 5).await, Duration::ZERO);
        let rest = time_of(&limiter, 10).await;
        assert!(
            (Duration::from_secs(1)..Duration::from_millis(1_020)).contains(&rest),
            "{rest:?}"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_pause_gives_the_burst_back_but_no_more() {
        tokio::time::advance(Duration::from_hours(1)).await;
        let limiter = Limiter::new(Some(10), Some(5));
        time_of(&limiter, 20).await;
        tokio::time::advance(Duration::from_mins(1)).await;
        assert_eq!(time_of(&limiter, 5).await, Duration::ZERO);
        assert!(time_of(&limiter, 1).await >= Duration::from_millis(100));
    }
}
