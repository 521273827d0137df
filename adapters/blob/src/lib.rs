//! Blob stores behind the port [`BlobStore`](convoy_ports::BlobStore), over `object_store`.
//!
//! # Invariant
//! The text of a key is stored exactly as given, below the literal `prefix` of the URL: stores are read by other tools
//! and copied between backends. Lists are complete and in byte order, or an error: an answer that could not be had is
//! never an empty list.

mod bounds;
mod directory;
mod error;
mod key;
mod location;
mod open;
mod store;

pub use bounds::Bounds;
pub use error::OpenError;
pub use open::{open, open_to_read, open_with};
