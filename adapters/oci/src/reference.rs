//! Where an artifact is: the registry of a source's URL, a repository in it, a tag or a digest.

use std::fmt;

use convoy_sprig::semver::{Constraint, Version};

use crate::digest::Digest;

/// The longest name of a repository, as registries have it.
const LONGEST_NAME: usize = 255;

/// Why a text names nothing in a registry. Repeats no part of a URL, which may hold a password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReferenceError {
    /// The URL has another form.
    #[error("a registry whose URL is not `oci://<host>[:<port>][/<path>]`")]
    Url,
    /// The URL has a user, a password, a query or a fragment.
    #[error("a registry whose URL holds credentials, a query or a fragment")]
    Extras,
    /// The URL names a tag or a digest, which is for the Release to select.
    #[error("a registry whose URL names a tag or a digest")]
    Reference,
    /// The repository's name is none.
    #[error("the repository name `{0}`")]
    Name(String),
    /// The version is none, nor a tag.
    #[error("the version or tag `{0}`")]
    Version(String),
}

/// A registry, and the path below which a source's repositories are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registry {
    /// Host, with the port if the URL has one, in lower case.
    host: String,
    /// Path of the source's URL, without slashes around it; may be empty.
    path: String,
}

impl Registry {
    /// Reads the URL of a source.
    ///
    /// # Errors
    /// When it is none of a registry.
    pub fn parse(url: &str) -> Result<Self, ReferenceError> {
        let rest = url.trim();
        let scheme = rest.get(..6).ok_or(ReferenceError::Url)?;
        if !scheme.eq_ignore_ascii_case("oci://") {
            return Err(ReferenceError::Url);
        }
        let rest = &rest[6..];
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        if rest.contains(['?', '#']) || host.contains('@') {
            return Err(ReferenceError::Extras);
        }
        if path.contains([':', '@']) {
            return Err(ReferenceError::Reference);
        }
        let host = host.to_ascii_lowercase();
        // A last part of digits makes a host an address, which not every text of digits is.
        if !is_host(&host) || url::Url::parse(&format!("https://{host}/")).is_err() {
            return Err(ReferenceError::Url);
        }
        let path = path.trim_matches('/').to_owned();
        if !path.is_empty() && !is_name(&path) {
            return Err(ReferenceError::Name(shortened(&path)));
        }
        Ok(Self { host, path })
    }

    /// Host and port as the URL has them.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Host and port that answer: Docker Hub's API is on another host than its name.
    #[must_use]
    pub fn api_host(&self) -> &str {
        match self.host.as_str() {
            "docker.io" | "index.docker.io" => "registry-1.docker.io",
            host => host,
        }
    }

    /// The path of the URL, if it may be a repository of its own. Docker Hub's repositories have two parts, so that one
    /// alone is an account there.
    #[must_use]
    pub fn own_repository(&self) -> Option<Repository> {
        let account = self.api_host() == "registry-1.docker.io" && !self.path.contains('/');
        (!self.path.is_empty() && !account).then(|| Repository(self.path.clone()))
    }

    /// The repository `chart` below the URL's path.
    ///
    /// # Errors
    /// When that is no name of a repository.
    pub fn repository(&self, chart: &str) -> Result<Repository, ReferenceError> {
        let chart = chart.trim().trim_matches('/');
        let name = match (self.path.as_str(), chart) {
            ("", chart) => chart.to_owned(),
            (path, "") => path.to_owned(),
            (path, chart) => format!("{path}/{chart}"),
        };
        if is_name(&name) {
            Ok(Repository(name))
        } else {
            Err(ReferenceError::Name(shortened(&name)))
        }
    }
}

/// The name of a repository.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Repository(String);

impl Repository {
    /// The whole name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Its last part, which is the name of the chart in it.
    #[must_use]
    pub fn chart(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }
}

impl fmt::Display for Repository {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What names one manifest of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reference {
    /// A tag, as registries have it: without `+`.
    Tag(String),
    /// A digest.
    Digest(Digest),
}

impl Reference {
    /// As it stands in a URL.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Tag(tag) => tag,
            Self::Digest(digest) => digest.as_str(),
        }
    }
}

/// What a Release selects of a repository.
#[derive(Clone, Debug)]
pub enum Wanted {
    /// A version, and the tag that it is published under.
    Version {
        /// As it was asked for.
        version: String,
        /// Its tag.
        tag: String,
    },
    /// A tag that is no version, and moves.
    Moving(String),
    /// The highest version that a constraint lets through.
    Constraint(Constraint),
    /// Exactly this manifest.
    Digest(Digest),
}

impl Wanted {
    /// Reads `version` of a Release, by Helm's rules: what could be a version, were it as short as `1`, is one; anything
    /// else is a constraint, if it is one. What Helm refuses may be a tag.
    ///
    /// # Errors
    /// When it is nothing of all this.
    pub fn parse(version: &str) -> Result<Self, ReferenceError> {
        let version = version.trim();
        if version.contains(':') {
            let digest = Digest::parse(version).map_err(|_| ReferenceError::Version(shortened(version)))?;
            return Ok(Self::Digest(digest));
        }
        let tag = tag_of(version);
        if Version::parse(version).is_ok() && is_tag(&tag) {
            let version = version.to_owned();
            return Ok(Self::Version { version, tag });
        }
        match Constraint::parse(version) {
            Ok(constraint) => Ok(Self::Constraint(constraint)),
            Err(_) if is_tag(version) => Ok(Self::Moving(version.to_owned())),
            Err(_) => Err(ReferenceError::Version(shortened(version))),
        }
    }
}

/// The tag of a version: tags cannot have a `+`, for which Helm writes `_`.
#[must_use]
pub fn tag_of(version: &str) -> String {
    version.replace('+', "_")
}

/// The version that Helm published under a tag.
#[must_use]
pub fn version_of(tag: &str) -> String {
    tag.replace('_', "+")
}

/// Whether a text is a tag, as registries have it.
#[must_use]
pub fn is_tag(text: &str) -> bool {
    let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let first = text.bytes().next().is_some_and(word);
    first && text.len() <= 128 && text.bytes().all(|b| word(b) || b == b'.' || b == b'-')
}

/// Whether a text is the name of a repository: parts of lower-case letters and digits, with `.`, `_`, `__` or dashes
/// between them.
fn is_name(text: &str) -> bool {
    text.len() <= LONGEST_NAME && text.split('/').all(is_part)
}

fn is_part(part: &str) -> bool {
    let word = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let bytes = part.as_bytes();
    let ends = bytes.first().copied().is_some_and(word) && bytes.last().copied().is_some_and(word);
    let mut separators = part.split(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
    ends && separators.all(|between| matches!(between, "" | "." | "_" | "__") || between.bytes().all(|b| b == b'-'))
}

/// Whether a text is a host with or without a port.
fn is_host(text: &str) -> bool {
    let (host, port) = match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, rest)) => {
            if address.parse::<std::net::Ipv6Addr>().is_err() {
                return false;
            }
            ("v6", rest)
        }
        None => text.find(':').map_or((text, ""), |colon| text.split_at(colon)),
    };
    let named = !host.is_empty()
        && host.len() <= 253
        && host.split('.').all(|label| {
            let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
            !label.is_empty() && !label.starts_with('-') && label.bytes().all(plain)
        });
    let ported = port.is_empty() || port.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok());
    named && ported
}

/// A text for an error: not too long, without what could confuse who reads it.
fn shortened(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_name_a_registry_and_a_path() {
        let check = |url: &str, expect: Result<(&str, &str), &str>| {
            let found = Registry::parse(url).map(|found| (found.host, found.path));
            let found = found.map_err(|error| error.to_string());
            let expect = expect.map(|(host, path)| (host.to_owned(), path.to_owned()));
            assert_eq!(found, expect.map_err(str::to_owned), "{url}");
        };
        let form = "a registry whose URL is not `oci://<host>[:<port>][/<path>]`";
        check(
            "oci://ghcr.io/stefanprodan/charts",
            Ok(("ghcr.io", "stefanprodan/charts")),
        );
        check(" OCI://GHCR.io/ ", Ok(("ghcr.io", "")));
        check("oci://127.0.0.1:5000", Ok(("127.0.0.1:5000", "")));
        check("oci://[::1]:5000/a/", Ok(("[::1]:5000", "a")));
        check("oci://localhost/a-b__c.d/e---f", Ok(("localhost", "a-b__c.d/e---f")));
        check("https://ghcr.io/a", Err(form));
        check("oci://", Err(form));
        check("oci:///a", Err(form));
        check("oci://a:port/b", Err(form));
        check("oci://a b/c", Err(form));
        check("oci://é/c", Err(form));
        check("oci://ghcr.io.5/c", Err(form));
        check("ö", Err(form));
        let extras = "a registry whose URL holds credentials, a query or a fragment";
        check("oci://ann:canary@ghcr.io/a", Err(extras));
        check("oci://ghcr.io/a?b", Err(extras));
        let reference = "a registry whose URL names a tag or a digest";
        check("oci://ghcr.io/a:1.0.0", Err(reference));
        check("oci://ghcr.io/a@sha256:00", Err(reference));
        check("oci://ghcr.io/Team", Err("the repository name `Team`"));
        check("oci://ghcr.io/a/../b", Err("the repository name `a/../b`"));
    }

    #[test]
    fn repositories_are_below_the_path_of_the_url() {
        let check = |url: &str, chart: &str, expect: Option<(&str, &str)>| {
            let found = Registry::parse(url).unwrap().repository(chart).ok();
            let found = found.map(|found| (found.to_string(), found.chart().to_owned()));
            let expect = expect.map(|(name, chart)| (name.to_owned(), chart.to_owned()));
            assert_eq!(found, expect, "{url} {chart}");
        };
        check("oci://h/a/b", "c", Some(("a/b/c", "c")));
        check("oci://h", "a/b/c", Some(("a/b/c", "c")));
        check("oci://h/a", "", Some(("a", "a")));
        check("oci://h", "", None);
        check("oci://h/a", "../b", None);
        check("oci://h/a", "b:1", None);
        check("oci://h/a", "B", None);
        check("oci://h/a", "b?x=y", None);
        check("oci://h/a", &"b".repeat(300), None);
    }

    #[test]
    fn docker_hub_answers_on_another_host() {
        let of = |url: &str| Registry::parse(url).unwrap();
        assert_eq!(of("oci://docker.io/a/b").api_host(), "registry-1.docker.io");
        assert_eq!(of("oci://ghcr.io/a").api_host(), "ghcr.io");
        assert_eq!(of("oci://registry-1.docker.io/bitnamicharts").own_repository(), None);
        assert!(of("oci://docker.io/a/b").own_repository().is_some());
        assert!(of("oci://ghcr.io/a").own_repository().is_some());
        assert_eq!(of("oci://ghcr.io").own_repository(), None);
    }

    #[test]
    fn versions_are_told_from_constraints_tags_and_digests() {
        let check = |version: &str, expect: &str| {
            let found = match Wanted::parse(version) {
                Ok(Wanted::Version { version, tag }) => format!("version {version} at {tag}"),
                Ok(Wanted::Moving(tag)) => format!("tag {tag}"),
                Ok(Wanted::Constraint(constraint)) => format!("constraint {constraint}"),
                Ok(Wanted::Digest(digest)) => format!("digest {digest}"),
                Err(error) => error.to_string(),
            };
            assert_eq!(found, expect, "{version}");
        };
        check("1.2.3", "version 1.2.3 at 1.2.3");
        check(" v1.2.3 ", "version v1.2.3 at v1.2.3");
        check("1.2", "version 1.2 at 1.2");
        check("1.2.3-rc.1+b.5", "version 1.2.3-rc.1+b.5 at 1.2.3-rc.1_b.5");
        check("^1.2", "constraint ^1.2");
        check("1.x", "constraint 1.x");
        check("*", "constraint *");
        check(">=1.0.0 <2.0.0", "constraint >=1.0.0 <2.0.0");
        check("latest", "tag latest");
        check("7fd1a60", "tag 7fd1a60");
        check("_x", "tag _x");
        check("", "the version or tag ``");
        check("a/b", "the version or tag `a/b`");
        check("-a", "the version or tag `-a`");
        check("sha256:00", "the version or tag `sha256:00`");
        check("md5:x", "the version or tag `md5:x`");
        let digest = format!("sha256:{}", "a".repeat(64));
        check(&digest, &format!("digest {digest}"));
    }

    #[test]
    fn tags_have_no_plus() {
        assert_eq!(tag_of("1.0.0+a.b"), "1.0.0_a.b");
        assert_eq!(version_of("1.0.0_a.b"), "1.0.0+a.b");
        assert!(is_tag(&"a".repeat(128)) && !is_tag(&"a".repeat(129)) && !is_tag("1.0.0+a") && !is_tag(""));
    }
}
