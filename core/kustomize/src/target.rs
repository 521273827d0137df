//! Builds a kustomization: gathers what it names, then changes it, level by level.
//!
//! Bases and components are taken off a stack of our own, so that nesting costs memory and no native stack. Only
//! directories named as generators, transformers or validators recurse, a few levels deep.
//!
//! # Invariant
//! The directories on the way to a kustomization are exactly those of the frames below it; none contains another.

mod frame;
mod load;

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::sync::atomic::AtomicBool;

use convoy_value::{Value, yaml};

use crate::charts::ChartRenderer;
use crate::config::Config;
use crate::error::Error;
use crate::fieldspec::FieldSpec;
use crate::files::{Entry, Tree};
use crate::kustomization::Kustomization;
use crate::limits::Limits;
use crate::meter::{Breach, Meter};
use crate::resmap::ResMap;
use crate::resource::Resource;
use crate::schema::{Schema, Turn};
use crate::transform::{Subjects, Transformer};
use crate::vars::Var;
use crate::warning::Warning;
use crate::{nameref, sort, vars};

/// Which files a kustomization may name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LoadRestrictor {
    /// Files in or below its own directory: kustomize's default.
    #[default]
    Root,
    /// Any file of the tree.
    None,
}

/// How a build goes.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Which files a kustomization may name.
    pub load_restrictor: LoadRestrictor,
    /// A namespace for everything that has one, in place of what the kustomization says. Types that certainly have no
    /// namespace stay as they are; of a Namespace that kustomize would rename, there is a warning.
    pub target_namespace: Option<String>,
    /// Who renders charts; without it, a kustomization with charts is refused.
    pub charts: Option<Arc<dyn ChartRenderer>>,
    /// Whether objects stay in the order in which they are named, unless `sortOptions` says otherwise.
    pub unsorted: bool,
    /// Whether every object gets the label that `managedByLabel` of `buildMetadata` asks for.
    pub managed_by_label: bool,
    /// Ends the build soon after it goes up.
    pub cancel: Option<Arc<AtomicBool>>,
    /// Bounds.
    pub limits: Limits,
}

/// What a build makes.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    /// The objects, in the order in which they are printed.
    pub resources: Vec<Value>,
    /// What works, or was left as it is, and should be known.
    pub warnings: Vec<Warning>,
}

impl Built {
    /// The objects as `kustomize build` prints them.
    ///
    /// # Errors
    /// When the YAML library of kustomize refuses a text.
    pub fn to_yaml(&self) -> Result<String, yaml::MarshalError> {
        let mut out = String::new();
        for (index, resource) in self.resources.iter().enumerate() {
            if index > 0 {
                out.push_str("---\n");
            }
            out.push_str(&yaml::marshal(resource)?);
        }
        Ok(out)
    }
}

/// Builds the kustomization of `directory`, a path in the tree.
///
/// # Errors
/// When something in the tree is wrong, remote, or beyond a limit.
pub fn build(tree: &dyn Tree, directory: &str, options: &Options) -> Result<Built, Error> {
    let meter = Meter::new(&options.limits, options.cancel.clone());
    let built = Builder::new(tree, options, &meter).build(directory);
    let error = match (built, meter.breach()) {
        (Ok(built), None) => return Ok(built),
        (Err(error), _) => error,
        // Somebody who cannot fail could not go on.
        (Ok(_), Some(Breach::Limit { of, limit })) => Error::Missing {
            directory: tree.shown(directory),
            problem: meter.pass(of, limit),
        },
        (Ok(_), Some(Breach::Cancelled)) => Error::Missing {
            directory: tree.shown(directory),
            problem: "cancelled".into(),
        },
    };
    Err(error.because(meter.breach()))
}

impl Builder<'_> {
    fn build(mut self, directory: &str) -> Result<Built, Error> {
        let first = self.root(directory)?;
        let (file, metadata) = (first.file.clone(), first.kustomization.clone());
        let mut sum = self.run(first)?;
        self.move_to_target(&file, &mut sum)?;
        self.finish(&file, &mut sum)?;
        self.warn_of_namespaces(&sum.map);
        let in_file = |field: &'static str| {
            let file = file.clone();
            move |problem| Error::Field { file, field, problem }
        };
        if let Some(options) = &metadata.sort {
            options.check().map_err(in_file("sortOptions"))?;
        }
        let mut map = self.sorted(&metadata, sum.map);
        if metadata.wants("managedByLabel") || self.options.managed_by_label {
            self.transform(&managed_by(), &mut map)
                .map_err(in_file("buildMetadata"))?;
        }
        let (origin, transformations) = (
            metadata.wants("originAnnotations"),
            metadata.wants("transformerAnnotations"),
        );
        let mut values = Vec::with_capacity(map.len());
        for mut resource in map.into_resources() {
            resource.finish(origin, transformations).map_err(in_file("resources"))?;
            let id = &resource.id;
            let value = resource.node.to_value().map_err(|problem| format!("{id}: {problem}"));
            values.push(value.map_err(in_file("resources"))?);
        }
        Ok(Built {
            resources: values,
            warnings: self.warnings,
        })
    }

    /// Opens the kustomization that is built.
    fn root(&mut self, directory: &str) -> Result<frame::Frame, Error> {
        let missing = |problem: String| Error::Missing {
            directory: directory.into(),
            problem,
        };
        let path = crate::paths::join("", directory).ok_or_else(|| missing("it is outside of the tree".into()))?;
        match self.tree.find(&path).map_err(missing)? {
            Some(Entry::Directory(root)) => self.open(&root, None),
            Some(Entry::File(_)) => Err(missing("it is a file, not the directory of a kustomization".into())),
            None => Err(missing("it is not there".into())),
        }
    }

    /// Puts everything that has a namespace into the target namespace.
    fn move_to_target(&mut self, file: &str, sum: &mut Sum) -> Result<(), Error> {
        let Some(transformer) = self.target_namespace(sum.config.as_deref()) else {
            return Ok(());
        };
        self.transform(&transformer, &mut sum.map)
            .map_err(|problem| Error::Field {
                file: file.into(),
                field: "targetNamespace",
                problem,
            })
    }

    /// The transformer for the target namespace, if there is one.
    fn target_namespace(&self, config: Option<&Config>) -> Option<Transformer> {
        let namespace = self
            .options
            .target_namespace
            .as_ref()
            .filter(|namespace| !namespace.is_empty())?;
        Some(Transformer::Namespace {
            namespace: namespace.clone(),
            specs: config.map(|config| config.namespace.clone()).unwrap_or_default(),
            unset_only: false,
            subjects: Subjects::NamedDefault,
            renames: false,
        })
    }

    /// Notes which Namespace objects have another name than they were given, or keep one that is not the target's.
    fn warn_of_namespaces(&mut self, map: &ResMap) {
        let target = self.options.target_namespace.as_ref();
        let namespaces = map.iter().filter(|resource| {
            let gvk = &resource.id.gvk;
            gvk.group.is_empty() && gvk.kind == "Namespace"
        });
        for resource in namespaces {
            let (was, name) = (resource.original_id().name, resource.id.name.clone());
            if was != name {
                self.warnings.push(Warning::NamespaceRenamed {
                    from: was,
                    to: name.clone(),
                });
            }
            if let Some(target) = target.filter(|target| !target.is_empty() && **target != name) {
                self.warnings.push(Warning::NamespaceKept {
                    name,
                    target: target.clone(),
                });
            }
        }
    }

    /// The objects in the order in which they are printed; those of which nothing is left are gone.
    fn sorted(&self, metadata: &Kustomization, map: ResMap) -> ResMap {
        let mut resources: Vec<Resource> = map
            .into_resources()
            .filter(|resource| !resource.node.is_empty())
            .collect();
        match &metadata.sort {
            Some(options) if options.order == "fifo" => {}
            Some(options) => {
                let lists = options.lists.as_ref();
                sort::legacy(&mut resources, lists.map(|(first, last)| (&first[..], &last[..])));
            }
            None if self.options.unsorted => {}
            None => sort::legacy(&mut resources, None),
        }
        resources.into_iter().collect()
    }
}

fn managed_by() -> Transformer {
    Transformer::Labels {
        labels: [("app.kubernetes.io/managed-by".to_string(), MANAGED_BY.to_string())].into(),
        specs: [FieldSpec::any("metadata/labels", true)].into(),
    }
}

/// What `managedByLabel` says.
const MANAGED_BY: &str = "kustomize-v5.8.1";

/// What has been gathered so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sum {
    pub(crate) map: ResMap,
    pub(crate) config: Option<Arc<Config>>,
    pub(crate) vars: BTreeMap<String, Var>,
}

pub(crate) struct Builder<'f> {
    tree: &'f dyn Tree,
    options: &'f Options,
    meter: &'f Meter,
    warnings: Vec<Warning>,
    defaults: Arc<Config>,
    schema: SchemaState,
    /// Directories of the kustomizations that are open.
    visited: Vec<String>,
    kustomizations: usize,
    /// How deep directories of plugins nest.
    plugins: usize,
}

/// Which schema counts: read when the first patch needs it.
#[derive(Clone, Debug, Default)]
struct SchemaState {
    /// A description by the user, and when it is read.
    custom: Option<(Value, Turn)>,
    /// What is wrong with it. Kustomize finds out when it needs it.
    problem: Option<String>,
    /// Whether an object of a type that the built-in description does not have came before: then that one will be read.
    needed: bool,
    /// Types without a namespace by that description.
    cluster_scoped: Arc<BTreeSet<String>>,
    /// How often that changed.
    generation: usize,
    /// Whether the first kustomization has decided.
    decided: bool,
    read: Option<Arc<Schema>>,
}

impl<'f> Builder<'f> {
    fn new(tree: &'f dyn Tree, options: &'f Options, meter: &'f Meter) -> Self {
        Self {
            tree,
            options,
            meter,
            warnings: Vec::new(),
            defaults: Arc::new(Config::defaults()),
            schema: SchemaState::default(),
            visited: Vec::new(),
            kustomizations: 0,
            plugins: 0,
        }
    }

    fn transform(&mut self, transformer: &Transformer, map: &mut ResMap) -> Result<(), String> {
        let state = &mut self.schema;
        self.meter.step(map.len())?;
        transformer.apply(map, &mut || state.get(), self.meter)?;
        map.drop_empties();
        Ok(())
    }

    /// What is done once for all levels: hashes, references, variables, and what stays out.
    fn finish(&mut self, file: &str, sum: &mut Sum) -> Result<(), Error> {
        let in_file = |field: &'static str| {
            move |problem| Error::Field {
                file: file.into(),
                field,
                problem,
            }
        };
        self.transform(&Transformer::Hash, &mut sum.map)
            .map_err(in_file("configMapGenerator"))?;
        let config = sum.config.clone().unwrap_or_default();
        nameref::update(&mut sum.map, &config, self.meter).map_err(in_file("resources"))?;
        let unused =
            vars::resolve(&mut sum.map, &sum.vars, &config.var_reference, self.meter).map_err(in_file("vars"))?;
        if !unused.is_empty() {
            self.warnings.push(Warning::UnusedVars(unused));
        }
        sum.map.check_renamed(self.meter).map_err(in_file("resources"))?;
        for place in sum.map.places() {
            let Some(resource) = sum.map.get(place) else { continue };
            load::check_metadata(&resource.node).map_err(in_file("resources"))?;
            let local = resource.annotation("config.kubernetes.io/local-config");
            if local.is_some_and(|local| local != "false") {
                sum.map.remove(place);
            }
        }
        Ok(())
    }
}

impl SchemaState {
    /// Whether the description by the user knows an object's type as one without a namespace.
    fn is_cluster_scoped(&self, resource: &Resource) -> bool {
        load::is_among(&self.cluster_scoped, resource)
    }

    /// Notes whether the built-in description will be needed, as kustomize finds that out: by a type that it does not know.
    ///
    /// # Errors
    /// When it is, and a description by the user is in its place which is none.
    fn note_types(&mut self, resources: &[Resource]) -> Result<(), String> {
        let unknown = resources.iter().any(|resource| !resource.id.gvk.is_built_in());
        self.needed |= unknown;
        match &self.problem {
            Some(problem) if unknown => Err(problem.clone()),
            _ => Ok(()),
        }
    }

    fn get(&mut self) -> Result<Arc<Schema>, String> {
        if let Some(problem) = &self.problem {
            return Err(problem.clone());
        }
        if let Some(schema) = &self.read {
            return Ok(Arc::clone(schema));
        }
        let mut schema = match &self.custom {
            Some((_, Turn::Alone)) => Schema::default(),
            Some((_, Turn::First | Turn::Last)) | None => Schema::built_in(),
        };
        if let Some((description, turn)) = &self.custom {
            schema.add(description, *turn)?;
        }
        let schema = Arc::new(schema);
        self.read = Some(Arc::clone(&schema));
        Ok(schema)
    }
}
