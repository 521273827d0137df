//! Builds a kustomization: gathers what it names, then changes it, level by level.
//!
//! Bases and components are taken off a stack of our own, so that nesting costs memory and no native stack. Only
//! directories named as generators, transformers or validators recurse, a few levels deep.
//!
//! # Invariant
//! The directories on the way to a kustomization are exactly those of the frames below it; none contains another.

mod frame;
mod load;

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::sync::Arc;
use alloc::vec::Vec;

use convoy_value::{Value, yaml};

use crate::config::Config;
use crate::error::Error;
use crate::fieldspec::FieldSpec;
use crate::files::Files;
use crate::limits::Limits;
use crate::resmap::ResMap;
use crate::resource::Resource;
use crate::schema::Schema;
use crate::transform::Transformer;
use crate::vars::Var;
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
    /// Bounds.
    pub limits: Limits,
}

/// What a build makes.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    /// The objects, in the order in which they are printed.
    pub resources: Vec<Value>,
    /// What kustomize says on standard error: deprecated fields, unused variables.
    pub warnings: Vec<String>,
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

/// Builds the kustomization of `directory`.
///
/// # Errors
/// When something in the tree is wrong, remote, or beyond a limit.
pub fn build(files: &Files, directory: &str, options: &Options) -> Result<Built, Error> {
    let mut builder = Builder::new(files, options);
    let Some(root) = crate::paths::join("", directory) else {
        return Err(Error::Missing {
            directory: directory.into(),
            problem: "it is outside of the tree".into(),
        });
    };
    let first = builder.open(&root, true)?;
    let (file, metadata) = (first.file.clone(), first.kustomization.clone());
    let mut sum = builder.run(first)?;
    builder.finish(&file, &mut sum)?;
    let in_file = |field: &'static str| {
        let file = file.clone();
        move |problem| Error::Field { file, field, problem }
    };
    let mut resources: Vec<Resource> = sum
        .map
        .into_resources()
        .filter(|resource| !resource.node.is_empty())
        .collect();
    match &metadata.sort {
        Some(options) if options.order == "fifo" => {}
        Some(options) => {
            let lists = options.lists.as_ref();
            sort::legacy(&mut resources, lists.map(|(first, last)| (&first[..], &last[..])));
        }
        None => sort::legacy(&mut resources, None),
    }
    if metadata.wants("managedByLabel") {
        let labels = [("app.kubernetes.io/managed-by".to_string(), MANAGED_BY.to_string())].into();
        let transformer = Transformer::Labels {
            labels,
            specs: [FieldSpec::any("metadata/labels", true)].into(),
        };
        let mut map = ResMap::new();
        for resource in resources {
            map.append(resource).map_err(in_file("buildMetadata"))?;
        }
        builder
            .transform(&transformer, &mut map)
            .map_err(in_file("buildMetadata"))?;
        resources = map.into_resources().collect();
    }
    let (origin, transformations) = (
        metadata.wants("originAnnotations"),
        metadata.wants("transformerAnnotations"),
    );
    let mut values = Vec::with_capacity(resources.len());
    for mut resource in resources {
        resource.finish(origin, transformations).map_err(in_file("resources"))?;
        let id = &resource.id;
        let value = resource.node.to_value().map_err(|problem| format!("{id}: {problem}"));
        values.push(value.map_err(in_file("resources"))?);
    }
    Ok(Built {
        resources: values,
        warnings: builder.warnings,
    })
}

/// What `managedByLabel` says: kubectl does not know which kustomize is in it.
const MANAGED_BY: &str = "kustomize-(devel)";

/// What has been gathered so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sum {
    pub(crate) map: ResMap,
    pub(crate) config: Option<Arc<Config>>,
    pub(crate) vars: BTreeMap<String, Var>,
}

pub(crate) struct Builder<'f> {
    files: &'f Files,
    options: &'f Options,
    warnings: Vec<String>,
    defaults: Arc<Config>,
    schema: SchemaState,
    /// Directories of the kustomizations that are open.
    visited: Vec<String>,
    kustomizations: usize,
    bytes: usize,
    /// How deep directories of plugins nest.
    plugins: usize,
}

/// Which schema counts: read when the first patch needs it.
#[derive(Clone, Debug, Default)]
struct SchemaState {
    /// A description by the user, and whether the built-in one is gone with it.
    custom: Option<(Value, bool)>,
    /// Whether the first kustomization has decided.
    decided: bool,
    read: Option<Arc<Schema>>,
}

impl<'f> Builder<'f> {
    fn new(files: &'f Files, options: &'f Options) -> Self {
        Self {
            files,
            options,
            warnings: Vec::new(),
            defaults: Arc::new(Config::defaults()),
            schema: SchemaState::default(),
            visited: Vec::new(),
            kustomizations: 0,
            bytes: 0,
            plugins: 0,
        }
    }

    fn transform(&mut self, transformer: &Transformer, map: &mut ResMap) -> Result<(), String> {
        let state = &mut self.schema;
        transformer.apply(map, &mut || state.get())?;
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
        nameref::update(&mut sum.map, &config).map_err(in_file("resources"))?;
        let unused = vars::resolve(&mut sum.map, &sum.vars, &config.var_reference).map_err(in_file("vars"))?;
        if !unused.is_empty() {
            self.warnings.push(format!(
                "well-defined vars that were never replaced: {}",
                unused.join(",")
            ));
        }
        for place in sum.map.places() {
            let local = sum
                .map
                .get(place)
                .and_then(|resource| resource.annotation("config.kubernetes.io/local-config"));
            if local.is_some_and(|local| local != "false") {
                sum.map.remove(place);
            }
        }
        Ok(())
    }
}

impl SchemaState {
    fn get(&mut self) -> Result<Arc<Schema>, String> {
        if let Some(schema) = &self.read {
            return Ok(Arc::clone(schema));
        }
        let mut schema = match &self.custom {
            Some((_, true)) => Schema::default(),
            Some((_, false)) | None => Schema::built_in(),
        };
        if let Some((description, _)) = &self.custom {
            schema.add(description)?;
        }
        let schema = Arc::new(schema);
        self.read = Some(Arc::clone(&schema));
        Ok(schema)
    }
}
