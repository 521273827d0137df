//! `convoy render kustomize`: what `kustomize build` prints, with its flags.
//!
//! Nothing is read but what the kustomization names. No program runs and nothing is fetched: flags that allow either
//! in kustomize are accepted, and what would need them is refused. Charts in the tree are rendered by our own engine.

mod charts;
mod files;
mod flags;
mod tree;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ValueEnum as _;
use convoy_domain::object::Object;
use convoy_kustomize::{Built, ChartRenderer, Error, LoadRestrictor, Options, Warning};

use super::{RenderOutput, helm};
use crate::controller::flags::LimitFlags;
use crate::failure::Failure;
use crate::print;
use charts::Charts;
use flags::OfKubectl;
use tree::Disk;

/// Builds a kustomization as `kustomize build` does
///
/// DIR holds a kustomization.yaml, kustomization.yml or Kustomization. The objects are printed as kustomize prints
/// them, in its order; deprecated fields are named on standard error. Only files that the kustomization names are
/// read. Nothing is fetched and no program is run: resources behind a URL and plugins that are programs are refused.
#[derive(Debug, clap::Args)]
#[command(
    mut_args = helm::switch,
    after_help = "Examples:\n  convoy render kustomize overlays/prod\n  convoy render kustomize overlays/prod | kubectl diff -f -\n  \
                  convoy render kustomize --load-restrictor none -o out.yaml overlays/prod\n  \
                  convoy render kustomize base -n staging -o name\n\n\
                  --output takes a form (yaml, json, name, ref) or a path, as in kustomize: into a directory that exists, \
                  each object goes as a file of its own. Write ./json for a file of that name."
)]
pub(super) struct Args {
    /// Directory of the kustomization
    #[arg(value_name = "DIR", default_value = ".")]
    directory: PathBuf,
    /// Puts everything that has a namespace into this one, whatever the kustomization says
    #[arg(short, long, value_name = "NAME")]
    namespace: Option<String>,
    /// Which files a kustomization may name: root, those in and below its own directory; none, any
    #[arg(long, value_name = "RULE", default_value = "root", value_parser = restrictor)]
    load_restrictor: Restrictor,
    /// Prints in a form (yaml, json, name, ref), or writes to this file or directory
    #[arg(short, long, value_name = "FORM|PATH")]
    output: Option<String>,
    /// Version of Kubernetes for charts that do not say one
    #[arg(long, value_name = "VERSION")]
    helm_kube_version: Option<String>,
    /// Further API versions for charts that do not say any
    #[arg(long, value_name = "VERSION")]
    helm_api_versions: Vec<String>,
    /// File with the key of random functions in charts, as the controller's Secret holds it; without it, each run has
    /// one of its own
    #[arg(long, value_name = "FILE")]
    entropy_key: Option<PathBuf>,
    #[command(flatten)]
    kustomize: Kustomize,
    #[command(flatten)]
    kubectl: OfKubectl,
    #[command(flatten)]
    limits: LimitFlags,
}

/// Flags of kustomize that change little or nothing here.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Flags of kustomize")]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
struct Kustomize {
    /// Accepted: built-in plugins always work, others are refused
    #[arg(long)]
    enable_alpha_plugins: bool,
    /// Accepted: charts in the tree are always rendered, by our own engine
    #[arg(long)]
    enable_helm: bool,
    /// Accepted: no helm is run
    #[arg(long, value_name = "COMMAND")]
    helm_command: Option<String>,
    /// Accepted: no helm is run
    #[arg(long)]
    helm_debug: bool,
    /// Gives every object the label that says who built it (deprecated: `buildMetadata`)
    #[arg(long)]
    enable_managedby_label: bool,
    /// Order of the objects: legacy or none (deprecated: `sortOptions`)
    #[arg(long, value_name = "ORDER", value_parser = ["legacy", "none"])]
    reorder: Option<String>,
    /// Accepted: no program is run, and a kustomization that needs one is refused
    #[arg(long)]
    enable_exec: bool,
    /// Accepted: no container is run, and a kustomization that needs one is refused
    #[arg(long)]
    network: bool,
    /// Accepted: no container is run
    #[arg(long, value_name = "NAME")]
    network_name: Option<String>,
    /// Accepted: no container is run
    #[arg(long, value_name = "OPTIONS")]
    mount: Vec<String>,
    /// Accepted: no program is run
    #[arg(short, long, value_name = "NAME=VALUE")]
    env: Vec<String>,
    /// Accepted: no container is run
    #[arg(long)]
    as_current_user: bool,
}

/// [`LoadRestrictor`] on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Restrictor(LoadRestrictor);

fn restrictor(text: &str) -> Result<Restrictor, String> {
    match text {
        "root" | "LoadRestrictionsRootOnly" => Ok(Restrictor(LoadRestrictor::Root)),
        "none" | "LoadRestrictionsNone" => Ok(Restrictor(LoadRestrictor::None)),
        _ => Err("it is one of root (LoadRestrictionsRootOnly) and none (LoadRestrictionsNone)".into()),
    }
}

/// Where the render goes.
#[derive(Debug)]
enum To {
    /// Standard output, in a form.
    Form(RenderOutput),
    /// A file, or a directory.
    Path(PathBuf),
}

impl To {
    fn read(text: Option<&str>) -> Self {
        match text {
            None => Self::Form(RenderOutput::Yaml),
            Some(text) => match RenderOutput::from_str(text, false) {
                Ok(form) => Self::Form(form),
                Err(_) => Self::Path(PathBuf::from(text)),
            },
        }
    }
}

pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let limits = args.limits.limits();
    let to = To::read(args.output.as_deref());
    let directory = directory(&args.directory)?;
    let tree = Disk::new();
    let charts = Charts {
        limits: limits.clone(),
        kube_version: args.helm_kube_version.clone(),
        api_versions: args.helm_api_versions.clone(),
        key: helm::key(args.entropy_key.as_deref())?,
    };
    let options = Options {
        load_restrictor: args.load_restrictor.0,
        target_namespace: args.namespace.clone(),
        charts: Some(Arc::new(charts) as Arc<dyn ChartRenderer>),
        unsorted: args.kustomize.reorder.as_deref() == Some("none"),
        managed_by_label: args.kustomize.enable_managedby_label,
        limits: bounds(&limits),
        cancel: None,
    };
    let built =
        convoy_kustomize::build(&tree, &Disk::key_of(&directory)?, &options).map_err(|error| failure(&error))?;
    args.kustomize.warn();
    built.warnings.iter().for_each(warn);
    match to {
        To::Form(RenderOutput::Yaml) => print::out(&text(&built, limits.render_bytes)?),
        To::Form(form) => {
            let objects = built
                .resources
                .into_iter()
                .map(|value| Object::new(value).map_err(|error| Failure::of(&error)))
                .collect::<Result<_, _>>()?;
            print::out(&super::show(&super::named(objects, &limits)?, form))
        }
        To::Path(path) if path.is_dir() => files::write_each(&built, &path),
        To::Path(path) => files::write(&path, &text(&built, limits.render_bytes)?),
    }
}

fn text(built: &Built, limit: u64) -> Result<String, Failure> {
    let text = built.to_yaml().map_err(|error| Failure::of(&error))?;
    if text.len() as u64 > limit {
        return Err(
            Failure::new(format!("the render passes the limit `bytes of a render` of {limit}"))
                .hint("`--limit-render-bytes` sets another"),
        );
    }
    Ok(text)
}

impl Kustomize {
    fn warn(&self) {
        for (flag, given, instead) in [
            ("reorder", self.reorder.is_some(), "`sortOptions`"),
            (
                "enable-managedby-label",
                self.enable_managedby_label,
                "`managedByLabel` in `buildMetadata`",
            ),
        ] {
            if given {
                print::err_line(&format!(
                    "Flag --{flag} has been deprecated, use {instead} of the kustomization instead."
                ));
            }
        }
    }
}

fn warn(warning: &Warning) {
    let line = warning
        .as_kustomize()
        .unwrap_or_else(|| format!("# Warning: {warning}"));
    print::err_line(&line);
}

/// The directory that is built, as it was given.
fn directory(given: &Path) -> Result<PathBuf, Failure> {
    let place = || format!("cannot build `{}`", given.display());
    if given.is_dir() {
        return Ok(given.to_path_buf());
    }
    if given.exists() {
        return Err(Failure::new(place())
            .because_text("it is a file")
            .hint("name the directory that holds the kustomization"));
    }
    let text = given.to_string_lossy();
    if text.contains("://") || text.starts_with("github.com/") || text.contains('@') {
        return Err(Failure::new(place())
            .because_text("it is remote, and nothing is fetched")
            .hint("clone it first, and name the directory"));
    }
    Err(Failure::new(place()).because_text("there is no such directory"))
}

fn bounds(limits: &convoy_domain::limits::Limits) -> convoy_kustomize::Limits {
    let size = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
    let default = convoy_kustomize::Limits::default();
    convoy_kustomize::Limits {
        file_bytes: size(limits.file_bytes),
        kustomizations: limits.files,
        objects: limits.objects,
        bytes: size(limits.source_bytes),
        text: convoy_value::Limits {
            bytes: size(limits.file_bytes),
            depth: limits.depth,
            alias_bytes: limits.alias_bytes,
            ..default.text
        },
        ..default
    }
}

/// What to do about a build that failed, where there is something.
fn failure(error: &Error) -> Failure {
    let failure = Failure::of(error);
    let text = error.to_string();
    let limit = |of: &str| match of {
        "bytes of a file" => Some("--limit-file-bytes"),
        "bytes in all" => Some("--limit-source-bytes"),
        "objects" => Some("--limit-objects"),
        "kustomizations" => Some("--limit-files"),
        _ => None,
    };
    match error {
        Error::Remote { .. } => failure.hint("put it into the tree, and name its path there"),
        Error::Limit { of, .. } => match limit(of) {
            Some(flag) => failure.hint(format!("`{flag}` sets another")),
            None => failure,
        },
        Error::Missing { .. } if text.contains("unable to find") => {
            failure.hint("`convoy render manifests` reads a directory of plain manifests")
        }
        _ if text.contains("security; file") => {
            failure.hint("`--load-restrictor none` lets a kustomization name files outside of its directory")
        }
        _ if text.contains("only built-in plugins run here") => {
            failure.hint("plugins that are programs or containers are never run: use the built-in kinds")
        }
        Error::Missing { .. } | Error::File { .. } | Error::Field { .. } | Error::Cancelled { .. } | _ => failure,
    }
}
