//! What a Release has applied, object by object: the record from which prune and deletion are decided.

use alloc::string::String;
use alloc::vec::Vec;

use crate::id::{ObjectId, ReleaseId};
use crate::render_ref::RenderRef;

/// Most objects in one part, so that a part stays far below etcd's limit.
pub const PART_OBJECTS: usize = 1_000;

/// One applied object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InventoryEntry {
    /// Group, kind, namespace, name.
    pub id: ObjectId,
    /// Version under which it was applied.
    pub version: String,
    /// UID on the cluster; empty when it was planned but not yet seen.
    pub uid: String,
    /// Wave in which it was applied.
    pub wave: i32,
    /// The render that applied it last.
    pub render_ref: RenderRef,
    /// It existed, without an owner, before we applied it.
    pub adopted: bool,
}

/// One `ReleaseInventory` object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InventoryPart {
    /// The owning Release.
    pub release: ReleaseId,
    /// UID of the owning Release.
    pub release_uid: String,
    /// Number of the part: the object is named `<release>-<part>`.
    pub part: u32,
    /// Cluster that holds the objects.
    pub cluster_id: String,
    /// `metadata.resourceVersion`, empty for a part that does not exist yet.
    pub resource_version: String,
    /// The objects.
    pub objects: Vec<InventoryEntry>,
}
