//! Go's reference-time layouts: `Mon Jan 2 15:04:05 MST 2006`.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use crate::text::push_format;

use super::{MONTHS, Time, WEEKDAYS, Zone, days_from_civil};

/// One element of a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    LongMonth,
    Month,
    NumMonth,
    ZeroMonth,
    LongWeekday,
    Weekday,
    Day,
    UnderDay,
    ZeroDay,
    UnderYearDay,
    ZeroYearDay,
    Hour,
    Hour12,
    ZeroHour12,
    Minute,
    ZeroMinute,
    Second,
    ZeroSecond,
    LongYear,
    Year,
    UpperPm,
    LowerPm,
    ZoneName,
    /// An offset: Z for UTC, colons, minutes, seconds.
    Offset {
        z: bool,
        colon: bool,
        minutes: bool,
        seconds: bool,
    },
    /// Digits of the fraction, kept to their number or trimmed.
    Fraction {
        digits: u8,
        trim: bool,
    },
}

#[expect(
    clippy::fn_params_excessive_bools,
    reason = "they are the fields of the layout's element"
)]
const fn offset(z: bool, colon: bool, minutes: bool, seconds: bool) -> Part {
    Part::Offset {
        z,
        colon,
        minutes,
        seconds,
    }
}

/// The texts that stand for an element, longest first where one starts another.
const PARTS: &[(&str, Part)] = &[
    ("January", Part::LongMonth),
    ("Jan", Part::Month),
    ("Monday", Part::LongWeekday),
    ("Mon", Part::Weekday),
    ("MST", Part::ZoneName),
    ("01", Part::ZeroMonth),
    ("002", Part::ZeroYearDay),
    ("02", Part::ZeroDay),
    ("03", Part::ZeroHour12),
    ("04", Part::ZeroMinute),
    ("05", Part::ZeroSecond),
    ("06", Part::Year),
    ("15", Part::Hour),
    ("1", Part::NumMonth),
    ("2006", Part::LongYear),
    ("2", Part::Day),
    ("__2", Part::UnderYearDay),
    ("_2", Part::UnderDay),
    ("3", Part::Hour12),
    ("4", Part::Minute),
    ("5", Part::Second),
    ("PM", Part::UpperPm),
    ("pm", Part::LowerPm),
    ("-070000", offset(false, false, true, true)),
    ("-07:00:00", offset(false, true, true, true)),
    ("-0700", offset(false, false, true, false)),
    ("-07:00", offset(false, true, true, false)),
    ("-07", offset(false, false, false, false)),
    ("Z070000", offset(true, false, true, true)),
    ("Z07:00:00", offset(true, true, true, true)),
    ("Z0700", offset(true, false, true, false)),
    ("Z07:00", offset(true, true, true, false)),
    ("Z07", offset(true, false, false, false)),
];

/// The literal before the first element, that element, and what follows it.
fn next_part(layout: &[u8]) -> (&[u8], Option<Part>, &[u8]) {
    for place in 0..layout.len() {
        let (before, rest) = layout.split_at(place);
        if let Some((part, len)) = part_at(layout, place) {
            return (before, Some(part), rest.get(len..).unwrap_or(&[]));
        }
    }
    (layout, None, &[])
}

fn part_at(layout: &[u8], place: usize) -> Option<(Part, usize)> {
    let rest = layout.get(place..)?;
    let first = rest.first()?;
    if matches!(first, b'.' | b',') {
        return fraction_at(rest);
    }
    // `_2006` is a literal underscore and the year.
    if rest.starts_with(b"_2006") {
        return None;
    }
    let (text, part) = PARTS.iter().find(|(text, _)| rest.starts_with(text.as_bytes()))?;
    let lower_follows = rest.get(text.len()).is_some_and(u8::is_ascii_lowercase);
    if matches!(part, Part::Month | Part::Weekday) && lower_follows {
        // `January` and `Monday` were tried; `Janet` is no month.
        return None;
    }
    Some((*part, text.len()))
}

/// `.000` or `,999`, not followed by a digit.
fn fraction_at(rest: &[u8]) -> Option<(Part, usize)> {
    let digit = *rest.get(1).filter(|digit| matches!(digit, b'0' | b'9'))?;
    let count = rest.iter().skip(1).take_while(|byte| **byte == digit).count();
    if rest.get(1 + count).is_some_and(u8::is_ascii_digit) {
        return None;
    }
    let part = Part::Fraction {
        digits: u8::try_from(count).unwrap_or(u8::MAX),
        trim: digit == b'9',
    };
    Some((part, 1 + count))
}

/// The text of `time` by `layout`.
pub(super) fn format(time: &Time, layout: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(layout.len() + 8);
    let mut rest = layout;
    while !rest.is_empty() {
        let (literal, part, after) = next_part(rest);
        out.extend_from_slice(literal);
        let separator = rest.get(literal.len()).copied().unwrap_or(b'.');
        let Some(part) = part else { break };
        push_part(&mut out, time, part, separator);
        rest = after;
    }
    out
}

fn push_part(out: &mut Vec<u8>, time: &Time, part: Part, separator: u8) {
    let civil = time.civil();
    let hour12 = if civil.hour.is_multiple_of(12) {
        12
    } else {
        civil.hour % 12
    };
    let month = MONTHS
        .get(usize::from(civil.month).wrapping_sub(1))
        .copied()
        .unwrap_or("");
    let weekday = WEEKDAYS.get(usize::from(civil.weekday)).copied().unwrap_or("");
    let text = match part {
        Part::LongMonth => month.to_string(),
        Part::Month => month.get(..3).unwrap_or("").to_string(),
        Part::NumMonth => civil.month.to_string(),
        Part::ZeroMonth => format!("{:02}", civil.month),
        Part::LongWeekday => weekday.to_string(),
        Part::Weekday => weekday.get(..3).unwrap_or("").to_string(),
        Part::Day => civil.day.to_string(),
        Part::UnderDay => format!("{:2}", civil.day),
        Part::ZeroDay => format!("{:02}", civil.day),
        Part::UnderYearDay => format!("{:3}", civil.year_day),
        Part::ZeroYearDay => format!("{:03}", civil.year_day),
        Part::Hour => format!("{:02}", civil.hour),
        Part::Hour12 => hour12.to_string(),
        Part::ZeroHour12 => format!("{hour12:02}"),
        Part::Minute => civil.minute.to_string(),
        Part::ZeroMinute => format!("{:02}", civil.minute),
        Part::Second => civil.second.to_string(),
        Part::ZeroSecond => format!("{:02}", civil.second),
        Part::LongYear => padded_year(civil.year, 4),
        Part::Year => format!("{:02}", civil.year.rem_euclid(100)),
        Part::UpperPm => if civil.hour >= 12 { "PM" } else { "AM" }.to_string(),
        Part::LowerPm => if civil.hour >= 12 { "pm" } else { "am" }.to_string(),
        Part::ZoneName => {
            if time.zone.name.is_empty() {
                offset_name(time.zone.offset)
            } else {
                out.extend_from_slice(&time.zone.name);
                return;
            }
        }
        Part::Offset {
            z,
            colon,
            minutes,
            seconds,
        } => offset_text(time.zone.offset, z, colon, minutes, seconds),
        Part::Fraction { digits, trim } => fraction_text(time.nanos, separator, digits, trim),
    };
    out.extend_from_slice(text.as_bytes());
}

fn padded_year(year: i64, width: usize) -> String {
    let sign = if year < 0 { "-" } else { "" };
    format!("{sign}{:0width$}", year.unsigned_abs())
}

/// How Go names a zone without a name: hours, and minutes if there are any.
fn offset_name(offset: i32) -> String {
    let sign = if offset < 0 { '-' } else { '+' };
    let minutes = offset.unsigned_abs() / 60;
    if minutes.is_multiple_of(60) {
        format!("{sign}{:02}", minutes / 60)
    } else {
        format!("{sign}{:02}{:02}", minutes / 60, minutes % 60)
    }
}

#[expect(
    clippy::fn_params_excessive_bools,
    reason = "they are the fields of the layout's element"
)]
fn offset_text(offset: i32, z: bool, colon: bool, minutes: bool, seconds: bool) -> String {
    if z && offset == 0 {
        return "Z".into();
    }
    let sign = if offset < 0 { '-' } else { '+' };
    let magnitude = offset.unsigned_abs();
    let colon = if colon { ":" } else { "" };
    let mut out = format!("{sign}{:02}", magnitude / 3_600);
    if minutes {
        push_format(&mut out, format_args!("{colon}{:02}", magnitude / 60 % 60));
    }
    if seconds {
        push_format(&mut out, format_args!("{colon}{:02}", magnitude % 60));
    }
    out
}

fn fraction_text(nanos: u32, separator: u8, digits: u8, trim: bool) -> String {
    let all = format!("{nanos:09}");
    let kept = all.get(..usize::from(digits).min(9)).unwrap_or(&all);
    let kept = if trim { kept.trim_end_matches('0') } else { kept };
    if kept.is_empty() {
        return String::new();
    }
    format!("{}{kept}", char::from(separator))
}

/// What has been read so far.
struct Reading<'a> {
    layout: &'a str,
    text: &'a str,
    rest: &'a str,
    year: i64,
    month: Option<i64>,
    day: Option<i64>,
    year_day: Option<i64>,
    hour: i64,
    minute: i64,
    second: i64,
    nanos: u32,
    pm: Option<bool>,
    offset: Option<i32>,
    zone: Option<&'a str>,
}

/// Reads `text` by `layout`.
pub(super) fn parse(layout: &[u8], text: &[u8]) -> Result<Time, String> {
    let (layout, text) = (&*bytes_as_text(layout), &*bytes_as_text(text));
    let mut reading = Reading {
        layout,
        text,
        rest: text,
        year: 0,
        month: None,
        day: None,
        year_day: None,
        hour: 0,
        minute: 0,
        second: 0,
        nanos: 0,
        pm: None,
        offset: None,
        zone: None,
    };
    let mut rest = layout.as_bytes();
    loop {
        let (literal, part, after) = next_part(rest);
        let literal = core::str::from_utf8(literal).unwrap_or("");
        let element = rest.get(literal.len()..rest.len() - after.len()).unwrap_or(&[]);
        let element = core::str::from_utf8(element).unwrap_or("");
        if !reading.skip(literal) {
            return Err(reading.error(literal, reading.rest, ""));
        }
        let Some(part) = part else {
            if !reading.rest.is_empty() {
                return Err(reading.error("", "", &format!(": extra text: {}", quote(reading.rest))));
            }
            return reading.finish();
        };
        let before = reading.rest;
        match reading.part(part, after) {
            Ok(()) => {}
            Err(Trouble::Mismatch) => return Err(reading.error(element, before, "")),
            Err(Trouble::Range(what)) => return Err(reading.error(element, before, &format!(": {what} out of range"))),
        }
        rest = after;
    }
}

enum Trouble {
    Mismatch,
    Range(&'static str),
}

/// A character for each byte: layouts are ASCII, and what is not is only compared and quoted.
pub(super) fn bytes_as_text(bytes: &[u8]) -> Cow<'_, str> {
    match core::str::from_utf8(bytes) {
        Ok(text) if text.is_ascii() => Cow::Borrowed(text),
        _ => Cow::Owned(bytes.iter().map(|byte| char::from(*byte)).collect()),
    }
}

/// As errors show a text: bytes beyond printable ASCII in hexadecimal.
pub(super) fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            ' '..'\u{80}' => out.push(c),
            _ => push_format(&mut out, format_args!("\\x{:02x}", u32::from(c))),
        }
    }
    out.push('"');
    out
}

impl Reading<'_> {
    fn error(&self, element: &str, value: &str, message: &str) -> String {
        if message.is_empty() {
            return format!(
                "parsing time {} as {}: cannot parse {} as {}",
                quote(self.text),
                quote(self.layout),
                quote(value),
                quote(element)
            );
        }
        format!("parsing time {}{message}", quote(self.text))
    }

    /// Passes a literal; a space in the layout matches any number of spaces.
    fn skip(&mut self, literal: &str) -> bool {
        let mut wanted = literal;
        while let Some(c) = wanted.chars().next() {
            if c == ' ' {
                if !self.rest.is_empty() && !self.rest.starts_with(' ') {
                    return false;
                }
                wanted = wanted.trim_start_matches(' ');
                self.rest = self.rest.trim_start_matches(' ');
                continue;
            }
            let Some(rest) = self.rest.strip_prefix(c) else {
                return false;
            };
            self.rest = rest;
            wanted = wanted.get(c.len_utf8()..).unwrap_or("");
        }
        true
    }

    /// One or two digits; two if `fixed`.
    fn digits(&mut self, fixed: bool) -> Result<i64, Trouble> {
        let bytes = self.rest.as_bytes();
        if !bytes.first().is_some_and(u8::is_ascii_digit) {
            return Err(Trouble::Mismatch);
        }
        let two = bytes.get(1).is_some_and(u8::is_ascii_digit);
        if fixed && !two {
            return Err(Trouble::Mismatch);
        }
        self.take(if two { 2 } else { 1 })
    }

    fn take(&mut self, count: usize) -> Result<i64, Trouble> {
        let digits = self.rest.get(..count).ok_or(Trouble::Mismatch)?;
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(Trouble::Mismatch);
        }
        self.rest = self.rest.get(count..).unwrap_or("");
        digits.parse().map_err(|_| Trouble::Mismatch)
    }

    fn name(&mut self, names: &[&str], short: bool) -> Result<i64, Trouble> {
        for (place, name) in names.iter().enumerate() {
            let name = if short { name.get(..3).unwrap_or(name) } else { name };
            if self
                .rest
                .get(..name.len())
                .is_some_and(|head| head.eq_ignore_ascii_case(name))
            {
                self.rest = self.rest.get(name.len()..).unwrap_or("");
                return Ok(i64::try_from(place).unwrap_or(0));
            }
        }
        Err(Trouble::Mismatch)
    }

    fn bounded(value: i64, range: core::ops::RangeInclusive<i64>, what: &'static str) -> Result<i64, Trouble> {
        if range.contains(&value) {
            Ok(value)
        } else {
            Err(Trouble::Range(what))
        }
    }

    fn part(&mut self, part: Part, after: &[u8]) -> Result<(), Trouble> {
        match part {
            Part::LongYear => self.year = self.take(4)?,
            Part::Year => {
                let year = self.take(2)?;
                self.year = if year >= 69 { 1900 + year } else { 2000 + year };
            }
            Part::LongMonth | Part::Month => self.month = Some(1 + self.name(&MONTHS, part == Part::Month)?),
            Part::NumMonth | Part::ZeroMonth => {
                self.month = Some(Self::bounded(self.digits(part == Part::ZeroMonth)?, 1..=12, "month")?);
            }
            Part::LongWeekday | Part::Weekday => {
                self.name(&WEEKDAYS, part == Part::Weekday)?;
            }
            Part::Day | Part::UnderDay | Part::ZeroDay => {
                if part == Part::UnderDay {
                    self.rest = self.rest.strip_prefix(' ').unwrap_or(self.rest);
                }
                self.day = Some(self.digits(part == Part::ZeroDay)?);
            }
            Part::UnderYearDay | Part::ZeroYearDay => {
                while part == Part::UnderYearDay && self.rest.starts_with(' ') {
                    self.rest = self.rest.get(1..).unwrap_or("");
                }
                let count = self.rest.bytes().take(3).take_while(u8::is_ascii_digit).count();
                if part == Part::ZeroYearDay && count < 3 {
                    return Err(Trouble::Mismatch);
                }
                self.year_day = Some(self.take(count.max(1))?);
            }
            Part::Hour => self.hour = Self::bounded(self.digits(false)?, 0..=23, "hour")?,
            Part::Hour12 | Part::ZeroHour12 => {
                self.hour = Self::bounded(self.digits(part == Part::ZeroHour12)?, 0..=12, "hour")?;
            }
            Part::Minute | Part::ZeroMinute => {
                self.minute = Self::bounded(self.digits(part == Part::ZeroMinute)?, 0..=59, "minute")?;
            }
            Part::Second | Part::ZeroSecond => self.seconds(part == Part::ZeroSecond, after)?,
            Part::UpperPm | Part::LowerPm => self.half(part == Part::LowerPm)?,
            Part::ZoneName => self.zone_name()?,
            Part::Offset {
                z,
                colon,
                minutes,
                seconds,
            } => self.offset(z, colon, minutes, seconds)?,
            Part::Fraction { digits, trim } => self.fraction(digits, trim)?,
        }
        Ok(())
    }

    /// Seconds, and a fraction that the layout does not mention.
    fn seconds(&mut self, fixed: bool, after: &[u8]) -> Result<(), Trouble> {
        self.second = Self::bounded(self.digits(fixed)?, 0..=59, "second")?;
        let bytes = self.rest.as_bytes();
        let has_fraction = matches!(bytes.first(), Some(b'.' | b',')) && bytes.get(1).is_some_and(u8::is_ascii_digit);
        if has_fraction && !matches!(next_part(after).1, Some(Part::Fraction { .. })) {
            self.read_fraction();
        }
        Ok(())
    }

    fn read_fraction(&mut self) {
        let digits = self.rest.bytes().skip(1).take_while(u8::is_ascii_digit).count();
        let text = self.rest.get(1..1 + digits).unwrap_or("");
        self.rest = self.rest.get(1 + digits..).unwrap_or("");
        let nine: String = text.chars().chain(core::iter::repeat('0')).take(9).collect();
        self.nanos = nine.parse().unwrap_or(0);
    }

    fn fraction(&mut self, digits: u8, trim: bool) -> Result<(), Trouble> {
        let bytes = self.rest.as_bytes();
        let present = matches!(bytes.first(), Some(b'.' | b',')) && bytes.get(1).is_some_and(u8::is_ascii_digit);
        if trim && !present {
            return Ok(());
        }
        let count = bytes.iter().skip(1).take_while(|byte| byte.is_ascii_digit()).count();
        if !present || (!trim && count != usize::from(digits)) {
            return Err(Trouble::Mismatch);
        }
        self.read_fraction();
        Ok(())
    }

    fn half(&mut self, lower: bool) -> Result<(), Trouble> {
        let (am, pm) = if lower { ("am", "pm") } else { ("AM", "PM") };
        let head = self.rest.get(..2).ok_or(Trouble::Mismatch)?;
        self.pm = Some(if head == pm {
            true
        } else if head == am {
            false
        } else {
            return Err(Trouble::Mismatch);
        });
        self.rest = self.rest.get(2..).unwrap_or("");
        Ok(())
    }

    /// Three or four upper-case letters, or a sign and hours.
    fn zone_name(&mut self) -> Result<(), Trouble> {
        if let Some(rest) = self.rest.strip_prefix("UTC") {
            self.rest = rest;
            self.offset = Some(0);
            self.zone = Some("UTC");
            return Ok(());
        }
        let letters = self.rest.bytes().take_while(u8::is_ascii_uppercase).count();
        if !(3..=5).contains(&letters) {
            return Err(Trouble::Mismatch);
        }
        self.zone = self.rest.get(..letters);
        self.rest = self.rest.get(letters..).unwrap_or("");
        Ok(())
    }

    #[expect(
        clippy::fn_params_excessive_bools,
        reason = "they are the fields of the layout's element"
    )]
    fn offset(&mut self, z: bool, colon: bool, minutes: bool, seconds: bool) -> Result<(), Trouble> {
        if z && let Some(rest) = self.rest.strip_prefix('Z') {
            self.rest = rest;
            self.offset = Some(0);
            return Ok(());
        }
        let negative = match self.rest.bytes().next() {
            Some(b'+') => false,
            Some(b'-') => true,
            _ => return Err(Trouble::Mismatch),
        };
        self.rest = self.rest.get(1..).unwrap_or("");
        let mut total = Self::bounded(self.take(2)?, 0..=24, "time zone offset hour")? * 3_600;
        for (wanted, scale, what) in [
            (minutes, 60, "time zone offset minute"),
            (seconds, 1, "time zone offset second"),
        ] {
            if !wanted {
                continue;
            }
            if colon {
                self.rest = self.rest.strip_prefix(':').ok_or(Trouble::Mismatch)?;
            }
            total += Self::bounded(self.take(2)?, 0..=60, what)? * scale;
        }
        let total = i32::try_from(total).unwrap_or(0);
        self.offset = Some(if negative { -total } else { total });
        Ok(())
    }

    fn finish(mut self) -> Result<Time, String> {
        match self.pm {
            Some(true) if self.hour < 12 => self.hour += 12,
            Some(false) if self.hour == 12 => self.hour = 0,
            _ => {}
        }
        let leap = self.year % 4 == 0 && (self.year % 100 != 0 || self.year % 400 == 0);
        if let Some(year_day) = self.year_day {
            if !(1..=if leap { 366 } else { 365 }).contains(&year_day) {
                return Err(self.error("", "", ": day-of-year out of range"));
            }
            if self.month.is_none() {
                self.month = Some(1);
                self.day = Some(year_day);
                return Ok(self.at());
            }
        }
        let month = self.month.unwrap_or(1);
        let last = days_from_civil(self.year, month + 1, 1) - days_from_civil(self.year, month, 1);
        if !(1..=last).contains(&self.day.unwrap_or(1)) {
            return Err(self.error("", "", ": day out of range"));
        }
        Ok(self.at())
    }

    fn at(&self) -> Time {
        let days = days_from_civil(self.year, self.month.unwrap_or(1), self.day.unwrap_or(1));
        let local = days * 86_400 + self.hour * 3_600 + self.minute * 60 + self.second;
        let offset = self.offset.unwrap_or(0);
        let zone = match (self.zone, self.offset) {
            (Some(name), _) => Zone {
                name: name.into(),
                offset,
            },
            (None, None | Some(0)) => Zone::utc(),
            (None, Some(_)) => Zone {
                name: crate::Str::default(),
                offset,
            },
        };
        Time {
            seconds: local - i64::from(offset),
            nanos: self.nanos,
            zone,
        }
    }
}
