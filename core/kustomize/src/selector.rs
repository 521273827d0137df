//! Which objects a patch or a replacement is for.

use alloc::string::String;
use alloc::vec::Vec;

use crate::decode::Fields;
use crate::ids::{Gvk, Id};
use crate::labels::LabelSelector;
use crate::meter::Meter;
use crate::pattern::{Pattern, is_literal};
use crate::resmap::ResMap;
use crate::resource::Resource;

/// What a selector says, as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Selector {
    pub(crate) gvk: Gvk,
    pub(crate) name: String,
    pub(crate) namespace: String,
    pub(crate) labels: String,
    pub(crate) annotations: String,
}

impl Selector {
    pub(crate) fn read(mut fields: Fields<'_>) -> Result<Self, String> {
        let selector = Self {
            gvk: Gvk {
                group: fields.string("group")?,
                version: fields.string("version")?,
                kind: fields.string("kind")?,
            },
            name: fields.string("name")?,
            namespace: fields.string("namespace")?,
            labels: fields.string("labelSelector")?,
            annotations: fields.string("annotationSelector")?,
        };
        fields.finish()?;
        Ok(selector)
    }

    /// Whether it names no object.
    pub(crate) fn has_no_id(&self) -> bool {
        self.gvk == Gvk::default() && self.name.is_empty() && self.namespace.is_empty()
    }
}

/// A selector that is ready for use: each part is a pattern for the whole text, an empty one takes anything.
#[derive(Debug)]
pub(crate) struct Matcher {
    group: Option<Pattern>,
    version: Option<Pattern>,
    kind: Option<Pattern>,
    name: Option<Pattern>,
    namespace: Option<Pattern>,
    labels: LabelSelector,
    annotations: LabelSelector,
    /// The name, if it is a plain text.
    literal: Option<String>,
}

fn pattern(text: &str) -> Result<Option<Pattern>, String> {
    if text.is_empty() {
        Ok(None)
    } else {
        Pattern::anchored(text).map(Some)
    }
}

fn takes(pattern: Option<&Pattern>, text: &str, meter: &Meter) -> bool {
    pattern.is_none_or(|pattern| pattern.is_match(text, meter))
}

impl Matcher {
    pub(crate) fn new(selector: &Selector) -> Result<Self, String> {
        Ok(Self {
            group: pattern(&selector.gvk.group)?,
            version: pattern(&selector.gvk.version)?,
            kind: pattern(&selector.gvk.kind)?,
            name: pattern(&selector.name)?,
            namespace: pattern(&selector.namespace)?,
            labels: LabelSelector::parse(&selector.labels)?,
            annotations: LabelSelector::parse(&selector.annotations)?,
            literal: (!selector.name.is_empty() && is_literal(&selector.name)).then(|| selector.name.clone()),
        })
    }

    pub(crate) fn takes_gvk(&self, gvk: &Gvk, meter: &Meter) -> bool {
        takes(self.group.as_ref(), &gvk.group, meter)
            && takes(self.version.as_ref(), &gvk.version, meter)
            && takes(self.kind.as_ref(), &gvk.kind, meter)
    }

    /// Whether it takes an object of this name, by the namespace as it is written.
    pub(crate) fn takes_id(&self, id: &Id, meter: &Meter) -> bool {
        self.takes_gvk(&id.gvk, meter)
            && takes(self.name.as_ref(), &id.name, meter)
            && takes(self.namespace.as_ref(), &id.namespace, meter)
    }

    /// Whether labels and annotations fit.
    pub(crate) fn takes_meta(&self, resource: &Resource) -> bool {
        (self.labels.is_empty() || self.labels.is_match(&resource.meta_texts("labels")))
            && (self.annotations.is_empty() || self.annotations.is_match(&resource.meta_texts("annotations")))
    }

    /// Whether no label or annotation is asked for.
    pub(crate) fn ignores_meta(&self) -> bool {
        self.labels.is_empty() && self.annotations.is_empty()
    }

    /// Places that may fit: by the index if the name is a plain text.
    pub(crate) fn candidates(&self, map: &ResMap) -> Vec<usize> {
        match &self.literal {
            Some(name) => map.named(name),
            None => map.places(),
        }
    }

    /// Places of the objects that a patch is for: by the name and namespace that they have or first had.
    ///
    /// # Errors
    /// When no steps are left to look at all of them.
    pub(crate) fn select(&self, map: &ResMap, meter: &Meter) -> Result<Vec<usize>, String> {
        let fits = |resource: &Resource| {
            let original = resource.original_id();
            let namespace = |id: &Id| takes(self.namespace.as_ref(), id.effective_namespace(), meter);
            let name = |id: &Id| takes(self.name.as_ref(), &id.name, meter);
            (namespace(&original) || namespace(&resource.id))
                && (name(&original) || name(&resource.id))
                && self.takes_gvk(&resource.id.gvk, meter)
                && self.takes_meta(resource)
        };
        let mut places = Vec::new();
        for place in self.candidates(map) {
            meter.step(1)?;
            if map.get(place).is_some_and(fits) {
                places.push(place);
            }
        }
        Ok(places)
    }
}
