//! What a scalar means: go-yaml's rules for plain text and for tags.
//!
//! Both readers share all but the words for booleans and one spelling of octals: the Helm reader knows YAML 1.1's
//! `y`, `yes`, `on`, `n`, `no` and `off`, the Kustomize reader only `true` and `false`.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use super::error::Dialect;
use super::event::Tag;
use super::timestamp;

/// The meaning of a scalar whose text is at hand.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Resolved {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Float(f64),
    /// A whole number beyond 64 bits, its digits and the nearest float.
    Big(Box<str>, f64),
    /// Text that looks like a time.
    Timestamp,
    /// The text itself.
    Str,
}

impl Resolved {
    /// The tag of such a scalar.
    pub(super) fn tag(&self) -> Tag {
        match self {
            Self::Null => Tag::Null,
            Self::Bool(_) => Tag::Bool,
            Self::Int(_) | Self::Uint(_) => Tag::Int,
            Self::Float(_) | Self::Big(..) => Tag::Float,
            Self::Timestamp => Tag::Timestamp,
            Self::Str => Tag::Str,
        }
    }
}

/// What a plain scalar without a tag means.
pub(super) fn plain(text: &str, dialect: Dialect) -> Resolved {
    resolve(Tag::None, text, dialect)
}

/// What a scalar with a tag that is resolved means, or what it means in spite of the tag.
pub(super) fn tagged(tag: Tag, text: &str, dialect: Dialect) -> Result<Resolved, Resolved> {
    let resolved = resolve(tag, text, dialect);
    match (tag, resolved) {
        (Tag::Str, resolved) => Ok(resolved),
        (Tag::Float, Resolved::Int(i)) => {
            #[expect(clippy::cast_precision_loss, reason = "the nearest float is what the tag asks for")]
            let f = i as f64;
            Ok(Resolved::Float(f))
        }
        (tag, resolved) if resolved.tag() == tag => Ok(resolved),
        (_, resolved) => Err(resolved),
    }
}

fn resolve(tag: Tag, text: &str, dialect: Dialect) -> Resolved {
    let Some(&first) = text.as_bytes().first() else {
        return if tag == Tag::Str { Resolved::Str } else { Resolved::Null };
    };
    if tag == Tag::Str {
        return Resolved::Str;
    }
    match first {
        b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~' => {
            word(text, dialect).unwrap_or(Resolved::Str)
        }
        b'.' => special_float(text)
            .or_else(|| dotted_float(text))
            .map_or(Resolved::Str, Resolved::Float),
        b'+' | b'-' | b'0'..=b'9' => {
            if let Some(f) = special_float(text) {
                return Resolved::Float(f);
            }
            if matches!(tag, Tag::None | Tag::Timestamp) && timestamp::is_timestamp(text) {
                return Resolved::Timestamp;
            }
            number(text, dialect).unwrap_or(Resolved::Str)
        }
        _ => Resolved::Str,
    }
}

fn word(text: &str, dialect: Dialect) -> Option<Resolved> {
    Some(match text {
        "true" | "True" | "TRUE" => Resolved::Bool(true),
        "false" | "False" | "FALSE" => Resolved::Bool(false),
        "~" | "null" | "Null" | "NULL" => Resolved::Null,
        _ if dialect == Dialect::Kustomize => return None,
        "y" | "Y" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => Resolved::Bool(true),
        "n" | "N" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => Resolved::Bool(false),
        _ => return None,
    })
}

fn special_float(text: &str) -> Option<f64> {
    Some(match text {
        ".nan" | ".NaN" | ".NAN" => f64::NAN,
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => f64::INFINITY,
        "-.inf" | "-.Inf" | "-.INF" => f64::NEG_INFINITY,
        _ => return None,
    })
}

/// A float that begins with a point: here, and only here, go-yaml leaves underscores to Go, which takes them
/// between digits.
fn dotted_float(text: &str) -> Option<f64> {
    if !text.contains('_') {
        return yaml_float(text);
    }
    let bytes = text.as_bytes();
    let digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    let separates = bytes
        .iter()
        .enumerate()
        .all(|(at, &b)| b != b'_' || (digit(at.checked_sub(1)) && digit(Some(at + 1))));
    if separates {
        yaml_float(&text.replace('_', ""))
    } else {
        None
    }
}

/// A decimal float in YAML's grammar; what is beyond a float's range is none.
fn yaml_float(text: &str) -> Option<f64> {
    let bytes = text.as_bytes();
    let mut at = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let digits = |from: usize| {
        bytes
            .get(from..)
            .map_or(0, |rest| rest.iter().take_while(|b| b.is_ascii_digit()).count())
    };
    let whole = digits(at);
    at += whole;
    if bytes.get(at) == Some(&b'.') {
        let fraction = digits(at + 1);
        if whole + fraction == 0 {
            return None;
        }
        at += 1 + fraction;
    } else if whole == 0 {
        return None;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1;
        at += usize::from(matches!(bytes.get(at), Some(b'+' | b'-')));
        let exponent = digits(at);
        if exponent == 0 {
            return None;
        }
        at += exponent;
    }
    if at < bytes.len() {
        return None;
    }
    text.parse().ok().filter(|f: &f64| f.is_finite())
}

fn number(text: &str, dialect: Dialect) -> Option<Resolved> {
    let plain = if text.contains('_') {
        Cow::Owned(text.replace('_', ""))
    } else {
        Cow::Borrowed(text)
    };
    let plain = plain.as_ref();
    if let Some(integer) = integer_any_base(plain) {
        return Some(integer);
    }
    if let Some(f) = yaml_float(plain) {
        let digits = plain.trim_start_matches('+');
        let whole = digits
            .strip_prefix('-')
            .unwrap_or(digits)
            .bytes()
            .all(|b| b.is_ascii_digit());
        // A leading zero made it no integer because of an 8 or 9, not because of its size.
        let big = whole && f.abs() >= 9.0e18 && dialect == Dialect::Kustomize;
        return Some(if big {
            Resolved::Big(digits.into(), f)
        } else {
            Resolved::Float(f)
        });
    }
    // Go hands on what stands behind these prefixes with its own sign.
    prefixed(plain, "0b", 2).or_else(|| match dialect {
        Dialect::Kustomize => prefixed(plain, "0o", 8),
        Dialect::Helm => None,
    })
}

/// An integer as Go's `strconv` reads it with base 0: `0x`, `0o`, `0b` in either case, and octal behind a zero.
fn integer_any_base(text: &str) -> Option<Resolved> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let (base, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', _, ..] => (16, &digits[2..]),
        [b'0', b'o' | b'O', _, ..] => (8, &digits[2..]),
        [b'0', b'b' | b'B', _, ..] => (2, &digits[2..]),
        [b'0', _, ..] => (8, &digits[1..]),
        _ => (10, digits),
    };
    let magnitude = magnitude(digits, base)?;
    // An unsigned number has no sign at all in Go.
    let signed = text.len() > 1 && matches!(text.as_bytes()[0], b'+' | b'-');
    integer(negative, magnitude, signed)
}

fn prefixed(text: &str, prefix: &str, base: u32) -> Option<Resolved> {
    if let Some(rest) = text.strip_prefix(prefix) {
        let (negative, digits) = match rest.as_bytes().first()? {
            b'-' => (true, &rest[1..]),
            b'+' => (false, &rest[1..]),
            _ => (false, rest),
        };
        return integer(negative, magnitude(digits, base)?, digits.len() < rest.len());
    }
    let digits = text.strip_prefix('-')?.strip_prefix(prefix)?;
    integer(true, magnitude(digits, base)?, true)
}

fn magnitude(digits: &str, base: u32) -> Option<u64> {
    // `from_str_radix` would take a sign.
    if !digits.bytes().next()?.is_ascii_alphanumeric() {
        return None;
    }
    u64::from_str_radix(digits, base).ok()
}

fn integer(negative: bool, magnitude: u64, signed: bool) -> Option<Resolved> {
    if negative {
        return 0i64.checked_sub_unsigned(magnitude).map(Resolved::Int);
    }
    match i64::try_from(magnitude) {
        Ok(i) => Some(Resolved::Int(i)),
        Err(_) if signed => None,
        Err(_) => Some(Resolved::Uint(magnitude)),
    }
}

/// The bytes of `!!binary` text, as text: line breaks are passed over, broken UTF-8 is replaced.
pub(super) fn binary(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let mut group = 0u32;
    let mut filled = 0;
    let mut padding = 0;
    for byte in text.bytes().filter(|b| !matches!(b, b'\r' | b'\n')) {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' if filled >= 2 => {
                padding += 1;
                0
            }
            _ => return None,
        };
        if padding > 0 && byte != b'=' {
            return None;
        }
        group = group << 6 | u32::from(value);
        filled += 1;
        if filled == 4 {
            let [_, first, second, third] = group.to_be_bytes();
            out.extend_from_slice(&[first, second, third][..3 - padding]);
            // Only the last group may be padded: what follows finds `padding` set.
            group = 0;
            filled = 0;
        }
    }
    (filled == 0).then(|| crate::json::replace_broken(out))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, helm: &Resolved) {
        assert_eq!(plain(text, Dialect::Helm), *helm, "{text}");
    }

    #[test]
    fn numbers_are_what_go_takes_for_numbers() {
        for (text, expect) in [
            ("0", 0),
            ("-0", 0),
            ("+12", 12),
            ("014", 12),
            ("0o14", 12),
            ("0O14", 12),
            ("0x1F", 31),
            ("-0x1f", -31),
            ("0b101", 5),
            ("0b-1", -1),
            ("-0b11", -3),
            ("1_000", 1000),
            ("-9223372036854775808", i64::MIN),
        ] {
            check(text, &Resolved::Int(expect));
        }
        check("18446744073709551615", &Resolved::Uint(u64::MAX));
        for (text, expect) in [
            ("08", 8.0),
            ("1.", 1.0),
            (".5", 0.5),
            (".1_0", 0.1),
            ("+.5", 0.5),
            ("1e3", 1000.0),
            ("1_0.5", 10.5),
            ("18446744073709551616", 18_446_744_073_709_551_616.0),
            ("-.inf", f64::NEG_INFINITY),
        ] {
            check(text, &Resolved::Float(expect));
        }
        for text in [
            "1e400",
            "190:20:30",
            "0x",
            "0o8",
            "0b2",
            "1e",
            "--1",
            "+-1",
            "._5",
            ".5_",
            "-",
            "+",
            ".",
            "0x1G",
            "1 2",
            "é",
        ] {
            check(text, &Resolved::Str);
        }
    }

    #[test]
    fn yes_and_on_are_booleans_for_helm_alone() {
        for text in ["y", "Yes", "ON", "n", "No", "off"] {
            assert!(matches!(plain(text, Dialect::Helm), Resolved::Bool(_)), "{text}");
            assert_eq!(plain(text, Dialect::Kustomize), Resolved::Str, "{text}");
        }
        assert_eq!(plain("yEs", Dialect::Helm), Resolved::Str);
        for text in ["", "~", "null", "Null", "NULL"] {
            check(text, &Resolved::Null);
        }
    }

    #[test]
    fn digits_beyond_64_bits_are_kept_for_kustomize() {
        let expect = Resolved::Big("-123456789012345678901".into(), -123_456_789_012_345_678_901.0);
        assert_eq!(plain("-123456789012345678901", Dialect::Kustomize), expect);
        assert_eq!(plain("0o-7", Dialect::Kustomize), Resolved::Int(-7));
        assert_eq!(plain("0o-7", Dialect::Helm), Resolved::Str);
    }

    #[test]
    fn a_tag_must_fit_its_text() {
        assert_eq!(tagged(Tag::Int, "12", Dialect::Helm), Ok(Resolved::Int(12)));
        assert_eq!(tagged(Tag::Int, "x", Dialect::Helm), Err(Resolved::Str));
        assert_eq!(tagged(Tag::Float, "12", Dialect::Helm), Ok(Resolved::Float(12.0)));
        assert_eq!(tagged(Tag::Str, "12", Dialect::Helm), Ok(Resolved::Str));
        assert_eq!(tagged(Tag::Float, "2020-01-01", Dialect::Helm), Err(Resolved::Str));
    }

    #[test]
    fn binary_text_is_decoded_strictly() {
        for (text, expect) in [
            ("aGVsbG8=", Some("hello")),
            ("aGVs\nbG8=\n", Some("hello")),
            ("", Some("")),
            ("/w==", Some("\u{fffd}")),
            ("aGVsbG8", None),
            ("aGVsbG8=x", None),
            ("a===", None),
            ("aG=s", None),
        ] {
            assert_eq!(binary(text).as_deref(), expect, "{text}");
        }
    }
}
