//! `convoy demo`: the main job, with everything that it needs in one process.
//!
//! Nothing here is a mock: the controller is that of `convoy controller-manager`, and it talks over HTTP to an API
//! server that happens to run in the same process.

mod apply;
mod follow;
mod key;
mod observe;
mod progress;
mod project;
mod sample;
mod trees;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use convoy_apiserver::{ApiServer, Running};
use convoy_runtime::Settings;
use tokio::sync::watch;
use tokio::task::JoinError;

use crate::args::{self, ClusterArgs};
use crate::connect::{Connection, connect};
use crate::controller::{Process, install_crds, told_to_stop};
use crate::failure::Failure;
use crate::logging::LogFormat;
use crate::render_store::{self, Access};
use crate::version::VERSION;
use crate::{jobs, lint, logging, print};

use follow::Demo;
use observe::Observer;
use project::Project;

/// Runs a sample Release on an embedded Kubernetes API server. Needs no cluster and no network.
///
/// Starts an API server and the controller in this process, makes git repositories of the directories that the
/// sample's sources name, applies the Release and follows it until it is healthy; then goes on watching until Ctrl-C.
/// Each change that is saved in the printed directory becomes a commit and reaches the cluster.
///
/// DIR holds YAML files with Releases, their sources (URL `file://./NAME` for the directory NAME beside them) and
/// Clusters. Without DIR the sample that comes with convoy is used.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    convoy demo\n  \
    convoy demo --once\n  \
    convoy demo my-app/ --port 8001\n\n\
    While it runs, in another terminal:\n  \
    kubectl --server http://127.0.0.1:PORT get releases,deployments -A\n  \
    convoy get releases -A --server http://127.0.0.1:PORT")]
pub(crate) struct Args {
    /// Directory with Releases, sources and the directories that they name
    #[arg(value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Ends once nothing is under way: exit code 0 when every Release is healthy, 1 when one has failed or is suspended
    #[arg(long)]
    once: bool,
    /// Port of the API server on 127.0.0.1; 0 picks a free one
    #[arg(long, value_name = "N", default_value_t = 0)]
    port: u16,
    /// How long the embedded cluster takes to make a workload ready
    #[arg(long, value_name = "DURATION", default_value = "300ms", value_parser = args::duration)]
    ready_after: Duration,
    /// Directory for the render store, the repositories and the sample, kept at the end; without one, a temporary
    /// directory
    #[arg(long, value_name = "DIR")]
    state_dir: Option<PathBuf>,
    /// With --once: how long to wait for every Release to be healthy
    #[arg(long, value_name = "DURATION", default_value = "60s", value_parser = args::duration)]
    timeout: Duration,
}

/// Runs the demo.
pub(crate) fn start(args: &Args, verbose: u8) -> Result<(), Failure> {
    let filter = match verbose {
        0 => "off",
        1 => "info",
        // Not the libraries: their debug logs are about HTTP.
        _ => "info,convoy=debug,convoy_apiserver=debug,convoy_git=debug,convoy_kube=debug,convoy_runtime=debug",
    };
    logging::start(LogFormat::Text, filter)?;
    let state = State::new(args.state_dir.as_deref())?;
    let dir = if let Some(dir) = &args.dir {
        dir.clone()
    } else {
        let dir = state.path.join("sample");
        sample::write(&dir)?;
        dir
    };
    // What is wrong with the files is said before anything starts.
    let project = Project::load(&dir)?;
    lint::documents(&project.objects)?;
    let runtime = jobs::serving()?;
    let ended = runtime.block_on(run(args, &dir, project, &state));
    runtime.shutdown_timeout(Duration::from_secs(2));
    ended
}

/// Where a demo keeps its files; a temporary directory goes with it.
struct State {
    path: PathBuf,
    /// Whether it was there before, or stays when the demo ends.
    kept: bool,
    _temporary: Option<tempfile::TempDir>,
}

impl State {
    fn new(kept: Option<&Path>) -> Result<Self, Failure> {
        let (dir, temporary) = if let Some(dir) = kept {
            std::fs::create_dir_all(dir)
                .map_err(|error| Failure::new(format!("cannot make directory `{}`", dir.display())).because(&error))?;
            (dir.to_path_buf(), None)
        } else {
            let temporary = tempfile::Builder::new()
                .prefix("convoy-demo-")
                .tempdir()
                .map_err(|error| Failure::new("cannot make a temporary directory").because(&error))?;
            (temporary.path().to_path_buf(), Some(temporary))
        };
        let path = dir
            .canonicalize()
            .map_err(|error| Failure::new(format!("cannot use directory `{}`", dir.display())).because(&error))?;
        Ok(Self {
            path,
            kept: temporary.is_none(),
            _temporary: temporary,
        })
    }

    fn store_url(&self) -> String {
        format!("file://{}/renders", self.path.display())
    }
}

async fn run(args: &Args, dir: &Path, project: Project, state: &State) -> Result<(), Failure> {
    let store = render_store::open(&format!("{}?create_dir=true", state.store_url()), None, Access::Write)?;
    let trees = trees::make(&project, &state.path.join("repositories"))?;
    let server = serve(args).await?;
    let connection = connection(&server.url()).await?;
    install_crds(&connection).await?;
    apply::apply(&connection, &project.objects, &trees, state.kept).await?;
    let process = Process {
        connection: connection.clone(),
        store,
        file_sources: true,
        webhooks: None,
        concurrency: 4,
        artifacts: None,
        // Nothing of a demo is worth waiting for, once it ends.
        grace: Duration::from_secs(1),
        settings: Settings {
            version: VERSION.to_string(),
            installation_id: "demo".to_string(),
            replica: "demo".to_string(),
            ..Settings::default()
        },
    };
    key::install(&*process.control_plane(), &process.settings, &state.path).await?;
    let demo = Demo {
        once: args.once,
        timeout: args.timeout,
        url: server.url(),
        store_url: state.store_url(),
        state: state.path.clone(),
        adopt: state.kept,
        dir: dir.to_path_buf(),
        connection,
        observer: Observer {
            control_plane: process.control_plane(),
            clusters: process.clusters(),
        },
        trees,
    };
    let ended = together(demo, process).await;
    server.shutdown().await;
    ended
}

/// Starts the API server.
async fn serve(args: &Args) -> Result<Running, Failure> {
    ApiServer::builder()
        .bind(SocketAddr::from((Ipv4Addr::LOCALHOST, args.port)))
        .ready_after(args.ready_after)
        .start()
        .await
        .map_err(|error| Failure::of(&error).hint("choose another `--port`"))
}

/// Runs the controller for as long as the demo is followed.
async fn together(demo: Demo, process: Process) -> Result<(), Failure> {
    let interrupted = told_to_stop()?;
    let (stop, stopped) = watch::channel(false);
    let mut controller = tokio::spawn(process.run(until(stopped)));
    let broken = |error: JoinError| Failure::new("the controller broke off").because(&error);
    let followed = tokio::select! {
        followed = demo.follow() => followed,
        // It ends by itself only when it cannot work.
        ended = &mut controller => return ended.map_err(broken)?,
        () = interrupted => {
            print::err_line("\nstopping");
            Ok(())
        }
    };
    // Should the controller have ended in this moment, there is nobody left to tell.
    let _ended_already = stop.send(true);
    let ended = controller.await.map_err(broken)?;
    followed.and(ended)
}

async fn connection(url: &str) -> Result<Connection, Failure> {
    connect(&ClusterArgs {
        server: Some(url.to_string()),
        ..ClusterArgs::default()
    })
    .await
}

/// Ends when the channel says so, or its sender is gone.
async fn until(mut stopped: watch::Receiver<bool>) {
    let _sender_gone = stopped.wait_for(|stop| *stop).await;
}
