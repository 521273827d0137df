//! Git sources, without the `git` program and without any other process.
//!
//! [`GitFetcher`] implements the port for http(s), ssh and, where enabled, folders. A pack is received into memory,
//! indexed there, and its newest tree becomes the files of an artifact: nothing is written to a disk.
//! [`repository`] makes repositories out of folders and files, for the demo and for tests.
//!
//! # Invariants
//! - No call outlives its source's timeout, blocks the runtime, or receives more than its bounds.
//! - No text of an error holds credentials.
//! - The settings of the machine and the user (`gitconfig`, `GIT_*`) are not read.

mod cancel;
mod checkout;
mod endpoint;
mod fetcher;
mod github_app;
mod http;
mod job;
mod links;
mod local;
mod objects;
mod pack;
mod refs;
mod remote;
pub mod repository;
mod signature;
mod ssh;
mod submodules;
mod tree;
mod wire;

pub use convoy_web::{AddressPolicy, SetupError, is_link_local_or_metadata};
pub use fetcher::{GitFetcher, Options};
