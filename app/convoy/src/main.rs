//! The `convoy` binary: flags to adapters to runtime, and what people see of it.
//!
//! Parsing comes first, then one module per command. Commands that neither listen nor call anything run without an
//! async runtime; the others get one here, so that no other module decides on threads.

mod args;
mod completion;
mod connect;
mod controller;
mod create;
mod demo;
mod disk;
mod documents;
mod failure;
mod fetch;
mod get;
mod history;
mod jobs;
mod lint;
mod logging;
mod print;
mod release_tree;
mod render;
mod render_store;
mod sources;
mod store;
mod style;
mod sync;
mod table;
mod terminal;
mod tree;
mod version;

use std::env;
use std::process::ExitCode;

use clap::Parser as _;

use crate::args::{Cli, Command};
use crate::failure::Failure;

/// The system's allocator grows the memory of a thread other than the first page by page: a render of a hundred
/// templates spends a fifth of its time on that, and on finding and joining free pieces.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    if let Some((args, verbose)) = render::helm::arguments(env::args_os()) {
        return exit(render::helm::run(&args), verbose);
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(message) => return args::explain(&message),
    };
    let verbose = cli.verbose > 0;
    exit(dispatch(cli), verbose)
}

fn exit(result: Result<(), Failure>, verbose: bool) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(verbose),
    }
}

fn dispatch(cli: Cli) -> Result<(), Failure> {
    match cli.command {
        Command::Version(args) => version::run(&args),
        Command::Completion(args) => completion::run(&args),
        Command::Render(args) => render::run(&args),
        Command::Get(args) => jobs::block_on(get::run(args)),
        Command::Create(args) => create::run(*args),
        Command::Fetch(args) => jobs::block_on(fetch::run(*args)),
        Command::History(args) => jobs::block_on(history::run(args)),
        Command::Store(args) => jobs::block_on(store::run(*args)),
        Command::Sync(args) => jobs::block_on(sync::run(args)),
        Command::ControllerManager(args) => controller::start(*args),
        Command::Demo(args) => demo::start(&args, cli.verbose),
    }
}
