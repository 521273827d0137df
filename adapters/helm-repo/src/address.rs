//! Where a repository's index and its charts are, as Helm reads URLs.

use convoy_ports::FetchError;
use convoy_web::{Origin, Site, Url, unsupported};

/// The URL of a repository.
///
/// # Errors
/// `Unsupported` for a text that is no http or https URL, of which nothing is repeated.
pub(crate) fn repository(text: &str) -> Result<Url, FetchError> {
    let url = Url::parse(text.trim()).ok();
    url.filter(|url| matches!(url.scheme(), "http" | "https"))
        .ok_or_else(|| unsupported("a Helm repository whose address is no http:// or https:// URL"))
}

/// The URL that `reference` names within a repository: absolute as it is, else below the repository's own, whose query it
/// gets. Another host does not get the query, which may be a secret.
///
/// # Errors
/// `Invalid`, when it is none.
pub(crate) fn resolve(repository: &Url, reference: &str) -> Result<Url, FetchError> {
    let invalid = || Site::of(repository).invalid("its index gives a URL that is none");
    if let Ok(absolute) = Url::parse(reference) {
        return Ok(absolute);
    }
    let mut base = repository.clone();
    let path = format!("{}/", base.path().strip_suffix('/').unwrap_or(base.path()));
    base.set_path(&path);
    let mut url = base.join(reference).map_err(|_| invalid())?;
    let own = Origin::of(&url) == Origin::of(repository);
    url.set_query(repository.query().filter(|_| own));
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_read_below_the_repository_with_its_query() {
        let check = |repository: &str, reference: &str, expect: &str| {
            let found = resolve(&Url::parse(repository).unwrap(), reference).unwrap();
            assert_eq!(found.as_str(), expect, "{repository} {reference}");
        };
        check("https://h", "index.yaml", "https://h/index.yaml");
        check("https://h/charts", "index.yaml", "https://h/charts/index.yaml");
        check("https://h/charts/", "web-1.0.0.tgz", "https://h/charts/web-1.0.0.tgz");
        check(
            "https://h/charts",
            "a/web-1.0.0+b.tgz",
            "https://h/charts/a/web-1.0.0+b.tgz",
        );
        check("https://h/charts", "../web.tgz", "https://h/web.tgz");
        check("https://h/charts", "/web.tgz", "https://h/web.tgz");
        check("https://h/a?token=t", "web.tgz", "https://h/a/web.tgz?token=t");
        check("https://h/a?token=t", "web.tgz?x=y", "https://h/a/web.tgz?token=t");
        check("https://h/a", "web.tgz?x=y", "https://h/a/web.tgz");
        check("https://h/a?token=t", "//evil/web.tgz", "https://evil/web.tgz");
        check("https://h/a?token=t", "https://i/web.tgz?x=y", "https://i/web.tgz?x=y");
        check("https://h/a?token=t", "https://h/web.tgz", "https://h/web.tgz");
        check("https://h/a", "oci://i/web:1.0.0", "oci://i/web:1.0.0");
    }

    #[test]
    fn an_address_that_is_none_is_not_repeated() {
        for text in ["canary", "ftp://canary", "file:///canary", "oci://canary/x", "http://"] {
            let error = repository(text).unwrap_err();
            assert!(matches!(error, FetchError::Unsupported { .. }));
            assert!(!error.to_string().contains("canary"), "{error}");
        }
        let error = resolve(&Url::parse("https://h/").unwrap(), "//").unwrap_err();
        assert!(matches!(error, FetchError::Invalid { .. }), "{error}");
    }
}
