//! The shell around the core: reads the world through the ports, asks the core what to do, does it, and writes down
//! what came of it.
//!
//! It knows ports, never adapters. Each look at an object is one call of [`convoy_ports::Reconciler`]; nothing in it
//! waits for anything but a port, and what must wait returns the time of the next look.

mod artifacts;
mod credentials;
mod engines;
mod entropy;
mod failures;
mod registry;
mod release;
pub mod render_store;
mod runtime;
mod target;
mod verify;

pub use credentials::{SecretsError, with_secrets};
pub use runtime::{Ports, Runtime, Settings};
