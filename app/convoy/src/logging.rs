//! Where logs go: standard error, as text or one JSON object a line.

use std::io::{self, IsTerminal as _};

use clap::ValueEnum;
use tracing_subscriber::EnvFilter;

use crate::failure::Failure;

/// Form of the log lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// For people
    #[default]
    Text,
    /// One JSON object a line
    Json,
}

/// Starts logging for the process.
pub(crate) fn start(format: LogFormat, filter: &str) -> Result<(), Failure> {
    let filter = EnvFilter::try_new(filter).map_err(|error| {
        Failure::usage(format!("`{filter}` is not a log filter"))
            .because(&error)
            .hint("write a level such as `info`, or `info,convoy_runtime=debug`")
    })?;
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr);
    let started = match format {
        LogFormat::Text => builder
            .with_ansi(io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none())
            .try_init(),
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
    };
    started.map_err(|error| Failure::new("cannot start logging").because(error.as_ref()))
}
