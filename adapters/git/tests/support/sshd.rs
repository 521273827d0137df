//! A real sshd in front of git, with users, keys and passwords of its own.
//!
//! # Invariant
//! As for the HTTP server: its process ends with it.

use std::io::Write as _;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use convoy_domain::access::{Access, Credentials, SshAccess};
use convoy_domain::secret::Secret;
use convoy_testkit_controlplane::component::require;

use super::http::{free_port, supervised};
use super::repositories::Repositories;

/// The password of the user `git`, and the passphrase of the keys that have one.
pub(crate) const PASSWORD: &str = "canary-ssh-password";
pub(crate) const PASSPHRASE: &str = "canary-passphrase";
/// `PASSWORD`, as a shadow file has it.
const SHADOW: &str =
    "$6$convoytest$OOf7Nws.9WNccSrjiL9jwf6SrndfBc53Fto6Xko7TpqwiIwuwuES/UOn5ermkvH21x/hN392LslmJew.CmxPB.";

/// The running server, its repositories, and the keys on both sides.
#[derive(Debug)]
pub(crate) struct SshServer {
    pub(crate) repositories: Repositories,
    pub(crate) port: u16,
    folder: tempfile::TempDir,
    process: Option<Child>,
}

impl SshServer {
    /// Starts it; `None` where its programs are absent. `more` goes into its configuration.
    pub(crate) fn start(more: &str) -> Option<Self> {
        let (sshd, wrapper) = (require("sshd")?, require("libnss_wrapper.so")?);
        require("ssh-keygen")?;
        let server = Self {
            repositories: Repositories::new(),
            port: free_port(),
            folder: tempfile::tempdir().expect("a temporary folder"),
            process: None,
        };
        for (name, kind, bits, passphrase) in [
            ("host", "ed25519", "256", ""),
            ("host-ecdsa", "ecdsa", "256", ""),
            ("host-rsa", "rsa", "2048", ""),
            ("other-host", "ed25519", "256", ""),
            ("ed25519", "ed25519", "256", ""),
            ("ed25519-locked", "ed25519", "256", PASSPHRASE),
            ("ecdsa", "ecdsa", "384", ""),
            ("rsa", "rsa", "2048", ""),
            ("rsa-locked", "rsa", "2048", PASSPHRASE),
            ("stranger", "ed25519", "256", ""),
        ] {
            keygen(&server.path(name), kind, bits, passphrase);
        }
        server.configure(more);
        Some(server.run(&sshd, &wrapper))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("a file")
    }

    pub(crate) fn url(&self, name: &str) -> String {
        format!(
            "ssh://git@127.0.0.1:{}{}",
            self.port,
            self.repositories.folder(name).display()
        )
    }

    /// A line of `known_hosts` with the public key in the file `name`.
    pub(crate) fn known(&self, name: &str) -> String {
        let key = self.read(&format!("{name}.pub"));
        let key: Vec<&str> = key.split(' ').take(2).collect();
        format!("[127.0.0.1]:{} {}\n", self.port, key.join(" "))
    }

    /// What opens the server: the identity in the file `identity`, and its own host key.
    pub(crate) fn access(&self, identity: Option<&str>) -> SshAccess {
        SshAccess {
            identity: identity.map(|name| Secret::new(self.read(name))),
            known_hosts: Some(Secret::new(self.known("host"))),
            ..SshAccess::default()
        }
    }

    /// What sshd wrote.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.path("log")).unwrap_or_default()
    }

    fn configure(&self, more: &str) {
        let folder = self.folder.path().display();
        let text = |command: &str, argument: &str| {
            let output = Command::new(command).arg(argument).output().expect("a program");
            String::from_utf8_lossy(&output.stdout).trim().to_owned()
        };
        let (user, group) = (text("id", "-u"), text("id", "-g"));
        let keys: String = ["ed25519", "ed25519-locked", "ecdsa", "rsa", "rsa-locked"]
            .map(|name| self.read(&format!("{name}.pub")))
            .concat();
        for (name, content) in [
            (
                "passwd",
                format!("git:x:{user}:{group}::{folder}:/bin/sh\nsshd:x:100:65534::/run/sshd:/usr/sbin/nologin\n"),
            ),
            ("group", format!("git:x:{group}:\nnogroup:x:65534:\n")),
            ("shadow", format!("git:{SHADOW}:19000:0:99999:7:::\n")),
            ("authorized_keys", keys),
            (
                "sshd_config",
                format!(
                    "Port {}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nHostKey {folder}/host-ecdsa\nHostKey {folder}/host-rsa\n\
                 PidFile none\nStrictModes no\nUsePAM no\nPermitRootLogin yes\nLogLevel VERBOSE\n\
                 AuthorizedKeysFile {folder}/authorized_keys\n{more}\n",
                    self.port
                ),
            ),
        ] {
            std::fs::write(self.path(name), content).expect("a file");
        }
    }

    fn run(mut self, sshd: &Path, wrapper: &Path) -> Self {
        // Where sshd keeps its unprivileged half, when it runs as root.
        let _ = std::fs::create_dir_all("/run/sshd");
        let mut command = supervised(sshd);
        command
            .env("LD_PRELOAD", wrapper)
            .env("NSS_WRAPPER_PASSWD", self.path("passwd"))
            .env("NSS_WRAPPER_GROUP", self.path("group"))
            .env("NSS_WRAPPER_SHADOW", self.path("shadow"))
            .args([
                Path::new("-D"),
                Path::new("-f"),
                &self.path("sshd_config"),
                Path::new("-E"),
                &self.path("log"),
            ]);
        self.process = Some(command.spawn().expect("a shell"));
        let started = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(
                started.elapsed() < Duration::from_secs(20),
                "sshd did not start: {}",
                self.log()
            );
            std::thread::sleep(Duration::from_millis(10));
        }
        self
    }
}

impl Drop for SshServer {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let _ = writeln!(std::io::stderr(), "sshd says: {}", self.log());
        }
        if let Some(process) = &mut self.process {
            drop(process.stdin.take());
            let _ = process.wait();
        }
    }
}

pub(crate) fn keygen(path: &Path, kind: &str, bits: &str, passphrase: &str) {
    let program = require("ssh-keygen").expect("ssh-keygen");
    let output = Command::new(program)
        .args(["-q", "-t", kind, "-b", bits, "-C", "a key", "-N", passphrase, "-f"])
        .arg(path)
        .output()
        .expect("ssh-keygen");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Access by ssh.
pub(crate) fn by_ssh(access: SshAccess) -> Access {
    Access {
        credentials: Credentials::Ssh(access),
        ..Access::default()
    }
}
