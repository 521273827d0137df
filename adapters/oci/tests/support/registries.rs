//! Real registries on free loopback ports, which end with the test.

use std::fmt::Write as _;
use std::io;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use convoy_testkit_controlplane::component::require;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};

use super::tokens::{ISSUER, SERVICE, TokenService};
use super::{PASSWORD, USER};

/// Runs `$1` with the arguments that follow until standard input ends, even when a test is killed.
const SUPERVISE: &str =
    r#"exec 3<&0; "$@" </dev/null & server=$!; { read -r _ <&3; kill -KILL "$server"; } 2>/dev/null"#;

/// How a registry is set up.
#[derive(Default)]
pub(crate) struct Setup<'a> {
    /// Whether [`USER`] with [`PASSWORD`] is asked for.
    pub(crate) password: bool,
    /// Whose tokens are asked for.
    pub(crate) tokens: Option<&'a TokenService>,
    /// By https, with an authority of its own.
    pub(crate) tls: bool,
    /// Where blobs are redirected to.
    pub(crate) blobs: Option<String>,
}

/// A running registry.
#[derive(Debug)]
pub(crate) struct RunningRegistry {
    pub(crate) port: u16,
    /// PEM of the authority that signed its certificate.
    pub(crate) authority: Option<Vec<u8>>,
    folder: tempfile::TempDir,
    process: Child,
}

impl RunningRegistry {
    /// Starts the reference registry; `None` where it is absent.
    pub(crate) fn start(setup: &Setup<'_>) -> Option<Self> {
        let program = require("registry")?;
        let folder = tempfile::tempdir().expect("a temporary folder");
        let port = free_port();
        let authority = setup.tls.then(|| certificates(folder.path()));
        if setup.password {
            write_users(folder.path())?;
        }
        if let Some(tokens) = setup.tokens {
            std::fs::write(folder.path().join("keys.json"), &tokens.keys).expect("keys");
        }
        let configuration = folder.path().join("config.yml");
        std::fs::write(&configuration, configure(setup, folder.path(), port)).expect("a configuration");
        let arguments = ["serve".to_owned(), configuration.display().to_string()];
        Some(Self::run(&program, &arguments, folder, port, authority))
    }

    /// Starts the second registry, which knows neither credentials nor TLS; `None` where it is absent.
    pub(crate) fn start_in_memory() -> Option<Self> {
        let program = require("in-memory-registry")?;
        let folder = tempfile::tempdir().expect("a temporary folder");
        let port = free_port();
        Some(Self::run(&program, &[format!("127.0.0.1:{port}")], folder, port, None))
    }

    fn run(
        program: &Path,
        arguments: &[String],
        folder: tempfile::TempDir,
        port: u16,
        authority: Option<Vec<u8>>,
    ) -> Self {
        let log = std::fs::File::create(folder.path().join("log")).expect("a log");
        let process = Command::new("/bin/sh")
            .args(["-c", SUPERVISE, "supervise"])
            .arg(program)
            .args(arguments)
            .env("OTEL_TRACES_EXPORTER", "none")
            .stdin(Stdio::piped())
            .stdout(log.try_clone().expect("a log"))
            .stderr(log)
            .spawn()
            .expect("a shell");
        let registry = Self {
            port,
            authority,
            folder,
            process,
        };
        let started = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            let log = registry.log();
            assert!(
                started.elapsed() < Duration::from_secs(30),
                "the registry did not start: {log}"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
        registry
    }

    /// `127.0.0.1` and the port.
    pub(crate) fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub(crate) fn oci(&self, path: &str) -> String {
        format!("oci://{}/{path}", self.host())
    }

    /// Where the PEM of its authority is.
    pub(crate) fn authority_file(&self) -> PathBuf {
        self.folder.path().join("authority.pem")
    }

    /// Where it keeps what was pushed.
    pub(crate) fn storage(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// What was asked so far, a line each: method, target and status. Waits until the log has `least` lines.
    pub(crate) fn asked(&self, least: usize) -> Vec<String> {
        let started = Instant::now();
        loop {
            let log = self.log();
            let lines: Vec<String> = log.lines().filter_map(request_of).collect();
            if lines.len() >= least || started.elapsed() > Duration::from_secs(5) {
                return lines;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for RunningRegistry {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let _ = io::Write::write_fmt(&mut io::stderr(), format_args!("the registry says: {}\n", self.log()));
        }
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

/// `"GET /v2/ HTTP/1.1" 200 2 …` of a line in the log of either registry.
fn request_of(line: &str) -> Option<String> {
    let (_, rest) = line.split_once(" \"")?;
    let (request, rest) = rest.split_once("\" ")?;
    let (request, _) = request.split_once(" HTTP/")?;
    let status = rest.split(' ').next()?;
    Some(format!("{request} {status}"))
}

fn configure(setup: &Setup<'_>, folder: &Path, port: u16) -> String {
    let folder = folder.display();
    let mut text = format!(
        "version: 0.1\nlog: {{level: error, accesslog: {{disabled: false}}}}\nstorage: {{filesystem: {{rootdirectory: \
         {folder}/data}}, delete: {{enabled: true}}}}\nhttp:\n  addr: 127.0.0.1:{port}\n  secret: test\n"
    );
    if setup.tls {
        let _ = writeln!(
            text,
            "  tls: {{certificate: {folder}/server.pem, key: {folder}/server.key}}"
        );
    }
    if setup.password {
        let _ = writeln!(text, "auth: {{htpasswd: {{realm: registry, path: {folder}/users}}}}");
    }
    if let Some(tokens) = setup.tokens {
        let realm = tokens.realm();
        let _ = writeln!(
            text,
            "auth: {{token: {{realm: \"{realm}\", service: {SERVICE}, issuer: {ISSUER}, jwks: {folder}/keys.json, \
             signingalgorithms: [ES256]}}}}"
        );
    }
    if let Some(blobs) = &setup.blobs {
        let _ = writeln!(
            text,
            "middleware: {{storage: [{{name: redirect, options: {{baseurl: \"{blobs}\"}}}}]}}"
        );
    }
    text
}

fn write_users(folder: &Path) -> Option<()> {
    let made = Command::new(require("htpasswd")?)
        .args(["-Bbn", USER, PASSWORD])
        .output()
        .expect("htpasswd");
    assert!(made.status.success(), "htpasswd failed");
    std::fs::write(folder.join("users"), made.stdout).expect("users");
    Some(())
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("its address").port()
}

/// Writes the server's key and certificate and the authority's certificate, and gives that.
fn certificates(folder: &Path) -> Vec<u8> {
    let authority_key = KeyPair::generate().expect("a key");
    let mut authority = CertificateParams::new(Vec::new()).expect("an authority");
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let pem = authority.self_signed(&authority_key).expect("a certificate").pem();
    let issuer = Issuer::new(authority, authority_key);
    let key = KeyPair::generate().expect("a key");
    let server = CertificateParams::new(["localhost".to_owned(), "127.0.0.1".to_owned()]).expect("a server");
    let certificate = server.signed_by(&key, &issuer).expect("a certificate");
    std::fs::write(folder.join("server.pem"), certificate.pem()).expect("a certificate");
    std::fs::write(folder.join("server.key"), key.serialize_pem()).expect("a key");
    std::fs::write(folder.join("authority.pem"), &pem).expect("a certificate");
    pem.into_bytes()
}
