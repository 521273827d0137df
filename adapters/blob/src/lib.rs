//! Blob stores behind the port [`BlobStore`](convoy_ports::BlobStore), over `object_store`.
//!
//! # Invariant
//! The text of a key is stored exactly as given, below the literal `prefix` of the URL: stores are read by other tools
//! and copied between backends. Lists are complete and in byte order, or an error: an answer that could not be had is
//! never an empty list.

mod bounds;
mod calls;
mod cloud;
mod directory;
mod environment;
mod error;
mod key;
mod leftovers;
mod location;
mod open;
mod pieces;
mod requests;
mod store;

pub use bounds::Bounds;
pub use environment::Environment;
pub use error::OpenError;
pub use leftovers::{Leftover, LeftoverKind, STALE, leftovers, remove_stale};
pub use open::{Options, open, open_with, secret_of};
