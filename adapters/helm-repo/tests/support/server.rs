//! A real static server: nginx, over http and https, with and without credentials.
//!
//! # Invariant
//! When [`Server`] has been dropped, or the test process has ended in whatever way, nginx has ended.

use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use convoy_domain::access::ClientCertificate;
use convoy_domain::secret::Secret;
use convoy_testkit_controlplane::component::require;
use rcgen::{BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair};

/// Kills the server when the pipe that is its standard input closes.
const SUPERVISE: &str = r#"
exec 3<&0 </dev/null
"$@" 3<&- & server=$!
{ read -r _ <&3; kill -KILL "$server"; } 2>/dev/null
"#;

/// The running server; what is in [`Self::root`] is served below every way.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) port: u16,
    pub(crate) tls_port: u16,
    /// Asks for a client's certificate.
    pub(crate) mutual_port: u16,
    /// PEM of the authority that signed its certificate.
    pub(crate) authority: Vec<u8>,
    /// A certificate that [`Self::mutual_port`] takes.
    pub(crate) client: ClientCertificate,
    process: Child,
    folder: tempfile::TempDir,
}

impl Server {
    /// Starts it; `None` where nginx is absent.
    pub(crate) fn start() -> Option<Self> {
        let nginx = require("nginx")?;
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (port, tls_port, mutual_port) = (free_port(), free_port(), free_port());
        let (authority, client) = certificates(folder.path());
        std::fs::create_dir(folder.path().join("root")).expect("a root");
        std::fs::write(folder.path().join("users"), format!("{USER}:{{PLAIN}}{PASSWORD}\n")).expect("users");
        let configuration = CONFIGURATION
            .replace("@MUTUAL_PORT@", &mutual_port.to_string())
            .replace("@HTTPS_PORT@", &tls_port.to_string())
            .replace("@HTTP_PORT@", &port.to_string())
            .replace("@ROOT@", &folder.path().join("root").display().to_string())
            .replace("@TOKEN@", TOKEN);
        let file = folder.path().join("nginx.conf");
        std::fs::write(&file, configuration).expect("a configuration");
        let process = Command::new("/bin/sh")
            .args(["-c", SUPERVISE, "supervise"])
            .arg(nginx)
            .arg("-p")
            .arg(folder.path())
            .arg("-c")
            .arg(file)
            .args(["-e", "error.log"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a shell");
        let server = Self {
            port,
            tls_port,
            mutual_port,
            authority,
            client,
            process,
            folder,
        };
        server.wait();
        Some(server)
    }

    /// What is served.
    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    pub(crate) fn http(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}/{path}", self.port)
    }

    /// The same by another name.
    pub(crate) fn other_host(&self, path: &str) -> String {
        format!("http://localhost:{}/{path}", self.port)
    }

    pub(crate) fn https(&self, path: &str) -> String {
        format!("https://127.0.0.1:{}/{path}", self.tls_port)
    }

    pub(crate) fn mutual(&self, path: &str) -> String {
        format!("https://127.0.0.1:{}/{path}", self.mutual_port)
    }

    /// What was asked so far, a line each: host, method, path, status, and in brackets the credentials.
    pub(crate) fn seen(&self) -> Vec<String> {
        let log = std::fs::read_to_string(self.folder.path().join("seen.log")).unwrap_or_default();
        log.lines().map(str::to_owned).collect()
    }

    /// What was asked since `before` lines, once there are `count` of them: nginx writes after it has answered.
    pub(crate) fn seen_since(&self, before: usize, count: usize) -> Vec<String> {
        let started = Instant::now();
        loop {
            let seen = self.seen().split_off(before);
            if seen.len() >= count || started.elapsed() > Duration::from_secs(2) {
                return seen;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn wait(&self) {
        let started = Instant::now();
        let open = |port| TcpStream::connect(("127.0.0.1", port)).is_ok();
        while !(open(self.port) && open(self.tls_port) && open(self.mutual_port)) {
            assert!(
                started.elapsed() < Duration::from_secs(20),
                "nginx did not start: {}",
                std::fs::read_to_string(self.folder.path().join("error.log")).unwrap_or_default()
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let log = std::fs::read_to_string(self.folder.path().join("error.log"));
            let _ = writeln!(std::io::stderr(), "nginx says: {}", log.unwrap_or_default());
        }
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("its address").port()
}

/// Writes the server's key and certificate, and gives the authority's and a client's.
fn certificates(folder: &Path) -> (Vec<u8>, ClientCertificate) {
    let authority_key = KeyPair::generate().expect("a key");
    let mut authority = CertificateParams::new(Vec::new()).expect("an authority");
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let pem = authority.self_signed(&authority_key).expect("a certificate").pem();
    let issuer = Issuer::new(authority, authority_key);
    let signed = |params: CertificateParams| {
        let key = KeyPair::generate().expect("a key");
        let certificate = params.signed_by(&key, &issuer).expect("a certificate");
        (certificate.pem(), key.serialize_pem())
    };
    let names = ["localhost".to_owned(), "127.0.0.1".to_owned()];
    let (certificate, key) = signed(CertificateParams::new(names).expect("a server"));
    std::fs::write(folder.join("server.pem"), certificate).expect("a certificate");
    std::fs::write(folder.join("server.key"), key).expect("a key");
    std::fs::write(folder.join("authority.pem"), &pem).expect("an authority");
    let mut client = CertificateParams::new(vec!["client".to_owned()]).expect("a client");
    // A name that is not its authority's, which would make it seem to be its own.
    client.distinguished_name.push(DnType::CommonName, "client");
    client.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
    let (certificate, key) = signed(client);
    let client = ClientCertificate {
        certificate: certificate.into_bytes(),
        key: Secret::new(key.into_bytes()),
    };
    (pem.into_bytes(), client)
}

/// The user of `/basic/`, the password, and what `/bearer/` wants. None of them may ever be printed.
pub(crate) const USER: &str = "ann";
pub(crate) const PASSWORD: &str = "canary-password";
pub(crate) const TOKEN: &str = "canary-token";

/// `/moved/` redirects to the same place without it, `/elsewhere/` to it by another name of the host, `/loop/` to
/// itself, `/plain/` from https to http; `/metadata/` to where clouds keep their secrets; `/forbidden/` and `/secret/`
/// refuse all; `/basic/` and `/bearer/` want credentials; `/nohead/` knows no HEAD; `/noetag/` says nothing of a change.
const CONFIGURATION: &str = r"
daemon off;
master_process off;
pid nginx.pid;
error_log error.log;
events { worker_connections 128; }
http {
  log_format seen '$host $request_method $request_uri $status [$http_authorization]';
  access_log seen.log seen;
  keepalive_timeout 0;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  server {
    listen 127.0.0.1:@HTTP_PORT@;
    listen 127.0.0.1:@HTTPS_PORT@ ssl;
    ssl_certificate server.pem;
    ssl_certificate_key server.key;
    root @ROOT@;
    location / { }
    location /basic/ { auth_basic charts; auth_basic_user_file users; alias @ROOT@/; }
    location /bearer/ { if ($http_authorization != 'Bearer @TOKEN@') { return 401; } rewrite ^/bearer(/.*)$ $1 last; }
    location /moved/ { rewrite ^/moved/(.*)$ /$1 redirect; }
    location /moved-basic/ { rewrite ^/moved-basic/(.*)$ /basic/$1 redirect; }
    location /elsewhere/ { rewrite ^/elsewhere/(.*)$ http://localhost:@HTTP_PORT@/$1 redirect; }
    location /elsewhere-basic/ { rewrite ^/elsewhere-basic/(.*)$ http://localhost:@HTTP_PORT@/basic/$1 redirect; }
    location /metadata/ { return 302 http://169.254.169.254/latest/; }
    location /loop/ { rewrite ^/loop/(.*)$ /loop/$1 redirect; }
    location /plain/ { rewrite ^/plain/(.*)$ http://127.0.0.1:@HTTP_PORT@/$1 redirect; }
    location /secret/ { return 401; }
    location /forbidden/ { return 403; }
    location /nohead/ { if ($request_method = HEAD) { return 405; } alias @ROOT@/; }
    location /noetag/ { etag off; if_modified_since off; add_header Last-Modified ''; alias @ROOT@/; }
  }
  server {
    listen 127.0.0.1:@MUTUAL_PORT@ ssl;
    ssl_certificate server.pem;
    ssl_certificate_key server.key;
    ssl_client_certificate authority.pem;
    ssl_verify_client on;
    root @ROOT@;
  }
}
";
