//! Constraints on versions.

use alloc::borrow::ToOwned as _;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt;

use super::version::{Shape, Version, compare_prerelease, take_shape};
use super::{MAX_CONSTRAINT, MAX_GROUPS};

/// Why a text is no constraint, in the words of the Go library.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConstraintError {
    /// The part between `||` that is malformed.
    #[error("improper constraint: {0:?}")]
    Improper(String),
    /// Its version is none.
    #[error("constraint parser error")]
    Version,
    /// It is longer than [`MAX_CONSTRAINT`].
    #[error("constraint string is too long (max {MAX_CONSTRAINT} bytes)")]
    TooLong,
    /// It has more than [`MAX_GROUPS`] groups.
    #[error("too many constraint groups (max {MAX_GROUPS})")]
    TooMany,
}

/// Groups of which one must hold; in a group, all must.
#[derive(Clone, Debug)]
pub struct Constraint {
    groups: Vec<Group>,
}

#[derive(Clone, Debug)]
struct Group {
    tests: Vec<Test>,
    /// Whether any version in the group has a prerelease; else no prerelease passes.
    prerelease: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Equal,
    NotEqual,
    Greater,
    Less,
    GreaterEqual,
    LessEqual,
    Tilde,
    Caret,
}

/// Longest first, so that the first that fits is the one that is meant.
const OPERATORS: [(&str, Operator); 11] = [
    ("!=", Operator::NotEqual),
    (">=", Operator::GreaterEqual),
    ("=>", Operator::GreaterEqual),
    ("<=", Operator::LessEqual),
    ("=<", Operator::LessEqual),
    ("~>", Operator::Tilde),
    ("=", Operator::Equal),
    (">", Operator::Greater),
    ("<", Operator::Less),
    ("~", Operator::Tilde),
    ("^", Operator::Caret),
];

#[derive(Clone, Debug)]
struct Test {
    operator: Operator,
    /// The operator as written.
    sign: &'static str,
    version: Version,
    /// The version as written.
    original: String,
    /// A number is missing or a wildcard: any, the minor, the patch.
    dirty: bool,
    minor_dirty: bool,
    patch_dirty: bool,
}

/// Whether `version` is one and meets `constraint`, if that is one: what Helm asks of dependencies and clusters.
#[must_use]
pub fn is_compatible(constraint: &str, version: &str) -> bool {
    match (Version::parse(version), Constraint::parse(constraint)) {
        (Ok(version), Ok(constraint)) => constraint.check(&version),
        (Err(_), _) | (_, Err(_)) => false,
    }
}

impl Constraint {
    /// Reads a constraint: `>=1.2, <2 || ^3`, `1.2 - 1.4`, `1.x`, `*` and so on.
    ///
    /// # Errors
    /// When it is none.
    pub fn parse(text: &str) -> Result<Self, ConstraintError> {
        if text.len() > MAX_CONSTRAINT {
            return Err(ConstraintError::TooLong);
        }
        let text = rewrite_ranges(text);
        if text.split("||").count() > MAX_GROUPS {
            return Err(ConstraintError::TooMany);
        }
        let groups = text.split("||").map(parse_group).collect::<Result<_, _>>()?;
        Ok(Self { groups })
    }

    /// Whether `version` meets it.
    #[must_use]
    pub fn check(&self, version: &Version) -> bool {
        self.groups.iter().any(|group| {
            group
                .tests
                .iter()
                .all(|test| test.check(version, group.prerelease).is_ok())
        })
    }

    /// Whether `version` meets it, with a reason for each part that it fails.
    ///
    /// # Errors
    /// The reasons, when it does not.
    pub fn validate(&self, version: &Version) -> Result<(), Vec<String>> {
        let mut reasons = Vec::new();
        let mut told = false;
        for group in &self.groups {
            let mut joy = true;
            for test in &group.tests {
                if !group.prerelease && !version.pre.is_empty() {
                    if !told {
                        reasons.push(only_releases(version));
                        told = true;
                    }
                    joy = false;
                } else if let Err(reason) = test.check(version, group.prerelease) {
                    reasons.push(reason);
                    joy = false;
                }
            }
            if joy {
                return Ok(());
            }
        }
        Err(reasons)
    }
}

impl fmt::Display for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, group) in self.groups.iter().enumerate() {
            if index > 0 {
                f.write_str(" || ")?;
            }
            for (index, test) in group.tests.iter().enumerate() {
                let space = if index > 0 { " " } else { "" };
                write!(f, "{space}{}{}", test.sign, test.original)?;
            }
        }
        Ok(())
    }
}

fn only_releases(version: &Version) -> String {
    format!("\"{version}\" is a prerelease version and the constraint is only looking for release versions")
}

fn is_space(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\n' | b'\r' | 0x0c)
}

fn spaces(text: &str) -> usize {
    text.bytes().take_while(|b| is_space(*b)).count()
}

/// A version in a constraint; its numbers may be wildcards, and the Go library lets `|` through here.
fn take_version(text: &str) -> Option<Shape<'_>> {
    take_shape(text, |b| b.is_ascii_digit() || matches!(b, b'x' | b'X' | b'*' | b'|'))
}

/// Turns each `a - b` into `>= a, <= b`.
fn rewrite_ranges(text: &str) -> String {
    let mut out = String::new();
    let mut at = 0;
    while at < text.len() {
        if let Some((length, low, high)) = take_range(&text[at..]) {
            out.push_str(&format!(">= {low}, <= {high} "));
            at += length;
        } else {
            let next = text[at..].chars().next().map_or(1, char::len_utf8);
            out.push_str(&text[at..at + next]);
            at += next;
        }
    }
    out
}

fn take_range(text: &str) -> Option<(usize, &str, &str)> {
    let start = spaces(text);
    let low = take_version(&text[start..])?.length;
    let mut at = start + low;
    let before = spaces(&text[at..]);
    let after = spaces(text[at + before..].strip_prefix('-')?);
    if before == 0 || after == 0 {
        return None;
    }
    at += before + 1 + after;
    let high = take_version(&text[at..])?.length;
    let end = at + high;
    let length = end + spaces(&text[end..]);
    Some((length, &text[start..start + low], &text[at..end]))
}

/// A test whose outer shape is right: its version may still be none.
type Raw<'t> = (Operator, &'static str, Shape<'t>, &'t str);

fn parse_group(text: &str) -> Result<Group, ConstraintError> {
    let raw = split_group(text).ok_or_else(|| ConstraintError::Improper(text.to_owned()))?;
    let tests = raw
        .iter()
        .map(|(operator, sign, shape, original)| test(*operator, sign, shape, original));
    let tests = tests.collect::<Result<Vec<_>, _>>()?;
    let prerelease = tests.iter().any(|test| !test.version.pre.is_empty());
    Ok(Group { tests, prerelease })
}

/// The tests of a group, with blanks or a comma between; `None` when the text is malformed.
fn split_group(text: &str) -> Option<Vec<Raw<'_>>> {
    let mut tests = Vec::new();
    let mut rest = &text[spaces(text)..];
    loop {
        let (raw, length) = take_test(rest)?;
        tests.push(raw);
        let behind = &rest[length..];
        let spaced = &behind[spaces(behind)..];
        if spaced.is_empty() {
            return Some(tests);
        }
        let comma = spaced.strip_prefix(',');
        if comma.is_none() && spaced.len() == behind.len() {
            return None;
        }
        let next = comma.unwrap_or(spaced);
        rest = &next[spaces(next)..];
    }
}

/// One operator and version, and their length; `None` when the text does not begin with one.
fn take_test(text: &str) -> Option<(Raw<'_>, usize)> {
    let (sign, operator) = OPERATORS
        .into_iter()
        .find(|(sign, _)| text.starts_with(sign))
        .unwrap_or(("", Operator::Equal));
    let start = sign.len() + spaces(&text[sign.len()..]);
    let shape = take_version(&text[start..])?;
    let end = start + shape.length;
    Some(((operator, sign, shape, &text[start..end]), end))
}

fn test(operator: Operator, sign: &'static str, shape: &Shape<'_>, original: &str) -> Result<Test, ConstraintError> {
    let known = |index: usize| shape.numbers[index].filter(|number| !matches!(*number, "x" | "X" | "*"));
    let pre = shape.pre.map(|pre| format!("-{pre}")).unwrap_or_default();
    let (mut dirty, mut minor_dirty, mut patch_dirty) = (true, false, false);
    let version = match (known(0), known(1), known(2)) {
        (None, _, _) => format!("0.0.0{pre}"),
        (Some(major), None, _) => {
            minor_dirty = true;
            format!("{major}.0.0{pre}")
        }
        (Some(major), Some(minor), None) => {
            patch_dirty = true;
            format!("{major}.{minor}.0{pre}")
        }
        (Some(_), Some(_), Some(_)) => {
            dirty = false;
            original.to_string()
        }
    };
    Ok(Test {
        operator,
        sign,
        version: Version::parse(&version).map_err(|_| ConstraintError::Version)?,
        original: original.to_owned(),
        dirty,
        minor_dirty,
        patch_dirty,
    })
}

impl Test {
    fn check(&self, v: &Version, prerelease: bool) -> Result<(), String> {
        if !v.pre.is_empty() && !prerelease {
            return Err(only_releases(v));
        }
        match self.operator {
            Operator::Equal if self.dirty => self.tilde(v),
            Operator::Equal => self.hold(v, v.compare(&self.version).is_eq(), "is not equal to"),
            Operator::NotEqual => self.hold(v, self.differs(v), "is equal to"),
            Operator::Greater => self.hold(v, self.less_than(v), "is less than or equal to"),
            Operator::Less => self.hold(v, v.compare(&self.version).is_lt(), "is greater than or equal to"),
            Operator::GreaterEqual => self.hold(v, v.compare(&self.version).is_ge(), "is less than"),
            Operator::LessEqual => self.hold(v, self.at_least(v), "is greater than"),
            Operator::Tilde => self.tilde(v),
            Operator::Caret => self.caret(v),
        }
    }

    fn hold(&self, v: &Version, holds: bool, otherwise: &str) -> Result<(), String> {
        if holds {
            Ok(())
        } else {
            Err(format!("\"{v}\" {otherwise} \"{}\"", self.original))
        }
    }

    fn differs(&self, v: &Version) -> bool {
        let con = &self.version;
        if self.dirty {
            if con.major != v.major || con.minor != v.minor && !self.minor_dirty {
                return true;
            }
            if self.minor_dirty {
                return false;
            }
            if con.patch != v.patch && !self.patch_dirty {
                return true;
            }
            if self.patch_dirty {
                return (!v.pre.is_empty() || !con.pre.is_empty()) && compare_prerelease(&v.pre, &con.pre).is_ne();
            }
        }
        v.compare(con).is_ne()
    }

    /// Whether the constraint's version is less than `v`: `>1` means not 1.anything.
    fn less_than(&self, v: &Version) -> bool {
        let con = &self.version;
        if self.dirty {
            match v.major.cmp(&con.major) {
                Ordering::Greater => return true,
                Ordering::Less => return false,
                Ordering::Equal if self.minor_dirty => return false,
                Ordering::Equal if self.patch_dirty => return v.minor > con.minor,
                Ordering::Equal => {}
            }
        }
        v.compare(con).is_gt()
    }

    /// Whether the constraint's version is at least `v`: `<=1` means 1.anything too.
    fn at_least(&self, v: &Version) -> bool {
        let con = &self.version;
        if self.dirty {
            return !(v.major > con.major || v.major == con.major && v.minor > con.minor && !self.minor_dirty);
        }
        v.compare(con).is_le()
    }

    fn tilde(&self, v: &Version) -> Result<(), String> {
        let con = &self.version;
        self.hold(v, v.compare(con).is_ge(), "is less than")?;
        if (con.major, con.minor, con.patch) == (0, 0, 0) && !self.minor_dirty && !self.patch_dirty {
            return Ok(());
        }
        self.hold(v, v.major == con.major, "does not have same major version as")?;
        let minor = v.minor == con.minor || self.minor_dirty;
        self.hold(v, minor, "does not have same major and minor version as")
    }

    fn caret(&self, v: &Version) -> Result<(), String> {
        let con = &self.version;
        self.hold(v, v.compare(con).is_ge(), "is less than")?;
        if con.major > 0 || self.minor_dirty {
            return self.hold(v, v.major == con.major, "does not have same major version as");
        }
        self.hold(v, v.major == 0, "does not have same major version as")?;
        if con.minor > 0 || self.patch_dirty {
            return if v.minor == con.minor {
                Ok(())
            } else {
                Err(format!(
                    "\"{v}\" does not have same minor version as \"{}\". Expected minor versions to match when constraint major version is 0",
                    self.original
                ))
            };
        }
        self.hold(v, v.minor == 0, "does not have same minor version as")?;
        if con.patch == v.patch {
            Ok(())
        } else {
            Err(format!(
                "\"{v}\" does not equal \"{}\". Expect version and constraint to equal when major and minor versions are 0",
                self.original
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constraints_hold_for_what_they_name() {
        let check = |constraint: &str, version: &str, expect: bool| {
            assert_eq!(is_compatible(constraint, version), expect, "{constraint} {version}");
        };
        check(">=1.19-0", "1.19.3-gke.1", true);
        check(">=1.19", "1.20.0-rc.1", false);
        check("^1.2", "1.9.0", true);
        check("^0.2.3", "0.3.0", false);
        check("~1.2.3", "1.2.9", true);
        check("1.2 - 1.4", "1.3.0", true);
        check("1.2 - 1.4", "1.4.7", true);
        check(">1", "1.5.0", false);
        check("<=1", "1.5.0", true);
        check("1.x || >=3, <4", "3.1.0", true);
        check("*", "9.9.9", true);
        check("!=1.2.x", "1.2.3", false);
        check("", "1.0.0", false);
        check(">=1,", "1.0.0", false);
    }

    #[test]
    fn the_first_part_that_is_malformed_is_named() {
        let error = |text: &str| Constraint::parse(text).unwrap_err().to_string();
        assert_eq!(error("1 || a"), "improper constraint: \" a\"");
        assert_eq!(error("1.2.3.4"), "improper constraint: \"1.2.3.4\"");
        assert_eq!(error("xx"), "constraint parser error");
    }

    #[test]
    fn a_failed_validation_says_why() {
        let reasons = |constraint: &str, version: &str| {
            let version = Version::parse(version).unwrap();
            Constraint::parse(constraint).unwrap().validate(&version).unwrap_err()
        };
        assert_eq!(
            reasons(">2, <1.5", "1.7"),
            [
                "\"1.7.0\" is less than or equal to \"2\"",
                "\"1.7.0\" is greater than or equal to \"1.5\""
            ]
        );
        assert_eq!(
            reasons("^0.2", "1.0"),
            ["\"1.0.0\" does not have same major version as \"0.2\""]
        );
    }
}
