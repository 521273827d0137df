//! `convoy create`: objects to begin with, as YAML.

mod source;

use clap::Subcommand;

use crate::failure::Failure;

/// Writes objects to begin with, as YAML on standard output; nothing is changed anywhere.
#[derive(Debug, clap::Args)]
#[command(
    disable_help_subcommand = true,
    after_help = "Examples:\n  \
    convoy create source git podinfo --url https://github.com/stefanprodan/podinfo.git | kubectl apply -f -\n  \
    convoy create source oci charts --url oci://ghcr.io/acme/charts --auth docker-config --secret pull -o json"
)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

/// What is written.
#[derive(Debug, Subcommand)]
enum What {
    Source(source::Args),
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    match args.what {
        What::Source(args) => source::run(&args),
    }
}
