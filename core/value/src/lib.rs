//! Ordered values and their text forms.
//!
//! Everything that convoy reads, renders, hashes and applies is a [`Value`]: YAML and JSON come in through
//! the readers of [`yaml`] and [`json`], and go out byte for byte as Go's libraries write them; [`patch`] changes
//! values as the Kubernetes API server does. All of it is compared with the real tools in `testkit/golden`.
//!
//! # Invariant
//! Nothing here reads a clock, a file, the environment or a random source: equal input gives equal output.
#![no_std]

extern crate alloc;

mod gofloat;
pub mod json;
mod limits;
mod map;
mod number;
pub mod patch;
mod serde_impls;
mod value;
pub mod yaml;

pub use limits::{Limits, MAX_DEPTH, Numbers};
pub use map::Map;
pub use number::Number;
pub use value::Value;
