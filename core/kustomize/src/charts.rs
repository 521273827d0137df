//! Helm charts in a kustomization: what is asked of whoever can render one.
//!
//! kustomize runs `helm template`; here the caller hands in a [`ChartRenderer`]. Only charts that lie in the tree are
//! rendered.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use convoy_value::{Value, yaml};

use crate::decode::Fields;
use crate::merge;
use crate::meter::Meter;
use crate::node::Node;
use crate::schema::Schema;

/// One rendering of a chart, as `helm template` is asked for it.
#[derive(Clone, Debug, PartialEq)]
pub struct ChartRequest {
    /// The chart's directory, its path in the tree with all links followed.
    pub directory: String,
    /// Name of the release; without one, it comes from the template, or is Helm's default.
    pub release: Option<String>,
    /// Template that gives the release its name.
    pub name_template: Option<String>,
    /// Namespace of the release; without one, Helm's default.
    pub namespace: Option<String>,
    /// Values over the chart's own, the lowest first.
    pub values: Vec<ChartValues>,
    /// Further API versions for `.Capabilities.APIVersions`.
    pub api_versions: Vec<String>,
    /// Version of Kubernetes for `.Capabilities.KubeVersion`.
    pub kube_version: Option<String>,
    /// Whether the files of `crds/` come first.
    pub include_crds: bool,
    /// Whether hooks that are tests are left out.
    pub skip_tests: bool,
    /// Whether all hooks are left out.
    pub skip_hooks: bool,
}

/// A layer of values: a file of YAML.
#[derive(Clone, Debug, PartialEq)]
pub struct ChartValues {
    /// The path that errors show.
    pub path: String,
    /// Its content.
    pub content: Arc<[u8]>,
}

/// Renders the charts that a kustomization names.
pub trait ChartRenderer: fmt::Debug + Send + Sync {
    /// The text that `helm template` prints for `request`.
    ///
    /// # Errors
    /// When the chart cannot be read or rendered; one line that says why.
    fn render(&self, request: &ChartRequest) -> core::result::Result<String, String>;
}

/// How `valuesInline` goes with the values file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ValuesMerge {
    /// What is inline wins.
    #[default]
    Override,
    /// What the file says wins.
    Merge,
    /// The file is not read.
    Replace,
}

/// One entry of `helmCharts`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Chart {
    pub(crate) name: String,
    version: String,
    pub(crate) repo: String,
    release: String,
    pub(crate) namespace: String,
    additional: Vec<String>,
    values_file: String,
    inline: Option<Value>,
    merge: ValuesMerge,
    include_crds: bool,
    skip_hooks: bool,
    skip_tests: bool,
    api_versions: Vec<String>,
    kube_version: String,
    name_template: String,
    /// Where charts are; empty for `charts`.
    pub(crate) home: String,
}

type Result<T> = core::result::Result<T, String>;

fn inline(fields: &mut Fields<'_>, name: &str) -> Result<Option<Value>> {
    match fields.take(name) {
        None => Ok(None),
        Some(map @ Value::Object(_)) => Ok(Some(map.clone())),
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
            Err(format!("`{name}`: a mapping was expected"))
        }
    }
}

impl ValuesMerge {
    fn read(text: &str) -> Result<Self> {
        match text {
            "" | "override" => Ok(Self::Override),
            "merge" => Ok(Self::Merge),
            "replace" => Ok(Self::Replace),
            other => Err(format!(
                "`valuesMerge` must be one of merge, override, replace, not `{other}`"
            )),
        }
    }
}

impl Chart {
    /// Reads an entry of `helmCharts`; what it does not know stays in `fields`.
    pub(crate) fn read(fields: &mut Fields<'_>) -> Result<Self> {
        let chart = Self {
            name: fields.string("name")?,
            version: fields.string("version")?,
            repo: fields.string("repo")?,
            release: fields.string("releaseName")?,
            namespace: fields.string("namespace")?,
            additional: fields.strings("additionalValuesFiles")?.unwrap_or_default(),
            values_file: fields.string("valuesFile")?,
            inline: inline(fields, "valuesInline")?,
            merge: ValuesMerge::read(&fields.string("valuesMerge")?)?,
            include_crds: fields.bool("includeCRDs")?,
            skip_hooks: fields.bool("skipHooks")?,
            skip_tests: fields.bool("skipTests")?,
            api_versions: fields.strings("apiVersions")?.unwrap_or_default(),
            kube_version: fields.string("kubeVersion")?,
            name_template: fields.string("nameTemplate")?,
            home: String::new(),
        };
        // Neither changes what a chart in the tree gives.
        fields.bool("debug")?;
        fields.bool("devel")?;
        Ok(chart)
    }

    /// Reads an entry of the old `helmChartInflationGenerator`, and where its charts are.
    pub(crate) fn read_old(mut fields: Fields<'_>) -> Result<Self> {
        let chart = Self {
            name: fields.string("chartName")?,
            version: fields.string("chartVersion")?,
            repo: fields.string("chartRepoUrl")?,
            release: fields.string("releaseName")?,
            values_file: fields.string("values")?,
            inline: inline(&mut fields, "valuesLocal")?,
            merge: ValuesMerge::read(&fields.string("valuesMerge")?)?,
            home: fields.string("chartHome")?,
            ..Self::default()
        };
        for unused in ["chartRepoName", "helmBin", "helmHome", "releaseNamespace"] {
            fields.string(unused)?;
        }
        fields.strings("extraArgs")?;
        fields.finish()?;
        Ok(chart)
    }

    /// The path of its directory, from the kustomization.
    pub(crate) fn path(&self) -> String {
        let home = if self.home.is_empty() { "charts" } else { &self.home };
        if self.version.is_empty() || self.repo.is_empty() {
            format!("{home}/{}", self.name)
        } else {
            format!("{home}/{}-{}/{}", self.name, self.version, self.name)
        }
    }

    /// What is asked for, once its files are read.
    ///
    /// # Errors
    /// When a values file is not there or no mapping.
    pub(crate) fn request(
        &self,
        directory: String,
        load: &mut dyn FnMut(&str) -> Result<Arc<[u8]>>,
        schema: &mut dyn FnMut() -> Result<Arc<Schema>>,
        meter: &Meter,
    ) -> Result<ChartRequest> {
        let text = |text: &String| (!text.is_empty()).then(|| text.clone());
        let mut values = Vec::with_capacity(1 + self.additional.len());
        values.push(self.first_values(load, schema, meter)?);
        for path in &self.additional {
            values.push(ChartValues {
                path: path.clone(),
                content: load(path)?,
            });
        }
        Ok(ChartRequest {
            directory,
            release: text(&self.release),
            name_template: text(&self.name_template),
            namespace: text(&self.namespace),
            values,
            api_versions: self.api_versions.clone(),
            kube_version: text(&self.kube_version),
            include_crds: self.include_crds,
            skip_tests: self.skip_tests,
            skip_hooks: self.skip_hooks,
        })
    }

    /// The values file, and what is inline merged into it as kyaml merges.
    fn first_values(
        &self,
        load: &mut dyn FnMut(&str) -> Result<Arc<[u8]>>,
        schema: &mut dyn FnMut() -> Result<Arc<Schema>>,
        meter: &Meter,
    ) -> Result<ChartValues> {
        let path = if self.values_file.is_empty() {
            format!("{}/values.yaml", self.path())
        } else {
            self.values_file.clone()
        };
        let inline = self.inline.as_ref().filter(|inline| {
            let map = inline.as_object();
            map.is_some_and(|map| !map.is_empty())
        });
        let content = match (inline, self.merge) {
            (None, _) => load(&path)?,
            (Some(inline), ValuesMerge::Replace) => marshal(inline)?,
            (Some(inline), ValuesMerge::Override | ValuesMerge::Merge) => {
                let file = load(&path)?;
                let in_file = |problem: String| format!("`{path}`: {problem}");
                if says_nothing(&file) {
                    // kyaml takes no document for an error here.
                    return Err(in_file(
                        "the file says nothing that `valuesInline` could be merged with".into(),
                    ));
                }
                let file = yaml::kustomize::parse_as_written(&file, &meter.limits().text)
                    .map_err(|error| in_file(meter.yaml(&error)))?;
                let (file, inline) = (Node::from_written(file), Node::from_written(inline.clone()));
                meter.nodes(file.count() + inline.count())?;
                let (below, above) = match self.merge {
                    ValuesMerge::Merge => (inline, file),
                    ValuesMerge::Override | ValuesMerge::Replace => (file, inline),
                };
                let schema = schema()?;
                let merged = merge::merge(below, above, &schema, meter).map_err(in_file)?;
                marshal(&merged.unwrap_or_else(Node::empty_map).to_value().map_err(in_file)?)?
            }
        };
        Ok(ChartValues { path, content })
    }
}

fn marshal(value: &Value) -> Result<Arc<[u8]>> {
    let text = yaml::marshal(value).map_err(|error| error.to_string())?;
    Ok(text.into_bytes().into())
}

/// Whether a text of YAML is all blank lines and comments.
fn says_nothing(text: &[u8]) -> bool {
    text.split(|byte| *byte == b'\n')
        .map(<[u8]>::trim_ascii)
        .all(|line| line.is_empty() || line.starts_with(b"#"))
}
