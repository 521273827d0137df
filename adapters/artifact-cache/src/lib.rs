//! Fetched artifacts on a disk, which survive a restart.
//!
//! [`DiskStore`] is the second tier of the artifact store. A file of the folder `content` holds one artifact and is
//! named by the SHA-256 of its bytes; a file of `index` is named by the hash of a key and holds the name of a content.
//!
//! # Invariants
//! - No name of a file comes from outside: names are hashes. Neither an index nor a content holds a credential, a URL or
//!   the name of a source.
//! - What is read is what was written: its hash is made anew at each read, and what differs is deleted.
//! - All files together, those that are being written too, never pass the bound.
//! - A file is whole or is not there: it is written under another name first, which the next start clears away.

mod encoding;
mod layout;
mod ledger;
mod store;

pub use layout::OpenError;
pub use store::DiskStore;
