//! A server of charts on loopback: a Helm repository and an OCI registry, both read only.
//!
//! The adapters' own suites run against the real servers; here it is enough that charts come over the wire.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest as _, Sha256};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const CONFIG: &str = "application/vnd.cncf.helm.config.v1+json";
const LAYER: &str = "application/vnd.cncf.helm.chart.content.v1.tar+gzip";

/// The server; it ends with the runtime.
#[derive(Clone, Debug)]
pub struct ChartServer {
    port: u16,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    pages: BTreeMap<String, Page>,
    versions: BTreeMap<String, BTreeSet<String>>,
    index: String,
    requests: Vec<String>,
}

#[derive(Clone, Debug)]
struct Page {
    kind: &'static str,
    bytes: Vec<u8>,
    digest: String,
}

impl ChartServer {
    /// Starts a server without charts.
    ///
    /// # Panics
    /// When no port can be had.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let server = Self {
            port,
            state: Arc::default(),
        };
        server.put("/v2/", "application/json", b"{}".to_vec());
        let serving = server.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let serving = serving.clone();
                tokio::spawn(async move { serving.answer(stream).await });
            }
        });
        server
    }

    /// URL of the Helm repository.
    #[must_use]
    pub fn helm_url(&self) -> String {
        format!("http://127.0.0.1:{}/stable", self.port)
    }

    /// URL of the registry.
    #[must_use]
    pub fn oci_url(&self) -> String {
        format!("oci://127.0.0.1:{}/charts", self.port)
    }

    /// Publishes a chart in both.
    pub fn publish(&self, name: &str, version: &str, files: &[(&str, &str)]) {
        let archive = archive(name, version, files);
        let digest = hex(&archive);
        let file = format!("{name}-{version}.tgz");
        let mut index = {
            let state = self.lock();
            state.index.clone()
        };
        if index.is_empty() {
            index.push_str("apiVersion: v1\nentries:\n");
        }
        let header = format!("  {name}:\n");
        if !index.contains(&header) {
            index.push_str(&header);
        }
        let entry =
            format!("    - {{apiVersion: v2, name: {name}, version: {version}, digest: {digest}, urls: [{file}]}}\n");
        let at = index.find(&header).map_or(index.len(), |at| at + header.len());
        index.insert_str(at, &entry);
        self.put("/stable/index.yaml", "text/yaml", index.clone().into_bytes());
        self.lock().index = index;
        self.put(&format!("/stable/{file}"), "application/gzip", archive.clone());

        let repository = format!("/v2/charts/{name}");
        let config = format!("{{\"name\":\"{name}\",\"version\":\"{version}\"}}");
        let manifest = format!(
            "{{\"schemaVersion\":2,\"mediaType\":\"{MANIFEST}\",\"config\":{},\"layers\":[{}]}}",
            descriptor(CONFIG, config.as_bytes()),
            descriptor(LAYER, &archive),
        );
        for (kind, bytes) in [(CONFIG, config.into_bytes()), (LAYER, archive)] {
            let digest = hex(&bytes);
            self.put(&format!("{repository}/blobs/sha256:{digest}"), kind, bytes);
        }
        let manifest = manifest.into_bytes();
        let by_digest = format!("{repository}/manifests/sha256:{}", hex(&manifest));
        self.put(&by_digest, MANIFEST, manifest.clone());
        self.put(&format!("{repository}/manifests/{version}"), MANIFEST, manifest);
        let tags = {
            let mut state = self.lock();
            let versions = state.versions.entry(name.to_string()).or_default();
            versions.insert(version.to_string());
            versions
                .iter()
                .map(|tag| format!("\"{tag}\""))
                .collect::<Vec<_>>()
                .join(",")
        };
        let list = format!("{{\"name\":\"charts/{name}\",\"tags\":[{tags}]}}");
        self.put(
            &format!("{repository}/tags/list"),
            "application/json",
            list.into_bytes(),
        );
    }

    /// Requests so far whose path contains `part`.
    #[must_use]
    pub fn requests(&self, part: &str) -> usize {
        self.lock().requests.iter().filter(|path| path.contains(part)).count()
    }

    fn put(&self, path: &str, kind: &'static str, bytes: Vec<u8>) {
        let digest = hex(&bytes);
        self.lock().pages.insert(path.to_string(), Page { kind, bytes, digest });
    }

    async fn answer(&self, mut stream: TcpStream) -> std::io::Result<()> {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") && head.len() < 16 * 1024 {
            head.push(stream.read_u8().await?);
        }
        let head = String::from_utf8_lossy(&head);
        let mut line = head.lines().next().unwrap_or_default().split(' ');
        let (method, target) = (line.next().unwrap_or_default(), line.next().unwrap_or_default());
        let path = target.split('?').next().unwrap_or_default().to_string();
        let page = {
            let mut state = self.lock();
            state.requests.push(format!("{method} {path}"));
            state.pages.get(&path).cloned()
        };
        let (status, page) = match page {
            Some(page) => ("200 OK", page),
            None => (
                "404 Not Found",
                Page {
                    kind: "text/plain",
                    bytes: b"not found".to_vec(),
                    digest: String::new(),
                },
            ),
        };
        let mut answer = format!(
            "HTTP/1.1 {status}\r\nContent-Type: {}\r\nContent-Length: {}\r\nDocker-Content-Digest: sha256:{}\r\n\
             Connection: close\r\n\r\n",
            page.kind,
            page.bytes.len(),
            page.digest,
        )
        .into_bytes();
        if method != "HEAD" {
            answer.extend(page.bytes);
        }
        stream.write_all(&answer).await?;
        stream.shutdown().await
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn descriptor(kind: &str, bytes: &[u8]) -> String {
    let (digest, size) = (hex(bytes), bytes.len());
    format!("{{\"mediaType\":\"{kind}\",\"digest\":\"sha256:{digest}\",\"size\":{size}}}")
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// A packaged chart: a tar archive in gzip whose blocks are stored as they are.
fn archive(name: &str, version: &str, files: &[(&str, &str)]) -> Vec<u8> {
    let about = format!("apiVersion: v2\nname: {name}\nversion: {version}\n");
    let mut tar = Vec::new();
    add(&mut tar, &format!("{name}/Chart.yaml"), about.as_bytes());
    for (path, text) in files {
        add(&mut tar, &format!("{name}/{path}"), text.as_bytes());
    }
    tar.extend([0; 1024]);
    stored(&tar)
}

fn add(tar: &mut Vec<u8>, path: &str, content: &[u8]) {
    let mut head = [0_u8; 512];
    let mut put = |at: usize, text: &str| head[at..at + text.len()].copy_from_slice(text.as_bytes());
    put(0, path);
    put(100, "0000644\0");
    put(124, &format!("{:011o}\0", content.len()));
    put(136, "00000000000\0");
    put(148, "        ");
    put(156, "0");
    put(257, "ustar\x0000");
    let sum: u32 = head.iter().map(|byte| u32::from(*byte)).sum();
    head[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    tar.extend(head);
    tar.extend(content);
    tar.extend(vec![0; content.len().next_multiple_of(512) - content.len()]);
}

fn stored(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    let mut blocks = bytes.chunks(65_535).peekable();
    while let Some(block) = blocks.next() {
        let length = u16::try_from(block.len()).expect("a block's length");
        out.push(u8::from(blocks.peek().is_none()));
        out.extend(length.to_le_bytes());
        out.extend((!length).to_le_bytes());
        out.extend(block);
    }
    let crc = bytes.iter().fold(!0_u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 }
        })
    });
    out.extend((!crc).to_le_bytes());
    out.extend(u32::try_from(bytes.len()).expect("a length").to_le_bytes());
    out
}
