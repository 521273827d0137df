//! git over ssh, without an ssh program.
//!
//! A session is opened, the host's key compared with the source's `known_hosts`, the user proved by key or password,
//! and `git-upload-pack` run: its input and output become the blocking streams that the git library speaks over.
//!
//! # Invariants
//! - Nothing that proves the user is sent before the host has proved that it is known.
//! - No setting, key or agent of this machine is used.

mod known_hosts;
mod session;
mod stream;
mod tunnel;

use convoy_domain::access::SshAccess;
use convoy_domain::secret::Secret;
use convoy_ports::FetchError;
use convoy_web::AddressPolicy;
use gix::protocol::transport::Protocol;
use gix::protocol::transport::client::blocking_io::Transport;
use gix::protocol::transport::client::git::ConnectMode;
use gix::protocol::transport::client::git::blocking_io::Connection;

use self::known_hosts::HostKeys;
use self::stream::{Input, Output};
use crate::endpoint::SshAddress;
use crate::wire::Wire;

/// What the way to a server depends on.
#[derive(Debug)]
pub(crate) struct Way<'a> {
    pub(crate) policy: &'a AddressPolicy,
    pub(crate) proxy: Option<&'a Secret<String>>,
    /// Absent for a server that is not the source's own.
    pub(crate) access: Option<&'a SshAccess>,
}

/// Git's protocol with the repository at `address`.
pub(crate) fn transport(
    wire: &Wire,
    address: &SshAddress,
    way: &Way<'_>,
) -> Result<Box<dyn Transport + Send>, FetchError> {
    let (output, input) = open(wire, address, way)?;
    let path = address.path.as_str();
    let host = None::<(&str, Option<u16>)>;
    let connection = Connection::new(output, input, Protocol::V2, path, host, ConnectMode::Process, false);
    Ok(Box::new(connection))
}

/// Opens a session in which `git-upload-pack` serves the repository at `address`.
fn open(wire: &Wire, address: &SshAddress, way: &Way<'_>) -> Result<(Output, Input), FetchError> {
    let failed = |_| {
        wire.take_fault()
            .unwrap_or_else(|| wire.site.unreachable("ended by the caller"))
    };
    let work = async {
        let access = way.access.ok_or_else(|| wire.site.not_trusted())?;
        let known = access.known_hosts.as_ref().map_or("", |text| text.expose());
        let keys = HostKeys::of(known, &address.host, address.port);
        if keys.is_empty() {
            return Err(wire.site.not_trusted());
        }
        let socket = tunnel::connect(address, way, &wire.site).await?;
        let session = session::enter(socket, address, access, keys, &wire.site).await?;
        let channel = session::run(&session, &command(&address.path), &wire.site).await?;
        Ok((session, channel))
    };
    let (session, channel) = wire.wait(work).map_err(failed)?;
    Ok(stream::split(wire.clone(), session, channel))
}

/// What the server's shell runs: the path in single quotes.
fn command(path: &str) -> String {
    // As git itself quotes, `!` too, for servers whose shell knows history.
    let quoted = path.replace('\'', r"'\''").replace('!', r"'\!'");
    format!("git-upload-pack '{quoted}'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_word_to_the_shell() {
        let check = |path: &str, expect: &str| assert_eq!(command(path), expect);
        check("/a b/c.git", "git-upload-pack '/a b/c.git'");
        check("a'; touch x; '", r"git-upload-pack 'a'\''; touch x; '\'''");
        check("a!b", r"git-upload-pack 'a'\!'b'");
        check("$(x)`y`", "git-upload-pack '$(x)`y`'");
    }
}
