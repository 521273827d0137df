//! The parts of a controller, put together.

use std::sync::Arc;
use std::time::Duration;

use convoy_git::{GitFetcher, Options};
use convoy_kube::{KubeConnector, KubeControlPlane, WatchLoops};
use convoy_ports::{BlobStore, ClusterConnector, ControlPlane};
use convoy_runtime::render_store::RenderStore;
use convoy_runtime::{Ports, Runtime, Settings};
use convoy_system::{SystemClock, SystemEntropy};
use convoy_value::Value;
use kube::api::ListParams;
use kube::core::Request;

use crate::connect::Connection;
use crate::failure::Failure;

/// A controller, ready to run.
pub(crate) struct Process {
    /// The control plane, and the cluster of `inCluster: true`.
    pub(crate) connection: Connection,
    /// Where renders are kept.
    pub(crate) store: RenderStore,
    /// Whether `file://` sources are read.
    pub(crate) file_sources: bool,
    /// Releases that are reconciled at a time.
    pub(crate) concurrency: usize,
    /// How long what is under way may take once the process is told to stop.
    pub(crate) grace: Duration,
    /// Settings of the reconciler.
    pub(crate) settings: Settings,
}

impl Process {
    /// The port of the control plane.
    pub(crate) fn control_plane(&self) -> Arc<dyn ControlPlane> {
        Arc::new(KubeControlPlane::new(self.connection.client.clone()))
    }

    /// The port of target clusters.
    pub(crate) fn clusters(&self) -> Arc<dyn ClusterConnector> {
        let Connection { client, config } = self.connection.clone();
        Arc::new(KubeConnector::new(config, client))
    }

    /// Reconciles until `stop` ends, and then for as long as what is under way takes, within bounds.
    pub(crate) async fn run(self, stop: impl Future<Output = ()> + Send + 'static) -> Result<(), Failure> {
        let fetcher = GitFetcher::new(Options {
            file_urls: self.file_sources,
            environment_proxy: true,
            ..Options::default()
        })
        .map_err(|error| Failure::new("cannot set up git sources").because(&error))?;
        let ports = Ports {
            control_plane: self.control_plane(),
            clusters: self.clusters(),
            sources: Arc::new(fetcher),
            store: self.store,
            clock: Arc::new(SystemClock),
            entropy: Arc::new(SystemEntropy),
        };
        let settings = convoy_kube::Settings {
            max_concurrent: self.concurrency,
            grace: self.grace,
            ..convoy_kube::Settings::default()
        };
        tracing::info!(server = %self.connection.config.cluster_url, version = self.settings.version, "reconciling");
        let runtime = Arc::new(Runtime::new(ports, self.settings));
        if let Err(failure) = runtime.make_key().await {
            if failure.is_transient() {
                return Err(Failure::new("cannot read or make the installation key").because_text(failure.message));
            }
            tracing::warn!(reason = %failure.reason, message = failure.message, "charts do not render");
        }
        let loops = WatchLoops::new(runtime, settings);
        loops.run(self.connection.client, stop).await;
        tracing::info!("stopped");
        Ok(())
    }
}

/// Opens the render store of a URL; an empty one is none.
pub(crate) fn open_store(url: &str) -> Result<RenderStore, Failure> {
    opened(url, convoy_blob::open(url))
}

/// Opens the render store of a URL to read: nothing is made, and no permission to write is needed.
pub(crate) fn open_store_to_read(url: &str) -> Result<RenderStore, Failure> {
    opened(url, convoy_blob::open_to_read(url))
}

fn opened(
    url: &str,
    blobs: Result<Option<Arc<dyn BlobStore>>, convoy_blob::OpenError>,
) -> Result<RenderStore, Failure> {
    blobs.map(RenderStore::from).map_err(|error| {
        Failure::new(format!("cannot open the render store `{}`", without_credentials(url)))
            .because(&error)
            .hint("write `file:///DIR?create_dir=true`, `mem://`, or nothing for no store")
    })
}

/// A URL without what may hold credentials: its query, its fragment, and the user before its host.
///
/// A password may hold any character that should have been escaped: of a URL with a host, everything before the last
/// `@` goes.
fn without_credentials(url: &str) -> String {
    let url = url.trim();
    let (scheme, rest) = match url.split_once(':') {
        Some((scheme, rest)) => (format!("{scheme}:"), rest),
        None => (String::new(), url),
    };
    let slashes = if rest.starts_with("//") { "//" } else { "" };
    let rest = &rest[slashes.len()..];
    // A URL without a host has no user, and its path may hold an `@`.
    let rest = if slashes.is_empty() || !rest.starts_with('/') {
        rest.rsplit_once('@').map_or(rest, |(_, place)| place)
    } else {
        rest
    };
    let place = rest.find(['?', '#']).map_or(rest, |end| &rest[..end]);
    format!("{scheme}{slashes}{place}")
}

/// Asks the server for Releases once, so that what is wrong with it is said at the start.
pub(super) async fn check_server(connection: &Connection) -> Result<(), Failure> {
    let what = || format!("cannot read Releases from `{}`", connection.config.cluster_url);
    let call = Request::new("/apis/core.convoy.kumodo.io/v1alpha1/releases")
        .list(&ListParams::default().limit(1))
        .map_err(|error| Failure::new(what()).because(&error))?;
    match connection.client.request::<Value>(call).await {
        Ok(_) => Ok(()),
        Err(kube::Error::Api(status)) if status.code == 404 => Err(Failure::new(what())
            .because_text("convoy's CRDs are not installed there")
            .hint("`--install-crds` installs them")),
        Err(error) => Err(connection.failure(what(), &error)),
    }
}

/// Applies convoy's CRDs and waits until they are served.
pub(crate) async fn install_crds(connection: &Connection) -> Result<(), Failure> {
    convoy_kube::install_crds(&connection.client).await.map_err(|error| {
        Failure::new(format!(
            "cannot install the CRDs on `{}`",
            connection.config.cluster_url
        ))
        .because(&error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_credentials_of_a_url_are_shown() {
        let check = |url: &str, expect: &str| assert_eq!(without_credentials(url), expect, "{url}");
        check("s3://bucket/path?secret=x", "s3://bucket/path");
        check("s3://user:pass@bucket/path?secret=x", "s3://bucket/path");
        check("s3://user:pa/ss@bucket", "s3://bucket");
        check("s3://user:pa?s#s@bucket", "s3://bucket");
        check("s3://user:p@ss@bucket#x", "s3://bucket");
        check("s3:user:pass@bucket", "s3:bucket");
        check("user:pass@bucket", "user:bucket");
        check("s3://bucket?user=a@b", "s3://b");
        check("file:///srv/a@b?create_dir=true", "file:///srv/a@b");
        check("mem://", "mem://");
        check("", "");
        let text = format!("{:?}", open_store("s3://user:pass@bucket").unwrap_err());
        assert!(text.contains("s3://bucket") && !text.contains("pass"), "{text}");
    }

    proptest::proptest! {
        #[test]
        fn a_password_before_a_host_is_never_shown(noise in "[ -~]{0,20}") {
            let shown = without_credentials(&format!("s3://user:{noise}SECRET{noise}@bucket/path"));
            proptest::prop_assert!(!shown.contains("SECRET"), "{}", shown);
        }
    }
}
