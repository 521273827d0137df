//! A server that answers as a test says: plain threads and sockets, so that it can break any rule.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What the server was asked.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) method: String,
    /// Path and query.
    pub(crate) target: String,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    pub(crate) fn authorization(&self) -> Option<&str> {
        self.header("authorization")
    }
}

/// What it answers.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// After the body, the last 64 KiB come again and again.
    pub(crate) endless: bool,
    /// In place of the length of the body.
    pub(crate) length: Option<u64>,
}

impl Answer {
    pub(crate) fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: body.into(),
            endless: false,
            length: None,
        }
    }

    pub(crate) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }
}

/// Listens until it is dropped; each connection gets a thread of its own.
#[derive(Debug)]
pub(crate) struct Scripted {
    pub(crate) port: u16,
    ended: Arc<AtomicBool>,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Scripted {
    /// Answers each request with `answer`.
    pub(crate) fn start(answer: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("its address").port();
        let ended = Arc::new(AtomicBool::new(false));
        let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let (flag, seen, answer) = (Arc::clone(&ended), Arc::clone(&asked), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if flag.load(Ordering::SeqCst) {
                    return;
                }
                let Ok(mut stream) = stream else { continue };
                let (seen, answer) = (Arc::clone(&seen), Arc::clone(&answer));
                std::thread::spawn(move || {
                    while let Some(asked) = read_request(&mut stream) {
                        seen.lock().unwrap_or_else(PoisonError::into_inner).push(asked.clone());
                        if !write_answer(&mut stream, &asked, &answer(&asked)) {
                            return;
                        }
                    }
                });
            }
        });
        Self { port, ended, asked }
    }

    /// What was asked so far.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Method and target of what was asked so far.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.asked()
            .iter()
            .map(|asked| format!("{} {}", asked.method, asked.target))
            .collect()
    }

    pub(crate) fn oci(&self, path: &str) -> String {
        format!("oci://127.0.0.1:{}/{path}", self.port)
    }
}

impl Drop for Scripted {
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
    let mut words = head.lines().next()?.split(' ').map(str::to_owned);
    let (method, target) = (words.next()?, words.next()?);
    let mut asked = Asked {
        method,
        target,
        head,
        body: Vec::new(),
    };
    let length = asked.header("content-length").and_then(|length| length.parse().ok());
    asked.body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut asked.body).ok()?;
    Some(asked)
}

fn write_answer(stream: &mut TcpStream, asked: &Asked, answer: &Answer) -> bool {
    let length = answer.length.unwrap_or(u64::try_from(answer.body.len()).unwrap_or(0));
    let mut head = format!("HTTP/1.1 {} Said\r\n", answer.status);
    if answer.endless {
        head.push_str("Connection: close\r\n");
    } else {
        head.extend(["Content-Length: ", &length.to_string(), "\r\n"]);
    }
    for (name, value) in &answer.headers {
        head.extend([name, ": ", value, "\r\n"]);
    }
    head.push_str("\r\n");
    if stream.write_all(head.as_bytes()).is_err() {
        return false;
    }
    if asked.method == "HEAD" {
        return true;
    }
    let mut written = stream.write_all(&answer.body).is_ok();
    let more = vec![b'x'; 64 * 1024];
    while answer.endless && written {
        written = stream.write_all(&more).is_ok();
    }
    // What is shorter than its length ends here.
    written && answer.length.is_none()
}
