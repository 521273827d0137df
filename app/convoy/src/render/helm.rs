//! `convoy render helm`: what `helm template` prints, with its flags.
//!
//! The text is Helm's; with `--output` the manifests are parsed and printed as objects.

mod bounds;
mod flags;
mod input;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{ArgAction, Parser as _};
use convoy_domain::limits::Limits;
use convoy_domain::object::Object;
use convoy_domain::secret::Secret;
use convoy_helm::layers::{self, Layer};
use convoy_helm::{Chart, IgnoreRules, KeyedEntropy, KubeVersion, Rendered, Selection, Settings, Setup};
use convoy_sprig::Randomness;
use convoy_template::value::Time;
use convoy_template::{Context, MissingKey, TemplateSet, Value as Dynamic, lossy};
use convoy_value::{Map, yaml};

use super::RenderOutput;
use crate::controller::flags::LimitFlags;
use crate::disk::Tree;
use crate::failure::Failure;
use crate::print;
use flags::OfHelm;
pub(super) use flags::switch;
use input::Bound;

/// Renders a chart as `helm template` does
///
/// CHART is a directory or a .tgz. The output is Helm's own text, unless --output asks for objects. Random functions
/// draw from a random key; --entropy-key makes them give the same values each time.
/// Nothing is fetched, no server is asked and no program is run. Other flags of helm template are accepted where they
/// change nothing, and refused where they ask for one of these.
#[derive(Debug, clap::Args)]
#[command(
    args_override_self = true,
    mut_args = switch,
    after_help = "Examples:\n  convoy render helm ./chart\n  convoy render helm my-app ./chart -n prod -f values.yaml --set a.b=1\n  \
                  convoy render helm ./chart --show-only templates/service.yaml"
)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub(crate) struct Args {
    /// Name of the release, and the chart
    #[arg(value_name = "[NAME] CHART", required = true, num_args = 1..=2)]
    operands: Vec<OsString>,
    /// Accepted: a release without a name is called release-name
    #[arg(short, long, conflicts_with = "name")]
    generate_name: bool,
    /// Name of the release, in place of the first operand
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Writes below a folder of --output-dir that is called after the release; with =NAME, gives the name too
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    release_name: Option<String>,
    /// Template that gives the name of the release
    #[arg(long, value_name = "TEMPLATE", conflicts_with = "name")]
    name_template: Option<String>,
    /// Namespace of the release
    #[arg(short, long, value_name = "NAME", default_value = "default")]
    namespace: String,
    #[command(flatten)]
    values: ValueFlags,
    /// Prints the files of crds/ first
    #[arg(long)]
    include_crds: bool,
    /// Leaves hooks out that are tests
    #[arg(long)]
    skip_tests: bool,
    /// Leaves all hooks out
    #[arg(long)]
    no_hooks: bool,
    /// Prints only what these templates wrote: paths below the chart, `*` allowed
    #[arg(short, long, value_name = "PATH")]
    show_only: Vec<String>,
    /// Further API versions for .Capabilities.APIVersions
    #[arg(short, long, value_name = "VERSION", value_delimiter = ',')]
    api_versions: Vec<String>,
    /// Version of Kubernetes for .Capabilities.KubeVersion
    #[arg(long, value_name = "VERSION")]
    kube_version: Option<String>,
    /// Sets .Release.IsUpgrade in place of .Release.IsInstall
    #[arg(long)]
    is_upgrade: bool,
    /// Does not check values against values.schema.json
    #[arg(long)]
    skip_schema_validation: bool,
    /// Writes files below this directory instead of standard output
    #[arg(long, value_name = "DIR", conflicts_with_all = ["show_only", "output"], value_parser = path())]
    output_dir: Option<PathBuf>,
    /// Prints objects in this form, in place of Helm's text
    #[arg(short, long, value_enum)]
    output: Option<RenderOutput>,
    /// File with the key of random functions
    #[arg(long, value_name = "FILE")]
    entropy_key: Option<PathBuf>,
    #[command(flatten)]
    of_helm: OfHelm,
    #[command(flatten)]
    limits: LimitFlags,
}

/// A path that may be empty, which is none.
fn path() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(PathBuf::from)
}

/// The command alone.
#[derive(Debug, clap::Parser)]
#[command(no_binary_name = true)]
struct Alone {
    #[arg(short, long, action = ArgAction::Count)]
    verbose: u8,
    #[command(flatten)]
    args: Box<Args>,
}

/// Reads a command line that begins with `convoy render helm`: its arguments, and whether errors show their causes.
/// The flags of all other commands are time and memory that it has no use for. Who gets no answer here needs them, be it
/// for help or to say what is wrong.
pub(crate) fn arguments(mut line: impl Iterator<Item = OsString>) -> Option<(Box<Args>, bool)> {
    let words = [line.nth(1)?, line.next()?];
    if words != ["render", "helm"] {
        return None;
    }
    let Alone { verbose, args } = Alone::try_parse_from(line).ok()?;
    Some((args, verbose > 0))
}

/// Values, lowest first: files, JSON, texts, files' contents, literals.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Values")]
struct ValueFlags {
    /// Values file or pipe, or - for standard input
    #[arg(short = 'f', long = "values", value_name = "FILE", value_delimiter = ',')]
    files: Vec<OsString>,
    /// Sets values: a.b=1,c={x,y}
    #[arg(long, value_name = "SET")]
    set: Vec<String>,
    /// Sets values that are always text
    #[arg(long, value_name = "SET")]
    set_string: Vec<String>,
    /// Sets values from JSON: a={"b":1}, or one object
    #[arg(long, value_name = "SET")]
    set_json: Vec<String>,
    /// Sets values from the content of files: a=FILE
    #[arg(long, value_name = "SET")]
    set_file: Vec<String>,
    /// Sets one value as it is written
    #[arg(long, value_name = "SET")]
    set_literal: Vec<String>,
}

/// Template functions may call each other a thousand deep: more stack than a thread has by itself.
pub(super) const STACK: usize = 512 << 20;

/// Renders, and prints or writes the result.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    args.of_helm.check()?;
    let limits = &args.limits.limits();
    thread::scope(|scope| {
        let worker = thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, || render(args, limits));
        let worker = worker.map_err(|error| Failure::new("cannot start a thread to render in").because(&error))?;
        worker
            .join()
            .unwrap_or_else(|_| Err(Failure::new("the render ended unexpectedly")))
    })
}

fn render(args: &Args, limits: &Limits) -> Result<(), Failure> {
    let (name, path) = name_and_chart(args)?;
    input::check_local(&path)?;
    let cancel = Arc::new(AtomicBool::new(false));
    let settings = settings(args, name, limits, &cancel)?;
    let chart = load(Path::new(&path), limits)?;
    let rendered = bounds::timed(limits.render_time, &cancel, || {
        convoy_helm::render_last(chart, &settings).map_err(|error| refused(&error))
    })?;
    // The process ends after this: taking apart what it holds would be work for nothing.
    let rendered = ManuallyDrop::new(rendered);
    let rendered = &rendered.0;
    for warning in &rendered.warnings {
        print::err_line(warning.go_text());
    }
    let selection = Selection {
        include_crds: args.include_crds,
        skip_tests: args.skip_tests,
        no_hooks: args.no_hooks,
    };
    if let Some(dir) = args.output_dir.as_ref().filter(|dir| !dir.as_os_str().is_empty()) {
        let below = args.release_name.as_ref().filter(|given| *given != "false");
        let dir = below.map_or(dir.clone(), |_| dir.join(&settings.release_name));
        return write(rendered, selection, &dir);
    }
    if let Some(output) = args.output {
        let objects = objects(rendered, selection, limits)?;
        return print::out(&super::show(&super::named(objects, limits)?, output));
    }
    if args.show_only.is_empty() {
        return rendered.write_text(selection, print::out);
    }
    let shown = rendered.show_only(selection, &args.show_only);
    print::out(&shown.map_err(|error| refused(&error))?)
}

/// Helm's own words: who runs the command may see the values.
fn refused(error: &convoy_helm::Error) -> Failure {
    let failure = Failure::new(shortened(error.go_text()));
    match bounds::flag(error) {
        Some(flag) => failure.hint(format!("`{flag}` sets another limit")),
        None => failure,
    }
}

/// A long error without its middle: templates that include each other a thousand deep name each step.
fn shortened(text: String) -> String {
    /// Bytes that are kept at each end.
    const END: usize = 4 << 10;
    if text.len() <= 3 * END {
        return text;
    }
    let head = &text[..text.floor_char_boundary(END)];
    let tail = &text[text.ceil_char_boundary(text.len() - END)..];
    let cut = text.len() - head.len() - tail.len();
    format!("{head} […{cut} bytes of the error are left out…] {tail}")
}

fn name_and_chart(args: &Args) -> Result<(String, OsString), Failure> {
    let text = |name: &OsString| {
        let text = name.to_str().map(ToString::to_string);
        text.ok_or_else(|| Failure::usage(format!("the release name `{}` is not UTF-8", name.display())))
    };
    let named = args
        .release_name
        .as_ref()
        .filter(|given| !matches!(given.as_str(), "true" | "false"));
    let named = args.name.as_ref().or(named);
    let template = args.name_template.as_ref().filter(|template| !template.is_empty());
    let (name, chart) = match &args.operands[..] {
        [chart] => (named.cloned(), chart),
        // No release has a slash in its name: it is a chart that the name follows.
        [_, _] if args.generate_name => {
            return Err(Failure::usage("cannot set --generate-name and also specify a name"));
        }
        [chart, name] if named.is_none() && args.release_name.is_some() && chart.to_string_lossy().contains('/') => {
            (Some(text(name)?), chart)
        }
        [name, chart] if named.is_none() && template.is_none() => (Some(text(name)?), chart),
        _ => {
            return Err(Failure::usage(
                "cannot set --name or --name-template and also specify a name",
            ));
        }
    };
    let name = match (template, name) {
        (Some(template), _) => name_from(template)?,
        (None, Some(name)) => name,
        (None, None) => "release-name".into(),
    };
    Ok((name, chart.clone()))
}

pub(super) fn name_from(template: &str) -> Result<String, Failure> {
    const NAME: &str = "name-template";
    let mut set = TemplateSet::new(convoy_helm::functions()).missing_key(MissingKey::Default);
    set.parse(NAME, template).map_err(|error| Failure::of(&error))?;
    let mut context = Context::new(Arc::new(set), Arc::default(), convoy_template::Limits::default());
    let name = context
        .execute(NAME, Dynamic::Nil)
        .map_err(|error| Failure::of(&error))?;
    Ok(lossy(&name).into_owned())
}

fn settings(args: &Args, name: String, limits: &Limits, cancel: &Arc<AtomicBool>) -> Result<Settings, Failure> {
    let kube_version = match args.kube_version.as_ref().filter(|version| !version.is_empty()) {
        Some(version) => KubeVersion::parse(version).map_err(|error| refused(&error))?,
        None => KubeVersion::default(),
    };
    let key = key(args.entropy_key.as_deref())?;
    let namespace = match args.namespace.as_str() {
        "" => "default",
        given => given,
    };
    let setup = setup(key, namespace, &name, Some(Arc::clone(cancel)));
    let (values, bytes) = values(&args.values, bounds::file(limits))?;
    Ok(Settings {
        release_name: name,
        namespace: namespace.to_string(),
        values,
        bytes,
        limits: bounds::templates(limits),
        api_versions: args.api_versions.clone(),
        kube_version,
        is_upgrade: args.is_upgrade,
        validates_schema: !args.skip_schema_validation,
        setup,
        ..Settings::default()
    })
}

/// The clock shows the time at which the command began; a flag that is raised ends the render.
pub(super) fn setup(key: Secret<Vec<u8>>, namespace: &str, name: &str, cancel: Option<Arc<AtomicBool>>) -> Setup {
    let (namespace, name) = (namespace.to_owned(), name.to_owned());
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let seconds = i64::try_from(now.as_secs()).unwrap_or(i64::MAX);
    let now = Time::unix(seconds, now.subsec_nanos());
    Setup::new(move |mut context| {
        let entropy = KeyedEntropy::new(key.expose(), &namespace, &name, 0);
        context.put_state(Randomness::new(now.clone(), entropy));
        match &cancel {
            Some(flag) => context.with_cancel(Arc::clone(flag)),
            None => context,
        }
    })
}

/// The key that random values come from: what the file holds, else one that nobody knows.
pub(super) fn key(file: Option<&Path>) -> Result<Secret<Vec<u8>>, Failure> {
    /// Bytes of a file with a key, at most.
    const MOST: Bound = Bound {
        bytes: 64 * 1024,
        flag: None,
    };
    file.map_or_else(random_key, |path| input::read(path, MOST))
        .map(Secret::new)
}

fn random_key() -> Result<Vec<u8>, Failure> {
    let mut key = vec![0; 32];
    let source = fs::File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut key));
    source.map_err(|error| Failure::new("cannot make a random key").because(&error))?;
    Ok(key)
}

/// The values that flags give, and which of their texts stand for bytes: a file of `--set-file` may hold any.
fn values(flags: &ValueFlags, bound: Bound) -> Result<(Map, BTreeMap<String, Vec<u8>>), Failure> {
    let files = flags
        .files
        .iter()
        .filter(|name| !name.is_empty())
        .map(|name| Ok((name.to_string_lossy(), input::read_file(name, bound)?)))
        .collect::<Result<Vec<_>, Failure>>()?;
    let mut all: Vec<Layer<'_>> = files.iter().map(|(name, text)| Layer::File(name, text)).collect();
    all.extend(flags.set_json.iter().map(|text| Layer::Json(text)));
    all.extend(flags.set.iter().map(|text| Layer::Set(text)));
    all.extend(flags.set_string.iter().map(|text| Layer::Text(text)));
    all.extend(flags.set_file.iter().map(|text| Layer::Content(text)));
    all.extend(flags.set_literal.iter().map(|text| Layer::Literal(text)));
    let mut bytes = BTreeMap::new();
    let mut content = |name: &str| {
        if name.is_empty() {
            return Ok(String::new());
        }
        let content = input::read_file(OsStr::new(name), bound).map_err(|failure| failure.line())?;
        Ok(String::from_utf8(content).unwrap_or_else(|error| {
            let text = lossy(error.as_bytes()).into_owned();
            bytes.insert(text.clone(), error.into_bytes());
            text
        }))
    };
    let map = layers::apply(&all, &mut content).map_err(|error| refused(&error))?;
    Ok((map, bytes))
}

pub(super) fn load(path: &Path, limits: &Limits) -> Result<Chart, Failure> {
    let failed = |error: &convoy_helm::Error| {
        Failure::new(format!("cannot load chart `{}`", path.display())).because_text(error.go_text())
    };
    if !path.exists() {
        return Err(Failure::new(format!("path \"{}\" not found", path.display()))
            .hint("a chart is a directory or a .tgz; `helm pull` fetches one"));
    }
    if !path.is_dir() {
        let bytes = input::read(path, bounds::packed(limits))?;
        return Chart::from_archive_within(&bytes, &limits.of_archives())
            .map_err(|error| failed(&error).hint("a chart is a directory or a .tgz that `helm package` makes"));
    }
    let list = path.join(".helmignore");
    let ignored = if list.is_file() {
        input::read(&list, bounds::file(limits))?
    } else {
        Vec::new()
    };
    let rules = IgnoreRules::parse(&ignored).map_err(|error| failed(&error))?;
    let mut tree = Tree::new(limits);
    tree.add_directory(path, "", &|key| key == ".helmignore" || !rules.ignores_file(key))?;
    for link in tree.links() {
        let target = fs::canonicalize(link).unwrap_or_default();
        print::err_line(&format!(
            "found symbolic link in path. Contents of linked file included and used: {} -> {}",
            link.display(),
            target.display()
        ));
    }
    Chart::load_within(&tree.into_files(), &limits.of_archives()).map_err(|error| failed(&error))
}

/// The manifests of the selection that hold an object.
fn objects(rendered: &Rendered, selection: Selection, limits: &Limits) -> Result<Vec<Object>, Failure> {
    let crds = rendered.crds.iter().filter(|_| selection.include_crds);
    let hooks = rendered
        .hooks
        .iter()
        .filter(|hook| !(selection.no_hooks || selection.skip_tests && hook.is_test()));
    let mut objects = Vec::new();
    for manifest in crds.chain(&rendered.manifests).chain(hooks.map(|hook| &hook.manifest)) {
        let refuse = |error: &dyn std::error::Error| {
            Failure::new(format!("cannot read what `{}` wrote", manifest.source)).because(error)
        };
        let documents = yaml::helm::parse_documents(&manifest.content, &bounds::documents(limits));
        for document in documents
            .map_err(|error| refuse(&error))?
            .into_iter()
            .filter(|document| !document.is_empty())
        {
            objects.push(Object::new(document.value).map_err(|error| refuse(&error))?);
        }
    }
    Ok(objects)
}

/// Writes files as `helm template --output-dir` does: several manifests of one template into one file.
fn write(rendered: &Rendered, selection: Selection, dir: &Path) -> Result<(), Failure> {
    let mut report = String::new();
    for (path, text, again) in rendered.files(selection) {
        let path = dir.join(path);
        let refuse = |error: std::io::Error| Failure::new(format!("cannot write `{}`", path.display())).because(&error);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(refuse)?;
        }
        let before = if again {
            fs::read_to_string(&path).map_err(refuse)?
        } else {
            String::new()
        };
        fs::write(&path, before + &text).map_err(refuse)?;
        let _ = writeln!(report, "wrote {}", path.display());
    }
    report.push('\n');
    print::out(&report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_error_says_what_was_left_out() {
        assert_eq!(shortened("short".into()), "short");
        let long = shortened(format!("begin {}end", "é: ".repeat(30_000)));
        assert!(long.starts_with("begin ") && long.ends_with("end"), "{long}");
        assert!(long.contains("bytes of the error are left out") && long.len() < 10_000);
    }
}
