//! `convoy completion`.

use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::args::Cli;
use crate::failure::Failure;
use crate::print;

/// Prints a completion script for a shell.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    source <(convoy completion bash)\n  \
    convoy completion zsh > \"${fpath[1]}/_convoy\"\n  \
    convoy completion fish > ~/.config/fish/completions/convoy.fish")]
pub(crate) struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "convoy", &mut script);
    print::out(&String::from_utf8_lossy(&script))
}
