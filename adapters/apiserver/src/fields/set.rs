//! A set of field paths as a tree.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::PathElement;
use crate::types::{Type, View};

/// A set of paths. A path is a member independently of the paths below it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FieldSet {
    members: BTreeSet<PathElement>,
    children: BTreeMap<PathElement, FieldSet>,
}

/// Deeper field sets than this are refused when read from a client.
const MAX_DEPTH: usize = 100;

impl FieldSet {
    pub(crate) fn is_empty(&self) -> bool {
        self.members.is_empty() && self.children.values().all(Self::is_empty)
    }

    pub(crate) fn insert(&mut self, path: &[PathElement]) {
        match path {
            [] => {}
            [last] => {
                self.members.insert(last.clone());
            }
            [first, rest @ ..] => self.children.entry(first.clone()).or_default().insert(rest),
        }
    }

    pub(crate) fn has_member(&self, element: &PathElement) -> bool {
        self.members.contains(element)
    }

    pub(crate) fn below(&self, element: &PathElement) -> Option<&Self> {
        self.children.get(element)
    }

    /// A set of top-level fields and fields of `metadata`, from dotted names.
    pub(crate) fn of_fields(paths: &[&str]) -> Self {
        let mut set = Self::default();
        for path in paths {
            let steps: Vec<PathElement> = path.split('.').map(PathElement::field).collect();
            set.insert(&steps);
        }
        set
    }

    #[must_use]
    pub(crate) fn union(&self, other: &Self) -> Self {
        let mut out = self.clone();
        out.extend(other);
        out
    }

    pub(crate) fn extend(&mut self, other: &Self) {
        self.members.extend(other.members.iter().cloned());
        for (element, child) in &other.children {
            self.children.entry(element.clone()).or_default().extend(child);
        }
    }

    fn combine(
        &self,
        keep: impl Fn(&PathElement) -> bool,
        child: impl Fn(&PathElement, &Self) -> Option<Self>,
    ) -> Self {
        Self {
            members: self.members.iter().filter(|element| keep(element)).cloned().collect(),
            children: self
                .children
                .iter()
                .filter_map(|(element, set)| {
                    child(element, set)
                        .filter(|set| !set.is_empty())
                        .map(|set| (element.clone(), set))
                })
                .collect(),
        }
    }

    /// The paths of this set that are not members of the other.
    #[must_use]
    pub(crate) fn difference(&self, other: &Self) -> Self {
        self.combine(
            |element| !other.members.contains(element),
            |element, set| {
                Some(
                    other
                        .children
                        .get(element)
                        .map_or_else(|| set.clone(), |minus| set.difference(minus)),
                )
            },
        )
    }

    /// The paths of this set that are neither members of the other nor below one.
    #[must_use]
    pub(crate) fn recursive_difference(&self, other: &Self) -> Self {
        self.combine(
            |element| !other.members.contains(element),
            |element, set| {
                if other.members.contains(element) {
                    return None;
                }
                Some(
                    other
                        .children
                        .get(element)
                        .map_or_else(|| set.clone(), |minus| set.recursive_difference(minus)),
                )
            },
        )
    }

    #[must_use]
    pub(crate) fn intersection(&self, other: &Self) -> Self {
        self.combine(
            |element| other.members.contains(element),
            |element, set| other.children.get(element).map(|with| set.intersection(with)),
        )
    }

    /// Makes each named field on the way to a path a member too; items of lists and maps are left alone.
    #[must_use]
    pub(crate) fn with_named_fields(&self, ty: &Type) -> Self {
        let mut members = self.members.clone();
        let mut children = BTreeMap::new();
        let view = ty.view(None);
        for (element, set) in &self.children {
            let child = match (&view, element) {
                (View::Map(map), PathElement::Field(name)) => {
                    if map.field(name).is_some() {
                        members.insert(element.clone());
                    }
                    map.child(name)
                }
                (View::List(item, _), _) => item,
                (View::Leaf | View::Map(_), _) => &crate::types::ANY,
            };
            children.insert(element.clone(), set.with_named_fields(child));
        }
        Self { members, children }
    }

    /// All members: those of a level before those below it.
    pub(crate) fn paths(&self) -> Vec<Vec<PathElement>> {
        let mut out = Vec::new();
        self.collect(&mut Vec::new(), &mut out);
        out
    }

    fn collect(&self, prefix: &mut Vec<PathElement>, out: &mut Vec<Vec<PathElement>>) {
        for element in &self.members {
            prefix.push(element.clone());
            out.push(prefix.clone());
            prefix.pop();
        }
        for (element, child) in &self.children {
            prefix.push(element.clone());
            child.collect(prefix, out);
            prefix.pop();
        }
    }

    pub(crate) fn has(&self, path: &[PathElement]) -> bool {
        match path {
            [] => false,
            [last] => self.members.contains(last),
            [first, rest @ ..] => self.children.get(first).is_some_and(|child| child.has(rest)),
        }
    }

    /// The set in the format `FieldsV1`.
    pub(crate) fn encode(&self) -> Value {
        let mut out = Map::new();
        for element in &self.members {
            out.insert(element.encode(), Value::Object(Map::new()));
        }
        for (element, child) in &self.children {
            if child.is_empty() {
                continue;
            }
            let mut value = child.encode();
            if self.members.contains(element)
                && let Some(map) = value.as_object_mut()
            {
                map.insert(".".into(), Value::Object(Map::new()));
            }
            out.insert(element.encode(), value);
        }
        Value::Object(out)
    }

    /// Reads the format `FieldsV1`; none when it is not that.
    pub(crate) fn decode(value: &Value) -> Option<Self> {
        Self::decode_at(value, 0).map(|(set, _)| set)
    }

    fn decode_at(value: &Value, depth: usize) -> Option<(Self, bool)> {
        if depth > MAX_DEPTH {
            return None;
        }
        let mut set = Self::default();
        let mut itself = false;
        for (name, below) in value.as_object()? {
            if name == "." {
                itself = true;
                continue;
            }
            let element = PathElement::decode(name)?;
            let (child, member) = Self::decode_at(below, depth + 1)?;
            if member || child.is_empty() {
                set.members.insert(element.clone());
            }
            if !child.is_empty() {
                set.children.insert(element, child);
            }
        }
        Some((set, itself))
    }
}

/// A path as people read it.
pub(crate) fn show(path: &[PathElement]) -> String {
    path.iter().map(PathElement::show).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_set_survives_its_encoding() {
        let encoded = json!({"f:metadata": {"f:labels": {".": {}, "f:app": {}}}, "f:spec": {
            "f:ports": {"k:{\"port\":80,\"protocol\":\"TCP\"}": {".": {}, "f:port": {}}}, "f:finalizers": {"v:\"a\"": {}}}});
        let set = FieldSet::decode(&encoded).unwrap();
        assert_eq!(set.encode(), encoded);
        let shown: Vec<String> = set.paths().iter().map(|path| show(path)).collect();
        assert_eq!(shown[0], ".metadata.labels");
        assert!(
            shown.contains(&".spec.ports[port=80,protocol=\"TCP\"].port".to_owned()),
            "{shown:?}"
        );
    }

    #[test]
    fn a_member_does_not_cover_what_is_below_it() {
        let whole = FieldSet::of_fields(&["spec"]);
        let part = FieldSet::of_fields(&["spec.a"]);
        assert_eq!(part.difference(&whole), part);
        assert!(part.recursive_difference(&whole).is_empty());
    }
}
