//! What a Release has applied, object by object: the record from which prune and deletion are decided.
//!
//! The record is written twice in a sync: [`union`] before the apply adds what will be applied, [`exact`] after the prune
//! removes what is gone.
//!
//! # Invariant
//! An object that may be on the cluster is always in a part: `union` only adds, `exact` only removes what the caller saw
//! to be gone. An object keeps its part, and a part is never deleted before the Release is, so that a crash between
//! two writes, and a missing part, can be told from an empty inventory.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;

use crate::id::{ObjectId, ReleaseId};
use crate::render_ref::RenderRef;
use crate::status::InventorySummary;

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

/// For whom and where an inventory is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InventoryOwner {
    /// The Release.
    pub release: ReleaseId,
    /// Its uid.
    pub release_uid: String,
    /// The cluster that holds the objects.
    pub cluster_id: String,
}

/// The parts to write before an apply, in this order, so that every object of `planned` is recorded.
///
/// Recorded objects stay as they are, also those that left the render; new ones fill parts with room, then new parts.
/// Parts that need no change are not in the answer, but those of an earlier owner or cluster do need one.
#[must_use]
pub fn union(parts: &[InventoryPart], planned: &[InventoryEntry], owner: &InventoryOwner) -> Vec<InventoryPart> {
    let mut parts: Vec<InventoryPart> = parts.to_vec();
    parts.sort_by_key(|part| part.part);
    let mut changed: BTreeSet<u32> = BTreeSet::new();
    for part in &mut parts {
        if claim(part, owner) {
            changed.insert(part.part);
        }
    }
    let mut known: BTreeSet<ObjectId> = ids(&parts);
    let mut open = 0;
    for entry in planned {
        if !known.insert(entry.id.clone()) {
            continue;
        }
        while parts.get(open).is_some_and(|part| part.objects.len() >= PART_OBJECTS) {
            open += 1;
        }
        if open == parts.len() {
            let number = parts.last().map_or(0, |last| last.part.saturating_add(1));
            parts.push(empty_part(number, owner));
        }
        if let Some(part) = parts.get_mut(open) {
            part.objects.push(entry.clone());
            changed.insert(part.part);
        }
    }
    parts.retain(|part| changed.contains(&part.part));
    parts
}

/// The parts to write after a sync: `applied` objects as they were applied, without those that are `gone`.
///
/// An object in both is applied: it was gone and came back. Objects in neither stay, since they may still be on the
/// cluster. Only parts that change are in the answer.
#[must_use]
pub fn exact(
    parts: &[InventoryPart],
    applied: &[InventoryEntry],
    gone: &BTreeSet<ObjectId>,
    owner: &InventoryOwner,
) -> Vec<InventoryPart> {
    let applied: BTreeMap<&ObjectId, &InventoryEntry> = applied.iter().map(|entry| (&entry.id, entry)).collect();
    let mut changed = Vec::new();
    for part in parts {
        let mut part = part.clone();
        let claimed = claim(&mut part, owner);
        let before = part.objects.clone();
        part.objects
            .retain(|entry| applied.contains_key(&entry.id) || !gone.contains(&entry.id));
        for entry in &mut part.objects {
            if let Some(now) = applied.get(&entry.id) {
                // That it was adopted is remembered: a later apply finds it ours. So is its uid, when this sync did not look.
                let before = entry.clone();
                entry.clone_from(now);
                entry.adopted |= before.adopted;
                if entry.uid.is_empty() {
                    entry.uid = before.uid;
                }
            }
        }
        if claimed || part.objects != before {
            changed.push(part);
        }
    }
    changed.sort_by_key(|part| part.part);
    changed
}

/// All entries, in the order of parts.
pub fn entries(parts: &[InventoryPart]) -> impl Iterator<Item = &InventoryEntry> {
    parts.iter().flat_map(|part| &part.objects)
}

/// The recorded objects that a render does not hold.
#[must_use]
pub fn orphans(parts: &[InventoryPart], render: &BTreeSet<ObjectId>) -> Vec<InventoryEntry> {
    entries(parts)
        .filter(|entry| !render.contains(&entry.id))
        .cloned()
        .collect()
}

/// The objects of an inventory, `status.inventory`.
#[must_use]
pub fn summarize(parts: &[InventoryPart], pruned: u32, cluster_id: &str) -> InventorySummary {
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    InventorySummary {
        objects: count(entries(parts).count()),
        parts: count(parts.len()),
        pruned,
        cluster_id: cluster_id.into(),
    }
}

/// A part of the inventory that should exist does not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("part {missing} of {expected} of the inventory is missing: nothing is pruned or deleted without it")]
pub struct InventoryIncomplete {
    /// Number of the first missing part, from 0.
    pub missing: u32,
    /// Parts that should exist.
    pub expected: u32,
}

/// Whether every part that `status.inventory` counts, and every one before the last that exists, is there.
///
/// # Errors
/// [`InventoryIncomplete`] with the first missing part.
pub fn check_complete(parts: &[InventoryPart], recorded: Option<&InventorySummary>) -> Result<(), InventoryIncomplete> {
    let numbers: BTreeSet<u32> = parts.iter().map(|part| part.part).collect();
    let last = numbers.last().map_or(0, |last| last.saturating_add(1));
    let expected = recorded.map_or(0, |recorded| recorded.parts).max(last);
    match (0..expected).find(|number| !numbers.contains(number)) {
        None => Ok(()),
        Some(missing) => Err(InventoryIncomplete { missing, expected }),
    }
}

/// The Cluster is another cluster than the one that the inventory speaks of.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the Cluster is `{now}`, but the inventory was applied to `{before}`; set the annotation {annotation} to `{now}` to accept it", annotation = crate::names::annotation::ACCEPT_CLUSTER)]
pub struct ClusterChanged {
    /// Id of the inventory's cluster.
    pub before: String,
    /// Id of the cluster that answers.
    pub now: String,
}

/// Whether the cluster that answers is the inventory's, or is accepted in its place.
///
/// # Errors
/// [`ClusterChanged`] when it is another; nothing may be done to it.
pub fn check_cluster(
    parts: &[InventoryPart],
    recorded: Option<&InventorySummary>,
    now: &str,
    accepted: Option<&str>,
) -> Result<(), ClusterChanged> {
    let ids = parts.iter().map(|part| part.cluster_id.as_str());
    let others = ids.chain(recorded.map(|recorded| recorded.cluster_id.as_str()));
    match others.into_iter().find(|id| !id.is_empty() && *id != now) {
        Some(before) if accepted != Some(now) => Err(ClusterChanged {
            before: before.into(),
            now: now.into(),
        }),
        Some(_) | None => Ok(()),
    }
}

fn ids(parts: &[InventoryPart]) -> BTreeSet<ObjectId> {
    entries(parts).map(|entry| entry.id.clone()).collect()
}

fn empty_part(number: u32, owner: &InventoryOwner) -> InventoryPart {
    InventoryPart {
        release: owner.release.clone(),
        release_uid: owner.release_uid.clone(),
        part: number,
        cluster_id: owner.cluster_id.clone(),
        resource_version: String::new(),
        objects: Vec::new(),
    }
}

/// Makes a part speak of the present owner and cluster; whether it did not. On another cluster the objects are other
/// incarnations, so that their uids are forgotten and only their ownership labels say whose they are.
fn claim(part: &mut InventoryPart, owner: &InventoryOwner) -> bool {
    let InventoryOwner {
        release,
        release_uid,
        cluster_id,
    } = owner;
    if (&part.release, &part.release_uid, &part.cluster_id) == (release, release_uid, cluster_id) {
        return false;
    }
    if part.cluster_id != *cluster_id {
        for entry in &mut part.objects {
            entry.uid.clear();
        }
    }
    part.release = release.clone();
    part.release_uid.clone_from(release_uid);
    part.cluster_id.clone_from(cluster_id);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner() -> InventoryOwner {
        InventoryOwner {
            release: ReleaseId::new("apps", "web").unwrap(),
            release_uid: "uid-1".into(),
            cluster_id: "cluster-1".into(),
        }
    }

    fn id(name: &str) -> ObjectId {
        ObjectId {
            group: String::new(),
            kind: "ConfigMap".into(),
            namespace: "apps".into(),
            name: name.into(),
        }
    }

    fn entry(name: &str, uid: &str) -> InventoryEntry {
        InventoryEntry {
            id: id(name),
            version: "v1".into(),
            uid: uid.into(),
            wave: 0,
            render_ref: RenderRef::from_digest([0; 32]),
            adopted: false,
        }
    }

    fn part(number: u32, names: &[&str]) -> InventoryPart {
        InventoryPart {
            objects: names.iter().map(|name| entry(name, "seen")).collect(),
            resource_version: "7".into(),
            ..empty_part(number, &owner())
        }
    }

    fn shape(parts: &[InventoryPart]) -> Vec<(u32, Vec<&str>)> {
        let names = |part: &InventoryPart| part.objects.len();
        parts
            .iter()
            .map(|part| {
                assert!(names(part) <= PART_OBJECTS);
                (
                    part.part,
                    part.objects.iter().map(|entry| entry.id.name.as_str()).collect(),
                )
            })
            .collect()
    }

    #[test]
    fn the_union_only_adds() {
        let planned = [entry("b", ""), entry("c", "")];
        let parts = union(&[part(0, &["a", "b"])], &planned, &owner());
        assert_eq!(shape(&parts), [(0, alloc::vec!["a", "b", "c"])]);
        assert_eq!(parts[0].objects[1].uid, "seen");
        assert_eq!(parts[0].resource_version, "7");
        assert_eq!(union(&[part(0, &["a", "b"])], &planned[..1], &owner()), []);
        assert_eq!(union(&[], &[], &owner()), []);
    }

    #[test]
    fn a_full_inventory_grows_by_new_parts_and_objects_keep_theirs() {
        let names: Vec<String> = (0..2500).map(|n| alloc::format!("o{n}")).collect();
        let planned: Vec<InventoryEntry> = names.iter().map(|name| entry(name, "")).collect();
        let fresh = union(&[], &planned, &owner());
        let sizes: Vec<usize> = fresh.iter().map(|part| part.objects.len()).collect();
        assert_eq!(sizes, [1000, 1000, 500]);
        assert!(fresh.iter().all(|part| part.resource_version.is_empty()));
        let mut grown: Vec<InventoryEntry> = planned;
        grown.insert(0, entry("new", ""));
        let changed = union(&fresh, &grown, &owner());
        assert_eq!(shape(&changed)[0].0, 2);
        assert_eq!(changed.len(), 1);
        assert_eq!(changed[0].objects.len(), 501);
    }

    #[test]
    fn room_in_an_earlier_part_is_used() {
        let full: Vec<InventoryEntry> = (0..PART_OBJECTS).map(|n| entry(&alloc::format!("o{n}"), "")).collect();
        let mut first = part(0, &[]);
        first.objects = full;
        let changed = union(&[part(1, &["x"]), first], &[entry("new", "")], &owner());
        assert_eq!(shape(&changed), [(1, alloc::vec!["x", "new"])]);
    }

    #[test]
    fn the_exact_inventory_forgets_only_what_is_gone() {
        let parts = [part(0, &["a", "b"]), part(1, &["c", "d"]), part(2, &["e"])];
        let applied = InventoryEntry {
            uid: "new".into(),
            adopted: true,
            ..entry("a", "")
        };
        let gone = BTreeSet::from([id("c"), id("a"), id("never")]);
        let changed = exact(&parts, &[applied], &gone, &owner());
        assert_eq!(shape(&changed), [(0, alloc::vec!["a", "b"]), (1, alloc::vec!["d"])]);
        assert_eq!(
            (changed[0].objects[0].uid.as_str(), changed[0].objects[0].adopted),
            ("new", true)
        );
        let again = exact(&changed[..1], &[entry("a", "new")], &BTreeSet::new(), &owner());
        assert_eq!(again, [], "an adopted object stays adopted");
        let unseen = exact(&changed[..1], &[entry("a", "")], &BTreeSet::new(), &owner());
        assert_eq!(unseen, [], "a known uid stays known");
    }

    #[test]
    fn a_part_that_becomes_empty_stays() {
        let changed = exact(&[part(0, &["a"])], &[], &BTreeSet::from([id("a")]), &owner());
        assert_eq!(shape(&changed), [(0, Vec::new())]);
    }

    #[test]
    fn parts_of_another_incarnation_are_claimed_and_forget_uids_of_another_cluster() {
        let mut old = part(0, &["a"]);
        old.release_uid = "uid-0".into();
        let claimed = union(&[old.clone()], &[], &owner());
        assert_eq!(
            (claimed[0].release_uid.as_str(), claimed[0].objects[0].uid.as_str()),
            ("uid-1", "seen")
        );
        old.cluster_id = "cluster-0".into();
        let claimed = exact(&[old], &[], &BTreeSet::new(), &owner());
        assert_eq!(
            (claimed[0].cluster_id.as_str(), claimed[0].objects[0].uid.as_str()),
            ("cluster-1", "")
        );
    }

    #[test]
    fn orphans_are_what_the_render_lacks() {
        let parts = [part(0, &["a", "b"]), part(1, &["c"])];
        let found = orphans(&parts, &BTreeSet::from([id("b")]));
        let names: Vec<&str> = found.iter().map(|entry| entry.id.name.as_str()).collect();
        assert_eq!(names, ["a", "c"]);
    }

    #[test]
    fn a_missing_part_is_told_from_none() {
        let summary = |parts| InventorySummary {
            objects: 0,
            parts,
            pruned: 0,
            cluster_id: String::new(),
        };
        let check = |numbers: &[u32], recorded: Option<u32>, missing: Option<u32>| {
            let parts: Vec<InventoryPart> = numbers.iter().map(|number| part(*number, &[])).collect();
            let recorded = recorded.map(summary);
            let found = check_complete(&parts, recorded.as_ref())
                .err()
                .map(|error| error.missing);
            assert_eq!(found, missing, "{numbers:?} {recorded:?}");
        };
        check(&[], None, None);
        check(&[], Some(0), None);
        check(&[], Some(1), Some(0));
        check(&[0, 1], Some(2), None);
        check(&[0, 1], Some(1), None);
        check(&[0], Some(2), Some(1));
        check(&[1], Some(2), Some(0));
        check(&[0, 2], None, Some(1));
    }

    #[test]
    fn another_cluster_is_refused_until_it_is_accepted() {
        let parts = [part(0, &["a"])];
        let summary = summarize(&parts, 0, "cluster-1");
        assert_eq!((summary.objects, summary.parts), (1, 1));
        let check = |now: &str, accepted: Option<&str>| check_cluster(&parts, Some(&summary), now, accepted).is_ok();
        assert!(check("cluster-1", None));
        assert!(!check("cluster-2", None));
        assert!(!check("cluster-2", Some("cluster-1")));
        assert!(check("cluster-2", Some("cluster-2")));
        assert!(check_cluster(&[], None, "cluster-2", None).is_ok());
        assert!(check_cluster(&[], Some(&summary), "cluster-2", None).is_err());
    }
}
