//! How an address is named in messages.
//!
//! # Invariant
//! A [`Site`] holds no credentials: user, password, query and fragment of a URL never reach a message.

use std::time::Duration;

use convoy_ports::FetchError;
use reqwest::Url;

/// An address as people may see it, and the errors that name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site(String);

impl Site {
    /// The site of an http or https URL.
    #[must_use]
    pub fn of(url: &Url) -> Self {
        let mut shown = url.clone();
        // Both fail only for URLs that cannot have a user, which then have none.
        let _ = shown.set_username("");
        let _ = shown.set_password(None);
        shown.set_query(None);
        shown.set_fragment(None);
        Self(shown.into())
    }

    /// A site by a name that is known to hold no credentials.
    #[must_use]
    pub fn named(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// Its name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// `Authentication`.
    #[must_use]
    pub fn authentication(&self, why: impl Into<String>) -> FetchError {
        FetchError::Authentication {
            url: self.0.clone(),
            why: why.into(),
        }
    }

    /// `HostRefused`.
    #[must_use]
    pub fn refused(&self, why: impl Into<String>) -> FetchError {
        FetchError::HostRefused {
            url: self.0.clone(),
            why: why.into(),
        }
    }

    /// `Tls`.
    #[must_use]
    pub fn tls(&self, why: impl Into<String>) -> FetchError {
        FetchError::Tls {
            url: self.0.clone(),
            why: why.into(),
        }
    }

    /// `Unreachable`.
    #[must_use]
    pub fn unreachable(&self, why: impl Into<String>) -> FetchError {
        FetchError::Unreachable {
            url: self.0.clone(),
            why: why.into(),
        }
    }

    /// `Busy`.
    #[must_use]
    pub fn busy(&self, why: impl Into<String>, after: Duration) -> FetchError {
        FetchError::Busy {
            url: self.0.clone(),
            why: why.into(),
            after,
        }
    }

    /// `HostNotTrusted`.
    #[must_use]
    pub fn not_trusted(&self) -> FetchError {
        FetchError::HostNotTrusted { url: self.0.clone() }
    }

    /// `Signature`.
    #[must_use]
    pub fn signature(&self, why: impl Into<String>) -> FetchError {
        FetchError::Signature {
            url: self.0.clone(),
            why: why.into(),
        }
    }

    /// `Timeout`; `timeout` is named in whole seconds, rounded up.
    #[must_use]
    pub fn timeout(&self, timeout: Duration) -> FetchError {
        FetchError::Timeout {
            url: self.0.clone(),
            seconds: timeout.as_secs() + u64::from(timeout.subsec_nanos() > 0),
        }
    }

    /// `NotARepository`.
    #[must_use]
    pub fn not_a_repository(&self, why: impl Into<String>) -> FetchError {
        FetchError::NotARepository {
            url: self.0.clone(),
            why: why.into(),
        }
    }

    /// `IndexInvalid`.
    #[must_use]
    pub fn index_invalid(&self, why: impl Into<String>) -> FetchError {
        FetchError::IndexInvalid {
            url: self.0.clone(),
            why: why.into(),
        }
    }

    /// `RefNotFound`.
    #[must_use]
    pub fn not_found(&self, wanted: &impl ToString) -> FetchError {
        FetchError::RefNotFound {
            url: self.0.clone(),
            wanted: wanted.to_string(),
        }
    }

    /// `ChartNotFound`.
    #[must_use]
    pub fn no_chart(&self, wanted: impl Into<String>) -> FetchError {
        FetchError::ChartNotFound {
            url: self.0.clone(),
            wanted: wanted.into(),
        }
    }

    /// `Invalid`.
    #[must_use]
    pub fn invalid(&self, why: impl Into<String>) -> FetchError {
        FetchError::Invalid {
            url: self.0.clone(),
            why: why.into(),
        }
    }

    /// `Limit`.
    #[must_use]
    pub fn limit(&self, limit: impl Into<String>) -> FetchError {
        FetchError::Limit {
            url: self.0.clone(),
            limit: limit.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_names_neither_user_nor_query() {
        let check = |url: &str, expect: &str| assert_eq!(Site::of(&Url::parse(url).unwrap()).as_str(), expect, "{url}");
        check("https://ann:canary@h/a/b?token=canary#canary", "https://h/a/b");
        check("http://h:8080", "http://h:8080/");
    }

    #[test]
    fn a_part_of_a_second_counts_as_one() {
        let site = Site::named("x");
        let check = |timeout, expect: &str| assert_eq!(site.timeout(timeout).to_string(), expect);
        check(Duration::from_secs(2), "`x` did not answer within 2 s");
        check(Duration::from_millis(2001), "`x` did not answer within 3 s");
    }
}
