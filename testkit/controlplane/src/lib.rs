//! Real tools for tests: where they are, and a real Kubernetes control plane for one test at a time.
//!
//! [`component`] finds what `testkit/components/install` brings and says so when it is absent. [`ControlPlane`] runs
//! etcd and kube-apiserver (with kube-controller-manager on request) on free loopback ports, with certificates and
//! data in a temporary folder, and ends them when it is dropped. [`BlobServer`] does the same with what answers as a
//! cloud's blob store.
//!
//! ```no_run
//! use convoy_testkit_controlplane::{ControlPlane, Options};
//!
//! let Some(plane) = ControlPlane::start_or_skip(Options::default()) else { return };
//! assert!(plane.url().starts_with("https://127.0.0.1:"));
//! ```

mod blob_server;
pub mod component;

mod certificates;
mod control_plane;
mod kubeconfig;
mod process;

pub use blob_server::BlobServer;
pub use control_plane::{ControlPlane, Options, StartError};
pub use process::ProcessError;
