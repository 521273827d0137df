//! Which addresses the server of a kubeconfig from a Secret may have: never those under which a machine's own secrets
//! are found.

use std::net::IpAddr;

/// Whether an address is link-local or a metadata service of a cloud.
pub(super) fn is_denied(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_link_local() || address.octets() == [100, 100, 100, 200],
        IpAddr::V6(address) => {
            address.is_unicast_link_local()
                || address.segments() == [0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254]
                || address
                    .to_ipv4_mapped()
                    .is_some_and(|address| is_denied(IpAddr::V4(address)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_and_link_local_addresses_are_denied() {
        let check = |text: &str, expect: bool| assert_eq!(is_denied(text.parse().unwrap()), expect, "{text}");
        check("169.254.169.254", true);
        check("::ffff:169.254.169.254", true);
        check("fe80::1", true);
        check("fd00:ec2::254", true);
        check("100.100.100.200", true);
        check("127.0.0.1", false);
        check("10.0.0.1", false);
        check("192.0.2.1", false);
        check("2001:db8::1", false);
    }
}
