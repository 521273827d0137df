//! URLs as texts: what of one may be shown, and whom it names.
//!
//! Adapters parse URLs when they use them. These functions take any text, also one that is no URL, since they stand
//! before statuses, logs and messages.

use alloc::format;
use alloc::string::{String, ToString};

/// A URL without what may hold credentials: the user before its host, its query and its fragment.
///
/// A password may hold any character that should have been escaped: of a URL with a host, everything before the last
/// `@` goes.
#[must_use]
pub fn without_credentials(url: &str) -> String {
    let url = url.trim();
    let (scheme, rest) = match url.split_once(':') {
        Some((scheme, rest)) => (format!("{scheme}:"), rest),
        None => (String::new(), url),
    };
    let slashes = if rest.starts_with("//") { "//" } else { "" };
    let rest = &rest[slashes.len()..];
    // A URL without a host has no user, and its path may hold an `@`.
    let rest = if slashes.is_empty() || !rest.starts_with('/') {
        rest.rsplit_once('@').map_or(rest, |(_, place)| place)
    } else {
        rest
    };
    let place = rest.find(['?', '#']).map_or(rest, |end| &rest[..end]);
    format!("{scheme}{slashes}{place}")
}

/// Whether a URL holds a user, or anything that could be read as one.
#[must_use]
pub fn has_user(url: &str) -> bool {
    host(url).is_some_and(|(authority, _)| authority.contains('@'))
}

/// Host and port of a URL in lower case, and its path without slashes around it; `None` when it names no host.
#[must_use]
pub fn place(url: &str) -> Option<(String, String)> {
    let (authority, path) = host(url)?;
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let path = path.find(['?', '#']).map_or(path, |end| &path[..end]);
    (!host.is_empty()).then(|| (host.to_ascii_lowercase(), path.trim_matches('/').to_string()))
}

/// What is between `//` and the path, and the path.
fn host(url: &str) -> Option<(&str, &str)> {
    let (_, rest) = url.trim().split_once("://")?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    Some(rest.split_at(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_credentials_of_a_url_are_shown() {
        let check = |url: &str, expect: &str| assert_eq!(without_credentials(url), expect, "{url}");
        check("s3://bucket/path?secret=x", "s3://bucket/path");
        check("s3://user:pass@bucket/path?secret=x", "s3://bucket/path");
        check("s3://user:pa/ss@bucket", "s3://bucket");
        check("s3://user:pa?s#s@bucket", "s3://bucket");
        check("s3://user:p@ss@bucket#x", "s3://bucket");
        check("s3:user:pass@bucket", "s3:bucket");
        check("user:pass@bucket", "user:bucket");
        check("s3://bucket?user=a@b", "s3://b");
        check("file:///srv/a@b?create_dir=true", "file:///srv/a@b");
        check("https://git.example/a.git", "https://git.example/a.git");
        check("mem://", "mem://");
        check("", "");
    }

    #[test]
    fn a_url_tells_host_and_path() {
        let check = |url: &str, expect: Option<(&str, &str)>| {
            let expect = expect.map(|(host, path)| (host.to_string(), path.to_string()));
            assert_eq!(place(url), expect, "{url}");
        };
        check("oci://GHCR.io/org/charts/", Some(("ghcr.io", "org/charts")));
        check("https://u:p@h:5000?x", Some(("h:5000", "")));
        check("oci://127.0.0.1:5000", Some(("127.0.0.1:5000", "")));
        check("file:///srv", None);
        check("nothing", None);
        assert!(has_user("https://token@host/a") && !has_user("https://host/a@b"));
    }

    proptest::proptest! {
        #[test]
        fn a_password_before_a_host_is_never_shown(noise in "[ -~]{0,20}") {
            let shown = without_credentials(&format!("s3://user:{noise}SECRET{noise}@bucket/path"));
            proptest::prop_assert!(!shown.contains("SECRET"), "{}", shown);
        }
    }
}
