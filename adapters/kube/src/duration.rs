//! Durations as Go writes and reads them (`time.Duration`, which the Kubernetes API carries as text).

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// What the API server accepts: Go's syntax without a minus sign, since none of our durations can be negative.
pub(crate) const PATTERN: &str =
    r"^\+?(0|([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))*)$";

/// Longest text that is read.
const MAX_LENGTH: usize = 64;

/// Units as Go names them, in nanoseconds; the two spellings of the micro sign differ in Unicode.
const UNITS: [(&str, u64); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("\u{b5}s", 1_000),
    ("\u{3bc}s", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// The largest count of nanoseconds that Go's `time.Duration` holds.
const MAX_NANOSECONDS: u64 = i64::MAX as u64;

/// A duration that is not negative, in Go's syntax: `1m0s`, `20s`, `1.5h`, `0`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct GoDuration(Duration);

/// Why a text is no duration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidDuration {
    /// The syntax is not Go's.
    #[error("`{0}` is not a duration: expected numbers with units, such as `1m0s`")]
    Syntax(String),
    /// A number has no unit.
    #[error("`{0}` lacks a unit: expected one of ns, us, ms, s, m, h")]
    MissingUnit(String),
    /// The unit is none of Go's.
    #[error("`{0}` has an unknown unit: expected one of ns, us, ms, s, m, h")]
    UnknownUnit(String),
    /// It is below zero.
    #[error("`{0}` is negative")]
    Negative(String),
    /// It is more than Go's type holds, which is about 292 years.
    #[error("`{0}` is longer than 292 years")]
    TooLong(String),
}

impl GoDuration {
    /// So many seconds.
    #[must_use]
    pub const fn from_secs(seconds: u64) -> Self {
        Self(Duration::from_secs(seconds))
    }

    /// The duration.
    #[must_use]
    pub const fn get(self) -> Duration {
        self.0
    }
}

impl From<Duration> for GoDuration {
    fn from(duration: Duration) -> Self {
        Self(duration)
    }
}

impl FromStr for GoDuration {
    type Err = InvalidDuration;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let shown = || text.chars().take(MAX_LENGTH).collect::<String>();
        if text.len() > MAX_LENGTH {
            return Err(InvalidDuration::Syntax(shown()));
        }
        let (negative, mut rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        if rest == "0" {
            return Ok(Self::default());
        }
        if rest.is_empty() {
            return Err(InvalidDuration::Syntax(shown()));
        }
        let mut total: u64 = 0;
        while !rest.is_empty() {
            let (nanoseconds, after) = component(rest).map_err(|fault| fault.of(shown()))?;
            total = total
                .checked_add(nanoseconds)
                .filter(|total| *total <= MAX_NANOSECONDS)
                .ok_or_else(|| InvalidDuration::TooLong(shown()))?;
            rest = after;
        }
        if negative && total > 0 {
            return Err(InvalidDuration::Negative(shown()));
        }
        Ok(Self(Duration::from_nanos(total)))
    }
}

/// An [`InvalidDuration`] that does not know the whole text.
#[derive(Clone, Copy)]
enum Fault {
    Syntax,
    MissingUnit,
    UnknownUnit,
    TooLong,
}

impl Fault {
    fn of(self, text: String) -> InvalidDuration {
        match self {
            Self::Syntax => InvalidDuration::Syntax(text),
            Self::MissingUnit => InvalidDuration::MissingUnit(text),
            Self::UnknownUnit => InvalidDuration::UnknownUnit(text),
            Self::TooLong => InvalidDuration::TooLong(text),
        }
    }
}

/// Reads one number with its unit; answers its nanoseconds and what follows.
fn component(text: &str) -> Result<(u64, &str), Fault> {
    let (whole, rest) = digits(text);
    let (fraction, rest) = match rest.strip_prefix('.') {
        Some(rest) => digits(rest),
        None => ("", rest),
    };
    if whole.is_empty() && fraction.is_empty() {
        return Err(Fault::Syntax);
    }
    let end = rest
        .find(|c: char| c == '.' || c.is_ascii_digit())
        .unwrap_or(rest.len());
    let (name, rest) = rest.split_at(end);
    if name.is_empty() {
        return Err(Fault::MissingUnit);
    }
    let unit = UNITS
        .iter()
        .find(|(unit, _)| *unit == name)
        .map(|(_, nanoseconds)| *nanoseconds)
        .ok_or(Fault::UnknownUnit)?;
    let number = |text: &str| {
        if text.is_empty() {
            Some(0)
        } else {
            text.parse::<u64>().ok()
        }
    };
    let whole = number(whole)
        .and_then(|whole| whole.checked_mul(unit))
        .ok_or(Fault::TooLong)?;
    let nanoseconds = whole.checked_add(part(fraction, unit)).ok_or(Fault::TooLong)?;
    Ok((nanoseconds, rest))
}

/// The nanoseconds of a decimal fraction of a unit; digits beyond a nanosecond are cut off, as in Go.
fn part(fraction: &str, unit: u64) -> u64 {
    let mut value: u128 = 0;
    let mut scale: u128 = 1;
    // An hour has 3.6e12 nanoseconds: 18 digits decide every nanosecond.
    for digit in fraction.bytes().take(18) {
        value = value * 10 + u128::from(digit - b'0');
        scale *= 10;
    }
    u64::try_from(value * u128::from(unit) / scale).unwrap_or(u64::MAX)
}

fn digits(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text.split_at(end)
}

impl fmt::Display for GoDuration {
    /// As Go's `Duration.String`: `1h0m0s`, `1m0s`, `1.5s`, `2ms`, `0s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanoseconds = self.0.as_nanos();
        let second = 1_000_000_000;
        if nanoseconds == 0 {
            return f.write_str("0s");
        }
        if nanoseconds < second {
            let (unit, name) = match nanoseconds {
                0..1_000 => (1, "ns"),
                1_000..1_000_000 => (1_000, "\u{b5}s"),
                _ => (1_000_000, "ms"),
            };
            return write_decimal(f, nanoseconds, unit, name);
        }
        let (hours, minutes) = (nanoseconds / (3_600 * second), nanoseconds / (60 * second) % 60);
        if hours > 0 {
            write!(f, "{hours}h")?;
        }
        if hours > 0 || minutes > 0 {
            write!(f, "{minutes}m")?;
        }
        write_decimal(f, nanoseconds % (60 * second), second, "s")
    }
}

/// `count / unit` with as many decimals as it has, and the unit's name.
fn write_decimal(f: &mut fmt::Formatter<'_>, count: u128, unit: u128, name: &str) -> fmt::Result {
    write!(f, "{}", count / unit)?;
    let mut rest = count % unit;
    if rest > 0 {
        f.write_str(".")?;
        let mut unit = unit;
        while rest > 0 {
            unit /= 10;
            write!(f, "{}", rest / unit)?;
            rest %= unit;
        }
    }
    f.write_str(name)
}

impl Serialize for GoDuration {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for GoDuration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

impl JsonSchema for GoDuration {
    fn schema_name() -> Cow<'static, str> {
        "GoDuration".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "maxLength": MAX_LENGTH, "pattern": PATTERN })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn texts_are_read_as_go_reads_them() {
        let check = |text: &str, nanoseconds: u64| {
            assert_eq!(
                text.parse::<GoDuration>().map(GoDuration::get),
                Ok(Duration::from_nanos(nanoseconds)),
                "{text}"
            );
        };
        check("0", 0);
        check("+0", 0);
        check("-0", 0);
        check("0s", 0);
        check("5s", 5_000_000_000);
        check("+5s", 5_000_000_000);
        check("1m0s", 60_000_000_000);
        check("1h15m30.918273645s", 4_530_918_273_645);
        check(".5s", 500_000_000);
        check("1.s", 1_000_000_000);
        check("1.00400s", 1_004_000_000);
        check("39h9m14.425s", 140_954_425_000_000);
        check("14us", 14_000);
        check("14\u{b5}s", 14_000);
        check("14\u{3bc}s", 14_000);
        check("0.3333333333333333333h", 1_199_999_999_999);
        check("9223372036854775807ns", 9_223_372_036_854_775_807);
        check("0.9223372036854775807h", 3_320_413_933_267);
        check("1s1s", 2_000_000_000);
    }

    #[test]
    fn what_go_refuses_is_refused() {
        let check = |text: &str, expect: fn(String) -> InvalidDuration| {
            assert_eq!(text.parse::<GoDuration>(), Err(expect(text.to_owned())), "{text}");
        };
        check("", InvalidDuration::Syntax);
        check("-", InvalidDuration::Syntax);
        check("s", InvalidDuration::Syntax);
        check(".", InvalidDuration::Syntax);
        check(".s", InvalidDuration::Syntax);
        check(" 1s", InvalidDuration::Syntax);
        check("3", InvalidDuration::MissingUnit);
        check("1s3", InvalidDuration::MissingUnit);
        check("1d", InvalidDuration::UnknownUnit);
        check("1s ", InvalidDuration::UnknownUnit);
        check("1S", InvalidDuration::UnknownUnit);
        check("9223372036854775808ns", InvalidDuration::TooLong);
        check("9223372036854775.808us", InvalidDuration::TooLong);
        check("3000000h", InvalidDuration::TooLong);
        check("99999999999999999999999h", InvalidDuration::TooLong);
        check("-1s", InvalidDuration::Negative);
        assert!("1s".repeat(40).parse::<GoDuration>().is_err(), "the length is bounded");
    }

    #[test]
    fn durations_are_written_as_go_writes_them() {
        let check = |nanoseconds: u64, expect: &str| {
            assert_eq!(GoDuration(Duration::from_nanos(nanoseconds)).to_string(), expect);
        };
        check(0, "0s");
        check(1, "1ns");
        check(1_100, "1.1\u{b5}s");
        check(2_200_000, "2.2ms");
        check(3_300_000_000, "3.3s");
        check(20_000_000_000, "20s");
        check(60_000_000_000, "1m0s");
        check(245_000_000_000, "4m5s");
        check(245_001_000_000, "4m5.001s");
        check(18_367_001_000_000, "5h6m7.001s");
        check(480_000_000_001, "8m0.000000001s");
        check(9_223_372_036_854_775_807, "2562047h47m16.854775807s");
    }

    proptest! {
        #[test]
        fn a_written_duration_reads_back(nanoseconds in 0..=MAX_NANOSECONDS) {
            let duration = GoDuration(Duration::from_nanos(nanoseconds));
            prop_assert_eq!(duration.to_string().parse(), Ok(duration));
        }

        #[test]
        fn no_text_panics(text in ".{0,80}") {
            let _ = text.parse::<GoDuration>();
        }
    }
}
