//! What go-yaml takes for a timestamp.
//!
//! The Helm reader needs only to know that a text is one (it stays text, and the writer must quote it); the
//! Kustomize reader, as kyaml, hands out the time in RFC 3339.

use alloc::format;
use alloc::string::String;

use core::fmt::Write as _;

/// A time as it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Timestamp {
    year: u32,
    month: u32,
    day: u32,
    hour: u32,
    minute: u32,
    second: u32,
    nanos: u32,
    /// Minutes east of UTC.
    offset: i32,
}

/// Whether `text` is a timestamp.
pub(super) fn is_timestamp(text: &str) -> bool {
    parse(text).is_some()
}

/// The timestamp `text` as Go writes a time in JSON.
pub(super) fn to_rfc3339(text: &str) -> Option<String> {
    let t = parse(text)?;
    let Timestamp {
        year,
        month,
        day,
        hour,
        minute,
        second,
        ..
    } = t;
    let mut out = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}");
    if t.nanos > 0 {
        let digits = format!("{:09}", t.nanos);
        out.push('.');
        out.push_str(digits.trim_end_matches('0'));
    }
    if t.offset == 0 {
        out.push('Z');
    } else {
        let sign = if t.offset < 0 { '-' } else { '+' };
        let minutes = t.offset.unsigned_abs();
        // Writing into a String cannot fail.
        let _ = write!(out, "{sign}{:02}:{:02}", minutes / 60, minutes % 60);
    }
    Some(out)
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    /// `least` to `most` digits.
    fn number(&mut self, least: usize, most: usize) -> Option<u32> {
        let digits = self.0.iter().take(most).take_while(|b| b.is_ascii_digit()).count();
        if digits < least {
            return None;
        }
        let value = self.0[..digits]
            .iter()
            .fold(0, |value, b| value * 10 + u32::from(b - b'0'));
        self.0 = &self.0[digits..];
        Some(value)
    }

    fn byte(&mut self, expected: u8) -> Option<()> {
        let rest = self.0.strip_prefix(&[expected])?;
        self.0 = rest;
        Some(())
    }

    /// `.` or `,` and digits behind the seconds; Go accepts them even where the layout has none.
    fn fraction(&mut self) -> u32 {
        let [b'.' | b',', b'0'..=b'9', ..] = self.0 else {
            return 0;
        };
        let digits = self.0[1..].iter().take_while(|b| b.is_ascii_digit()).count();
        let mut nanos = 0;
        for place in 0..9 {
            let digit = self
                .0
                .get(1 + place)
                .filter(|_| place < digits)
                .map_or(0, |b| u32::from(b - b'0'));
            nanos = nanos * 10 + digit;
        }
        self.0 = &self.0[1 + digits..];
        nanos
    }

    fn offset(&mut self) -> Option<i32> {
        if self.byte(b'Z').is_some() {
            return Some(0);
        }
        let sign = match self.0.first()? {
            b'+' => 1,
            b'-' => -1,
            _ => return None,
        };
        self.0 = &self.0[1..];
        let hours = self.number(2, 2)?;
        self.byte(b':')?;
        let minutes = self.number(2, 2)?;
        if hours > 24 || minutes > 60 {
            return None;
        }
        Some(sign * i32::try_from(hours * 60 + minutes).ok()?)
    }
}

fn days_in(year: u32, month: u32) -> u32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        _ => 31,
    }
}

/// The four layouts that go-yaml tries: a date, a date and time with a zone behind `T` or `t`, and one without a
/// zone behind a space; months, days, minutes and seconds may have one digit.
fn parse(text: &str) -> Option<Timestamp> {
    let mut reader = Reader(text.as_bytes());
    let year = reader.number(4, 4)?;
    reader.byte(b'-')?;
    let month = reader.number(1, 2)?;
    reader.byte(b'-')?;
    let day = reader.number(1, 2)?;
    let mut t = Timestamp {
        year,
        month,
        day,
        hour: 0,
        minute: 0,
        second: 0,
        nanos: 0,
        offset: 0,
    };
    if let Some((&separator, rest)) = reader.0.split_first() {
        reader.0 = rest;
        if separator == b' ' {
            // Go's layouts take any number of spaces for one.
            while reader.byte(b' ').is_some() {}
        }
        t.hour = reader.number(1, 2)?;
        reader.byte(b':')?;
        t.minute = reader.number(1, 2)?;
        reader.byte(b':')?;
        t.second = reader.number(1, 2)?;
        t.nanos = reader.fraction();
        match separator {
            b'T' | b't' => t.offset = reader.offset()?,
            b' ' => {}
            _ => return None,
        }
    }
    let valid = (1..=12).contains(&month)
        && (1..=days_in(year, month)).contains(&day)
        && t.hour < 24
        && t.minute < 60
        && t.second < 60;
    (valid && reader.0.is_empty()).then_some(t)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_are_what_go_takes_for_one() {
        for (text, expect) in [
            ("2020-01-02", Some("2020-01-02T00:00:00Z")),
            ("2020-1-2", Some("2020-01-02T00:00:00Z")),
            ("2020-01-02T03:04:05Z", Some("2020-01-02T03:04:05Z")),
            ("2020-01-02t3:4:5.120+01:30", Some("2020-01-02T03:04:05.12+01:30")),
            ("2020-01-02 03:04:05.5", Some("2020-01-02T03:04:05.5Z")),
            ("2020-01-02 03:04:05 Z", None),
            ("2020-01-02T03:04:05", None),
            ("2020-02-30", None),
            ("2020-13-01", None),
            ("0000-01-01", Some("0000-01-01T00:00:00Z")),
            ("20200-01-01", None),
            ("2020-01", None),
            ("2020-01-02x", None),
        ] {
            assert_eq!(to_rfc3339(text).as_deref(), expect, "{text}");
        }
    }
}
