//! Which fields each transformer works on: kustomize's defaults, and what `configurations` and `crds` add.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::cmp::Ordering;

use convoy_value::Value;

use crate::decode::Fields;
use crate::fieldspec::FieldSpec;
use crate::ids::Gvk;
use crate::sort;

/// The defaults, one field a line.
const DEFAULTS: &str = include_str!("../tables/fields.txt");

/// The most parts of a field's path: as many as nodes may nest.
const MAX_PARTS: usize = 200;

/// Fields that hold the name of an object of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NameReference {
    pub(crate) target: Gvk,
    pub(crate) fields: Vec<FieldSpec>,
}

/// Fields by transformer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Config {
    pub(crate) name_prefix: Vec<FieldSpec>,
    pub(crate) name_suffix: Vec<FieldSpec>,
    pub(crate) namespace: Vec<FieldSpec>,
    pub(crate) common_labels: Vec<FieldSpec>,
    pub(crate) labels: Vec<FieldSpec>,
    pub(crate) template_labels: Vec<FieldSpec>,
    pub(crate) common_annotations: Vec<FieldSpec>,
    pub(crate) name_reference: Vec<NameReference>,
    pub(crate) var_reference: Vec<FieldSpec>,
    pub(crate) images: Vec<FieldSpec>,
    pub(crate) replicas: Vec<FieldSpec>,
}

fn any(text: &str) -> String {
    if text == "-" { String::new() } else { text.to_string() }
}

impl Config {
    /// Kustomize's own.
    pub(crate) fn defaults() -> Self {
        let mut config = Self::default();
        let mut section = String::new();
        for line in DEFAULTS.lines().filter(|line| !line.starts_with('#')) {
            let words: Vec<&str> = line.split(' ').collect();
            match &words[..] {
                ["=", name] => section = (*name).to_string(),
                ["=", name, group, version, kind] => {
                    section = (*name).to_string();
                    let target = Gvk {
                        group: any(group),
                        version: any(version),
                        kind: any(kind),
                    };
                    config.name_reference.push(NameReference {
                        target,
                        fields: Vec::new(),
                    });
                }
                [group, version, kind, path, rest @ ..] => {
                    let gvk = Gvk {
                        group: any(group),
                        version: any(version),
                        kind: any(kind),
                    };
                    let spec = FieldSpec::new(gvk, path, !rest.is_empty());
                    if section == "nameReference" {
                        if let Some(reference) = config.name_reference.last_mut() {
                            reference.fields.push(spec);
                        }
                    } else if let Some(list) = config.list_mut(&section) {
                        list.push(spec);
                    }
                }
                _ => {}
            }
        }
        config.sort();
        config
    }

    fn list_mut(&mut self, name: &str) -> Option<&mut Vec<FieldSpec>> {
        Some(match name {
            "namePrefix" => &mut self.name_prefix,
            "nameSuffix" => &mut self.name_suffix,
            "namespace" => &mut self.namespace,
            "commonLabels" => &mut self.common_labels,
            "labels" => &mut self.labels,
            "templateLabels" => &mut self.template_labels,
            "commonAnnotations" => &mut self.common_annotations,
            "varReference" => &mut self.var_reference,
            "images" => &mut self.images,
            "replicas" => &mut self.replicas,
            _ => return None,
        })
    }

    fn lists_mut(&mut self) -> [&mut Vec<FieldSpec>; 10] {
        [
            &mut self.name_prefix,
            &mut self.name_suffix,
            &mut self.namespace,
            &mut self.common_labels,
            &mut self.labels,
            &mut self.template_labels,
            &mut self.common_annotations,
            &mut self.var_reference,
            &mut self.images,
            &mut self.replicas,
        ]
    }

    /// Reads a file of `configurations`.
    ///
    /// # Errors
    /// When a field is unknown or of another type.
    pub(crate) fn read(value: &Value) -> Result<Self, String> {
        let mut config = Self::default();
        let mut fields = Fields::new(value, "the configuration", true)?;
        for name in [
            "namePrefix",
            "nameSuffix",
            "namespace",
            "commonLabels",
            "labels",
            "templateLabels",
            "commonAnnotations",
            "varReference",
            "images",
            "replicas",
        ] {
            let specs = field_specs(&mut fields, name)?.unwrap_or_default();
            if let Some(list) = config.list_mut(name) {
                *list = specs;
            }
        }
        for mut reference in fields.objects("nameReference")?.unwrap_or_default() {
            let target = gvk(&mut reference)?;
            let specs = field_specs(&mut reference, "fieldSpecs")?.unwrap_or_default();
            reference.finish()?;
            config.name_reference.push(NameReference { target, fields: specs });
        }
        fields.finish()?;
        config.sort();
        Ok(config)
    }

    /// Both together.
    ///
    /// # Errors
    /// When one makes a field that the other does not.
    pub(crate) fn merge(&self, other: &Self) -> Result<Self, String> {
        let mut merged = self.clone();
        let mut other = other.clone();
        for (ours, theirs) in merged.lists_mut().into_iter().zip(other.lists_mut()) {
            for spec in theirs.drain(..) {
                merge_one(ours, spec)?;
            }
        }
        for reference in other.name_reference {
            merged.add_reference(reference)?;
        }
        merged.sort();
        Ok(merged)
    }

    /// Adds fields that hold names of a type.
    pub(crate) fn add_reference(&mut self, reference: NameReference) -> Result<(), String> {
        let mut found = false;
        for known in self
            .name_reference
            .iter_mut()
            .filter(|known| known.target == reference.target)
        {
            found = true;
            for spec in &reference.fields {
                merge_one(&mut known.fields, spec.clone())?;
            }
        }
        if !found {
            self.name_reference.push(reference);
        }
        Ok(())
    }

    fn sort(&mut self) {
        for list in self.lists_mut() {
            list.sort_by(|a, b| compare(&a.gvk, &b.gvk));
        }
        self.name_reference.sort_by(|a, b| compare(&a.target, &b.target));
    }
}

fn compare(a: &Gvk, b: &Gvk) -> Ordering {
    sort::default_kind_order(&a.kind)
        .cmp(&sort::default_kind_order(&b.kind))
        .then_with(|| sort::gvk_text(a).cmp(&sort::gvk_text(b)))
}

/// Adds a field unless it is there.
///
/// # Errors
/// When it is there and made differently.
pub(crate) fn merge_one(list: &mut Vec<FieldSpec>, spec: FieldSpec) -> Result<(), String> {
    match list.iter().find(|known| known.covers(&spec)) {
        None => list.push(spec),
        Some(known) if known.create == spec.create => {}
        Some(_) => return Err(format!("conflicting fieldspecs for `{}`", spec.path)),
    }
    Ok(())
}

fn gvk(fields: &mut Fields<'_>) -> Result<Gvk, String> {
    Ok(Gvk {
        group: fields.string("group")?,
        version: fields.string("version")?,
        kind: fields.string("kind")?,
    })
}

/// A list of fields.
///
/// # Errors
/// When something in it is of another type.
pub(crate) fn field_specs(fields: &mut Fields<'_>, name: &str) -> Result<Option<Vec<FieldSpec>>, String> {
    let Some(items) = fields.objects(name)? else {
        return Ok(None);
    };
    let mut specs = Vec::with_capacity(items.len());
    for mut item in items {
        let gvk = gvk(&mut item)?;
        let path = item.string("path")?;
        let spec = FieldSpec::new(gvk, &path, item.bool("create")?);
        if spec.parts.len() > MAX_PARTS {
            return Err(format!("a path of {name} passes the limit of {MAX_PARTS} parts"));
        }
        specs.push(spec);
        item.finish()?;
    }
    Ok(Some(specs))
}
