//! Integers that wrap, floats that go through decimals, and sequences.
#![expect(clippy::similar_names, reason = "`step` and `stop` are the terms")]

use alloc::string::String;
use alloc::vec::Vec;

use convoy_template::value::{Elem, ListRef};
use convoy_template::{CallError, Context, Functions, Rest, Str, Value};

use crate::coerce::{to_float, to_int};
use crate::decimal::{Decimal, Operation};

type Result<T> = core::result::Result<T, CallError>;

pub(crate) fn register(functions: &mut Functions) {
    integers(functions);
    floats(functions);
    functions
        .add("atoi", |_: &mut Context, text: Str| atoi(&text))
        .add("int64", |_: &mut Context, value: Value| to_int(&value))
        .add("int", |_: &mut Context, value: Value| Value::int(to_int(&value)))
        .add("float64", |_: &mut Context, value: Value| to_float(&value))
        .add("toDecimal", to_decimal)
        .add("until", |context: &mut Context, count: isize| {
            until_step(context, 0, count as i64, if count < 0 { -1 } else { 1 })
        })
        .add(
            "untilStep",
            |context: &mut Context, start: isize, stop: isize, step: isize| {
                until_step(context, start as i64, stop as i64, step as i64)
            },
        )
        .add("seq", seq);
}

fn integers(functions: &mut Functions) {
    const DIVIDE: &str = "runtime error: integer divide by zero";
    functions
        .add("add1", |_: &mut Context, value: Value| to_int(&value).wrapping_add(1))
        .add("add", |_: &mut Context, Rest(values): Rest<Value>| {
            values.iter().fold(0_i64, |sum, value| sum.wrapping_add(to_int(value)))
        })
        .add("sub", |_: &mut Context, a: Value, b: Value| {
            to_int(&a).wrapping_sub(to_int(&b))
        })
        .add("mul", |_: &mut Context, first: Value, Rest(values): Rest<Value>| {
            values
                .iter()
                .fold(to_int(&first), |product, value| product.wrapping_mul(to_int(value)))
        })
        .add("div", |_: &mut Context, a: Value, b: Value| -> Result<i64> {
            let (a, b) = (to_int(&a), to_int(&b));
            if b == 0 {
                Err(DIVIDE.into())
            } else {
                Ok(a.wrapping_div(b))
            }
        })
        .add("mod", |_: &mut Context, a: Value, b: Value| -> Result<i64> {
            let (a, b) = (to_int(&a), to_int(&b));
            if b == 0 {
                Err(DIVIDE.into())
            } else {
                Ok(a.wrapping_rem(b))
            }
        })
        .add("min", |_: &mut Context, first: Value, Rest(values): Rest<Value>| {
            values.iter().map(to_int).fold(to_int(&first), i64::min)
        });
    for name in ["max", "biggest"] {
        functions.add(name, |_: &mut Context, first: Value, Rest(values): Rest<Value>| {
            values.iter().map(to_int).fold(to_int(&first), i64::max)
        });
    }
}

fn floats(functions: &mut Functions) {
    functions
        .add("add1f", |_: &mut Context, value: Value| {
            decimals(&value, &[Value::int(1)], Operation::Add)
        })
        .add("addf", |_: &mut Context, Rest(values): Rest<Value>| {
            decimals(&Value::Float(0.0), &values, Operation::Add)
        })
        .add("subf", |_: &mut Context, first: Value, Rest(values): Rest<Value>| {
            decimals(&first, &values, Operation::Sub)
        })
        .add("mulf", |_: &mut Context, first: Value, Rest(values): Rest<Value>| {
            decimals(&first, &values, Operation::Mul)
        })
        .add("divf", |_: &mut Context, first: Value, Rest(values): Rest<Value>| {
            decimals(&first, &values, Operation::Div)
        })
        .add("maxf", |_: &mut Context, first: Value, Rest(values): Rest<Value>| {
            values.iter().map(to_float).fold(to_float(&first), go_max)
        })
        .add("minf", |_: &mut Context, first: Value, Rest(values): Rest<Value>| {
            values
                .iter()
                .map(to_float)
                .fold(to_float(&first), |a, b| -go_max(-a, -b))
        })
        .add("floor", |_: &mut Context, value: Value| libm::floor(to_float(&value)))
        .add("ceil", |_: &mut Context, value: Value| libm::ceil(to_float(&value)))
        .add(
            "round",
            |_: &mut Context, value: Value, places: isize, Rest(half): Rest<f64>| {
                round(to_float(&value), places, half.first().copied().unwrap_or(0.5))
            },
        );
}

/// NaN wins over everything but infinity, and zero over minus zero.
fn go_max(a: f64, b: f64) -> f64 {
    if a == f64::INFINITY || b == f64::INFINITY {
        return f64::INFINITY;
    }
    if a.is_nan() || b.is_nan() {
        return f64::NAN;
    }
    if a == 0.0 && b == 0.0 {
        return if a.is_sign_negative() { b } else { a };
    }
    if a > b { a } else { b }
}

/// Folds floats as decimals of their shortest digits, so that 0.1 + 0.2 is 0.3.
fn decimals(first: &Value, rest: &[Value], operation: Operation) -> Result<f64> {
    let mut result = Decimal::new(to_float(first))?;
    for value in rest {
        result = result.apply(operation, &Decimal::new(to_float(value))?)?;
    }
    Ok(result.to_float())
}

fn round(value: f64, places: isize, half: f64) -> f64 {
    let power = power_of_ten(places);
    let scaled = power * value;
    let part = scaled - libm::trunc(scaled);
    let rounded = if part >= half {
        libm::ceil(scaled)
    } else {
        libm::floor(scaled)
    };
    rounded / power
}

/// Ten to the power of `places`, by repeated squaring of mantissa and exponent as Go does it, rounding where it rounds.
fn power_of_ten(places: isize) -> f64 {
    let mut left = places.unsigned_abs();
    let (mut mantissa, mut exponent) = (1.0, 0_i32);
    let (mut square, mut square_exponent) = libm::frexp(10.0);
    while left != 0 {
        if square_exponent > 1 << 12 {
            // Far beyond what a float holds.
            exponent = exponent.saturating_add(square_exponent);
            break;
        }
        if left & 1 == 1 {
            mantissa *= square;
            exponent += square_exponent;
        }
        square *= square;
        square_exponent <<= 1;
        if square < 0.5 {
            square += square;
            square_exponent -= 1;
        }
        left >>= 1;
    }
    if places < 0 {
        libm::ldexp(1.0 / mantissa, -exponent)
    } else {
        libm::ldexp(mantissa, exponent)
    }
}

/// As `strconv.Atoi`, where a number that does not fit becomes the one that is nearest.
fn atoi(text: &Str) -> Value {
    let digits = text
        .strip_prefix(b"-")
        .or_else(|| text.strip_prefix(b"+"))
        .unwrap_or(text);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Value::int(0);
    }
    let negative = text.first() == Some(&b'-');
    let parsed = text.as_str().and_then(|text| text.parse().ok());
    Value::int(parsed.unwrap_or(if negative { i64::MIN } else { i64::MAX }))
}

/// Reads octal digits, as of a file's mode.
fn to_decimal(context: &mut Context, value: Value) -> Result<i64> {
    let text = context.to_text(&value)?;
    let text = core::str::from_utf8(&text).unwrap_or("");
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.starts_with(['+', '-']) {
        return Ok(0);
    }
    Ok(i64::from_str_radix(text, 8).unwrap_or(0))
}

/// Numbers from `start` to before `stop`, if there is room for them.
fn steps(context: &mut Context, start: i64, stop: i64, step: i64) -> Result<Vec<i64>> {
    let runs = if stop < start { step < 0 } else { step > 0 };
    if !runs {
        return Ok(Vec::new());
    }
    let count = start.abs_diff(stop).div_ceil(step.unsigned_abs());
    context.spend(count)?;
    context
        .heap()
        .afford_list(usize::try_from(count).unwrap_or(usize::MAX))?;
    let mut numbers = Vec::with_capacity(usize::try_from(count).unwrap_or(0));
    let mut number = start;
    for _ in 0..count {
        numbers.push(number);
        number = number.wrapping_add(step);
    }
    Ok(numbers)
}

fn until_step(context: &mut Context, start: i64, stop: i64, step: i64) -> Result<ListRef> {
    let numbers = steps(context, start, stop, step)?.into_iter().map(Value::int).collect();
    Ok(context.heap_mut().list_of(Elem::Int, numbers)?)
}

fn seq(context: &mut Context, Rest(params): Rest<isize>) -> Result<String> {
    let params: Vec<i64> = params.into_iter().map(|param| param as i64).collect();
    let toward = |start: i64, end: i64| if end < start { -1 } else { 1 };
    let (start, end, step) = match *params.as_slice() {
        [end] => (1, end, toward(1, end)),
        [start, end] => (start, end, toward(start, end)),
        [start, step, end] if end < start && step > 0 => return Ok(String::new()),
        [start, step, end] => (start, end, step),
        _ => return Ok(String::new()),
    };
    let numbers = steps(context, start, end.wrapping_add(toward(start, end)), step)?;
    let mut out = String::new();
    for (place, number) in numbers.into_iter().enumerate() {
        if place > 0 {
            out.push(' ');
        }
        out.push_str(&alloc::format!("{number}"));
    }
    Ok(out)
}
