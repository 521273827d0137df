//! Changes to a value: JSON patch (RFC 6902) and JSON merge patch (RFC 7386), as the Go library does both that the
//! Kubernetes API server and Kustomize use (evanphx/json-patch v4), and paths into a value (RFC 6901).
//!
//! Where that library departs from the RFCs, so do we: `replace` and `copy` take a missing member of an object for
//! null, an index may count from the end, and a merge drops nulls inside of what it adds.

mod error;
mod merge;
mod operations;
pub mod pointer;

pub use error::Error;
pub use merge::merge;
pub use operations::{MAX_OPERATIONS, apply};

use crate::Value;

/// How deep collections nest in `value`: 0 for a scalar.
fn depth(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(map) => 1 + map.values().map(depth).max().unwrap_or(0),
    }
}
