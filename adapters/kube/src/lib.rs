//! Kubernetes: the custom resources and their conversions, the control plane that holds them, the target clusters
//! that receive objects, and the watch loops that tell the reconciler what has changed.
//!
//! Kubernetes types stop here: everything that leaves this crate is a value of `convoy-domain`.

pub mod crd;

mod cluster;
mod control_plane;
mod convert;
mod duration;
mod fault;
mod install;
mod run;
mod time;
mod written;

pub use cluster::{KubeCluster, KubeConnector};
pub use control_plane::{FIELD_MANAGER, KubeControlPlane};
pub use convert::InvalidField;
pub use duration::{GoDuration, InvalidDuration};
pub use install::{InstallError, install_crds};
pub use run::{Enqueue, Key, Settings, WatchLoops, run};
pub use written::{written_release, written_source};
