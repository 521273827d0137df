//! Helm repositories: charts behind an `index.yaml`.
//!
//! [`HelmFetcher`] implements the port. Of an index it keeps what a download needs, and asks the server each time
//! whether it has changed; `core/helm` reads it and picks versions. An archive is checked against the digest of the
//! index, and unpacked in memory: nothing is written to a disk.
//!
//! # Invariants
//! - Credentials go to scheme, host and port of the source's URL; where `passCredentials` is set, also to those that the
//!   index gives for a chart. No redirect takes them elsewhere.
//! - What one source's credentials were given serves no other source: indexes are kept for one URL with one access.
//! - No call outlives its source's timeout, or receives more than its bounds.

mod address;
mod archive;
mod fetcher;
mod indexes;

pub use fetcher::{HelmFetcher, Options};
