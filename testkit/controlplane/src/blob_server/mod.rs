//! Servers that answer as the blob stores of Amazon, Google and Azure, on loopback, for one test at a time.

mod google_xml;

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use data_encoding::BASE64;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use tempfile::TempDir;

use crate::component::require;
use crate::control_plane::free_ports;
use crate::process::{Process, ProcessError};
use google_xml::GoogleXml;

/// How long a server may take to answer.
const PATIENCE: Duration = Duration::from_secs(90);

/// Why a server is not there.
#[derive(Debug, thiserror::Error)]
enum StartError {
    #[error("cannot prepare the server")]
    Prepare(#[from] std::io::Error),
    #[error(transparent)]
    Process(#[from] ProcessError),
    #[error("{what} did not answer within {} s; the log of the server ends with:\n{log}", PATIENCE.as_secs())]
    NotReady { what: &'static str, log: String },
}

/// Whose store a server answers as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Amazon,
    Google,
    Azure,
}

/// A running server with one bucket, named `renders`. It ends when this is dropped.
#[derive(Debug)]
pub struct BlobServer {
    kind: Kind,
    port: u16,
    // Before the folder, so that it has ended when its data go.
    process: Process,
    xml: Option<GoogleXml>,
    _folder: TempDir,
}

/// The account and key that every emulator of Azure has.
const ACCOUNT: &str = "devstoreaccount1";
const ACCOUNT_KEY: &str = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

const S3_IDENTITIES: &str = r#"{"identities": [{"name": "test", "actions": ["Admin", "Read", "Write", "List"],
    "credentials": [{"accessKey": "test-key", "secretKey": "test-secret"}]}]}"#;

impl BlobServer {
    /// `SeaweedFS` as S3, or `None` where it is not installed.
    ///
    /// # Panics
    /// When it does not start, or is absent although components are required.
    #[must_use]
    pub fn amazon() -> Option<Self> {
        let program = require("weed")?;
        Some(started(|folder| {
            std::fs::write(folder.path().join("s3.json"), S3_IDENTITIES)?;
            let [master, volume, filer, s3] = free_ports()?;
            let [master_rpc, volume_rpc, filer_rpc, s3_rpc] = free_ports()?;
            let text = "server -ip=127.0.0.1 -ip.bind=127.0.0.1 -dir=. -filer -s3 -s3.config=s3.json -volume.max=50 \
                        -master.volumeSizeLimitMB=128 -master.telemetry=false";
            let ports = format!(
                "-master.port={master} -master.port.grpc={master_rpc} -volume.port={volume} \
                 -volume.port.grpc={volume_rpc} -filer.port={filer} -filer.port.grpc={filer_rpc} -s3.port={s3} \
                 -s3.port.grpc={s3_rpc}"
            );
            let mut server = Self::run(Kind::Amazon, &program, &format!("{text} {ports}"), s3, folder)?;
            server.until("the bucket", || {
                status(filer, "POST", "/buckets/renders/", &[], "") == Some(201)
            })?;
            let ask = || matches!(status(s3, "GET", "/renders", &[], ""), Some(403));
            server.until("S3", ask)?;
            let probe = "/buckets/renders/probe";
            server.until("a volume", || status(filer, "PUT", probe, &[], "x") == Some(201))?;
            server.until("a volume", || {
                matches!(status(filer, "DELETE", probe, &[], ""), Some(204 | 202 | 200))
            })?;
            server.process.check()?;
            Ok(server)
        }))
    }

    /// `fake-gcs-server` behind a translation of uploads, or `None` where it is not installed.
    ///
    /// # Panics
    /// As [`amazon`](Self::amazon).
    #[must_use]
    pub fn google() -> Option<Self> {
        let program = require("fake-gcs-server")?;
        Some(started(|folder| {
            let [port] = free_ports()?;
            let text = format!(
                "-backend memory -scheme http -host 127.0.0.1 -port {port} -public-host 127.0.0.1:{port} -log-level error"
            );
            let mut server = Self::run(Kind::Google, &program, &text, port, folder)?;
            let json = [("Content-Type", "application/json".to_owned())];
            let make = || {
                status(
                    port,
                    "POST",
                    "/storage/v1/b?project=test",
                    &json,
                    r#"{"name":"renders"}"#,
                ) == Some(200)
            };
            server.until("the bucket", make)?;
            let xml = GoogleXml::start(port)?;
            server.port = xml.port();
            server.xml = Some(xml);
            Ok(server)
        }))
    }

    /// `Azurite`, or `None` where it is not installed.
    ///
    /// # Panics
    /// As [`amazon`](Self::amazon).
    #[must_use]
    pub fn azure() -> Option<Self> {
        let program = require("azurite-blob")?;
        Some(started(|folder| {
            let [port] = free_ports()?;
            let text = format!(
                "--blobHost 127.0.0.1 --blobPort {port} --location . --skipApiVersionCheck --silent --disableTelemetry"
            );
            let mut server = Self::run(Kind::Azure, &program, &text, port, folder)?;
            server.until("the container", || make_container(port) == Some(201))?;
            Ok(server)
        }))
    }

    fn run(kind: Kind, program: &Path, arguments: &str, port: u16, folder: TempDir) -> Result<Self, StartError> {
        let arguments: Vec<String> = arguments.split_whitespace().map(ToOwned::to_owned).collect();
        let process = Process::start("server", program, &arguments, folder.path())?;
        Ok(Self {
            kind,
            port,
            process,
            xml: None,
            _folder: folder,
        })
    }

    fn until(&mut self, what: &'static str, holds: impl Fn() -> bool) -> Result<(), StartError> {
        let begin = Instant::now();
        while !holds() {
            self.process.check()?;
            if begin.elapsed() > PATIENCE {
                return Err(StartError::NotReady {
                    what,
                    log: self.process.log_tail(),
                });
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }

    /// Where it listens, on 127.0.0.1.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The URL of a store whose keys all start with `prefix`.
    #[must_use]
    pub fn url(&self, prefix: &str) -> String {
        self.url_through(self.port, prefix)
    }

    /// As [`url`](Self::url), by way of a relay at another port.
    #[must_use]
    pub fn url_through(&self, port: u16, prefix: &str) -> String {
        match self.kind {
            Kind::Amazon => format!("s3://renders?region=us-east-1&endpoint=http://127.0.0.1:{port}&prefix={prefix}"),
            Kind::Google => format!("gs://renders?prefix={prefix}"),
            Kind::Azure => format!("azblob://renders?localemu=true&domain=127.0.0.1:{port}&prefix={prefix}"),
        }
    }

    /// The variables that let a client in.
    #[must_use]
    pub fn variables(&self) -> Vec<(String, String)> {
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        match self.kind {
            Kind::Amazon => [
                ("AWS_ACCESS_KEY_ID", "test-key"),
                ("AWS_SECRET_ACCESS_KEY", "test-secret"),
            ]
            .map(owned)
            .into(),
            Kind::Google => vec![("STORAGE_EMULATOR_HOST".to_owned(), format!("127.0.0.1:{}", self.port))],
            Kind::Azure => [("AZURE_STORAGE_ACCOUNT", ACCOUNT), ("AZURE_STORAGE_KEY", ACCOUNT_KEY)]
                .map(owned)
                .into(),
        }
    }
}

/// Another process may take a port between its choice and its use.
fn started(start: impl Fn(TempDir) -> Result<BlobServer, StartError>) -> BlobServer {
    // Servers of one process start one after the other: nobody takes a port that was chosen and is not used yet.
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let once = || tempfile::tempdir().map_err(StartError::from).and_then(&start);
    once().or_else(|_| once()).unwrap_or_else(|error| panic!("{error}"))
}

/// The status of one answer; `None` when there is none.
fn status(port: u16, method: &str, path: &str, headers: &[(&str, String)], body: &str) -> Option<u16> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(10))).ok()?;
    let mut request = format!("{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n");
    for (name, value) in headers {
        request.extend([name, ": ", value.as_str(), "\r\n"]);
    }
    request.extend(["Content-Length: ", &body.len().to_string(), "\r\n\r\n", body]);
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = [0_u8; 12];
    stream.read_exact(&mut answer).ok()?;
    std::str::from_utf8(answer.get(9..)?).ok()?.parse().ok()
}

/// Azure lets nobody make a container without a signature.
fn make_container(port: u16) -> Option<u16> {
    // Any day: the emulator does not compare it with its own.
    let (date, version) = ("Tue, 01 Dec 2026 00:00:00 GMT", "2021-08-06");
    let signed = format!(
        "PUT\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:{date}\nx-ms-version:{version}\n/{ACCOUNT}/{ACCOUNT}/renders\nrestype:container"
    );
    let key = BASE64.decode(ACCOUNT_KEY.as_bytes()).ok()?;
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).ok()?;
    mac.update(signed.as_bytes());
    let signature = BASE64.encode(&mac.finalize().into_bytes());
    let headers = [
        ("x-ms-date", date.to_owned()),
        ("x-ms-version", version.to_owned()),
        ("Authorization", format!("SharedKey {ACCOUNT}:{signature}")),
    ];
    status(
        port,
        "PUT",
        &format!("/{ACCOUNT}/renders?restype=container"),
        &headers,
        "",
    )
}
