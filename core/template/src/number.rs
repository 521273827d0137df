//! Number constants: which of Go's types a written number can be.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString as _};

use crate::{Value, quote};

/// A number constant under every type that can hold it, as Go's ideal constants.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Constant {
    /// As a signed integer.
    pub(crate) int: Option<i64>,
    /// As an unsigned integer.
    pub(crate) uint: Option<u64>,
    /// As a float.
    pub(crate) float: Option<f64>,
    /// As a complex number; set only when it is written as one.
    pub(crate) complex: Option<(f64, f64)>,
}

impl Constant {
    /// Of a whole number.
    pub(crate) fn of(int: i64) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "the nearest float is what Go takes")]
        let float = int as f64;
        Self {
            int: Some(int),
            uint: u64::try_from(int).ok(),
            float: Some(float),
            complex: None,
        }
    }
}

/// The number that a text is in decimal digits, without anything that Go would not write itself.
pub(crate) fn decimal(text: &str) -> Option<i64> {
    let is_plain = text == "0" || text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    text.parse().ok().filter(|_| is_plain)
}

/// The value of a constant where no type is asked for: its syntax decides. `None` when it is no float and too large for
/// an integer.
pub(crate) fn ideal(text: &str, constant: &Constant) -> Option<Value> {
    let is_hex_int = text.len() > 2 && (text.starts_with("0x") || text.starts_with("0X")) && !text.contains(['p', 'P']);
    if let Some(parts) = constant.complex {
        return Some(Value::Complex(Box::new(parts)));
    }
    if let Some(float) = constant.float
        && !is_hex_int
        && !text.starts_with('\'')
        && text.contains(['.', 'e', 'E', 'p', 'P'])
    {
        return Some(Value::Float(float));
    }
    match constant.int {
        Some(int) => Some(Value::int(int)),
        None if constant.uint.is_some() => None,
        None => Some(Value::Nil),
    }
}

/// Reads a character constant.
pub(crate) fn character(text: &str) -> Result<Constant, String> {
    let code = quote::unquote_char(text)?;
    Ok(Constant {
        int: Some(code),
        uint: u64::try_from(code).ok(),
        #[expect(clippy::cast_precision_loss, reason = "a character has 21 bits")]
        float: Some(code as f64),
        complex: None,
    })
}

/// Reads `1+2i`.
pub(crate) fn complex(text: &str) -> Result<Constant, String> {
    let split = text
        .char_indices()
        .skip(1)
        .filter(|(place, c)| matches!(c, '+' | '-') && !text[..*place].ends_with(['e', 'E', 'p', 'P']))
        .map(|(place, _)| place)
        .last();
    let parts = split.map(|place| text.split_at(place));
    let (real, imaginary) = parts.ok_or_else(|| format!("illegal number syntax: \"{text}\""))?;
    let imaginary = imaginary.strip_suffix('i').unwrap_or(imaginary);
    match (parse_float(real), parse_float(imaginary)) {
        (Some(real), Some(imaginary)) => Ok(simplified(real, imaginary)),
        _ => Err("syntax error scanning complex number".to_string()),
    }
}

/// Reads any other number.
pub(crate) fn number(text: &str) -> Result<Constant, String> {
    if let Some(imaginary) = text.strip_suffix('i').and_then(parse_float) {
        return Ok(simplified(0.0, imaginary));
    }
    let mut constant = Constant {
        int: parse_int(text),
        uint: parse_uint(text),
        ..Constant::default()
    };
    if constant.int == Some(0) {
        constant.uint = Some(0);
    }
    #[expect(clippy::cast_precision_loss, reason = "the nearest float is what Go takes")]
    if let Some(float) = constant.int.map(|i| i as f64).or(constant.uint.map(|u| u as f64)) {
        constant.float = Some(float);
        return Ok(constant);
    }
    let Some(float) = parse_float(text) else {
        return Err(format!(
            "illegal number syntax: {}",
            quote::quote(text.as_bytes(), false)
        ));
    };
    if !text.contains(['.', 'e', 'E', 'p', 'P']) {
        return Err(format!("integer overflow: {}", quote::quote(text.as_bytes(), false)));
    }
    constant.float = Some(float);
    constant.int = exact_int(float);
    constant.uint = exact_uint(float);
    Ok(constant)
}

fn simplified(real: f64, imaginary: f64) -> Constant {
    let plain = imaginary == 0.0;
    Constant {
        int: plain.then(|| exact_int(real)).flatten(),
        uint: plain.then(|| exact_uint(real)).flatten(),
        float: plain.then_some(real),
        complex: Some((real, imaginary)),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::float_cmp,
    reason = "the cast saturates, and the comparison finds out"
)]
fn exact_int(float: f64) -> Option<i64> {
    let int = float as i64;
    (int as f64 == float && float < 9_223_372_036_854_775_808.0).then_some(int)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::float_cmp,
    reason = "the cast saturates, and the comparison finds out"
)]
fn exact_uint(float: f64) -> Option<u64> {
    let uint = float as u64;
    (uint as f64 == float && float < 18_446_744_073_709_551_616.0).then_some(uint)
}

fn parse_int(text: &str) -> Option<i64> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, text.get(1..)?),
        b'+' => (false, text.get(1..)?),
        _ => (false, text),
    };
    let magnitude = i128::from(parse_uint(digits)?);
    i64::try_from(if negative { -magnitude } else { magnitude }).ok()
}

/// An unsigned integer with Go's prefixes and underscores, as `strconv.ParseUint(text, 0, 64)`.
#[must_use]
pub fn parse_uint(text: &str) -> Option<u64> {
    if text.contains('_') && !underscores_are_between_digits(text) {
        return None;
    }
    let plain: String = text.chars().filter(|c| *c != '_').collect();
    let lower = plain.to_ascii_lowercase();
    let (digits, base) = match lower.get(..2) {
        Some("0x") => (lower.get(2..)?, 16),
        Some("0o") => (lower.get(2..)?, 8),
        Some("0b") => (lower.get(2..)?, 2),
        Some(two) if two.starts_with('0') => (lower.get(1..)?, 8),
        _ => (lower.as_str(), 10),
    };
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(base)) {
        return None;
    }
    u64::from_str_radix(digits, base).ok()
}

/// An underscore stands between digits, or between a prefix and a digit.
fn underscores_are_between_digits(text: &str) -> bool {
    let body = text.trim_start_matches(['+', '-']);
    let mut previous = '^';
    let mut hex = false;
    let mut chars = body;
    if let Some(two) = body.get(..2)
        && matches!(two.to_ascii_lowercase().as_str(), "0x" | "0o" | "0b")
    {
        hex = two.eq_ignore_ascii_case("0x");
        chars = body.get(2..).unwrap_or("");
        previous = '0';
    }
    for c in chars.chars() {
        let digit = c.is_ascii_digit() || hex && c.is_ascii_hexdigit();
        if digit {
            previous = '0';
        } else if c == '_' {
            if previous != '0' {
                return false;
            }
            previous = '_';
        } else {
            if previous == '_' {
                return false;
            }
            previous = '!';
        }
    }
    previous != '_'
}

/// A finite float with Go's syntax, as `strconv.ParseFloat`.
#[must_use]
pub fn parse_float(text: &str) -> Option<f64> {
    if text.contains('_') && !underscores_are_between_digits(text) {
        return None;
    }
    let plain: String = text.chars().filter(|c| *c != '_').collect();
    let (sign, body) = match plain.as_bytes().first()? {
        b'-' => (-1.0, plain.get(1..)?),
        b'+' => (1.0, plain.get(1..)?),
        _ => (1.0, plain.as_str()),
    };
    if let Some(hex) = body.strip_prefix("0x").or_else(|| body.strip_prefix("0X")) {
        return hex_float(hex).map(|float| sign * float);
    }
    if !body.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    body.parse::<f64>()
        .ok()
        .filter(|float| float.is_finite())
        .map(|float| sign * float)
}

/// `1.8p3`: hexadecimal digits and a binary exponent, which must be there.
fn hex_float(text: &str) -> Option<f64> {
    let (mantissa, exponent) = text.split_once(['p', 'P'])?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut exponent: i64 = exponent.strip_prefix('+').unwrap_or(exponent).parse().ok()?;
    let mut value: u64 = 0;
    for (place, c) in whole.chars().chain(fraction.chars()).enumerate() {
        let digit = u64::from(c.to_digit(16)?);
        let in_fraction = place >= whole.len();
        if value >> 59 == 0 {
            value = value << 4 | digit;
            exponent -= if in_fraction { 4 } else { 0 };
        } else {
            value |= u64::from(digit != 0);
            exponent += if in_fraction { 0 } else { 4 };
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "rounds to nearest even, as Go does")]
    let mut float = value as f64;
    while exponent > 0 && float.is_finite() && float != 0.0 {
        float *= 2.0;
        exponent -= 1;
    }
    while exponent < 0 && float != 0.0 {
        float /= 2.0;
        exponent += 1;
    }
    float.is_finite().then_some(float)
}
