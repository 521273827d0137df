//! What stands between a client under test and a real server: a relay that breaks connections on request, and an HTTP
//! proxy that remembers what it was told.
//!
//! Plain threads and sockets, so that any rule can be broken and nothing of a client's own libraries is shared.
//!
//! # Invariant
//! What is dropped listens no more; connections that were open then end by themselves.

mod listener;
mod proxy;
mod relay;

pub use proxy::HttpProxy;
pub use relay::{Fault, FaultProxy};
