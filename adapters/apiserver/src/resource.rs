//! The resources that are served: the built-in table and the custom ones.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::crd::Custom;
use crate::status::qualified;
use crate::types::{Type, builtin};

static TABLE: &str = include_str!("../data/resources.txt");

/// A resource at one version.
#[derive(Debug)]
pub(crate) struct Resource {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) plural: String,
    pub(crate) singular: String,
    pub(crate) kind: String,
    pub(crate) list_kind: String,
    pub(crate) namespaced: bool,
    pub(crate) short_names: Vec<String>,
    pub(crate) categories: Vec<String>,
    pub(crate) verbs: Vec<String>,
    pub(crate) subresources: Vec<Subresource>,
    pub(crate) ty: Type,
    /// The name of the type in the built-in table; empty for custom resources.
    pub(crate) type_name: String,
    /// Where its objects are kept: resource and group.
    pub(crate) storage: Arc<str>,
    /// The `apiVersion` under which objects are kept.
    pub(crate) stored_as: String,
    pub(crate) custom: Option<Arc<Custom>>,
}

/// A part of an object that is read or written by itself.
#[derive(Debug, Clone)]
pub(crate) struct Subresource {
    pub(crate) name: String,
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) kind: String,
    pub(crate) verbs: Vec<String>,
}

/// Built-in kinds whose `metadata.generation` counts changes of the specification.
const WITH_GENERATION: &[&str] = &[
    "deployments.apps",
    "replicasets.apps",
    "statefulsets.apps",
    "daemonsets.apps",
    "jobs.batch",
    "cronjobs.batch",
    "pods",
    "replicationcontrollers",
    "poddisruptionbudgets.policy",
    "ingresses.networking.k8s.io",
    "ingressclasses.networking.k8s.io",
    "networkpolicies.networking.k8s.io",
    "priorityclasses.scheduling.k8s.io",
    "customresourcedefinitions.apiextensions.k8s.io",
    "validatingwebhookconfigurations.admissionregistration.k8s.io",
    "mutatingwebhookconfigurations.admissionregistration.k8s.io",
    "validatingadmissionpolicies.admissionregistration.k8s.io",
    "validatingadmissionpolicybindings.admissionregistration.k8s.io",
    "mutatingadmissionpolicies.admissionregistration.k8s.io",
    "mutatingadmissionpolicybindings.admissionregistration.k8s.io",
    "endpointslices.discovery.k8s.io",
    "flowschemas.flowcontrol.apiserver.k8s.io",
    "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io",
    "csistoragecapacities.storage.k8s.io",
];

impl Resource {
    pub(crate) fn api_version(&self) -> String {
        api_version(&self.group, &self.version)
    }

    pub(crate) fn subresource(&self, name: &str) -> Option<&Subresource> {
        self.subresources.iter().find(|sub| sub.name == name)
    }

    pub(crate) fn has_status(&self) -> bool {
        self.subresource("status").is_some()
    }

    pub(crate) fn can(&self, verb: &str) -> bool {
        self.verbs.iter().any(|known| known == verb)
    }

    pub(crate) fn counts_generations(&self) -> bool {
        self.custom.is_some() || WITH_GENERATION.contains(&&*self.storage)
    }

    /// Whether its requests are answered and forgotten (reviews).
    pub(crate) fn is_review(&self) -> bool {
        self.verbs == ["create"] && self.type_name.ends_with("Review")
    }
}

/// `group/version`, or the version alone in the core group.
pub(crate) fn api_version(group: &str, version: &str) -> String {
    if group.is_empty() {
        version.to_owned()
    } else {
        format!("{group}/{version}")
    }
}

fn words(text: &str) -> Vec<String> {
    text.split(',')
        .filter(|word| !word.is_empty() && *word != "-")
        .map(str::to_owned)
        .collect()
}

fn built_in(line: &str) -> Option<Resource> {
    let columns: Vec<&str> = line.split('\t').collect();
    let [
        group,
        version,
        plural,
        singular,
        kind,
        scope,
        short,
        categories,
        verbs,
        subs,
        ty,
    ] = columns.as_slice()
    else {
        return None;
    };
    let group = if *group == "-" { "" } else { group };
    let subresources = subs.split(' ').filter_map(|text| {
        let mut parts = text.split(':');
        let (name, gvk, verbs) = (parts.next()?, parts.next()?, parts.next()?);
        let mut gvk = gvk.split('/');
        let (sub_group, sub_version, sub_kind) = (gvk.next()?, gvk.next()?, gvk.next()?);
        Some(Subresource {
            name: name.to_owned(),
            group: sub_group.to_owned(),
            version: sub_version.to_owned(),
            kind: sub_kind.to_owned(),
            verbs: words(verbs),
        })
    });
    // Both event groups show the same objects.
    let (storage, stored_as) = if *plural == "events" {
        ("events".to_owned(), "v1".to_owned())
    } else {
        (qualified(group, plural), api_version(group, version))
    };
    Some(Resource {
        group: group.to_owned(),
        version: (*version).to_owned(),
        plural: (*plural).to_owned(),
        singular: (*singular).to_owned(),
        kind: (*kind).to_owned(),
        list_kind: format!("{kind}List"),
        namespaced: *scope == "N",
        short_names: words(short),
        categories: words(categories),
        verbs: words(verbs),
        subresources: subresources.collect(),
        ty: builtin::named(ty),
        type_name: (*ty).to_owned(),
        storage: storage.into(),
        stored_as,
        custom: None,
    })
}

type Name = (String, String, String);

/// Everything that is served, by group, version and plural.
#[derive(Debug)]
pub(crate) struct Registry {
    resources: BTreeMap<Name, Arc<Resource>>,
    /// Groups in the order in which discovery shows them.
    order: Vec<(String, Vec<String>)>,
}

impl Registry {
    pub(crate) fn new() -> Self {
        let mut registry = Self {
            resources: BTreeMap::new(),
            order: Vec::new(),
        };
        for resource in TABLE.lines().filter_map(built_in) {
            registry.add(resource);
        }
        registry
    }

    fn add(&mut self, resource: Resource) {
        match self.order.iter_mut().find(|(group, _)| *group == resource.group) {
            Some((_, versions)) if versions.contains(&resource.version) => {}
            Some((_, versions)) => {
                versions.push(resource.version.clone());
                versions.sort_by(|left, right| crate::crd::version_order(left, right));
            }
            None => self
                .order
                .push((resource.group.clone(), vec![resource.version.clone()])),
        }
        let name = (
            resource.group.clone(),
            resource.version.clone(),
            resource.plural.clone(),
        );
        self.resources.insert(name, Arc::new(resource));
    }

    /// Serves these versions of a custom resource, in place of what was served for it.
    pub(crate) fn set_custom(&mut self, group: &str, plural: &str, resources: Vec<Resource>) {
        self.resources.retain(|(of_group, _, of_plural), resource| {
            resource.custom.is_none() || of_group != group || of_plural != plural
        });
        for resource in resources {
            self.add(resource);
        }
        let served = |group: &str, version: &str| {
            self.resources
                .keys()
                .any(|(of_group, of_version, _)| of_group == group && of_version == version)
        };
        let mut order = std::mem::take(&mut self.order);
        for (group, versions) in &mut order {
            versions.retain(|version| served(group, version));
        }
        order.retain(|(_, versions)| !versions.is_empty());
        self.order = order;
    }

    pub(crate) fn get(&self, group: &str, version: &str, plural: &str) -> Option<&Arc<Resource>> {
        self.resources
            .get(&(group.to_owned(), version.to_owned(), plural.to_owned()))
    }

    /// Groups with their versions, preferred first.
    pub(crate) fn groups(&self) -> &[(String, Vec<String>)] {
        &self.order
    }

    /// The resources of one version of a group.
    pub(crate) fn in_version<'a>(
        &'a self,
        group: &'a str,
        version: &'a str,
    ) -> impl Iterator<Item = &'a Arc<Resource>> {
        self.resources
            .values()
            .filter(move |resource| resource.group == group && resource.version == version)
    }

    /// The resource that keeps its objects here, at the version in which they are kept.
    pub(crate) fn of_storage(&self, storage: &str) -> Option<&Arc<Resource>> {
        let all = self.resources.values().filter(|resource| &*resource.storage == storage);
        all.max_by_key(|resource| resource.stored_as == resource.api_version())
    }

    /// The resource of a kind.
    pub(crate) fn of_kind(&self, api_version: &str, kind: &str) -> Option<&Arc<Resource>> {
        self.resources
            .values()
            .find(|resource| resource.kind == kind && resource.api_version() == api_version)
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Arc<Resource>> {
        self.resources.values()
    }
}

/// The object as this resource shows it.
pub(crate) fn shown_as(resource: &Resource, stored: &Value) -> Value {
    let mut value = stored.clone();
    if resource.stored_as != resource.api_version() {
        if &*resource.storage == "events" {
            crate::event::to_new(&mut value);
        }
        value["apiVersion"] = Value::String(resource.api_version());
    }
    value
}

/// The object as it is kept.
pub(crate) fn kept_as(resource: &Resource, mut value: Value) -> Value {
    if resource.stored_as != resource.api_version() {
        if &*resource.storage == "events" {
            crate::event::to_old(&mut value);
        }
        value["apiVersion"] = Value::String(resource.stored_as.clone());
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_holds_what_people_use() {
        let registry = Registry::new();
        for (group, version, plural) in [
            ("", "v1", "pods"),
            ("apps", "v1", "deployments"),
            ("batch", "v1", "cronjobs"),
            ("autoscaling", "v2", "horizontalpodautoscalers"),
            ("apiextensions.k8s.io", "v1", "customresourcedefinitions"),
            ("coordination.k8s.io", "v1", "leases"),
            ("events.k8s.io", "v1", "events"),
        ] {
            let resource = registry
                .get(group, version, plural)
                .unwrap_or_else(|| panic!("{plural} is absent"));
            assert!(!resource.ty.is_any(), "{plural} has no type");
        }
        assert_eq!(
            registry.get("apps", "v1", "deployments").unwrap().short_names,
            ["deploy"]
        );
        assert!(
            registry
                .get("apps", "v1", "deployments")
                .unwrap()
                .subresource("scale")
                .is_some()
        );
    }
}
