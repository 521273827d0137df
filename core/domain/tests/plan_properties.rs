//! Plans over any inventory, render and status.

use std::collections::BTreeSet;

use convoy_domain::health::assess;
use convoy_domain::id::{ObjectId, ReleaseId};
use convoy_domain::inventory::{
    InventoryEntry, InventoryOwner, InventoryPart, PART_OBJECTS, check_complete, entries, exact, orphans, union,
};
use convoy_domain::prune::{PruneInputs, SYSTEM_NAMESPACES, plan_deletion, plan_prune};
use convoy_domain::release::PrunePolicy;
use convoy_domain::render_ref::RenderRef;
use convoy_domain::selector::Selector;
use convoy_domain::wave::waves;
use convoy_testkit_strategies::{any_bytes, inventory_entry, object_id, objects, selector_text};
use convoy_value::Value;
use proptest::collection::{btree_set, vec};
use proptest::prelude::*;

fn owner() -> InventoryOwner {
    InventoryOwner {
        release: ReleaseId::new("apps", "web").expect("both are DNS names"),
        release_uid: "uid".into(),
        cluster_id: "cluster".into(),
    }
}

fn ids(parts: &[InventoryPart]) -> BTreeSet<ObjectId> {
    entries(parts).map(|entry| entry.id.clone()).collect()
}

/// Writes parts over others, as the control plane does.
fn write(parts: &mut Vec<InventoryPart>, written: &[InventoryPart]) {
    for new in written {
        parts.retain(|part| part.part != new.part);
        parts.push(new.clone());
    }
    parts.sort_by_key(|part| part.part);
}

fn unique(entries: Vec<InventoryEntry>) -> Vec<InventoryEntry> {
    let mut seen = BTreeSet::new();
    entries
        .into_iter()
        .filter(|entry| seen.insert(entry.id.clone()))
        .collect()
}

fn policy() -> impl Strategy<Value = PrunePolicy> {
    any::<[bool; 3]>().prop_map(|[orphaned, include_crds, include_namespaces]| PrunePolicy {
        orphaned,
        include_crds,
        include_namespaces,
    })
}

proptest! {
    // Objects are large: a hundred cases find what a thousand do, and every build runs them.
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn a_crash_between_two_writes_loses_no_object(
        old in vec(inventory_entry(), 0..12), new in vec(inventory_entry(), 0..12),
        gone in btree_set(object_id(), 0..8), stop in 0_usize..3,
    ) {
        let (old, new) = (unique(old), unique(new));
        let mut parts = union(&[], &old, &owner());
        prop_assert_eq!(ids(&parts).len(), old.len());
        let written = union(&parts, &new, &owner());
        let on_cluster: BTreeSet<ObjectId> = old.iter().chain(&new).map(|entry| entry.id.clone()).collect();
        // A crash while the union is written: what was recorded stays recorded, and nothing new is applied yet.
        let mut crashed = parts.clone();
        write(&mut crashed, &written[..stop.min(written.len())]);
        prop_assert!(ids(&parts).is_subset(&ids(&crashed)));
        write(&mut parts, &written);
        prop_assert_eq!(&ids(&parts), &on_cluster);
        prop_assert_eq!(union(&parts, &new, &owner()), []);
        let gone: BTreeSet<ObjectId> = gone.into_iter().filter(|id| new.iter().all(|entry| entry.id != *id)).collect();
        let written = exact(&parts, &new, &gone, &owner());
        write(&mut parts, &written);
        prop_assert_eq!(ids(&parts), on_cluster.difference(&gone).cloned().collect());
        prop_assert_eq!(exact(&parts, &new, &gone, &owner()), []);
        prop_assert_eq!(check_complete(&parts, None), Ok(()));
        let render: BTreeSet<ObjectId> = new.iter().map(|entry| entry.id.clone()).collect();
        prop_assert!(orphans(&parts, &render).iter().all(|entry| !render.contains(&entry.id)));
    }

    #[test]
    fn parts_stay_small_and_objects_keep_theirs(first in 0_usize..1500, second in 0_usize..1500, skip in 1_usize..9) {
        let entry = |n: usize| InventoryEntry {
            id: ObjectId { group: String::new(), kind: "ConfigMap".into(), namespace: "x".into(), name: format!("o{n}") },
            version: "v1".into(),
            uid: String::new(),
            wave: 0,
            render_ref: RenderRef::from_digest([0; 32]),
            adopted: false,
        };
        let old: Vec<_> = (0..first).map(entry).collect();
        let mut parts = union(&[], &old, &owner());
        let gone: BTreeSet<ObjectId> = old.iter().step_by(skip).map(|entry| entry.id.clone()).collect();
        let written = exact(&parts, &[], &gone, &owner());
        write(&mut parts, &written);
        let place = |parts: &[InventoryPart]| -> Vec<(ObjectId, u32)> {
            parts.iter().flat_map(|part| part.objects.iter().map(|entry| (entry.id.clone(), part.part))).collect()
        };
        let before = place(&parts);
        let new: Vec<_> = (first..first + second).map(entry).collect();
        let written = union(&parts, &new, &owner());
        write(&mut parts, &written);
        let after: BTreeSet<_> = place(&parts).into_iter().collect();
        prop_assert!(before.iter().all(|kept| after.contains(kept)));
        prop_assert!(parts.iter().all(|part| part.objects.len() <= PART_OBJECTS));
        prop_assert_eq!(after.len(), first - gone.len() + second);
    }

    #[test]
    fn a_prune_never_touches_what_it_must_not(
        inventory in vec(inventory_entry(), 0..20), render in btree_set(object_id(), 0..20), policy in policy(), allow in any::<bool>(),
    ) {
        let inventory = unique(inventory);
        let render_ref = RenderRef::from_digest([9; 32]);
        let name = render_ref.to_string();
        let inputs = PruneInputs {
            inventory: &inventory,
            render: &render,
            render_ref,
            policy,
            allow_prune: allow.then_some(name.as_str()),
            convoy_namespace: "a",
        };
        let Ok(plan) = plan_prune(&inputs) else {
            prop_assert!(policy.orphaned && !allow);
            return Ok(());
        };
        for entry in &plan.delete {
            prop_assert!(policy.orphaned && !render.contains(&entry.id));
        }
        let deletion = plan_deletion(&inventory, policy, "a");
        for entry in plan.delete.iter().chain(deletion.waves.iter().flatten()) {
            let namespace = entry.id.kind == "Namespace";
            prop_assert!(!namespace || policy.include_namespaces);
            prop_assert!(!namespace || !SYSTEM_NAMESPACES.contains(&entry.id.name.as_str()) && entry.id.name != "a");
            prop_assert!(entry.id.kind != "CustomResourceDefinition" || policy.include_crds);
        }
        prop_assert!(plan.delete.is_sorted_by(|a, b| a.wave >= b.wave));
        let orphans = inventory.iter().filter(|entry| !render.contains(&entry.id)).count();
        prop_assert_eq!(plan.delete.len() + plan.kept.len(), orphans);
        prop_assert_eq!(deletion.waves.concat().len() + deletion.kept.len(), inventory.len());
    }

    #[test]
    fn every_object_is_applied_in_exactly_one_wave(objects in objects(12)) {
        let waves = waves(&objects).unwrap();
        let mut all: Vec<usize> = waves.iter().flat_map(|wave| wave.groups.concat()).collect();
        all.sort_unstable();
        prop_assert_eq!(all, (0..objects.len()).collect::<Vec<_>>());
        prop_assert!(waves.is_sorted_by(|a, b| a.number <= b.number));
        for wave in &waves {
            prop_assert!(wave.groups.iter().all(|group| !group.is_empty()));
            let members = wave.groups.concat();
            prop_assert!(wave.gate.iter().all(|index| members.contains(index)));
        }
    }

    #[test]
    fn the_waves_of_a_render_do_not_depend_on_the_order_of_its_objects(objects in objects(8)) {
        let named = |objects: &[convoy_domain::object::Object]| -> Vec<(i32, Vec<Vec<String>>)> {
            let name = |index: &usize| format!("{} {}", objects[*index].kind(), objects[*index].name());
            waves(objects)
                .unwrap()
                .iter()
                .map(|wave| (wave.number, wave.groups.iter().map(|group| group.iter().map(name).collect()).collect()))
                .collect()
        };
        let mut turned = objects.clone();
        turned.reverse();
        prop_assert_eq!(named(&objects), named(&turned));
    }

    #[test]
    fn any_live_object_has_a_health(objects in objects(6)) {
        for object in &objects {
            let health = assess(object);
            prop_assert!(health.message.chars().count() <= 200 && !health.message.contains('\n'));
            prop_assert_eq!(health, assess(object));
        }
    }

    #[test]
    fn any_text_is_a_selector_or_refused(text in selector_text()) {
        any_bytes::selector(text.as_bytes());
    }

    #[test]
    fn a_selector_and_its_opposite_never_agree(key in "[ab]", values in vec("[xy]", 1..3), found in prop::option::of("[xyz]")) {
        let labels = Value::Object(found.iter().map(|found| (key.clone(), found.clone())).collect());
        let values = values.join(",");
        for (one, other) in [
            (format!("{key} in ({values})"), format!("{key} notin ({values})")),
            (format!("{key}=x"), format!("{key}!=x")),
            (key.clone(), format!("!{key}")),
        ] {
            let hit = |text: &str| Selector::parse(text).unwrap().matches(Some(&labels));
            prop_assert_ne!(hit(&one), hit(&other), "{} {}", one, other);
        }
    }
}
