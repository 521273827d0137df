//! Numbers in schemas and values: equal by value, compared and divided without the errors of floats.

use alloc::format;
use alloc::string::{String, ToString as _};

use convoy_value::Number;

use crate::gofloat;

/// A decimal number: digits and the power of ten that they are multiplied with.
#[derive(Clone, Copy, Debug)]
struct Decimal {
    digits: i128,
    exponent: i32,
}

/// The shortest decimal that reads as this number; `None` when it has too many digits.
fn decimal(number: &Number) -> Option<Decimal> {
    let text = match number {
        Number::Int(i) => {
            return Some(Decimal {
                digits: i128::from(*i),
                exponent: 0,
            });
        }
        Number::Uint(u) => {
            return Some(Decimal {
                digits: i128::from(*u),
                exponent: 0,
            });
        }
        Number::Float(f) => format!("{f:e}"),
        Number::Big(digits) => digits.to_string(),
    };
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().ok()?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}").parse().ok()?;
    Some(Decimal {
        digits,
        exponent: exponent - i32::try_from(fraction.len()).ok()?,
    })
}

/// Both as integers of one scale.
fn scaled(a: &Number, b: &Number) -> Option<(i128, i128)> {
    let (a, b) = (decimal(a)?, decimal(b)?);
    let exponent = a.exponent.min(b.exponent);
    let scale = |d: Decimal| {
        let power = 10_i128.checked_pow(u32::try_from(d.exponent - exponent).ok()?)?;
        d.digits.checked_mul(power)
    };
    Some((scale(a)?, scale(b)?))
}

pub(super) fn compare(a: &Number, b: &Number) -> core::cmp::Ordering {
    match scaled(a, b) {
        Some((a, b)) => a.cmp(&b),
        None => a.as_f64().total_cmp(&b.as_f64()),
    }
}

pub(super) fn is_integer(number: &Number) -> bool {
    match number {
        Number::Int(_) | Number::Uint(_) => true,
        Number::Float(f) => f.is_finite() && f % 1.0 == 0.0,
        Number::Big(digits) => !digits.contains(['.', 'e', 'E']),
    }
}

pub(super) fn is_multiple(number: &Number, of: &Number) -> bool {
    match scaled(number, of) {
        Some((_, 0)) => true,
        Some((number, of)) => number % of == 0,
        None => number.as_f64() % of.as_f64() == 0.0,
    }
}

/// As Go's localised printer writes the nearest float: groups of thousands, and powers of ten from a million on.
pub(super) fn display(number: &Number) -> String {
    let text = gofloat::general(number.as_f64());
    let Some((mantissa, exponent)) = text.split_once('e') else {
        let (sign, rest) = text.strip_prefix('-').map_or(("", text.as_str()), |rest| ("-", rest));
        let (whole, fraction) = rest
            .split_once('.')
            .map_or((rest, String::new()), |(a, b)| (a, format!(".{b}")));
        let whole = whole.parse().map_or_else(|_| whole.to_string(), super::failure::count);
        return format!("{sign}{whole}{fraction}");
    };
    let raised = exponent.chars().map(|c| match c {
        '+' => String::new(),
        '-' => "⁻".into(),
        digit => "⁰¹²³⁴⁵⁶⁷⁸⁹"
            .chars()
            .nth(digit.to_digit(10).unwrap_or(0) as usize)
            .unwrap_or('⁰')
            .to_string(),
    });
    format!("{mantissa}×10{}", raised.collect::<String>())
}
