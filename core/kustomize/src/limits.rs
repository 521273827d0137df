//! Bounds on a build. A breach is [`crate::Error::Limit`], which names the bound.

/// Bounds on what one build reads and makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one file.
    pub file_bytes: usize,
    /// Kustomizations that are read, counting one again for every time it is named.
    pub kustomizations: usize,
    /// How deep bases and components nest.
    pub depth: usize,
    /// Objects at any one time.
    pub objects: usize,
    /// Bytes that are read, counting a file again for every time it is named.
    pub bytes: usize,
    /// Bounds on one text of YAML or JSON.
    pub text: convoy_value::Limits,
}

impl Default for Limits {
    /// Files of 16 MiB, 50,000 kustomizations, 2,000 levels, 10,000 objects, 256 MiB in all.
    fn default() -> Self {
        Self {
            file_bytes: 16 << 20,
            kustomizations: 50_000,
            depth: 2_000,
            objects: 10_000,
            bytes: 256 << 20,
            text: convoy_value::Limits::default(),
        }
    }
}
