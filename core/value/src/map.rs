//! A map that keeps the order in which keys were inserted.

use alloc::string::String;

use indexmap::IndexMap;

use crate::Value;

type Entries = IndexMap<String, Value, foldhash::fast::FixedState>;

/// String keys to values, in insertion order; writers that need Go's order sort on the way out.
///
/// Equality ignores order, as for any map; the hash seed is fixed, so that equal input gives equal runs.
#[derive(Clone, Default, PartialEq)]
pub struct Map(Entries);

impl Map {
    /// An empty map.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of `key`.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.0.get(key)
    }

    /// The value of `key`, to change.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        self.0.get_mut(key)
    }

    /// Whether `key` has a value (which may be null).
    #[must_use]
    pub fn contains_key(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    /// Sets `key`; an existing key keeps its place. Returns the value it had.
    pub fn insert(&mut self, key: impl Into<String>, value: impl Into<Value>) -> Option<Value> {
        self.0.insert(key.into(), value.into())
    }

    /// The place of `key` in the order.
    pub(crate) fn index_of(&self, key: &str) -> Option<usize> {
        self.0.get_index_of(key)
    }

    /// Removes `key`; the order of the others stays.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        self.0.shift_remove(key)
    }

    /// The value of `key`, set to `default` first if absent.
    pub fn or_insert(&mut self, key: &str, default: impl Into<Value>) -> &mut Value {
        self.0.entry(String::from(key)).or_insert_with(|| default.into())
    }

    /// Entries in order.
    #[must_use]
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&str, &Value)> + ExactSizeIterator {
        self.0.iter().map(|(k, v)| (k.as_str(), v))
    }

    /// Entries in order, values to change.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (&str, &mut Value)> + ExactSizeIterator {
        self.0.iter_mut().map(|(k, v)| (k.as_str(), v))
    }

    /// Keys in order.
    #[must_use]
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &str> + ExactSizeIterator {
        self.0.keys().map(String::as_str)
    }

    /// Values in order.
    #[must_use]
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &Value> + ExactSizeIterator {
        self.0.values()
    }

    /// Keeps the entries for which `keep` answers true.
    pub fn retain(&mut self, mut keep: impl FnMut(&str, &mut Value) -> bool) {
        self.0.retain(|k, v| keep(k, v));
    }
}

impl core::fmt::Debug for Map {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<K: Into<String>, V: Into<Value>> FromIterator<(K, V)> for Map {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        Self(entries.into_iter().map(|(k, v)| (k.into(), v.into())).collect())
    }
}

impl<K: Into<String>, V: Into<Value>> Extend<(K, V)> for Map {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        self.0.extend(entries.into_iter().map(|(k, v)| (k.into(), v.into())));
    }
}

impl IntoIterator for Map {
    type Item = (String, Value);
    type IntoIter = indexmap::map::IntoIter<String, Value>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
