//! The entries of a map, in order of keys: a sorted list while they are few or none is added, a tree above.

use alloc::collections::{BTreeMap, btree_map};
use alloc::vec::Vec;
use core::slice;

use super::Value;
use crate::Str;

/// Up to so many entries a walk over the list is faster than a search, and adding one than a descent in a tree.
const FEW: usize = 16;

#[derive(Clone, Debug)]
pub(super) enum Entries {
    /// More than [`FEW`] only if it was made of so many.
    List(Vec<(Str, Value)>),
    Tree(BTreeMap<Str, Value>),
}

impl Default for Entries {
    fn default() -> Self {
        Self::List(Vec::new())
    }
}

impl Entries {
    /// Of entries in the order of keys, each of which stands once.
    pub(super) fn sorted(entries: Vec<(Str, Value)>) -> Self {
        debug_assert!(entries.is_sorted_by(|(a, _), (b, _)| a < b), "keys in order");
        Self::List(entries)
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        match self {
            Self::List(list) => list.len(),
            Self::Tree(tree) => tree.len(),
        }
    }

    #[inline]
    pub(super) fn get(&self, key: &[u8]) -> Option<&Value> {
        match self {
            Self::List(list) => {
                let place = if list.len() <= FEW {
                    list.iter().position(|(known, _)| known.as_bytes() == key)
                } else {
                    list.binary_search_by(|(known, _)| known.as_bytes().cmp(key)).ok()
                };
                list.get(place?).map(|(_, value)| value)
            }
            Self::Tree(tree) => tree.get(key),
        }
    }

    /// As [`Entries::get`], for a name that is at hand as it would stand in the map.
    #[inline]
    pub(super) fn field(&self, name: &Str) -> Option<&Value> {
        match self {
            Self::List(list) if list.len() <= FEW => {
                list.iter().find(|(known, _)| known == name).map(|(_, value)| value)
            }
            Self::List(_) | Self::Tree(_) => self.get(name),
        }
    }

    pub(super) fn insert(&mut self, key: Str, value: Value) {
        if let Self::List(list) = self {
            let place = list.partition_point(|(known, _)| *known < key);
            if let Some((known, old)) = list.get_mut(place)
                && *known == key
            {
                *old = value;
                return;
            }
            if list.len() < FEW {
                list.insert(place, (key, value));
                return;
            }
            self.grow();
        }
        if let Self::Tree(tree) = self {
            tree.insert(key, value);
        }
    }

    pub(super) fn remove(&mut self, key: &[u8]) -> Option<Value> {
        if self.len() > FEW {
            self.grow();
        }
        match self {
            Self::List(list) => {
                let place = list.iter().position(|(known, _)| known.as_bytes() == key)?;
                Some(list.remove(place).1)
            }
            Self::Tree(tree) => tree.remove(key),
        }
    }

    /// Makes a tree of it, in which a change costs a search, however many entries there are.
    fn grow(&mut self) {
        if let Self::List(list) = self {
            *self = Self::Tree(core::mem::take(list).into_iter().collect());
        }
    }

    /// The first entry whose key comes after `key`.
    pub(super) fn after(&self, key: &Str) -> Option<(&Str, &Value)> {
        use core::ops::Bound;
        match self {
            Self::List(list) => {
                let place = list.partition_point(|(known, _)| known <= key);
                list.get(place).map(|(key, value)| (key, value))
            }
            Self::Tree(tree) => tree.range::<Str, _>((Bound::Excluded(key), Bound::Unbounded)).next(),
        }
    }

    pub(super) fn iter(&self) -> Iter<'_> {
        match self {
            Self::List(list) => Iter::List(list.iter()),
            Self::Tree(tree) => Iter::Tree(tree.iter()),
        }
    }
}

/// Entries in order of keys.
#[derive(Clone, Debug)]
pub(super) enum Iter<'e> {
    List(slice::Iter<'e, (Str, Value)>),
    Tree(btree_map::Iter<'e, Str, Value>),
}

impl<'e> Iterator for Iter<'e> {
    type Item = (&'e Str, &'e Value);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::List(list) => list.next().map(|(key, value)| (key, value)),
            Self::Tree(tree) => tree.next(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match self {
            Self::List(list) => list.size_hint(),
            Self::Tree(tree) => tree.size_hint(),
        }
    }
}

impl DoubleEndedIterator for Iter<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        match self {
            Self::List(list) => list.next_back().map(|(key, value)| (key, value)),
            Self::Tree(tree) => tree.next_back(),
        }
    }
}

impl ExactSizeIterator for Iter<'_> {}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    #[test]
    fn entries_in_order_are_what_inserting_them_gives() {
        for count in 0..40 {
            let list: Vec<(Str, Value)> = (10..10 + count)
                .map(|n| (Str::from(format!("key{n}")), Value::int(n)))
                .collect();
            let mut inserted = Entries::default();
            for (key, value) in list.iter().rev() {
                inserted.insert(key.clone(), value.clone());
            }
            let sorted = Entries::sorted(list);
            assert_eq!(sorted.len(), inserted.len());
            let shown = |entries: &Entries| format!("{:?}", entries.iter().collect::<Vec<_>>());
            assert_eq!(shown(&sorted), shown(&inserted));
            for key in ["key12", "key49", "none"].map(Str::from) {
                assert_eq!(sorted.get(&key).is_some(), inserted.get(&key).is_some());
                assert_eq!(sorted.field(&key).is_some(), inserted.get(&key).is_some());
            }
            let mut changed = sorted.clone();
            assert_eq!(changed.remove(b"key12").is_some(), inserted.remove(b"key12").is_some());
            changed.insert("new".into(), Value::Nil);
            inserted.insert("new".into(), Value::Nil);
            assert_eq!(shown(&changed), shown(&inserted));
        }
    }

    /// Against a tree: whatever is inserted and removed, below and above the bound of the list.
    #[test]
    fn entries_are_those_of_an_ordered_map() {
        let mut entries = Entries::default();
        let mut model: BTreeMap<Str, i64> = BTreeMap::new();
        let mut state: u64 = 7;
        for round in 0..4_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let range = if round % 2_000 < 1_000 { 12 } else { 60 };
            let key = Str::from(format!("key{}", (state >> 33) % range));
            if (state >> 20).is_multiple_of(3) {
                assert_eq!(entries.remove(&key).is_some(), model.remove(&key).is_some());
            } else {
                entries.insert(key.clone(), Value::int(round));
                model.insert(key.clone(), round);
            }
            assert_eq!(entries.len(), model.len());
            assert!(entries.iter().map(|(key, _)| key).eq(model.keys()));
            assert!(entries.iter().rev().map(|(key, _)| key).eq(model.keys().rev()));
            assert_eq!(entries.get(&key).is_some(), model.contains_key(&key));
            let next = model.keys().find(|other| **other > key);
            assert_eq!(entries.after(&key).map(|(key, _)| key), next);
        }
    }
}
