//! The parameters of a URL: known ones, each at most once, each within its rule.

use url::Url;

use super::invalid;
use crate::error::OpenError;
use crate::key::broken_rule;

/// The parameters of a scheme, by the names that Go's blob drivers gave them.
pub(super) struct Scheme {
    pub(super) name: &'static str,
    pub(super) parameters: &'static [&'static str],
    /// Accepted, without a use here.
    pub(super) passed_over: &'static [&'static str],
}

/// Most bytes of a value.
const MOST_BYTES: usize = 512;

/// What a URL says behind its `?`.
pub(super) struct Parameters(Vec<(&'static str, String)>);

impl Parameters {
    pub(super) fn read(scheme: &'static Scheme, url: &Url) -> Result<Self, OpenError> {
        let mut read: Vec<(&'static str, String)> = Vec::new();
        for (name, value) in url.query_pairs() {
            let known = scheme.parameters.iter().chain(scheme.passed_over);
            let Some(name) = known.copied().find(|known| *known == name) else {
                return Err(OpenError::UnknownParameter {
                    scheme: scheme.name,
                    name: name.chars().take(64).collect(),
                    known: scheme.parameters.join(", "),
                });
            };
            if read.iter().any(|(earlier, _)| *earlier == name) {
                return Err(refused(name, "it stands twice"));
            }
            if value.len() > MOST_BYTES {
                return Err(refused(name, "it has more than 512 bytes"));
            }
            if scheme.passed_over.contains(&name) {
                tracing::warn!(
                    scheme = scheme.name,
                    parameter = name,
                    "the parameter of the render store has no use and is ignored"
                );
            }
            read.push((name, value.into_owned()));
        }
        if url.fragment().is_some() {
            return Err(invalid(scheme, "it must not have a fragment (`#`)"));
        }
        Ok(Self(read))
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value.as_str())
    }

    /// Whether any of these, which are names of one thing, is true.
    pub(super) fn any_flag(&self, names: &[&'static str]) -> Result<bool, OpenError> {
        names.iter().try_fold(false, |set, name| Ok(self.flag(name)? || set))
    }

    pub(super) fn flag(&self, name: &'static str) -> Result<bool, OpenError> {
        match self.get(name) {
            None | Some("false" | "0" | "f" | "F" | "FALSE" | "False") => Ok(false),
            Some("true" | "1" | "t" | "T" | "TRUE" | "True") => Ok(true),
            Some(_) => Err(refused(name, "expected true or false")),
        }
    }

    /// A value that keeps a rule.
    pub(super) fn checked(
        &self,
        name: &'static str,
        rule: &'static str,
        holds: impl Fn(&str) -> bool,
    ) -> Result<Option<String>, OpenError> {
        match self.get(name) {
            Some(value) if !holds(value) => Err(refused(name, rule)),
            value => Ok(value.map(ToOwned::to_owned)),
        }
    }

    /// Literal text: `a/` makes a directory of it, `a-` does not.
    pub(super) fn prefix(&self) -> Result<String, OpenError> {
        let prefix = self.get("prefix").unwrap_or_default();
        // Whether a key behind it can be a key.
        match broken_rule(&format!("{prefix}k")) {
            None => Ok(prefix.to_owned()),
            Some(rule) => Err(refused("prefix", rule)),
        }
    }

    /// The name of the Secret that holds the credentials.
    pub(super) fn secret(&self) -> Result<Option<String>, OpenError> {
        self.checked("secret", "expected the name of a Secret", |name| {
            let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '.');
            !name.is_empty() && name.len() <= 253 && name.chars().all(fits)
        })
    }
}

pub(super) fn refused(name: &'static str, rule: &'static str) -> OpenError {
    OpenError::InvalidParameter { name, rule }
}
