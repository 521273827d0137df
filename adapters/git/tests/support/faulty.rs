//! A server that misbehaves: plain threads and sockets, so that it can break any rule.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What the server was asked.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// `GET /… HTTP/1.1`.
    pub(crate) line: String,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

/// Listens until it is dropped; each connection gets a thread of its own.
#[derive(Debug)]
pub(crate) struct Faulty {
    pub(crate) port: u16,
    ended: Arc<AtomicBool>,
}

impl Faulty {
    /// Calls `answer` for each request, until it gives `false`, which closes the connection.
    pub(crate) fn start(answer: impl Fn(&Asked, &mut TcpStream) -> bool + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("its address").port();
        let ended = Arc::new(AtomicBool::new(false));
        let answer = Arc::new(answer);
        let flag = Arc::clone(&ended);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if flag.load(Ordering::SeqCst) {
                    return;
                }
                let Ok(mut stream) = stream else { continue };
                let answer = Arc::clone(&answer);
                std::thread::spawn(move || {
                    while let Some(asked) = read_request(&mut stream) {
                        if !answer(&asked, &mut stream) {
                            return;
                        }
                    }
                });
            }
        });
        Self { port, ended }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/app.git", self.port)
    }
}

impl Drop for Faulty {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

fn read_request(stream: &mut TcpStream) -> Option<Asked> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        if stream.read(&mut byte).ok()? == 0 {
            return None;
        }
        head.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse().ok())?
    });
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body).ok()?;
    Some(Asked {
        line: head.lines().next()?.to_owned(),
        head,
        body,
    })
}

/// Writes an answer with a length, and keeps the connection.
pub(crate) fn respond(stream: &mut TcpStream, status: &str, headers: &[(&str, &str)], body: &[u8]) -> bool {
    let mut head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n", body.len());
    for (name, value) in headers {
        head.extend([name, ": ", value, "\r\n"]);
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes()).is_ok() && stream.write_all(body).is_ok()
}

/// Writes the head of an answer that lasts until the connection closes.
pub(crate) fn begin(stream: &mut TcpStream, content_type: &str) {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nConnection: close\r\n\r\n");
    let _ = stream.write_all(head.as_bytes());
}

pub(crate) const ADVERTISEMENT: &str = "application/x-git-upload-pack-advertisement";
pub(crate) const RESULT: &str = "application/x-git-upload-pack-result";

/// A line of git's protocol.
pub(crate) fn line(content: &[u8]) -> Vec<u8> {
    let mut line = format!("{:04x}", content.len() + 4).into_bytes();
    line.extend_from_slice(content);
    line
}

/// The greeting of a server that speaks protocol 2.
pub(crate) fn greeting() -> Vec<u8> {
    let mut bytes = line(b"# service=git-upload-pack\n");
    bytes.extend_from_slice(b"0000");
    for capability in [
        "version 2\n",
        "agent=faulty\n",
        "ls-refs\n",
        "fetch=shallow\n",
        "object-format=sha1\n",
    ] {
        bytes.extend(line(capability.as_bytes()));
    }
    bytes.extend_from_slice(b"0000");
    bytes
}

/// A commit that no server here has.
pub(crate) const SHA: &str = "123456789abcdef0123456789abcdef012345678";

/// Answers the greeting and the list of refs as it should, and leaves the request for a pack to `pack`.
pub(crate) fn until_pack(
    pack: impl Fn(&mut TcpStream) -> bool + Send + Sync + 'static,
) -> impl Fn(&Asked, &mut TcpStream) -> bool + Send + Sync + 'static {
    move |asked, stream| {
        if asked.line.starts_with("GET") {
            return respond(stream, "200 OK", &[("Content-Type", ADVERTISEMENT)], &greeting());
        }
        if String::from_utf8_lossy(&asked.body).contains("command=ls-refs") {
            let mut body = line(format!("{SHA} HEAD symref-target:refs/heads/main\n").as_bytes());
            body.extend(line(format!("{SHA} refs/heads/main\n").as_bytes()));
            body.extend_from_slice(b"0000");
            return respond(stream, "200 OK", &[("Content-Type", RESULT)], &body);
        }
        pack(stream)
    }
}
