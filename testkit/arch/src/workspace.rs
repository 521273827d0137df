//! The workspace under test, as cargo describes it.

use std::path::{Path, PathBuf};

use cargo_metadata::{Metadata, MetadataCommand, Package};

/// A cargo workspace: its root and its members, without the resolution of foreign dependencies.
#[derive(Debug)]
pub struct Workspace {
    metadata: Metadata,
}

impl Workspace {
    /// Reads the workspace whose manifest is `<root>/Cargo.toml`.
    ///
    /// # Panics
    /// When cargo cannot read it: a rule that cannot look must not pass.
    #[must_use]
    pub fn read(root: &Path) -> Self {
        let metadata = MetadataCommand::new()
            .manifest_path(root.join("Cargo.toml"))
            .no_deps()
            .exec();
        Self {
            metadata: metadata.expect("cargo describes the workspace"),
        }
    }

    /// The folder of the workspace's manifest.
    #[must_use]
    pub fn root(&self) -> &Path {
        self.metadata.workspace_root.as_std_path()
    }

    /// Each member with its folder relative to the root, with `/` between names (`core/domain`).
    pub fn members(&self) -> impl Iterator<Item = (String, &Package)> {
        self.metadata
            .packages
            .iter()
            .map(|package| (self.folder(package.manifest_path.as_std_path()), package))
    }

    /// The folder, relative to the root, of a manifest or of the folder itself.
    pub(crate) fn folder(&self, path: &Path) -> String {
        let folder = if path.ends_with("Cargo.toml") {
            path.parent().unwrap_or(path)
        } else {
            path
        };
        folder
            .strip_prefix(self.root())
            .unwrap_or(folder)
            .to_string_lossy()
            .into_owned()
    }
}

/// The root of convoy's own repository.
///
/// # Panics
/// When this crate has been moved out of it.
#[must_use]
pub fn repository() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors()
        .nth(2)
        .expect("testkit/arch is two folders below the root")
        .to_owned()
}
