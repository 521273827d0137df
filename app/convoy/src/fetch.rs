//! `convoy fetch`: what the source of a Release gives now.

use std::path::{Path, PathBuf};

use convoy_domain::artifact::{Artifact, Revision};
use convoy_domain::id::ReleaseId;
use convoy_domain::release::Release;
use convoy_domain::source::{Source, SourceRef};
use convoy_domain::url::without_credentials;
use convoy_kube::KubeControlPlane;
use convoy_ports::ControlPlane as _;
use convoy_runtime::with_secrets;
use convoy_value::{Map, Value};

use crate::args::{ClusterArgs, NamespaceArgs, Output};
use crate::connect::connect;
use crate::controller::flags::LimitFlags;
use crate::failure::Failure;
use crate::render::{choose, released};
use crate::style::Style;
use crate::table::{Cell, table};
use crate::{documents, lint, print, sources};

/// Shows what the source of a Release gives: revision, files and bytes. Nothing is rendered or applied.
///
/// A FILE holds a Release and its source, and the Secrets that the source names if its server asks for credentials. A
/// NAME is a Release on a cluster, whose source and Secrets are read there, with the rights of the kubeconfig.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    convoy fetch release.yaml source.yaml secret.yaml\n  \
    convoy fetch bookshelf -n web --list\n  \
    convoy fetch bookshelf -o json")]
pub(crate) struct Args {
    /// Files with a Release and its source, or the name of one Release
    #[arg(value_name = "FILE|NAME", required = true)]
    what: Vec<PathBuf>,
    /// Name of the Release, where the files hold several
    #[arg(long, value_name = "NAME")]
    release: Option<String>,
    /// Lists every file
    #[arg(short, long)]
    list: bool,
    #[command(flatten)]
    namespace: NamespaceArgs,
    /// How the result is printed; `name` prints the paths of the files
    #[arg(short, long, value_enum, default_value_t)]
    output: Output,
    #[command(flatten)]
    limits: LimitFlags,
    #[command(flatten)]
    cluster: ClusterArgs,
}

pub(crate) async fn run(args: Args) -> Result<(), Failure> {
    let (release, source) = match named(&args.what) {
        Some(name) => live(&args, name).await?,
        None => written(&args)?,
    };
    let wanted = &release.spec.source_ref;
    let (revision, artifact) = sources::fetch(&source, wanted, &args.limits.limits()).await?;
    let fetched = Fetched {
        source: &source,
        wanted,
        revision: &revision,
        artifact: &artifact,
    };
    print::out(&fetched.show(args.output, args.list))
}

/// The name of a live Release: one word that is no file.
fn named(what: &[PathBuf]) -> Option<&str> {
    match what {
        [one] if !one.exists() => one
            .to_str()
            .filter(|name| ReleaseId::new("a", name).is_ok() && !is_file_name(one)),
        _ => None,
    }
}

/// A name may hold dots too; who writes one of these means a file that is missing.
fn is_file_name(path: &Path) -> bool {
    let known = ["yaml", "yml", "json"];
    path.extension()
        .is_some_and(|end| known.iter().any(|known| end == *known))
}

async fn live(args: &Args, name: &str) -> Result<(Release, Source), Failure> {
    let connection = connect(&args.cluster).await?;
    let namespace = connection.namespace(args.namespace.namespace.as_deref());
    let id = ReleaseId::new(&namespace, name)
        .map_err(|error| Failure::usage("there can be no such Release").because(&error))?;
    let control_plane = KubeControlPlane::new(connection.client);
    let release = control_plane.release(&id).await.map_err(|error| Failure::of(&error))?;
    let release = release.ok_or_else(|| {
        Failure::new(format!("there is no Release `{id}`")).hint("`convoy get releases -A` lists all")
    })?;
    let key = &release.spec.source;
    let source = control_plane.source(key).await.map_err(|error| Failure::of(&error))?;
    let source = source.ok_or_else(|| {
        Failure::new(format!("{key}, the source of Release `{id}`, does not exist"))
            .hint("`convoy get sources -A` lists all; `convoy create source` writes one")
    })?;
    let source = with_secrets(&control_plane, source)
        .await
        .map_err(|error| Failure::of(&error))?;
    Ok((release, source))
}

fn written(args: &Args) -> Result<(Release, Source), Failure> {
    let mut all = Vec::new();
    for file in &args.what {
        all.extend(documents::read(file)?);
    }
    lint::documents(&all)?;
    let release = released(choose(&all, &args.what, args.release.as_deref())?)?;
    let document = sources::of_release(&all, &release)?;
    if let Some(directory) = document.text(&["spec", "url"]).strip_prefix(sources::RELATIVE) {
        return Err(Failure::new(format!(
            "{} is the directory `{directory}` beside its file, of which there is nothing to fetch",
            document.place()
        )));
    }
    let source = sources::described(&all, document, &release)?;
    Ok((release, source))
}

/// What a source gave.
struct Fetched<'a> {
    source: &'a Source,
    wanted: &'a SourceRef,
    revision: &'a Revision,
    artifact: &'a Artifact,
}

impl Fetched<'_> {
    fn bytes(&self) -> u64 {
        self.artifact.files.values().map(|content| content.len() as u64).sum()
    }

    fn show(&self, output: Output, list: bool) -> String {
        match output {
            Output::Name => print::lines(self.artifact.files.keys().cloned()),
            Output::Json => documents::to_json(&self.value(list)),
            Output::Yaml => documents::to_yaml(&self.value(list)),
            Output::Table => self.table(list),
        }
    }

    fn value(&self, list: bool) -> Value {
        let mut map = Map::from_iter([
            ("source", Value::from(self.source.key.to_string())),
            ("url", Value::from(without_credentials(&self.source.url))),
            ("ref", Value::from(selected(self.wanted))),
            ("revision", Value::from(self.revision.to_string())),
            ("files", count(self.artifact.files.len() as u64)),
            ("bytes", count(self.bytes())),
        ]);
        if let Some(time) = self.artifact.time {
            map.insert("time", time.to_string());
        }
        if list {
            let files = self.artifact.files.iter().map(|(path, content)| {
                Value::Object(Map::from_iter([
                    ("path", Value::from(path.as_str())),
                    ("bytes", count(content.len() as u64)),
                ]))
            });
            map.insert("list", files.collect::<Vec<Value>>());
        }
        Value::Object(map)
    }

    fn table(&self, list: bool) -> String {
        let row = |title: &str, text: String| vec![Cell::new(title), Cell::new(text)];
        let mut rows = vec![
            row("Source", self.source.key.to_string()),
            row("URL", without_credentials(&self.source.url)),
            row("Ref", selected(self.wanted)),
            row("Revision", self.revision.to_string()),
        ];
        rows.extend(self.artifact.time.map(|time| row("Time", time.to_string())));
        rows.push(row("Files", self.artifact.files.len().to_string()));
        rows.push(row("Bytes", self.bytes().to_string()));
        let mut text = table(&["FETCHED", ""], &rows, Style::stdout());
        if list {
            let rows: Vec<Vec<Cell>> = self
                .artifact
                .files
                .iter()
                .map(|(path, content)| vec![Cell::new(content.len().to_string()), Cell::new(path.as_str())])
                .collect();
            text.push('\n');
            text.push_str(&table(&["BYTES", "PATH"], &rows, Style::stdout()));
        }
        text
    }
}

fn count(number: u64) -> Value {
    Value::from(i64::try_from(number).unwrap_or(i64::MAX))
}

/// What a Release selects, in words.
fn selected(wanted: &SourceRef) -> String {
    match wanted {
        SourceRef::Git(git) => git.to_string(),
        SourceRef::Helm { chart, version } | SourceRef::Oci { chart, version, .. } => {
            format!("chart {chart}, version {version}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_word_that_is_no_file_is_the_name_of_a_release() {
        let check = |what: &[&str], expect: Option<&str>| {
            let what: Vec<PathBuf> = what.iter().map(PathBuf::from).collect();
            assert_eq!(named(&what), expect, "{what:?}");
        };
        check(&["bookshelf"], Some("bookshelf"));
        check(&["my.release"], Some("my.release"));
        check(&["release.yaml"], None);
        check(&["dir/release"], None);
        check(&["a", "b"], None);
        check(&["Cargo.toml"], None);
    }
}
