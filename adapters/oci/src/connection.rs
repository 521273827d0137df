//! Requests to one registry, shown what it wants to be shown.
//!
//! The first request goes without credentials, or with what the registry was content with before. A challenge (401) of
//! the registry's own is answered once; one of another server, to which a redirect led, never.

use std::sync::Arc;

use convoy_domain::access::{Access, Credentials};
use convoy_domain::source::Source;
use convoy_ports::FetchError;
use convoy_web::header::{CONTENT_TYPE, HeaderValue, WWW_AUTHENTICATE};
use convoy_web::{Answer, Authorization, Clients, Request, Session, Site, StatusCode, Trust, Url, unsupported};

use crate::challenge::{self, Challenge};
use crate::reference::{Reference, Registry, Repository};
use crate::token::{self, TOKEN_BYTES, Token};
use crate::tokens::{Key, Shown, Tokens};

/// A source's way to its registry, for one repository or for none.
#[derive(Debug)]
pub(crate) struct Connection {
    /// Registry and repository as messages name them: `oci://<host>/<repository>`.
    pub(crate) site: Site,
    /// The root of the registry's API.
    pub(crate) base: Url,
    pub(crate) session: Session,
    pub(crate) repository: Option<Repository>,
    credentials: Credentials,
    trust: Trust,
    tokens: Arc<Tokens>,
}

impl Connection {
    /// A connection of `source`, whose URL is that of `registry`; nothing is sent yet.
    pub(crate) fn new(
        clients: &Arc<Clients>,
        tokens: &Arc<Tokens>,
        source: &Source,
        registry: &Registry,
        repository: Option<Repository>,
    ) -> Result<Self, FetchError> {
        let path = repository
            .as_ref()
            .map_or(String::new(), |repository| format!("/{repository}"));
        let site = Site::named(format!("oci://{}{path}", registry.host()));
        let scheme = if source.access.plain_http { "http" } else { "https" };
        let base = Url::parse(&format!("{scheme}://{}/", registry.api_host()))
            .map_err(|_| site.refused("its URL names no host"))?;
        Ok(Self {
            site,
            session: Session::new(clients, &silent(source)?, &base)?,
            base,
            repository,
            credentials: source.access.credentials.clone(),
            trust: Trust::of(source),
            tokens: Arc::clone(tokens),
        })
    }

    /// An artifact of the repository, as messages name it.
    pub(crate) fn artifact(&self, reference: &Reference) -> Site {
        let between = match reference {
            Reference::Tag(_) => ':',
            Reference::Digest(_) => '@',
        };
        Site::named(format!("{}{between}{}", self.site.as_str(), reference.as_str()))
    }

    /// A URL of the repository: `manifests/<reference>` and so on.
    pub(crate) fn url(&self, tail: &str) -> Result<Url, FetchError> {
        let repository = self.repository.as_ref().map_or("", Repository::as_str);
        let slash = if repository.is_empty() { "" } else { "/" };
        let path = format!("v2/{repository}{slash}{tail}");
        self.base
            .join(&path)
            .map_err(|_| self.site.invalid("a URL of its own making"))
    }

    /// Sends a request to the registry. 401 never comes back.
    pub(crate) async fn send(&self, request: Request) -> Result<Answer, FetchError> {
        let request = request.expect(StatusCode::UNAUTHORIZED);
        let shown = self.known()?;
        let answer = self.session.send(&request.clone().authorize(shown)).await?;
        if answer.status() != StatusCode::UNAUTHORIZED {
            return Ok(answer);
        }
        self.tokens.forget(&self.key());
        if !self.session.is_own(answer.url()) {
            return Err(answer.into_failure());
        }
        let headers = answer.headers().get_all(WWW_AUTHENTICATE);
        let challenge = challenge::choose(headers.iter().filter_map(|value| value.to_str().ok()));
        let Some(challenge) = challenge else {
            return Err(answer.into_failure());
        };
        let Some(shown) = self.meet(&challenge).await? else {
            return Err(answer.into_failure());
        };
        let answer = self.session.send(&request.authorize(Some(shown))).await?;
        if answer.status() == StatusCode::UNAUTHORIZED {
            self.tokens.forget(&self.key());
            return Err(answer.into_failure());
        }
        Ok(answer)
    }

    fn key(&self) -> Key {
        Key {
            registry: self.base.clone(),
            repository: self.repository.clone(),
            credentials: self.credentials.clone(),
            trust: self.trust.clone(),
        }
    }

    /// What the registry is shown without being asked what it wants.
    fn known(&self) -> Result<Option<Authorization>, FetchError> {
        if let Credentials::Token(token) = &self.credentials {
            return Authorization::bearer(&self.base, token, &self.site).map(Some);
        }
        match self.tokens.get(&self.key()) {
            Some(Shown::Token(token)) => Authorization::bearer(&self.base, &token, &self.site).map(Some),
            Some(Shown::Password) => self.password(&self.base),
            None => Ok(None),
        }
    }

    /// User and password, for the server of `url`.
    fn password(&self, url: &Url) -> Result<Option<Authorization>, FetchError> {
        if let Credentials::Basic { username, password } = &self.credentials {
            Authorization::basic(url, username.expose(), password.expose(), &self.site).map(Some)
        } else {
            Ok(None)
        }
    }

    /// What the challenge asks for; `None` where there is nothing else to show.
    async fn meet(&self, challenge: &Challenge) -> Result<Option<Authorization>, FetchError> {
        if matches!(self.credentials, Credentials::Token(_)) {
            return Ok(None);
        }
        match challenge {
            Challenge::Basic => {
                let shown = self.password(&self.base)?;
                if shown.is_some() {
                    self.tokens.keep_password(self.key());
                }
                Ok(shown)
            }
            Challenge::Bearer { realm, service, scope } => {
                let scopes = token::scopes(scope.as_deref(), self.repository.as_ref());
                let token = self.token(realm, service.as_deref(), &scopes).await?;
                let shown = Authorization::bearer(&self.base, &token.value, &self.site)?;
                self.tokens.keep_token(self.key(), token.value, token.lifetime);
                Ok(Some(shown))
            }
        }
    }

    /// Asks the token service.
    async fn token(&self, realm: &str, service: Option<&str>, scopes: &[String]) -> Result<Token, FetchError> {
        let url = token::service_url(realm, &self.base).map_err(|error| self.site.refused(error.to_string()))?;
        let asks = !matches!(self.credentials, Credentials::None | Credentials::ClientCertificate(_));
        if asks && !token::may_receive(&self.base, &url) {
            let service = Site::of(&url);
            let why = format!(
                "its token service is `{}`, a host that gets no credentials of it",
                service.as_str()
            );
            return Err(self.site.authentication(why));
        }
        let request = if let Credentials::IdentityToken(identity) = &self.credentials {
            let body = token::form(identity, service, scopes);
            let form = HeaderValue::from_static("application/x-www-form-urlencoded");
            Request::post(url.clone(), body.expose().clone()).header(CONTENT_TYPE, form)
        } else {
            Request::get(token::query(&url, service, scopes)).authorize(self.password(&url)?)
        };
        let sent = self.session.send(&request).await;
        let answer = sent.map_err(|error| self.refusal_of_service(error))?;
        let body = answer.body(TOKEN_BYTES, "a token")?.bytes().await?;
        Token::parse(&body).map_err(|error| self.site.authentication(error.to_string()))
    }

    /// A service that answers, but gives no token, is a matter of credentials.
    fn refusal_of_service(&self, error: FetchError) -> FetchError {
        if let FetchError::NotARepository { why, .. } = &error {
            let why = format!("its token service gave no token: {why}");
            self.site.authentication(why)
        } else {
            error
        }
    }
}

/// The source without the credentials that are added here, where it is known what the registry wants. A certificate is
/// part of the connection.
fn silent(source: &Source) -> Result<Source, FetchError> {
    let credentials = match &source.access.credentials {
        certificate @ Credentials::ClientCertificate(_) => certificate.clone(),
        Credentials::None | Credentials::Basic { .. } | Credentials::Token(_) | Credentials::IdentityToken(_) => {
            Credentials::None
        }
        Credentials::Ssh(_) => return Err(unsupported("an ssh identity for a registry")),
        Credentials::GitHubApp(_) => return Err(unsupported("a GitHub App for a registry")),
    };
    Ok(Source {
        access: Access {
            credentials,
            ..source.access.clone()
        },
        ..source.clone()
    })
}
