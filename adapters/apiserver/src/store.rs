//! Objects by resource, namespace and name, with one revision for everything and a bounded log of what happened.
//!
//! # Invariant
//! A revision names one write. The log holds every write after [`Store::compacted`], in order; whoever asks for older
//! ones is told that they are gone.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Bound;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::watch;

/// Where an object is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key {
    /// Resource and group, as `deployments.apps`.
    pub(crate) storage: Arc<str>,
    /// Empty for cluster-wide objects.
    pub(crate) namespace: String,
    pub(crate) name: String,
}

/// An object as it was after one write.
#[derive(Debug)]
pub(crate) struct Stored {
    pub(crate) value: Value,
    bytes: usize,
}

/// What a write did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    Added,
    Modified,
    Deleted,
}

/// One write.
#[derive(Debug, Clone)]
pub(crate) struct Event {
    pub(crate) revision: u64,
    pub(crate) key: Key,
    pub(crate) change: Change,
    pub(crate) object: Arc<Stored>,
    pub(crate) previous: Option<Arc<Stored>>,
}

/// What the store may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Objects in the store.
    pub objects: usize,
    /// Bytes of all objects together (as their JSON text, about).
    pub bytes: usize,
    /// Bytes of one object.
    pub object_bytes: usize,
    /// Writes that the event log remembers for watches and consistent lists.
    pub events: usize,
    /// Watches open at one time.
    pub watches: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            objects: 100_000,
            bytes: 512 << 20,
            object_bytes: 3 << 19,
            events: 10_000,
            watches: 10_000,
        }
    }
}

/// The store refused a write.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Full {
    #[error("the store holds its limit of {0} objects")]
    Objects(usize),
    #[error("the store holds its limit of {0} bytes")]
    Bytes(usize),
    #[error("the object has {0} bytes, more than the limit of {1}")]
    Object(usize, usize),
}

#[derive(Debug)]
pub(crate) struct Store {
    revision: u64,
    compacted: u64,
    objects: BTreeMap<Key, Arc<Stored>>,
    by_uid: BTreeMap<String, Key>,
    dependents: BTreeMap<String, BTreeSet<Key>>,
    log: VecDeque<Event>,
    log_bytes: usize,
    bytes: usize,
    limits: Limits,
    notify: watch::Sender<u64>,
}

fn size_of(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) => 5,
        Value::Number(_) => 8,
        Value::String(text) => text.len() + 3,
        Value::Array(items) => 2 + items.iter().map(|item| 1 + size_of(item)).sum::<usize>(),
        Value::Object(map) => {
            2 + map
                .iter()
                .map(|(name, item)| name.len() + 4 + size_of(item))
                .sum::<usize>()
        }
    }
}

fn uid_of(value: &Value) -> Option<&str> {
    value["metadata"]["uid"].as_str()
}

fn owners_of(value: &Value) -> impl Iterator<Item = &str> {
    let references = value["metadata"]["ownerReferences"].as_array().into_iter().flatten();
    references.filter_map(|reference| reference["uid"].as_str())
}

impl Store {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            revision: 1,
            compacted: 0,
            objects: BTreeMap::new(),
            by_uid: BTreeMap::new(),
            dependents: BTreeMap::new(),
            log: VecDeque::new(),
            log_bytes: 0,
            bytes: 0,
            limits,
            notify: watch::Sender::new(1),
        }
    }

    pub(crate) fn limits(&self) -> Limits {
        self.limits
    }

    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    /// The last revision that the log has forgotten.
    pub(crate) fn compacted(&self) -> u64 {
        self.compacted
    }

    /// Tells the revision after each write.
    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.notify.subscribe()
    }

    pub(crate) fn get(&self, key: &Key) -> Option<&Arc<Stored>> {
        self.objects.get(key)
    }

    pub(crate) fn by_uid(&self, uid: &str) -> Option<&Key> {
        self.by_uid.get(uid)
    }

    /// Objects that name this uid as an owner.
    pub(crate) fn dependents(&self, uid: &str) -> Vec<Key> {
        self.dependents.get(uid).into_iter().flatten().cloned().collect()
    }

    /// The objects of a resource in one namespace (all namespaces when empty), after a position, in order.
    pub(crate) fn list<'a>(
        &'a self,
        storage: &'a Arc<str>,
        namespace: &'a str,
        after: Option<(&str, &str)>,
    ) -> impl Iterator<Item = (&'a Key, &'a Arc<Stored>)> {
        let key = |namespace: &str, name: &str| Key {
            storage: storage.clone(),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        };
        let start = match after {
            Some((namespace, name)) => Bound::Excluded(key(namespace, name)),
            None => Bound::Included(key(namespace, "")),
        };
        self.objects
            .range((start, Bound::Unbounded))
            .take_while(move |(key, _)| key.storage == *storage && (namespace.is_empty() || key.namespace == namespace))
    }

    /// The keys of all objects in a namespace.
    pub(crate) fn in_namespace(&self, namespace: &str) -> Vec<Key> {
        self.objects
            .keys()
            .filter(|key| key.namespace == namespace)
            .cloned()
            .collect()
    }

    /// Writes an object and gives it its `resourceVersion`.
    ///
    /// # Errors
    /// A limit of the store.
    pub(crate) fn put(&mut self, key: Key, mut value: Value) -> Result<Arc<Stored>, Full> {
        let bytes = size_of(&value);
        let previous = self.objects.get(&key).cloned();
        let before = previous.as_ref().map_or(0, |stored| stored.bytes);
        if bytes > self.limits.object_bytes {
            return Err(Full::Object(bytes, self.limits.object_bytes));
        }
        if bytes > before && self.bytes - before + bytes > self.limits.bytes {
            return Err(Full::Bytes(self.limits.bytes));
        }
        if previous.is_none() && self.objects.len() >= self.limits.objects {
            return Err(Full::Objects(self.limits.objects));
        }
        self.revision += 1;
        value["metadata"]["resourceVersion"] = json!(self.revision.to_string());
        let stored = Arc::new(Stored { value, bytes });
        if let Some(previous) = &previous {
            self.forget_indexes(&key, &previous.value);
        }
        if let Some(uid) = uid_of(&stored.value) {
            self.by_uid.insert(uid.to_owned(), key.clone());
        }
        for owner in owners_of(&stored.value) {
            self.dependents.entry(owner.to_owned()).or_default().insert(key.clone());
        }
        self.bytes = self.bytes - before + bytes;
        self.objects.insert(key.clone(), stored.clone());
        let change = if previous.is_some() {
            Change::Modified
        } else {
            Change::Added
        };
        self.record(Event {
            revision: self.revision,
            key,
            change,
            object: stored.clone(),
            previous,
        });
        Ok(stored)
    }

    /// Removes an object; what is returned carries the revision of its removal.
    pub(crate) fn remove(&mut self, key: &Key) -> Option<Arc<Stored>> {
        let previous = self.objects.remove(key)?;
        self.forget_indexes(key, &previous.value);
        self.bytes -= previous.bytes;
        self.revision += 1;
        let mut value = previous.value.clone();
        value["metadata"]["resourceVersion"] = json!(self.revision.to_string());
        let object = Arc::new(Stored {
            value,
            bytes: previous.bytes,
        });
        self.record(Event {
            revision: self.revision,
            key: key.clone(),
            change: Change::Deleted,
            object: object.clone(),
            previous: Some(previous),
        });
        Some(object)
    }

    fn forget_indexes(&mut self, key: &Key, value: &Value) {
        if let Some(uid) = uid_of(value) {
            self.by_uid.remove(uid);
        }
        for owner in owners_of(value) {
            if let Some(keys) = self.dependents.get_mut(owner) {
                keys.remove(key);
                if keys.is_empty() {
                    self.dependents.remove(owner);
                }
            }
        }
    }

    fn record(&mut self, event: Event) {
        self.log_bytes += event.object.bytes;
        self.log.push_back(event);
        while self.log.len() > self.limits.events || self.log_bytes > self.limits.bytes {
            let Some(oldest) = self.log.pop_front() else { break };
            self.log_bytes -= oldest.object.bytes;
            self.compacted = oldest.revision;
        }
        self.notify.send_replace(self.revision);
    }

    /// The writes after a revision, at most `max`; none when the log has forgotten some of them.
    pub(crate) fn since(&self, revision: u64, max: usize) -> Option<Vec<Event>> {
        if revision < self.compacted {
            return None;
        }
        let start = self.log.partition_point(|event| event.revision <= revision);
        Some(self.log.range(start..).take(max).cloned().collect())
    }

    /// The objects of a resource as they were at a revision; none when the log has forgotten too much.
    pub(crate) fn at(&self, storage: &Arc<str>, namespace: &str, revision: u64) -> Option<Vec<Arc<Stored>>> {
        if revision < self.compacted {
            return None;
        }
        let mut objects: BTreeMap<Key, Arc<Stored>> = self
            .list(storage, namespace, None)
            .map(|(key, stored)| (key.clone(), stored.clone()))
            .collect();
        for event in self.log.iter().rev().take_while(|event| event.revision > revision) {
            if event.key.storage != *storage || (!namespace.is_empty() && event.key.namespace != namespace) {
                continue;
            }
            match &event.previous {
                Some(previous) => objects.insert(event.key.clone(), previous.clone()),
                None => objects.remove(&event.key),
            };
        }
        Some(objects.into_values().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> Key {
        Key {
            storage: "things".into(),
            namespace: "a".into(),
            name: name.into(),
        }
    }

    fn store(limits: Limits) -> Store {
        Store::new(limits)
    }

    #[test]
    fn the_past_can_be_listed_until_it_is_forgotten() {
        let mut store = store(Limits {
            events: 3,
            ..Limits::default()
        });
        store.put(key("x"), json!({"metadata": {}})).unwrap();
        let first = store.revision();
        store.put(key("y"), json!({"metadata": {}})).unwrap();
        store.remove(&key("x"));
        let names = |objects: Vec<Arc<Stored>>| objects.len();
        assert_eq!(store.at(&"things".into(), "", first).map(names), Some(1));
        assert_eq!(store.at(&"things".into(), "", store.revision()).map(names), Some(1));
        for _ in 0..3 {
            store.put(key("z"), json!({"metadata": {}})).unwrap();
        }
        assert!(store.at(&"things".into(), "", first).is_none());
        assert!(store.since(first, 10).is_none());
        assert_eq!(store.since(store.compacted(), 10).map(|events| events.len()), Some(3));
    }

    #[test]
    fn each_limit_refuses_with_its_name() {
        let mut small = store(Limits {
            objects: 1,
            object_bytes: 200,
            bytes: 300,
            ..Limits::default()
        });
        small.put(key("x"), json!({"metadata": {}})).unwrap();
        assert_eq!(
            small.put(key("y"), json!({"metadata": {}})).unwrap_err(),
            Full::Objects(1)
        );
        let long = json!({"metadata": {}, "data": "x".repeat(500)});
        assert!(matches!(small.put(key("x"), long).unwrap_err(), Full::Object(_, 200)));
    }
}
