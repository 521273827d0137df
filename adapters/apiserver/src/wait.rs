//! How long a workload is asked to take: the value of an annotation, as seconds or as a duration of Go.

use std::time::Duration;

/// The longest time that an annotation can ask a workload to take.
const LONGEST: Duration = Duration::from_hours(24);

/// The longest text that is read.
const MAX_TEXT: usize = 64;

/// Units of Go's durations, in seconds; longer names first where one begins another.
const UNITS: [(&str, f64); 8] = [
    ("ns", 1e-9),
    ("us", 1e-6),
    ("µs", 1e-6),
    ("μs", 1e-6),
    ("ms", 1e-3),
    ("s", 1.0),
    ("m", 60.0),
    ("h", 3_600.0),
];

/// Why a time was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum WaitError {
    #[error("it is neither a number of seconds nor a duration as `1h`, `1.5s` or `1m30s`")]
    Form,
    #[error("it is longer than a day")]
    Long,
}

/// Reads `3`, `0.5`, `1h` or `1m30s`.
pub(crate) fn parse(text: &str) -> Result<Duration, WaitError> {
    let text = text.trim();
    if text.len() > MAX_TEXT {
        return Err(WaitError::Form);
    }
    let seconds = match number(text) {
        Some(seconds) => seconds,
        None => sum(text).ok_or(WaitError::Form)?,
    };
    match Duration::try_from_secs_f64(seconds) {
        Ok(time) if time <= LONGEST => Ok(time),
        Ok(_) | Err(_) => Err(WaitError::Long),
    }
}

/// A decimal number without sign or exponent.
fn number(text: &str) -> Option<f64> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if digits { text.parse().ok() } else { None }
}

/// The sum of the parts of a duration; at least one.
fn sum(text: &str) -> Option<f64> {
    let mut rest = text.strip_prefix('+').unwrap_or(text);
    let mut seconds = 0.0;
    loop {
        let end = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.')?;
        let (digits, unit) = rest.split_at(end);
        let (name, size) = UNITS.iter().find(|(name, _)| unit.starts_with(name))?;
        seconds += number(digits)? * size;
        rest = &unit[name.len()..];
        if rest.is_empty() {
            return Some(seconds);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn seconds_and_durations_of_go_are_read() {
        let check = |text: &str, millis: u64| assert_eq!(parse(text), Ok(Duration::from_millis(millis)), "{text}");
        check("0", 0);
        check("3", 3_000);
        check("0.5", 500);
        check("1h", 3_600_000);
        check("1.5s", 1_500);
        check("1m30s", 90_000);
        check("250ms", 250);
        check("+2s", 2_000);
        check("2000us", 2);
        check("2000µs", 2);
        check(" 2s ", 2_000);
        check("24h", 86_400_000);
    }

    #[test]
    fn what_is_no_time_is_refused() {
        let check = |text: &str, expect: WaitError| assert_eq!(parse(text), Err(expect), "{text}");
        for text in [
            "", "soon", "-1", "-1s", "1x", "1h30", "s", ".", "1..5s", "inf", "NaN", "1e3", "+", "1 s",
        ] {
            check(text, WaitError::Form);
        }
        check(&"1".repeat(65), WaitError::Form);
        check("25h", WaitError::Long);
        check("99999999999999999999999999", WaitError::Long);
    }

    proptest! {
        #[test]
        fn no_text_is_read_as_more_than_a_day(text in "\\PC{0,12}|[0-9.+-]{0,6}(ns|us|µs|ms|s|m|h)?[0-9.]{0,6}(s|m|h)?") {
            if let Ok(time) = parse(&text) {
                prop_assert!(time <= LONGEST);
            }
        }
    }
}
