//! The HTTP clients, one per setting of trust and way.

use std::sync::Mutex;
use std::time::Duration;

use convoy_domain::secret::Secret;
use convoy_domain::source::Source;
use convoy_ports::FetchError;
use reqwest::redirect::Policy;
use reqwest::{Certificate, Client, Proxy, Url};

use crate::address::{AddressPolicy, Resolver};
use crate::endpoint::Site;
use crate::wire::lock;

/// How long a connection may take to be made; the timeout of the source bounds everything besides.
const CONNECT: Duration = Duration::from_secs(20);

/// How many clients are kept: sources with other settings push the one out that was used longest ago.
const KEPT: usize = 64;

/// What makes clients differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Trust {
    pub(crate) insecure_skip_verify: bool,
    pub(crate) authorities: Option<Vec<u8>>,
    pub(crate) proxy: Option<Secret<String>>,
}

impl Trust {
    pub(crate) fn of(source: &Source) -> Self {
        Self {
            insecure_skip_verify: source.tls.insecure_skip_verify,
            authorities: source.access.authorities.clone(),
            proxy: source.access.proxy.clone(),
        }
    }

    /// The same for another host, whose certificate is always checked.
    pub(crate) fn elsewhere(&self) -> Self {
        Self {
            insecure_skip_verify: false,
            ..self.clone()
        }
    }
}

/// Clients that share nothing but their construction.
pub(crate) struct Clients {
    policy: AddressPolicy,
    authorities: Vec<Certificate>,
    environment_proxy: bool,
    /// The one used last comes last.
    kept: Mutex<Vec<(Trust, Client)>>,
}

impl std::fmt::Debug for Clients {
    /// Without the clients, which know proxies and their passwords.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Clients").finish_non_exhaustive()
    }
}

impl Clients {
    /// Builds the client that most sources use. `authorities` (PEM) are trusted besides the system's.
    pub(crate) fn new(
        policy: &AddressPolicy,
        authorities: &[Vec<u8>],
        environment_proxy: bool,
    ) -> Result<Self, reqwest::Error> {
        // The client asks for the process's TLS provider; a second installation is refused and changes nothing.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut trusted = Vec::new();
        for authority in authorities {
            trusted.extend(Certificate::from_pem_bundle(authority)?);
        }
        let clients = Self {
            policy: policy.clone(),
            authorities: trusted,
            environment_proxy,
            kept: Mutex::default(),
        };
        let client = clients.build(false, Vec::new(), None)?;
        lock(&clients.kept).push((Trust::default(), client));
        Ok(clients)
    }

    /// The client for `trust`.
    ///
    /// # Errors
    /// `Tls` for authorities that are none, `HostRefused` for a proxy that cannot be one.
    pub(crate) fn pick(&self, trust: &Trust, site: &Site) -> Result<Client, FetchError> {
        let mut kept = lock(&self.kept);
        if let Some(place) = kept.iter().position(|(known, _)| known == trust) {
            let found = kept.remove(place);
            let client = found.1.clone();
            kept.push(found);
            return Ok(client);
        }
        drop(kept);
        let authorities = match &trust.authorities {
            Some(pem) => certificates(pem, site)?,
            None => Vec::new(),
        };
        let proxy = trust.proxy.as_ref().map(|proxy| self.proxy(proxy, site)).transpose()?;
        let client = self
            .build(trust.insecure_skip_verify, authorities, proxy)
            .map_err(|_| site.tls("no client can be made with its certificate authorities"))?;
        let mut kept = lock(&self.kept);
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push((trust.clone(), client.clone()));
        Ok(client)
    }

    fn proxy(&self, proxy: &Secret<String>, site: &Site) -> Result<Proxy, FetchError> {
        let url = proxy_url(proxy, &self.policy, site)?;
        Proxy::all(url).map_err(|_| site.refused("`spec.proxyURL` is no URL of a proxy"))
    }

    fn build(
        &self,
        unchecked: bool,
        authorities: Vec<Certificate>,
        proxy: Option<Proxy>,
    ) -> Result<Client, reqwest::Error> {
        let builder = Client::builder()
            .connect_timeout(CONNECT)
            // Redirects are followed by hand, each target checked.
            .redirect(Policy::none())
            .referer(false)
            .dns_resolver(Resolver(self.policy.clone()));
        let builder = match proxy {
            Some(proxy) => builder.proxy(proxy),
            None if self.environment_proxy => builder,
            None => builder.no_proxy(),
        };
        if unchecked {
            builder.tls_danger_accept_invalid_certs(true).build()
        } else {
            let trusted = self.authorities.iter().cloned().chain(authorities);
            builder.tls_certs_merge(trusted).build()
        }
    }
}

fn certificates(pem: &[u8], site: &Site) -> Result<Vec<Certificate>, FetchError> {
    match Certificate::from_pem_bundle(pem) {
        Ok(found) if !found.is_empty() => Ok(found),
        Ok(_) | Err(_) => Err(site.tls("`spec.tls.caSecretRef` holds no certificates in PEM")),
    }
}

/// Reads the URL of a proxy, of which no message repeats anything.
pub(crate) fn proxy_url(proxy: &Secret<String>, policy: &AddressPolicy, site: &Site) -> Result<Url, FetchError> {
    let url = Url::parse(proxy.expose().trim()).map_err(|_| site.refused("`spec.proxyURL` is no URL"))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(site.refused("`spec.proxyURL` is no http or https URL"));
    }
    match policy.check(&url, site) {
        Ok(()) => Ok(url),
        // Its own words name the address.
        Err(_) => Err(site.refused("the address policy denies the address of `spec.proxyURL`")),
    }
}

/// Why a [`GitFetcher`](crate::GitFetcher) could not be made.
#[derive(Debug, thiserror::Error)]
#[error("the HTTP client for git could not be set up")]
pub struct SetupError(#[from] reqwest::Error);

/// What stands in for an unusable setting.
pub(crate) fn unsupported(what: &str) -> FetchError {
    FetchError::Unsupported { what: what.to_owned() }
}
