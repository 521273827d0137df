//! Which requests carry credentials.
//!
//! # Invariant
//! A header is given only for a URL with scheme, host and port of the source's own: after a redirect to another host,
//! and for a submodule that lives elsewhere, there is none.

use convoy_domain::secret::Secret;
use convoy_ports::FetchError;
use data_encoding::BASE64;
use reqwest::Url;
use reqwest::header::HeaderValue;

use crate::site::Site;

/// Scheme, host and port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    scheme: String,
    host: String,
    port: Option<u16>,
}

impl Origin {
    /// The origin of a URL; the port is the scheme's own where the URL names none.
    #[must_use]
    pub fn of(url: &Url) -> Self {
        Self {
            scheme: url.scheme().to_owned(),
            host: url.host_str().unwrap_or_default().to_owned(),
            port: url.port_or_known_default(),
        }
    }
}

/// A header, and where it may go.
#[derive(Clone, Debug)]
pub struct Authorization {
    origin: Origin,
    // Marked as sensitive, so that its `Debug` shows nothing.
    value: HeaderValue,
}

impl Authorization {
    /// User and password, for the origin of `url`.
    ///
    /// # Errors
    /// `Authentication`, for what HTTP cannot send.
    pub fn basic(url: &Url, username: &str, password: &str, site: &Site) -> Result<Self, FetchError> {
        if username.contains(':') {
            return Err(site.authentication("its user name has a colon, which HTTP cannot send"));
        }
        let pair = BASE64.encode(format!("{username}:{password}").as_bytes());
        Self::new(url, &format!("Basic {pair}"), site)
    }

    /// A token, for the origin of `url`.
    ///
    /// # Errors
    /// `Authentication`, for what HTTP cannot send.
    pub fn bearer(url: &Url, token: &Secret<String>, site: &Site) -> Result<Self, FetchError> {
        // Files that Secrets are made of end with a newline more often than not.
        Self::new(url, &format!("Bearer {}", token.expose().trim()), site)
    }

    fn new(url: &Url, value: &str, site: &Site) -> Result<Self, FetchError> {
        let mut value = HeaderValue::from_str(value)
            .map_err(|_| site.authentication("its token has characters that HTTP cannot send"))?;
        value.set_sensitive(true);
        Ok(Self {
            origin: Origin::of(url),
            value,
        })
    }

    /// The same for the origin of `url`, to which somebody has decided that it may go.
    #[must_use]
    pub fn also_for(&self, url: &Url) -> Self {
        Self {
            origin: Origin::of(url),
            value: self.value.clone(),
        }
    }

    /// The header for a request to `url`, if it may have one.
    #[must_use]
    pub fn header(&self, url: &Url) -> Option<&HeaderValue> {
        (Origin::of(url) == self.origin).then_some(&self.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn credentials_go_to_scheme_host_and_port_of_the_source_only() {
        let own = url("https://git.example/team/app.git");
        let site = Site::of(&own);
        let known = Authorization::basic(&own, "ann", "canary", &site).unwrap();
        let check = |target: &str, expect: bool| assert_eq!(known.header(&url(target)).is_some(), expect, "{target}");
        check("https://git.example/other.git", true);
        check("https://git.example:443/team/app.git/info/refs", true);
        check("https://GIT.example/team/app.git", true);
        check("http://git.example/team/app.git", false);
        check("http://git.example:443/team/app.git", false);
        check("https://git.example:8443/team/app.git", false);
        check("https://git.example.evil.example/team/app.git", false);
        check("https://ann@evil.example/git.example", false);
        check("https://sub.git.example/team/app.git", false);
    }

    #[test]
    fn values_are_as_http_has_them_and_never_print() {
        let own = url("https://git.example/app.git");
        let site = Site::of(&own);
        let basic = Authorization::basic(&own, "Aladdin", "open sesame", &site).unwrap();
        let header = basic.header(&own).unwrap();
        assert_eq!(header.to_str().unwrap(), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
        let bearer = Authorization::bearer(&own, &Secret::new("canary\n".to_owned()), &site).unwrap();
        assert_eq!(bearer.header(&own).unwrap().to_str().unwrap(), "Bearer canary");
        assert!(!format!("{bearer:?}{basic:?}").contains("canary"));
        let error = Authorization::bearer(&own, &Secret::new("can\nary".to_owned()), &site).unwrap_err();
        assert!(!format!("{error:?}").contains("ary"), "{error:?}");
        assert!(Authorization::basic(&own, "a:b", "c", &site).is_err());
    }
}
