//! Which manager owns which field, in the least detail that tells conflicts: fields are the leaves of mappings, and a
//! sequence is one field.

use std::collections::{BTreeMap, BTreeSet};

use convoy_domain::object::Object;
use convoy_value::{Map, Value};

/// Managers of client-side apply, whose fields can be taken over.
const CLIENT_SIDE: [&str; 4] = [
    "kubectl-client-side-apply",
    "kubectl-create",
    "helm",
    "before-first-apply",
];

type Path = Vec<String>;

/// A set of paths to leaves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FieldSet(pub(super) BTreeSet<Path>);

impl FieldSet {
    /// The leaves of an object, without its identity and what only the server writes.
    pub(super) fn of(object: &Object) -> Self {
        let mut paths = BTreeSet::new();
        leaves(object.as_map(), &mut Vec::new(), &mut paths);
        paths.retain(|path| !is_servers(path));
        Self(paths)
    }
}

fn leaves(map: &Map, path: &mut Path, found: &mut BTreeSet<Path>) {
    for (key, value) in map.iter() {
        path.push(key.to_owned());
        match value {
            Value::Object(below) if !below.is_empty() => leaves(below, path, found),
            Value::Object(_) | Value::Array(_) | Value::String(_) | Value::Number(_) | Value::Bool(_) | Value::Null => {
                found.insert(path.clone());
            }
        }
        path.pop();
    }
}

fn is_servers(path: &[String]) -> bool {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    match path[..] {
        ["apiVersion" | "kind" | "status", ..] => true,
        ["metadata", field, ..] => !matches!(field, "labels" | "annotations" | "finalizers" | "ownerReferences"),
        _ => false,
    }
}

/// Field sets by manager.
#[derive(Clone, Debug, Default)]
pub(super) struct Managers(BTreeMap<String, FieldSet>);

impl Managers {
    /// Those of a new object.
    pub(super) fn one(manager: &str, fields: FieldSet) -> Self {
        Self([(manager.to_owned(), fields)].into_iter().collect())
    }

    /// What `manager` owns.
    pub(super) fn fields_of(&self, manager: &str) -> FieldSet {
        self.0.get(manager).cloned().unwrap_or_default()
    }

    /// Managers of a path, joined with `/`.
    pub(super) fn owners_of(&self, path: &str) -> Vec<String> {
        let owns = |fields: &FieldSet| fields.0.iter().any(|field| field.join("/") == path);
        let owners = self.0.iter().filter(|(_, fields)| owns(fields));
        owners.map(|(manager, _)| manager.clone()).collect()
    }

    /// The other managers of a path.
    pub(super) fn others(&self, manager: &str, path: &Path) -> Vec<&str> {
        let owners = self
            .0
            .iter()
            .filter(|(name, fields)| *name != manager && fields.0.contains(path));
        owners.map(|(name, _)| name.as_str()).collect()
    }

    /// `manager` owns exactly `fields` from now on.
    pub(super) fn set(&mut self, manager: &str, fields: FieldSet) {
        self.0.insert(manager.to_owned(), fields);
    }

    /// Everybody but `manager` loses a path.
    pub(super) fn take_from_others(&mut self, manager: &str, path: &Path) {
        for (name, fields) in &mut self.0 {
            if name != manager {
                fields.0.remove(path);
            }
        }
    }

    /// Forgets a manager.
    pub(super) fn forget(&mut self, manager: &str) {
        self.0.remove(manager);
    }

    /// Gives the fields of client-side managers to `manager`; false when there are none.
    pub(super) fn take_over(&mut self, manager: &str) -> bool {
        let mut taken = self.fields_of(manager);
        let before = self.0.len();
        for name in CLIENT_SIDE {
            taken.0.extend(self.0.remove(name).unwrap_or_default().0);
        }
        if self.0.len() == before {
            return false;
        }
        self.set(manager, taken);
        true
    }
}

/// The value at a path.
pub(super) fn at<'a>(object: &'a Object, path: &Path) -> Option<&'a Value> {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    object.at(&path)
}

/// Sets the value at a path, making the mappings above it.
pub(super) fn set(object: &mut Object, path: &[&str], value: impl Into<Value>) {
    let Some((last, above)) = path.split_last() else {
        return;
    };
    let mut map = object.as_map_mut();
    for key in above {
        let slot = map.or_insert(key, Map::new());
        if slot.as_object().is_none() {
            *slot = Value::Object(Map::new());
        }
        let Some(below) = slot.as_object_mut() else {
            return;
        };
        map = below;
    }
    map.insert(*last, value);
}

/// Removes the value at a path, and the mappings above it that are empty then.
pub(super) fn remove(object: &mut Object, path: &[&str]) {
    remove_below(object.as_map_mut(), path);
}

fn remove_below(map: &mut Map, path: &[&str]) {
    let Some((first, rest)) = path.split_first() else {
        return;
    };
    if rest.is_empty() {
        map.remove(first);
        return;
    }
    if let Some(below) = map.get_mut(first).and_then(Value::as_object_mut) {
        remove_below(below, rest);
        if below.is_empty() {
            map.remove(first);
        }
    }
}
