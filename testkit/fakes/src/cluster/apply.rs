//! Server-side apply, and updates by others.

use convoy_domain::id::ObjectId;
use convoy_domain::object::{Object, Scope};
use convoy_ports::{ApplyRequest, ClusterError};
use convoy_value::Value;

use super::fields::{self, FieldSet, Managers};
use super::readiness::Progress;
use super::{State, Stored, kinds, validation};

impl State {
    /// Applies, or says what would be.
    pub(super) fn apply(&mut self, request: &ApplyRequest<'_>) -> Result<Object, ClusterError> {
        let wanted = request.object;
        let scope = self.kind(&wanted.gvk())?.scope;
        let id = wanted.id(scope);
        self.check(wanted, &id)?;
        let after = match self.objects.get(&id) {
            None => self.created(wanted, &id, request.manager),
            Some(live) => {
                let after = applied(live, request, &id)?;
                validation::check_change(&live.object, &after.object, &id)?;
                after
            }
        };
        if request.dry_run {
            return Ok(after.object);
        }
        self.writes.push(format!("apply {id}"));
        Ok(self.store(&id, after))
    }

    fn check(&self, wanted: &Object, id: &ObjectId) -> Result<(), ClusterError> {
        let object = id.to_string();
        validation::check(wanted, id)?;
        if !id.namespace.is_empty() && !self.has_namespace(&id.namespace) {
            return Err(ClusterError::NamespaceMissing {
                object,
                why: format!("namespaces \"{}\" not found", id.namespace),
            });
        }
        let live = self.objects.get(id).map(|stored| &stored.object);
        let differs = |read: &str, live: &str| !read.is_empty() && read != live;
        let stale = match live {
            None => !wanted.uid().is_empty() || !wanted.resource_version().is_empty(),
            Some(live) => {
                differs(wanted.uid(), live.uid()) || differs(wanted.resource_version(), live.resource_version())
            }
        };
        if stale {
            Err(ClusterError::Stale { object })
        } else {
            Ok(())
        }
    }

    fn has_namespace(&self, name: &str) -> bool {
        self.objects.contains_key(&ObjectId {
            group: String::new(),
            kind: "Namespace".to_owned(),
            namespace: String::new(),
            name: name.to_owned(),
        })
    }

    fn created(&mut self, wanted: &Object, id: &ObjectId, manager: &str) -> Stored {
        let mut object = wanted.clone();
        if !id.namespace.is_empty() {
            object.set_namespace(&id.namespace);
        }
        fields::remove(&mut object, &["status"]);
        fields::set(&mut object, &["metadata", "uid"], format!("uid-{}", self.serial + 1));
        fields::set(&mut object, &["metadata", "generation"], 1_i64);
        fields::set(&mut object, &["metadata", "creationTimestamp"], "2026-01-01T00:00:00Z");
        Stored {
            managers: Managers::one(manager, FieldSet::of(wanted)),
            object,
            readiness: Progress::default(),
        }
    }

    /// Writes `after` over what is there, with a new version if anything changed; returns what is stored then.
    pub(super) fn store(&mut self, id: &ObjectId, mut after: Stored) -> Object {
        let before = self.objects.get(id);
        let unchanged = before.is_some_and(|before| before.object == after.object);
        if let Some(before) = before
            && spec_of(&before.object) != spec_of(&after.object)
        {
            let generation = before.object.at(&["metadata", "generation"]).and_then(Value::as_i64);
            fields::set(
                &mut after.object,
                &["metadata", "generation"],
                generation.unwrap_or_default() + 1,
            );
            after.readiness = Progress::default();
        }
        let is_definition = id.kind == "CustomResourceDefinition";
        if let Some(kind) = Some(&after.object).filter(|_| is_definition).and_then(kinds::defined) {
            let key = (kind.gvk.group.clone(), kind.gvk.kind.clone());
            self.kinds.insert(key, kind);
        }
        self.objects.insert(id.clone(), after);
        if !unchanged {
            self.touch(id);
            self.changed(id);
        }
        self.objects[id].object.clone()
    }

    /// Writes an object as another manager does.
    pub(super) fn put(&mut self, object: &Object, manager: &str) {
        let scope = self.kind(&object.gvk()).map_or(Scope::Namespaced, |kind| kind.scope);
        let id = object.id(scope);
        let mut stored = self.created(object, &id, manager);
        if let Some(live) = self.objects.get(&id) {
            for field in ["uid", "generation", "creationTimestamp"] {
                if let Some(value) = live.object.at(&["metadata", field]) {
                    fields::set(&mut stored.object, &["metadata", field], value.clone());
                }
            }
        }
        self.update(&id, stored, manager);
    }

    /// Stores what a manager changed by update: it owns the fields that differ, alone.
    pub(super) fn update(&mut self, id: &ObjectId, mut after: Stored, manager: &str) {
        if let Some(before) = self.objects.get(id) {
            let mut managers = before.managers.clone();
            let mut own = managers.fields_of(manager);
            for path in FieldSet::of(&after.object).0 {
                if fields::at(&before.object, &path) != fields::at(&after.object, &path) {
                    managers.take_from_others(manager, &path);
                    own.0.insert(path);
                }
            }
            managers.set(manager, own);
            after.managers = managers;
        }
        self.store(id, after);
    }
}

/// An existing object after an apply.
fn applied(live: &Stored, request: &ApplyRequest<'_>, id: &ObjectId) -> Result<Stored, ClusterError> {
    let manager = request.manager;
    let wanted = FieldSet::of(request.object);
    let mut after = live.clone();
    let mut conflicts = Vec::new();
    for path in &wanted.0 {
        let value = fields::at(request.object, path);
        if fields::at(&live.object, path) == value {
            continue;
        }
        let others = live.managers.others(manager, path);
        if !others.is_empty() && !request.force {
            conflicts.push(format!(
                "conflict with \"{}\": .{}",
                others.join("\", \""),
                path.join(".")
            ));
            continue;
        }
        after.managers.take_from_others(manager, path);
        if let Some(value) = value {
            let keys: Vec<&str> = path.iter().map(String::as_str).collect();
            fields::set(&mut after.object, &keys, value.clone());
        }
    }
    if !conflicts.is_empty() {
        return Err(ClusterError::Conflict {
            object: id.to_string(),
            why: conflicts.join("; "),
        });
    }
    // What the manager no longer wants goes, unless somebody else wants it.
    for path in live.managers.fields_of(manager).0.difference(&wanted.0) {
        if live.managers.others(manager, path).is_empty() {
            let keys: Vec<&str> = path.iter().map(String::as_str).collect();
            fields::remove(&mut after.object, &keys);
        }
    }
    after.managers.set(manager, wanted);
    Ok(after)
}

/// Everything but metadata and status: what the generation counts changes of.
fn spec_of(object: &Object) -> Vec<(&str, &Value)> {
    let members = object.as_map().iter();
    members
        .filter(|(key, _)| !matches!(*key, "metadata" | "status"))
        .collect()
}
