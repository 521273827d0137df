//! A real git server: nginx before git's own `http-backend`, over http and https.
//!
//! # Invariant
//! When [`GitServer`] has been dropped, or the test process has ended in whatever way, its processes have ended.

use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use convoy_testkit_controlplane::component::require;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};

use super::repositories::Repositories;

/// Kills the server when the pipe that is its standard input closes.
const SUPERVISE: &str = r#"
exec 3<&0 </dev/null
"$@" 3<&- & server=$!
{ read -r _ <&3; kill -KILL "$server"; } 2>/dev/null
"#;

/// The running server and its repositories.
#[derive(Debug)]
pub(crate) struct GitServer {
    pub(crate) repositories: Repositories,
    pub(crate) plain_port: u16,
    pub(crate) tls_port: u16,
    /// PEM of the authority that signed its certificate.
    pub(crate) authority: Vec<u8>,
    processes: Vec<Child>,
    folder: tempfile::TempDir,
}

impl GitServer {
    /// Starts it; `None` where its programs are absent.
    pub(crate) fn start() -> Option<Self> {
        let (nginx, fcgiwrap, backend) = (require("nginx")?, require("fcgiwrap")?, require("git-http-backend")?);
        let folder = tempfile::tempdir().expect("a temporary folder");
        let repositories = Repositories::new();
        let (plain_port, tls_port) = (free_port(), free_port());
        let authority = certificates(folder.path());
        std::fs::write(folder.path().join("users"), format!("{USER}:{{PLAIN}}{PASSWORD}\n")).expect("users");
        let configuration = CONFIGURATION
            .replace("@LOCATIONS@", &locations())
            .replace("@HTTPS_PORT@", &tls_port.to_string())
            .replace("@HTTP_PORT@", &plain_port.to_string())
            .replace("@FOLDER@", &folder.path().display().to_string())
            .replace("@ROOT@", &repositories.root.path().display().to_string())
            .replace("@BACKEND@", &backend.display().to_string());
        std::fs::write(folder.path().join("nginx.conf"), configuration).expect("a configuration");
        let mut server = Self {
            plain_port,
            tls_port,
            authority,
            processes: Vec::new(),
            repositories,
            folder,
        };
        let folder = server.folder.path().to_owned();
        for number in 0..3 {
            let socket = format!("unix:{}/fcgi{number}.sock", folder.display());
            server.supervise(&fcgiwrap, &["-s", &socket]);
        }
        let folder_text = folder.display().to_string();
        let file = format!("{folder_text}/nginx.conf");
        server.supervise(&nginx, &["-p", &folder_text, "-c", &file, "-e", "error.log"]);
        server.wait(&folder);
        Some(server)
    }

    pub(crate) fn http(&self, name: &str) -> String {
        format!("http://127.0.0.1:{}/{name}.git", self.plain_port)
    }

    pub(crate) fn https(&self, name: &str) -> String {
        format!("https://127.0.0.1:{}/{name}.git", self.tls_port)
    }

    /// What was asked so far, a line each: host, method, path, status, and in brackets the credentials.
    pub(crate) fn seen(&self) -> Vec<String> {
        let log = std::fs::read_to_string(self.folder.path().join("seen.log")).unwrap_or_default();
        log.lines().map(str::to_owned).collect()
    }

    fn supervise(&mut self, program: &Path, arguments: &[&str]) {
        let mut command = supervised(program);
        let child = command.args(arguments).spawn().expect("a shell");
        self.processes.push(child);
    }

    fn wait(&self, folder: &Path) {
        let started = Instant::now();
        let ready = || {
            (0..3).all(|number| folder.join(format!("fcgi{number}.sock")).exists())
                && TcpStream::connect(("127.0.0.1", self.tls_port)).is_ok()
        };
        while !ready() {
            let log = || std::fs::read_to_string(folder.join("error.log")).unwrap_or_default();
            assert!(
                started.elapsed() < Duration::from_secs(20),
                "the git server did not start: {}",
                log()
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for GitServer {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let log = std::fs::read_to_string(self.folder.path().join("error.log"));
            let _ = writeln!(std::io::stderr(), "the git server says: {}", log.unwrap_or_default());
        }
        for process in &mut self.processes {
            drop(process.stdin.take());
            let _ = process.wait();
        }
    }
}

/// A command that runs `program` with the arguments that are added, until its standard input closes.
pub(crate) fn supervised(program: &Path) -> Command {
    let mut command = Command::new("/bin/sh");
    command
        .args(["-c", SUPERVISE, "supervise"])
        .arg(program)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

pub(crate) fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("its address").port()
}

/// Writes the server's key and certificate, and gives the authority's.
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
    pem.into_bytes()
}

/// One way of serving git below a prefix: `@WAY@` is the prefix, `@MORE@` what else the location says.
const WAY: &str = r"
    location @WAY@/ {
      @MORE@
      rewrite ^@WAY@(/.*)$ $1 break;
      fastcgi_pass git;
      fastcgi_param SCRIPT_FILENAME @BACKEND@;
      fastcgi_param GIT_PROJECT_ROOT @ROOT@;
      fastcgi_param GIT_HTTP_EXPORT_ALL 1;
      fastcgi_param PATH_INFO $uri;
      fastcgi_param QUERY_STRING $query_string;
      fastcgi_param REQUEST_METHOD $request_method;
      fastcgi_param CONTENT_TYPE $content_type;
      fastcgi_param CONTENT_LENGTH $content_length;
    }
";

/// `/moved/` redirects to the same repository, `/elsewhere/` to it by another name of the host, `/loop/` to itself,
/// `/plain/` from https to http; `/forbidden/` and `/secret/` refuse all; `/basic/`, `/bearer/` and `/app/` want
/// credentials; `/old/` serves the protocol without version 2.
fn locations() -> String {
    let protocol = "fastcgi_param GIT_PROTOCOL $http_git_protocol;";
    let wants = |what: &str| format!("if ($http_authorization != '{what}') {{ return 401; }} {protocol}");
    let ways = [
        ("", protocol.to_owned()),
        ("/old", String::new()),
        (
            "/basic",
            format!("auth_basic git; auth_basic_user_file users; {protocol}"),
        ),
        ("/bearer", wants(&format!("Bearer {TOKEN}"))),
        ("/app", wants(&basic("x-access-token", INSTALLATION_TOKEN))),
    ];
    let ways = ways
        .iter()
        .map(|(way, more)| WAY.replace("@WAY@", way).replace("@MORE@", more));
    ways.collect()
}

/// The user of `/basic/`, the password, and what `/bearer/` and `/app/` want. None of them may ever be printed.
pub(crate) const USER: &str = "ann";
pub(crate) const PASSWORD: &str = "canary-password";
pub(crate) const TOKEN: &str = "canary-token";
pub(crate) const INSTALLATION_TOKEN: &str = "canary-installation";

/// The header of HTTP's basic scheme.
pub(crate) fn basic(user: &str, password: &str) -> String {
    format!(
        "Basic {}",
        data_encoding::BASE64.encode(format!("{user}:{password}").as_bytes())
    )
}

const CONFIGURATION: &str = r"
daemon off;
master_process off;
pid nginx.pid;
error_log error.log;
events { worker_connections 128; }
http {
  log_format seen '$host $request_method $request_uri $status [$http_authorization]';
  access_log seen.log seen;
  client_max_body_size 0;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  upstream git { server unix:@FOLDER@/fcgi0.sock; server unix:@FOLDER@/fcgi1.sock; server unix:@FOLDER@/fcgi2.sock; }
  server {
    listen 127.0.0.1:@HTTP_PORT@;
    listen 127.0.0.1:@HTTPS_PORT@ ssl;
    ssl_certificate server.pem;
    ssl_certificate_key server.key;
    location /moved/ { rewrite ^/moved/(.*)$ /$1 redirect; }
    location /elsewhere/ { rewrite ^/elsewhere/(.*)$ http://localhost:@HTTP_PORT@/$1 redirect; }
    location /elsewhere-basic/ { rewrite ^/elsewhere-basic/(.*)$ http://localhost:@HTTP_PORT@/basic/$1 redirect; }
    location /moved-basic/ { rewrite ^/moved-basic/(.*)$ /basic/$1 redirect; }
    location /loop/ { rewrite ^/loop/(.*)$ /loop/$1 redirect; }
    location /plain/ { rewrite ^/plain/(.*)$ http://127.0.0.1:@HTTP_PORT@/$1 redirect; }
    location /secret/ { return 401; }
    location /forbidden/ { return 403; }
@LOCATIONS@
  }
}
";
