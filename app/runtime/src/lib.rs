//! The shell around the core: reads the world through the ports, asks the core what to do, does it, and writes down
//! what came of it.
//!
//! It knows ports, never adapters. Each look at an object is one call of [`convoy_ports::Reconciler`]; nothing in it
//! waits for anything but a port, and what must wait returns the time of the next look.

mod by_kind;
mod credentials;
mod engines;
mod entropy;
mod failures;
mod fetch;
mod registry;
mod release;
pub mod render_store;
mod runtime;
mod sources;
mod target;
mod verify;

pub use by_kind::ByKind;
pub use credentials::{SecretsError, with_secrets};
pub use fetch::{FetchUsage, MemoryStore};
pub use runtime::{Ports, Runtime, Settings};
