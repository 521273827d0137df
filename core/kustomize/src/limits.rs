//! Bounds on a build. A breach is [`crate::Error::Limit`], which names the bound.

/// Bounds on what one build reads, makes and does.
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
    /// Nodes of YAML that are read, aliases opened.
    pub nodes: usize,
    /// Bytes that generators and transformers write into objects.
    pub written: usize,
    /// Steps in all: one is about the time that a node takes to be looked at.
    pub steps: usize,
    /// Bounds on one text of YAML or JSON; its depth also bounds the parts of a field path.
    pub text: convoy_value::Limits,
}

impl Default for Limits {
    /// Files of 16 MiB, 50,000 kustomizations, 2,000 levels, 10,000 objects, 256 MiB in all, 5 million nodes, 256 MiB
    /// written, 400 million steps.
    fn default() -> Self {
        Self {
            file_bytes: 16 << 20,
            kustomizations: 50_000,
            depth: 2_000,
            objects: 10_000,
            bytes: 256 << 20,
            nodes: 5_000_000,
            written: 256 << 20,
            steps: 400_000_000,
            text: convoy_value::Limits::default(),
        }
    }
}
