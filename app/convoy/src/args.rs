//! The command line as people type it: commands, and the flags that several of them share.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, Subcommand, ValueEnum};

use crate::failure::Exit;
use crate::{completion, controller, create, demo, fetch, get, history, render, store, sync, version};

/// A GitOps release controller for Kubernetes.
///
/// A Release names a source, a way to render it and a target Cluster. convoy fetches, renders, mutates, stores and
/// applies it in waves, watches its health, and keeps a history of every render that was applied.
#[expect(clippy::doc_markdown, reason = "this is the text of --help")]
#[derive(Debug, Parser)]
#[command(
    name = "convoy",
    version,
    max_term_width = 100,
    arg_required_else_help = true,
    after_help = "Begin with `convoy demo`: it needs no cluster and no network.\n\
                  Exit codes: 0 done, 1 failed, 2 wrong usage."
)]
pub(crate) struct Cli {
    /// Says more: causes of an error, and logs of a demo (twice: debug logs)
    #[arg(short, long, global = true, action = clap::ArgAction::Count, display_order = 900)]
    pub(crate) verbose: u8,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What convoy is asked to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Demo(demo::Args),
    Render(Box<render::Args>),
    Get(get::Args),
    Create(Box<create::Args>),
    Fetch(Box<fetch::Args>),
    History(history::Args),
    Sync(sync::Args),
    Store(Box<store::Args>),
    ControllerManager(Box<controller::Args>),
    Version(version::Args),
    Completion(completion::Args),
}

/// Which cluster a command talks to, as kubectl's flags say it.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Cluster")]
pub(crate) struct ClusterArgs {
    /// Kubeconfig file; without one: $KUBECONFIG, ~/.kube/config, or the pod's service account
    #[arg(long, value_name = "FILE")]
    pub(crate) kubeconfig: Option<PathBuf>,
    /// Context of the kubeconfig; without one: its current context
    #[arg(long, value_name = "NAME", conflicts_with = "server")]
    pub(crate) context: Option<String>,
    /// URL of an API server that asks for no credentials, in place of a kubeconfig (a demo's, for example)
    #[arg(short, long, value_name = "URL", conflicts_with = "kubeconfig")]
    pub(crate) server: Option<String>,
}

/// Which namespaces a command looks at.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct NamespaceArgs {
    /// Namespace; without one: the context's, else `default`
    #[arg(short, long, value_name = "NAME")]
    pub(crate) namespace: Option<String>,
}

/// How a command prints what it found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// Aligned columns for people
    #[default]
    Table,
    /// YAML
    Yaml,
    /// JSON
    Json,
    /// One `kind/name` a line
    Name,
}

/// Reads a duration as Kubernetes writes them: `20s`, `1m30s`, `500ms`.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let refuse = || "write a duration such as `500ms`, `20s` or `1m30s`".to_string();
    let span: jiff::SignedDuration = text.parse().map_err(|_| refuse())?;
    Duration::try_from(span).map_err(|_| "a duration cannot be negative".to_string())
}

/// Prints what the parser has to say: help and version on stdout with exit code 0, a usage error with 2.
pub(crate) fn explain(message: &clap::Error) -> ExitCode {
    // A closed pipe is no reason to fail: nobody is left to read the message.
    let _unread = message.print();
    if message.use_stderr() {
        Exit::Usage.into()
    } else {
        ExitCode::SUCCESS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_definitions_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_teaches_by_example() {
        for command in Cli::command().get_subcommands() {
            let text = command
                .get_after_help()
                .or(command.get_after_long_help())
                .map(ToString::to_string)
                .unwrap_or_default();
            assert!(
                text.contains(&format!("convoy {}", command.get_name())),
                "`convoy {}` shows no example: {text}",
                command.get_name()
            );
        }
    }

    #[test]
    fn durations_are_read_as_kubernetes_writes_them() {
        let check = |text: &str, expect: Result<u64, ()>| {
            let got = duration(text)
                .map(|d| u64::try_from(d.as_millis()).unwrap())
                .map_err(drop);
            assert_eq!(got, expect, "{text}");
        };
        check("500ms", Ok(500));
        check("20s", Ok(20_000));
        check("1m30s", Ok(90_000));
        check("1h0m0s", Ok(3_600_000));
        check("-1s", Err(()));
        check("soon", Err(()));
        check("", Err(()));
        check("5", Err(()));
    }
}
