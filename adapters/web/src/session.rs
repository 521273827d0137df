//! The requests of one call to one source.
//!
//! # Invariants
//! - Credentials go to the origin that they are for: a redirect, and a URL that a server names, get them only there.
//! - Each URL, that of a redirect too, passes the address policy before it is asked.
//! - Another server than the source's own has its certificate checked, and is shown none of ours.

use std::sync::Arc;

use convoy_domain::access::{Access, Credentials};
use convoy_domain::source::Source;
use convoy_ports::FetchError;
use reqwest::header::AUTHORIZATION;
use reqwest::{Client, Response, Url};

use crate::answer::Answer;
use crate::authorization::{Authorization, Origin};
use crate::clients::{Clients, Trust};
use crate::failure;
use crate::redirect::{self, REDIRECTS};
use crate::request::{Carried, Request};
use crate::site::Site;

/// A source's own way to its server and others.
#[derive(Clone, Debug)]
pub struct Session {
    clients: Arc<Clients>,
    own: Origin,
    trust: Trust,
    authorization: Option<Authorization>,
}

impl Session {
    /// The session of `source`, whose server is that of `url` (http or https). Requests carry the source's credentials.
    ///
    /// # Errors
    /// As [`Self::bare`]; also `Unsupported` for credentials that HTTP does not have, and `Authentication` for those that
    /// cannot be sent.
    pub fn new(clients: &Arc<Clients>, source: &Source, url: &Url) -> Result<Self, FetchError> {
        let authorization = authorization(&source.access, url, &Site::of(url))?;
        Ok(Self {
            authorization,
            ..Self::bare(clients, source, url)?
        })
    }

    /// As [`Self::new`], but requests carry only what [`Request::authorize`] gives them: for protocols that ask for
    /// credentials in their own way.
    ///
    /// # Errors
    /// `Unsupported` for a source with settings that are not built or not read, and for other schemes; `HostRefused`
    /// for a URL with credentials.
    pub fn bare(clients: &Arc<Clients>, source: &Source, url: &Url) -> Result<Self, FetchError> {
        usable(source)?;
        let site = Site::of(url);
        if !matches!(url.scheme(), "http" | "https") {
            return Err(unsupported(&format!("a source by {}", url.scheme())));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(site.refused("its URL holds credentials, which belong into `spec.auth`"));
        }
        Ok(Self {
            clients: Arc::clone(clients),
            own: Origin::of(url),
            trust: Trust::of(source),
            authorization: None,
        })
    }

    /// The source's credentials, for its own origin, if it has any that go into a header.
    #[must_use]
    pub fn authorization(&self) -> Option<&Authorization> {
        self.authorization.as_ref()
    }

    /// Whether `url` is on the source's own server: scheme, host and port.
    #[must_use]
    pub fn is_own(&self, url: &Url) -> bool {
        Origin::of(url) == self.own
    }

    /// Sends a request, follows up to [`REDIRECTS`] redirects, and gives the first answer that is a success or expected.
    /// Errors name the URL of the request.
    ///
    /// # Errors
    /// What [`failure`] says of a connection or an answer that fails; `HostRefused` by the address policy, for a redirect
    /// that may not be followed, and for too many.
    pub async fn send(&self, request: &Request) -> Result<Answer, FetchError> {
        let site = Site::of(&request.url);
        let mut url = request.url.clone();
        for _ in 0..=REDIRECTS {
            let response = self.ask(&url, request, &site).await?;
            let status = response.status();
            if status.is_success() || request.expected.contains(&status) {
                return Ok(Answer { response, site });
            }
            if !status.is_redirection() {
                return Err(failure::of_answer(&site, status, response.headers()));
            }
            if request.body.is_some() {
                return Err(site.refused("it redirects a request that has a body"));
            }
            url = redirect::target(response.url(), response.headers(), &site)?;
        }
        Err(site.refused(format!("more than {REDIRECTS} redirects")))
    }

    async fn ask(&self, url: &Url, request: &Request, site: &Site) -> Result<Response, FetchError> {
        self.clients.policy.check(url, site)?;
        let mut builder = self
            .client(url, site)?
            .request(request.method.clone(), url.clone())
            .headers(request.headers.clone());
        if let Some(body) = &request.body {
            builder = builder.body(body.clone());
        }
        let authorization = match &request.authorization {
            Carried::Sessions => self.authorization.as_ref(),
            Carried::Own(authorization) => authorization.as_ref(),
        };
        if let Some(value) = authorization.and_then(|known| known.header(url)) {
            builder = builder.header(AUTHORIZATION, value.clone());
        }
        builder.send().await.map_err(|error| failure::of_transport(site, error))
    }

    fn client(&self, url: &Url, site: &Site) -> Result<Client, FetchError> {
        if self.is_own(url) {
            self.clients.pick(&self.trust, site)
        } else {
            self.clients.pick(&self.trust.elsewhere(), site)
        }
    }
}

/// Refuses a source with settings that are not built, or whose certificate authorities have not been read.
///
/// # Errors
/// `Unsupported`, with the settings.
pub fn usable(source: &Source) -> Result<(), FetchError> {
    if !source.unsupported.is_empty() {
        return Err(unsupported(&format!("`{}`", source.unsupported.join("`, `"))));
    }
    if source.tls.ca_secret.is_some() && source.access.authorities.is_none() {
        return Err(unsupported("`spec.tls.caSecretRef`"));
    }
    Ok(())
}

/// What stands in for a setting that cannot be used.
#[must_use]
pub fn unsupported(what: &str) -> FetchError {
    FetchError::Unsupported { what: what.to_owned() }
}

/// The header that credentials stand for, for the origin of `url`.
///
/// # Errors
/// `Unsupported` for credentials that are not HTTP's own; `Authentication` for those that it cannot send.
pub fn authorization(access: &Access, url: &Url, site: &Site) -> Result<Option<Authorization>, FetchError> {
    match &access.credentials {
        // A certificate is part of the connection.
        Credentials::None | Credentials::ClientCertificate(_) => Ok(None),
        Credentials::Basic { username, password } => {
            Authorization::basic(url, username.expose(), password.expose(), site).map(Some)
        }
        Credentials::Token(token) => Authorization::bearer(url, token, site).map(Some),
        Credentials::IdentityToken(_) => Err(unsupported("an identity token for a source that is no registry")),
        Credentials::Ssh(_) => Err(unsupported("an ssh identity for a source by http")),
        Credentials::GitHubApp(_) => Err(unsupported("a GitHub App for a source that is no git repository")),
    }
}
