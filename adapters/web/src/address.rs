//! Which addresses a source may be fetched from.
//!
//! The policy is asked for the address that is connected to, not for the name: a name that resolves to a denied
//! address is refused, at each redirect too.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use convoy_ports::FetchError;
use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::site::Site;

/// Tells which addresses are denied.
#[derive(Clone)]
pub struct AddressPolicy(Arc<dyn Fn(IpAddr) -> bool + Send + Sync>);

impl AddressPolicy {
    /// Denies the addresses for which `denied` holds.
    pub fn new(denied: impl Fn(IpAddr) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(denied))
    }

    /// Whether `address` may not be connected to.
    #[must_use]
    pub fn denies(&self, address: IpAddr) -> bool {
        // An IPv4 address in IPv6 clothes reaches the same host.
        (self.0)(address.to_canonical())
    }

    /// Refuses a URL whose host is a denied address. Names are looked at when they are resolved.
    ///
    /// # Errors
    /// `HostRefused`.
    pub fn check(&self, url: &Url, site: &Site) -> Result<(), FetchError> {
        let host = url.host_str().unwrap_or_default();
        match host.trim_matches(['[', ']']).parse::<IpAddr>() {
            Ok(address) if self.denies(address) => Err(site.refused(format!("the address policy denies `{host}`"))),
            Ok(_) | Err(_) => Ok(()),
        }
    }
}

impl Default for AddressPolicy {
    fn default() -> Self {
        Self::new(is_link_local_or_metadata)
    }
}

impl std::fmt::Debug for AddressPolicy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AddressPolicy")
    }
}

/// Link-local addresses, where clouds serve their instances' metadata, and the metadata address of AWS in IPv6.
#[must_use]
pub fn is_link_local_or_metadata(address: IpAddr) -> bool {
    const METADATA: Ipv6Addr = Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254);
    match address {
        IpAddr::V4(address) => address.is_link_local(),
        IpAddr::V6(address) => address.is_unicast_link_local() || address == METADATA,
    }
}

/// Said by the resolver when all addresses of a name are denied.
#[derive(Debug, thiserror::Error)]
#[error("the address policy denies the addresses of `{0}`")]
pub(crate) struct Denied(String);

/// Resolves names as the system does, without denied addresses.
#[derive(Debug)]
pub(crate) struct Resolver(pub(crate) AddressPolicy);

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let policy = self.0.clone();
        Box::pin(async move {
            let host = name.as_str().to_owned();
            let found: Vec<SocketAddr> = tokio::net::lookup_host((host.as_str(), 0)).await?.collect();
            let none_found = found.is_empty();
            let allowed: Vec<SocketAddr> = found
                .into_iter()
                .filter(|address| !policy.denies(address.ip()))
                .collect();
            if allowed.is_empty() && !none_found {
                return Err(Denied(host).into());
            }
            Ok(Box::new(allowed.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_local_and_metadata_addresses_are_denied_in_every_notation() {
        let check = |address: &str, expect: bool| {
            let address: IpAddr = address.parse().unwrap();
            assert_eq!(AddressPolicy::default().denies(address), expect, "{address}");
        };
        check("169.254.169.254", true);
        check("::ffff:169.254.169.254", true);
        check("fe80::1", true);
        check("fd00:ec2::254", true);
        check("127.0.0.1", false);
        check("10.0.0.1", false);
        check("140.82.121.4", false);
        check("2606:50c0::1", false);
    }
}
