//! One open kustomization, and the machine that works on a stack of them.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use convoy_value::{Value, json, yaml};

use super::load::read_objects;
use super::{Builder, Sum};
use crate::charts::Chart;
use crate::config::{self, Config, NameReference};
use crate::description;
use crate::error::Error;
use crate::fieldspec::FieldSpec;
use crate::files::Entry;
use crate::ids::Gvk;
use crate::kustomization::Kustomization;
use crate::meter::Meter;
use crate::origin::{ORIGIN, Origin, TRANSFORMATIONS};
use crate::paths;
use crate::plugins::{self, Plugin, Sources};
use crate::resmap::ResMap;
use crate::resource::Resource;
use crate::transform::{self, HELM_GENERATED, Subjects, Transformer};

/// How deep directories of plugins may nest.
const MAX_PLUGIN_DEPTH: usize = 8;

/// What comes next in an open kustomization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Resource(usize),
    Generators,
    Component(usize),
    Transformers,
}

/// An open kustomization.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(super) kustomization: Kustomization,
    directory: String,
    /// Its path.
    pub(super) file: String,
    name: &'static str,
    sum: Sum,
    phase: Phase,
    origin: Option<Origin>,
    component: bool,
    /// Whether it is the outermost.
    root: bool,
    /// Which description of types its objects are seen by.
    generation: usize,
    /// The namespace of the nearest kustomization above that has one.
    above: String,
}

enum Step {
    Descend(Box<Frame>),
    Next,
    Done,
}

type Outcome<T> = Result<T, Error>;

impl Frame {
    pub(super) fn new(
        kustomization: Kustomization,
        directory: &str,
        file: String,
        name: &'static str,
        root: bool,
    ) -> Self {
        let origin = (root && !kustomization.build_metadata.is_empty()).then(Origin::default);
        Self {
            kustomization,
            directory: directory.into(),
            file,
            name,
            sum: Sum::default(),
            phase: Phase::Resource(0),
            origin,
            component: false,
            root,
            generation: 0,
            above: String::new(),
        }
    }

    fn fail(&self, field: &'static str) -> impl Fn(String) -> Error + use<> {
        let file = self.file.clone();
        move |problem| Error::Field {
            file: file.clone(),
            field,
            problem,
        }
    }

    /// Takes over what a base or component made.
    fn take(&mut self, done: Frame, defaults: &Arc<Config>, meter: &Meter) -> Outcome<()> {
        if done.component {
            let Sum { map, config, vars } = done.sum;
            self.sum = Sum {
                map,
                config: None,
                vars,
            };
            let fail = self.fail("components");
            self.sum.map.check_renamed(meter).map_err(&fail)?;
            return config.map_or(Ok(()), |config| {
                add_config(&mut self.sum.config, &config, defaults).map_err(&fail)
            });
        }
        let fail = self.fail("resources");
        let Sum { map, config, vars } = done.sum;
        self.sum.map.append_all(map, meter).map_err(&fail)?;
        if let Some(config) = config {
            add_config(&mut self.sum.config, &config, defaults).map_err(&fail)?;
        }
        for (name, var) in vars {
            if self.sum.vars.contains_key(&name) {
                return Err(fail(format!("var `{name}` already encountered")));
            }
            self.sum.vars.insert(name, var);
        }
        Ok(())
    }
}

fn add_config(ours: &mut Option<Arc<Config>>, theirs: &Arc<Config>, defaults: &Arc<Config>) -> Result<(), String> {
    let merged = match ours {
        Some(ours) if Arc::ptr_eq(ours, defaults) && Arc::ptr_eq(theirs, defaults) => return Ok(()),
        Some(ours) => Arc::new(ours.merge(theirs)?),
        None if Arc::ptr_eq(theirs, defaults) => Arc::clone(theirs),
        // Of two fields, one of any type and one of a type that comes first, the merge forgets the general one.
        None => Arc::new(Config::default().merge(theirs)?),
    };
    *ours = Some(merged);
    Ok(())
}

impl Builder<'_> {
    /// Builds a kustomization with everything below it.
    pub(super) fn run(&mut self, first: Frame) -> Outcome<Sum> {
        let mut stack = vec![first];
        loop {
            let Some(top) = stack.last_mut() else {
                return Ok(Sum::default());
            };
            match self.step(top)? {
                Step::Next => {}
                Step::Descend(frame) => stack.push(*frame),
                Step::Done => {
                    self.visited.pop();
                    let Some(done) = stack.pop() else {
                        return Ok(Sum::default());
                    };
                    match stack.last_mut() {
                        Some(parent) => {
                            self.see_types(parent)?;
                            parent.take(done, &self.defaults, self.meter)?;
                            let count = parent.sum.map.len();
                            self.meter.objects(count).map_err(parent.fail("resources"))?;
                        }
                        None => return Ok(done.sum),
                    }
                }
            }
        }
    }

    /// Sees the objects of a frame by the description of types that counts by now: a base or component may have brought one.
    fn see_types(&self, frame: &mut Frame) -> Outcome<()> {
        if frame.generation == self.schema.generation {
            return Ok(());
        }
        frame.generation = self.schema.generation;
        let paid = self.meter.step(frame.sum.map.len());
        paid.map_err(frame.fail("openapi"))?;
        let map = &mut frame.sum.map;
        for place in map.places() {
            if let Some(resource) = map.get_mut(place)
                && self.schema.is_cluster_scoped(resource)
            {
                resource.set_cluster_scoped();
                map.reindex(place);
            }
        }
        Ok(())
    }

    fn step(&mut self, frame: &mut Frame) -> Outcome<Step> {
        self.see_types(frame)?;
        match frame.phase {
            Phase::Resource(index) => {
                let Some(path) = frame.kustomization.resources.get(index).cloned() else {
                    frame.phase = Phase::Generators;
                    return Ok(Step::Next);
                };
                frame.phase = Phase::Resource(index + 1);
                let mut map = core::mem::take(&mut frame.sum.map);
                let next = self.resource(frame, &path, &mut map, "resources");
                frame.sum.map = map;
                let next = next?;
                let count = frame.sum.map.len();
                self.meter.objects(count).map_err(frame.fail("resources"))?;
                Ok(next.map_or(Step::Next, |frame| Step::Descend(Box::new(frame))))
            }
            Phase::Generators => {
                frame.phase = Phase::Component(0);
                self.configure(frame)?;
                self.generate(frame)?;
                Ok(Step::Next)
            }
            Phase::Component(index) => {
                let Some(path) = frame.kustomization.components.get(index).cloned() else {
                    frame.phase = Phase::Transformers;
                    return Ok(Step::Next);
                };
                frame.phase = Phase::Component(index + 1);
                let mut child = self.descend(frame, &path, "components", None)?;
                if !child.kustomization.component {
                    return Err(frame.fail("components")(format!(
                        "expected kind 'Component' in `{}`",
                        child.file
                    )));
                }
                child.component = true;
                child.sum = core::mem::take(&mut frame.sum);
                Ok(Step::Descend(Box::new(child)))
            }
            Phase::Transformers => {
                self.transform_all(frame)?;
                Ok(Step::Done)
            }
        }
    }

    /// Adds the objects of a file; of a directory, answers its kustomization.
    fn resource(&mut self, frame: &Frame, path: &str, map: &mut ResMap, field: &'static str) -> Outcome<Option<Frame>> {
        match self.read_file(frame, path) {
            Ok(resources) => {
                let fail = frame.fail(field);
                let in_path = |problem| fail(format!("`{path}`: {problem}"));
                let mut file = ResMap::new();
                resources
                    .into_iter()
                    .try_for_each(|resource| file.append(resource))
                    .map_err(in_path)?;
                map.append_all(file, self.meter).map_err(in_path)?;
                Ok(None)
            }
            Err(problem) => {
                let full = paths::join(&frame.directory, path);
                let found = full.map(|full| self.tree.find(&full));
                if let Some(Ok(Some(Entry::File(_)))) = found {
                    return Err(frame.fail(field)(format!("`{path}`: {problem}")));
                }
                let child = self.descend(frame, path, field, Some(problem))?;
                if child.kustomization.component {
                    return Err(frame.fail(field)(format!(
                        "expected kind != 'Component' in `{}`",
                        child.file
                    )));
                }
                Ok(Some(child))
            }
        }
    }

    fn read_file(&mut self, frame: &Frame, path: &str) -> Result<Vec<Resource>, String> {
        let content = self.load(&frame.directory, path)?;
        let mut resources = read_objects(&content, &self.schema.cluster_scoped, self.meter)?;
        self.schema.note_types(&resources)?;
        if let Some(origin) = &frame.origin {
            let text = origin.append(path).to_yaml();
            for resource in &mut resources {
                transform::annotate(resource, ORIGIN, &text, self.meter)?;
            }
        }
        Ok(resources)
    }

    /// Opens the kustomization of a directory that `frame` names.
    fn descend(&mut self, frame: &Frame, path: &str, field: &'static str, no_file: Option<String>) -> Outcome<Frame> {
        let fail = frame.fail(field);
        let as_file = no_file
            .map(|problem| format!("; as a file: {problem}"))
            .unwrap_or_default();
        if paths::is_remote(path) {
            return Err(Error::Remote {
                file: frame.file.clone(),
                field,
                url: path.into(),
            });
        }
        if path.is_empty() || path.starts_with('/') {
            return Err(fail(format!(
                "`{path}` is no directory that is named from here{as_file}"
            )));
        }
        let Some(directory) = paths::join(&frame.directory, path) else {
            return Err(fail(format!("`{path}` leads out of the tree")));
        };
        let Some(Entry::Directory(directory)) = self.tree.find(&directory).map_err(&fail)? else {
            return Err(fail(format!("`{path}` is no directory{as_file}")));
        };
        self.meter.step(self.visited.len()).map_err(&fail)?;
        let visited = self.visited.iter().rev();
        if let Some(visited) = visited
            .into_iter()
            .find(|visited| paths::is_within(visited, &directory))
        {
            let (directory, visited) = (self.tree.shown(&directory), self.tree.shown(visited));
            return Err(fail(format!(
                "cycle detected: `{directory}` contains the visited `{visited}`"
            )));
        }
        let mut child = self.open(&directory, Some((&frame.file, field)))?;
        child.above = if frame.kustomization.namespace.is_empty() {
            frame.above.clone()
        } else {
            frame.kustomization.namespace.clone()
        };
        child.origin = frame.origin.as_ref().map(|origin| origin.append(path));
        child
            .kustomization
            .build_metadata
            .clone_from(&frame.kustomization.build_metadata);
        Ok(child)
    }

    /// Adds what `configurations` and `crds` say to the fields that transformers work on.
    fn configure(&mut self, frame: &mut Frame) -> Outcome<()> {
        let fail = frame.fail("configurations");
        let mut custom = Config::default();
        for path in frame.kustomization.configurations.clone() {
            let in_path = |problem| fail(format!("`{path}`: {problem}"));
            let content = self.load(&frame.directory, &path).map_err(in_path)?;
            let value = yaml::helm::parse_strict(&content, &self.options.limits.text);
            let read = value
                .map_err(|error| self.meter.yaml(&error))
                .and_then(|value| Config::read(&value));
            custom = read.and_then(|config| custom.merge(&config)).map_err(in_path)?;
        }
        let defaults = Arc::clone(&self.defaults);
        let config = if custom == Config::default() {
            defaults
        } else {
            Arc::new(defaults.merge(&custom).map_err(&fail)?)
        };
        add_config(&mut frame.sum.config, &config, &self.defaults).map_err(&fail)?;
        let fail = frame.fail("crds");
        for path in frame.kustomization.crds.clone() {
            let in_path = |problem| fail(format!("`{path}`: {problem}"));
            let content = self.load(&frame.directory, &path).map_err(in_path)?;
            let limits = &self.options.limits.text;
            let value = if content.is_empty() {
                Err("the file is empty".into())
            } else if content.starts_with(b"{") {
                json::parse(&content, limits).map_err(|error| self.meter.json(&error))
            } else {
                yaml::helm::parse(&content, limits).map_err(|error| self.meter.yaml(&error))
            };
            let value = value.map_err(in_path)?;
            description::check_types(&value).map_err(in_path)?;
            let config = crd_config(&value, self.meter).map_err(in_path)?;
            if config != Config::default() {
                add_config(&mut frame.sum.config, &Arc::new(config), &self.defaults).map_err(in_path)?;
            }
        }
        Ok(())
    }

    fn generate(&mut self, frame: &mut Frame) -> Outcome<()> {
        let options = frame.kustomization.generator_options.clone();
        let lists = [
            (
                "configMapGenerator",
                "ConfigMapGenerator",
                frame.kustomization.config_maps.clone(),
            ),
            (
                "secretGenerator",
                "SecretGenerator",
                frame.kustomization.secrets.clone(),
            ),
        ];
        for (field, kind, generators) in lists {
            let fail = frame.fail(field);
            for generator in generators {
                let directory = &frame.directory;
                let meter = self.meter;
                let mut load = |path: &str| self.load(directory, path).map(|content| content.to_vec());
                let mut resource = generator.generate(options.as_ref(), &mut load, meter).map_err(&fail)?;
                if let Some(origin) = &frame.origin {
                    resource.set_annotation(ORIGIN, &origin.built_in(frame.name, kind).to_yaml());
                }
                frame.sum.map.absorb(resource).map_err(&fail)?;
                meter.objects(frame.sum.map.len()).map_err(&fail)?;
            }
        }
        for chart in frame.kustomization.charts.clone() {
            let chart = self.in_namespace(frame, chart);
            let origin = frame
                .origin
                .as_ref()
                .map(|origin| origin.built_in(frame.name, "HelmChartInflationGenerator"));
            self.inflate(frame, &chart, origin.as_ref(), "helmCharts")?;
        }
        let fail = frame.fail("generators");
        for (plugin, origin) in self.plugins(frame, &frame.kustomization.generators.clone(), "generators")? {
            let directory = &frame.directory;
            let meter = self.meter;
            let mut load = |path: &str| self.load(directory, path).map(|content| content.to_vec());
            let mut resource = match plugin {
                Plugin::Generator(generator) => generator.generate(None, &mut load, meter).map_err(&fail)?,
                Plugin::Object(resource) => resource,
                Plugin::Chart(chart) => {
                    self.inflate(frame, &chart, origin.as_ref(), "generators")?;
                    continue;
                }
                Plugin::Transformer(_) => return Err(fail("a transformer is no generator".into())),
            };
            if let Some(origin) = origin {
                resource.set_annotation(ORIGIN, &origin.to_yaml());
            }
            frame.sum.map.absorb(resource).map_err(&fail)?;
            meter.objects(frame.sum.map.len()).map_err(&fail)?;
        }
        Ok(())
    }

    /// A chart without a namespace of its own gets that of the nearest kustomization on the way up, as in kustomize;
    /// the target namespace is above them all.
    fn in_namespace(&self, frame: &Frame, mut chart: Chart) -> Chart {
        if chart.namespace.is_empty() {
            let target = self.options.target_namespace.as_ref();
            let own = Some(&frame.kustomization.namespace);
            let mut namespaces = [target, own, Some(&frame.above)].into_iter().flatten();
            chart.namespace = namespaces
                .find(|namespace| !namespace.is_empty())
                .cloned()
                .unwrap_or_default();
        }
        chart
    }

    /// Adds the objects of a chart.
    fn inflate(
        &mut self,
        frame: &mut Frame,
        chart: &Chart,
        origin: Option<&Origin>,
        field: &'static str,
    ) -> Outcome<()> {
        let fail = frame.fail(field);
        let in_chart = |problem: String| fail(format!("chart `{}`: {problem}", chart.name));
        let Some(renderer) = self.options.charts.clone() else {
            return Err(in_chart("charts are not rendered here".into()));
        };
        if chart.name.is_empty() {
            return Err(fail("chart name cannot be empty".into()));
        }
        let path = chart.path();
        let directory = if path.starts_with('/') {
            self.tree.absolute(&path)
        } else {
            paths::join(&frame.directory, &path)
        };
        let found = match &directory {
            Some(directory) => self.tree.find(directory).map_err(in_chart)?,
            None => None,
        };
        let directory = match found {
            Some(Entry::Directory(directory)) => directory,
            _ if chart.repo.is_empty() => {
                return Err(in_chart(format!("no chart is found at `{path}`, and no repo is named")));
            }
            _ => {
                return Err(Error::Remote {
                    file: frame.file.clone(),
                    field,
                    url: chart.repo.clone(),
                });
            }
        };
        let (base, meter) = (&frame.directory, self.meter);
        let mut schema = self.schema.clone();
        let mut load = |path: &str| self.load(base, path);
        let request = chart
            .request(directory, &mut load, &mut || schema.get(), meter)
            .map_err(in_chart)?;
        let text = renderer.render(&request).map_err(in_chart)?;
        meter.write(text.len()).map_err(in_chart)?;
        for mut resource in read_objects(text.as_bytes(), &self.schema.cluster_scoped, meter).map_err(in_chart)? {
            resource.set_annotation(HELM_GENERATED, "true");
            if let Some(origin) = origin {
                resource.set_annotation(ORIGIN, &origin.to_yaml());
            }
            frame.sum.map.absorb(resource).map_err(in_chart)?;
            meter.objects(frame.sum.map.len()).map_err(in_chart)?;
        }
        Ok(())
    }

    /// Reads entries that configure plugins: objects in place, files, or directories.
    fn plugins(
        &mut self,
        frame: &Frame,
        entries: &[String],
        field: &'static str,
    ) -> Outcome<Vec<(Plugin, Option<Origin>)>> {
        let fail = frame.fail(field);
        let mut map = ResMap::new();
        let mut paths = Vec::new();
        for entry in entries {
            let Ok(resources) = read_objects(entry.as_bytes(), &self.schema.cluster_scoped, self.meter) else {
                paths.push(entry);
                continue;
            };
            self.schema.note_types(&resources).map_err(&fail)?;
            for mut resource in resources {
                if let Some(origin) = &frame.origin {
                    resource.set_annotation(ORIGIN, &origin.append(frame.name).to_yaml());
                }
                map.append(resource).map_err(&fail)?;
            }
        }
        for path in paths {
            if let Some(child) = self.resource(frame, path, &mut map, field)? {
                if self.plugins == MAX_PLUGIN_DEPTH {
                    return Err(fail(self.meter.pass("nested directories of plugins", MAX_PLUGIN_DEPTH)));
                }
                self.plugins += 1;
                let sum = self.run(child)?;
                self.plugins -= 1;
                map.append_all(sum.map, self.meter).map_err(&fail)?;
                self.meter.objects(map.len()).map_err(&fail)?;
            }
        }
        let base = frame.directory.rsplit('/').next().unwrap_or_default().to_string();
        let meter = self.meter;
        let cluster_scoped = Arc::clone(&self.schema.cluster_scoped);
        let mut found = Vec::new();
        for resource in map.iter() {
            let directory = &frame.directory;
            let mut load = |path: &str| self.load(directory, path).map(|content| content.to_vec());
            let mut objects = |text: &str| read_objects(text.as_bytes(), &cluster_scoped, meter);
            let mut from = Sources {
                load: &mut load,
                objects: &mut objects,
                meter,
            };
            let plugin = plugins::read(resource, &base, &mut from).map_err(&fail)?;
            let problem = match (&plugin, field) {
                (Plugin::Transformer(_), "generators") => Some("a transformer is no generator"),
                (Plugin::Transformer(_), _) | (_, "generators") => None,
                (_, "validators") => Some("a generator is no validator"),
                _ => Some("a generator is no transformer"),
            };
            if let Some(problem) = problem {
                return Err(fail(problem.into()));
            }
            let origin = resource.annotation(ORIGIN).map(|text| Origin {
                configured_in: text.strip_prefix("path: ").unwrap_or(text).trim().to_string(),
                configured_by: [
                    resource.id.gvk.api_version(),
                    resource.id.gvk.kind.clone(),
                    resource.id.name.clone(),
                    resource.id.namespace.clone(),
                ],
                ..Origin::default()
            });
            found.push((plugin, origin));
        }
        Ok(found)
    }

    /// Runs the transformers and validators of a kustomization, and notes its variables.
    fn transform_all(&mut self, frame: &mut Frame) -> Outcome<()> {
        let config = frame.sum.config.clone().unwrap_or_default();
        let mut all: Vec<(&'static str, Transformer, Option<Origin>)> = Vec::new();
        self.built_in(frame, &config, &mut all)?;
        for (plugin, origin) in self.plugins(frame, &frame.kustomization.transformers.clone(), "transformers")? {
            match plugin {
                Plugin::Transformer(transformer) => all.push(("transformers", transformer, origin)),
                Plugin::Generator(_) | Plugin::Object(_) | Plugin::Chart(_) => {
                    return Err(frame.fail("transformers")("a generator is no transformer".into()));
                }
            }
        }
        for (field, transformer, origin) in all {
            self.transform(&transformer, &mut frame.sum.map)
                .map_err(frame.fail(field))?;
            if let Some(origin) = origin {
                note_transformation(&mut frame.sum.map, &origin, self.meter).map_err(frame.fail(field))?;
            }
        }
        self.validate(frame)?;
        let fail = frame.fail("vars");
        for var in frame.kustomization.vars.clone() {
            var.mark(&mut frame.sum.map).map_err(&fail)?;
        }
        for var in frame.kustomization.vars.clone() {
            if frame.sum.vars.contains_key(&var.name) {
                return Err(fail(format!("var `{}` already encountered", var.name)));
            }
            frame.sum.vars.insert(var.name.clone(), var);
        }
        Ok(())
    }

    fn validate(&mut self, frame: &mut Frame) -> Outcome<()> {
        let fail = frame.fail("validators");
        for (plugin, _) in self.plugins(frame, &frame.kustomization.validators.clone(), "validators")? {
            let Plugin::Transformer(validator) = plugin else {
                return Err(fail("a generator is no validator".into()));
            };
            let state = |resource: &Resource| (resource.node.clone(), resource.notes.clone());
            let before: Vec<_> = frame.sum.map.iter().map(state).collect();
            self.transform(&validator, &mut frame.sum.map).map_err(&fail)?;
            let now = frame.sum.map.iter().map(|resource| (&resource.node, &resource.notes));
            let map = &frame.sum.map;
            let alike = map.iter().any(|resource| map.current(&resource.id).len() > 1);
            if alike || !now.eq(before.iter().map(|(node, notes)| (node, notes))) {
                return Err(fail("validator shouldn't modify the resource map".into()));
            }
        }
        Ok(())
    }

    /// The transformers that the kustomization's own fields ask for, in kustomize's order.
    #[expect(clippy::too_many_lines, reason = "one case after another, in the order of the tool")]
    fn built_in(
        &mut self,
        frame: &Frame,
        config: &Config,
        all: &mut Vec<(&'static str, Transformer, Option<Origin>)>,
    ) -> Outcome<()> {
        let k = &frame.kustomization;
        let directory = &frame.directory;
        let target = self.target_namespace(Some(config));
        let meter = self.meter;
        let cluster_scoped = Arc::clone(&self.schema.cluster_scoped);
        let mut load = |path: &str| self.load(directory, path).map(|content| content.to_vec());
        let mut objects = |text: &str| read_objects(text.as_bytes(), &cluster_scoped, meter);
        let mut from = Sources {
            load: &mut load,
            objects: &mut objects,
            meter,
        };
        let mut add = |field: &'static str, kind: &str, transformer: Transformer| {
            all.push((
                field,
                transformer,
                frame
                    .origin
                    .as_ref()
                    .filter(|_| !kind.is_empty())
                    .map(|origin| origin.built_in(frame.name, kind)),
            ));
        };
        if !k.patches_strategic_merge.is_empty() {
            let patches = plugins::strategic_merge(&k.patches_strategic_merge, &mut from);
            add(
                "patchesStrategicMerge",
                "PatchStrategicMergeTransformer",
                patches.map_err(frame.fail("patchesStrategicMerge"))?,
            );
        }
        for entry in &k.patches {
            let options = (entry.allow_name_change, entry.allow_kind_change);
            let patch = plugins::patch(&entry.path, &entry.patch, entry.target.clone(), options, &mut from);
            add("patches", "PatchTransformer", patch.map_err(frame.fail("patches"))?);
        }
        if !k.namespace.is_empty() {
            let (namespace, specs) = (k.namespace.clone(), config.namespace.clone());
            let subjects = Subjects::NamedDefault;
            let transformer = Transformer::Namespace {
                namespace,
                specs,
                unset_only: false,
                subjects,
                renames: true,
            };
            add("namespace", "NamespaceTransformer", transformer);
        }
        // What follows in the outermost kustomization finds the namespace that objects end up in.
        if frame.root
            && let Some(transformer) = target
        {
            add("targetNamespace", "", transformer);
        }
        if !k.name_prefix.is_empty() {
            let (text, specs) = (k.name_prefix.clone(), config.name_prefix.clone());
            add("namePrefix", "PrefixTransformer", Transformer::Prefix { text, specs });
        }
        if !k.name_suffix.is_empty() {
            let (text, specs) = (k.name_suffix.clone(), config.name_suffix.clone());
            add("nameSuffix", "SuffixTransformer", Transformer::Suffix { text, specs });
        }
        for (labels, specs) in labels(k, config).map_err(frame.fail("labels"))? {
            add("labels", "LabelTransformer", Transformer::Labels { labels, specs });
        }
        if !k.common_annotations.is_empty() {
            let (labels, specs) = (k.common_annotations.clone(), config.common_annotations.clone());
            add(
                "commonAnnotations",
                "AnnotationsTransformer",
                Transformer::Labels { labels, specs },
            );
        }
        for entry in &k.patches_json {
            let patch = plugins::json_patch(&entry.path, &entry.patch, entry.target.clone(), &mut from);
            add(
                "patchesJson6902",
                "PatchJson6902Transformer",
                patch.map_err(frame.fail("patchesJson6902"))?,
            );
        }
        for (name, count) in &k.replicas {
            let transformer = Transformer::Replicas {
                name: name.clone(),
                count: *count,
                specs: config.replicas.clone(),
            };
            add("replicas", "ReplicaCountTransformer", transformer);
        }
        for image in &k.images {
            let transformer = Transformer::Images {
                image: image.clone(),
                specs: config.images.clone(),
            };
            add("images", "ImageTagTransformer", transformer);
        }
        if !k.replacements.is_empty() {
            let transformer = plugins::replacements(&k.replacements, &mut from);
            add(
                "replacements",
                "ReplacementTransformer",
                transformer.map_err(frame.fail("replacements"))?,
            );
        }
        Ok(())
    }
}

type LabelsAndFields = (alloc::collections::BTreeMap<String, String>, Vec<FieldSpec>);

/// Labels with the fields that they go into.
fn labels(k: &Kustomization, config: &Config) -> Result<Vec<LabelsAndFields>, String> {
    let mut all = Vec::new();
    if k.labels.is_empty() && k.common_labels.is_empty() {
        return Ok(all);
    }
    for label in &k.labels {
        let mut specs = label.fields.clone();
        let mut merge = |list: &[FieldSpec]| {
            list.iter()
                .try_for_each(|spec| config::merge_one(&mut specs, spec.clone()))
        };
        merge(&config.labels)?;
        if label.selectors {
            merge(&config.common_labels)?;
        } else {
            if label.templates {
                merge(&config.template_labels)?;
            }
            merge(&[FieldSpec::any("metadata/labels", true)])?;
        }
        all.push((label.pairs.clone(), specs));
    }
    all.push((k.common_labels.clone(), config.common_labels.clone()));
    Ok(all)
}

fn note_transformation(map: &mut ResMap, origin: &Origin, meter: &Meter) -> Result<(), String> {
    for resource in map.iter_mut() {
        if resource.annotation(ORIGIN).is_none() {
            resource.set_annotation(ORIGIN, &origin.to_yaml());
        } else {
            let list = origin.add_to(resource.annotation(TRANSFORMATIONS).unwrap_or_default());
            meter.write(list.len())?;
            resource.set_annotation(TRANSFORMATIONS, &list);
        }
    }
    Ok(())
}

/// The fields that a description of types marks: what holds names, labels, annotations.
fn crd_config(value: &Value, meter: &Meter) -> Result<Config, String> {
    let mut config = Config::default();
    for (name, definition) in value.as_object().into_iter().flat_map(convoy_value::Map::iter) {
        let properties = definition.at(&["Schema", "properties"]);
        let is_type = ["kind", "apiVersion", "metadata"]
            .iter()
            .all(|field| properties.is_some_and(|properties| properties.get(field).is_some()));
        if is_type {
            let kind = name.rsplit('.').next().unwrap_or(name).to_string();
            let gvk = Gvk { kind, ..Gvk::default() };
            crd_fields(&mut config, &gvk, (value, meter), name, &mut Vec::new())?;
        }
    }
    Ok(config)
}

fn crd_fields(
    config: &mut Config,
    gvk: &Gvk,
    (types, meter): (&Value, &Meter),
    name: &str,
    path: &mut Vec<String>,
) -> Result<(), String> {
    if path.len() > 100 {
        return Err("types nest deeper than 100 levels".into());
    }
    let properties = types
        .get(name)
        .and_then(|definition| definition.at(&["Schema", "properties"]));
    for (field, property) in properties
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(convoy_value::Map::iter)
    {
        path.push(field.to_string());
        meter.step(path.len() + config.name_reference.len())?;
        let text = |key: &str| property.get(key).and_then(Value::as_str);
        let here = FieldSpec::new(gvk.clone(), &path.join("/"), false);
        for (key, list) in [
            ("x-kubernetes-annotation", &mut config.common_annotations),
            ("x-kubernetes-label-selector", &mut config.common_labels),
            ("x-kubernetes-identity", &mut config.name_prefix),
        ] {
            if text(key).is_some() {
                config::merge_one(list, here.clone())?;
            }
        }
        if let (Some(version), Some(kind)) = (
            text("x-kubernetes-object-ref-api-version"),
            text("x-kubernetes-object-ref-kind"),
        ) {
            let key = text("x-kubernetes-object-ref-name-key").unwrap_or("name");
            let spec = FieldSpec::new(gvk.clone(), &format!("{}/{key}", path.join("/")), false);
            let target = Gvk {
                group: String::new(),
                version: version.into(),
                kind: kind.into(),
            };
            config.add_reference(NameReference {
                target,
                fields: vec![spec],
            })?;
        }
        if let Some(reference) = text("$ref") {
            crd_fields(config, gvk, (types, meter), reference, path)?;
        }
        path.pop();
    }
    Ok(())
}
