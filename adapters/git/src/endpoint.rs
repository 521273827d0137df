//! Which repository a source's URL names, and how it is named in messages.

use std::path::PathBuf;

use convoy_ports::FetchError;
use convoy_web::{Origin, Site};
use reqwest::Url;

/// A repository, as a source or `.gitmodules` names it.
#[derive(Clone, Debug)]
pub(crate) struct Repository {
    /// As it was written.
    pub(crate) url: String,
    pub(crate) endpoint: Endpoint,
    pub(crate) site: Site,
}

/// Where a repository is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Endpoint {
    /// Behind an http or https server.
    Http(Url),
    /// Behind an ssh server.
    Ssh(SshAddress),
    /// In a folder of this machine.
    Folder(PathBuf),
}

/// A repository behind an ssh server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SshAddress {
    pub(crate) user: String,
    /// In lower case, an IPv6 address without brackets.
    pub(crate) host: String,
    pub(crate) port: u16,
    /// As the server is to read it.
    pub(crate) path: String,
}

impl Endpoint {
    /// Whether requests to `other` reach the same server: scheme, host and port.
    pub(crate) fn same_server(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Http(a), Self::Http(b)) => Origin::of(a) == Origin::of(b),
            (Self::Ssh(a), Self::Ssh(b)) => (&a.host, a.port) == (&b.host, b.port),
            (Self::Folder(_), Self::Folder(_)) => true,
            (Self::Http(_) | Self::Ssh(_) | Self::Folder(_), _) => false,
        }
    }
}

/// Reads the URL of a source: http, https, ssh, the short form `user@host:path` of ssh, or file.
///
/// # Errors
/// `HostRefused` for a URL that holds credentials, or `file://` where `file_urls` is off; `Unsupported` for other
/// schemes and for texts that are no URL.
pub(crate) fn parse(url: &str, file_urls: bool) -> Result<Repository, FetchError> {
    let (endpoint, site) = read(url, file_urls)?;
    let url = url.trim().to_owned();
    Ok(Repository { url, endpoint, site })
}

fn read(url: &str, file_urls: bool) -> Result<(Endpoint, Site), FetchError> {
    if let Some((user, host, path)) = short_form(url.trim()) {
        // Through the long form, which checks and shows it; a path that is relative to the user's home stays so.
        let long = Url::parse(&format!("ssh://{user}@{host}/")).map_err(|_| no_url())?;
        let site = Site::named(format!("{user}@{}:{path}", long.host_str().unwrap_or_default()));
        return Ok((Endpoint::Ssh(ssh_address(&long, path.to_owned(), &site)?), site));
    }
    let parsed = Url::parse(url.trim()).map_err(|_| no_url())?;
    let site = Site::of(&parsed);
    let extras = parsed.query().is_some() || parsed.fragment().is_some();
    match parsed.scheme() {
        "http" | "https" => {
            if !parsed.username().is_empty() || parsed.password().is_some() {
                return Err(site.refused("its URL holds credentials, which belong into `spec.auth`"));
            }
            if extras {
                return Err(site.refused("its URL has a query or a fragment"));
            }
            Ok((Endpoint::Http(parsed), site))
        }
        "ssh" | "git+ssh" | "ssh+git" => {
            let site = ssh_site(&parsed);
            if parsed.password().is_some() {
                return Err(site.refused("its URL holds a password, which belongs into `spec.auth`"));
            }
            if extras {
                return Err(site.refused("its URL has a query or a fragment"));
            }
            let path = decoded(parsed.path()).ok_or_else(|| site.refused("its path is not UTF-8"))?;
            // As git has it: `/~user/…` is below that user's home.
            let path = path
                .strip_prefix('/')
                .filter(|path| path.starts_with('~'))
                .map_or(path.clone(), str::to_owned);
            Ok((Endpoint::Ssh(ssh_address(&parsed, path, &site)?), site))
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
        scheme @ ("git" | "ftp" | "ftps") => Err(FetchError::Unsupported {
            what: format!("a git repository with scheme `{scheme}`"),
        }),
        // `token:@host/path` reads as a URL whose scheme is the token.
        _ => Err(no_url()),
    }
}

/// As [`Site::of`], with the user, who is part of an ssh address.
fn ssh_site(url: &Url) -> Site {
    let mut shown = url.clone();
    let _ = shown.set_password(None);
    shown.set_query(None);
    shown.set_fragment(None);
    Site::named(shown)
}

/// User, host and path of `user@host:path`. A password before the `@` makes it none: there is no place for one.
fn short_form(text: &str) -> Option<(&str, &str, &str)> {
    let (authority, path) = match text.split_once("]:") {
        Some((authority, path)) if authority.contains("@[") => (&text[..=authority.len()], path),
        Some(_) | None => text.split_once(':')?,
    };
    let (user, host) = authority.split_once('@')?;
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-+".contains(c);
    let named = !user.is_empty() && user.chars().all(plain) && !host.is_empty() && !host.contains('/');
    (named && !path.is_empty() && !path.starts_with("//")).then_some((user, host, path))
}

fn ssh_address(url: &Url, path: String, site: &Site) -> Result<SshAddress, FetchError> {
    let host = url.host_str().unwrap_or_default();
    if host.is_empty() {
        return Err(site.refused("its URL has no host"));
    }
    if path.trim_matches('/').is_empty() || path.starts_with('-') || path.chars().any(char::is_control) {
        return Err(site.refused("its path cannot be a repository's"));
    }
    let user = decoded(url.username()).filter(|user| !user.chars().any(char::is_control));
    let user = user.ok_or_else(|| site.refused("its user cannot be one"))?;
    Ok(SshAddress {
        // What every forge names its user.
        user: if user.is_empty() { "git".to_owned() } else { user },
        host: host.trim_matches(['[', ']']).to_ascii_lowercase(),
        port: url.port().unwrap_or(22),
        path,
    })
}

/// Percent-encoding undone.
pub(crate) fn decoded(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let pair = (byte == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        let coded = pair.and_then(|pair| u8::from_str_radix(pair, 16).ok());
        out.push(coded.unwrap_or(byte));
        at += if coded.is_some() { 3 } else { 1 };
    }
    String::from_utf8(out).ok()
}

/// Repeats nothing of the text, which may hold a password.
fn no_url() -> FetchError {
    FetchError::Unsupported {
        what: "a repository address that is no http(s):// or ssh:// URL".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(url: &str, file_urls: bool, expect: Result<&str, &str>) {
        match (parse(url, file_urls).map(|found| found.endpoint), expect) {
            (Ok(Endpoint::Http(found)), Ok(expected)) => assert_eq!(found.as_str(), expected, "{url}"),
            (Ok(Endpoint::Folder(found)), Ok(expected)) => {
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
            Err("a repository address that is no http(s):// or ssh:// URL is not supported"),
        );
    }

    #[test]
    fn other_schemes_are_unsupported() {
        check(
            "git://example.com/a.git",
            true,
            Err("a git repository with scheme `git` is not supported"),
        );
        for text in [
            "ext::sh -c true",
            "-oProxyCommand=x",
            "a@b",
            "",
            "user:canary@host:a",
            ":a",
            "host:a",
        ] {
            check(
                text,
                true,
                Err("a repository address that is no http(s):// or ssh:// URL is not supported"),
            );
        }
    }

    #[test]
    fn ssh_addresses_are_read_in_both_forms() {
        let check = |text: &str, expect: Result<(&str, &str, u16, &str), &str>| {
            let found = parse(text, false).map_err(|error| error.to_string());
            let found = found.as_ref().map(|found| match &found.endpoint {
                Endpoint::Ssh(at) => (at.user.as_str(), at.host.as_str(), at.port, at.path.as_str()),
                Endpoint::Http(_) | Endpoint::Folder(_) => panic!("{text}"),
            });
            assert_eq!(found.map_err(String::as_str), expect, "{text}");
        };
        check(
            "ssh://git@Example.com/a/b.git",
            Ok(("git", "example.com", 22, "/a/b.git")),
        );
        check("ssh://example.com:2222/a%20b", Ok(("git", "example.com", 2222, "/a b")));
        check("ssh://ann@[::1]:2222/~ann/a", Ok(("ann", "::1", 2222, "~ann/a")));
        check("git@example.com:a/b.git", Ok(("git", "example.com", 22, "a/b.git")));
        check("git@example.com:/a/b.git", Ok(("git", "example.com", 22, "/a/b.git")));
        check("git@[::1]:a.git", Ok(("git", "::1", 22, "a.git")));
        let refused = |shown: &str, why: &str| format!("`{shown}` is refused: {why}");
        check(
            "ssh://git:canary@example.com/a",
            Err(&refused(
                "ssh://git@example.com/a",
                "its URL holds a password, which belongs into `spec.auth`",
            )),
        );
        let why = "its path cannot be a repository's";
        check("git@example.com:-x", Err(&refused("git@example.com:-x", why)));
        check("ssh://git@example.com/", Err(&refused("ssh://git@example.com/", why)));
        check(
            "ssh://git@example.com/a%0Ab",
            Err(&refused("ssh://git@example.com/a%0Ab", why)),
        );
    }

    #[test]
    fn a_server_is_scheme_host_and_port() {
        let at = |text: &str| parse(text, true).unwrap().endpoint;
        let check = |a: &str, b: &str, expect: bool| assert_eq!(at(a).same_server(&at(b)), expect, "{a} {b}");
        check("https://h/a", "https://h:443/b", true);
        check("https://h/a", "http://h/a", false);
        check("https://h/a", "https://i/a", false);
        check("git@h:a", "ssh://ann@h:22/b", true);
        check("git@h:a", "ssh://git@h:2222/a", false);
        check("git@h:a", "https://h/a", false);
        check("file:///a", "https://h/a", false);
    }

    proptest::proptest! {
        #[test]
        fn no_address_is_too_strange(text in "[a-z@:/%~.\\[\\]0-9-]{0,60}|\\PC{0,60}") {
            if let Ok(found) = parse(&text, true)
                && let Endpoint::Ssh(address) = found.endpoint
            {
                proptest::prop_assert!(!address.path.starts_with('-') && !address.path.chars().any(char::is_control));
                proptest::prop_assert!(!address.host.is_empty() && !address.user.is_empty());
            }
        }
    }
}
