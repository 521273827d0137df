//! Numbers as Go writes them where convoy's values have no writer of their own.

use alloc::format;
use alloc::string::{String, ToString as _};

use convoy_value::Number;

/// As `%v` writes a number that came out of JSON or YAML.
pub(crate) fn display(number: &Number) -> String {
    match number {
        Number::Int(i) => i.to_string(),
        Number::Uint(u) => u.to_string(),
        Number::Float(f) => general(*f),
        Number::Big(digits) => digits.to_string(),
    }
}

/// As `strconv.FormatFloat(f, 'g', -1, 64)`: the shortest digits that give `f` again, with an exponent below -4 and
/// from a million on.
pub(crate) fn general(f: f64) -> String {
    if !f.is_finite() {
        return if f.is_nan() {
            "NaN".into()
        } else if f > 0.0 {
            "+Inf".into()
        } else {
            "-Inf".into()
        };
    }
    let scientific = format!("{f:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if f == 0.0 || (-4..6).contains(&exponent) {
        return format!("{f}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_written_as_go_writes_them() {
        let check = |f: f64, expect: &str| assert_eq!(general(f), expect);
        check(1.0, "1");
        check(1.5, "1.5");
        check(-0.25, "-0.25");
        check(1_000_000.0, "1e+06");
        check(999_999.0, "999999");
        check(1_234_567.5, "1.2345675e+06");
        check(1e21, "1e+21");
        check(0.00001, "1e-05");
    }
}
