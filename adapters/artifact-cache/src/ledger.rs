//! What is on the disk, and what makes room: numbers only, no file is touched here.

use std::collections::HashMap;

use convoy_ports::StoreUsage;

use crate::encoding::Hash;

/// Entries, the contents that they name, and the bytes of all.
#[derive(Debug)]
pub(crate) struct Ledger {
    bound: u64,
    clock: u64,
    entries: HashMap<Hash, Entry>,
    contents: HashMap<Hash, Content>,
    /// Bytes of files that are being written.
    reserved: u64,
    usage: StoreUsage,
}

#[derive(Debug)]
struct Entry {
    content: Hash,
    used: u64,
}

#[derive(Debug)]
struct Content {
    bytes: u64,
    entries: usize,
    readers: usize,
}

/// Files that are to be deleted.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Leaving {
    pub(crate) keys: Vec<Hash>,
    pub(crate) contents: Vec<Hash>,
}

impl Ledger {
    pub(crate) fn new(bound: u64) -> Self {
        Self {
            bound,
            clock: 0,
            entries: HashMap::new(),
            contents: HashMap::new(),
            reserved: 0,
            usage: StoreUsage::default(),
        }
    }

    pub(crate) fn usage(&self) -> StoreUsage {
        StoreUsage {
            entries: self.entries.len() as u64,
            bytes: self.usage.bytes + self.reserved,
            ..self.usage
        }
    }

    /// The content of a key, which stays until [`Ledger::read`].
    pub(crate) fn begin_read(&mut self, key: &Hash) -> Option<Hash> {
        self.clock += 1;
        let Some(entry) = self.entries.get_mut(key) else {
            self.usage.misses += 1;
            return None;
        };
        entry.used = self.clock;
        if let Some(content) = self.contents.get_mut(&entry.content) {
            content.readers += 1;
        }
        Some(entry.content.clone())
    }

    /// A read has ended; what was found damaged leaves, with every key that names it.
    pub(crate) fn read(&mut self, content: &Hash, is_whole: bool) -> Leaving {
        if let Some(content) = self.contents.get_mut(content) {
            content.readers = content.readers.saturating_sub(1);
        }
        if is_whole {
            self.usage.hits += 1;
            return Leaving::default();
        }
        self.usage.misses += 1;
        let mut leaving = Leaving::default();
        let naming = self.entries.iter().filter(|(_, entry)| entry.content == *content);
        let keys: Vec<Hash> = naming.map(|(key, _)| key.clone()).collect();
        for key in keys {
            self.remove(&key, &mut leaving);
        }
        leaving
    }

    /// Makes room for so many bytes and sets them aside; `None` when there can be none.
    pub(crate) fn reserve(&mut self, bytes: u64) -> Option<Leaving> {
        let most = self.bound.checked_sub(bytes)?;
        let excess = (self.usage.bytes + self.reserved).saturating_sub(most);
        let leaving = self.make_room(excess)?;
        self.reserved += bytes;
        Some(leaving)
    }

    /// What leaves so that so many bytes are free: entries that were used longest ago and that nobody reads. Nothing
    /// when that is not enough.
    fn make_room(&mut self, excess: u64) -> Option<Leaving> {
        let mut leaving = Leaving::default();
        if excess == 0 {
            return Some(leaving);
        }
        let idle = |entry: &&Entry| {
            self.contents
                .get(&entry.content)
                .is_some_and(|content| content.readers == 0)
        };
        let mut oldest: Vec<(u64, Hash)> = self
            .entries
            .iter()
            .filter(|(_, entry)| idle(entry))
            .map(|(key, entry)| (entry.used, key.clone()))
            .collect();
        let idle = self.contents.values().filter(|content| content.readers == 0);
        if idle.map(|content| content.bytes).sum::<u64>() < excess {
            return None;
        }
        oldest.sort_unstable();
        let target = self.usage.bytes.saturating_sub(excess);
        for (_, key) in oldest {
            if self.usage.bytes <= target {
                break;
            }
            self.remove(&key, &mut leaving);
            self.usage.evictions += 1;
        }
        Some(leaving)
    }

    /// What was set aside is not needed.
    pub(crate) fn release(&mut self, bytes: u64) {
        self.reserved = self.reserved.saturating_sub(bytes);
    }

    /// A content was written, in the room that was set aside, and `key` names it now.
    pub(crate) fn record(&mut self, key: Hash, content: Hash, bytes: u64) -> Leaving {
        self.release(bytes);
        self.clock += 1;
        let mut leaving = Leaving::default();
        let known = self.contents.entry(content.clone()).or_insert(Content {
            bytes: 0,
            entries: 0,
            readers: 0,
        });
        known.entries += 1;
        if known.entries == 1 {
            known.bytes = bytes;
            self.usage.bytes += bytes;
        }
        self.remove(&key, &mut leaving);
        // The file is written anew under the same name.
        leaving.keys.clear();
        let entry = Entry {
            content,
            used: self.clock,
        };
        self.entries.insert(key, entry);
        leaving
    }

    fn remove(&mut self, key: &Hash, leaving: &mut Leaving) {
        let Some(entry) = self.entries.remove(key) else {
            return;
        };
        leaving.keys.push(key.clone());
        let Some(content) = self.contents.get_mut(&entry.content) else {
            return;
        };
        content.entries -= 1;
        if content.entries == 0 {
            self.usage.bytes -= content.bytes;
            self.contents.remove(&entry.content);
            leaving.contents.push(entry.content);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(ledger: &mut Ledger, key: &str, content: &str, bytes: u64) -> Option<Leaving> {
        let mut leaving = ledger.reserve(bytes)?;
        let after = ledger.record(key.to_owned(), content.to_owned(), bytes);
        leaving.keys.extend(after.keys);
        leaving.contents.extend(after.contents);
        Some(leaving)
    }

    fn names(leaving: &Leaving) -> (Vec<&str>, Vec<&str>) {
        (
            leaving.keys.iter().map(String::as_str).collect(),
            leaving.contents.iter().map(String::as_str).collect(),
        )
    }

    #[test]
    fn what_is_read_stays_and_the_rest_makes_room() {
        let mut ledger = Ledger::new(100);
        put(&mut ledger, "a", "A", 40).unwrap();
        put(&mut ledger, "b", "B", 40).unwrap();
        let read = ledger.begin_read(&"a".to_owned()).unwrap();
        assert_eq!(put(&mut ledger, "c", "C", 70), None, "only 60 can be free");
        let leaving = put(&mut ledger, "c", "C", 60).unwrap();
        assert_eq!(names(&leaving), (vec!["b"], vec!["B"]));
        assert_eq!(ledger.read(&read, true), Leaving::default());
        let leaving = put(&mut ledger, "d", "D", 40).unwrap();
        assert_eq!(names(&leaving), (vec!["a"], vec!["A"]), "`c` is the younger one");
        assert_eq!((ledger.usage().bytes, ledger.usage().evictions), (100, 2));
    }

    #[test]
    fn two_keys_of_one_content_count_once_and_leave_it_together() {
        let mut ledger = Ledger::new(100);
        put(&mut ledger, "a", "X", 40).unwrap();
        let leaving = put(&mut ledger, "b", "X", 40).unwrap();
        assert_eq!((names(&leaving), ledger.usage().bytes), ((vec![], vec![]), 40));
        let read = ledger.begin_read(&"a".to_owned()).unwrap();
        let mut leaving = ledger.read(&read, false);
        leaving.keys.sort();
        assert_eq!(names(&leaving), (vec!["a", "b"], vec!["X"]));
        assert_eq!((ledger.usage().bytes, ledger.usage().entries), (0, 0));
    }

    #[test]
    fn what_is_being_written_counts() {
        let mut ledger = Ledger::new(100);
        assert!(ledger.reserve(60).is_some());
        assert_eq!(ledger.reserve(60), None);
        assert_eq!(ledger.usage().bytes, 60);
        ledger.release(60);
        assert!(ledger.reserve(60).is_some());
        assert_eq!(ledger.reserve(101), None);
    }
}
