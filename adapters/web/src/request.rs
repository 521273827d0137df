//! What is asked of a server.

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, StatusCode, Url};

use crate::authorization::Authorization;

/// One request, without what the session adds to it.
#[derive(Clone, Debug)]
pub struct Request {
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Option<Vec<u8>>,
    pub(crate) authorization: Carried,
    pub(crate) expected: Vec<StatusCode>,
}

/// Whose credentials a request may carry; to their own origin only, whoever's they are.
#[derive(Clone, Debug)]
pub(crate) enum Carried {
    /// The source's.
    Sessions,
    /// These, or none.
    Own(Option<Authorization>),
}

impl Request {
    /// Asks for the content of `url`.
    #[must_use]
    pub fn get(url: Url) -> Self {
        Self::new(Method::GET, url)
    }

    /// Asks what `url` is, without its content.
    #[must_use]
    pub fn head(url: Url) -> Self {
        Self::new(Method::HEAD, url)
    }

    /// Sends `body`. An answer that redirects it is refused.
    #[must_use]
    pub fn post(url: Url, body: Vec<u8>) -> Self {
        Self {
            body: Some(body),
            ..Self::new(Method::POST, url)
        }
    }

    fn new(method: Method, url: Url) -> Self {
        Self {
            method,
            url,
            headers: HeaderMap::new(),
            body: None,
            authorization: Carried::Sessions,
            expected: Vec::new(),
        }
    }

    /// What it asks.
    #[must_use]
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Adds a header. `Authorization` is what [`Self::authorize`] is for: a header goes wherever a redirect leads.
    #[must_use]
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.append(name, value);
        self
    }

    /// Carries these credentials, or none, in place of the source's; to their own origin only.
    #[must_use]
    pub fn authorize(mut self, authorization: Option<Authorization>) -> Self {
        self.authorization = Carried::Own(authorization);
        self
    }

    /// Has an answer with this status given back, which would be an error otherwise: 304, 401, 404, …
    #[must_use]
    pub fn expect(mut self, status: StatusCode) -> Self {
        self.expected.push(status);
        self
    }
}
