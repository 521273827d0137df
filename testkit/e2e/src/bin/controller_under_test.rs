//! A controller whose every effect is logged, and that aborts before or after a chosen one.
//!
//! The ports are the real ones behind the counting decorators of `convoy-testkit-fakes`; arguments are
//! `KUBECONFIG STORE_URL LOG [before|after N]`.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use convoy_git::{GitFetcher, Options};
use convoy_helm_repo::HelmFetcher;
use convoy_kube::{KubeConnector, KubeControlPlane, WatchLoops};
use convoy_oci::OciFetcher;
use convoy_ports::{ClusterConnector, ControlPlane};
use convoy_runtime::render_store::RenderStore;
use convoy_runtime::{ByKind, Ports, Runtime, Settings};
use convoy_system::{SystemClock, SystemEntropy};
use convoy_testkit_fakes::faults::{EffectCounter, Fault, FaultyBlobStore, FaultyConnector, FaultyControlPlane, When};
use convoy_web::Clients;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};

type Failed = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<(), Failed> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [kubeconfig, store, log, fault @ ..] = arguments.as_slice() else {
        return Err("usage: controller-under-test KUBECONFIG STORE_URL LOG [before|after N]".into());
    };
    let effects = EffectCounter::new();
    if let [side, number] = fault {
        let when = if side == "before" { When::Before } else { When::After };
        effects.add(number.parse()?, when, Fault::Call(Arc::new(|| std::process::abort())));
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    runtime.block_on(run(kubeconfig, store, log, effects))
}

async fn run(kubeconfig: &str, store: &str, log: &str, effects: EffectCounter) -> Result<(), Failed> {
    let config =
        Config::from_custom_kubeconfig(Kubeconfig::read_from(kubeconfig)?, &KubeConfigOptions::default()).await?;
    let client = Client::try_from(config.clone())?;
    let control_plane: Arc<dyn ControlPlane> = Arc::new(KubeControlPlane::new(client.clone()));
    let clusters: Arc<dyn ClusterConnector> = Arc::new(KubeConnector::new(config, client.clone()));
    let store = match convoy_blob::open(store)? {
        None => RenderStore::Disabled,
        Some(blobs) => RenderStore::new(Arc::new(FaultyBlobStore::new(blobs, effects.clone()))),
    };
    let git = GitFetcher::new(Options {
        file_urls: true,
        ..Options::default()
    })?;
    let web = Arc::new(Clients::new(&convoy_web::Options::default())?);
    let ports = Ports {
        control_plane: Arc::new(FaultyControlPlane::new(control_plane, effects.clone())),
        clusters: Arc::new(FaultyConnector::new(clusters, effects.clone())),
        sources: Arc::new(ByKind {
            git: Arc::new(git),
            helm: Arc::new(HelmFetcher::new(
                Arc::clone(&web),
                &convoy_helm_repo::Options::default(),
            )),
            oci: Arc::new(OciFetcher::with_clients(web)),
        }),
        artifacts: None,
        store,
        clock: Arc::new(SystemClock),
        entropy: Arc::new(SystemEntropy),
    };
    tokio::spawn(write_log(log.to_string(), effects));
    let runtime = Arc::new(Runtime::new(ports, Settings::default()));
    // Without a key no chart is rendered, and the Releases say so.
    let _key = runtime.make_key().await;
    let loops = WatchLoops::new(runtime, convoy_kube::Settings::default());
    loops.run(client, std::future::pending()).await;
    Ok(())
}

/// Keeps the file at what has happened: the test reads the number of effects of a clean run from it.
async fn write_log(path: String, effects: EffectCounter) -> std::io::Result<()> {
    let mut written = 0;
    loop {
        let log = effects.log();
        if log.len() > written {
            let mut file = std::fs::OpenOptions::new().create(true).append(true).open(&path)?;
            for line in &log[written..] {
                writeln!(file, "{line}")?;
            }
            written = log.len();
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
