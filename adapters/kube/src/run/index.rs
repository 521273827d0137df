//! What has been seen of each object, and who names it: which change makes which object worth a look.
//!
//! An object is looked at when its own inputs change (its generation, the requests in its annotations, its deletion),
//! not when only its status does: that is our own writing. It is also looked at when what it names changes: the
//! source, the Cluster and the dependencies of a Release, and the `ConfigMap`s and Secrets of each. What a source or a
//! Cluster reads from a Secret counts for the Releases that name it, too.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::time::Duration;

use super::Key;
use super::data::{Data, SeenData, Versions};

/// What an object names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Name {
    /// What is looked at itself.
    Object(Key),
    /// What is only read.
    Data(Data),
}

/// The kinds that are watched, each on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Watched {
    Releases,
    GitRepositories,
    HelmRegistries,
    OciRegistries,
    Clusters,
}

/// What a watch says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// A new list begins.
    ListBegins(Watched),
    /// An object exists in this form.
    Object(Watched, Box<Facts>),
    /// The list is complete: what it did not hold is gone.
    ListEnds(Watched),
    /// An object is gone.
    Gone(Watched, Key),
    /// Of a `ConfigMap` or Secret.
    Data(SeenData),
}

/// What counts of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Facts {
    pub(super) key: Key,
    /// A change of these makes the object itself worth a look.
    pub(super) inputs: Inputs,
    /// A change of these makes those that name the object worth one.
    pub(super) state: Vec<String>,
    /// What the object names.
    pub(super) names: BTreeSet<Name>,
    /// Of a source: for how long what it gave is not asked for again.
    pub(super) rest: Duration,
}

/// What a look depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Inputs {
    pub(super) uid: String,
    pub(super) generation: i64,
    pub(super) deleting: bool,
    pub(super) metadata: BTreeMap<String, String>,
}

impl Inputs {
    /// The stamp of the last webhook.
    fn webhook(&self) -> Option<&String> {
        self.metadata.get(WEBHOOK)
    }
}

/// How [`Inputs`] have the annotation that webhooks write.
pub(super) const WEBHOOK: &str = "annotation core.convoy.kumodo.io/fetch-requested";

/// What follows from what was seen.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Effect {
    pub(super) look_at: BTreeSet<Key>,
    /// Looks beside those, after a time: a source is not asked again before.
    pub(super) look_later: BTreeMap<Key, Duration>,
    pub(super) gone: BTreeSet<Key>,
}

/// Everything seen so far.
#[derive(Debug, Default)]
pub(super) struct Index {
    objects: HashMap<Key, (Watched, Facts)>,
    /// Who names it.
    named_by: HashMap<Name, BTreeSet<Key>>,
    /// Of the `ConfigMap`s and Secrets among the names.
    versions: Versions,
    /// Keys of a list that has begun and not ended.
    listing: HashMap<Watched, HashSet<Key>>,
}

impl Index {
    /// Takes in one event.
    pub(super) fn see(&mut self, seen: Seen) -> Effect {
        let mut effect = Effect::default();
        match seen {
            Seen::ListBegins(watched) => {
                self.listing.insert(watched, HashSet::new());
            }
            Seen::Object(watched, facts) => {
                if let Some(listed) = self.listing.get_mut(&watched) {
                    listed.insert(facts.key.clone());
                }
                self.found(watched, *facts, &mut effect);
            }
            Seen::ListEnds(watched) => {
                let listed = self.listing.remove(&watched).unwrap_or_default();
                let lost: Vec<Key> = self
                    .objects
                    .iter()
                    .filter(|(key, (of, _))| *of == watched && !listed.contains(*key))
                    .map(|(key, _)| key.clone())
                    .collect();
                for key in lost {
                    self.lost(&key, &mut effect);
                }
            }
            Seen::Gone(_, key) => self.lost(&key, &mut effect),
            Seen::Data(seen) => {
                let named_by = &self.named_by;
                let is_named = |data: &Data| named_by.contains_key(&Name::Data(data.clone()));
                for data in self.versions.see(seen, is_named) {
                    self.wake(&Name::Data(data), &mut effect);
                }
            }
        }
        effect
    }

    fn found(&mut self, watched: Watched, facts: Facts, effect: &mut Effect) {
        let key = facts.key.clone();
        let before = self.objects.get(&key).map(|(_, before)| before);
        let inputs_changed = before.is_none_or(|before| before.inputs != facts.inputs);
        let state_changed = before.is_none_or(|before| before.state != facts.state);
        // What a Release waits for in another is its state; of a source or a Cluster its inputs count too.
        let concerns_others = state_changed || inputs_changed && !matches!(key, Key::Release(_));
        if inputs_changed {
            effect.look_at.insert(key.clone());
        }
        if concerns_others {
            self.wake(&Name::Object(key.clone()), effect);
        }
        // A look now may find an answer that is too fresh to be asked for again, and older than the webhook.
        if before.is_some_and(|before| before.inputs.webhook() != facts.inputs.webhook()) {
            let by = self.named_by.get(&Name::Object(key.clone()));
            let later = by.into_iter().flatten().map(|key| (key.clone(), facts.rest));
            effect.look_later.extend(later);
        }
        self.unname(&key, &facts.names);
        for named in &facts.names {
            self.named_by.entry(named.clone()).or_default().insert(key.clone());
        }
        self.objects.insert(key, (watched, facts));
    }

    fn lost(&mut self, key: &Key, effect: &mut Effect) {
        self.unname(key, &BTreeSet::new());
        if self.objects.remove(key).is_some() {
            effect.gone.insert(key.clone());
            self.wake(&Name::Object(key.clone()), effect);
        }
    }

    /// Looks at all that give a name, and for a Secret of a source or a Cluster at the Releases that name those.
    fn wake(&self, name: &Name, effect: &mut Effect) {
        let by = |name: &Name| self.named_by.get(name).into_iter().flatten().cloned();
        for key in by(name) {
            if matches!(name, Name::Data(_)) && !matches!(key, Key::Release(_)) {
                effect.look_at.extend(by(&Name::Object(key.clone())));
            }
            effect.look_at.insert(key);
        }
    }

    /// Removes the names that `key` gives, but for those that it goes on giving.
    fn unname(&mut self, key: &Key, kept: &BTreeSet<Name>) {
        let Some((_, facts)) = self.objects.get(key) else {
            return;
        };
        let mut unused = Vec::new();
        for named in facts.names.difference(kept) {
            if let Some(by) = self.named_by.get_mut(named) {
                by.remove(key);
                if by.is_empty() {
                    self.named_by.remove(named);
                    unused.extend(match named {
                        Name::Data(data) => Some(data.clone()),
                        Name::Object(_) => None,
                    });
                }
            }
        }
        for data in unused {
            self.versions.forget(&data);
        }
    }
}

#[cfg(test)]
mod tests {
    use convoy_domain::id::NamespacedName;
    use convoy_domain::source::{SourceKey, SourceKind};

    use super::super::data::DataKind;
    use super::*;

    fn id(name: &str) -> NamespacedName {
        NamespacedName::new("apps", name).unwrap()
    }

    fn release(name: &str) -> Key {
        Key::Release(id(name))
    }

    fn source() -> Key {
        let kind = SourceKind::Git;
        Key::Source(SourceKey { kind, id: id("repo") })
    }

    fn secret(name: &str) -> Data {
        Data {
            kind: DataKind::Secret,
            id: id(name),
        }
    }

    fn facts(key: Key, generation: i64, state: &str, names: &[Key]) -> Box<Facts> {
        naming(key, generation, state, names.iter().cloned().map(Name::Object))
    }

    fn naming(key: Key, generation: i64, state: &str, names: impl IntoIterator<Item = Name>) -> Box<Facts> {
        Box::new(Facts {
            key,
            inputs: Inputs {
                generation,
                ..Inputs::default()
            },
            state: vec![state.to_owned()],
            names: names.into_iter().collect(),
            rest: Duration::from_secs(30),
        })
    }

    fn web(generation: i64, state: &str) -> Seen {
        Seen::Object(
            Watched::Releases,
            facts(release("web"), generation, state, &[source(), release("db")]),
        )
    }

    fn look_at(index: &mut Index, seen: Seen) -> Vec<Key> {
        index.see(seen).look_at.into_iter().collect()
    }

    #[test]
    fn a_change_of_status_alone_is_no_reason_to_look() {
        let mut index = Index::default();
        assert_eq!(look_at(&mut index, web(1, "False")), [release("web")]);
        assert_eq!(look_at(&mut index, web(1, "True")), []);
        assert_eq!(look_at(&mut index, web(2, "True")), [release("web")]);
    }

    #[test]
    fn what_a_release_names_makes_it_worth_a_look() {
        let mut index = Index::default();
        index.see(web(1, ""));
        let source_at =
            |generation, state| Seen::Object(Watched::GitRepositories, facts(source(), generation, state, &[]));
        let both = [release("web"), source()];
        assert_eq!(look_at(&mut index, source_at(1, "False")), both);
        assert_eq!(look_at(&mut index, source_at(1, "False")), []);
        assert_eq!(look_at(&mut index, source_at(1, "True")), [release("web")]);
        assert_eq!(look_at(&mut index, source_at(2, "True")), both);
        assert_eq!(
            look_at(&mut index, Seen::Gone(Watched::GitRepositories, source())),
            [release("web")]
        );
    }

    #[test]
    fn a_dependency_that_becomes_ready_wakes_its_dependants_and_no_more() {
        let mut index = Index::default();
        index.see(web(1, ""));
        let db = |generation, state| Seen::Object(Watched::Releases, facts(release("db"), generation, state, &[]));
        assert_eq!(look_at(&mut index, db(1, "False")), [release("db"), release("web")]);
        assert_eq!(look_at(&mut index, db(2, "False")), [release("db")]);
        assert_eq!(look_at(&mut index, db(2, "True")), [release("web")]);
    }

    #[test]
    fn a_release_that_names_another_source_is_no_longer_woken_by_the_first() {
        let mut index = Index::default();
        index.see(web(1, ""));
        index.see(Seen::Object(Watched::Releases, facts(release("web"), 2, "", &[])));
        let found = Seen::Object(Watched::GitRepositories, facts(source(), 1, "", &[]));
        assert_eq!(look_at(&mut index, found), [source()]);
        assert!(index.named_by.is_empty());
    }

    #[test]
    fn what_a_new_list_lacks_is_gone() {
        let mut index = Index::default();
        index.see(web(1, ""));
        index.see(Seen::Object(Watched::GitRepositories, facts(source(), 1, "", &[])));
        index.see(Seen::ListBegins(Watched::GitRepositories));
        let effect = index.see(Seen::ListEnds(Watched::GitRepositories));
        assert_eq!(effect.gone.into_iter().collect::<Vec<_>>(), [source()]);
        assert_eq!(effect.look_at.into_iter().collect::<Vec<_>>(), [release("web")]);
        index.see(Seen::ListBegins(Watched::Releases));
        index.see(web(1, ""));
        assert_eq!(index.see(Seen::ListEnds(Watched::Releases)), Effect::default());
    }

    #[test]
    fn a_webhook_leads_to_a_look_now_and_one_when_the_source_may_be_asked_again() {
        let mut index = Index::default();
        index.see(web(1, ""));
        let stamped = |stamp: &str| {
            let mut facts = facts(source(), 1, "", &[]);
            facts.inputs.metadata.insert(WEBHOOK.to_owned(), stamp.to_owned());
            Seen::Object(Watched::GitRepositories, facts)
        };
        let first = index.see(stamped("1"));
        assert!(first.look_later.is_empty(), "nothing was asked before");
        assert!(index.see(stamped("1")) == Effect::default());
        let effect = index.see(stamped("2"));
        assert_eq!(
            effect.look_at.into_iter().collect::<Vec<_>>(),
            [release("web"), source()]
        );
        let later: Vec<(Key, Duration)> = effect.look_later.into_iter().collect();
        assert_eq!(later, [(release("web"), Duration::from_secs(30))]);
    }

    #[test]
    fn the_name_of_the_stamp_is_the_one_that_is_written() {
        let name = convoy_domain::names::annotation::FETCH_REQUESTED;
        assert_eq!(WEBHOOK, format!("annotation {name}"));
    }

    #[test]
    fn a_secret_that_changes_wakes_who_names_it_and_who_names_them() {
        let mut index = Index::default();
        let version = |version: &str| Seen::Data(SeenData::Version(secret("creds"), version.to_owned()));
        assert_eq!(look_at(&mut index, version("1")), [], "nothing names it");
        let of_source = [Name::Data(secret("creds"))];
        index.see(Seen::Object(
            Watched::GitRepositories,
            naming(source(), 1, "", of_source.clone()),
        ));
        index.see(web(1, ""));
        let other = [Name::Data(secret("creds"))];
        index.see(Seen::Object(Watched::Releases, naming(release("other"), 1, "", other)));
        let all = [release("other"), release("web"), source()];
        assert_eq!(look_at(&mut index, version("2")), all);
        assert_eq!(look_at(&mut index, version("2")), []);
        // The source is seen once more: what it names is still known.
        index.see(Seen::Object(
            Watched::GitRepositories,
            naming(source(), 2, "", of_source),
        ));
        assert_eq!(look_at(&mut index, version("2")), []);
        assert_eq!(look_at(&mut index, Seen::Data(SeenData::Gone(secret("creds")))), all);

        index.see(Seen::Object(Watched::GitRepositories, facts(source(), 3, "", &[])));
        index.see(Seen::Object(Watched::Releases, facts(release("other"), 2, "", &[])));
        assert_eq!(look_at(&mut index, version("3")), []);
        assert_eq!(index.versions.len(), 0);
    }
}
