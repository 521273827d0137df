//! `time.Time`: an instant with the zone it is shown in.

mod layout;

use alloc::string::String;
use core::fmt;

use crate::{Str, lossy};

/// The zone that an instant is shown in: its offset then, and its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Zone {
    /// Abbreviation, like `UTC` or `CET`; empty when it has none, then the offset is shown.
    pub name: Str,
    /// Seconds east of UTC.
    pub offset: i32,
}

impl Zone {
    /// UTC.
    #[must_use]
    pub fn utc() -> Self {
        Self {
            name: "UTC".into(),
            offset: 0,
        }
    }
}

/// An instant, shown in a zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Time {
    /// Seconds since 1970-01-01T00:00:00Z.
    pub seconds: i64,
    /// Nanoseconds, below 1,000,000,000.
    pub nanos: u32,
    /// The zone.
    pub zone: Zone,
}

/// Date and time of day in a zone, in the proleptic Gregorian calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Civil {
    /// Year, possibly negative.
    pub year: i64,
    /// 1 to 12.
    pub month: u8,
    /// 1 to 31.
    pub day: u8,
    /// 0 to 23.
    pub hour: u8,
    /// 0 to 59.
    pub minute: u8,
    /// 0 to 59.
    pub second: u8,
    /// 0 is Sunday.
    pub weekday: u8,
    /// 1 to 366.
    pub year_day: u16,
}

pub(crate) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
pub(crate) const WEEKDAYS: [&str; 7] = [
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
];

/// Days from 1970-01-01 to a date; months beyond 12 and days beyond the month run on.
#[must_use]
pub fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = year + (month - 1).div_euclid(12);
    let month = (month - 1).rem_euclid(12) + 1;
    let shifted = if month <= 2 { year - 1 } else { year };
    let era = shifted.div_euclid(400);
    let year_of_era = shifted.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// Year, month and day of a number of days from 1970-01-01.
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

fn small<T: TryFrom<i64> + Default>(i: i64) -> T {
    T::try_from(i).unwrap_or_default()
}

impl Time {
    /// The instant so many seconds after 1970-01-01T00:00:00Z, shown in UTC.
    #[must_use]
    pub fn unix(seconds: i64, nanos: u32) -> Self {
        Self {
            seconds,
            nanos,
            zone: Zone::utc(),
        }
    }

    /// Go's zero time, the first second of year 1.
    #[must_use]
    pub fn zero() -> Self {
        Self::unix(-62_135_596_800, 0)
    }

    /// Whether this is Go's zero time.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.seconds == -62_135_596_800 && self.nanos == 0
    }

    /// The same instant in another zone.
    #[must_use]
    pub fn in_zone(&self, zone: Zone) -> Self {
        Self { zone, ..*self }
    }

    /// The instant `nanos` nanoseconds later.
    #[must_use]
    pub fn add(&self, nanos: i64) -> Self {
        let total = i64::from(self.nanos) + nanos.rem_euclid(1_000_000_000);
        Self {
            seconds: self
                .seconds
                .saturating_add(nanos.div_euclid(1_000_000_000))
                .saturating_add(total / 1_000_000_000),
            nanos: small(total % 1_000_000_000),
            zone: self.zone.clone(),
        }
    }

    /// Nanoseconds from `other` to this, at most what `time.Duration` holds.
    #[must_use]
    pub fn since(&self, other: &Self) -> i64 {
        let nanos =
            i128::from(self.seconds - other.seconds) * 1_000_000_000 + i128::from(self.nanos) - i128::from(other.nanos);
        i64::try_from(nanos).unwrap_or(if nanos < 0 { i64::MIN } else { i64::MAX })
    }

    /// Date and time of day in the zone.
    #[must_use]
    pub fn civil(&self) -> Civil {
        let local = self.seconds.saturating_add(i64::from(self.zone.offset));
        let days = local.div_euclid(86_400);
        let second = local.rem_euclid(86_400);
        let (year, month, day) = civil_from_days(days);
        Civil {
            year,
            month: small(month),
            day: small(day),
            hour: small(second / 3_600),
            minute: small(second / 60 % 60),
            second: small(second % 60),
            weekday: small((days + 4).rem_euclid(7)),
            year_day: small(days - days_from_civil(year, 1, 1) + 1),
        }
    }

    /// The text by a Go layout such as `2006-01-02`.
    #[must_use]
    pub fn format(&self, layout: &[u8]) -> Str {
        layout::format(self, layout).into()
    }

    /// As JSON has it.
    #[must_use]
    pub fn rfc3339_nano(&self) -> String {
        String::from_utf8(layout::format(self, b"2006-01-02T15:04:05.999999999Z07:00")).unwrap_or_default()
    }

    /// Reads a text by a Go layout; the zone is UTC unless the text has an offset.
    ///
    /// # Errors
    /// With Go's text when the two do not agree.
    pub fn parse(layout: impl AsRef<[u8]>, text: impl AsRef<[u8]>) -> Result<Self, String> {
        layout::parse(layout.as_ref(), text.as_ref())
    }
}

/// As Go's `String`.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&lossy(&layout::format(
            self,
            b"2006-01-02 15:04:05.999999999 -0700 MST",
        )))
    }
}

/// A text as errors about times and durations show it.
#[must_use]
pub fn time_quote(text: impl AsRef<[u8]>) -> String {
    layout::quote(&layout::bytes_as_text(text.as_ref()))
}

/// `time.Duration` as Go's `String`.
#[must_use]
pub fn duration_text(nanos: i64) -> String {
    use alloc::format;
    let magnitude = nanos.unsigned_abs();
    let sign = if nanos < 0 { "-" } else { "" };
    if magnitude == 0 {
        return "0s".into();
    }
    if magnitude < 1_000_000_000 {
        let (unit, scale) = match magnitude {
            0..1_000 => ("ns", 1),
            1_000..1_000_000 => ("µs", 1_000),
            _ => ("ms", 1_000_000),
        };
        return format!("{sign}{}{unit}", decimal(magnitude, scale));
    }
    let seconds = magnitude / 1_000_000_000;
    let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60);
    let rest = decimal(magnitude - (seconds - seconds % 60) * 1_000_000_000, 1_000_000_000);
    match (hours, minutes) {
        (0, 0) => format!("{sign}{rest}s"),
        (0, _) => format!("{sign}{minutes}m{rest}s"),
        _ => format!("{sign}{hours}h{minutes}m{rest}s"),
    }
}

/// `value / scale` with as many digits after the point as it takes.
fn decimal(value: u64, scale: u64) -> String {
    use alloc::format;
    let (whole, rest) = (value / scale, value % scale);
    if rest == 0 {
        return format!("{whole}");
    }
    let width = scale.ilog10() as usize;
    let digits = format!("{rest:0width$}");
    format!("{whole}.{}", digits.trim_end_matches('0'))
}
