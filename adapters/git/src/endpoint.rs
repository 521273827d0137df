//! Which repository a source's URL names, and how it is named in messages.
//!
//! # Invariant
//! A [`Site`] holds no credentials: user, password, query and fragment never reach a message.

use std::path::PathBuf;

use convoy_ports::FetchError;
use reqwest::Url;

/// A repository's address as people may see it, and the errors that name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Site(String);

impl Site {
    pub(crate) fn of(url: &Url) -> Self {
        let mut shown = url.clone();
        // Both fail only for URLs that cannot have a user, which then have none.
        let _ = shown.set_username("");
        let _ = shown.set_password(None);
        shown.set_query(None);
        shown.set_fragment(None);
        Self(shown.into())
    }

    pub(crate) fn authentication(&self, why: impl Into<String>) -> FetchError {
        FetchError::Authentication {
            url: self.0.clone(),
            why: why.into(),
        }
    }

    pub(crate) fn refused(&self, why: impl Into<String>) -> FetchError {
        FetchError::HostRefused {
            url: self.0.clone(),
            why: why.into(),
        }
    }

    pub(crate) fn tls(&self, why: impl Into<String>) -> FetchError {
        FetchError::Tls {
            url: self.0.clone(),
            why: why.into(),
        }
    }

    pub(crate) fn unreachable(&self, why: impl Into<String>) -> FetchError {
        FetchError::Unreachable {
            url: self.0.clone(),
            why: why.into(),
        }
    }

    /// `timeout` is named in whole seconds, rounded up.
    pub(crate) fn timeout(&self, timeout: std::time::Duration) -> FetchError {
        FetchError::Timeout {
            url: self.0.clone(),
            seconds: timeout.as_secs() + u64::from(timeout.subsec_nanos() > 0),
        }
    }

    pub(crate) fn not_a_repository(&self, why: impl Into<String>) -> FetchError {
        FetchError::NotARepository {
            url: self.0.clone(),
            why: why.into(),
        }
    }

    pub(crate) fn not_found(&self, wanted: &impl ToString) -> FetchError {
        FetchError::RefNotFound {
            url: self.0.clone(),
            wanted: wanted.to_string(),
        }
    }

    pub(crate) fn invalid(&self, why: impl Into<String>) -> FetchError {
        FetchError::Invalid {
            url: self.0.clone(),
            why: why.into(),
        }
    }

    pub(crate) fn limit(&self, limit: impl Into<String>) -> FetchError {
        FetchError::Limit {
            url: self.0.clone(),
            limit: limit.into(),
        }
    }
}

/// Where a repository is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Endpoint {
    /// Behind an http or https server.
    Http(Url),
    /// In a folder of this machine.
    Folder(PathBuf),
}

/// Reads the URL of a source.
///
/// # Errors
/// `HostRefused` for a URL that holds credentials, or `file://` where `file_urls` is off; `Unsupported` for other
/// schemes and for texts that are no URL (`git@host:path` means ssh).
pub(crate) fn parse(url: &str, file_urls: bool) -> Result<(Endpoint, Site), FetchError> {
    let parsed = Url::parse(url.trim()).map_err(|_| no_url())?;
    let site = Site::of(&parsed);
    match parsed.scheme() {
        "http" | "https" => {
            if !parsed.username().is_empty() || parsed.password().is_some() {
                return Err(site.refused("its URL holds credentials, which belong into `spec.auth`"));
            }
            if parsed.query().is_some() || parsed.fragment().is_some() {
                return Err(site.refused("its URL has a query or a fragment"));
            }
            Ok((Endpoint::Http(parsed), site))
        }
        "file" => {
            if !file_urls {
                return Err(site.refused("file:// is not enabled"));
            }
            match parsed.to_file_path() {
                Ok(path) => Ok((Endpoint::Folder(path), site)),
                Err(()) => Err(site.refused("it names a folder of another host")),
            }
        }
        scheme @ ("ssh" | "git" | "ftp" | "ftps" | "git+ssh" | "ssh+git") => Err(FetchError::Unsupported {
            what: format!("a git repository with scheme `{scheme}`"),
        }),
        // `token:@host/path` reads as a URL whose scheme is the token.
        _ => Err(no_url()),
    }
}

/// Repeats nothing of the text, which may hold a password.
fn no_url() -> FetchError {
    FetchError::Unsupported {
        what: "a repository address that is not an http(s):// URL".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(url: &str, file_urls: bool, expect: Result<&str, &str>) {
        match (parse(url, file_urls), expect) {
            (Ok((Endpoint::Http(found), _)), Ok(expected)) => assert_eq!(found.as_str(), expected, "{url}"),
            (Ok((Endpoint::Folder(found), _)), Ok(expected)) => {
                assert_eq!(found, PathBuf::from(expected), "{url}");
            }
            (Err(error), Err(expected)) => {
                assert_eq!(error.to_string(), expected, "{url}");
                assert!(!error.to_string().contains("canary"), "{error}");
            }
            (found, expected) => panic!("{url}: found {found:?}, expected {expected:?}"),
        }
    }

    #[test]
    fn http_urls_are_taken_as_they_are() {
        check(
            "https://example.com/Team/App.git",
            false,
            Ok("https://example.com/Team/App.git"),
        );
        check("  http://127.0.0.1:8080/a  ", false, Ok("http://127.0.0.1:8080/a"));
    }

    #[test]
    fn folders_are_opened_only_where_that_is_enabled() {
        check("file:///srv/a%20b", true, Ok("/srv/a b"));
        check(
            "file:///srv/a",
            false,
            Err("`file:///srv/a` is refused: file:// is not enabled"),
        );
        check(
            "file://host/srv/a",
            true,
            Err("`file://host/srv/a` is refused: it names a folder of another host"),
        );
    }

    #[test]
    fn credentials_in_a_url_are_refused_and_never_repeated() {
        let why = "is refused: its URL holds credentials, which belong into `spec.auth`";
        check(
            "https://ann:canary@example.com/a.git",
            true,
            Err(&format!("`https://example.com/a.git` {why}")),
        );
        check(
            "https://canary@example.com/a.git",
            true,
            Err(&format!("`https://example.com/a.git` {why}")),
        );
        check(
            "https://example.com/a.git?token=canary",
            true,
            Err("`https://example.com/a.git` is refused: its URL has a query or a fragment"),
        );
        check(
            "canary:canary@:::",
            true,
            Err("a repository address that is not an http(s):// URL is not supported"),
        );
    }

    #[test]
    fn other_schemes_are_unsupported() {
        check(
            "ssh://git@example.com/a.git",
            true,
            Err("a git repository with scheme `ssh` is not supported"),
        );
        check(
            "git@example.com:a.git",
            true,
            Err("a repository address that is not an http(s):// URL is not supported"),
        );
    }
}
