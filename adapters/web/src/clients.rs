//! The HTTP clients, one per setting of trust and way.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use convoy_domain::access::{ClientCertificate, Credentials};
use convoy_domain::secret::Secret;
use convoy_domain::source::Source;
use convoy_ports::FetchError;
use reqwest::redirect::Policy;
use reqwest::{Certificate, Client, Identity, Proxy, Url};

use crate::address::{AddressPolicy, Resolver};
use crate::site::Site;

/// Who we are, to servers.
const AGENT: &str = concat!("convoy/", env!("CARGO_PKG_VERSION"));

/// How long a connection may take to be made; the timeout of the source bounds everything besides.
const CONNECT: Duration = Duration::from_secs(20);

/// How many clients are kept: sources with other settings push the one out that was used longest ago.
const KEPT: usize = 64;

/// How servers are reached, whatever a source says.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Addresses that are not connected to.
    pub addresses: AddressPolicy,
    /// PEM texts of certificate authorities that are trusted besides the system's.
    pub authorities: Vec<Vec<u8>>,
    /// Whether `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` are followed.
    pub environment_proxy: bool,
}

/// What makes clients differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trust {
    /// Certificates are not checked.
    pub insecure_skip_verify: bool,
    /// PEM of authorities that are trusted besides the system's.
    pub authorities: Option<Vec<u8>>,
    /// URL of the proxy.
    pub proxy: Option<Secret<String>>,
    /// Shown to a server that asks for it.
    pub certificate: Option<ClientCertificate>,
}

impl Trust {
    /// What a source says, for its own server.
    #[must_use]
    pub fn of(source: &Source) -> Self {
        let certificate = if let Credentials::ClientCertificate(certificate) = &source.access.credentials {
            Some(certificate.clone())
        } else {
            None
        };
        Self {
            insecure_skip_verify: source.tls.insecure_skip_verify,
            authorities: source.access.authorities.clone(),
            proxy: source.access.proxy.clone(),
            certificate,
        }
    }

    /// The same for another host, whose certificate is always checked and which is shown none.
    #[must_use]
    pub fn elsewhere(&self) -> Self {
        Self {
            insecure_skip_verify: false,
            certificate: None,
            ..self.clone()
        }
    }
}

/// Clients that share nothing but their construction.
pub struct Clients {
    pub(crate) policy: AddressPolicy,
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
    /// Builds the client that most sources use. Installs the process's TLS provider (ring) unless there is one.
    ///
    /// # Errors
    /// When the system's or the given certificate authorities cannot be read.
    pub fn new(options: &Options) -> Result<Self, SetupError> {
        // The client asks for the process's TLS provider; a second installation is refused and changes nothing.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut trusted = Vec::new();
        for authority in &options.authorities {
            trusted.extend(Certificate::from_pem_bundle(authority)?);
        }
        let clients = Self {
            policy: options.addresses.clone(),
            authorities: trusted,
            environment_proxy: options.environment_proxy,
            kept: Mutex::default(),
        };
        let client = clients.build(Made::default())?;
        lock(&clients.kept).push((Trust::default(), client));
        Ok(clients)
    }

    /// The client for `trust`.
    ///
    /// # Errors
    /// `Tls` for authorities that are none, `HostRefused` for a proxy that cannot be one, `Authentication` for a client
    /// certificate that is none.
    pub fn pick(&self, trust: &Trust, site: &Site) -> Result<Client, FetchError> {
        let mut kept = lock(&self.kept);
        if let Some(place) = kept.iter().position(|(known, _)| known == trust) {
            let found = kept.remove(place);
            let client = found.1.clone();
            kept.push(found);
            return Ok(client);
        }
        drop(kept);
        let made = Made {
            unchecked: trust.insecure_skip_verify,
            authorities: match &trust.authorities {
                Some(pem) => certificates(pem, site)?,
                None => Vec::new(),
            },
            proxy: trust.proxy.as_ref().map(|proxy| self.proxy(proxy, site)).transpose()?,
            identity: trust.certificate.as_ref().map(|own| identity(own, site)).transpose()?,
        };
        let client = self
            .build(made)
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

    fn build(&self, made: Made) -> Result<Client, reqwest::Error> {
        let builder = Client::builder()
            .user_agent(AGENT)
            .connect_timeout(CONNECT)
            // Redirects are followed by hand, each target checked.
            .redirect(Policy::none())
            .referer(false)
            .dns_resolver(Resolver(self.policy.clone()));
        let builder = match made.proxy {
            Some(proxy) => builder.proxy(proxy),
            None if self.environment_proxy => builder,
            None => builder.no_proxy(),
        };
        let builder = match made.identity {
            Some(identity) => builder.identity(identity),
            None => builder,
        };
        if made.unchecked {
            builder.tls_danger_accept_invalid_certs(true).build()
        } else {
            let trusted = self.authorities.iter().cloned().chain(made.authorities);
            builder.tls_certs_merge(trusted).build()
        }
    }
}

/// A [`Trust`] in the client's own types.
#[derive(Default)]
struct Made {
    unchecked: bool,
    authorities: Vec<Certificate>,
    proxy: Option<Proxy>,
    identity: Option<Identity>,
}

fn identity(own: &ClientCertificate, site: &Site) -> Result<Identity, FetchError> {
    let pem = [own.key.expose().as_slice(), b"\n", &own.certificate].concat();
    Identity::from_pem(&pem).map_err(|_| site.authentication("its client certificate and key are not in PEM"))
}

fn certificates(pem: &[u8], site: &Site) -> Result<Vec<Certificate>, FetchError> {
    match Certificate::from_pem_bundle(pem) {
        Ok(found) if !found.is_empty() => Ok(found),
        Ok(_) | Err(_) => Err(site.tls("`spec.tls.caSecretRef` holds no certificates in PEM")),
    }
}

/// Reads the URL of a proxy, of which no message repeats anything.
///
/// # Errors
/// `HostRefused`, when it is no http or https URL or its address is denied.
pub fn proxy_url(proxy: &Secret<String>, policy: &AddressPolicy, site: &Site) -> Result<Url, FetchError> {
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

/// Why no client could be made.
#[derive(Debug, thiserror::Error)]
#[error("the HTTP client could not be set up")]
pub struct SetupError(#[from] reqwest::Error);

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
