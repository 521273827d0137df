//! The fetched files of one revision.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;

use jiff::Timestamp;

/// What a ref resolved to: a commit SHA, `<chart>-<version>`, or a digest.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Revision(pub String);

impl core::fmt::Display for Revision {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Paths to contents, in byte order of paths.
///
/// # Invariant
/// Paths are relative, separated by `/`, without empty, `.` or `..` parts: adapters refuse others.
pub type Files = BTreeMap<String, Arc<[u8]>>;

/// Files of one revision, in memory and shared.
#[derive(Clone, PartialEq, Eq)]
pub struct Artifact {
    /// The revision.
    pub revision: Revision,
    /// When the revision was made, if it says so.
    pub time: Option<Timestamp>,
    /// Its files.
    pub files: Arc<Files>,
}

impl core::fmt::Debug for Artifact {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Artifact")
            .field("revision", &self.revision)
            .field("time", &self.time)
            .field("files", &self.files.len())
            .finish()
    }
}
