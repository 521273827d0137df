//! Versions and constraints as Masterminds/semver v3 (3.5) has them, which is what Helm's charts are written against.
//!
//! It is laxer than semver.org: `v1` and `1.2` are versions, and a constraint that names no prerelease lets none through.

mod constraint;
mod version;

pub use constraint::{Constraint, ConstraintError, is_compatible};
pub use version::{Version, VersionError};

/// Bytes of a version at most.
pub const MAX_VERSION: usize = 256;
/// Bytes of a constraint at most.
pub const MAX_CONSTRAINT: usize = 512;
/// Groups between `||` at most.
pub const MAX_GROUPS: usize = 32;
