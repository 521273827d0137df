//! A kustomization as it is written: every field of v1beta1, deprecated ones with a warning.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use convoy_value::Value;

use crate::charts::Chart;
use crate::config;
use crate::decode::Fields;
use crate::fieldspec::FieldSpec;
use crate::generate::{Generator, GeneratorOptions};
use crate::image::Image;
use crate::replacement::Replacement;
use crate::selector::Selector;
use crate::vars::Var;

/// One entry of `labels`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Label {
    pub(crate) pairs: BTreeMap<String, String>,
    pub(crate) selectors: bool,
    pub(crate) templates: bool,
    pub(crate) fields: Vec<FieldSpec>,
}

/// One entry of `patches` or `patchesJson6902`.
#[derive(Clone, Debug, Default)]
pub(crate) struct PatchEntry {
    pub(crate) path: String,
    pub(crate) patch: String,
    pub(crate) target: Option<Selector>,
    pub(crate) allow_name_change: bool,
    pub(crate) allow_kind_change: bool,
}

/// One entry of `replacements`.
#[derive(Clone, Debug)]
pub(crate) struct ReplacementEntry {
    pub(crate) replacement: Replacement,
    pub(crate) path: String,
}

/// `sortOptions`.
#[derive(Clone, Debug)]
pub(crate) struct SortOptions {
    pub(crate) order: String,
    pub(crate) lists: Option<(Vec<String>, Vec<String>)>,
}

/// A kustomization or a component.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kustomization {
    pub(crate) component: bool,
    pub(crate) openapi: BTreeMap<String, String>,
    pub(crate) name_prefix: String,
    pub(crate) name_suffix: String,
    pub(crate) namespace: String,
    pub(crate) common_labels: BTreeMap<String, String>,
    pub(crate) labels: Vec<Label>,
    pub(crate) common_annotations: BTreeMap<String, String>,
    pub(crate) patches_strategic_merge: Vec<String>,
    pub(crate) patches_json: Vec<PatchEntry>,
    pub(crate) patches: Vec<PatchEntry>,
    pub(crate) images: Vec<Image>,
    pub(crate) replacements: Vec<ReplacementEntry>,
    pub(crate) replicas: Vec<(String, i64)>,
    pub(crate) vars: Vec<Var>,
    pub(crate) sort: Option<SortOptions>,
    pub(crate) resources: Vec<String>,
    pub(crate) components: Vec<String>,
    pub(crate) crds: Vec<String>,
    pub(crate) config_maps: Vec<Generator>,
    pub(crate) secrets: Vec<Generator>,
    pub(crate) charts: Vec<Chart>,
    pub(crate) generator_options: Option<GeneratorOptions>,
    pub(crate) configurations: Vec<String>,
    pub(crate) generators: Vec<String>,
    pub(crate) transformers: Vec<String>,
    pub(crate) validators: Vec<String>,
    pub(crate) build_metadata: Vec<String>,
}

type Result<T> = core::result::Result<T, String>;

impl PatchEntry {
    fn read(mut fields: Fields<'_>) -> Result<Self> {
        let mut entry = Self {
            path: fields.string("path")?,
            patch: fields.string("patch")?,
            target: fields.object("target")?.map(Selector::read).transpose()?,
            ..Self::default()
        };
        if let Some(mut options) = fields.object("options")? {
            entry.allow_name_change = options.bool("allowNameChange")?;
            entry.allow_kind_change = options.bool("allowKindChange")?;
            options.finish()?;
        }
        fields.finish()?;
        Ok(entry)
    }
}

impl Label {
    fn read(mut fields: Fields<'_>) -> Result<Self> {
        let label = Self {
            pairs: fields.string_map("pairs")?.unwrap_or_default(),
            selectors: fields.bool("includeSelectors")?,
            templates: fields.bool("includeTemplates")?,
            fields: config::field_specs(&mut fields, "fields")?.unwrap_or_default(),
        };
        fields.finish()?;
        Ok(label)
    }
}

impl SortOptions {
    pub(crate) fn read(mut fields: Fields<'_>) -> Result<Self> {
        let order = fields.string("order")?;
        let lists = match fields.object("legacySortOptions")? {
            None => None,
            Some(mut lists) => {
                let first = lists.strings("orderFirst")?.unwrap_or_default();
                let last = lists.strings("orderLast")?.unwrap_or_default();
                lists.finish()?;
                Some((first, last))
            }
        };
        fields.finish()?;
        Ok(Self { order, lists })
    }

    /// Whether they make sense, which matters in the outermost kustomization only.
    pub(crate) fn check(&self) -> Result<()> {
        match (self.order.as_str(), &self.lists) {
            ("legacy", _) | ("fifo", None) => Ok(()),
            ("fifo", Some(_)) => Err("`sortOptions.legacySortOptions` is set but the order is not `legacy`".into()),
            _ => Err("`sortOptions.order` must be one of fifo, legacy".into()),
        }
    }
}

fn all<T>(fields: Option<Vec<Fields<'_>>>, read: impl Fn(Fields<'_>) -> Result<T>) -> Result<Vec<T>> {
    fields.unwrap_or_default().into_iter().map(read).collect()
}

fn generators(fields: Option<Vec<Fields<'_>>>, secret: bool) -> Result<Vec<Generator>> {
    all(fields, |mut fields| {
        let generator = Generator::read(&mut fields, secret)?;
        fields.finish()?;
        Ok(generator)
    })
}

pub(crate) fn replacement_entry(mut fields: Fields<'_>) -> Result<ReplacementEntry> {
    let replacement = Replacement::read(&mut fields)?;
    let path = fields.string("path")?;
    fields.finish()?;
    Ok(ReplacementEntry { replacement, path })
}

pub(crate) fn replica(mut fields: Fields<'_>) -> Result<(String, i64)> {
    let replica = (fields.string("name")?, fields.int("count")?);
    fields.finish()?;
    Ok(replica)
}

/// Deprecated fields, and what to write in their place.
const DEPRECATED: [Deprecated; 7] = [
    ("bases", "resources"),
    ("commonLabels", "labels"),
    ("helmChartInflationGenerator", "helmCharts"),
    ("imageTags", "images"),
    ("patchesJson6902", "patches"),
    ("patchesStrategicMerge", "patches"),
    ("vars", "replacements"),
];

/// A deprecated field, and what to write in its place.
pub(crate) type Deprecated = (&'static str, &'static str);

impl Kustomization {
    /// Reads a kustomization; `deprecated` takes the fields that kustomize warns of.
    ///
    /// # Errors
    /// When a field is unknown or of another type, or nothing is in it.
    pub(crate) fn read(value: &Value, deprecated: &mut Vec<Deprecated>) -> Result<Self> {
        let mut fields = Fields::new(value, "the kustomization", true)?;
        let found = DEPRECATED.iter().filter(|(field, _)| {
            let entries = value.as_object().into_iter().flat_map(convoy_value::Map::iter);
            entries
                .into_iter()
                .any(|(key, value)| key.eq_ignore_ascii_case(field) && !value.is_null())
        });
        deprecated.extend(found);
        let (kind, api_version) = (fields.string("kind")?, fields.string("apiVersion")?);
        let anything = value.as_object().is_some_and(|map| {
            map.iter().any(|(key, value)| {
                !(value.is_null() || key.eq_ignore_ascii_case("kind") || key.eq_ignore_ascii_case("apiVersion"))
                    && value.as_str() != Some("")
            })
        });
        let component = kind == "Component";
        let mut kustomization = Self {
            component,
            ..Self::default()
        };
        kustomization.read_fields(&mut fields)?;
        fields.finish()?;
        if !anything {
            return Err("the kustomization is empty".into());
        }
        if !(kind.is_empty() || component || kind == "Kustomization") {
            return Err("kind should be Kustomization or Component".into());
        }
        let wanted = if component {
            "kustomize.config.k8s.io/v1alpha1"
        } else {
            "kustomize.config.k8s.io/v1beta1"
        };
        if !(api_version.is_empty() || api_version == wanted) {
            return Err(alloc::format!("apiVersion should be {wanted}"));
        }
        Ok(kustomization)
    }

    fn read_fields(&mut self, fields: &mut Fields<'_>) -> Result<()> {
        if let Some(mut meta) = fields.object("metadata")? {
            for name in ["name", "namespace"] {
                meta.string(name)?;
            }
            for name in ["labels", "annotations"] {
                meta.string_map(name)?;
            }
            meta.finish()?;
        }
        self.openapi = fields.string_map("openapi")?.unwrap_or_default();
        self.name_prefix = fields.string("namePrefix")?;
        self.name_suffix = fields.string("nameSuffix")?;
        self.namespace = fields.string("namespace")?;
        self.common_labels = fields.string_map("commonLabels")?.unwrap_or_default();
        self.labels = all(fields.objects("labels")?, Label::read)?;
        self.common_annotations = fields.string_map("commonAnnotations")?.unwrap_or_default();
        self.patches_strategic_merge = fields.strings("patchesStrategicMerge")?.unwrap_or_default();
        self.patches_json = all(fields.objects("patchesJson6902")?, PatchEntry::read)?;
        self.patches = all(fields.objects("patches")?, PatchEntry::read)?;
        self.images = all(fields.objects("images")?, Image::read)?;
        self.images.extend(all(fields.objects("imageTags")?, Image::read)?);
        self.replacements = all(fields.objects("replacements")?, replacement_entry)?;
        self.replicas = all(fields.objects("replicas")?, replica)?;
        self.vars = all(fields.objects("vars")?, Var::read)?;
        self.sort = fields.object("sortOptions")?.map(SortOptions::read).transpose()?;
        for (name, list) in [
            ("resources", &mut self.resources),
            ("components", &mut self.components),
            ("crds", &mut self.crds),
            ("configurations", &mut self.configurations),
            ("generators", &mut self.generators),
            ("transformers", &mut self.transformers),
            ("validators", &mut self.validators),
            ("buildMetadata", &mut self.build_metadata),
        ] {
            *list = fields.strings(name)?.unwrap_or_default();
        }
        self.resources.extend(fields.strings("bases")?.unwrap_or_default());
        self.config_maps = generators(fields.objects("configMapGenerator")?, false)?;
        self.secrets = generators(fields.objects("secretGenerator")?, true)?;
        self.generator_options = fields
            .object("generatorOptions")?
            .map(GeneratorOptions::read)
            .transpose()?;
        self.read_charts(fields)?;
        Ok(())
    }

    /// Charts of both forms, with where they are: what `helmGlobals` says, else the last of the old form that says it.
    fn read_charts(&mut self, fields: &mut Fields<'_>) -> Result<()> {
        let globals = match fields.object("helmGlobals")? {
            None => None,
            Some(mut globals) => {
                let home = globals.string("chartHome")?;
                globals.string("configHome")?;
                globals.finish()?;
                Some(home)
            }
        };
        self.charts = all(fields.objects("helmCharts")?, |mut fields| {
            let chart = Chart::read(&mut fields)?;
            fields.finish()?;
            Ok(chart)
        })?;
        let old = all(fields.objects("helmChartInflationGenerator")?, Chart::read_old)?;
        let homes = old.iter().rev().map(|chart| &chart.home);
        let home = globals
            .or_else(|| homes.into_iter().find(|home| !home.is_empty()).cloned())
            .unwrap_or_default();
        self.charts.extend(old);
        for chart in &mut self.charts {
            chart.home.clone_from(&home);
        }
        Ok(())
    }

    /// Whether `buildMetadata` asks for `what`.
    pub(crate) fn wants(&self, what: &str) -> bool {
        self.build_metadata.iter().any(|option| option == &what.to_string())
    }
}
