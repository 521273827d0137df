//! The uploads of Google's XML API, in front of a server that knows those of the JSON API alone.
//!
//! Clients in Rust upload by XML; `fake-gcs-server` answers that with `invalid uploadType`. Each upload becomes one of the
//! JSON API, precondition and all; parts are held until their upload is complete. Everything else passes as it is.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Parts of uploads that are not complete, by upload and number.
type Uploads = Mutex<BTreeMap<(u64, u32), Vec<u8>>>;

/// A running translation. It ends when this is dropped.
#[derive(Debug)]
pub(super) struct GoogleXml {
    port: u16,
    ended: Arc<AtomicBool>,
}

#[derive(Debug)]
struct State {
    server: u16,
    uploads: Uploads,
    begun: Mutex<u64>,
}

struct Request {
    method: String,
    path: String,
    query: BTreeMap<String, String>,
    head: Vec<u8>,
    only_when_absent: bool,
    body: Vec<u8>,
}

impl GoogleXml {
    /// In front of the server at this port.
    pub(super) fn start(server: u16) -> std::io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        let ended = Arc::new(AtomicBool::new(false));
        let state = Arc::new(State {
            server,
            uploads: Mutex::default(),
            begun: Mutex::default(),
        });
        let stop = Arc::clone(&ended);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if stop.load(Ordering::SeqCst) {
                    return;
                }
                let state = Arc::clone(&state);
                // A client that goes away in the middle is its own affair.
                std::thread::spawn(move || drop(state.serve(&client)));
            }
        });
        Ok(Self { port, ended })
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }
}

impl Drop for GoogleXml {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::SeqCst);
        drop(TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)));
    }
}

impl State {
    /// One request a connection.
    fn serve(&self, mut client: &TcpStream) -> std::io::Result<()> {
        let Some(request) = read(client)? else { return Ok(()) };
        let answer = self.answer(&request)?;
        client.write_all(&answer)?;
        client.shutdown(Shutdown::Write)
    }

    fn answer(&self, request: &Request) -> std::io::Result<Vec<u8>> {
        let upload: Option<u64> = request.query.get("uploadId").and_then(|text| text.parse().ok());
        let mut uploads = self.uploads.lock().unwrap_or_else(PoisonError::into_inner);
        match (request.method.as_str(), upload) {
            ("PUT", None) => self.upload(&request.path, &request.body, request.only_when_absent),
            ("POST", None) if request.query.contains_key("uploads") => {
                let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
                *begun += 1;
                Ok(xml(&format!(
                    "<InitiateMultipartUploadResult><Bucket>b</Bucket><Key>k</Key><UploadId>{begun}</UploadId></InitiateMultipartUploadResult>"
                )))
            }
            ("PUT", Some(upload)) => {
                let number = request
                    .query
                    .get("partNumber")
                    .and_then(|text| text.parse().ok())
                    .unwrap_or_default();
                uploads.insert((upload, number), request.body.clone());
                Ok(xml(""))
            }
            ("POST", Some(upload)) => {
                let parts: Vec<u8> = uploads
                    .range((upload, 0)..=(upload, u32::MAX))
                    .flat_map(|(_, part)| part.clone())
                    .collect();
                uploads.retain(|(of, _), _| *of != upload);
                self.upload(&request.path, &parts, false)?;
                Ok(xml(
                    "<CompleteMultipartUploadResult><ETag>\"x\"</ETag></CompleteMultipartUploadResult>",
                ))
            }
            ("DELETE", Some(upload)) => {
                uploads.retain(|(of, _), _| *of != upload);
                Ok(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n".to_vec())
            }
            _ => {
                drop(uploads);
                self.ask(&request.head, &request.body)
            }
        }
    }

    fn upload(&self, path: &str, body: &[u8], only_when_absent: bool) -> std::io::Result<Vec<u8>> {
        let (bucket, key) = path.trim_start_matches('/').split_once('/').unwrap_or_default();
        let key = key.replace('+', "%2B").replace('&', "%26");
        let condition = if only_when_absent { "&ifGenerationMatch=0" } else { "" };
        let mut parts = b"--part\r\nContent-Type: application/json\r\n\r\n{}\r\n--part\r\nContent-Type: application/octet-stream\r\n\r\n".to_vec();
        parts.extend_from_slice(body);
        parts.extend_from_slice(b"\r\n--part--\r\n");
        let head = format!(
            "POST /upload/storage/v1/b/{bucket}/o?uploadType=multipart&name={key}{condition} HTTP/1.1\r\n\
             Content-Type: multipart/related; boundary=part\r\nContent-Length: {}\r\n",
            parts.len()
        );
        let answer = self.ask(head.as_bytes(), &parts)?;
        if answer.starts_with(b"HTTP/1.1 200") {
            Ok(xml(""))
        } else {
            Ok(answer)
        }
    }

    /// Sends a request, whose head has no empty line yet, and gives the whole answer.
    fn ask(&self, head: &[u8], body: &[u8]) -> std::io::Result<Vec<u8>> {
        let mut server = TcpStream::connect((Ipv4Addr::LOCALHOST, self.server))?;
        // The server answers for its own address alone.
        let rest = format!("Host: 127.0.0.1:{}\r\nConnection: close\r\n\r\n", self.server);
        server.write_all(&[head, rest.as_bytes()].concat())?;
        server.write_all(body)?;
        let mut answer = Vec::new();
        server.read_to_end(&mut answer)?;
        Ok(answer)
    }
}

fn xml(text: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 200 OK\r\nETag: \"x\"\r\nx-goog-generation: 1\r\nContent-Type: application/xml\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{text}",
        text.len()
    )
    .into_bytes()
}

/// Reads one request; `None` when the client has nothing to say.
fn read(client: &TcpStream) -> std::io::Result<Option<Request>> {
    let mut reader = BufReader::new(client);
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let pair = |text: &str| {
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        (name.to_owned(), value.to_owned())
    };
    let mut request = Request {
        method: method.to_owned(),
        path: path.to_owned(),
        query: query.split('&').map(pair).collect(),
        head: line.clone().into_bytes(),
        only_when_absent: false,
        body: Vec::new(),
    };
    let mut length = 0;
    loop {
        let mut header = String::new();
        reader.read_line(&mut header)?;
        if header.trim().is_empty() {
            break;
        }
        let (name, value) = header.split_once(':').unwrap_or_default();
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().unwrap_or_default(),
            "x-goog-if-generation-match" => request.only_when_absent = value.trim() == "0",
            "connection" | "host" => continue,
            _ => {}
        }
        request.head.extend_from_slice(header.as_bytes());
    }
    request.body = vec![0; length];
    reader.read_exact(&mut request.body)?;
    Ok(Some(request))
}
