//! An HTTP proxy: tunnels (`CONNECT`) and requests with a whole URL, with or without credentials of its own.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

use crate::listener::{Listener, copy};

/// Serves until it is dropped.
#[derive(Debug)]
pub struct HttpProxy {
    listener: Listener,
    heads: Arc<Mutex<Vec<String>>>,
}

impl HttpProxy {
    /// Starts a proxy that wants exactly `authorization` (`Basic …`), if that is given.
    ///
    /// # Panics
    /// When there is no free port.
    #[must_use]
    pub fn start(authorization: Option<&str>) -> Self {
        let heads: Arc<Mutex<Vec<String>>> = Arc::default();
        let (seen, wanted) = (Arc::clone(&heads), authorization.map(str::to_owned));
        let listener = Listener::start(move |client| serve(client, wanted.as_deref(), &seen));
        Self { listener, heads }
    }

    /// Where clients connect to, on loopback.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.listener.port
    }

    /// The heads of the requests that opened connections, as they came.
    #[must_use]
    pub fn seen(&self) -> Vec<String> {
        self.heads.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn serve(mut client: TcpStream, wanted: Option<&str>, seen: &Mutex<Vec<String>>) {
    let Some(head) = read_head(&mut client) else { return };
    seen.lock().unwrap_or_else(PoisonError::into_inner).push(head.clone());
    let header = |name: &str| {
        head.lines().find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    };
    if wanted.is_some() && header("proxy-authorization") != wanted {
        let answer =
            b"HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n";
        let _ = client.write_all(answer);
        return;
    }
    let mut words = head.split(' ');
    let (Some(method), Some(target)) = (words.next(), words.next()) else {
        return;
    };
    let tunnel = method == "CONNECT";
    let authority = match target.strip_prefix("http://") {
        Some(rest) => rest.split('/').next().unwrap_or_default(),
        None => target,
    };
    let authority = if authority.contains(':') {
        authority.to_owned()
    } else {
        format!("{authority}:80")
    };
    let Ok(mut server) = TcpStream::connect(&authority) else {
        let _ = client.write_all(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n");
        return;
    };
    if tunnel {
        let _ = client.write_all(b"HTTP/1.1 200 Connected\r\n\r\n");
    } else {
        // What is for the proxy stays here; the rest goes on as it came.
        let kept = head
            .split_inclusive("\r\n")
            .filter(|line| !line.to_ascii_lowercase().starts_with("proxy-"));
        let _ = server.write_all(kept.collect::<String>().as_bytes());
    }
    let (Ok(up), Ok(down)) = (client.try_clone(), server.try_clone()) else {
        return;
    };
    std::thread::spawn(move || copy(up, &server, |_| true));
    copy(down, &client, |_| true);
    let _ = client.shutdown(Shutdown::Both);
}

fn read_head(client: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        if head.len() > 64 * 1024 || client.read(&mut byte).ok()? == 0 {
            return None;
        }
        head.push(byte[0]);
    }
    String::from_utf8(head).ok()
}
