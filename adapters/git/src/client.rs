//! The HTTP clients, one per setting of certificate checks.

use std::time::Duration;

use convoy_ports::FetchError;
use reqwest::redirect::Policy;
use reqwest::{Certificate, Client};

use crate::address::{AddressPolicy, Resolver};

/// How long a connection may take to be made; the timeout of the source bounds everything besides.
const CONNECT: Duration = Duration::from_secs(20);

/// Clients that share nothing but their construction.
#[derive(Debug)]
pub(crate) struct Clients {
    checked: Client,
    unchecked: Client,
}

impl Clients {
    /// Builds both clients. `authorities` (PEM) are trusted besides the system's.
    pub(crate) fn new(policy: &AddressPolicy, authorities: &[Vec<u8>], proxy: bool) -> Result<Self, reqwest::Error> {
        // The client asks for the process's TLS provider; a second installation is refused and changes nothing.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut trusted = Vec::new();
        for authority in authorities {
            trusted.extend(Certificate::from_pem_bundle(authority)?);
        }
        let builder = || {
            let builder = Client::builder()
                .connect_timeout(CONNECT)
                // Redirects are followed by hand, each target checked.
                .redirect(Policy::none())
                .referer(false)
                .dns_resolver(Resolver(policy.clone()));
            if proxy { builder } else { builder.no_proxy() }
        };
        Ok(Self {
            checked: builder().tls_certs_merge(trusted).build()?,
            unchecked: builder().tls_danger_accept_invalid_certs(true).build()?,
        })
    }

    pub(crate) fn pick(&self, insecure_skip_verify: bool) -> Client {
        if insecure_skip_verify {
            self.unchecked.clone()
        } else {
            self.checked.clone()
        }
    }
}

/// Why a [`GitFetcher`](crate::GitFetcher) could not be made.
#[derive(Debug, thiserror::Error)]
#[error("the HTTP client for git could not be set up")]
pub struct SetupError(#[from] reqwest::Error);

/// What stands in for an unusable tls setting.
pub(crate) fn unsupported(what: &str) -> FetchError {
    FetchError::Unsupported { what: what.to_owned() }
}
