//! The bounds of one render; flags of the controller change them.

use core::time::Duration;

use convoy_helm::archive;

/// Bounds; a breach is a `LimitExceeded` that names the limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Files in a source.
    pub files: usize,
    /// Bytes of all files of a source.
    pub source_bytes: u64,
    /// Bytes of one file.
    pub file_bytes: u64,
    /// Bytes that YAML aliases may expand to in one document.
    pub alias_bytes: usize,
    /// Nesting depth of a document.
    pub depth: usize,
    /// Objects in a render.
    pub objects: usize,
    /// Canonical bytes of a render.
    pub render_bytes: u64,
    /// Bytes that an archive may unpack to, for each of its own.
    pub archive_ratio: usize,
    /// Templates of a chart within templates.
    pub template_recursion: usize,
    /// Steps that the templates of a chart may take together.
    pub template_steps: u64,
    /// Bytes that the templates of a chart may write together.
    pub template_output: usize,
    /// Time that a render may take.
    pub render_time: Duration,
}

impl Limits {
    /// Bounds on the archive of a chart: Helm's own, where these are not tighter.
    #[must_use]
    pub fn of_archives(&self) -> archive::Limits {
        let helm = archive::Limits::default();
        let bytes = |ours: u64| usize::try_from(ours).unwrap_or(usize::MAX);
        archive::Limits {
            total: helm.total.min(bytes(self.source_bytes)),
            file: helm.file.min(bytes(self.file_bytes)),
            files: self.files,
            ratio: self.archive_ratio,
            depth: helm.depth,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        const MIB: u64 = 1024 * 1024;
        Self {
            files: 50_000,
            source_bytes: 256 * MIB,
            file_bytes: 16 * MIB,
            alias_bytes: 10 * 1024 * 1024,
            depth: 200,
            objects: 10_000,
            render_bytes: 64 * MIB,
            archive_ratio: 200,
            template_recursion: 1_000,
            template_steps: 50_000_000,
            template_output: 64 << 20,
            render_time: Duration::from_secs(30),
        }
    }
}
