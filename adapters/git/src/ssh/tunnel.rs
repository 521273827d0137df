//! The connection below a session: to the server itself, or through an HTTP proxy (`CONNECT`).

use std::io;
use std::net::SocketAddr;

use convoy_ports::FetchError;
use convoy_web::{AddressPolicy, Site, failure::clean, proxy_url, unsupported};
use data_encoding::BASE64;
use reqwest::Url;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpStream, lookup_host};
use tokio::time::{Duration, timeout};

use super::Way;
use crate::endpoint::SshAddress;

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(20);

/// Bytes of a proxy's answer.
const HEAD_BYTES: usize = 16 * 1024;

pub(super) async fn connect(address: &SshAddress, way: &Way<'_>, site: &Site) -> Result<TcpStream, FetchError> {
    let bounded = |host: String, port| async move {
        match timeout(CONNECT, dial(&host, port, way.policy, site)).await {
            Ok(done) => done,
            Err(_) => Err(site.unreachable("no connection in time")),
        }
    };
    let socket = match way.proxy {
        None => bounded(address.host.clone(), address.port).await?,
        Some(proxy) => {
            let proxy = proxy_url(proxy, way.policy, site)?;
            if proxy.scheme() != "http" {
                return Err(unsupported("an https proxy for a repository by ssh"));
            }
            let host = proxy.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
            let socket = bounded(host, proxy.port_or_known_default().unwrap_or(80)).await?;
            through(socket, &proxy, address, way.policy, site).await?
        }
    };
    // The protocol asks and waits; small packets are not to.
    let _ = socket.set_nodelay(true);
    Ok(socket)
}

/// Connects to the first address of `host` that is allowed and answers.
async fn dial(host: &str, port: u16, policy: &AddressPolicy, site: &Site) -> Result<TcpStream, FetchError> {
    let said = |error: io::Error| site.unreachable(clean(&error.to_string()));
    let found: Vec<SocketAddr> = lookup_host((host, port)).await.map_err(said)?.collect();
    let none_found = found.is_empty();
    let mut last = None;
    for address in found.into_iter().filter(|address| !policy.denies(address.ip())) {
        match TcpStream::connect(address).await {
            Ok(socket) => return Ok(socket),
            Err(error) => last = Some(error),
        }
    }
    match last {
        Some(error) => Err(said(error)),
        None if none_found => Err(site.unreachable("its name has no address")),
        None => Err(site.refused(format!("the address policy denies the addresses of `{host}`"))),
    }
}

/// Asks the proxy at the other end of `socket` for a tunnel.
async fn through(
    mut socket: TcpStream,
    proxy: &Url,
    address: &SshAddress,
    policy: &AddressPolicy,
    site: &Site,
) -> Result<TcpStream, FetchError> {
    // The proxy looks names up; an address in the URL itself can be looked at here.
    if address.host.parse().is_ok_and(|address| policy.denies(address)) {
        return Err(site.refused(format!("the address policy denies `{}`", address.host)));
    }
    let target = if address.host.contains(':') {
        format!("[{}]:{}", address.host, address.port)
    } else {
        format!("{}:{}", address.host, address.port)
    };
    let mut request = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n");
    if !proxy.username().is_empty() || proxy.password().is_some() {
        let password = proxy.password().unwrap_or_default();
        let part = |text: &str| crate::endpoint::decoded(text).ok_or_else(|| site.refused("`spec.proxyURL` is no URL"));
        let pair = format!("{}:{}", part(proxy.username())?, part(password)?);
        request.extend(["Proxy-Authorization: Basic ", &BASE64.encode(pair.as_bytes()), "\r\n"]);
    }
    request.push_str("\r\n");
    let broke = |error: io::Error| site.unreachable(format!("the proxy broke off: {}", clean(&error.to_string())));
    socket.write_all(request.as_bytes()).await.map_err(broke)?;
    // Byte by byte: what follows the head is the server's already.
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        if head.len() >= HEAD_BYTES {
            return Err(site.limit(format!("{HEAD_BYTES} bytes of a proxy's answer")));
        }
        head.push(socket.read_u8().await.map_err(broke)?);
    }
    let line = String::from_utf8_lossy(&head);
    match line.split(' ').nth(1).and_then(|code| code.parse::<u16>().ok()) {
        Some(200..=299) => Ok(socket),
        Some(407) => Err(site.authentication("the proxy wants other credentials")),
        Some(code) => Err(site.unreachable(format!("the proxy answered {code}"))),
        None => Err(site.unreachable("the proxy does not speak HTTP")),
    }
}
