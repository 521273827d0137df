//! Floats as text, as Go's `strconv.FormatFloat` and `encoding/json` write them.
//!
//! Both want the shortest digits that read back to the same float, and of two such the nearer one, an even last
//! digit deciding; that is JavaScript's rule too. So is the layout of JSON: an exponent below 1e-6 and from 1e21 on.

use alloc::string::String;
use core::fmt::Write as _;

/// As `encoding/json`.
///
/// Go refuses what is not finite; that becomes `null` here, and [`crate::Value::is_finite`] tells beforehand.
pub(crate) fn push_json(out: &mut String, f: f64) {
    if !f.is_finite() {
        out.push_str("null");
        return;
    }
    if f == 0.0 && f.is_sign_negative() {
        out.push('-');
    }
    out.push_str(ryu_js::Buffer::new().format_finite(f));
}

/// As `strconv.FormatFloat(f, 'g', -1, 64)`, with YAML's names for what is not finite.
pub(crate) fn push_general64(out: &mut String, f: f64) {
    if !push_special(out, f) {
        push_general(out, f.is_sign_negative(), ryu_js::Buffer::new().format_finite(f.abs()));
    }
}

/// As `strconv.FormatFloat(f, 'g', -1, 32)`: what a float becomes as a mapping key or where text is expected.
#[expect(
    clippy::cast_possible_truncation,
    reason = "Go formats with 32 bits here, and so loses the same digits"
)]
pub(crate) fn push_general32(out: &mut String, f: f64) {
    let narrow = f as f32;
    if !push_special(out, f64::from(narrow)) {
        push_general(
            out,
            narrow.is_sign_negative(),
            ryu_js::Buffer::new().format_finite(narrow.abs()),
        );
    }
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

/// Lays out the digits of `text`: with an exponent of at least two digits below 1e-4 and from 1e6 on.
fn push_general(out: &mut String, negative: bool, text: &str) {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let zeros = fraction.len() - fraction.trim_start_matches('0').len();
    // The power of ten of the first digit that is not zero.
    let power = match whole {
        "0" if fraction.is_empty() => 0,
        "0" => -1 - small(zeros),
        _ => small(whole.len()) - 1 + exponent,
    };
    if negative {
        out.push('-');
    }
    if (-4..6).contains(&power) {
        out.push_str(text);
        return;
    }
    let digits = || whole.chars().chain(fraction.chars()).skip_while(|c| *c == '0');
    let significant = digits().collect::<String>();
    let significant = significant.trim_end_matches('0');
    let (first, rest) = significant.split_at(1);
    out.push_str(first);
    if !rest.is_empty() {
        out.push('.');
        out.push_str(rest);
    }
    let sign = if power < 0 { '-' } else { '+' };
    // Writing into a String cannot fail.
    let _ = write!(out, "e{sign}{:02}", power.unsigned_abs());
}

fn small(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
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
            // A tie between two shortest forms goes to the even digit.
            (f64::from_bits(4_831_610_159_045_197_370), "1031869766424519.2"),
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
