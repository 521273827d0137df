//! Which `ConfigMap`s and Secrets have changed, of those that something names.
//!
//! Only their metadata is watched, and of that only the version is kept, for the names in use: what this holds grows
//! with what Releases, sources and Clusters name, not with what a cluster has.

use std::collections::{HashMap, HashSet};

use convoy_domain::id::NamespacedName;

/// The kinds whose entries are inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum DataKind {
    ConfigMap,
    Secret,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Data {
    pub(super) kind: DataKind,
    pub(super) id: NamespacedName,
}

/// What a watch of metadata says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SeenData {
    ListBegins(DataKind),
    /// It exists in this version.
    Version(Data, String),
    ListEnds(DataKind),
    Gone(Data),
}

/// The versions of what is named.
#[derive(Debug, Default)]
pub(super) struct Versions {
    known: HashMap<Data, String>,
    /// What a list that has begun holds so far.
    listing: HashMap<DataKind, HashSet<Data>>,
    /// Kinds that were listed once. Before that nothing has changed: whoever names it is looked at anyway.
    listed: HashSet<DataKind>,
}

impl Versions {
    /// Takes in one event; answers what has changed of what `is_named`.
    pub(super) fn see(&mut self, seen: SeenData, is_named: impl Fn(&Data) -> bool) -> Vec<Data> {
        match seen {
            SeenData::ListBegins(kind) => {
                self.listing.insert(kind, HashSet::new());
                Vec::new()
            }
            SeenData::Version(data, version) if is_named(&data) => self.version(data, version),
            SeenData::Version(..) => Vec::new(),
            SeenData::ListEnds(kind) => {
                self.listed.insert(kind);
                let listed = self.listing.remove(&kind).unwrap_or_default();
                let of_kind = self.known.keys().filter(|data| data.kind == kind);
                let gone: Vec<Data> = of_kind.filter(|data| !listed.contains(data)).cloned().collect();
                for data in &gone {
                    self.known.remove(data);
                }
                gone
            }
            SeenData::Gone(data) => {
                self.known.remove(&data);
                if is_named(&data) { vec![data] } else { Vec::new() }
            }
        }
    }

    fn version(&mut self, data: Data, version: String) -> Vec<Data> {
        let at_first = match self.listing.get_mut(&data.kind) {
            Some(listing) => {
                listing.insert(data.clone());
                !self.listed.contains(&data.kind)
            }
            None => false,
        };
        // What has come to be named since it was listed is not known, but a watch tells of changes only.
        let changed = self.known.get(&data).map_or(!at_first, |before| *before != version);
        self.known.insert(data.clone(), version);
        if changed { vec![data] } else { Vec::new() }
    }

    /// Nothing names it any more.
    pub(super) fn forget(&mut self, data: &Data) {
        self.known.remove(data);
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.known.len() + self.listing.values().map(HashSet::len).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(name: &str) -> Data {
        Data {
            kind: DataKind::Secret,
            id: NamespacedName::new("apps", name).unwrap(),
        }
    }

    fn at(name: &str, version: &str) -> SeenData {
        SeenData::Version(secret(name), version.to_owned())
    }

    fn see(versions: &mut Versions, seen: SeenData) -> Vec<Data> {
        versions.see(seen, |data| data.id.name().starts_with("used"))
    }

    fn listed(versions: &mut Versions, list: &[(&str, &str)]) -> Vec<Data> {
        let mut changed = see(versions, SeenData::ListBegins(DataKind::Secret));
        for (name, version) in list {
            changed.extend(see(versions, at(name, version)));
        }
        changed.extend(see(versions, SeenData::ListEnds(DataKind::Secret)));
        changed
    }

    #[test]
    fn a_first_list_tells_of_no_change_and_what_follows_does() {
        let mut versions = Versions::default();
        assert_eq!(listed(&mut versions, &[("used", "1"), ("other", "1")]), []);
        assert_eq!(see(&mut versions, at("used", "1")), []);
        assert_eq!(see(&mut versions, at("used", "2")), [secret("used")]);
        assert_eq!(see(&mut versions, at("used-new", "3")), [secret("used-new")]);
        assert_eq!(see(&mut versions, SeenData::Gone(secret("used"))), [secret("used")]);
        for seen in [at("other", "2"), SeenData::Gone(secret("other"))] {
            assert_eq!(see(&mut versions, seen), []);
        }
    }

    #[test]
    fn a_list_after_a_break_tells_what_was_missed() {
        let mut versions = Versions::default();
        listed(
            &mut versions,
            &[("used-same", "1"), ("used-changed", "1"), ("used-gone", "1")],
        );
        let mut changed = listed(
            &mut versions,
            &[("used-same", "1"), ("used-changed", "2"), ("used-new", "3")],
        );
        changed.sort();
        assert_eq!(changed, ["used-changed", "used-gone", "used-new"].map(secret));
        assert_eq!(see(&mut versions, at("used-gone", "4")), [secret("used-gone")]);
    }

    #[test]
    fn what_nothing_names_takes_no_room() {
        let mut versions = Versions::default();
        let many: Vec<String> = (0..10_000).map(|i| format!("other-{i}")).collect();
        see(&mut versions, SeenData::ListBegins(DataKind::Secret));
        for name in &many {
            see(&mut versions, at(name, "1"));
        }
        assert_eq!(versions.len(), 0);
        see(&mut versions, at("used", "1"));
        see(&mut versions, SeenData::ListEnds(DataKind::Secret));
        assert_eq!(versions.len(), 1);
        versions.forget(&secret("used"));
        assert_eq!(versions.len(), 0);
    }
}
