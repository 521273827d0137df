//! One real control plane: etcd, kube-apiserver and, on request, kube-controller-manager.
//!
//! # Invariant
//! Everything listens on loopback only, and nothing of it is left when [`ControlPlane`] has been dropped.

use std::hash::{BuildHasher as _, RandomState};
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::certificates::Certificates;
use crate::component::{absent, component};
use crate::kubeconfig;
use crate::process::{Process, ProcessError};

/// How long a start may take before it is a failure; 7 s is usual on an idle machine.
const READY_WITHIN: Duration = Duration::from_mins(3);

/// How often a start is tried: another process may take a port between its choice and its use.
const ATTEMPTS: usize = 3;

/// What runs beside etcd and kube-apiserver.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether kube-controller-manager runs. Without it no `ReplicaSets` appear, and a deleted namespace stays.
    pub controller_manager: bool,
}

/// Why there is no control plane.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A program is not installed.
    #[error("`{0}` is absent")]
    Absent(&'static str),
    /// The certificates could not be generated.
    #[error("cannot generate certificates")]
    Certificates(#[from] rcgen::Error),
    /// The temporary folder could not be filled, or no loopback port was free.
    #[error("cannot prepare the control plane")]
    Prepare(#[from] std::io::Error),
    /// One of the servers did not run.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// The servers run, but are not ready.
    #[error("`{what}` did not succeed within {seconds} s: {answer}; the log of `{server}` ends with:\n{log}", seconds = READY_WITHIN.as_secs())]
    NotReady {
        /// What was asked.
        what: String,
        /// The last answer.
        answer: String,
        /// The server that should have made it succeed.
        server: &'static str,
        /// The end of its log.
        log: String,
    },
}

/// A running control plane. Dropping it kills its processes and removes its folder.
///
/// It knows two users: an administrator (of `system:masters`) and one without any rights.
#[derive(Debug)]
pub struct ControlPlane {
    // Dropped in this order: clients before the servers they call, the folder last.
    manager: Option<Process>,
    apiserver: Process,
    etcd: Process,
    url: String,
    certificates: Certificates,
    admin_token: String,
    powerless_token: String,
    kubectl: PathBuf,
    folder: TempDir,
}

/// Paths of the programs that a control plane needs.
struct Programs {
    etcd: PathBuf,
    apiserver: PathBuf,
    manager: Option<PathBuf>,
    kubectl: PathBuf,
}

impl Programs {
    fn find(options: Options) -> Result<Self, StartError> {
        let find = |name: &'static str| component(name).ok_or(StartError::Absent(name));
        Ok(Self {
            apiserver: find("kube-apiserver")?,
            etcd: find("etcd")?,
            manager: options
                .controller_manager
                .then(|| find("kube-controller-manager"))
                .transpose()?,
            kubectl: find("kubectl")?,
        })
    }
}

impl ControlPlane {
    /// Starts a control plane and waits until it is ready.
    ///
    /// # Errors
    /// [`StartError::Absent`] when a program is not installed; the others when it does not come up.
    pub fn start(options: Options) -> Result<Self, StartError> {
        let programs = Programs::find(options)?;
        let mut attempt = 1;
        loop {
            match Self::attempt(&programs) {
                Err(StartError::Process(ProcessError::Ended { log, .. }))
                    if attempt < ATTEMPTS && log.contains("address already in use") =>
                {
                    attempt += 1;
                }
                outcome => return outcome,
            }
        }
    }

    /// As [`ControlPlane::start`] for a test that is skipped, audibly, where the programs are not installed.
    ///
    /// # Panics
    /// When a program is absent and `CONVOY_COMPONENTS` is `required`, and when the control plane does not come up.
    #[must_use]
    pub fn start_or_skip(options: Options) -> Option<Self> {
        match Self::start(options) {
            Ok(plane) => Some(plane),
            Err(StartError::Absent(name)) => {
                absent(name);
                None
            }
            Err(error) => panic!("no control plane: {error}: {:?}", std::error::Error::source(&error)),
        }
    }

    /// `https://127.0.0.1:<port>`.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The certificate, in PEM, of the authority that signed the server's.
    #[must_use]
    pub fn ca_pem(&self) -> &str {
        &self.certificates.authority
    }

    /// The bearer token of the administrator.
    #[must_use]
    pub fn admin_token(&self) -> &str {
        &self.admin_token
    }

    /// The bearer token of a user whom no role is bound to.
    #[must_use]
    pub fn powerless_token(&self) -> &str {
        &self.powerless_token
    }

    /// The administrator's kubeconfig; it stands alone, so its text serves as the content of a Secret too.
    #[must_use]
    pub fn kubeconfig_path(&self) -> PathBuf {
        self.folder.path().join("admin.kubeconfig")
    }

    /// The kubeconfig of the user without rights.
    #[must_use]
    pub fn powerless_kubeconfig_path(&self) -> PathBuf {
        self.folder.path().join("powerless.kubeconfig")
    }

    /// The pinned kubectl, set to speak to this server as the administrator and to see no other configuration.
    #[must_use]
    pub fn kubectl(&self) -> Command {
        kubectl(&self.kubectl, &self.kubeconfig_path(), self.folder.path())
    }

    /// The last few KiB of what the API server logged.
    #[must_use]
    pub fn apiserver_log(&self) -> String {
        self.apiserver.log_tail()
    }

    fn attempt(programs: &Programs) -> Result<Self, StartError> {
        let folder = tempfile::Builder::new().prefix("convoy-control-plane-").tempdir()?;
        let certificates = Certificates::generate()?;
        let [client_port, peer_port, port] = free_ports()?;
        let url = format!("https://127.0.0.1:{port}");
        let (admin_token, powerless_token) = (random_token(), random_token());
        let write = |name: &str, content: &str| std::fs::write(folder.path().join(name), content);
        write("server.pem", &certificates.server)?;
        write("server.key", &certificates.server_key)?;
        write("authority.pem", &certificates.authority)?;
        write("tokens.key", &certificates.token_key)?;
        write("tokens.pub", &certificates.token_public_key)?;
        write(
            "tokens.csv",
            &format!("{admin_token},admin,admin,\"system:masters\"\n{powerless_token},powerless,powerless,\"\"\n"),
        )?;
        for (user, token) in [("admin", &admin_token), ("powerless", &powerless_token)] {
            let text = kubeconfig::render(&url, &certificates.authority, user, token);
            write(&format!("{user}.kubeconfig"), &text)?;
        }

        let etcd = Process::start(
            "etcd",
            &programs.etcd,
            &etcd_flags(client_port, peer_port),
            folder.path(),
        )?;
        let flags = apiserver_flags(client_port, port);
        let apiserver = Process::start("kube-apiserver", &programs.apiserver, &flags, folder.path())?;
        let kubectl = programs.kubectl.clone();
        let mut plane = Self {
            manager: None,
            apiserver,
            etcd,
            url,
            certificates,
            admin_token,
            powerless_token,
            kubectl,
            folder,
        };
        plane.wait_for("kube-apiserver", &["get", "--raw", "/readyz"])?;
        // Made by the server a moment after it is ready.
        plane.wait_for("kube-apiserver", &["get", "namespace", "default"])?;
        if let Some(program) = &programs.manager {
            let flags = manager_flags();
            plane.manager = Some(Process::start(
                "kube-controller-manager",
                program,
                &flags,
                plane.folder.path(),
            )?);
            // Made by one of its controllers: all have started then.
            plane.wait_for(
                "kube-controller-manager",
                &["get", "serviceaccount", "default", "--namespace=default"],
            )?;
        }
        Ok(plane)
    }

    /// Repeats a kubectl command until it succeeds.
    fn wait_for(&mut self, server: &'static str, arguments: &[&str]) -> Result<(), StartError> {
        let started = Instant::now();
        loop {
            self.etcd.check()?;
            self.apiserver.check()?;
            if let Some(manager) = &mut self.manager {
                manager.check()?;
            }
            let output = self
                .kubectl()
                .args(arguments)
                .arg("--request-timeout=5s")
                .stdin(Stdio::null())
                .output()?;
            if output.status.success() {
                return Ok(());
            }
            if started.elapsed() > READY_WITHIN {
                let log = match &self.manager {
                    Some(manager) => manager.log_tail(),
                    None => self.apiserver.log_tail(),
                };
                let answer = String::from_utf8_lossy(&output.stderr).trim().to_owned();
                return Err(StartError::NotReady {
                    what: arguments.join(" "),
                    answer,
                    server,
                    log,
                });
            }
            std::thread::sleep(Duration::from_millis(200));
        }
    }
}

fn kubectl(program: &Path, kubeconfig: &Path, home: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .env("KUBECONFIG", kubeconfig)
        .env("HOME", home)
        .env_remove("SSL_CERT_FILE")
        .env_remove("SSL_CERT_DIR");
    for proxy in ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"] {
        command.env_remove(proxy);
    }
    command
}

/// Asks the operating system for ports nobody uses; they stay taken until all are known, so that they differ.
pub(crate) fn free_ports<const N: usize>() -> std::io::Result<[u16; N]> {
    let mut ports = [0; N];
    let mut listeners = Vec::with_capacity(N);
    for port in &mut ports {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        *port = listener.local_addr()?.port();
        listeners.push(listener);
    }
    Ok(ports)
}

/// 128 bits that another process on this machine does not know.
fn random_token() -> String {
    let half = || RandomState::new().hash_one("token");
    format!("{:016x}{:016x}", half(), half())
}

fn etcd_flags(client_port: u16, peer_port: u16) -> Vec<String> {
    vec![
        "--name=test".to_owned(),
        "--data-dir=etcd".to_owned(),
        format!("--listen-client-urls=http://127.0.0.1:{client_port}"),
        format!("--advertise-client-urls=http://127.0.0.1:{client_port}"),
        format!("--listen-peer-urls=http://127.0.0.1:{peer_port}"),
        format!("--initial-advertise-peer-urls=http://127.0.0.1:{peer_port}"),
        format!("--initial-cluster=test=http://127.0.0.1:{peer_port}"),
        "--log-level=warn".to_owned(),
        // The data lives as long as the test.
        "--unsafe-no-fsync".to_owned(),
    ]
}

fn apiserver_flags(etcd_port: u16, port: u16) -> Vec<String> {
    let fixed = [
        "--bind-address=127.0.0.1",
        "--advertise-address=127.0.0.1",
        "--tls-cert-file=server.pem",
        "--tls-private-key-file=server.key",
        "--token-auth-file=tokens.csv",
        "--authorization-mode=RBAC",
        "--service-account-issuer=https://kubernetes.default.svc",
        "--service-account-key-file=tokens.pub",
        "--service-account-signing-key-file=tokens.key",
        "--service-cluster-ip-range=10.0.0.0/24",
        "--allow-privileged",
        // There is no other server whose address would have to be kept.
        "--endpoint-reconciler-type=none",
        // Pods are accepted although nobody makes the service account they name.
        "--disable-admission-plugins=ServiceAccount",
    ];
    let mut flags = vec![
        format!("--etcd-servers=http://127.0.0.1:{etcd_port}"),
        format!("--secure-port={port}"),
    ];
    flags.extend(fixed.map(str::to_owned));
    flags
}

fn manager_flags() -> Vec<String> {
    [
        "--kubeconfig=admin.kubeconfig",
        // It serves nothing itself.
        "--secure-port=0",
        "--leader-elect=false",
        "--service-account-private-key-file=tokens.key",
        "--root-ca-file=authority.pem",
        "--kube-api-qps=200",
        "--kube-api-burst=400",
    ]
    .map(str::to_owned)
    .to_vec()
}
