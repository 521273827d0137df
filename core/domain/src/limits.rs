//! The bounds of one render; flags of the controller change them.

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
        }
    }
}
