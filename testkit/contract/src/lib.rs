//! What every implementation of a port must do: one suite per port, run by each adapter and each fake.
//!
//! A suite is a function that takes a factory. It runs its cases in order, each on a value of its own from the
//! factory, and panics with the name of the first case that fails.

pub mod artifact_store;
pub mod blob_store;
pub mod charts;
pub mod cluster;
pub mod control_plane;
pub mod source_fetcher;
mod suite;

pub use suite::{Failing, case};
