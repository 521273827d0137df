//! `convoy render`: what will be applied, before anything is.

pub(crate) mod helm;
mod kustomize;
mod manifests;
mod release;

pub(crate) use release::{choose, released};

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};
use convoy_domain::object::Object;
use convoy_domain::render::Render;
use convoy_value::{Map, Value};

use crate::controller::flags::LimitFlags;
use crate::failure::Failure;
use crate::{documents, print};

/// Renders a Release, or plain manifests, to objects.
///
/// FILE holds a Release and its source, as they are applied to a cluster. A source with the URL `file://./DIR` is the
/// directory DIR beside the file; any other one is fetched, unless --source names a directory to use in its place.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    disable_help_subcommand = true,
    after_help = "Examples:\n  \
        convoy render release.yaml\n  \
        convoy render release.yaml --source ../app -o name\n  \
        convoy render manifests deploy/ -o ref\n  \
        convoy render helm ./chart\n  \
        convoy render kustomize overlays/prod"
)]
pub(crate) struct Args {
    #[command(subcommand)]
    engine: Option<Engine>,
    /// Files with the Release, its source, and whatever else stands beside them
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Directory to render in place of what the source gives
    #[arg(long, value_name = "DIR")]
    source: Option<PathBuf>,
    /// File with the key of random functions in charts, as the controller's Secret holds it; without it, each run
    /// has one of its own
    #[arg(long, value_name = "FILE")]
    entropy_key: Option<PathBuf>,
    /// Name of the Release, where the files hold several
    #[arg(long, value_name = "NAME")]
    release: Option<String>,
    #[command(flatten)]
    form: Form,
}

/// Rendering without a Release.
#[derive(Debug, Subcommand)]
enum Engine {
    Helm(Box<helm::Args>),
    Kustomize(Box<kustomize::Args>),
    /// Reads directories and files of plain manifests
    ///
    /// A directory gives all .yaml and .yml files below it; a file is read whatever its name. The order of the
    /// arguments, and the byte order of names within a directory, is the order of the render.
    #[command(after_help = "Examples:\n  convoy render manifests deploy/\n  convoy render manifests a.yaml b/ -o json")]
    Manifests {
        /// Directories and files
        #[arg(value_name = "PATH", required = true)]
        paths: Vec<PathBuf>,
        #[command(flatten)]
        form: Box<Form>,
    },
}

/// What is printed, and within which bounds.
#[derive(Clone, Debug, Default, clap::Args)]
struct Form {
    /// How the render is printed
    #[arg(short, long, value_enum, default_value_t)]
    output: RenderOutput,
    #[command(flatten)]
    limits: LimitFlags,
}

/// Forms of a render.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum RenderOutput {
    /// YAML documents
    #[default]
    Yaml,
    /// One JSON List
    Json,
    /// One `kind.group/name` a line
    Name,
    /// The renderRef alone
    Ref,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let (render, form) = match &args.engine {
        Some(Engine::Helm(args)) => return helm::run(args),
        Some(Engine::Kustomize(args)) => return kustomize::run(args),
        Some(Engine::Manifests { paths, form }) => {
            let limits = form.limits.limits();
            let objects = manifests::render(paths, &limits)?;
            (named(objects, &limits)?, &**form)
        }
        None => {
            let limits = args.form.limits.limits();
            let wanted = release::Wanted {
                files: &args.files,
                name: args.release.as_deref(),
                source: args.source.as_deref(),
                key: args.entropy_key.as_deref(),
            };
            let objects = release::render(wanted, &limits)?;
            (named(objects, &limits)?, &args.form)
        }
    };
    print::out(&show(&render, form.output))
}

fn named(objects: Vec<Object>, limits: &convoy_domain::limits::Limits) -> Result<Render, Failure> {
    Render::new(objects, limits).map_err(|error| Failure::of(&error))
}

fn show(render: &Render, output: RenderOutput) -> String {
    let objects = render.objects();
    match output {
        RenderOutput::Ref => format!("{}\n", render.render_ref()),
        RenderOutput::Name => print::lines(objects.iter().map(short_name)),
        RenderOutput::Yaml => {
            let texts: Vec<String> = objects
                .iter()
                .map(|object| documents::to_yaml(object.as_value()))
                .collect();
            texts.join("---\n")
        }
        RenderOutput::Json => {
            let items: Vec<Value> = objects.iter().map(|object| object.as_value().clone()).collect();
            documents::to_json(&Value::Object(Map::from_iter([
                ("apiVersion", Value::from("v1")),
                ("items", Value::from(items)),
                ("kind", Value::from("List")),
            ])))
        }
    }
}

/// `deployment.apps/backend`, as kubectl names objects.
fn short_name(object: &Object) -> String {
    let gvk = object.gvk();
    let kind = gvk.kind.to_lowercase();
    let name = match object.name() {
        "" => object.text(&["metadata", "generateName"]),
        name => name,
    };
    if gvk.group.is_empty() {
        format!("{kind}/{name}")
    } else {
        format!("{kind}.{}/{name}", gvk.group)
    }
}
