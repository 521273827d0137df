//! Every port in memory, and decorators that make any implementation of a port fail or crash at a chosen effect.
//!
//! The fakes answer as the real systems do where the product depends on it: resource versions and stale writes,
//! field managers and conflicts, finalizers, literal key prefixes. Tests set the world through inherent methods and
//! look at it through them; the code under test sees only the port.

mod blob_store;
mod charts;
mod clock;
mod cluster;
mod control_plane;
mod entropy;
pub mod faults;
mod fetcher;
mod refusals;
pub mod samples;
mod sync;

pub use blob_store::{FakeBlobStore, PiecesOf};
pub use clock::FakeClock;
pub use cluster::{FakeCluster, FakeConnector, Readiness};
pub use control_plane::{FakeControlPlane, WrittenClusterStatus};
pub use entropy::FakeEntropy;
pub use fetcher::FakeFetcher;
pub use refusals::Times;
