//! The embedded API server as a process of its own.

use std::io::Write;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use convoy_apiserver::ApiServer;

/// An in-memory Kubernetes API server for demos and tests.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// Where to listen; port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// Seconds until workloads become ready.
    #[arg(long, default_value_t = 0.1)]
    ready_after: f64,
    /// Runs no controllers: objects stay as clients write them.
    #[arg(long)]
    no_controllers: bool,
    /// Writes a kubeconfig to this file.
    #[arg(long)]
    kubeconfig: Option<std::path::PathBuf>,
}

#[tokio::main]
async fn main() -> ExitCode {
    tracing_subscriber::fmt().with_writer(std::io::stderr).init();
    match run(Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let source = error.source().map(|source| format!(": {source}")).unwrap_or_default();
            tracing::error!("{error}{source}");
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: Arguments) -> Result<(), Box<dyn std::error::Error>> {
    let ready_after = Duration::try_from_secs_f64(arguments.ready_after)?;
    let server = ApiServer::builder()
        .bind(arguments.listen)
        .ready_after(ready_after)
        .controllers(!arguments.no_controllers)
        .start()
        .await?;
    if let Some(path) = &arguments.kubeconfig {
        std::fs::write(path, server.kubeconfig())?;
    }
    let mut out = std::io::stdout();
    writeln!(out, "{}", server.url())?;
    out.flush()?;
    tokio::signal::ctrl_c().await?;
    server.shutdown().await;
    Ok(())
}
