//! An object with what kustomize remembers of it.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use convoy_value::yaml::kustomize::TWICE;

use crate::ids::{Gvk, Id};
use crate::node::{Entries, Node, Scalar, is_text_key};

/// What kustomize keeps for itself; users may find it in files that an earlier build left.
const BUILD_ANNOTATIONS: &[&str] = &[
    "internal.config.kubernetes.io/previousKinds",
    "internal.config.kubernetes.io/previousNames",
    "internal.config.kubernetes.io/prefixes",
    "internal.config.kubernetes.io/suffixes",
    "internal.config.kubernetes.io/previousNamespaces",
    "internal.config.kubernetes.io/allowNameChange",
    "internal.config.kubernetes.io/allowKindChange",
    "internal.config.kubernetes.io/refBy",
    "internal.config.kubernetes.io/generatorBehavior",
    "internal.config.kubernetes.io/needsHashSuffix",
    "internal.config.kubernetes.io/path",
    "internal.config.kubernetes.io/index",
    "internal.config.kubernetes.io/seqindent",
    "internal.config.kubernetes.io/id",
    "internal.config.kubernetes.io/annotations-migration-resource-id",
    "config.kubernetes.io/path",
    "config.kubernetes.io/index",
    "config.k8s.io/id",
    "internal.config.kubernetes.io/helm-generated",
];

/// Stands in the annotations while a patch is applied, as kustomize's own notes do there.
const NOTE: &str = "internal.config.kubernetes.io/previousNames";

/// How a generated object goes with one that is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Behavior {
    #[default]
    Create,
    Replace,
    Merge,
}

/// A name of the past.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Previous {
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) kind: String,
}

/// What kustomize remembers of an object besides the object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Notes {
    pub(crate) previous: Vec<Previous>,
    pub(crate) prefixes: Vec<String>,
    pub(crate) suffixes: Vec<String>,
    pub(crate) needs_hash: bool,
    pub(crate) behavior: Option<Behavior>,
    pub(crate) allow_name_change: bool,
    pub(crate) allow_kind_change: bool,
}

impl Notes {
    fn is_empty(&self) -> bool {
        self.previous.is_empty()
            && self.prefixes.is_empty()
            && self.suffixes.is_empty()
            && !self.needs_hash
            && self.behavior.is_none()
    }
}

/// An object.
#[derive(Clone, Debug)]
pub(crate) struct Resource {
    pub(crate) node: Node,
    /// What names it now. [`Resource::refresh`] keeps it true.
    pub(crate) id: Id,
    pub(crate) notes: Notes,
    /// Variables whose value it holds.
    pub(crate) variables: Vec<String>,
    /// What its shared scalars are, by their number less one.
    shared: Vec<Option<Scalar>>,
    /// Whether its type certainly has no namespace though that is not built in.
    cluster: bool,
}

impl Resource {
    pub(crate) fn new(node: Node) -> Self {
        let id = Id::of(&node);
        Self {
            node,
            id,
            notes: Notes::default(),
            variables: Vec::new(),
            shared: Vec::new(),
            cluster: false,
        }
    }

    /// Takes over what an earlier build has left in its annotations of prefixes and suffixes.
    pub(crate) fn read_notes(&mut self) {
        let list = |key: &str| -> Vec<String> {
            let text = self.annotation(key).filter(|text| !text.is_empty());
            text.map_or_else(Vec::new, |text| text.split(',').map(str::to_string).collect())
        };
        let prefixes = list("internal.config.kubernetes.io/prefixes");
        let suffixes = list("internal.config.kubernetes.io/suffixes");
        (self.notes.prefixes, self.notes.suffixes) = (prefixes, suffixes);
    }

    /// The first of `count` numbers for scalars that are shared.
    pub(crate) fn next_shared(&mut self, count: usize) -> u32 {
        let first = self.shared.len();
        self.shared.resize(first + count, None);
        u32::try_from(first + 1).unwrap_or(0)
    }

    /// Makes scalars that kustomize shares equal again: what changed counts. Answers how many nodes it looked at.
    pub(crate) fn settle(&mut self) -> usize {
        if self.shared.is_empty() {
            return 0;
        }
        let known = &self.shared;
        let mut now = known.clone();
        let mut changed = false;
        let walked = self.node.each_shared(&mut |scalar| {
            let place = scalar.shared as usize - 1;
            if let (Some(before), Some(now)) = (known.get(place), now.get_mut(place))
                && before.as_ref() != Some(scalar)
            {
                changed |= before.is_some();
                *now = Some(scalar.clone());
            }
        });
        if changed {
            self.node.each_shared(&mut |scalar| {
                if let Some(Some(now)) = now.get(scalar.shared as usize - 1) {
                    *scalar = now.clone();
                }
            });
        }
        self.shared = now;
        walked
    }

    /// What names it, read again.
    pub(crate) fn read_id(&self) -> Id {
        let mut id = Id::of(&self.node);
        id.cluster |= self.cluster;
        id
    }

    /// Keeps what names it true. Answers whether something else names it now.
    pub(crate) fn refresh(&mut self) -> bool {
        let id = self.read_id();
        let renamed = id != self.id;
        self.id = id;
        renamed
    }

    /// Notes that a description by the user knows its type as one without a namespace; what names it is to be read again.
    pub(crate) fn set_cluster_scoped(&mut self) {
        self.cluster = true;
    }

    /// What named it in the past, the oldest first.
    pub(crate) fn previous_ids(&self) -> impl Iterator<Item = Id> + '_ {
        self.notes.previous.iter().map(|previous| Id {
            gvk: Gvk {
                kind: previous.kind.clone(),
                ..self.id.gvk.clone()
            },
            name: previous.name.clone(),
            namespace: previous.namespace.clone(),
            cluster: false,
        })
    }

    /// What named it first.
    pub(crate) fn original_id(&self) -> Id {
        self.previous_ids().next().unwrap_or_else(|| self.id.clone())
    }

    /// Notes what names it now as a name of the past.
    ///
    /// # Errors
    /// When nothing does, or its annotations can take no note: a patch may have done that.
    pub(crate) fn store_previous_id(&mut self) -> Result<(), String> {
        if self.id.name.is_empty() || self.id.gvk.kind.is_empty() {
            return Err(format!("{}: it has no name or no kind, and gets another one", self.id));
        }
        let annotations = self.metadata().and_then(|meta| meta.get("annotations"));
        if annotations.is_some_and(|node| !node.is_null() && node.as_map().is_none()) {
            return Err(format!(
                "{}: `metadata`: `annotations`: a mapping was expected",
                self.id
            ));
        }
        self.notes.previous.push(Previous {
            namespace: self.id.effective_namespace().to_string(),
            name: self.id.name.clone(),
            kind: self.id.gvk.kind.clone(),
        });
        Ok(())
    }

    fn metadata(&self) -> Option<&Entries> {
        self.node.get("metadata")?.as_map()
    }

    /// The texts under `metadata/field`.
    pub(crate) fn meta_texts(&self, field: &str) -> BTreeMap<String, String> {
        let map = self.metadata().and_then(|meta| meta.get(field)).and_then(Node::as_map);
        map.map_or_else(BTreeMap::new, |map| {
            map.0
                .iter()
                .filter(|(key, _)| !key.starts_with(TWICE))
                .map(|(key, node)| (key.clone(), node.text().to_string()))
                .collect()
        })
    }

    /// Sets `metadata/field` to texts; without any, it is gone.
    pub(crate) fn set_meta_texts(&mut self, field: &str, texts: &BTreeMap<String, String>) {
        let Some(meta) = self.node.as_map_mut().and_then(|map| map.map_mut("metadata")) else {
            return;
        };
        meta.remove(field);
        if !texts.is_empty() {
            let entries = texts.iter().map(|(key, text)| (key.clone(), quoted(text))).collect();
            meta.set(field, Node::Map(Entries(entries)));
        }
    }

    /// Sets an annotation, which makes all of them texts.
    pub(crate) fn set_annotation(&mut self, key: &str, text: &str) {
        let mut texts = self.meta_texts("annotations");
        texts.insert(key.to_string(), text.to_string());
        self.set_meta_texts("annotations", &texts);
    }

    pub(crate) fn annotation(&self, key: &str) -> Option<&str> {
        Some(self.metadata()?.get("annotations")?.get(key)?.text())
    }

    /// Sets name, namespace or kind as kustomize does: without a tag, with the quotes that were there.
    pub(crate) fn set_text(&mut self, path: &[&str], text: &str) {
        let Some((last, parents)) = path.split_last() else {
            return;
        };
        let mut map = self.node.as_map_mut();
        for parent in parents {
            map = map.and_then(|map| map.map_mut(parent));
        }
        if let Some(map) = map {
            set_untagged(map, last, text);
        }
    }

    /// Sets the version to a scalar without text.
    pub(crate) fn set_null_version(&mut self) {
        if let Some(map) = self.node.as_map_mut() {
            map.set("apiVersion", Node::untagged(""));
        }
    }

    /// Sets or, if it is empty, removes the namespace.
    pub(crate) fn set_namespace(&mut self, namespace: &str) {
        if namespace.is_empty() {
            if let Some(Node::Map(meta)) = self.node.as_map_mut().and_then(|map| map.get_mut("metadata")) {
                meta.remove("namespace");
            }
        } else {
            self.set_text(&["metadata", "namespace"], namespace);
        }
    }

    /// Runs `change` over the object with a note among its annotations, as kustomize keeps its own there: a change that
    /// takes the annotations away makes it forget.
    ///
    /// If it is to `keep` its notes, nothing makes it forget.
    pub(crate) fn with_note<T>(&mut self, keep: bool, change: impl FnOnce(&mut Node) -> T) -> T {
        let noted = !self.notes.is_empty();
        let annotated = self.metadata().is_some_and(|meta| meta.get("annotations").is_some());
        if noted {
            self.note();
        }
        let out = change(&mut self.node);
        let Some(Node::Map(meta)) = self.node.as_map_mut().and_then(|map| map.get_mut("metadata")) else {
            return out;
        };
        let annotations = meta.get_mut("annotations");
        let found = match annotations {
            Some(Node::Map(map)) => {
                let found = map.remove(NOTE).is_some();
                if noted && map.0.is_empty() && !annotated {
                    meta.remove("annotations");
                }
                found
            }
            Some(Node::Scalar(_) | Node::Seq(_)) | None => false,
        };
        if noted && !found && !keep {
            self.notes = Notes::default();
        }
        out
    }

    /// Adds the note.
    fn note(&mut self) {
        let meta = self.node.as_map_mut().and_then(|map| map.get_mut("metadata"));
        let annotations = meta
            .and_then(Node::as_map_mut)
            .and_then(|meta| meta.map_mut("annotations"));
        if let Some(map) = annotations {
            map.set(NOTE, quoted("-"));
        }
    }

    /// Takes what kustomize noted in annotations of its own out of them, and makes the others texts.
    ///
    /// # Errors
    /// When a key of theirs is no text without quotes, as kustomize writes it.
    pub(crate) fn finish(&mut self, origin: bool, transformations: bool) -> Result<(), String> {
        let mut texts = self.meta_texts("annotations");
        for key in BUILD_ANNOTATIONS {
            texts.remove(*key);
        }
        if !origin {
            texts.remove(crate::origin::ORIGIN);
        }
        if !transformations {
            texts.remove(crate::origin::TRANSFORMATIONS);
        }
        if let Some(key) = texts.keys().find(|key| !is_text_key(key)) {
            return Err(format!("{}: the annotation `{key}` is no text without quotes", self.id));
        }
        self.set_meta_texts("annotations", &texts);
        Ok(())
    }
}

/// A text, in quotes where it looks like something else.
pub(crate) fn quoted(text: &str) -> Node {
    Node::Scalar(Scalar::string(text))
}

/// Sets a scalar without a tag by its key: where there was one, its quotes stay.
pub(crate) fn set_untagged(map: &mut Entries, key: &str, text: &str) {
    if let Some(place @ Node::Scalar(_)) = map.get_mut(key)
        && !place.is_null()
    {
        let _ = place.set_scalar(Scalar::untagged(text));
        return;
    }
    // What looks like another kind of value gets quotes.
    map.set(key, quoted(text));
}
