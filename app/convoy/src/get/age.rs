//! How long ago something was, in the two figures that kubectl shows.

use jiff::Timestamp;

/// The time from `then` to `now`: exact when short, coarse when long; a time to come is `0s`.
pub(crate) fn age(then: Timestamp, now: Timestamp) -> String {
    const MINUTE: i64 = 60;
    const HOUR: i64 = 60 * MINUTE;
    const DAY: i64 = 24 * HOUR;
    const YEAR: i64 = 365 * DAY;
    let seconds = now.as_second().saturating_sub(then.as_second()).max(0);
    let pair = |big: i64, unit, small: i64, rest| match seconds % big / small {
        0 => format!("{}{unit}", seconds / big),
        more => format!("{}{unit}{more}{rest}", seconds / big),
    };
    match seconds {
        s if s < 2 * MINUTE => format!("{s}s"),
        s if s < 10 * MINUTE => pair(MINUTE, "m", 1, "s"),
        s if s < 3 * HOUR => format!("{}m", s / MINUTE),
        s if s < 8 * HOUR => pair(HOUR, "h", MINUTE, "m"),
        s if s < 2 * DAY => format!("{}h", s / HOUR),
        s if s < 8 * DAY => pair(DAY, "d", HOUR, "h"),
        s if s < 2 * YEAR => format!("{}d", s / DAY),
        s if s < 8 * YEAR => pair(YEAR, "y", DAY, "d"),
        s => format!("{}y", s / YEAR),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_exact_when_short_and_coarse_when_long() {
        let check = |seconds: i64, expect: &str| {
            let now = Timestamp::from_second(1_800_000_000).unwrap();
            let then = Timestamp::from_second(1_800_000_000 - seconds).unwrap();
            assert_eq!(age(then, now), expect);
        };
        check(-5, "0s");
        check(0, "0s");
        check(119, "119s");
        check(120, "2m");
        check(185, "3m5s");
        check(600, "10m");
        check(3 * 3600 - 1, "179m");
        check(3 * 3600 + 120, "3h2m");
        check(8 * 3600 + 120, "8h");
        check(2 * 86400, "2d");
        check(3 * 86400 + 3600, "3d1h");
        check(100 * 86400, "100d");
        check(3 * 365 * 86400 + 86400, "3y1d");
        check(9 * 365 * 86400, "9y");
    }
}
