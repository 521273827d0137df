//! `convoy store migrate`: from one store into another.

use std::path::PathBuf;

use convoy_runtime::render_store::{Migrated, RenderStore};

use super::progress::Progress;
use super::{count, size};
use crate::args::ClusterArgs;
use crate::connect::connect;
use crate::failure::Failure;
use crate::history::refuse_memory;
use crate::print;
use crate::render_store::{self, Access};
use crate::style::{Style, Tone};
use crate::table::{Cell, table};

/// Copies renders and histories from one store into another; nothing is deleted.
///
/// Each render is verified before it is copied, and again while it is written. What is there already stays, so that an
/// interrupted copy goes on where it ended. Run it with the controller stopped (or run it twice, the second time with the
/// controller stopped), then start the controller with the new URL.
///
/// It is also the way to encrypt a store, to decrypt it, or to change its key: renders are opened with
/// `--from-encryption-key-file` and sealed with the first key of `--to-encryption-key-file`, or stored in clear without.
/// Keys that convoy did not write are left out and listed. Damaged renders are not copied, and make the exit code 1.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    convoy store migrate file:///var/lib/convoy 's3://renders?region=eu-central-1'\n  \
    convoy store migrate file:///srv/clear 'file:///srv/sealed?create_dir=true' --to-encryption-key-file keys.txt")]
pub(crate) struct Args {
    /// URL of the store that is read
    from: String,
    /// URL of the store that is written
    to: String,
    /// Only keys that start with this text: `NAMESPACE/`, `NAMESPACE/NAME/`
    #[arg(long, default_value = "", value_name = "TEXT")]
    prefix: String,
    /// File with the keys that renders of the first store are sealed with
    #[arg(long, value_name = "FILE")]
    from_encryption_key_file: Option<PathBuf>,
    /// File with the key that renders are sealed with in the second
    #[arg(long, value_name = "FILE")]
    to_encryption_key_file: Option<PathBuf>,
    #[command(flatten)]
    cluster: ClusterArgs,
}

pub(crate) async fn run(args: Args) -> Result<(), Failure> {
    for url in [&args.from, &args.to] {
        refuse_memory(url)?;
        if url.is_empty() {
            return Err(Failure::usage("an empty URL is no render store"));
        }
    }
    if args.from == args.to {
        return Err(Failure::usage("a store cannot be copied into itself")
            .hint("`prefix=` in the URL makes another store of the same bucket or directory"));
    }
    let connection = connect(&args.cluster).await;
    let open = async |url: &str, keys: Option<&PathBuf>, access| {
        render_store::open_with_secret(url, keys.map(PathBuf::as_path), access, connection.as_ref()).await
    };
    let from: RenderStore = open(&args.from, args.from_encryption_key_file.as_ref(), Access::Read).await?;
    let to: RenderStore = open(&args.to, args.to_encryption_key_file.as_ref(), Access::Write).await?;
    let progress = Progress::new("copied");
    let copied = from
        .migrate_to(&to, &args.prefix, &|done, all| progress.show(done, all))
        .await;
    progress.end();
    let migrated = copied.map_err(|error| {
        Failure::new("cannot copy the render store")
            .because(&error)
            .hint("run it again: it goes on where it ended")
    })?;
    tell(&migrated)
}

fn tell(migrated: &Migrated) -> Result<(), Failure> {
    let rows: Vec<Vec<Cell>> = migrated
        .left
        .iter()
        .map(|left| {
            let tone = if left.problem.is_damage() {
                Tone::Bad
            } else {
                Tone::Plain
            };
            vec![
                Cell::toned(tone, left.problem.name()),
                Cell::new(&left.key),
                Cell::new(left.problem.text()),
            ]
        })
        .collect();
    if !rows.is_empty() {
        print::out(&table(&["LEFT", "KEY", "WHY"], &rows, Style::stdout()))?;
    }
    print::err_line(&format!(
        "copied {} of {} and {} of history; {} were there already",
        count(migrated.blobs, "render", "renders"),
        size(migrated.bytes),
        count(migrated.entries, "entry", "entries"),
        migrated.present,
    ));
    let damaged = migrated.left.iter().filter(|left| left.problem.is_damage()).count();
    if damaged == 0 {
        return Ok(());
    }
    Err(Failure::new(count(
        damaged,
        "render was not copied",
        "renders were not copied",
    )))
}
