//! The fetched files of one revision.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;

use jiff::Timestamp;

/// What a ref resolved to: a commit SHA, `<chart>-<version>@<digest>`, or a digest alone.
///
/// # Invariant
/// One revision of one endpoint is one content: a chart's name and version are not, since both can be published again.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Revision(pub String);

impl Revision {
    /// A version of a chart, with the digest of what it was found at.
    #[must_use]
    pub fn of_chart(chart: &str, version: &str, digest: &str) -> Self {
        Self(format!("{chart}-{version}@{digest}"))
    }

    /// As people see it: `<chart>-<version>` without its digest, all of the others.
    #[must_use]
    pub fn shown(&self) -> &str {
        self.0.rsplit_once('@').map_or(&self.0, |(shown, _)| shown)
    }
}

impl core::fmt::Display for Revision {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.shown())
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

#[cfg(test)]
mod tests {
    use alloc::string::ToString as _;

    use super::*;

    #[test]
    fn people_see_charts_by_name_and_version() {
        let chart = Revision::of_chart("web", "1.0.0+build", "sha256:0a");
        assert_eq!(chart.0, "web-1.0.0+build@sha256:0a");
        assert_eq!(chart.to_string(), "web-1.0.0+build");
        assert_eq!(Revision("sha256:0a".into()).to_string(), "sha256:0a");
        assert_eq!(Revision("1f".into()).to_string(), "1f");
    }
}
