//! `convoy controller-manager`: the process that reconciles.

pub(crate) mod flags;
mod process;

use std::time::Duration;

use convoy_runtime::Settings;
use tokio::signal::unix::{SignalKind, signal};

use crate::args::ClusterArgs;
use crate::connect::connect;
use crate::failure::Failure;
use crate::render_store::{self, Access};
use crate::version::VERSION;
use crate::{jobs, logging};

pub(crate) use process::{Process, install_crds};

use flags::{FileFlag, Flags};

/// Reconciles the Releases, sources and Clusters of a cluster, until it is told to stop.
///
/// Each setting is a flag, a CONVOY_* variable, or a line of the --config file, in that order of precedence. The
/// process ends within 25 seconds of SIGTERM; what is under way goes on from where it stood when it starts again.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    convoy controller-manager --render-store-url 'file:///var/lib/convoy?create_dir=true'\n  \
    convoy controller-manager --context stage --install-crds --render-store-url mem://\n  \
    CONVOY_LOG_FORMAT=json convoy controller-manager --config /etc/convoy/settings.yaml")]
pub(crate) struct Args {
    #[command(flatten)]
    file: FileFlag,
    #[command(flatten)]
    flags: Flags,
    #[command(flatten)]
    cluster: ClusterArgs,
}

/// Leaves time for the rest: the process ends within 25 s, before Kubernetes kills it after 30 s.
const GRACE: Duration = Duration::from_secs(20);

/// Runs the process.
pub(crate) fn start(args: Args) -> Result<(), Failure> {
    let (flags, cluster) = flags::complete(args.flags, args.cluster, args.file.config.as_deref())?;
    logging::start(
        flags.log_format.unwrap_or_default(),
        flags.log_level.as_deref().unwrap_or("info"),
    )?;
    let runtime = jobs::serving()?;
    let ended = runtime.block_on(run(&flags, &cluster));
    // Work on other threads that does not end by itself does not keep the process.
    runtime.shutdown_background();
    ended
}

async fn run(flags: &Flags, cluster: &ClusterArgs) -> Result<(), Failure> {
    let connection = connect(cluster).await?;
    let url = flags.render_store_url.as_deref().unwrap_or_default();
    let keys = flags.render_store_encryption_key_file.as_deref();
    let store = render_store::open_with_secret(url, keys, Access::Write, Ok(&connection)).await?;
    if flags.install_crds == Some(true) {
        install_crds(&connection).await?;
    }
    process::check_server(&connection).await?;
    let process = Process {
        connection,
        store,
        file_sources: flags.allow_file_sources.unwrap_or_default(),
        concurrency: flags.concurrency(),
        webhooks: flags.webhook_address.and_then(|address| address.0),
        artifacts: flags.artifact_folder(),
        grace: GRACE,
        settings: settings(flags),
    };
    process.run(told_to_stop()?).await
}

fn settings(flags: &Flags) -> Settings {
    let default = Settings::default();
    Settings {
        version: VERSION.to_string(),
        installation_id: flags.installation_id.clone().unwrap_or(default.installation_id),
        // The name of the pod, which Kubernetes puts here.
        replica: std::env::var("HOSTNAME").unwrap_or(default.replica),
        own_namespace: std::env::var("POD_NAMESPACE").unwrap_or(default.own_namespace),
        default_service_account: flags.default_service_account.clone(),
        entropy_secret: flags.entropy_key_secret.clone().unwrap_or(default.entropy_secret),
        limits: flags.limits.limits(),
        render_concurrency: default.render_concurrency,
        artifact_bytes: flags.artifact_store_bytes.unwrap_or(default.artifact_bytes),
        compat: flags.compat.unwrap_or(default.compat),
        apply_concurrency: default.apply_concurrency,
    }
}

/// Ends when SIGTERM or SIGINT arrives.
pub(crate) fn told_to_stop() -> Result<impl Future<Output = ()> + Send + 'static, Failure> {
    let listen = |kind| signal(kind).map_err(|error| Failure::new("cannot listen for signals").because(&error));
    let (mut terminate, mut interrupt) = (listen(SignalKind::terminate())?, listen(SignalKind::interrupt())?);
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}
