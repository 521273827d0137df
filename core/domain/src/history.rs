//! The history of a Release: the set of different renders in the order of their first full apply.
//!
//! # Invariant
//! The text of a [`HistoryKey`] has a fixed width, so that the byte order of keys is the order of times, and
//! [`next_time`] is later than every entry that exists, also when the clock stepped back. Parsing and printing are
//! inverse: a text that would print differently is no key.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use convoy_value::{Limits, Value, json};
use jiff::civil::DateTime;
use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp};

use crate::render_ref::{InvalidRenderRef, RenderRef};

/// Most characters of a summary.
pub const SUMMARY_CHARS: usize = 200;

/// Why a text or a time is no history key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidHistoryKey {
    /// There is no `-` between time and renderRef.
    #[error("`{0}` has no `-` between time and renderRef")]
    NoSeparator(String),
    /// The left part is not in the layout `20060102T150405.000000000Z`.
    #[error("`{0}` is not a time in the layout 20060102T150405.000000000Z")]
    Time(String),
    /// The right part is no renderRef.
    #[error("the history key names no render")]
    Render(#[from] InvalidRenderRef),
    /// The year has not four digits.
    #[error("the year of `{0}` is not between 0000 and 9999")]
    Year(Timestamp),
}

/// The last part of the key of an entry: `<time>-<renderRef>`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HistoryKey {
    time: Timestamp,
    render: RenderRef,
}

impl HistoryKey {
    /// The key of a render that was applied at `time`.
    ///
    /// # Errors
    /// [`InvalidHistoryKey::Year`] for a time that the layout cannot hold.
    pub fn new(time: Timestamp, render: RenderRef) -> Result<Self, InvalidHistoryKey> {
        check_year(time)?;
        Ok(Self { time, render })
    }

    /// When the render was applied.
    #[must_use]
    pub fn time(&self) -> Timestamp {
        self.time
    }

    /// Which render.
    #[must_use]
    pub fn render(&self) -> RenderRef {
        self.render
    }
}

fn check_year(time: Timestamp) -> Result<(), InvalidHistoryKey> {
    if (0..=9999).contains(&Offset::UTC.to_datetime(time).year()) {
        Ok(())
    } else {
        Err(InvalidHistoryKey::Year(time))
    }
}

impl fmt::Display for HistoryKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let t = Offset::UTC.to_datetime(self.time);
        write!(
            f,
            "{:04}{:02}{:02}T{:02}{:02}{:02}.{:09}Z-{}",
            t.year(),
            t.month(),
            t.day(),
            t.hour(),
            t.minute(),
            t.second(),
            t.subsec_nanosecond(),
            self.render
        )
    }
}

impl FromStr for HistoryKey {
    type Err = InvalidHistoryKey;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (time, render) = text
            .split_once('-')
            .ok_or_else(|| InvalidHistoryKey::NoSeparator(text.chars().take(120).collect()))?;
        let time = parse_time(time).ok_or_else(|| InvalidHistoryKey::Time(time.chars().take(40).collect()))?;
        Self::new(time, render.parse()?)
    }
}

/// Reads `20060102T150405.000000000Z`, strictly.
fn parse_time(text: &str) -> Option<Timestamp> {
    let bytes: &[u8; 26] = text.as_bytes().try_into().ok()?;
    if (bytes[8], bytes[15], bytes[25]) != (b'T', b'.', b'Z') {
        return None;
    }
    let number = |from: usize, to: usize| {
        bytes[from..to].iter().try_fold(0_i32, |sum, digit| {
            digit.is_ascii_digit().then(|| sum * 10 + i32::from(*digit - b'0'))
        })
    };
    let small = |from, to| i8::try_from(number(from, to)?).ok();
    let civil = DateTime::new(
        i16::try_from(number(0, 4)?).ok()?,
        small(4, 6)?,
        small(6, 8)?,
        small(9, 11)?,
        small(11, 13)?,
        small(13, 15)?,
        number(16, 25)?,
    )
    .ok()?;
    Offset::UTC.to_timestamp(civil).ok()
}

/// The time of a new entry: now, or one nanosecond after the newest entry when the clock is not past it.
///
/// # Errors
/// [`InvalidHistoryKey::Year`] when there is no such time.
pub fn next_time(now: Timestamp, newest: Option<Timestamp>) -> Result<Timestamp, InvalidHistoryKey> {
    let time = match newest {
        Some(newest) if newest >= now => newest
            .checked_add(SignedDuration::from_nanos(1))
            .map_err(|_| InvalidHistoryKey::Year(newest))?,
        Some(_) | None => now,
    };
    check_year(time)?;
    Ok(time)
}

/// What an entry says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryEntry {
    /// Time and render, as in the key.
    pub key: HistoryKey,
    /// One line for people.
    pub summary: String,
}

/// Why stored bytes are no entry of the history.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CorruptEntry {
    /// They are no JSON.
    #[error("the history entry is not JSON")]
    Json(#[from] json::Error),
    /// A field is missing or is not what the key says.
    #[error("`{0}` of the history entry is missing or differs from its key")]
    Field(&'static str),
}

impl HistoryEntry {
    /// An entry; the summary is cut to one line of [`SUMMARY_CHARS`].
    #[must_use]
    pub fn new(key: HistoryKey, summary: &str) -> Self {
        Self {
            key,
            summary: one_line(summary),
        }
    }

    /// `syncedAt`: the time of the key in RFC 3339 with nine digits of fraction.
    #[must_use]
    pub fn synced_at(&self) -> String {
        format!("{:.9}", self.key.time)
    }

    /// What is stored: the fields in the order of the specification, each value in canonical JSON.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let text = |text: String| json::to_canonical(&Value::String(text));
        format!(
            "{{\"renderRef\":{},\"syncedAt\":{},\"summary\":{}}}",
            text(self.key.render.to_string()),
            text(self.synced_at()),
            text(self.summary.clone())
        )
        .into_bytes()
    }

    /// Reads what is stored under `key`.
    ///
    /// # Errors
    /// [`CorruptEntry`] when the bytes are not what the key says; the key alone still tells time and render.
    pub fn from_bytes(key: HistoryKey, bytes: &[u8]) -> Result<Self, CorruptEntry> {
        let value = json::parse(
            bytes,
            &Limits {
                bytes: 64 * 1024,
                ..Limits::default()
            },
        )?;
        let field = |name| value.get(name).and_then(Value::as_str).ok_or(CorruptEntry::Field(name));
        if field("renderRef")? != key.render.to_string() {
            return Err(CorruptEntry::Field("renderRef"));
        }
        if field("syncedAt")?.parse::<Timestamp>().ok() != Some(key.time) {
            return Err(CorruptEntry::Field("syncedAt"));
        }
        let summary = one_line(field("summary")?);
        Ok(Self { key, summary })
    }
}

/// A text without line breaks and other control characters, at most [`SUMMARY_CHARS`] characters long.
pub(crate) fn one_line(text: &str) -> String {
    let clean = |c: char| {
        if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') {
            ' '
        } else {
            c
        }
    };
    if text.chars().count() <= SUMMARY_CHARS {
        return text.chars().map(clean).collect();
    }
    let mut cut: String = text.chars().take(SUMMARY_CHARS - 1).map(clean).collect();
    cut.push('…');
    cut
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    const REF: &str = "sha256:00000000000000000000000000000000000000000000000000000000000000ff";

    fn time(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn keys_have_the_layout_of_go_and_read_back() {
        for (at, expect) in [
            ("2026-11-30T19:40:05.000000001Z", "20261130T194005.000000001Z"),
            ("2026-11-30T19:40:05.12Z", "20261130T194005.120000000Z"),
            ("1969-12-31T23:59:59.999999999Z", "19691231T235959.999999999Z"),
            ("0000-01-01T00:00:00Z", "00000101T000000.000000000Z"),
            ("9999-12-30T00:00:00Z", "99991230T000000.000000000Z"),
        ] {
            let key = HistoryKey::new(time(at), REF.parse().unwrap()).unwrap();
            let text = key.to_string();
            assert_eq!(text, format!("{expect}-{REF}"));
            assert_eq!(text.parse(), Ok(key));
        }
    }

    #[test]
    fn texts_that_are_no_keys_are_refused() {
        for text in [
            "",
            "20261130T194005.000000001Z",
            REF,
            "20261130T194005.00000001Z-sha256:00",
            "20261130T194005.000000001Z-",
        ] {
            assert!(text.parse::<HistoryKey>().is_err(), "{text}");
        }
        for time in [
            "20261130T194005.0000000001Z",
            "20261130T194005.00000000 Z",
            "20261130t194005.000000001Z",
            "20261330T194005.000000001Z",
            "20260230T194005.000000001Z",
            "20261130T194060.000000001Z",
            "20261130T244005.000000001Z",
            "+0261130T194005.000000001Z",
            "２0261130T194005.0000000Z",
        ] {
            let text = format!("{time}-{REF}");
            assert!(
                matches!(text.parse::<HistoryKey>(), Err(InvalidHistoryKey::Time(_))),
                "{text}"
            );
        }
    }

    #[test]
    fn years_that_the_layout_cannot_hold_are_refused() {
        let before = time("-000001-12-31T23:59:59Z");
        assert_eq!(
            HistoryKey::new(before, REF.parse().unwrap()),
            Err(InvalidHistoryKey::Year(before))
        );
        assert_eq!(next_time(before, None), Err(InvalidHistoryKey::Year(before)));
        assert_eq!(
            next_time(before, Some(Timestamp::MAX)),
            Err(InvalidHistoryKey::Year(Timestamp::MAX))
        );
    }

    #[test]
    fn the_next_entry_is_later_than_the_newest_also_when_the_clock_stepped_back() {
        let newest = time("2026-01-01T00:00:00.999999999Z");
        for (now, expect) in [
            ("2025-12-31T00:00:00Z", "2026-01-01T00:00:01Z"),
            ("2026-01-01T00:00:00.999999999Z", "2026-01-01T00:00:01Z"),
            ("2026-01-01T00:00:02Z", "2026-01-01T00:00:02Z"),
        ] {
            assert_eq!(next_time(time(now), Some(newest)), Ok(time(expect)));
        }
        assert_eq!(next_time(newest, None), Ok(newest));
    }

    #[test]
    fn an_entry_has_exactly_these_bytes_and_reads_back() {
        let key = HistoryKey::new(time("2026-11-30T19:40:05.5Z"), REF.parse().unwrap()).unwrap();
        let entry = HistoryEntry::new(key.clone(), "manifests at main,\n<2> objects");
        let bytes = entry.to_bytes();
        assert_eq!(
            String::from_utf8(bytes.clone()).unwrap(),
            format!(
                r#"{{"renderRef":"{REF}","syncedAt":"2026-11-30T19:40:05.500000000Z","summary":"manifests at main, \u003c2\u003e objects"}}"#
            )
        );
        assert_eq!(HistoryEntry::from_bytes(key, &bytes), Ok(entry));
    }

    #[test]
    fn an_entry_that_is_not_what_its_key_says_is_corrupt() {
        let key = HistoryKey::new(time("2026-11-30T19:40:05.5Z"), REF.parse().unwrap()).unwrap();
        let later = HistoryKey::new(time("2026-11-30T19:40:06Z"), REF.parse().unwrap()).unwrap();
        let other = HistoryKey::new(key.time(), RenderRef::from_digest([1; 32])).unwrap();
        let bytes = HistoryEntry::new(key, "").to_bytes();
        assert_eq!(
            HistoryEntry::from_bytes(later, &bytes),
            Err(CorruptEntry::Field("syncedAt"))
        );
        assert_eq!(
            HistoryEntry::from_bytes(other.clone(), &bytes),
            Err(CorruptEntry::Field("renderRef"))
        );
        assert_eq!(
            HistoryEntry::from_bytes(other.clone(), b"[]"),
            Err(CorruptEntry::Field("renderRef"))
        );
        assert!(matches!(
            HistoryEntry::from_bytes(other, b""),
            Err(CorruptEntry::Json(_))
        ));
    }

    #[test]
    fn a_summary_is_one_line_of_at_most_200_characters() {
        for (text, expect) in [
            ("a\r\nb\tc\u{2028}d".to_string(), "a  b c d".to_string()),
            ("é".repeat(200), "é".repeat(200)),
            ("é".repeat(201), format!("{}…", "é".repeat(199))),
        ] {
            assert_eq!(one_line(&text), expect);
        }
        let revision = crate::artifact::Revision("abc".into());
        let lines = vec![
            crate::render::summary("manifests", &revision, 1),
            crate::render::summary("manifests", &revision, 2),
        ];
        assert_eq!(lines, ["manifests at abc, 1 object", "manifests at abc, 2 objects"]);
    }
}
