//! Reaching the API server that the flags name.
//!
//! Order: `--server`, `--kubeconfig`, `$KUBECONFIG`, `~/.kube/config`, the pod's service account.

use std::path::{Path, PathBuf};
use std::time::Duration;

use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};

use crate::args::ClusterArgs;
use crate::disk;
use crate::failure::Failure;

/// How long a command waits for an answer; the watches of the controller are opened for less than this.
const READ_TIMEOUT: Duration = Duration::from_secs(295);

/// How long a connection may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Bytes of one kubeconfig.
const KUBECONFIG_BYTES: u64 = 16 << 20;

/// A client and what errors call its server.
#[derive(Clone)]
pub(crate) struct Connection {
    /// The client.
    pub(crate) client: Client,
    /// Configuration that it was made from.
    pub(crate) config: Config,
}

impl Connection {
    /// The namespace for a command: the flag's, else the context's.
    pub(crate) fn namespace(&self, flag: Option<&str>) -> String {
        flag.unwrap_or(&self.config.default_namespace).to_string()
    }

    /// A failed call, with a hint where the cause suggests one.
    pub(crate) fn failure(&self, what: impl Into<String>, error: &kube::Error) -> Failure {
        let failure = Failure::new(what);
        let server = &self.config.cluster_url;
        if let kube::Error::Api(status) = error {
            let failure = failure.because_text(status.message.clone());
            return match status.code {
                404 => failure.hint(format!("are convoy's CRDs installed on {server}?")),
                401 | 403 => failure.hint("ask for the right, or choose another user with `--context`"),
                _ => failure,
            };
        }
        let failure = failure.because(error);
        if matches!(error, kube::Error::Service(_) | kube::Error::HyperError(_)) {
            return failure.hint(format!(
                "is there an API server at {server}? `--server`, `--kubeconfig` and `--context` choose another"
            ));
        }
        failure
    }
}

/// Makes a client; nothing is asked of the server yet.
pub(crate) async fn connect(args: &ClusterArgs) -> Result<Connection, Failure> {
    let mut config = config(args).await?;
    config.connect_timeout = Some(CONNECT_TIMEOUT);
    config.read_timeout = Some(READ_TIMEOUT);
    let client = Client::try_from(config.clone())
        .map_err(|error| Failure::new(format!("cannot make a client of `{}`", config.cluster_url)).because(&error))?;
    Ok(Connection { client, config })
}

/// The files that will be read: the flag's, else those of `$KUBECONFIG`, else the user's own.
fn kubeconfigs(flag: Option<&Path>) -> Vec<PathBuf> {
    if let Some(path) = flag {
        return vec![path.to_path_buf()];
    }
    if let Some(paths) = std::env::var_os("KUBECONFIG") {
        return std::env::split_paths(&paths)
            .filter(|path| !path.as_os_str().is_empty())
            .collect();
    }
    std::env::home_dir()
        .map(|home| home.join(".kube/config"))
        .into_iter()
        .collect()
}

async fn config(args: &ClusterArgs) -> Result<Config, Failure> {
    if let Some(url) = &args.server {
        let uri: http::Uri = url
            .parse()
            .map_err(|error| Failure::usage(format!("`{url}` is not a URL")).because(&error))?;
        if uri.host().is_none() || !matches!(uri.scheme_str(), Some("http" | "https")) {
            return Err(Failure::usage(format!("`{url}` is not an http or https URL")));
        }
        return Ok(Config::new(uri));
    }
    let options = KubeConfigOptions {
        context: args.context.clone(),
        ..KubeConfigOptions::default()
    };
    for path in kubeconfigs(args.kubeconfig.as_deref()) {
        disk::check_readable(&path, KUBECONFIG_BYTES)?;
    }
    let (place, read) = match &args.kubeconfig {
        Some(path) => (format!("kubeconfig `{}`", path.display()), Kubeconfig::read_from(path)),
        None => ("a kubeconfig".to_string(), Kubeconfig::read()),
    };
    let kubeconfig = match read {
        Ok(kubeconfig) => kubeconfig,
        Err(error) => {
            let asked_for = args.kubeconfig.is_some() || args.context.is_some();
            return match Config::incluster() {
                Ok(config) if !asked_for => Ok(config),
                Ok(_) | Err(_) => Err(Failure::new(format!("cannot read {place}"))
                    .because(&error)
                    .hint("name one with `--kubeconfig` or $KUBECONFIG, or a server with `--server`")),
            };
        }
    };
    Config::from_custom_kubeconfig(kubeconfig, &options)
        .await
        .map_err(|error| Failure::new(format!("cannot use {place}")).because(&error))
}
