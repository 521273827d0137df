//! Objects that configure a built-in generator or transformer: entries of `generators`, `transformers`, `validators`.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec;
use alloc::vec::Vec;

use convoy_value::{Value, yaml};

use crate::charts::Chart;
use crate::config::field_specs;
use crate::decode::Fields;
use crate::generate::Generator;
use crate::image::Image;
use crate::kustomization;
use crate::meter::Meter;
use crate::node::Node;
use crate::replacement::Replacement;
use crate::resource::Resource;
use crate::selector::Selector;
use crate::transform::{self, Patch, Subjects, Transformer, ValueTarget};

type Result<T> = core::result::Result<T, String>;

/// What a plugin's configuration may read.
pub(crate) struct Sources<'s> {
    /// A file by its path from the kustomization.
    pub(crate) load: &'s mut (dyn FnMut(&str) -> Result<Vec<u8>> + 's),
    /// The objects in a text.
    pub(crate) objects: &'s mut (dyn FnMut(&str) -> Result<Vec<Resource>> + 's),
    pub(crate) meter: &'s Meter,
}

/// A plugin.
#[derive(Debug)]
pub(crate) enum Plugin {
    Generator(Generator),
    /// An object that is made of nothing else.
    Object(Resource),
    Transformer(Transformer),
    Chart(Chart),
}

fn is_built_in(resource: &Resource) -> bool {
    resource.id.gvk.group.is_empty() && resource.id.gvk.version == "builtin"
}

/// Reads what `resource` configures. `base` is the name of the kustomization's directory.
///
/// # Errors
/// When it is no built-in plugin, or is configured badly.
pub(crate) fn read(resource: &Resource, base: &str, from: &mut Sources<'_>) -> Result<Plugin> {
    if !is_built_in(resource) {
        return Err(format!("only built-in plugins run here, not {}", resource.id));
    }
    let value = resource.node.to_value()?;
    let mut fields = Fields::new(&value, &resource.id.to_string(), false)?.converting();
    read_kind(&resource.id.gvk.kind, &mut fields, base, from)
        .map_err(|problem| format!("plugin {}: {problem}", resource.id))
}

#[expect(clippy::too_many_lines, reason = "one case after another, in the order of the tool")]
fn read_kind(kind: &str, fields: &mut Fields<'_>, base: &str, from: &mut Sources<'_>) -> Result<Plugin> {
    let specs = |fields: &mut Fields<'_>| Ok::<_, String>(field_specs(fields, "fieldSpecs")?.unwrap_or_default());
    let transformer = match kind {
        "ConfigMapGenerator" | "SecretGenerator" => return generator(fields, kind == "SecretGenerator"),
        "IAMPolicyGenerator" => return policy(fields, from.meter),
        "AnnotationsTransformer" => Transformer::Labels {
            labels: fields.string_map("annotations")?.unwrap_or_default(),
            specs: specs(fields)?,
        },
        "LabelTransformer" => Transformer::Labels {
            labels: fields.string_map("labels")?.unwrap_or_default(),
            specs: specs(fields)?,
        },
        "PrefixTransformer" | "SuffixTransformer" => {
            let specs = field_specs(fields, "fieldSpecs")?.ok_or("fieldSpecs is not expected to be nil")?;
            if kind == "PrefixTransformer" {
                Transformer::Prefix {
                    text: fields.string("prefix")?,
                    specs,
                }
            } else {
                Transformer::Suffix {
                    text: fields.string("suffix")?,
                    specs,
                }
            }
        }
        "PrefixSuffixTransformer" => {
            let specs = field_specs(fields, "fieldSpecs")?.ok_or("fieldSpecs is not expected to be nil")?;
            let (prefix, suffix) = (fields.string("prefix")?, fields.string("suffix")?);
            Transformer::Sequence(vec![
                Transformer::Prefix {
                    text: prefix,
                    specs: specs.clone(),
                },
                Transformer::Suffix { text: suffix, specs },
            ])
        }
        "NamespaceTransformer" => {
            let subjects = match fields.string("setRoleBindingSubjects")?.as_str() {
                "" | "defaultOnly" => Subjects::NamedDefault,
                "allServiceAccounts" => Subjects::ServiceAccounts,
                "none" => Subjects::None,
                other => return Err(format!("invalid value `{other}` for setRoleBindingSubjects")),
            };
            let namespace = match fields.object("metadata")? {
                Some(mut meta) => meta.string("namespace")?,
                None => String::new(),
            };
            Transformer::Namespace {
                namespace,
                specs: specs(fields)?,
                unset_only: fields.bool("unsetOnly")?,
                subjects,
                renames: true,
            }
        }
        "ImageTagTransformer" => Transformer::Images {
            image: fields
                .object("imageTag")?
                .map(Image::read)
                .transpose()?
                .unwrap_or_default(),
            specs: specs(fields)?,
        },
        "ReplicaCountTransformer" => {
            let replica = fields.object("replica")?.map(kustomization::replica).transpose()?;
            let (name, count) = replica.unwrap_or_default();
            Transformer::Replicas {
                name,
                count,
                specs: specs(fields)?,
            }
        }
        "ReplacementTransformer" => {
            let entries = fields.objects("replacements")?.unwrap_or_default();
            let entries: Vec<_> = entries
                .into_iter()
                .map(kustomization::replacement_entry)
                .collect::<Result<_>>()?;
            replacements(&entries, from)?
        }
        "PatchTransformer" => {
            let (path, inline) = (fields.string("path")?, fields.string("patch")?);
            let target = fields.object("target")?.map(Selector::read).transpose()?;
            let options = fields.object("options")?;
            let (names, kinds) = match options {
                Some(mut options) => (options.bool("allowNameChange")?, options.bool("allowKindChange")?),
                None => (false, false),
            };
            self::patch(&path, &inline, target, (names, kinds), from)?
        }
        "PatchStrategicMergeTransformer" => {
            let mut entries = fields.strings("paths")?.unwrap_or_default();
            let patches = fields.string("patches")?;
            if !patches.is_empty() {
                entries.push(patches);
            }
            strategic_merge(&entries, from)?
        }
        "PatchJson6902Transformer" => {
            let target = fields.object("target")?.map(Selector::read).transpose()?;
            json_patch(&fields.string("path")?, &fields.string("jsonOp")?, target, from)?
        }
        "ValueAddTransformer" => value_add(fields, base, from)?,
        "HashTransformer" => Transformer::Hash,
        "HelmChartInflationGenerator" => {
            let home = fields.string("chartHome")?;
            let mut chart = Chart::read(fields)?;
            chart.home = home;
            return Ok(Plugin::Chart(chart));
        }
        other => return Err(format!("unable to load builtin {other}")),
    };
    Ok(Plugin::Transformer(transformer))
}

fn generator(fields: &mut Fields<'_>, secret: bool) -> Result<Plugin> {
    // The old spelling counts in a kustomization only.
    fields.take("env");
    let mut generator = Generator::read(fields, secret)?;
    if let Some(mut meta) = fields.object("metadata")? {
        for (ours, name) in [(&mut generator.name, "name"), (&mut generator.namespace, "namespace")] {
            let theirs = meta.string(name)?;
            if ours.is_empty() {
                *ours = theirs;
            }
        }
    }
    Ok(Plugin::Generator(generator))
}

/// A service account of a cloud.
fn policy(fields: &mut Fields<'_>, meter: &Meter) -> Result<Plugin> {
    let cloud = fields.string("cloud")?;
    if cloud != "gke" {
        return Err(format!("cloud provider `{cloud}` not supported"));
    }
    let mut part = |name: &str, keys: [&str; 2]| -> Result<[String; 2]> {
        match fields.object(name)? {
            Some(mut part) => Ok([part.string(keys[0])?, part.string(keys[1])?]),
            None => Ok([String::new(), String::new()]),
        }
    };
    let [name, namespace] = part("kubernetesService", ["name", "namespace"])?;
    let [account, project] = part("serviceAccount", ["name", "projectId"])?;
    if name.is_empty() {
        return Err("missing metadata.name in a ServiceAccount".into());
    }
    let mut text = format!(
        "apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  annotations:\n    iam.gke.io/gcp-service-account: {account}@{project}.iam.gserviceaccount.com\n  name: {name}\n"
    );
    if !namespace.is_empty() {
        text.push_str("\n  namespace: ");
        text.push_str(&namespace);
    }
    let value = yaml::kustomize::parse_as_written(&text, &meter.limits().text).map_err(|error| meter.yaml(&error))?;
    Ok(Plugin::Object(Resource::new(Node::from_written(value))))
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// An entry of `patches`.
pub(crate) fn patch(
    path: &str,
    inline: &str,
    target: Option<Selector>,
    (names, kinds): (bool, bool),
    from: &mut Sources<'_>,
) -> Result<Transformer> {
    let content = match (inline.trim(), path) {
        ("", "") => return Err("must specify one of patch and path".into()),
        (inline, "") => inline.to_string(),
        ("", path) => text((from.load)(path)?),
        _ => return Err("patch and path can't be set at the same time".into()),
    };
    let objects = (from.objects)(&content);
    let mut read = transform::read_patch(&content, objects, from.meter)?;
    if let Patch::Merge(patches) = &mut read {
        for patch in patches.iter_mut().filter(|_| names || kinds) {
            // Kustomize notes it among the annotations, which makes them texts.
            let texts = patch.meta_texts("annotations");
            patch.set_meta_texts("annotations", &texts);
            patch.notes.allow_name_change |= names;
            patch.notes.allow_kind_change |= kinds;
        }
    }
    Ok(Transformer::PatchSelected {
        patch: read,
        target,
        directly: true,
    })
}

/// An entry of `patchesJson6902`.
pub(crate) fn json_patch(
    path: &str,
    inline: &str,
    target: Option<Selector>,
    from: &mut Sources<'_>,
) -> Result<Transformer> {
    if target.as_ref().is_none_or(|target| target.name.is_empty()) {
        return Err("must specify the target name".into());
    }
    let content = match (inline, path) {
        ("", "") => return Err("empty file path and empty jsonOp".into()),
        (inline, "") => inline.to_string(),
        ("", path) => text((from.load)(path)?),
        _ => return Err("must specify a file path or jsonOp, not both".into()),
    };
    let operations = transform::read_operations(&content, from.meter)?;
    if operations.as_array().is_none_or(<[Value]>::is_empty) {
        return Err("patch appears to be empty".into());
    }
    Ok(Transformer::PatchSelected {
        patch: Patch::Json(operations),
        target,
        directly: false,
    })
}

/// `patchesStrategicMerge`: each entry is a patch or the path of a file with some.
pub(crate) fn strategic_merge(entries: &[String], from: &mut Sources<'_>) -> Result<Transformer> {
    let mut patches = Vec::new();
    for entry in entries {
        if let Ok(found) = (from.objects)(entry) {
            patches.extend(found);
        } else {
            let content = text((from.load)(entry)?);
            patches.extend((from.objects)(&content).map_err(|problem| format!("`{entry}`: {problem}"))?);
        }
    }
    if patches.is_empty() {
        return Err("patch appears to be empty".into());
    }
    Ok(Transformer::PatchNamed {
        patches,
        directly: false,
    })
}

/// `replacements`, in place or in files.
pub(crate) fn replacements(entries: &[kustomization::ReplacementEntry], from: &mut Sources<'_>) -> Result<Transformer> {
    let mut all = Vec::new();
    for entry in entries {
        if entry.path.is_empty() {
            all.push(entry.replacement.clone());
            continue;
        }
        if entry.replacement.is_inline() {
            return Err("cannot specify both path and inline replacement".into());
        }
        let content = (from.load)(&entry.path)?;
        let value = yaml::helm::parse(&content, &from.meter.limits().text)
            .map_err(|error| format!("`{}`: {}", entry.path, from.meter.yaml(&error)))?;
        let one = |value: &Value| -> Result<Replacement> {
            Replacement::read(&mut Fields::new(value, &format!("`{}`", entry.path), false)?.converting())
        };
        match &value {
            Value::Array(items) => all.extend(items.iter().map(one).collect::<Result<Vec<_>>>()?),
            Value::Object(_) => all.push(one(&value)?),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                return Err(format!(
                    "`{}`: a replacement or a list of them was expected",
                    entry.path
                ));
            }
        }
    }
    Ok(Transformer::Replacements(all))
}

fn value_add(fields: &mut Fields<'_>, base: &str, from: &mut Sources<'_>) -> Result<Transformer> {
    let mut value = fields.string("value")?.trim().to_string();
    if value.is_empty() {
        value = base.to_string();
    }
    let mut targets = value_targets(fields)?;
    let path = fields.string("targetFilePath")?;
    if !path.is_empty() {
        let content = (from.load)(&path)?;
        let more = yaml::helm::parse(&content, &from.meter.limits().text)
            .map_err(|error| format!("`{path}`: {}", from.meter.yaml(&error)))?;
        targets.extend(value_targets(&mut Fields::new(&more, &path, false)?)?);
    }
    if targets.is_empty() {
        return Err("must specify at least one target".into());
    }
    Ok(Transformer::ValueAdd { value, targets })
}

fn value_targets(fields: &mut Fields<'_>) -> Result<Vec<ValueTarget>> {
    let entries = fields.objects("targets")?.unwrap_or_default();
    entries
        .into_iter()
        .map(|mut entry| {
            let target = ValueTarget {
                selector: entry.object("selector")?.map(Selector::read).transpose()?,
                field: entry.string("fieldPath")?,
                position: entry.int("filePathPosition")?,
            };
            if target.field.is_empty() {
                return Err("fieldPath cannot be empty".into());
            }
            if target.position < 0 {
                return Err("filePathPosition cannot be negative".into());
            }
            Ok(target)
        })
        .collect()
}
