//! `strconv.FormatFloat`.

use alloc::format;
use alloc::string::{String, ToString as _};

/// Digits beyond these of any float are zeros.
const MOST_DIGITS: usize = 1_100;

/// The text of `value` by `verb` (`b`, `e`, `E`, `f`, `g`, `G`, `x`, `X`); without precision, the shortest digits that
/// read back.
pub(crate) fn format_float(value: f64, verb: char, precision: Option<usize>) -> String {
    if value.is_nan() {
        return "NaN".into();
    }
    let sign = if value.is_sign_negative() { "-" } else { "" };
    if value.is_infinite() {
        return format!("{}Inf", if sign.is_empty() { "+" } else { sign });
    }
    let magnitude = value.abs();
    let text = match verb {
        'b' => binary(magnitude),
        'e' | 'E' => exponent(magnitude, precision),
        'g' | 'G' => general(magnitude, precision),
        'x' | 'X' => hexadecimal(magnitude, precision),
        _ => fixed(magnitude, precision),
    };
    let text = if verb.is_ascii_uppercase() {
        text.to_ascii_uppercase()
    } else {
        text
    };
    if sign.is_empty() { text } else { format!("{sign}{text}") }
}

fn zeros(count: usize) -> String {
    "0".repeat(count)
}

fn fixed(value: f64, precision: Option<usize>) -> String {
    let Some(precision) = precision else {
        return format!("{value}");
    };
    let exact = precision.min(MOST_DIGITS);
    let mut text = format!("{value:.exact$}");
    text.extend(core::iter::repeat_n('0', precision - exact));
    text
}

/// Digits without a point and the power of ten of the first.
fn decimal(value: f64, precision: Option<usize>) -> (String, i32) {
    let text = match precision {
        None => format!("{value:e}"),
        Some(precision) => {
            let exact = precision.min(MOST_DIGITS);
            format!("{value:.exact$e}")
        }
    };
    let (mantissa, power) = text.split_once('e').unwrap_or((&text, "0"));
    let digits = mantissa.chars().filter(|c| *c != '.').collect();
    (digits, power.parse().unwrap_or(0))
}

/// `d.ddde±dd`.
fn scientific(digits: &str, power: i32) -> String {
    let (first, rest) = digits.split_at(1.min(digits.len()));
    let point = if rest.is_empty() { "" } else { "." };
    let sign = if power < 0 { '-' } else { '+' };
    format!("{first}{point}{rest}e{sign}{:02}", power.unsigned_abs())
}

fn exponent(value: f64, precision: Option<usize>) -> String {
    let (mut digits, power) = decimal(value, precision);
    if let Some(precision) = precision {
        digits.push_str(&zeros((precision + 1).saturating_sub(digits.len())));
    }
    scientific(&digits, power)
}

fn general(value: f64, precision: Option<usize>) -> String {
    let precision = precision.map(|precision| precision.max(1));
    let (digits, power) = decimal(value, precision.map(|precision| precision - 1));
    let kept = digits.trim_end_matches('0');
    let digits = if kept.is_empty() { "0" } else { kept };
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    // Zero has no digits for Go.
    let (count, place) = if value == 0.0 { (0, 0) } else { (count, power + 1) };
    let mut threshold = precision.map_or(6, |precision| i32::try_from(precision).unwrap_or(i32::MAX));
    if threshold > count && count >= place {
        threshold = count;
    }
    if precision.is_none() {
        threshold = 6;
    }
    let power = place - 1;
    if power < -4 || power >= threshold {
        return scientific(digits, if value == 0.0 { 0 } else { power });
    }
    plain(digits, place)
}

/// Digits with the point before the digit number `place`.
fn plain(digits: &str, place: i32) -> String {
    let Ok(place) = usize::try_from(place) else {
        return format!("0.{}{digits}", zeros(usize::try_from(-place).unwrap_or(0)));
    };
    if place == 0 {
        return if digits == "0" {
            digits.to_string()
        } else {
            format!("0.{digits}")
        };
    }
    if digits.len() <= place {
        return format!("{digits}{}", zeros(place - digits.len()));
    }
    let (whole, fraction) = digits.split_at(place);
    format!("{whole}.{fraction}")
}

/// Mantissa and exponent as they are stored: `value = mantissa * 2^exponent`.
fn parts(value: f64) -> (u64, i32) {
    let bits = value.to_bits();
    let mantissa = bits & ((1 << 52) - 1);
    let exponent = i32::try_from(bits >> 52 & 0x7FF).unwrap_or(0);
    if exponent == 0 {
        (mantissa, -1_074)
    } else {
        (mantissa | 1 << 52, exponent - 1_075)
    }
}

fn binary(value: f64) -> String {
    let (mantissa, exponent) = parts(value);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}p{sign}{}", exponent.unsigned_abs())
}

fn hexadecimal(value: f64, precision: Option<usize>) -> String {
    let (mut mantissa, mut exponent) = parts(value);
    if mantissa == 0 {
        exponent = 0;
    } else {
        // The leading one at bit 60, four bits for each digit below it.
        let shift = mantissa.leading_zeros() - 3;
        mantissa <<= shift;
        exponent += 60 - i32::try_from(shift).unwrap_or(0);
    }
    if let Some(precision) = precision.filter(|precision| *precision < 15) {
        let cut = u32::try_from(60 - 4 * precision).unwrap_or(0);
        let extra = mantissa & ((1 << cut) - 1);
        mantissa >>= cut;
        let half = 1_u64 << (cut - 1);
        if extra > half || extra == half && mantissa & 1 == 1 {
            mantissa += 1;
        }
        mantissa <<= cut;
        if mantissa >> 61 != 0 {
            mantissa >>= 1;
            exponent += 1;
        }
    }
    let lead = mantissa >> 60 & 1;
    let digits = format!("{:015x}", mantissa & ((1 << 60) - 1));
    let fraction = match precision {
        None => digits.trim_end_matches('0').to_string(),
        Some(precision) if precision <= 15 => digits.get(..precision).unwrap_or("").to_string(),
        Some(precision) => format!("{digits}{}", zeros(precision - 15)),
    };
    let point = if fraction.is_empty() { "" } else { "." };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("0x{lead}{point}{fraction}p{sign}{:02}", exponent.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_print_as_go_prints_them() {
        for (value, verb, precision, expect) in [
            (12_345_678.0, 'g', None, "1.2345678e+07"),
            (100_000.0, 'g', None, "100000"),
            (1_000_000.0, 'g', None, "1e+06"),
            (0.0001, 'g', None, "0.0001"),
            (0.00001, 'g', None, "1e-05"),
            (0.0, 'g', None, "0"),
            (-0.0, 'g', None, "-0"),
            (100.0, 'g', Some(3), "100"),
            (1234.0, 'g', Some(3), "1.23e+03"),
            (1.0, 'e', Some(6), "1.000000e+00"),
            (2.5, 'f', Some(0), "2"),
            (3.5, 'f', Some(0), "4"),
            (1.0, 'x', None, "0x1p+00"),
            (3.5, 'x', Some(3), "0x1.c00p+01"),
            (1.0, 'b', None, "4503599627370496p-52"),
        ] {
            assert_eq!(
                format_float(value, verb, precision),
                expect,
                "{value} {verb} {precision:?}"
            );
        }
    }
}
