//! One version.

use alloc::format;
use alloc::string::{String, ToString as _};
use core::cmp::Ordering;
use core::fmt;

use super::MAX_VERSION;

/// Why a text is no version, in the words of the Go library.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VersionError {
    /// It does not look like one.
    #[error("invalid semantic version")]
    Invalid,
    /// It has no characters.
    #[error("version string empty")]
    Empty,
    /// A strict version holds what no version may.
    #[error("invalid characters in version")]
    Characters,
    /// A number begins with a zero where that is not allowed.
    #[error("version segment starts with 0")]
    LeadingZero,
    /// What follows `+` is malformed.
    #[error("invalid metadata string")]
    Metadata,
    /// What follows `-` is malformed.
    #[error("invalid prerelease string")]
    Prerelease,
    /// It is longer than [`MAX_VERSION`].
    #[error("version string is too long (max {MAX_VERSION} bytes)")]
    TooLong,
    /// A number does not fit 64 bits.
    #[error("error parsing version segment: strconv.ParseUint: parsing \"{0}\": value out of range")]
    Range(String),
    /// Counting up left 64 bits: which of the numbers.
    #[error("{0} version increment would overflow uint64")]
    Overflow(&'static str),
}

/// A version: three numbers, a prerelease, metadata, and the text it was read from.
#[derive(Clone, Debug, Default)]
pub struct Version {
    pub(super) major: u64,
    pub(super) minor: u64,
    pub(super) patch: u64,
    pub(super) pre: String,
    metadata: String,
    original: String,
}

/// The pieces of a text that has the outer shape of a version: numbers with their dots, the rest without sign.
pub(super) struct Shape<'a> {
    pub(super) numbers: [Option<&'a str>; 3],
    pub(super) pre: Option<&'a str>,
    pub(super) metadata: Option<&'a str>,
    /// Bytes that were taken.
    pub(super) length: usize,
}

/// Takes the longest version from the beginning of `text`, its numbers made of characters that `digit` accepts.
pub(super) fn take_shape(text: &str, digit: fn(u8) -> bool) -> Option<Shape<'_>> {
    let bytes = text.as_bytes();
    let run = |from: usize, accept: &dyn Fn(u8) -> bool| bytes[from..].iter().take_while(|b| accept(**b)).count();
    let mut at = usize::from(bytes.first() == Some(&b'v'));
    let mut numbers = [None; 3];
    for (index, number) in numbers.iter_mut().enumerate() {
        let dot = usize::from(index > 0);
        if dot == 1 && bytes.get(at) != Some(&b'.') {
            break;
        }
        let length = run(at + dot, &digit);
        if length == 0 {
            break;
        }
        *number = Some(&text[at + dot..at + dot + length]);
        at += dot + length;
    }
    numbers[0]?;
    let word = |b: u8| b.is_ascii_alphanumeric() || b == b'-';
    let dotted = |sign: u8, from: usize| -> Option<&str> {
        (bytes.get(from) == Some(&sign)).then_some(())?;
        let mut end = from + 1 + run(from + 1, &word);
        (end > from + 1).then_some(())?;
        while bytes.get(end) == Some(&b'.') {
            let more = run(end + 1, &word);
            if more == 0 {
                break;
            }
            end += 1 + more;
        }
        Some(&text[from + 1..end])
    };
    let pre = dotted(b'-', at);
    at += pre.map_or(0, |pre| pre.len() + 1);
    let metadata = dotted(b'+', at);
    at += metadata.map_or(0, |metadata| metadata.len() + 1);
    Some(Shape {
        numbers,
        pre,
        metadata,
        length: at,
    })
}

impl Version {
    /// Reads a version as leniently as Helm does: `v1`, `1.2` and `01.2.3` are versions.
    ///
    /// # Errors
    /// When it is none.
    pub fn parse(text: &str) -> Result<Self, VersionError> {
        if text.len() > MAX_VERSION {
            return Err(VersionError::TooLong);
        }
        let shape = take_shape(text, |b| b.is_ascii_digit()).filter(|shape| shape.length == text.len());
        let shape = shape.ok_or(VersionError::Invalid)?;
        let number = |index: usize| match shape.numbers[index] {
            Some(digits) => digits.parse().map_err(|_| VersionError::Range(digits.to_string())),
            None => Ok(0),
        };
        let (major, minor, patch) = (number(0)?, number(1)?, number(2)?);
        let pre = shape.pre.unwrap_or_default();
        let metadata = shape.metadata.unwrap_or_default();
        if !pre.is_empty() {
            check_prerelease(pre)?;
        }
        if !metadata.is_empty() {
            check_metadata(metadata)?;
        }
        Ok(Self {
            major,
            minor,
            patch,
            pre: pre.into(),
            metadata: metadata.into(),
            original: text.into(),
        })
    }

    /// The first number.
    #[must_use]
    pub fn major(&self) -> u64 {
        self.major
    }

    /// The second number.
    #[must_use]
    pub fn minor(&self) -> u64 {
        self.minor
    }

    /// The third number.
    #[must_use]
    pub fn patch(&self) -> u64 {
        self.patch
    }

    /// What follows `-`, or nothing.
    #[must_use]
    pub fn prerelease(&self) -> &str {
        &self.pre
    }

    /// What follows `+`, or nothing.
    #[must_use]
    pub fn metadata(&self) -> &str {
        &self.metadata
    }

    /// The text that was read.
    #[must_use]
    pub fn original(&self) -> &str {
        &self.original
    }

    /// The order of versions; metadata does not count.
    #[must_use]
    pub fn compare(&self, other: &Self) -> Ordering {
        let numbers = |v: &Self| (v.major, v.minor, v.patch);
        numbers(self)
            .cmp(&numbers(other))
            .then_with(|| match (self.pre.is_empty(), other.pre.is_empty()) {
                (true, true) => Ordering::Equal,
                (true, false) => Ordering::Greater,
                (false, true) => Ordering::Less,
                (false, false) => compare_prerelease(&self.pre, &other.pre),
            })
    }

    /// The next patch; of a prerelease, the release itself.
    ///
    /// # Errors
    /// When the number overflows.
    pub fn inc_patch(&self) -> Result<Self, VersionError> {
        let patch = if self.pre.is_empty() {
            self.patch.checked_add(1).ok_or(VersionError::Overflow("patch"))?
        } else {
            self.patch
        };
        Ok(self.with(self.major, self.minor, patch, "", ""))
    }

    /// The next minor version.
    ///
    /// # Errors
    /// When the number overflows.
    pub fn inc_minor(&self) -> Result<Self, VersionError> {
        let minor = self.minor.checked_add(1).ok_or(VersionError::Overflow("minor"))?;
        Ok(self.with(self.major, minor, 0, "", ""))
    }

    /// The next major version.
    ///
    /// # Errors
    /// When the number overflows.
    pub fn inc_major(&self) -> Result<Self, VersionError> {
        let major = self.major.checked_add(1).ok_or(VersionError::Overflow("major"))?;
        Ok(self.with(major, 0, 0, "", ""))
    }

    /// The same version with another prerelease.
    ///
    /// # Errors
    /// When the prerelease is malformed.
    pub fn set_prerelease(&self, pre: &str) -> Result<Self, VersionError> {
        if !pre.is_empty() {
            check_prerelease(pre)?;
        }
        Ok(self.with(self.major, self.minor, self.patch, pre, &self.metadata))
    }

    /// The same version with other metadata.
    ///
    /// # Errors
    /// When the metadata is malformed.
    pub fn set_metadata(&self, metadata: &str) -> Result<Self, VersionError> {
        if !metadata.is_empty() {
            check_metadata(metadata)?;
        }
        Ok(self.with(self.major, self.minor, self.patch, &self.pre, metadata))
    }

    fn with(&self, major: u64, minor: u64, patch: u64, pre: &str, metadata: &str) -> Self {
        let mut next = Self {
            major,
            minor,
            patch,
            pre: pre.into(),
            metadata: metadata.into(),
            original: String::new(),
        };
        let prefix = if self.original.starts_with('v') { "v" } else { "" };
        next.original = format!("{prefix}{next}");
        next
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)?;
        if !self.pre.is_empty() {
            write!(f, "-{}", self.pre)?;
        }
        if !self.metadata.is_empty() {
            write!(f, "+{}", self.metadata)?;
        }
        Ok(())
    }
}

/// Part by part; a missing part is less than any.
pub(super) fn compare_prerelease(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a.split('.'), b.split('.'));
    loop {
        let (left, right) = (a.next(), b.next());
        if left.is_none() && right.is_none() {
            return Ordering::Equal;
        }
        let order = compare_part(left.unwrap_or_default(), right.unwrap_or_default());
        if order.is_ne() {
            return order;
        }
    }
}

/// Numbers by value and before words. A number beyond 64 bits counts as a word, as in the Go library.
fn compare_part(a: &str, b: &str) -> Ordering {
    if a == b {
        return Ordering::Equal;
    }
    if a.is_empty() {
        return Ordering::Less;
    }
    if b.is_empty() {
        return Ordering::Greater;
    }
    let number = |text: &str| {
        text.bytes()
            .all(|b| b.is_ascii_digit())
            .then(|| text.parse::<u64>().ok())
            .flatten()
    };
    match (number(a), number(b)) {
        (Some(a), Some(b)) if a > b => Ordering::Greater,
        (Some(_), _) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => a.cmp(b),
    }
}

fn is_word(part: &str) -> bool {
    part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}

fn check_prerelease(pre: &str) -> Result<(), VersionError> {
    for part in pre.split('.') {
        if part.is_empty() || !is_word(part) {
            return Err(VersionError::Prerelease);
        }
        if part.len() > 1 && part.starts_with('0') && part.bytes().all(|b| b.is_ascii_digit()) {
            return Err(VersionError::LeadingZero);
        }
    }
    Ok(())
}

fn check_metadata(metadata: &str) -> Result<(), VersionError> {
    if metadata.split('.').all(|part| !part.is_empty() && is_word(part)) {
        Ok(())
    } else {
        Err(VersionError::Metadata)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_leniently_and_written_in_full() {
        let check = |text: &str, expect: Result<&str, &str>| {
            let version = Version::parse(text).map(|v| v.to_string()).map_err(|e| e.to_string());
            assert_eq!(version, expect.map(Into::into).map_err(Into::into), "{text}");
        };
        check("1.2.3", Ok("1.2.3"));
        check("v1", Ok("1.0.0"));
        check("1.2-beta.1+x.y", Ok("1.2.0-beta.1+x.y"));
        check("01.02.03", Ok("1.2.3"));
        check("1.2.3.4", Err("invalid semantic version"));
        check("V1", Err("invalid semantic version"));
        check("1.2.3-01", Err("version segment starts with 0"));
        check("", Err("invalid semantic version"));
        check(
            "99999999999999999999",
            Err(
                "error parsing version segment: strconv.ParseUint: parsing \"99999999999999999999\": value out of range",
            ),
        );
    }

    #[test]
    fn versions_have_an_order() {
        let order = [
            "1.0.0-1",
            "1.0.0-2",
            "1.0.0-alpha",
            "1.0.0-alpha.1",
            "1.0.0-beta",
            "1.0.0",
            "1.0.1",
        ];
        for (left, right) in order.iter().zip(&order[1..]) {
            let [left, right] = [left, right].map(|text| Version::parse(text).unwrap());
            assert_eq!(left.compare(&right), Ordering::Less, "{left} {right}");
            assert_eq!(right.compare(&left), Ordering::Greater, "{left} {right}");
        }
    }

    #[test]
    fn counting_up_keeps_the_prefix() {
        let version = Version::parse("v1.2.3-rc.1+b").unwrap();
        assert_eq!(version.inc_patch().unwrap().original(), "v1.2.3");
        assert_eq!(version.inc_minor().unwrap().original(), "v1.3.0");
        assert_eq!(version.inc_major().unwrap().original(), "v2.0.0");
        let last = Version::parse("18446744073709551615").unwrap();
        assert_eq!(last.inc_major().unwrap_err(), VersionError::Overflow("major"));
    }
}
