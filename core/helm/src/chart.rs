//! A chart and the charts below it, loaded from files or from an archive.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::sync::Arc;
use alloc::vec::Vec;

use convoy_value::{Map, Value, yaml};

use crate::archive::{self, File, Limits};
use crate::decode;
use crate::error::Error;
use crate::ignore::Rules;
use crate::layers;
use crate::metadata::Metadata;
use crate::reason::Reason;
use crate::tables::Tree;

/// The files of a chart's folder: path below it, with `/`, to content.
pub type Files = BTreeMap<String, Arc<[u8]>>;

/// A loaded chart.
#[derive(Clone, Debug)]
pub struct Chart {
    pub(crate) metadata: Metadata,
    /// The content of `values.yaml`; always a table.
    pub(crate) values: Tree,
    pub(crate) schema: Option<Arc<[u8]>>,
    pub(crate) templates: Arc<[File]>,
    /// All that is neither read nor a template: what `.Files` holds.
    pub(crate) files: Arc<[File]>,
    pub(crate) dependencies: Vec<Chart>,
}

impl Chart {
    /// Loads a chart from the files of its folder; `.helmignore` counts, and files of folders in `charts/` too.
    ///
    /// # Errors
    /// When Helm would refuse to load it, in its words.
    pub fn load(files: &Files) -> Result<Self, Error> {
        Self::load_within(files, &Limits::default())
    }

    /// As [`Chart::load`], with other limits on archives in `charts/`.
    ///
    /// # Errors
    /// As [`Chart::load`].
    pub fn load_within(files: &Files, limits: &Limits) -> Result<Self, Error> {
        let rules = Rules::parse(files.get(".helmignore").map_or(&[], |text| &text[..]))?;
        let mut kept: Vec<File> = Vec::new();
        for (name, data) in files {
            if rules.ignores_file(name) {
                continue;
            }
            if data.len() > limits.file {
                let base = name.rsplit('/').next().unwrap_or(name).to_string();
                return Err(Error::Limit {
                    limit: format!("{} bytes for the file `{base}`", limits.file),
                });
            }
            let data = match data.strip_prefix(b"\xef\xbb\xbf") {
                Some(text) => text.into(),
                None => Arc::clone(data),
            };
            kept.push(File {
                name: name.clone(),
                data,
            });
        }
        // Helm walks folder by folder.
        kept.sort_by(|a, b| a.name.split('/').cmp(b.name.split('/')));
        Self::check_version(&kept)?;
        load_files(kept, limits, 0)
    }

    /// Loads a packaged chart (.tgz).
    ///
    /// # Errors
    /// When the archive is damaged or passes a limit, or Helm would refuse to load what is in it.
    pub fn from_archive(bytes: &[u8]) -> Result<Self, Error> {
        Self::from_archive_within(bytes, &Limits::default())
    }

    /// As [`Chart::from_archive`], within `limits`.
    ///
    /// # Errors
    /// As [`Chart::from_archive`].
    pub fn from_archive_within(bytes: &[u8], limits: &Limits) -> Result<Self, Error> {
        let files = archive::unpack(bytes, limits)?;
        Self::check_version(&files)?;
        load_files(files, limits, 0)
    }

    /// Only the outermost chart is asked for its version.
    fn check_version(files: &[File]) -> Result<(), Error> {
        let file = files
            .iter()
            .find(|file| file.name == "Chart.yaml")
            .ok_or(Error::NoChartYaml)?;
        let cannot = |reason: Reason| Error::File {
            file: "Chart.yaml",
            reason,
        };
        let value = decode::read(&file.data).map_err(cannot)?;
        let mut version = String::new();
        let map = decode::structure(&value, decode::Place::new("chartBase", ""), "loader.chartBase");
        if let Some(map) = map.map_err(|reason| cannot(reason.into()))? {
            let read = decode::text(map, "apiVersion", "chartBase", "apiVersion", &mut version);
            read.map_err(|reason| cannot(reason.into()))?;
        }
        match version.as_str() {
            "" | "v1" | "v2" => Ok(()),
            _ => Err(Error::UnsupportedVersion),
        }
    }

    /// What the chart says about itself.
    #[must_use]
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    pub(crate) fn name(&self) -> &str {
        &self.metadata.name
    }

    /// Forgets the values of this chart and of those below it.
    pub(crate) fn give_up_values(&mut self) {
        self.values = Tree::empty();
        self.dependencies.iter_mut().for_each(Self::give_up_values);
    }

    /// Refuses what cannot be rendered: libraries, and charts without the charts that they need.
    pub(crate) fn check_installable(&self) -> Result<(), Error> {
        if !matches!(self.metadata.kind.as_str(), "" | "application") {
            return Err(Error::NotInstallable(self.metadata.kind.clone()));
        }
        let is_there = |name: &str| self.dependencies.iter().any(|sub| sub.name() == name);
        let missing: Vec<&str> = self
            .metadata
            .dependencies()
            .map(|dependency| dependency.name.as_str())
            .filter(|name| !is_there(name))
            .collect();
        if missing.is_empty() {
            Ok(())
        } else {
            Err(Error::MissingDependencies(missing.join(", ")))
        }
    }
}

fn load_files(files: Vec<File>, limits: &Limits, depth: usize) -> Result<Chart, Error> {
    let mut metadata: Option<Metadata> = None;
    for file in files.iter().filter(|file| file.name == "Chart.yaml") {
        let metadata = metadata.get_or_insert_default();
        metadata.read(&file.data).map_err(|reason| Error::File {
            file: "Chart.yaml",
            reason,
        })?;
        if metadata.api_version.is_empty() {
            metadata.api_version = "v1".into();
        }
    }
    let mut chart = Chart {
        metadata: Metadata::default(),
        values: Tree::empty(),
        schema: None,
        templates: Arc::default(),
        files: Arc::default(),
        dependencies: Vec::new(),
    };
    let (mut templates, mut others) = (Vec::new(), Vec::new());
    let mut subcharts: BTreeMap<String, Vec<File>> = BTreeMap::new();
    for file in files {
        match file.name.as_str() {
            "Chart.yaml" => {}
            "Chart.lock" => check_lock(&file, "Chart.lock")?,
            "values.yaml" => chart.values = read_values(&file)?,
            "values.schema.json" => chart.schema = Some(file.data),
            "requirements.yaml" => {
                let metadata = metadata.get_or_insert_default();
                metadata.read(&file.data).map_err(|reason| Error::File {
                    file: "requirements.yaml",
                    reason,
                })?;
                if metadata.api_version == "v1" {
                    others.push(file);
                }
            }
            "requirements.lock" => {
                check_lock(&file, "requirements.lock")?;
                if metadata.get_or_insert_default().api_version == "v1" {
                    others.push(file);
                }
            }
            name if name.starts_with("templates/") => templates.push(file),
            name if name.starts_with("charts/") && !has_extension(name, ".prov") => {
                let inner = name["charts/".len()..].to_string();
                let folder = inner.split('/').next().unwrap_or_default().to_string();
                let inner = File {
                    name: inner,
                    data: file.data,
                };
                subcharts.entry(folder).or_default().push(inner);
            }
            _ => others.push(file),
        }
    }
    (chart.templates, chart.files) = (templates.into(), others.into());
    chart.metadata = metadata.ok_or(Error::NoChartYaml)?;
    chart.metadata.validate()?;
    for (name, files) in subcharts {
        if name.starts_with(['_', '.']) {
            continue;
        }
        let loaded = load_subchart(&name, files, limits, depth + 1);
        let sub = loaded.map_err(|source| Error::Subchart {
            name,
            parent: chart.metadata.name.clone(),
            source: Box::new(source),
        })?;
        chart.dependencies.push(sub);
    }
    Ok(chart)
}

fn load_subchart(name: &str, files: Vec<File>, limits: &Limits, depth: usize) -> Result<Chart, Error> {
    if depth > limits.depth * 4 {
        return Err(Error::Limit {
            limit: format!("{} charts inside of charts", limits.depth * 4),
        });
    }
    if has_extension(name, ".tgz") {
        let file = files
            .into_iter()
            .next()
            .filter(|file| file.name == name)
            .ok_or(Error::NoChartYaml)?;
        return load_files(archive::unpack(&file.data, limits)?, limits, depth);
    }
    let inner = files.into_iter().filter_map(|file| {
        let (_, name) = file.name.split_once('/')?;
        Some(File {
            name: name.to_string(),
            data: file.data,
        })
    });
    load_files(inner.collect(), limits, depth)
}

/// Whether the last part of a path ends so, as Go's `filepath.Ext` sees it.
pub(crate) fn has_extension(path: &str, extension: &str) -> bool {
    let base = path.rsplit('/').next().unwrap_or(path);
    base.rfind('.')
        .is_some_and(|dot| base[dot..].eq_ignore_ascii_case(extension))
}

/// Lock files are read only to be refused.
fn check_lock(file: &File, name: &'static str) -> Result<(), Error> {
    let cannot = |reason: Reason| Error::File { file: name, reason };
    let value = decode::read(&file.data).map_err(cannot)?;
    let lock = decode::structure(&value, decode::Place::new("Lock", ""), "v2.Lock");
    lock.map_err(|reason| cannot(reason.into()))?;
    Ok(())
}

fn read_values(file: &File) -> Result<Tree, Error> {
    let map = read_layers(&file.data).map_err(|reason| Error::File {
        file: "values.yaml",
        reason,
    })?;
    Ok(Tree::from_map(map))
}

/// The documents of a values file, merged.
pub(crate) fn read_layers(text: &[u8]) -> Result<Map, Reason> {
    let documents = yaml::helm::parse_values_documents(text, &convoy_value::Limits::default()).map_err(|error| {
        let is_separator = error.go_message().starts_with("invalid Yaml document separator");
        Reason::yaml(&error).after(if is_separator {
            "error reading yaml document: "
        } else {
            "cannot unmarshal yaml document: error converting YAML to JSON: "
        })
    })?;
    let mut merged = Map::new();
    for document in documents {
        match document.value {
            Value::Null => {}
            Value::Object(map) => layers::merge(&mut merged, map),
            other @ (Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
                let kind = match other {
                    Value::Bool(_) => "bool",
                    Value::Number(_) => "number",
                    Value::Array(_) => "array",
                    Value::Null | Value::String(_) | Value::Object(_) => "string",
                };
                return Err(Reason::plain(format!(
                    "cannot unmarshal yaml document: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {kind} into Go value of type map[string]interface {{}}"
                )));
            }
        }
    }
    Ok(merged)
}
