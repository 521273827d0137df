//! The async runtimes of the commands that talk to something.

use std::future::Future;

use tokio::runtime::{Builder, Runtime};

use crate::failure::Failure;

/// Runs a short command on this thread.
pub(crate) fn block_on(work: impl Future<Output = Result<(), Failure>>) -> Result<(), Failure> {
    start(&mut Builder::new_current_thread())?.block_on(work)
}

/// The runtime of a process that serves: one thread a core.
pub(crate) fn serving() -> Result<Runtime, Failure> {
    start(&mut Builder::new_multi_thread())
}

fn start(builder: &mut Builder) -> Result<Runtime, Failure> {
    // Installed once for the process; that another call was first is as good.
    let _already_installed = rustls::crypto::ring::default_provider().install_default();
    builder
        .enable_all()
        .build()
        .map_err(|error| Failure::new("cannot start the async runtime").because(&error))
}
