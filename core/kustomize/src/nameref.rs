//! References by name follow the objects that they name.
//!
//! A field holds the name that an object had when the field was written; it gets the one that the object has now. The
//! index finds the objects that ever had the name, and only those are looked at.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use crate::config::Config;
use crate::fieldspec::{self, FieldSpec, Make};
use crate::ids::{Gvk, Id};
use crate::meter::Meter;
use crate::node::{Entries, Node, Scalar};
use crate::resmap::ResMap;
use crate::resource::{Resource, quoted};

/// One field of a type, and the type that it names.
struct Reference<'c> {
    target: &'c Gvk,
    spec: &'c FieldSpec,
}

/// Updates every reference.
///
/// # Errors
/// When a name may mean several objects, or a field holds something else than names.
pub(crate) fn update(map: &mut ResMap, config: &Config, meter: &Meter) -> Result<(), String> {
    let mut by_type: BTreeMap<(String, String, String), Vec<Reference<'_>>> = BTreeMap::new();
    for place in map.places() {
        let Some(resource) = map.get(place) else { continue };
        let original = resource.original_id().gvk;
        let key = (original.group.clone(), original.version.clone(), original.kind.clone());
        let references = by_type.entry(key).or_insert_with(|| {
            let all = config.name_reference.iter();
            all.flat_map(|reference| {
                reference.fields.iter().map(|spec| Reference {
                    target: &reference.target,
                    spec,
                })
            })
            .filter(|reference| original.is_selected(&reference.spec.gvk))
            .collect()
        });
        if references.is_empty() {
            continue;
        }
        let Some(mut node) = map
            .get_mut(place)
            .map(|resource| core::mem::replace(&mut resource.node, Node::empty_map()))
        else {
            continue;
        };
        let role = role_reference(&node);
        let namespaces = subject_namespaces(&node);
        let result = references.iter().try_for_each(|reference| {
            let Some(referrer) = map.get(place) else { return Ok(()) };
            let search = Search {
                map,
                referrer,
                target: reference.target,
                role: role.as_ref().filter(|_| reference.spec.path.ends_with("roleRef/name")),
                namespaces: namespaces.as_ref().map_err(String::clone)?,
                meter,
            };
            let spec = FieldSpec {
                gvk: Gvk::default(),
                ..reference.spec.clone()
            };
            fieldspec::apply(&mut node, &spec, Make::Nothing, meter, &mut |field| search.set(field))
        });
        if let Some(resource) = map.get_mut(place) {
            resource.node = node;
            result.map_err(|problem| format!("updating name reference of {}: {problem}", resource.id))?;
        }
    }
    Ok(())
}

/// The type that a binding's `roleRef` names.
fn role_reference(node: &Node) -> Option<Gvk> {
    let role = node.get("roleRef")?;
    Some(Gvk {
        group: role.get("apiGroup")?.text().to_string(),
        version: String::new(),
        kind: role.get("kind")?.text().to_string(),
    })
}

/// Namespaces of the service accounts that a `RoleBinding` binds.
fn subject_namespaces(node: &Node) -> Result<BTreeSet<String>, String> {
    let mut namespaces = BTreeSet::new();
    if node.get("kind").is_none_or(|kind| kind.text() != "RoleBinding") {
        return Ok(namespaces);
    }
    for subject in node.get("subjects").and_then(Node::as_seq).unwrap_or_default() {
        let (Some(namespace), Some(kind)) = (subject.get("namespace"), subject.get("kind")) else {
            continue;
        };
        if kind.text() == "ServiceAccount" {
            if namespace.is_null() {
                return Err("namespace is blank for a subject".into());
            }
            namespaces.insert(namespace.text().to_string());
        }
    }
    Ok(namespaces)
}

/// A search for what a field of one object names.
struct Search<'m> {
    map: &'m ResMap,
    /// The object, of which the content is elsewhere.
    referrer: &'m Resource,
    target: &'m Gvk,
    role: Option<&'m Gvk>,
    namespaces: &'m BTreeSet<String>,
    meter: &'m Meter,
}

impl Search<'_> {
    fn set(&self, field: &mut Node) -> Result<(), String> {
        match field {
            field if field.is_null() => Ok(()),
            Node::Scalar(_) => self.set_scalar(field),
            Node::Map(map) => self.set_map(map),
            Node::Seq(items) => items.iter_mut().try_for_each(|item| match item {
                item if item.is_null() => Ok(()),
                Node::Scalar(_) => self.set_scalar(item),
                Node::Map(map) => self.set_map(map),
                Node::Seq(_) => Err("a sequence is expected to be either a string or a map of string".into()),
            }),
        }
    }

    fn set_scalar(&self, field: &mut Node) -> Result<(), String> {
        let name = field.text().to_string();
        let same = |a: &Resource, b: &Resource| a.id.name == b.id.name;
        match self.select(&name, self.candidates(&name, None)?, same)? {
            Some(referral) if referral.id.name != name => {
                self.meter.write(referral.id.name.len())?;
                field.set_scalar(Scalar::untagged(&*referral.id.name))
            }
            _ => Ok(()),
        }
    }

    fn set_map(&self, field: &mut Entries) -> Result<(), String> {
        let name = field
            .get("name")
            .ok_or("path config error; no 'name' field in node")?
            .text()
            .to_string();
        let namespace = field.get("namespace").map(|namespace| namespace.text().to_string());
        let same = |a: &Resource, b: &Resource| a.id.name == b.id.name && a.id.namespace == b.id.namespace;
        let Some(referral) = self.select(&name, self.candidates(&name, namespace.as_deref())?, same)? else {
            return Ok(());
        };
        if referral.id.name == name && referral.id.namespace.is_empty() {
            return Ok(());
        }
        self.meter.write(referral.id.name.len() + referral.id.namespace.len())?;
        set_text(field, "name", &referral.id.name);
        if !referral.id.namespace.is_empty() {
            set_text(field, "namespace", &referral.id.namespace);
        }
        Ok(())
    }

    /// Objects that had the name, in order, as far as the referrer could name them.
    fn candidates(&self, name: &str, namespace: Option<&str>) -> Result<Vec<&Resource>, String> {
        let referrer = &self.referrer.id;
        let reachable = |resource: &&Resource| {
            referrer.cluster
                || resource.id.cluster
                || resource.id.effective_namespace() == referrer.effective_namespace()
                || self.namespaces.contains(&resource.id.namespace)
        };
        let places = self.map.named(name);
        self.meter.step(1 + places.len())?;
        let named: Vec<&Resource> = places
            .into_iter()
            .filter_map(|place| self.map.get(place))
            .filter(reachable)
            .collect();
        let Some(namespace) = namespace.filter(|_| !named.is_empty()) else {
            return Ok(named);
        };
        // By the namespace that they had if any object had it, whatever its name; else by the one that they have.
        let had = |resource: &Resource| effective(&resource.original_id(), namespace);
        let any_had = if named.iter().any(|resource| had(resource)) {
            true
        } else {
            self.meter.step(self.map.len())?;
            self.map.iter().any(|resource| reachable(&resource) && had(resource))
        };
        Ok(named
            .into_iter()
            .filter(|resource| {
                if any_had {
                    had(resource)
                } else {
                    effective(&resource.id, namespace)
                }
            })
            .collect())
    }

    fn select<'s>(
        &'s self,
        name: &str,
        candidates: Vec<&'s Resource>,
        same: impl Fn(&Resource, &Resource) -> bool,
    ) -> Result<Option<&'s Resource>, String> {
        let referrer = &self.referrer.id;
        let mut found: Vec<&Resource> = candidates
            .into_iter()
            .filter(|resource| {
                let previous = || resource.previous_ids();
                previous().any(|id| id.name == name)
                    && previous().any(|id| id.gvk.is_selected(self.target))
                    && self
                        .role
                        .is_none_or(|role| previous().any(|id| id.gvk.is_selected(role)))
                    && (referrer.cluster
                        || resource.id.cluster
                        || resource.id.gvk.kind == "ServiceAccount"
                        || resource.id.effective_namespace() == referrer.effective_namespace())
            })
            .collect();
        if let [one] = &found[..] {
            return Ok(Some(one));
        }
        found.retain(|resource| self.has_same_affixes(resource, true));
        if found.len() > 1 {
            found.retain(|resource| self.has_same_affixes(resource, false));
        }
        match &found[..] {
            [] => Ok(None),
            [first, rest @ ..] if rest.iter().all(|other| same(first, other)) => Ok(Some(first)),
            several => {
                let ids: Vec<String> = several.iter().map(|resource| resource.id.to_string()).collect();
                Err(format!("found multiple possible referrals: {}", ids.join(", ")))
            }
        }
    }

    fn has_same_affixes(&self, other: &Resource, or_none: bool) -> bool {
        let same = |a: &[String], b: &[String]| (or_none && (a.is_empty() || b.is_empty())) || same_ending(a, b);
        let (ours, theirs) = (&self.referrer.notes, &other.notes);
        same(&ours.prefixes, &theirs.prefixes) && same(&ours.suffixes, &theirs.suffixes)
    }
}

/// Whether the name's namespace is `namespace`; one without a namespace is in none.
fn effective(id: &Id, namespace: &str) -> bool {
    let effective = id.effective_namespace();
    effective == namespace && effective != "_non_namespaceable_"
}

fn same_ending(a: &[String], b: &[String]) -> bool {
    let (short, long) = if a.len() > b.len() { (b, a) } else { (a, b) };
    if short.is_empty() {
        long.is_empty()
    } else {
        long.ends_with(short)
    }
}

fn set_text(map: &mut Entries, key: &str, text: &str) {
    match map.get_mut(key) {
        Some(place @ Node::Scalar(_)) if !place.is_null() => {
            let _ = place.set_scalar(Scalar::untagged(text));
        }
        _ => map.set(key, quoted(text)),
    }
}
