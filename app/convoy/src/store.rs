//! `convoy store`: tools for render stores.

mod fsck;
mod gc;
mod migrate;
mod progress;

use crate::failure::Failure;

/// Verifies, copies and tidies render stores.
#[derive(Debug, clap::Args)]
#[command(
    arg_required_else_help = true,
    after_help = "Examples:\n  \
    convoy store fsck --render-store-url file:///var/lib/convoy\n  \
    convoy store migrate file:///var/lib/convoy 's3://renders?region=eu-central-1'\n  \
    convoy store gc --dry-run -n web bookshelf --render-store-url file:///var/lib/convoy"
)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

/// What is done with a store.
#[derive(Debug, clap::Subcommand)]
enum Command {
    Fsck(fsck::Args),
    Migrate(migrate::Args),
    Gc(gc::Args),
}

pub(crate) async fn run(args: Args) -> Result<(), Failure> {
    match args.command {
        Command::Fsck(args) => fsck::run(args).await,
        Command::Migrate(args) => migrate::run(args).await,
        Command::Gc(args) => gc::run(args).await,
    }
}

/// Bytes as people read them.
fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    let mut unit = "bytes";
    let mut whole = bytes;
    let mut rest = 0;
    for larger in UNITS {
        if whole < 1024 {
            break;
        }
        rest = whole % 1024;
        whole /= 1024;
        unit = larger;
    }
    if unit == "bytes" {
        format!("{whole} {unit}")
    } else {
        format!("{whole}.{} {unit}", rest * 10 / 1024)
    }
}

/// A number and what it counts.
fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_one_digit_behind_the_point() {
        for (bytes, text) in [
            (0, "0 bytes"),
            (1023, "1023 bytes"),
            (1024, "1.0 KiB"),
            (1_590_000, "1.5 MiB"),
            (u64::from(u32::MAX) + 1, "4.0 GiB"),
            (u64::MAX, "16777215.9 TiB"),
        ] {
            assert_eq!(size(bytes), text);
        }
    }
}
