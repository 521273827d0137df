//! The methods of `time.Time` and `time.Duration` that take and give what templates can hold.

use alloc::string::ToString as _;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::function::Special;
use crate::value::{IntKind, Struct, Time, Type, duration_text};
use crate::{Context, Function, Str, Value};

fn int(i: impl Into<i64>) -> Value {
    Value::int(i.into())
}

/// A method without parameters.
fn getter(name: &str, get: fn(&Time) -> Value) -> Function {
    Function::new(name, move |_: &mut Context, time: Arc<Time>| get(&time))
}

/// A method of another instant.
fn compare(name: &str, compare: fn(&Time, &Time) -> Value) -> Function {
    Function::new(name, move |_: &mut Context, time: Arc<Time>, other: Arc<Time>| {
        compare(&time, &other)
    })
}

/// A method whose results no template can take.
fn refused(name: &str, message: &'static str) -> Function {
    getter(name, |_| Value::Nil).special(Special::Refuse(message))
}

/// `*time.Location`. UTC is the only one that instants come with; others are known by their abbreviation.
fn location(time: &Time) -> Value {
    let name = time.zone.name.to_string();
    Struct::new("*time.Location").pointer().text(name).into_value()
}

fn instant(time: &Time) -> (i64, u32) {
    (time.seconds, time.nanos)
}

pub(crate) fn time_methods() -> Vec<Function> {
    alloc::vec![
        Function::new("Format", |_: &mut Context, time: Arc<Time>, layout: Str| time
            .format(&layout)),
        getter("String", |time| Value::from(time.to_string())),
        getter("Unix", |time| Value::int64(time.seconds)),
        getter("UnixMilli", |time| Value::int64(
            time.seconds
                .wrapping_mul(1_000)
                .wrapping_add(i64::from(time.nanos / 1_000_000))
        )),
        getter("UnixMicro", |time| Value::int64(
            time.seconds
                .wrapping_mul(1_000_000)
                .wrapping_add(i64::from(time.nanos / 1_000))
        )),
        getter("UnixNano", |time| Value::int64(
            time.seconds
                .wrapping_mul(1_000_000_000)
                .wrapping_add(i64::from(time.nanos))
        )),
        getter("Year", |time| Value::int(time.civil().year)),
        getter("Month", |time| Value::Int(
            IntKind::Month,
            i64::from(time.civil().month)
        )),
        getter("Day", |time| int(time.civil().day)),
        getter("Hour", |time| int(time.civil().hour)),
        getter("Minute", |time| int(time.civil().minute)),
        getter("Second", |time| int(time.civil().second)),
        getter("Nanosecond", |time| int(time.nanos)),
        getter("YearDay", |time| int(time.civil().year_day)),
        getter("Weekday", |time| Value::Int(
            IntKind::Weekday,
            i64::from(time.civil().weekday)
        )),
        getter("IsZero", |time| Value::Bool(time.is_zero())),
        getter("UTC", |time| Value::from(time.in_zone(crate::value::Zone::utc()))),
        getter("Local", |time| Value::from(time.in_zone(crate::value::Zone::utc()))),
        getter("Location", location),
        refused(
            "Zone",
            "invalid function signature for Zone: second return value should be error; is int"
        ),
        refused(
            "ISOWeek",
            "invalid function signature for ISOWeek: second return value should be error; is int"
        ),
        refused(
            "ZoneBounds",
            "invalid function signature for ZoneBounds: second return value should be error; is time.Time"
        ),
        refused("Date", "function Date has 3 return values; should be 1 or 2"),
        refused("Clock", "function Clock has 3 return values; should be 1 or 2"),
        compare("Compare", |a, b| Value::int(instant(a).cmp(&instant(b)) as i64)),
        compare("Before", |a, b| Value::Bool(instant(a) < instant(b))),
        compare("After", |a, b| Value::Bool(instant(a) > instant(b))),
        compare("Equal", |a, b| Value::Bool(instant(a) == instant(b))),
        compare("Sub", |a, b| Value::Duration(a.since(b))),
        Function::dynamic(
            "Add",
            alloc::vec![Type::Time, Type::Duration],
            false,
            |_, operands| match operands {
                [Value::Time(time), Value::Duration(nanos)] => Ok(Value::from(time.add(*nanos))),
                _ => Ok(Value::Nil),
            }
        ),
        Function::new(
            "AddDate",
            |_: &mut Context, time: Arc<Time>, years: isize, months: isize, days: isize| {
                add_date(&time, years as i64, months as i64, days as i64)
            }
        ),
    ]
}

/// Adds to the calendar date; what runs over moves on, as in Go.
pub(crate) fn add_date(time: &Time, years: i64, months: i64, days: i64) -> Time {
    let civil = time.civil();
    let day = i64::from(civil.day).saturating_add(days);
    let limit = 1_000_000_000_000;
    let (years, months) = (years.clamp(-limit, limit), months.clamp(-limit, limit));
    let date = crate::value::days_from_civil(
        civil.year + years,
        i64::from(civil.month) + months,
        day.clamp(-limit, limit),
    );
    let of_day = i64::from(civil.hour) * 3_600 + i64::from(civil.minute) * 60 + i64::from(civil.second);
    Time {
        seconds: date
            .saturating_mul(86_400)
            .saturating_add(of_day - i64::from(time.zone.offset)),
        ..time.clone()
    }
}

pub(crate) fn duration_methods() -> Vec<Function> {
    #[expect(clippy::cast_precision_loss, reason = "Go loses the same")]
    fn scaled(nanos: i64, unit: i64) -> f64 {
        (nanos / unit) as f64 + (nanos % unit) as f64 / unit as f64
    }
    fn method(name: &str, get: fn(i64) -> Value) -> Function {
        Function::dynamic(
            name,
            alloc::vec![Type::Duration],
            false,
            move |_, operands| match operands {
                [Value::Duration(nanos)] => Ok(get(*nanos)),
                _ => Ok(Value::Nil),
            },
        )
    }
    alloc::vec![
        method("String", |nanos| Value::from(duration_text(nanos))),
        method("Seconds", |nanos| Value::Float(scaled(nanos, 1_000_000_000))),
        method("Minutes", |nanos| Value::Float(scaled(nanos, 60_000_000_000))),
        method("Hours", |nanos| Value::Float(scaled(nanos, 3_600_000_000_000))),
        method("Milliseconds", |nanos| Value::int64(nanos / 1_000_000)),
        method("Microseconds", |nanos| Value::int64(nanos / 1_000)),
        method("Nanoseconds", Value::int64),
    ]
}
