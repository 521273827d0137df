//! The traits behind which every effect of convoy sits, and their errors.
//!
//! Adapters implement them for real systems, `testkit/fakes` in memory; `testkit/contract` holds one suite per port
//! that both pass. Calls take and give domain values only.
#![no_std]

extern crate alloc;

mod artifact_store;
mod blob_store;
mod clock;
mod cluster;
mod control_plane;
mod entropy;
mod reconciler;
mod source_fetcher;

pub use artifact_store::{ArtifactStore, ArtifactStoreError, StoreUsage};
pub use blob_store::{BlobError, BlobStore, CallTotal, Pieces, StoreCalls, Written};
pub use clock::Clock;
pub use cluster::{ApplyRequest, Cluster, ClusterConnector, ClusterError, DeleteRequest, Deleted, Impersonation, Kind};
pub use control_plane::{ControlPlane, ControlPlaneError, Event, EventType};
pub use entropy::{Entropy, EntropyError};
pub use reconciler::{Reconciler, Requeue};
pub use source_fetcher::{FetchError, SourceFetcher};
