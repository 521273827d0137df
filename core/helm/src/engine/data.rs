//! What templates see: `.Values`, `.Chart`, `.Release`, `.Files`, `.Capabilities`, `.Subcharts`, `.Template`.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use convoy_template::value::{Elem, Heap, ListRef, MapRef, Named, Struct};
use convoy_template::{Context, Function, Limit, Str, Value};
use convoy_value::Value as Plain;

use super::{Job, files, templates};
use crate::capabilities::{API_VERSIONS, GIT_COMMIT, GO_VERSION, HELM_VERSION, KUBE_CLIENT_VERSION};
use crate::chart::Chart;
use crate::metadata::{Dependency, Metadata};
use crate::render::Settings;
use crate::tables::{Branch, Heap as Tables, Node, TableId, Tree};

/// Builds the data of all templates in one heap, tables that charts share being one map there too.
pub(super) struct Builder<'h, 't> {
    heap: &'h mut Heap,
    tables: &'t Tables,
    known: BTreeMap<TableId, MapRef>,
    release: Value,
    capabilities: Value,
    bytes: &'t BTreeMap<String, Vec<u8>>,
    values_type: Arc<Named>,
    files_type: Arc<Named>,
}

impl<'h, 't> Builder<'h, 't> {
    pub(super) fn new(
        heap: &'h mut Heap,
        settings: &'t Settings,
        tables: &'t Tables,
        values_type: &Arc<Named>,
    ) -> Result<Self, Limit> {
        let release = release(heap, settings)?;
        let capabilities = capabilities(heap, settings)?;
        Ok(Self {
            heap,
            tables,
            known: BTreeMap::new(),
            release,
            capabilities,
            bytes: &settings.bytes,
            values_type: Arc::clone(values_type),
            files_type: files::named(),
        })
    }

    /// The data of the root chart, and one job for each template below it.
    pub(super) fn chart(&mut self, chart: &Chart, values: TableId, jobs: &mut Vec<Job>) -> Result<(), Limit> {
        let values = self.table(values)?;
        self.descend(chart, None, Some(values), chart.name(), jobs)?;
        Ok(())
    }

    fn descend(
        &mut self,
        chart: &Chart,
        parent: Option<&str>,
        values: Option<MapRef>,
        path: &str,
        jobs: &mut Vec<Job>,
    ) -> Result<MapRef, Limit> {
        let data = self.heap.map()?;
        // `.Values` has a type of its own, but it is the map that the parent holds: each sees what the other sets.
        let values = match values {
            Some(values) => self.heap.view(values, Arc::clone(&self.values_type))?,
            None => self.heap.named_map(Arc::clone(&self.values_type), Elem::Any)?,
        };
        let metadata = metadata(self.heap, &chart.metadata, parent.is_none())?;
        let files = files::map(self.heap, &self.files_type, &chart.files)?;
        let subcharts = self.heap.map()?;
        let entries = [
            ("Chart", metadata),
            ("Files", Value::Map(files)),
            ("Release", self.release.clone()),
            ("Capabilities", self.capabilities.clone()),
            ("Values", Value::Map(values)),
            ("Subcharts", Value::Map(subcharts)),
        ];
        for (key, value) in entries {
            self.heap.insert(data, key, value)?;
        }
        for sub in &chart.dependencies {
            let own = self.heap.get(values, sub.name().as_bytes()).and_then(Value::as_map);
            let sub_path = format!("{path}/charts/{}", sub.name());
            let inner = self.descend(sub, Some(path), own, &sub_path, jobs)?;
            self.heap.insert(subcharts, sub.name(), Value::Map(inner))?;
        }
        // Templates see it under the type of values, the chart above as a plain map.
        let seen = self.heap.view(data, Arc::clone(&self.values_type))?;
        let folder: Arc<str> = format!("{path}/templates").into();
        jobs.extend(templates::of_chart(chart, path).map(|(name, file)| Job {
            name,
            text: Arc::clone(&file.data),
            data: seen,
            folder: Arc::clone(&folder),
        }));
        Ok(data)
    }

    fn table(&mut self, id: TableId) -> Result<MapRef, Limit> {
        if let Some(map) = self.known.get(&id) {
            return Ok(*map);
        }
        // Tables may hold each other.
        let map = self.heap.map()?;
        self.known.insert(id, map);
        let mut entries = Vec::with_capacity(self.tables.table(id).len());
        for (key, node) in self.tables.table(id).iter() {
            let value = match node {
                Node::Leaf(leaf) => self.leaf(leaf)?,
                Node::Table(id) => Value::Map(self.table(*id)?),
                Node::Rest(branch) => Value::Map(self.branch(branch)?),
            };
            entries.push((Str::from(&**key), value));
        }
        self.heap.fill(map, entries)?;
        Ok(map)
    }

    /// Anything but a map; text that [stands for bytes](Settings::bytes) is those bytes.
    fn leaf(&mut self, leaf: &Plain) -> Result<Value, Limit> {
        match leaf {
            _ if self.bytes.is_empty() => self.heap.import(leaf),
            Plain::String(text) => match self.bytes.get(text.as_str()) {
                Some(bytes) => {
                    self.heap.charge(bytes.len())?;
                    Ok(Value::String(bytes.as_slice().into()))
                }
                None => self.heap.import(leaf),
            },
            Plain::Array(items) => {
                let items = items.iter().map(|item| self.leaf(item)).collect::<Result<_, _>>()?;
                self.heap.list(items).map(Value::List)
            }
            Plain::Object(map) => {
                let mut entries = map
                    .iter()
                    .map(|(key, value)| Ok((Str::from(key), self.leaf(value)?)))
                    .collect::<Result<Vec<_>, _>>()?;
                entries.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
                self.heap.sorted_map(entries).map(Value::Map)
            }
            Plain::Null | Plain::Bool(_) | Plain::Number(_) => self.heap.import(leaf),
        }
    }

    fn branch(&mut self, branch: &Branch) -> Result<MapRef, Limit> {
        let mut entries = Vec::with_capacity(branch.len());
        for (key, value) in branch.iter() {
            let value = match value {
                Tree::Leaf(leaf) => self.leaf(leaf)?,
                Tree::Table(branch) => Value::Map(self.branch(branch)?),
            };
            entries.push((Str::from(&**key), value));
        }
        self.heap.sorted_map(entries)
    }
}

/// Sets `.Template`, a map of the type of values, for the template that is executed next.
pub(super) fn template(heap: &mut Heap, job: &Job, values_type: &Arc<Named>) -> Result<(), Limit> {
    let (data, name, folder) = (job.data, job.name.as_str(), &*job.folder);
    let map = heap.named_map(Arc::clone(values_type), Elem::Any)?;
    heap.insert(map, "Name", Value::string(name))?;
    heap.insert(map, "BasePath", Value::string(folder))?;
    heap.insert(data, "Template", Value::Map(map))
}

fn plain_map<const N: usize>(heap: &mut Heap, mut entries: [(&'static str, Value); N]) -> Result<Value, Limit> {
    entries.sort_unstable_by_key(|(key, _)| *key);
    let entries = entries.map(|(key, value)| (Str::from(key), value));
    heap.sorted_map(entries.into()).map(Value::Map)
}

fn release(heap: &mut Heap, settings: &Settings) -> Result<Value, Limit> {
    plain_map(
        heap,
        [
            ("Name", Value::string(settings.release_name.as_str())),
            ("Namespace", Value::string(settings.namespace.as_str())),
            ("IsUpgrade", Value::Bool(settings.is_upgrade)),
            ("IsInstall", Value::Bool(!settings.is_upgrade)),
            ("Revision", Value::int(1)),
            ("Service", Value::string("Helm")),
        ],
    )
}

fn capabilities(heap: &mut Heap, settings: &Settings) -> Result<Value, Limit> {
    let own = API_VERSIONS.into_iter().filter(|_| !settings.replaces_api_versions);
    let versions = own.chain(settings.api_versions.iter().map(String::as_str));
    let versions: Vec<Value> = versions.map(Value::string).collect();
    let has = Function::new("Has", |context: &mut Context, versions: Value, wanted: Str| {
        let versions = versions.as_list();
        versions.is_some_and(|list| context.heap().items(list).iter().any(|v| v.as_str() == Some(&wanted)))
    });
    let set = Arc::new(Named {
        name: "common.VersionSet",
        methods: [("Has", Arc::new(has))].into(),
    });
    let versions = heap.named_list(set, Elem::String, versions)?;
    let kube = &settings.kube_version;
    let git_version = kube.version.clone();
    let normalized = kube.normalized.clone();
    let kube = Struct::new("common.KubeVersion")
        .field("Version", kube.version.as_str())
        .unexported("normalizedVersion", kube.normalized.as_str())
        .field("Major", kube.major.as_str())
        .field("Minor", kube.minor.as_str())
        .pointer_text(kube.normalized.as_str())
        .pointer_method(
            "GitVersion",
            Function::new("GitVersion", move |_: &mut Context, _: Value| git_version.clone()),
        )
        .pointer_method(
            "String",
            Function::new("String", move |_: &mut Context, _: Value| normalized.clone()),
        );
    let helm = Struct::new("version.BuildInfo")
        .field("Version", HELM_VERSION)
        .field("GitCommit", GIT_COMMIT)
        .field("GitTreeState", "clean")
        .field("GoVersion", GO_VERSION)
        .field("KubeClientVersion", KUBE_CLIENT_VERSION)
        .json(
            Struct::new("version.BuildInfo")
                .field("version", HELM_VERSION)
                .field("git_commit", GIT_COMMIT)
                .field("git_tree_state", "clean")
                .field("go_version", GO_VERSION)
                .field("kube_client_version", KUBE_CLIENT_VERSION)
                .into_value(),
        );
    let capabilities = Struct::new("*common.Capabilities")
        .pointer()
        .field("KubeVersion", kube.into_value())
        .field("APIVersions", versions)
        .field("HelmVersion", helm.into_value());
    Ok(capabilities.into_value())
}

/// A Go slice of anything; a nil one comes as an empty one.
fn list<'a>(heap: &mut Heap, texts: impl IntoIterator<Item = &'a String>) -> Result<Value, Limit> {
    let items: Vec<Value> = texts.into_iter().map(|text| Value::string(text.as_str())).collect();
    heap.list(items).map(Value::List)
}

fn metadata(heap: &mut Heap, metadata: &Metadata, root: bool) -> Result<Value, Limit> {
    let maintainers = metadata
        .maintainers
        .iter()
        .flatten()
        .map(|maintainer| {
            plain_map(
                heap,
                [
                    ("Name", Value::string(maintainer.name.as_str())),
                    ("Email", Value::string(maintainer.email.as_str())),
                    ("URL", Value::string(maintainer.url.as_str())),
                ],
            )
        })
        .collect::<Result<Vec<_>, _>>()?;
    let maintainers: ListRef = heap.list(maintainers)?;
    let dependencies = metadata
        .dependencies()
        .map(|entry| dependency(heap, entry))
        .collect::<Result<Vec<_>, _>>()?;
    let dependencies: ListRef = heap.list(dependencies)?;
    let annotations = match &metadata.annotations {
        None => heap.nil_map(Elem::String)?,
        Some(entries) => {
            let map = heap.map_of(Elem::String)?;
            for (key, value) in entries {
                heap.insert(map, key.as_str(), Value::string(value.as_str()))?;
            }
            map
        }
    };
    let entries = [
        ("Name", Value::string(metadata.name.as_str())),
        ("Home", Value::string(metadata.home.as_str())),
        ("Sources", list(heap, &metadata.sources)?),
        ("Version", Value::string(metadata.version.as_str())),
        ("Description", Value::string(metadata.description.as_str())),
        ("Keywords", list(heap, &metadata.keywords)?),
        ("Maintainers", Value::List(maintainers)),
        ("Icon", Value::string(metadata.icon.as_str())),
        ("APIVersion", Value::string(metadata.api_version.as_str())),
        ("Condition", Value::string(metadata.condition.as_str())),
        ("Tags", Value::string(metadata.tags.as_str())),
        ("AppVersion", Value::string(metadata.app_version.as_str())),
        ("Deprecated", Value::Bool(metadata.deprecated)),
        ("Annotations", Value::Map(annotations)),
        ("KubeVersion", Value::string(metadata.kube_version.as_str())),
        ("Dependencies", Value::List(dependencies)),
        ("Type", Value::string(metadata.kind.as_str())),
        ("IsRoot", Value::Bool(root)),
    ];
    plain_map(heap, entries)
}

fn dependency(heap: &mut Heap, dependency: &Dependency) -> Result<Value, Limit> {
    let imports = dependency
        .import_values
        .iter()
        .map(|value| heap.import(value))
        .collect::<Result<Vec<_>, _>>()?;
    let imports = Value::List(heap.list(imports)?);
    let tags = list(heap, dependency.tags.iter().flatten())?;
    let entries = [
        ("Name", Value::string(dependency.name.as_str())),
        ("Version", Value::string(dependency.version.as_str())),
        ("Repository", Value::string(dependency.repository.as_str())),
        ("Condition", Value::string(dependency.condition.as_str())),
        ("Tags", tags),
        ("Enabled", Value::Bool(dependency.enabled)),
        ("ImportValues", imports),
        ("Alias", Value::string(dependency.alias.as_str())),
    ];
    plain_map(heap, entries)
}
