//! Kubernetes: the custom resources and their conversions, the control plane that holds them, the target clusters
//! that receive objects, and the watch loops that tell the reconciler what has changed.
//!
//! Kubernetes types stop here: everything that leaves this crate is a value of `convoy-domain`.

pub mod crd;
mod convert;
mod duration;

pub use convert::InvalidField;
pub use duration::{GoDuration, InvalidDuration};
