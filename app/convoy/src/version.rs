//! `convoy version`.

use crate::args::Output;
use crate::documents;
use crate::failure::Failure;
use crate::print;

/// Prints the version of convoy.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  convoy version\n  convoy version -o json")]
pub(crate) struct Args {
    /// How it is printed; `table` is one line, `name` the number alone
    #[arg(short, long, value_enum, default_value_t)]
    output: Output,
}

/// The version of this build.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let record = || {
        convoy_value::Value::from(convoy_value::Map::from_iter([
            ("version", convoy_value::Value::from(VERSION)),
            (
                "apiVersions",
                vec![
                    "core.convoy.kumodo.io/v1alpha1".into(),
                    "source.convoy.kumodo.io/v1alpha1".into(),
                ]
                .into(),
            ),
        ]))
    };
    print::out(&match args.output {
        Output::Table => format!("convoy {VERSION}\n"),
        Output::Name => format!("{VERSION}\n"),
        Output::Json => documents::to_json(&record()),
        Output::Yaml => documents::to_yaml(&record()),
    })
}
