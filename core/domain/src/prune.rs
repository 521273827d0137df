//! What is deleted from a target cluster, in which order, and what is kept.
//!
//! Two lists and one check per object. [`plan_prune`] and [`plan_deletion`] pick candidates from the inventory before
//! anything is done; [`assess_deletion`] looks at the live copy of each just before it would go.
//!
//! # Invariant
//! Namespaces of the system and of convoy itself never go. CRDs and Namespaces go only with their switches. An object
//! goes only while its label says that it is this Release's, and only as the copy that was looked at.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;

use crate::id::ObjectId;
use crate::inventory::InventoryEntry;
use crate::object::Object;
use crate::ownership::{Owner, Ownership, assess_ownership, prune_disabled};
use crate::release::PrunePolicy;
use crate::render_ref::RenderRef;
use crate::wave::install_rank;

/// Namespaces that are never pruned or deleted, beside convoy's own.
pub const SYSTEM_NAMESPACES: &[&str] = &["kube-system", "kube-public", "kube-node-lease", "default"];

/// An inventory of this many objects or more may not lose more than half of them at once.
pub const GUARD_FROM: usize = 10;

/// Why an object is not deleted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Kept {
    /// `prune.orphaned` is off.
    #[error("pruning is off")]
    PruneOff,
    /// A CRD without `includeCRDs`.
    #[error("CRDs are kept without `prune.includeCRDs`")]
    Crd,
    /// A Namespace without `includeNamespaces`.
    #[error("Namespaces are kept without `prune.includeNamespaces`")]
    Namespace,
    /// A Namespace of the system or of convoy.
    #[error("the namespace belongs to the system or to convoy")]
    SystemNamespace,
    /// Its annotation protects it.
    #[error("it is protected by the annotation prune: disabled")]
    Protected,
    /// Its label does not name this Release (any more).
    #[error("it is not owned by this Release any more")]
    NotOurs,
}

/// An object that stays, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptObject {
    /// Which.
    pub id: ObjectId,
    /// Why.
    pub why: Kept,
}

/// From what a prune is decided.
#[derive(Clone, Debug)]
pub struct PruneInputs<'a> {
    /// Every object of the inventory.
    pub inventory: &'a [InventoryEntry],
    /// Identities of the objects of the effective render, with `default` filled in.
    pub render: &'a BTreeSet<ObjectId>,
    /// The effective render.
    pub render_ref: RenderRef,
    /// `syncPolicy.prune`.
    pub policy: PrunePolicy,
    /// Annotation `allow-prune`.
    pub allow_prune: Option<&'a str>,
    /// The namespace that convoy runs in.
    pub convoy_namespace: &'a str,
}

/// What a prune will look at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrunePlan {
    /// Candidates, in the order of deletion.
    pub delete: Vec<InventoryEntry>,
    /// Orphans that stay.
    pub kept: Vec<KeptObject>,
}

/// Too much would be pruned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} of the {inventory} objects of the inventory would be pruned{}; set the annotation {annotation} to `{render_ref}` to let this render do so", .prune, if *.empty { ", since the render has no objects" } else { "" }, annotation = crate::names::annotation::ALLOW_PRUNE)]
pub struct PruneGuard {
    /// Objects that would go.
    pub prune: usize,
    /// Objects recorded.
    pub inventory: usize,
    /// The render has no objects.
    pub empty: bool,
    /// The render that would do so.
    pub render_ref: RenderRef,
}

/// Which orphans go, in reverse order of their application.
///
/// A render without objects is stopped as soon as the inventory holds any (an empty inventory has nothing to lose).
///
/// # Errors
/// [`PruneGuard`] when pruning is on and the render has no objects, or more than half of ten or more objects would go,
/// unless `allow-prune` names the render.
pub fn plan_prune(inputs: &PruneInputs<'_>) -> Result<PrunePlan, PruneGuard> {
    let orphans = inputs
        .inventory
        .iter()
        .filter(|entry| !inputs.render.contains(&entry.id));
    let mut plan = PrunePlan::default();
    for orphan in orphans {
        let kept = if inputs.policy.orphaned {
            kept_by_kind(&orphan.id, inputs.policy, inputs.convoy_namespace)
        } else {
            Some(Kept::PruneOff)
        };
        match kept {
            Some(why) => plan.kept.push(KeptObject {
                id: orphan.id.clone(),
                why,
            }),
            None => plan.delete.push(orphan.clone()),
        }
    }
    let inventory = inputs.inventory.len();
    let prune = plan.delete.len();
    let empty = inputs.render.is_empty();
    let too_much = (empty && inventory > 0) || (inventory >= GUARD_FROM && prune > inventory / 2);
    let allowed = inputs
        .allow_prune
        .is_some_and(|allowed| allowed.parse() == Ok(inputs.render_ref));
    if inputs.policy.orphaned && too_much && !allowed {
        return Err(PruneGuard {
            prune,
            inventory,
            empty,
            render_ref: inputs.render_ref,
        });
    }
    plan.delete.sort_by_cached_key(|entry| core::cmp::Reverse(order(entry)));
    Ok(plan)
}

/// What the deletion of a Release will look at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeletionPlan {
    /// Candidates by wave, last wave first; the next wave starts when this one is gone.
    pub waves: Vec<Vec<InventoryEntry>>,
    /// Objects that stay, which the last event lists.
    pub kept: Vec<KeptObject>,
}

/// Which objects of a deleted Release go: all of the inventory, but CRDs and Namespaces without their switches.
#[must_use]
pub fn plan_deletion(inventory: &[InventoryEntry], policy: PrunePolicy, convoy_namespace: &str) -> DeletionPlan {
    let mut plan = DeletionPlan::default();
    let mut waves: BTreeMap<i32, Vec<InventoryEntry>> = BTreeMap::new();
    for entry in inventory {
        match kept_by_kind(&entry.id, policy, convoy_namespace) {
            Some(why) => plan.kept.push(KeptObject {
                id: entry.id.clone(),
                why,
            }),
            None => waves.entry(entry.wave).or_default().push(entry.clone()),
        }
    }
    plan.waves = waves.into_values().rev().collect();
    for wave in &mut plan.waves {
        wave.sort_by_cached_key(|entry| core::cmp::Reverse(order(entry)));
    }
    plan
}

/// What to do with a candidate, now that its live copy is at hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deletion {
    /// It is not there any more, or its name is another incarnation's that is not ours.
    Gone,
    /// Delete exactly this copy, in the background.
    Delete {
        /// UID precondition.
        uid: String,
        /// resourceVersion precondition.
        resource_version: String,
    },
    /// It is being deleted already; wait.
    Waiting,
    /// Leave it.
    Keep(Kept),
}

/// Decides on the live copy of a candidate.
///
/// An object without our label was taken over by somebody else, or is another object of the same name: it stays, and
/// the inventory may forget it.
#[must_use]
pub fn assess_deletion(live: Option<&Object>, owner: &Owner) -> Deletion {
    let Some(object) = live else {
        return Deletion::Gone;
    };
    match assess_ownership(live, owner) {
        Ownership::Absent => Deletion::Gone,
        Ownership::Unowned | Ownership::SameName | Ownership::Foreign(_) => Deletion::Keep(Kept::NotOurs),
        Ownership::Ours if !object.text(&["metadata", "deletionTimestamp"]).is_empty() => Deletion::Waiting,
        Ownership::Ours if prune_disabled(object) => Deletion::Keep(Kept::Protected),
        Ownership::Ours => Deletion::Delete {
            uid: object.uid().into(),
            resource_version: object.resource_version().into(),
        },
    }
}

fn kept_by_kind(id: &ObjectId, policy: PrunePolicy, convoy_namespace: &str) -> Option<Kept> {
    match (id.group.as_str(), id.kind.as_str()) {
        ("", "Namespace") if SYSTEM_NAMESPACES.contains(&id.name.as_str()) || id.name == convoy_namespace => {
            Some(Kept::SystemNamespace)
        }
        ("", "Namespace") if !policy.include_namespaces => Some(Kept::Namespace),
        ("apiextensions.k8s.io", "CustomResourceDefinition") if !policy.include_crds => Some(Kept::Crd),
        _ => None,
    }
}

/// The order of application: wave, install order of kinds, kind, name, namespace. A wave's CRDs come before its other
/// objects, so that they are the last to go.
fn order(entry: &InventoryEntry) -> (i32, bool, usize, String, String, String) {
    let id = &entry.id;
    let crd = id.kind == "CustomResourceDefinition" && id.group == "apiextensions.k8s.io";
    (
        entry.wave,
        !crd,
        install_rank(&id.kind),
        id.kind.clone(),
        id.name.clone(),
        id.namespace.clone(),
    )
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;
    use alloc::vec;

    use convoy_value::{Limits, json};

    use super::*;
    use crate::id::ReleaseId;
    use crate::ownership::stamp;

    const ALL: PrunePolicy = PrunePolicy {
        orphaned: true,
        include_crds: true,
        include_namespaces: true,
    };
    const PLAIN: PrunePolicy = PrunePolicy {
        orphaned: true,
        include_crds: false,
        include_namespaces: false,
    };

    fn entry(kind: &str, name: &str, wave: i32) -> InventoryEntry {
        let (group, namespace) = match kind {
            "CustomResourceDefinition" => ("apiextensions.k8s.io", ""),
            "Namespace" => ("", ""),
            "Deployment" => ("apps", "prod"),
            _ => ("", "prod"),
        };
        InventoryEntry {
            id: ObjectId {
                group: group.into(),
                kind: kind.into(),
                namespace: namespace.into(),
                name: name.into(),
            },
            version: "v1".into(),
            uid: "u".into(),
            wave,
            render_ref: render_ref(),
            adopted: false,
        }
    }

    fn render_ref() -> RenderRef {
        RenderRef::from_digest([7; 32])
    }

    fn plan(
        inventory: &[InventoryEntry],
        render: &[InventoryEntry],
        policy: PrunePolicy,
        allow: Option<&str>,
    ) -> Result<PrunePlan, PruneGuard> {
        plan_prune(&PruneInputs {
            inventory,
            render: &render.iter().map(|entry| entry.id.clone()).collect(),
            render_ref: render_ref(),
            policy,
            allow_prune: allow,
            convoy_namespace: "convoy-system",
        })
    }

    fn names(entries: &[InventoryEntry]) -> Vec<&str> {
        entries.iter().map(|entry| entry.id.name.as_str()).collect()
    }

    fn kept(kept: &[KeptObject]) -> Vec<(&str, Kept)> {
        kept.iter()
            .map(|kept| (kept.id.name.as_str(), kept.why.clone()))
            .collect()
    }

    #[test]
    fn orphans_go_in_reverse_order_of_their_application() {
        let inventory = [
            entry("ConfigMap", "b", 0),
            entry("ConfigMap", "a", 0),
            entry("CustomResourceDefinition", "crd", 0),
            entry("Namespace", "ns", 0),
            entry("Deployment", "web", 0),
            entry("ConfigMap", "late", 1),
            entry("ConfigMap", "stays", 0),
            entry("Secret", "early", -1),
        ];
        let plan = plan(&inventory, &inventory[6..7], ALL, None).unwrap();
        assert_eq!(names(&plan.delete), ["late", "web", "b", "a", "ns", "crd", "early"]);
        assert_eq!(plan.kept, []);
    }

    #[test]
    fn crds_namespaces_and_the_systems_own_stay() {
        let inventory = [
            entry("CustomResourceDefinition", "crd", 0),
            entry("Namespace", "ns", 0),
            entry("Namespace", "kube-system", 0),
            entry("Namespace", "convoy-system", 0),
            entry("ConfigMap", "gone", 0),
            entry("ConfigMap", "stays", 0),
        ];
        let render = &inventory[5..];
        let plain = plan(&inventory, render, PLAIN, None).unwrap();
        assert_eq!(names(&plain.delete), ["gone"]);
        assert_eq!(
            kept(&plain.kept),
            [
                ("crd", Kept::Crd),
                ("ns", Kept::Namespace),
                ("kube-system", Kept::SystemNamespace),
                ("convoy-system", Kept::SystemNamespace),
            ]
        );
        let all = plan(&inventory, render, ALL, None).unwrap();
        assert_eq!(names(&all.delete), ["gone", "ns", "crd"]);
        let off = plan(&inventory, render, PrunePolicy::default(), None).unwrap();
        assert_eq!(off.delete, []);
        assert!(off.kept.iter().all(|kept| kept.why == Kept::PruneOff));
    }

    #[test]
    fn a_prune_of_more_than_half_is_guarded_from_ten_objects_on() {
        let check = |objects: usize, pruned: usize, guarded: bool| {
            let inventory: Vec<InventoryEntry> = (0..objects)
                .map(|n| entry("ConfigMap", &alloc::format!("o{n}"), 0))
                .collect();
            let found = plan(&inventory, &inventory[pruned..], PLAIN, None);
            assert_eq!(found.is_err(), guarded, "{pruned} of {objects}: {found:?}");
            let off = plan(&inventory, &inventory[pruned..], PrunePolicy::default(), None);
            assert!(off.is_ok());
        };
        check(10, 5, false);
        check(10, 6, true);
        check(11, 5, false);
        check(11, 6, true);
        check(9, 8, false);
        check(9, 9, true);
        check(1, 1, true);
        check(0, 0, false);
    }

    #[test]
    fn what_stays_does_not_count_as_pruned() {
        let mut inventory: Vec<InventoryEntry> = (0..10)
            .map(|n| entry("CustomResourceDefinition", &alloc::format!("o{n}"), 0))
            .collect();
        inventory.push(entry("ConfigMap", "stays", 0));
        assert!(plan(&inventory, &inventory[10..], PLAIN, None).is_ok());
        assert!(plan(&inventory, &inventory[10..], ALL, None).is_err());
    }

    #[test]
    fn only_the_named_render_passes_the_guard() {
        let inventory = [entry("ConfigMap", "a", 0)];
        let named = render_ref().to_string();
        let other = RenderRef::from_digest([8; 32]).to_string();
        assert!(plan(&inventory, &[], PLAIN, Some(&named)).is_ok());
        assert!(plan(&inventory, &[], PLAIN, Some(&other)).is_err());
        assert!(plan(&inventory, &[], PLAIN, Some("true")).is_err());
        let guard = plan(&inventory, &[], PLAIN, None).unwrap_err();
        let message = guard.to_string();
        assert!(message.contains("1 of the 1 objects"), "{message}");
        assert!(message.contains("the render has no objects"), "{message}");
        assert!(message.contains(&named), "{message}");
    }

    #[test]
    fn a_deleted_release_takes_its_objects_along_wave_by_wave() {
        let inventory = [
            entry("ConfigMap", "a", 0),
            entry("Deployment", "web", 0),
            entry("ConfigMap", "late", 3),
            entry("CustomResourceDefinition", "crd", -1),
            entry("Namespace", "ns", 0),
            entry("Namespace", "default", 0),
        ];
        let found = plan_deletion(&inventory, PrunePolicy::default(), "convoy-system");
        let waves: Vec<Vec<&str>> = found.waves.iter().map(|wave| names(wave)).collect();
        assert_eq!(waves, [vec!["late"], vec!["web", "a"]]);
        assert_eq!(
            kept(&found.kept),
            [
                ("crd", Kept::Crd),
                ("ns", Kept::Namespace),
                ("default", Kept::SystemNamespace)
            ]
        );
        let all = plan_deletion(&inventory, ALL, "convoy-system");
        let waves: Vec<Vec<&str>> = all.waves.iter().map(|wave| names(wave)).collect();
        assert_eq!(waves, [vec!["late"], vec!["web", "a", "ns"], vec!["crd"]]);
    }

    #[test]
    fn only_our_own_copy_is_deleted() {
        let owner = Owner {
            release: ReleaseId::new("apps", "web").unwrap(),
            uid: "uid-1".into(),
            installation: "here".into(),
        };
        let text = r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","uid":"u","resourceVersion":"9"}}"#;
        let plain = Object::new(json::parse(text, &Limits::default()).unwrap()).unwrap();
        let mut ours = plain.clone();
        stamp(&mut ours, &owner);
        let mut protected = ours.clone();
        protected.set_annotation("core.convoy.kumodo.io/prune", "disabled");
        let mut other_value = ours.clone();
        other_value.set_annotation("core.convoy.kumodo.io/prune", "enabled");
        let mut going = protected.clone();
        if let Some(metadata) = going
            .as_map_mut()
            .get_mut("metadata")
            .and_then(convoy_value::Value::as_object_mut)
        {
            metadata.insert("deletionTimestamp", "2026-01-01T00:00:00Z");
        }
        let mut foreign = ours.clone();
        foreign.set_label("core.convoy.kumodo.io/release-uid", "uid-2");
        let delete = Deletion::Delete {
            uid: "u".into(),
            resource_version: "9".into(),
        };
        assert_eq!(assess_deletion(None, &owner), Deletion::Gone);
        for (live, expect) in [
            (plain, Deletion::Keep(Kept::NotOurs)),
            (foreign, Deletion::Keep(Kept::NotOurs)),
            (protected, Deletion::Keep(Kept::Protected)),
            (going, Deletion::Waiting),
            (other_value, delete.clone()),
            (ours, delete),
        ] {
            assert_eq!(assess_deletion(Some(&live), &owner), expect);
        }
    }
}
