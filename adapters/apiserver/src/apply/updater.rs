//! Who owns what after a write.
//!
//! An update takes the fields that it changed from everybody. An apply owns exactly the fields of its configuration:
//! fields that it gave up disappear unless somebody else owns them, and changing a field of another manager is a
//! conflict unless forced.

use serde_json::Value;

use super::compare::{Comparison, compare, equal};
use super::managers::Owned;
use super::{Manager, Managers, MergeError, check_lists, field_set, merge, remove};
use crate::fields::{FieldSet, PathElement, show};
use crate::types::Type;

/// Fields that managers never own: identity and what the server fills in.
fn stripped() -> FieldSet {
    FieldSet::of_fields(&[
        "apiVersion",
        "kind",
        "metadata",
        "metadata.name",
        "metadata.namespace",
        "metadata.creationTimestamp",
        "metadata.selfLink",
        "metadata.uid",
        "metadata.generation",
        "metadata.managedFields",
        "metadata.resourceVersion",
    ])
}

/// One field that another manager owns with another value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Conflict {
    pub(crate) manager: Manager,
    pub(crate) path: Vec<PathElement>,
}

impl Conflict {
    /// The field as people read it.
    pub(crate) fn field(&self) -> String {
        show(&self.path)
    }
}

/// Why an apply did nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    Conflicts(Vec<Conflict>),
    Merge(MergeError),
}

/// Fields that the endpoint does not write: they are never owned through it.
pub(crate) struct Scope<'a> {
    pub(crate) ty: &'a Type,
    pub(crate) ignored: &'a FieldSet,
    pub(crate) now: &'a str,
}

/// Ownership after a plain write (`PUT`, patch, create) of `after` over `before`.
pub(crate) fn update(
    scope: &Scope<'_>,
    before: &Value,
    after: &Value,
    mut managers: Managers,
    manager: &Manager,
    api_version: &str,
) -> Managers {
    let comparison = compare(scope.ty, before, after).without(scope.ignored);
    take_over(&comparison, &mut managers, None);
    let taken = comparison.modified.union(&comparison.added).difference(&stripped());
    if !taken.is_empty() {
        let owned = managers.0.entry(manager.clone()).or_default();
        owned.set.extend(&taken);
        api_version.clone_into(&mut owned.api_version);
        owned.time = Some(scope.now.to_owned());
    }
    managers.without_empty();
    managers.cap();
    managers
}

/// The object and its managers after a configuration was applied over `live`.
///
/// # Errors
/// The conflicts, when other managers own fields that it would change and `force` is off.
pub(crate) fn apply(
    scope: &Scope<'_>,
    live: &Value,
    config: &Value,
    mut managers: Managers,
    manager: &Manager,
    api_version: &str,
    force: bool,
) -> Result<(Value, Managers), Refusal> {
    check_lists(scope.ty, config).map_err(Refusal::Merge)?;
    let merged = merge(scope.ty, Some(live), Some(config)).unwrap_or(Value::Null);
    let set = field_set(scope.ty, config).recursive_difference(scope.ignored);
    let last = managers.0.get(manager).cloned();
    let time = last.as_ref().and_then(|last| last.time.clone());
    managers.0.insert(
        manager.clone(),
        Owned {
            set: set.clone(),
            api_version: api_version.to_owned(),
            time,
        },
    );
    let object = match &last {
        Some(last) if !last.set.is_empty() => prune(scope.ty, &merged, &managers, &last.set),
        Some(_) | None => merged,
    };
    let comparison = compare(scope.ty, live, &object).without(scope.ignored);
    let conflicts = conflicts(&comparison, &managers, manager);
    if !force && !conflicts.is_empty() {
        return Err(Refusal::Conflicts(conflicts));
    }
    take_over(&comparison, &mut managers, Some(manager));
    let changed = !equal(live, &object);
    if let Some(owned) = managers.0.get_mut(manager) {
        owned.set = owned.set.difference(&stripped());
        if changed || owned.time.is_none() {
            owned.time = Some(scope.now.to_owned());
        }
    }
    managers.without_empty();
    Ok((object, managers))
}

fn conflicts(comparison: &Comparison, managers: &Managers, but: &Manager) -> Vec<Conflict> {
    let changed = comparison.modified.union(&comparison.added);
    let others = managers.0.iter().filter(|(manager, _)| *manager != but);
    others
        .flat_map(|(manager, owned)| {
            let paths = owned.set.intersection(&changed).paths();
            paths.into_iter().map(move |path| Conflict {
                manager: manager.clone(),
                path,
            })
        })
        .collect()
}

/// Takes changed and removed fields from all managers but one.
fn take_over(comparison: &Comparison, managers: &mut Managers, but: Option<&Manager>) {
    let gone = comparison.modified.union(&comparison.added).union(&comparison.removed);
    for (manager, owned) in &mut managers.0 {
        if Some(manager) != but {
            owned.set = owned.set.difference(&gone);
        }
    }
}

/// Removes what this manager applied last time, does not apply now, and nobody else owns.
fn prune(ty: &Type, merged: &Value, managers: &Managers, last: &FieldSet) -> Value {
    let last = last.with_named_fields(ty);
    let all = field_set(ty, merged).with_named_fields(ty);
    let mut owned = FieldSet::default();
    for other in managers.0.values() {
        owned.extend(&other.set);
    }
    let owned = owned.with_named_fields(ty);
    let pruned = remove::remove(ty, merged, &last);
    let left = field_set(ty, &pruned).with_named_fields(ty);
    let pruned = remove::remove(ty, merged, &all.difference(&left.union(&owned)));
    let left = field_set(ty, &pruned).with_named_fields(ty);
    remove::remove(ty, merged, &all.difference(&left).intersection(&last))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apply::Operation;
    use crate::types::builtin;
    use serde_json::json;

    struct World {
        live: Value,
        managers: Managers,
    }

    impl World {
        fn apply(&mut self, who: &str, config: &Value, force: bool) -> Result<(), Refusal> {
            let ty = builtin::named("Deployment");
            let scope = Scope {
                ty: &ty,
                ignored: &FieldSet::of_fields(&["status"]),
                now: "2026-01-01T00:00:00Z",
            };
            let manager = Manager::new(Operation::Apply, who, "apps/v1", "");
            let managers = self.managers.clone();
            let (object, managers) = apply(&scope, &self.live, config, managers, &manager, "apps/v1", force)?;
            self.live = object;
            self.managers = managers;
            Ok(())
        }

        fn update(&mut self, who: &str, after: Value) {
            let ty = builtin::named("Deployment");
            let scope = Scope {
                ty: &ty,
                ignored: &FieldSet::of_fields(&["status"]),
                now: "2026-01-01T00:00:00Z",
            };
            let manager = Manager::new(Operation::Update, who, "apps/v1", "");
            self.managers = update(&scope, &self.live, &after, self.managers.clone(), &manager, "apps/v1");
            self.live = after;
        }

        fn owned(&self, who: &str) -> Vec<String> {
            let found = self.managers.0.iter().filter(|(manager, _)| manager.name == who);
            found
                .flat_map(|(_, owned)| owned.set.paths().iter().map(|path| show(path)).collect::<Vec<_>>())
                .collect()
        }
    }

    fn world() -> World {
        World {
            live: json!({}),
            managers: Managers::default(),
        }
    }

    fn config(replicas: Option<u32>, containers: &Value) -> Value {
        let mut value = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"},
            "spec": {"template": {"spec": {"containers": containers}}}});
        if let Some(replicas) = replicas {
            value["spec"]["replicas"] = json!(replicas);
        }
        value
    }

    #[test]
    fn a_value_of_another_manager_is_a_conflict_until_forced() {
        let mut world = world();
        world.apply("one", &config(Some(1), &json!([])), false).unwrap();
        let refused = world.apply("two", &config(Some(2), &json!([])), false).unwrap_err();
        let Refusal::Conflicts(conflicts) = refused else {
            panic!("{refused:?}")
        };
        assert_eq!(conflicts.len(), 1);
        assert_eq!(conflicts[0].field(), ".spec.replicas");
        world.apply("two", &config(Some(2), &json!([])), true).unwrap();
        assert_eq!(world.live["spec"]["replicas"], 2);
        assert!(!world.owned("one").contains(&".spec.replicas".to_owned()));
    }

    #[test]
    fn a_field_that_is_no_longer_applied_disappears_unless_somebody_owns_it() {
        let mut world = world();
        world.apply("one", &config(Some(1), &json!([])), false).unwrap();
        world.apply("two", &config(Some(1), &json!([])), false).unwrap();
        world.apply("one", &config(None, &json!([])), false).unwrap();
        assert_eq!(world.live["spec"]["replicas"], 1, "two still owns it");
        world.apply("two", &config(None, &json!([])), false).unwrap();
        assert_eq!(world.live["spec"].get("replicas"), None);
    }

    #[test]
    fn items_of_keyed_lists_are_merged_and_removed_by_key() {
        let mut world = world();
        world
            .apply("one", &config(None, &json!([{"name": "a", "image": "x"}])), false)
            .unwrap();
        world
            .apply("two", &config(None, &json!([{"name": "b", "image": "y"}])), false)
            .unwrap();
        let names: Vec<&Value> = world.live["spec"]["template"]["spec"]["containers"]
            .as_array()
            .unwrap()
            .iter()
            .map(|c| &c["name"])
            .collect();
        assert_eq!(names, ["a", "b"]);
        world
            .apply("two", &config(None, &json!([{"name": "c"}])), false)
            .unwrap();
        let containers = &world.live["spec"]["template"]["spec"]["containers"];
        assert_eq!(containers, &json!([{"name": "a", "image": "x"}, {"name": "c"}]));
    }

    #[test]
    fn an_update_takes_what_it_changed_and_names_new_parents() {
        let mut world = world();
        world.apply("one", &config(Some(1), &json!([])), false).unwrap();
        let mut after = world.live.clone();
        after["spec"]["replicas"] = json!(3);
        after["metadata"]["labels"] = json!({"a": "b"});
        world.update("ctl", after);
        assert_eq!(
            world.owned("ctl"),
            [".metadata.labels", ".metadata.labels.a", ".spec.replicas"]
        );
        assert!(!world.owned("one").contains(&".spec.replicas".to_owned()));
    }
}
