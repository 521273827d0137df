//! OCI registries: nothing that one answers makes the readers of its answers panic, run away, or take what they should
//! not.

use convoy_domain::source::OciContent;
use convoy_oci::challenge::{self, Challenge};
use convoy_oci::layers;
use convoy_oci::manifest::{self, Document};
use convoy_oci::reference::{Reference, Registry, Wanted, is_tag, tag_of, version_of};
use convoy_oci::token::{self, Token};
use convoy_oci::{digest::Digest, tags};
use convoy_sprig::semver::Constraint;
use url::Url;

/// The URL of a source, the name of a chart, and a version: a line each.
pub fn oci_reference(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let mut lines = text.lines();
    let (url, chart, version) = (lines.next(), lines.next(), lines.next());
    if let Ok(registry) = Registry::parse(url.unwrap_or_default()) {
        let base = Url::parse(&format!("https://{}/", registry.api_host())).expect("a host is one");
        assert!(
            base.username().is_empty() && base.password().is_none() && base.path() == "/",
            "{base}"
        );
        if let Ok(repository) = registry.repository(chart.unwrap_or_default()) {
            let joined = base
                .join(&format!("v2/{repository}/tags/list"))
                .expect("a name is a path");
            assert_eq!(joined.path(), format!("/v2/{repository}/tags/list"));
            assert_eq!(joined.host_str(), base.host_str());
            assert!(!repository.chart().is_empty());
        }
    }
    match Wanted::parse(version.unwrap_or_default()) {
        Ok(Wanted::Version { version, tag }) => {
            assert!(is_tag(&tag));
            assert_eq!(tag_of(&version_of(&tag)), tag);
            assert_eq!(tag_of(&version), tag);
        }
        Ok(Wanted::Moving(tag)) => assert!(is_tag(&tag)),
        Ok(Wanted::Digest(digest)) => {
            let reference = Reference::Digest(digest.clone());
            assert_eq!(Digest::parse(reference.as_str()), Ok(digest));
        }
        Ok(Wanted::Constraint(_)) | Err(_) => {}
    }
}

/// A header of `WWW-Authenticate`.
pub fn oci_challenge(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let all = challenge::parse(text);
    assert!(all.len() <= text.len());
    let chosen = challenge::choose(std::iter::once(text));
    assert_eq!(chosen.is_some(), !all.is_empty());
    let registry = Url::parse("https://registry.example.com/").expect("a URL");
    if let Some(Challenge::Bearer { realm, service, scope }) = chosen {
        let scopes = token::scopes(scope.as_deref(), None);
        assert!(
            scopes
                .iter()
                .all(|scope| !scope.starts_with("repository") || scope.ends_with(":pull") || !scope.contains(':'))
        );
        if let Ok(url) = token::service_url(&realm, &registry) {
            assert_eq!(url.scheme(), "https");
            let asked = token::query(&url, service.as_deref(), &scopes);
            assert_eq!((asked.host_str(), asked.port()), (url.host_str(), url.port()));
            if token::may_receive(&registry, &url) {
                let host = url.host_str().expect("a host");
                assert!(host == "example.com" || host.ends_with(".example.com"), "{host}");
            }
        }
    }
    let _ = tags::next(text);
}

/// A manifest, an index, a list of tags or a token.
pub fn oci_manifest(data: &[u8]) {
    if let Ok(Document::Manifest(found) | Document::Index(found)) = manifest::parse(data) {
        for descriptor in &found {
            assert!(Digest::parse(descriptor.digest.as_str()).is_ok());
        }
        for content in [OciContent::Chart, OciContent::Files] {
            if let Err(named) = layers::select(&found, content) {
                assert!(named.len() < 2_000 && !named.chars().any(char::is_control), "{named}");
            }
        }
    }
    if let Ok(all) = tags::parse(data) {
        assert!(all.iter().all(|tag| is_tag(tag)));
        let any = Constraint::parse("*-0")
            .or_else(|_| Constraint::parse("*"))
            .expect("a constraint");
        if let Some(found) = tags::highest(&all, &any, OciContent::Chart) {
            assert!(all.contains(&found.tag));
        }
    }
    if let Ok(token) = Token::parse(data) {
        assert!(token.value.expose().bytes().all(|b| b.is_ascii_graphic()));
    }
}
