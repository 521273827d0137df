//! Decorators that count the effects of a port and, at a chosen one, fail or crash.
//!
//! An effect is a call that changes a store or a cluster; reads are none, unless the counter is told to count them.
//! All decorators of one process share one [`EffectCounter`], so that "effect number 12" names one point in the
//! whole run. A clean run gives the number of effects; running again with a fault before and after each of them in
//! turn visits every place at which a process can die.
//!
//! A crash is a panic with a [`Crash`] as its payload, or whatever a closure does (`std::process::abort`). After it
//! every further effect through the same counter crashes too: the process is dead until [`EffectCounter::revive`].

mod blob_store;
mod cluster;
mod control_plane;
mod counter;
mod source_fetcher;

pub use blob_store::FaultyBlobStore;
pub use cluster::{FaultyCluster, FaultyConnector};
pub use control_plane::FaultyControlPlane;
pub use counter::{Crash, EffectCounter, Fault, When, until_crash};
pub use source_fetcher::FaultyFetcher;
