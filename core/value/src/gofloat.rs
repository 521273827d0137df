//! Floats as text, as Go's `strconv.FormatFloat` and `encoding/json` write them.
//!
//! The shortest digits that read back to the same float are the same in every correct implementation; what is
//! Go's own is the layout: when an exponent is used, and how many digits it has.

use core::fmt::Write as _;

use alloc::string::String;

/// Significant digits and the place of the decimal point: the value is `0.d1d2d3… × 10^point`.
struct Decimal {
    negative: bool,
    digits: [u8; 20],
    len: usize,
    point: i32,
}

impl Decimal {
    fn digits(&self) -> &[u8] {
        &self.digits[..self.len]
    }
}

/// A small text buffer on the stack: enough for any float in `{:e}`.
struct Buffer {
    bytes: [u8; 40],
    len: usize,
}

impl core::fmt::Write for Buffer {
    fn write_str(&mut self, s: &str) -> core::fmt::Result {
        let end = self.len + s.len();
        let room = self.bytes.get_mut(self.len..end).ok_or(core::fmt::Error)?;
        room.copy_from_slice(s.as_bytes());
        self.len = end;
        Ok(())
    }
}

fn decimal(scientific: &Buffer) -> Decimal {
    let text = &scientific.bytes[..scientific.len];
    let mut out = Decimal {
        negative: false,
        digits: [0; 20],
        len: 0,
        point: 0,
    };
    let mut exponent = 0i32;
    let mut exponent_negative = false;
    let mut in_exponent = false;
    for &byte in text {
        match byte {
            b'-' if in_exponent => exponent_negative = true,
            b'-' => out.negative = true,
            b'e' => in_exponent = true,
            b'0'..=b'9' if in_exponent => exponent = exponent * 10 + i32::from(byte - b'0'),
            b'0'..=b'9' if out.len < out.digits.len() => {
                out.digits[out.len] = byte;
                out.len += 1;
            }
            _ => {}
        }
    }
    while out.len > 1 && out.digits[out.len - 1] == b'0' {
        out.len -= 1;
    }
    out.point = 1 + if exponent_negative { -exponent } else { exponent };
    if out.digits() == b"0" {
        out.point = 1;
    }
    out
}

fn shortest64(f: f64) -> Decimal {
    let mut buffer = Buffer { bytes: [0; 40], len: 0 };
    // The buffer holds any float; a failure could only be a bug here, and would show as wrong digits in tests.
    let _ = write!(buffer, "{f:e}");
    decimal(&buffer)
}

fn shortest32(f: f32) -> Decimal {
    let mut buffer = Buffer { bytes: [0; 40], len: 0 };
    let _ = write!(buffer, "{f:e}");
    decimal(&buffer)
}

fn push_digits(out: &mut String, digits: &[u8]) {
    out.extend(digits.iter().map(|&d| char::from(d)));
}

fn push_fixed(out: &mut String, d: &Decimal) {
    if d.negative {
        out.push('-');
    }
    let digits = d.digits();
    match usize::try_from(d.point) {
        Ok(point) if point > 0 => {
            let whole = point.min(digits.len());
            push_digits(out, &digits[..whole]);
            for _ in whole..point {
                out.push('0');
            }
            if digits.len() > point {
                out.push('.');
                push_digits(out, &digits[point..]);
            }
        }
        _ => {
            out.push_str("0.");
            for _ in d.point..0 {
                out.push('0');
            }
            push_digits(out, digits);
        }
    }
}

/// `d.ddde±x`, with at least `exponent_digits` digits in the exponent.
fn push_scientific(out: &mut String, d: &Decimal, exponent_digits: usize) {
    if d.negative {
        out.push('-');
    }
    let digits = d.digits();
    push_digits(out, &digits[..1]);
    if digits.len() > 1 {
        out.push('.');
        push_digits(out, &digits[1..]);
    }
    let exponent = d.point - 1;
    out.push('e');
    out.push(if exponent < 0 { '-' } else { '+' });
    let _ = write!(out, "{:0width$}", exponent.unsigned_abs(), width = exponent_digits);
}

fn push_general(out: &mut String, d: &Decimal) {
    let exponent = d.point - 1;
    if (-4..6).contains(&exponent) {
        push_fixed(out, d);
    } else {
        push_scientific(out, d, 2);
    }
}

/// As `encoding/json`: fixed, or with an exponent below 1e-6 and from 1e21 up.
///
/// Go refuses what is not finite; that becomes `null` here, and [`crate::Value::is_finite`] tells beforehand.
pub(crate) fn push_json(out: &mut String, f: f64) {
    if !f.is_finite() {
        out.push_str("null");
        return;
    }
    let magnitude = f.abs();
    let d = shortest64(f);
    if magnitude != 0.0 && !(1e-6..1e21).contains(&magnitude) {
        push_scientific(out, &d, 1);
    } else {
        push_fixed(out, &d);
    }
}

/// As `strconv.FormatFloat(f, 'g', -1, 64)`, with YAML's names for what is not finite.
pub(crate) fn push_general64(out: &mut String, f: f64) {
    if push_special(out, f) {
        return;
    }
    push_general(out, &shortest64(f));
}

/// As `strconv.FormatFloat(f, 'g', -1, 32)`: what a float becomes as a mapping key or where text is expected.
#[expect(
    clippy::cast_possible_truncation,
    reason = "Go formats with 32 bits here, and so loses the same digits"
)]
pub(crate) fn push_general32(out: &mut String, f: f64) {
    let narrow = f as f32;
    if push_special(out, f64::from(narrow)) {
        return;
    }
    push_general(out, &shortest32(narrow));
}

fn push_special(out: &mut String, f: f64) -> bool {
    let name = if f.is_nan() {
        ".nan"
    } else if f == f64::INFINITY {
        ".inf"
    } else if f == f64::NEG_INFINITY {
        "-.inf"
    } else {
        return false;
    };
    out.push_str(name);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(push: fn(&mut String, f64), f: f64, expect: &str) {
        let mut out = String::new();
        push(&mut out, f);
        assert_eq!(out, expect, "{f:e}");
    }

    #[test]
    fn json_uses_an_exponent_only_at_the_ends() {
        for (f, expect) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (1.5, "1.5"),
            (-2.25, "-2.25"),
            (1e20, "100000000000000000000"),
            (1e21, "1e+21"),
            (1.25e22, "1.25e+22"),
            (1e-6, "0.000001"),
            (1e-7, "1e-7"),
            (1.5e-10, "1.5e-10"),
            (f64::MAX, "1.7976931348623157e+308"),
            (5e-324, "5e-324"),
            (123_456_789.125, "123456789.125"),
        ] {
            check(push_json, f, expect);
        }
    }

    #[test]
    fn general_form_uses_an_exponent_from_a_million_up() {
        for (f, expect) in [
            (0.0, "0"),
            (100_000.0, "100000"),
            (1_000_000.0, "1e+06"),
            (1_234_567.0, "1.234567e+06"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (1e100, "1e+100"),
            (f64::INFINITY, ".inf"),
            (f64::NEG_INFINITY, "-.inf"),
            (f64::NAN, ".nan"),
        ] {
            check(push_general64, f, expect);
        }
    }

    #[test]
    fn thirty_two_bits_lose_digits_as_in_go() {
        for (f, expect) in [
            (1.1, "1.1"),
            (0.1 + 0.2, "0.3"),
            (16_777_217.0, "1.6777216e+07"),
            (1e300, ".inf"),
        ] {
            check(push_general32, f, expect);
        }
    }
}
