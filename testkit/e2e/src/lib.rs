//! Whole lives of Releases: a git repository, a controller as its own process, and an API server that is either the
//! embedded one or a real kube-apiserver.
//!
//! The scenarios know nothing of the difference: [`Server`] starts either, [`World`] is one namespace with a
//! repository, a render store and a Release, and [`Controller`] is the process under test.

mod charts;
mod controller;
mod kubelet;
mod server;
mod world;

pub use charts::ChartServer;
pub use controller::{AbortAt, Controller};
pub use server::Server;
pub use world::World;
