//! A map that keeps the order in which keys were inserted.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::hash::BuildHasher as _;

use hashbrown::HashTable;

use crate::Value;

/// Entries up to which a key is looked for one by one: most mappings of a manifest have fewer, and need no index.
const SMALL: usize = 16;

/// String keys to values, in insertion order; writers that need Go's order sort on the way out.
///
/// Equality ignores order, as for any map; the hash seed is fixed, so that equal input gives equal runs.
///
/// # Invariant
/// No two entries have one key; the index, if there is one, holds the place of every entry.
#[derive(Clone, Default)]
pub struct Map {
    entries: Vec<(String, Value)>,
    index: Option<Box<HashTable<usize>>>,
}

fn hash(key: &str) -> u64 {
    foldhash::fast::FixedState::default().hash_one(key)
}

impl Map {
    /// An empty map.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The place of `key` in the order.
    pub(crate) fn index_of(&self, key: &str) -> Option<usize> {
        match &self.index {
            None => self.entries.iter().position(|(known, _)| known == key),
            Some(index) => index
                .find(hash(key), |place| {
                    self.entries.get(*place).is_some_and(|(known, _)| known == key)
                })
                .copied(),
        }
    }

    /// The value of `key`.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.entries.get(self.index_of(key)?).map(|(_, value)| value)
    }

    /// The value of `key`, to change.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        let place = self.index_of(key)?;
        self.entries.get_mut(place).map(|(_, value)| value)
    }

    /// Whether `key` has a value (which may be null).
    #[must_use]
    pub fn contains_key(&self, key: &str) -> bool {
        self.index_of(key).is_some()
    }

    /// Sets `key`; an existing key keeps its place. Returns the value it had.
    pub fn insert(&mut self, key: impl Into<String>, value: impl Into<Value>) -> Option<Value> {
        let (key, value) = (key.into(), value.into());
        if let Some(present) = self.get_mut(&key) {
            return Some(core::mem::replace(present, value));
        }
        self.push(key, value);
        None
    }

    /// Appends a key that is not there.
    pub(crate) fn push(&mut self, key: String, value: Value) {
        let place = self.entries.len();
        if let Some(index) = &mut self.index {
            let entries = &self.entries;
            index.insert_unique(hash(&key), place, |place| {
                entries.get(*place).map_or(0, |(key, _)| hash(key))
            });
        }
        self.entries.push((key, value));
        if self.index.is_none() && self.entries.len() > SMALL {
            self.rebuild_index();
        }
    }

    /// Gives back the room for entries that did not come.
    pub(crate) fn shrink(&mut self) {
        self.entries.shrink_to_fit();
    }

    fn rebuild_index(&mut self) {
        if self.entries.len() <= SMALL {
            self.index = None;
            return;
        }
        let entries = &self.entries;
        let hasher = |place: &usize| entries.get(*place).map_or(0, |(key, _)| hash(key));
        let mut index = HashTable::with_capacity(entries.len());
        for (place, (key, _)) in entries.iter().enumerate() {
            index.insert_unique(hash(key), place, hasher);
        }
        self.index = Some(Box::new(index));
    }

    /// Removes `key`; the order of the others stays. Takes time in proportion to the map.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        let place = self.index_of(key)?;
        let (_, value) = self.entries.remove(place);
        self.rebuild_index();
        Some(value)
    }

    /// The value of `key`, set to `default` first if absent.
    pub fn or_insert(&mut self, key: &str, default: impl Into<Value>) -> &mut Value {
        let place = self.index_of(key).unwrap_or_else(|| {
            self.push(key.into(), default.into());
            self.entries.len() - 1
        });
        &mut self.entries[place].1
    }

    /// Entries in order.
    #[must_use]
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&str, &Value)> + ExactSizeIterator {
        self.entries.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// Entries in order, values to change.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (&str, &mut Value)> + ExactSizeIterator {
        self.entries.iter_mut().map(|(key, value)| (key.as_str(), value))
    }

    /// Keys in order.
    #[must_use]
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &str> + ExactSizeIterator {
        self.entries.iter().map(|(key, _)| key.as_str())
    }

    /// Values in order.
    #[must_use]
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &Value> + ExactSizeIterator {
        self.entries.iter().map(|(_, value)| value)
    }

    /// Keeps the entries for which `keep` answers true.
    pub fn retain(&mut self, mut keep: impl FnMut(&str, &mut Value) -> bool) {
        self.entries.retain_mut(|(key, value)| keep(key, value));
        self.rebuild_index();
    }
}

impl PartialEq for Map {
    fn eq(&self, other: &Self) -> bool {
        // Mostly both have one order; then no look-up is needed.
        self.len() == other.len()
            && (self.iter().zip(other.iter())).all(|(ours, theirs)| {
                if ours.0 == theirs.0 {
                    ours.1 == theirs.1
                } else {
                    other.get(ours.0) == Some(ours.1)
                }
            })
    }
}

impl core::fmt::Debug for Map {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<K: Into<String>, V: Into<Value>> FromIterator<(K, V)> for Map {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::new();
        map.extend(entries);
        map
    }
}

impl<K: Into<String>, V: Into<Value>> Extend<(K, V)> for Map {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl IntoIterator for Map {
    type Item = (String, Value);
    type IntoIter = alloc::vec::IntoIter<(String, Value)>;
    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    fn numbered(count: i32) -> Map {
        (0..count).map(|i| (format!("k{i}"), i)).collect()
    }

    /// Small maps have no index, large ones do: both behave alike.
    #[test]
    fn entries_keep_their_order_and_are_found() {
        for count in [0, 1, 16, 17, 40] {
            let mut map = numbered(count);
            assert_eq!(map.len(), usize::try_from(count).unwrap());
            for i in 0..count {
                assert_eq!(map.get(&format!("k{i}")), Some(&Value::from(i)));
            }
            assert_eq!(map.get("absent"), None);
            assert_eq!(map.insert("k0", "new").is_some(), count > 0);
            assert_eq!(map.keys().next(), Some("k0"));
            assert_eq!(map.get("k0"), Some(&Value::from("new")));
        }
    }

    #[test]
    fn what_is_removed_is_gone_and_the_rest_stays_in_order() {
        for count in [5, 17, 18, 40] {
            let mut map = numbered(count);
            assert_eq!(map.remove("k1"), Some(Value::from(1)));
            assert_eq!(map.remove("k1"), None);
            map.retain(|key, _| key != "k3");
            let expect: Vec<i32> = (0..count).filter(|i| *i != 1 && *i != 3).collect();
            assert_eq!(
                map.values().filter_map(Value::as_i64).collect::<Vec<_>>(),
                expect.iter().map(|i| i64::from(*i)).collect::<Vec<_>>()
            );
            for i in expect {
                assert_eq!(map.get(&format!("k{i}")), Some(&Value::from(i)));
            }
        }
    }

    #[test]
    fn equality_ignores_order() {
        for count in [3, 30] {
            let map = numbered(count);
            let reversed: Map = map.clone().into_iter().rev().collect();
            assert_eq!(map, reversed);
            let mut other = reversed;
            other.insert("k0", "changed");
            assert_ne!(map, other);
            other.remove("k0");
            assert_ne!(map, other);
            other.insert("k", 0);
            assert_ne!(map, other);
        }
    }

    #[test]
    fn a_default_is_set_once() {
        let mut map = numbered(17);
        *map.or_insert("new", 1) = Value::from(2);
        assert_eq!(map.or_insert("new", 3), &Value::from(2));
        assert_eq!(map.or_insert("k0", 3), &Value::from(0));
        assert_eq!(map.len(), 18);
    }
}
