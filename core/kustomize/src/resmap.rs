//! The objects of a build, in order, with one index by everything that names or named them.
//!
//! # Invariant
//! The index holds the place of every object under its name and under each name of the past. Whoever changes a name
//! calls [`ResMap::reindex`] for that object. An entry that no longer holds stays: whoever looks something up looks at
//! the object too.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::hash::BuildHasher as _;

use hashbrown::HashMap;

use crate::ids::Id;
use crate::meter::Meter;
use crate::resource::{Behavior, Resource};

type Index = HashMap<u64, Vec<usize>, foldhash::fast::FixedState>;

fn hash_id(id: &Id) -> u64 {
    let gvk = &id.gvk;
    foldhash::fast::FixedState::default().hash_one((
        &gvk.group,
        &gvk.version,
        &gvk.kind,
        &id.name,
        id.effective_namespace(),
    ))
}

fn hash_name(name: &str) -> u64 {
    foldhash::fast::FixedState::default().hash_one(name)
}

/// An object and how far the index has it.
#[derive(Clone, Debug)]
struct Slot {
    resource: Resource,
    /// How many names of the past the index has.
    indexed: usize,
    /// The keys that were added last.
    last: Option<(u64, u64)>,
}

/// The objects of a build.
#[derive(Clone, Debug, Default)]
pub(crate) struct ResMap {
    /// Places of removed objects stay empty, so that the others keep theirs.
    slots: Vec<Option<Slot>>,
    count: usize,
    by_id: Index,
    by_name: Index,
    /// Places of objects that got another name since names were last known to differ.
    renamed: Vec<usize>,
}

impl ResMap {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Places of all objects, in order.
    pub(crate) fn places(&self) -> Vec<usize> {
        (0..self.slots.len())
            .filter(|place| self.slots[*place].is_some())
            .collect()
    }

    pub(crate) fn get(&self, place: usize) -> Option<&Resource> {
        self.slots.get(place)?.as_ref().map(|slot| &slot.resource)
    }

    pub(crate) fn get_mut(&mut self, place: usize) -> Option<&mut Resource> {
        self.slots.get_mut(place)?.as_mut().map(|slot| &mut slot.resource)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Resource> {
        self.slots.iter().flatten().map(|slot| &slot.resource)
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Resource> {
        self.slots.iter_mut().flatten().map(|slot| &mut slot.resource)
    }

    pub(crate) fn into_resources(self) -> impl Iterator<Item = Resource> {
        self.slots.into_iter().flatten().map(|slot| slot.resource)
    }

    fn add_keys(&mut self, place: usize) {
        let Some(slot) = self.slots.get_mut(place).and_then(Option::as_mut) else {
            return;
        };
        let resource = &slot.resource;
        let mut add = |id: &Id| {
            let (id_key, name_key) = (hash_id(id), hash_name(&id.name));
            let last = slot.last.replace((id_key, name_key));
            if last.is_none_or(|(last, _)| last != id_key) {
                self.by_id.entry(id_key).or_default().push(place);
            }
            if last.is_none_or(|(_, last)| last != name_key) {
                self.by_name.entry(name_key).or_default().push(place);
            }
        };
        for id in resource.previous_ids().skip(slot.indexed) {
            add(&id);
        }
        add(&resource.id);
        slot.indexed = resource.notes.previous.len();
    }

    /// Reads again what names the object at `place`.
    pub(crate) fn reindex(&mut self, place: usize) {
        if let Some(resource) = self.get_mut(place)
            && resource.refresh()
            && self.renamed.last() != Some(&place)
        {
            self.renamed.push(place);
        }
        self.add_keys(place);
    }

    /// As [`ResMap::reindex`], if something about its names changed.
    pub(crate) fn reindex_if_renamed(&mut self, place: usize) {
        let renamed = self
            .get(place)
            .is_some_and(|resource| resource.read_id() != resource.id);
        if renamed {
            self.reindex(place);
        }
    }

    /// Places of objects with this name now.
    pub(crate) fn current(&self, id: &Id) -> Vec<usize> {
        self.places_of(id, |resource| resource.id.same(id))
    }

    /// Places of objects with this name now or in the past.
    pub(crate) fn any(&self, id: &Id) -> Vec<usize> {
        self.places_of(id, |resource| {
            !resource.node.is_empty()
                && (resource.id.same(id) || resource.previous_ids().any(|previous| previous.same(id)))
        })
    }

    fn places_of(&self, id: &Id, is: impl Fn(&Resource) -> bool) -> Vec<usize> {
        let mut places: Vec<usize> = self.by_id.get(&hash_id(id)).map_or_else(Vec::new, |places| {
            places
                .iter()
                .copied()
                .filter(|place| self.get(*place).is_some_and(&is))
                .collect()
        });
        places.sort_unstable();
        places.dedup();
        places
    }

    /// Places of objects that have or had `name`, in order.
    pub(crate) fn named(&self, name: &str) -> Vec<usize> {
        let mut places = self.by_name.get(&hash_name(name)).cloned().unwrap_or_default();
        places.sort_unstable();
        places.dedup();
        places
    }

    /// Adds an object at the end.
    ///
    /// # Errors
    /// When one of its name is there.
    pub(crate) fn append(&mut self, resource: Resource) -> Result<(), String> {
        if !self.current(&resource.id).is_empty() {
            return Err(format!(
                "may not add resource with an already registered id: {}",
                resource.id
            ));
        }
        self.push(resource);
        Ok(())
    }

    fn push(&mut self, resource: Resource) {
        let place = self.slots.len();
        self.slots.push(Some(Slot {
            resource,
            indexed: 0,
            last: None,
        }));
        self.count += 1;
        self.add_keys(place);
    }

    /// Looks whether objects that got another name now have one that is taken: kustomize finds that when it adds all of
    /// them to what is above.
    ///
    /// # Errors
    /// As [`ResMap::append`].
    pub(crate) fn check_renamed(&mut self, meter: &Meter) -> Result<(), String> {
        for place in core::mem::take(&mut self.renamed) {
            meter.step(1)?;
            let Some(Resource { id, .. }) = self.get(place) else {
                continue;
            };
            if self.current(id).len() > 1 {
                return Err(format!("may not add resource with an already registered id: {id}"));
            }
        }
        Ok(())
    }

    /// Adds all objects of another; takes no time if there are none here.
    ///
    /// # Errors
    /// As [`ResMap::append`].
    pub(crate) fn append_all(&mut self, other: ResMap, meter: &Meter) -> Result<(), String> {
        if self.count == 0 {
            *self = other;
            return self.check_renamed(meter);
        }
        other.into_resources().try_for_each(|resource| {
            meter.step(1 + resource.notes.previous.len())?;
            self.append(resource)
        })
    }

    /// Removes the object at `place`.
    pub(crate) fn remove(&mut self, place: usize) {
        if self.slots.get_mut(place).and_then(Option::take).is_some() {
            self.count -= 1;
        }
    }

    /// Removes objects of which nothing is left.
    pub(crate) fn drop_empties(&mut self) {
        for place in self.places() {
            if self.get(place).is_some_and(|resource| resource.node.is_empty()) {
                self.remove(place);
            }
        }
    }

    /// Adds a generated object, or lets it replace or complete the one of its name.
    ///
    /// # Errors
    /// When what it wants is not there, or what is there is not wanted.
    pub(crate) fn absorb(&mut self, mut resource: Resource) -> Result<(), String> {
        let behavior = resource.notes.behavior.unwrap_or_default();
        let matches = self.any(&resource.id);
        let place = match (&matches[..], behavior) {
            ([], Behavior::Create) => return self.append(resource),
            ([], Behavior::Replace | Behavior::Merge) => {
                return Err(format!("id {} does not exist; cannot merge or replace", resource.id));
            }
            ([_], Behavior::Create) => {
                return Err(format!("id {} exists; behavior must be merge or replace", resource.id));
            }
            ([place], Behavior::Replace | Behavior::Merge) => *place,
            (_, _) => {
                return Err(format!(
                    "found multiple objects that could accept merge of {}",
                    resource.id
                ));
            }
        };
        let Some(old) = self.get(place) else { return Ok(()) };
        resource.complete_from(old, behavior == Behavior::Merge);
        // One that had the name in the past may be of another kind by now.
        let id = resource.read_id();
        let [place] = self.current(&id)[..] else {
            return Err(format!("cannot find resource with id {id} to replace"));
        };
        if let Some(slot) = self.get_mut(place) {
            *slot = resource;
        }
        if let Some(slot) = self.slots.get_mut(place).and_then(Option::as_mut) {
            slot.indexed = 0;
        }
        self.reindex(place);
        Ok(())
    }
}

impl FromIterator<Resource> for ResMap {
    /// Objects of which no two have one name.
    fn from_iter<I: IntoIterator<Item = Resource>>(resources: I) -> Self {
        let mut map = Self::new();
        resources.into_iter().for_each(|resource| map.push(resource));
        map
    }
}

impl Resource {
    /// Takes labels, annotations, name and notes over from `old`, and its data if they merge; what is here wins.
    fn complete_from(&mut self, old: &Resource, merge: bool) {
        for field in ["labels", "annotations"] {
            let mut texts = old.meta_texts(field);
            texts.extend(self.meta_texts(field));
            if field == "annotations"
                && merge
                && let Some(origin) = old.annotation(crate::origin::ORIGIN)
            {
                texts.insert(crate::origin::ORIGIN.into(), origin.into());
            }
            self.set_meta_texts(field, &texts);
        }
        let needs_hash = self.notes.needs_hash && old.notes.needs_hash;
        self.notes = old.notes.clone();
        self.notes.needs_hash = needs_hash;
        self.variables.clone_from(&old.variables);
        self.set_text(&["metadata", "name"], &old.id.name);
        self.set_namespace(&old.id.namespace);
        if merge {
            crate::generate::merge_data(self, old);
        }
    }
}
