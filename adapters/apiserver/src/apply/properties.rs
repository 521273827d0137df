//! Properties of applies on random objects.

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::updater::{Scope, apply, update};
use super::{Manager, Managers, Operation, compare, field_set};
use crate::fields::FieldSet;
use crate::types::{Type, schema};

const NOW: &str = "2026-01-01T00:00:00Z";

fn ty() -> Type {
    schema::of_resource(
        &json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {
        "one": {"type": "string"}, "two": {"type": "integer"},
        "nested": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
        "map": {"type": "object", "additionalProperties": {"type": "string"}},
        "atom": {"type": "array", "items": {"type": "string"}},
        "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
        "keyed": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
            "items": {"type": "object", "properties": {"k": {"type": "string"}, "v": {"type": "string"}}}},
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}}}),
    )
}

fn word() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["p", "q", "r"]).prop_map(str::to_owned)
}

fn config() -> impl Strategy<Value = Value> {
    let keyed = btree_map(word(), proptest::option::of(word()), 0..3).prop_map(|items| {
        let items = items.into_iter().map(|(key, value)| match value {
            Some(value) => json!({"k": key, "v": value}),
            None => json!({"k": key}),
        });
        Value::Array(items.collect())
    });
    let set = proptest::sample::subsequence(vec!["p", "q", "r"], 0..=3).prop_map(|items| json!(items));
    let map = || btree_map(word(), word(), 0..3).prop_map(|map| json!(map));
    let fields = (
        proptest::option::of(word().prop_map(Value::from)),
        proptest::option::of((0..3_i64).prop_map(Value::from)),
        proptest::option::of(btree_map(prop::sample::select(vec!["a", "b"]), word(), 0..3).prop_map(|map| json!(map))),
        proptest::option::of(map()),
        proptest::option::of(vec(word(), 0..3).prop_map(|items| json!(items))),
        proptest::option::of(set),
        proptest::option::of(keyed),
        proptest::option::of(map()),
    );
    fields.prop_map(|(one, two, nested, map, atom, set, keyed, free)| {
        let named = [
            ("one", one),
            ("two", two),
            ("nested", nested),
            ("map", map),
            ("atom", atom),
            ("set", set),
            ("keyed", keyed),
            ("free", free),
        ];
        let spec: Map<String, Value> = named
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?)))
            .collect();
        json!({"apiVersion": "a/v1", "kind": "A", "metadata": {"name": "x"}, "spec": spec})
    })
}

struct World {
    ty: Type,
    live: Value,
    managers: Managers,
}

impl World {
    fn new() -> Self {
        Self {
            ty: ty(),
            live: json!({}),
            managers: Managers::default(),
        }
    }

    fn apply(&mut self, who: &str, config: &Value, force: bool) -> bool {
        let ignored = FieldSet::default();
        let scope = Scope {
            ty: &self.ty,
            ignored: &ignored,
            now: NOW,
        };
        let manager = Manager::new(Operation::Apply, who, "a/v1", "");
        let Ok((live, managers)) = apply(
            &scope,
            &self.live,
            config,
            self.managers.clone(),
            &manager,
            "a/v1",
            force,
        ) else {
            return false;
        };
        (self.live, self.managers) = (live, managers);
        true
    }

    fn update(&mut self, after: Value) {
        let ignored = FieldSet::default();
        let scope = Scope {
            ty: &self.ty,
            ignored: &ignored,
            now: NOW,
        };
        let manager = Manager::new(Operation::Update, "updater", "a/v1", "");
        self.managers = update(&scope, &self.live, &after, self.managers.clone(), &manager, "a/v1");
        self.live = after;
    }
}

proptest! {
    #[test]
    fn applying_again_changes_nothing(first in config(), second in config()) {
        let mut world = World::new();
        world.apply("one", &first, true);
        world.apply("two", &second, true);
        let (live, managers) = (world.live.clone(), world.managers.clone());
        world.apply("two", &second, true);
        prop_assert_eq!(live, world.live);
        prop_assert_eq!(managers, world.managers);
    }

    #[test]
    fn a_forced_apply_leaves_the_object_with_all_that_it_says(first in config(), second in config()) {
        let mut world = World::new();
        world.apply("one", &first, true);
        world.apply("two", &second, true);
        let comparison = compare(&world.ty, &second, &world.live);
        prop_assert!(comparison.modified.is_empty(), "{:?}", comparison.modified);
        prop_assert!(comparison.removed.is_empty(), "{:?}", comparison.removed);
    }

    #[test]
    fn a_refused_apply_is_one_that_would_change_what_others_own(first in config(), second in config()) {
        let mut world = World::new();
        world.apply("one", &first, true);
        let before = (world.live.clone(), world.managers.clone());
        let changes = compare(&world.ty, &first, &world.live);
        prop_assert!(changes.modified.is_empty());
        if world.apply("two", &second, false) {
            let kept = compare(&world.ty, &first, &world.live);
            prop_assert!(kept.modified.is_empty() && kept.removed.is_empty(), "{kept:?}");
        } else {
            prop_assert_eq!(before, (world.live, world.managers));
        }
    }

    #[test]
    fn giving_everything_up_leaves_what_others_own(first in config(), second in config()) {
        let mut world = World::new();
        world.apply("one", &first, true);
        world.apply("two", &second, true);
        let nothing = json!({"apiVersion": "a/v1", "kind": "A", "metadata": {"name": "x"}});
        world.apply("one", &nothing, false);
        world.apply("two", &nothing, false);
        let left = field_set(&world.ty, &world.live).difference(&field_set(&world.ty, &nothing));
        prop_assert!(left.is_empty(), "{}", world.live);
    }

    #[test]
    fn an_update_owns_exactly_what_it_changed(first in config(), second in config()) {
        let mut world = World::new();
        world.apply("one", &first, true);
        let changes = compare(&world.ty, &world.live, &second);
        world.update(second);
        for (manager, owned) in &world.managers.0 {
            if manager.operation == Operation::Apply {
                prop_assert!(owned.set.intersection(&changes.modified).is_empty());
                prop_assert!(owned.set.intersection(&changes.removed).is_empty());
            }
        }
    }

    #[test]
    fn managed_fields_survive_their_encoding(first in config(), second in config()) {
        let mut world = World::new();
        world.apply("one", &first, true);
        world.update(second);
        prop_assert_eq!(Managers::decode(Some(&world.managers.encode())), Some(world.managers));
    }
}
