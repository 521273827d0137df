//! The built-in transformers.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use convoy_value::{Value, json, patch as json_patch, yaml};

use crate::fieldspec::{self, FieldSpec, Make};
use crate::ids::Gvk;
use crate::image::{Image, Updater};
use crate::lookup;
use crate::merge;
use crate::meter::Meter;
use crate::node::{Entries, Node, Scalar, Tag, is_text_key};
use crate::paths;
use crate::replacement::Replacement;
use crate::resmap::ResMap;
use crate::resource::{Resource, quoted};
use crate::schema::Schema;
use crate::selector::{Matcher, Selector};

/// Whose namespace a binding's subjects get.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Subjects {
    #[default]
    NamedDefault,
    ServiceAccounts,
    None,
}

/// A patch that is read.
#[derive(Clone, Debug)]
pub(crate) enum Patch {
    /// Objects to merge into others.
    Merge(Vec<Resource>),
    /// Operations.
    Json(Value),
}

/// One field that a `ValueAddTransformer` writes.
#[derive(Clone, Debug)]
pub(crate) struct ValueTarget {
    pub(crate) selector: Option<Selector>,
    pub(crate) field: String,
    pub(crate) position: i64,
}

/// A transformer with what it is configured with.
#[derive(Clone, Debug)]
pub(crate) enum Transformer {
    Namespace {
        namespace: String,
        specs: Vec<FieldSpec>,
        unset_only: bool,
        subjects: Subjects,
        /// Whether a Namespace gets its name, as in kustomize.
        renames: bool,
    },
    Prefix {
        text: String,
        specs: Vec<FieldSpec>,
    },
    Suffix {
        text: String,
        specs: Vec<FieldSpec>,
    },
    Labels {
        labels: BTreeMap<String, String>,
        specs: Vec<FieldSpec>,
    },
    Images {
        image: Image,
        specs: Vec<FieldSpec>,
    },
    Replicas {
        name: String,
        count: i64,
        specs: Vec<FieldSpec>,
    },
    /// Each patch is for the object that it names.
    PatchNamed {
        patches: Vec<Resource>,
        directly: bool,
    },
    /// One patch for all that a selector takes.
    PatchSelected {
        patch: Patch,
        target: Option<Selector>,
        directly: bool,
    },
    Replacements(Vec<Replacement>),
    ValueAdd {
        value: String,
        targets: Vec<ValueTarget>,
    },
    Hash,
    /// One after another.
    Sequence(Vec<Transformer>),
}

type Result<T> = core::result::Result<T, String>;

/// Marks what a chart gave.
pub(crate) const HELM_GENERATED: &str = "internal.config.kubernetes.io/helm-generated";

impl Transformer {
    /// Changes the objects.
    ///
    /// # Errors
    /// When the objects do not allow it; the message names the object.
    pub(crate) fn apply(
        &self,
        map: &mut ResMap,
        schema: &mut dyn FnMut() -> Result<alloc::sync::Arc<Schema>>,
        meter: &Meter,
    ) -> Result<()> {
        match self {
            Self::Namespace {
                namespace,
                specs,
                unset_only,
                subjects,
                renames,
            } => {
                let to = Namespacing {
                    namespace,
                    specs,
                    unset_only: *unset_only,
                    subjects: *subjects,
                    renames: *renames,
                    meter,
                };
                to.apply(map)
            }
            Self::Prefix { text, specs } => add_affix(map, specs, text, true, meter),
            Self::Suffix { text, specs } => add_affix(map, specs, text, false, meter),
            Self::Labels { labels, specs } => set_labels(map, labels, specs, meter),
            Self::Images { image, specs } => {
                let updater = Updater::new(image)?;
                each(map, meter, &mut |resource| updater.apply(resource, specs, meter))
            }
            Self::Replicas { name, count, specs } => set_replicas(map, name, *count, specs, meter),
            Self::PatchNamed { patches, directly } => {
                let schema = schema()?;
                patches
                    .iter()
                    .try_for_each(|patch| patch_named(map, patch, *directly, &schema, meter))
            }
            Self::PatchSelected {
                patch,
                target,
                directly,
            } => patch_selected(map, patch, target.as_ref(), *directly, schema, meter),
            Self::Replacements(replacements) => replacements
                .iter()
                .try_for_each(|replacement| replacement.apply(map, meter)),
            Self::ValueAdd { value, targets } => targets
                .iter()
                .try_for_each(|target| add_value(map, value, target, meter)),
            Self::Sequence(all) => all
                .iter()
                .try_for_each(|transformer| transformer.apply(map, schema, meter)),
            Self::Hash => {
                for place in map.places() {
                    if let Some(resource) = map.get_mut(place)
                        && crate::generate::add_hash(resource)?
                    {
                        map.reindex(place);
                    }
                }
                Ok(())
            }
        }
    }
}

fn each(map: &mut ResMap, meter: &Meter, change: &mut dyn FnMut(&mut Resource) -> Result<()>) -> Result<()> {
    for resource in map.iter_mut() {
        change(resource).map_err(|problem| format!("{}: {problem}", resource.id))?;
        settle(resource, meter)?;
    }
    Ok(())
}

/// Adds an annotation as `commonAnnotations` does: what else is there stays what it is.
pub(crate) fn annotate(resource: &mut Resource, key: &str, text: &str, meter: &Meter) -> Result<()> {
    meter.write(text.len())?;
    let spec = FieldSpec::any("metadata/annotations", true);
    let id = &resource.id;
    fieldspec::apply(&mut resource.node, &spec, Make::Map, meter, &mut |node| match node {
        Node::Map(map) => set_entry(map, key, text, 0),
        node if node.is_null() => Ok(()),
        Node::Scalar(_) | Node::Seq(_) => Err("a mapping was expected".into()),
    })
    .map_err(|problem| format!("{id}: {problem}"))
}

/// Sets a label or an annotation; a new one has a number if kustomize shares it.
fn set_entry(map: &mut Entries, key: &str, text: &str, shared: u32) -> Result<()> {
    match map.get_mut(key) {
        Some(place @ Node::Scalar(_)) if !place.is_null() => place.set_scalar(Scalar::string(text)),
        Some(_) => {
            map.set(key, quoted(text));
            Ok(())
        }
        None if is_text_key(key) => {
            let scalar = Scalar::string(text);
            map.set(key, Node::Scalar(Scalar { shared, ..scalar }));
            Ok(())
        }
        None => Err(format!("the key `{key}` is no text without quotes")),
    }
}

/// Makes scalars that kustomize shares equal again; the walk over the object is paid for.
fn settle(resource: &mut Resource, meter: &Meter) -> Result<()> {
    let walked = resource.settle();
    meter.step(walked)
}

fn is_binding(kind: &str) -> bool {
    kind == "RoleBinding" || kind == "ClusterRoleBinding"
}

/// A namespace on its way into objects.
struct Namespacing<'a> {
    namespace: &'a str,
    specs: &'a [FieldSpec],
    unset_only: bool,
    subjects: Subjects,
    renames: bool,
    meter: &'a Meter,
}

impl Namespacing<'_> {
    fn apply(&self, map: &mut ResMap) -> Result<()> {
        if self.namespace.is_empty() {
            return Ok(());
        }
        for place in map.places() {
            let Some(resource) = map.get_mut(place).filter(|resource| !resource.node.is_empty()) else {
                continue;
            };
            // A chart has put its objects where they belong, unless the target is not the kustomization's choice.
            if self.renames && resource.annotation(HELM_GENERATED) == Some("true") {
                continue;
            }
            store_previous(resource, self.meter)?;
            self.set(resource)
                .map_err(|problem| format!("{}: namespace transformation failed: {problem}", resource.id))?;
            map.reindex(place);
            let Some(id) = map.get(place).map(|resource| &resource.id) else {
                continue;
            };
            if map.current(id).len() != 1 {
                return Err(format!("namespace transformation produces ID conflict: {id}"));
            }
        }
        Ok(())
    }

    fn set(&self, resource: &mut Resource) -> Result<()> {
        let mut set = |node: &mut Node| -> Result<()> {
            let has = !node.is_null() && !node.text().is_empty();
            if self.unset_only && has {
                return Ok(());
            }
            self.meter.write(self.namespace.len())?;
            node.set_scalar(Scalar::string(self.namespace))
        };
        let gvk = resource.id.gvk.clone();
        if !resource.id.cluster {
            let spec = FieldSpec::any("metadata/namespace", true);
            fieldspec::apply(&mut resource.node, &spec, Make::Scalar, self.meter, &mut set)?;
        }
        let binding = is_binding(&gvk.kind);
        if binding && self.subjects != Subjects::None {
            set_subjects(&mut resource.node, self.subjects, &mut set)?;
        }
        let core = gvk.group.is_empty() && gvk.version == "v1";
        for spec in self.specs {
            let skipped = spec.path == "metadata/namespace"
                || (!(core && self.renames) && spec.path == "metadata/name")
                || (binding && is_binding(&spec.gvk.kind) && spec.path == "subjects/namespace");
            if !skipped {
                fieldspec::apply(&mut resource.node, spec, Make::Scalar, self.meter, &mut set)?;
            }
        }
        Ok(())
    }
}

/// Notes what names an object now as a name of the past.
fn store_previous(resource: &mut Resource, meter: &Meter) -> Result<()> {
    /// What a name of the past takes beside its texts.
    const NOTE: usize = 96;
    meter.write(NOTE + resource.id.name.len() + resource.id.namespace.len())?;
    resource.store_previous_id()
}

fn set_subjects(node: &mut Node, subjects: Subjects, set: &mut dyn FnMut(&mut Node) -> Result<()>) -> Result<()> {
    let (key, value) = match subjects {
        Subjects::NamedDefault => ("name", "default"),
        Subjects::ServiceAccounts => ("kind", "ServiceAccount"),
        Subjects::None => return Ok(()),
    };
    let Some(list) = node
        .as_map_mut()
        .and_then(|map| map.get_mut("subjects"))
        .filter(|list| !list.is_null())
    else {
        return Ok(());
    };
    let Node::Seq(items) = list else {
        return Err("`subjects`: a sequence was expected".into());
    };
    for item in items {
        let Node::Map(subject) = item else {
            return Err("`subjects`: a mapping was expected".into());
        };
        if subject
            .get(key)
            .is_some_and(|found| !found.is_null() && found.text() == value)
        {
            if subject.get("namespace").is_none() {
                subject.set("namespace", Node::untagged(""));
            }
            if let Some(place) = subject.get_mut("namespace") {
                set(place)?;
            }
        }
    }
    Ok(())
}

/// Types whose names say something to the API server.
fn keeps_name(gvk: &Gvk) -> bool {
    match gvk.kind.as_str() {
        "CustomResourceDefinition" | "Namespace" => true,
        "APIService" => gvk.group == "apiregistration.k8s.io",
        _ => false,
    }
}

fn add_affix(map: &mut ResMap, specs: &[FieldSpec], text: &str, before: bool, meter: &Meter) -> Result<()> {
    for place in map.places() {
        let Some(resource) = map.get_mut(place) else { continue };
        let original = resource.original_id().gvk;
        if keeps_name(&original) {
            continue;
        }
        let mut changed = false;
        for spec in specs.iter().filter(|spec| original.is_selected(&spec.gvk)) {
            if spec.path == "metadata/name" && !text.is_empty() {
                let list = if before {
                    &mut resource.notes.prefixes
                } else {
                    &mut resource.notes.suffixes
                };
                list.push(text.to_string());
                resource.refresh();
                store_previous(resource, meter)?;
            }
            changed = true;
            fieldspec::apply(&mut resource.node, spec, Make::Scalar, meter, &mut |node| {
                let old = node.text();
                meter.write(old.len() + text.len())?;
                let new = if before {
                    format!("{text}{old}")
                } else {
                    format!("{old}{text}")
                };
                node.set_scalar(Scalar::untagged(new))
            })
            .map_err(|problem| format!("{}: {problem}", resource.id))?;
        }
        if changed {
            map.reindex(place);
        }
    }
    Ok(())
}

/// Sets labels or annotations in every field that has them.
fn set_labels(map: &mut ResMap, labels: &BTreeMap<String, String>, specs: &[FieldSpec], meter: &Meter) -> Result<()> {
    each(map, meter, &mut |resource| {
        let first = resource.next_shared(labels.len());
        for spec in specs.iter().filter(|_| !labels.is_empty()) {
            fieldspec::apply(&mut resource.node, spec, Make::Map, meter, &mut |node| match node {
                Node::Map(map) => {
                    meter.step(labels.len() * map.0.len() / 16)?;
                    for (number, (key, value)) in (first..).zip(labels) {
                        meter.write(key.len() + value.len())?;
                        set_entry(map, key, value, number)?;
                    }
                    Ok(())
                }
                node if node.is_null() => Ok(()),
                Node::Scalar(_) | Node::Seq(_) => Err("a mapping was expected".into()),
            })?;
        }
        Ok(())
    })
}

fn set_replicas(map: &mut ResMap, name: &str, count: i64, specs: &[FieldSpec], meter: &Meter) -> Result<()> {
    let mut found = false;
    for spec in specs {
        for place in map.named(name) {
            let Some(resource) = map.get_mut(place).filter(|resource| !resource.node.is_empty()) else {
                continue;
            };
            let fits = resource
                .previous_ids()
                .chain([resource.id.clone()])
                .any(|id| id.name == name && id.gvk.is_selected(&spec.gvk));
            if fits {
                found = true;
                let new = Scalar {
                    text: count.to_string(),
                    tag: Tag::Int,
                    quoted: false,
                    shared: 0,
                };
                fieldspec::apply(&mut resource.node, spec, Make::Scalar, meter, &mut |node| {
                    node.set_scalar(new.clone())
                })
                .map_err(|problem| format!("{}: {problem}", resource.id))?;
            }
        }
    }
    if found {
        Ok(())
    } else {
        Err(format!(
            "resource with name `{name}` does not match any type with replicas"
        ))
    }
}

fn patch_named(map: &mut ResMap, patch: &Resource, directly: bool, schema: &Schema, meter: &Meter) -> Result<()> {
    let id = patch.original_id();
    match map.any(&id)[..] {
        [place] => merge_patch(map, place, patch, directly, schema, meter),
        [] => Err(format!(
            "no matches for Id {id}; failed to find unique target for patch {id}"
        )),
        [..] => Err(format!(
            "multiple matches for Id {id}; failed to find unique target for patch {id}"
        )),
    }
}

/// Merges a patch into one object. Through a selector, its labels and annotations are texts before.
fn merge_patch(
    map: &mut ResMap,
    place: usize,
    patch: &Resource,
    directly: bool,
    schema: &Schema,
    meter: &Meter,
) -> Result<()> {
    let Some(resource) = map.get_mut(place) else {
        return Ok(());
    };
    let (_, bytes) = patch.node.extent();
    meter.step(patch.node.count() + resource.node.count())?;
    meter.write(bytes)?;
    let id = resource.id.clone();
    let mut copy = patch.clone();
    if !directly {
        for field in ["labels", "annotations"] {
            let texts = copy.meta_texts(field);
            copy.set_meta_texts(field, &texts);
        }
        copy.set_text(&["metadata", "name"], &patch.id.name);
        copy.set_namespace(&patch.id.namespace);
        match id.gvk.api_version() {
            // Without a tag, no text is null.
            none if none.is_empty() => copy.set_null_version(),
            version => copy.set_text(&["apiVersion"], &version),
        }
        copy.set_text(&["kind"], &patch.id.gvk.kind);
    }
    let (names, kinds) = (copy.notes.allow_name_change, copy.notes.allow_kind_change);
    if names || kinds {
        store_previous(resource, meter)?;
    }
    let merged = resource.with_note(false, |node| {
        let old = core::mem::replace(node, Node::empty_map());
        let merged = merge::merge_object(old, copy.node, schema, meter)?;
        *node = merged.unwrap_or_else(Node::empty_map);
        Ok::<_, String>(())
    });
    merged.map_err(|problem| format!("{id}: {problem}"))?;
    if resource.node.is_empty() {
        map.remove(place);
        return Ok(());
    }
    settle(resource, meter)?;
    if !kinds {
        resource.set_text(&["kind"], &id.gvk.kind);
    }
    if !names {
        resource.set_text(&["metadata", "name"], &id.name);
    }
    resource.set_namespace(&id.namespace);
    if names || kinds {
        map.reindex(place);
    } else {
        map.reindex_if_renamed(place);
    }
    Ok(())
}

fn patch_selected(
    map: &mut ResMap,
    patch: &Patch,
    target: Option<&Selector>,
    directly: bool,
    schema: &mut dyn FnMut() -> Result<alloc::sync::Arc<Schema>>,
    meter: &Meter,
) -> Result<()> {
    let Some(target) = target else {
        return match patch {
            Patch::Merge(patches) => {
                let schema = schema()?;
                patches
                    .iter()
                    .try_for_each(|patch| patch_named(map, patch, true, &schema, meter))
            }
            Patch::Json(_) => Err("must specify a target for JSON patch".into()),
        };
    };
    if let Patch::Merge(patches) = patch
        && patches.is_empty()
    {
        return Ok(());
    }
    let places = Matcher::new(target)?.select(map, meter)?;
    match patch {
        Patch::Merge(patches) => {
            let [patch] = &patches[..] else {
                return Err("multiple strategic merge patches in one entry with a target".into());
            };
            for place in &places {
                let schema = schema()?;
                merge_patch(map, *place, patch, false, &schema, meter)?;
            }
            if !patch.notes.allow_name_change {
                return Ok(());
            }
            // Kustomize adds all objects anew, and finds those that have one name by now.
            for id in places
                .iter()
                .filter_map(|place| map.get(*place))
                .map(|resource| &resource.id)
            {
                meter.step(1)?;
                if map.current(id).len() > 1 {
                    return Err(format!("may not add resource with an already registered id: {id}"));
                }
            }
            Ok(())
        }
        Patch::Json(operations) => places.into_iter().try_for_each(|place| {
            let Some(resource) = map.get_mut(place) else {
                return Ok(());
            };
            if directly {
                store_previous(resource, meter)?;
            }
            let (_, before) = resource.node.extent();
            // To values, through the patch, and back, with memory for each node.
            meter.step(200 + 20 * resource.node.count())?;
            let id = resource.id.clone();
            let patched = resource.with_note(true, |node| {
                let value = node.to_value()?;
                let patched = json_patch::apply(&value, operations, &meter.limits().text);
                let patched = patched.map_err(|error| meter.patch(&error))?;
                if patched.as_object().is_none() {
                    return Err("the patch leaves no object".to_string());
                }
                *node = Node::from_written(patched);
                Ok(())
            });
            patched.map_err(|problem| format!("{id}: {problem}"))?;
            let (_, after) = resource.node.extent();
            meter.write(after.saturating_sub(before))?;
            let texts = resource.meta_texts("annotations");
            resource.set_meta_texts("annotations", &texts);
            map.reindex(place);
            Ok(())
        }),
    }
}

/// Reads a text as a patch of either kind.
///
/// # Errors
/// When it is neither, or both.
pub(crate) fn read_patch(
    text: &str,
    objects: core::result::Result<Vec<Resource>, String>,
    meter: &Meter,
) -> Result<Patch> {
    if meter.breach().is_some() {
        return objects.map(Patch::Merge);
    }
    let operations = read_operations(text, meter);
    match (objects, operations) {
        (Ok(objects), Ok(operations))
            if !objects.is_empty() && operations.as_array().is_some_and(|list| !list.is_empty()) =>
        {
            Err("illegally qualifies as both an SM and JSON patch".into())
        }
        (Ok(objects), _) => Ok(Patch::Merge(objects)),
        (Err(_), Ok(operations)) => Ok(Patch::Json(operations)),
        (Err(problem), Err(_)) => Err(format!("unable to parse SM or JSON patch: {problem}")),
    }
}

/// Reads a JSON 6902 patch, in JSON or YAML.
pub(crate) fn read_operations(text: &str, meter: &Meter) -> Result<Value> {
    if text.is_empty() {
        return Err("empty json patch operations".into());
    }
    let limits = &meter.limits().text;
    let value = if text.starts_with('[') {
        json::parse(text, limits).map_err(|error| meter.json(&error))?
    } else {
        yaml::helm::parse(text, limits).map_err(|error| meter.yaml(&error))?
    };
    match &value {
        Value::Null => Ok(Value::Array(Vec::new())),
        Value::Array(items) if items.iter().all(|item| item.as_object().is_some() || item.is_null()) => Ok(value),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            Err("a JSON patch is a list of operations".into())
        }
    }
}

fn add_value(map: &mut ResMap, value: &str, target: &ValueTarget, meter: &Meter) -> Result<()> {
    let places = match &target.selector {
        Some(selector) => Matcher::new(selector)?.select(map, meter)?,
        None => map.places(),
    };
    for place in places {
        let Some(resource) = map.get_mut(place) else { continue };
        let id = resource.id.clone();
        let result = if target.field == "metadata/namespace" {
            let to = Namespacing {
                namespace: value,
                specs: &[],
                unset_only: false,
                subjects: Subjects::NamedDefault,
                renames: true,
                meter,
            };
            to.set(resource)
        } else {
            add_value_to(&mut resource.node, value, target, meter)
        };
        result.map_err(|problem| format!("{id}: {problem}"))?;
        map.reindex_if_renamed(place);
    }
    Ok(())
}

fn add_value_to(node: &mut Node, value: &str, target: &ValueTarget, meter: &Meter) -> Result<()> {
    let mut at = node;
    let parts = paths::split(&target.field, '/');
    meter.parts(parts.len())?;
    meter.step(parts.len())?;
    for (index, part) in parts.iter().enumerate() {
        let last = index + 1 == parts.len();
        at = match (lookup::part(part)?, at) {
            (lookup::Part::Key(key), Node::Map(map)) => {
                if map.get(key).is_none() {
                    map.set(
                        key,
                        if last {
                            Node::untagged("")
                        } else {
                            Node::Map(Entries::default())
                        },
                    );
                }
                map.get_mut(key).ok_or("a field could not be made")?
            }
            (lookup::Part::Index(index), Node::Seq(items)) => items.get_mut(index).ok_or("an element is missing")?,
            (lookup::Part::Last, Node::Seq(items)) => items.last_mut().ok_or("an element is missing")?,
            (lookup::Part::Element(key, value), Node::Seq(items)) => items
                .iter_mut()
                .find(|item| item.get(key).is_some_and(|field| field.text() == value))
                .ok_or("an element is missing")?,
            _ => return Err(format!("`{part}` does not fit what is there")),
        };
    }
    let old = at.text().to_string();
    meter.write(old.len() + value.len())?;
    let new = match usize::try_from(target.position) {
        Ok(position) if position > 0 => {
            let mut parts: Vec<&str> = old.split('/').filter(|part| !part.is_empty()).collect();
            parts.insert((position - 1).min(parts.len()), value);
            format!("{}{}", if old.starts_with('/') { "/" } else { "" }, parts.join("/"))
        }
        _ => value.to_string(),
    };
    at.set_scalar(Scalar::untagged(new))
}
