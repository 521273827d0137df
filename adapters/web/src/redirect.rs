//! Where an answer sends a request on to.

use convoy_ports::FetchError;
use reqwest::Url;
use reqwest::header::{HeaderMap, LOCATION};

use crate::site::Site;

/// How many redirects one request follows.
pub const REDIRECTS: usize = 5;

/// The URL to which an answer of `from` redirects.
///
/// # Errors
/// `NotARepository` where it names no URL; `HostRefused` where the URL holds credentials, leaves https, or has another
/// scheme.
pub fn target(from: &Url, headers: &HeaderMap, site: &Site) -> Result<Url, FetchError> {
    let location = headers.get(LOCATION).and_then(|value| value.to_str().ok());
    let target = location
        .and_then(|location| from.join(location).ok())
        .ok_or_else(|| site.not_a_repository("it redirects to nowhere"))?;
    let shown = target.host_str().unwrap_or_default();
    if !target.username().is_empty() || target.password().is_some() {
        return Err(site.refused(format!("it redirects to `{shown}` with credentials in the URL")));
    }
    match (from.scheme(), target.scheme()) {
        ("http", "http") | (_, "https") => Ok(target),
        (_, scheme) => Err(site.refused(format!("it redirects to `{shown}` by {scheme}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_redirect_keeps_its_trust() {
        let check = |from: &str, location: Option<&str>, expect: Result<&str, &str>| {
            let from = Url::parse(from).unwrap();
            let headers = location.map(|location| (LOCATION, location.parse().unwrap()));
            let found = target(&from, &headers.into_iter().collect(), &Site::of(&from));
            match (&found, expect) {
                (Ok(found), Ok(expect)) => assert_eq!(found.as_str(), expect),
                (Err(error), Err(expect)) => {
                    let error = error.to_string();
                    assert!(error.ends_with(expect) && !error.contains("canary"), "{error}");
                }
                (found, expect) => panic!("{location:?}: found {found:?}, expected {expect:?}"),
            }
        };
        check("http://h/a/b", Some("c?d"), Ok("http://h/a/c?d"));
        check("http://h/a", Some("https://i/b"), Ok("https://i/b"));
        check("https://h/a", Some("//i/b"), Ok("https://i/b"));
        check("https://h/a", Some("http://h/a"), Err("it redirects to `h` by http"));
        check(
            "http://h/a",
            Some("file:///etc/passwd"),
            Err("it redirects to `` by file"),
        );
        check(
            "http://h/a",
            Some("http://ann:canary@h/a"),
            Err("it redirects to `h` with credentials in the URL"),
        );
        check("http://h/a", Some("http://"), Err("it redirects to nowhere"));
        check("http://h/a", None, Err("it redirects to nowhere"));
    }
}
