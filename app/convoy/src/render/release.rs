//! `convoy render FILE`: a Release and its source, from files, to objects.
//!
//! Order: the files and their fields, the Release's own rules, the source's files, rendering, mutation. It is the
//! controller's order without a cluster; what it gives has the renderRef that the controller will store.

use std::path::{Path, PathBuf};

use convoy_domain::artifact::Files;
use convoy_domain::limits::Limits;
use convoy_domain::mutation::mutate;
use convoy_domain::object::Object;
use convoy_domain::release::{Content, Manifests, Release};
use convoy_domain::source::{Source, SourceKind};
use convoy_domain::validate::validate;
use convoy_git::{GitFetcher, Options};
use convoy_kube::{written_git_repository, written_release};
use convoy_ports::SourceFetcher as _;
use convoy_value::Value;

use super::manifests;
use crate::documents::{self, Document};
use crate::failure::Failure;
use crate::{jobs, lint};

/// How the URL of a source names a directory beside its file.
const RELATIVE: &str = "file://./";

/// Renders the Release of the files.
pub(super) fn render(
    files: &[PathBuf],
    name: Option<&str>,
    source: Option<&Path>,
    limits: &Limits,
) -> Result<Vec<Object>, Failure> {
    let mut documents = Vec::new();
    for file in files {
        documents.extend(documents::read(file).map_err(not_a_file)?);
    }
    lint::documents(&documents)?;
    let document = choose(&documents, files, name)?;
    let release = written_release(json(&document.value))
        .map_err(|error| Failure::new(format!("{} is not valid", document.place())).because(&error))?;
    validate(&release).map_err(|failure| {
        Failure::new(format!("{} is not valid", document.place()))
            .because_text(format!("{}: {}", failure.reason, failure.message))
    })?;
    let Content::Manifests(manifests) = &release.spec.content else {
        return Err(Failure::new(format!(
            "{} has a content type that this version does not render",
            document.place()
        )));
    };
    let tree = match source {
        Some(dir) => manifests::read(dir, manifests, limits)?,
        None => source_files(&documents, &release, manifests, limits)?,
    };
    let mut objects = manifests::objects(&tree, manifests, limits)?;
    mutate(&release.mutations, &mut objects).map_err(|error| Failure::of(&error).at(document.place()))?;
    Ok(objects)
}

/// A live Release has a name, not a file: say so, rather than that a file is missing.
fn not_a_file(failure: Failure) -> Failure {
    failure.hint("`convoy render` reads files; a Release on a cluster is not rendered by this version")
}

fn choose<'a>(documents: &'a [Document], files: &[PathBuf], name: Option<&str>) -> Result<&'a Document, Failure> {
    let mut releases: Vec<&Document> = documents
        .iter()
        .filter(|document| document.group() == convoy_kube::crd::CORE_GROUP && document.text(&["kind"]) == "Release")
        .collect();
    if let Some(name) = name {
        releases.retain(|release| release.text(&["metadata", "name"]) == name);
    }
    let place = files
        .iter()
        .map(|file| format!("`{}`", file.display()))
        .collect::<Vec<_>>()
        .join(", ");
    match (releases.as_slice(), name) {
        ([release], _) => Ok(release),
        ([], Some(name)) => Err(Failure::new(format!("{place} holds no Release `{name}`"))),
        ([], None) => Err(Failure::new(format!("{place} holds no Release"))
            .hint("`convoy render manifests` renders plain manifests without a Release")),
        (several, _) => {
            let names: Vec<&str> = several
                .iter()
                .map(|release| release.text(&["metadata", "name"]))
                .collect();
            Err(Failure::new(format!("{place} holds {} Releases", several.len()))
                .hint(format!("name one with `--release`: {}", names.join(", "))))
        }
    }
}

/// The files of the Release's source.
fn source_files(
    documents: &[Document],
    release: &Release,
    manifests: &Manifests,
    limits: &Limits,
) -> Result<Files, Failure> {
    let key = &release.spec.source;
    let document = documents
        .iter()
        .find(|document| {
            document.group() == convoy_kube::crd::SOURCE_GROUP
                && document.text(&["kind"]) == key.kind.kind()
                && document.text(&["metadata", "name"]) == key.id.name()
                && document.namespace() == key.id.namespace()
        })
        .ok_or_else(|| {
            Failure::new(format!(
                "{key}, the source of Release {}, is not in the files",
                release.id
            ))
            .hint("name its file too, or a directory with `--source DIR`")
        })?;
    if key.kind != SourceKind::Git {
        return Err(Failure::new(format!(
            "{} is not supported by this version",
            document.place()
        )));
    }
    if let Some(dir) = document.text(&["spec", "url"]).strip_prefix(RELATIVE) {
        let beside = document.file.parent().unwrap_or(Path::new(".")).join(dir);
        return manifests::read(&beside, manifests, limits);
    }
    let source = written_git_repository(json(&document.value))
        .map_err(|error| Failure::new(format!("{} is not valid", document.place())).because(&error))?;
    fetch(&source, release, limits)
}

/// Fetches; the one part that needs an async runtime.
fn fetch(source: &Source, release: &Release, limits: &Limits) -> Result<Files, Failure> {
    let what = || format!("cannot fetch {}", source.key);
    let mut files = Files::new();
    jobs::block_on(async {
        // The person who runs the command may read their own directories.
        let options = Options {
            file_urls: true,
            environment_proxy: true,
            ..Options::default()
        };
        let fetcher = GitFetcher::new(options).map_err(|error| Failure::new(what()).because(&error))?;
        let wanted = &release.spec.source_ref;
        let revision = fetcher
            .resolve(source, wanted)
            .await
            .map_err(|error| Failure::new(what()).because(&error))?;
        let artifact = fetcher
            .fetch(source, wanted, &revision, limits)
            .await
            .map_err(|error| Failure::new(what()).because(&error))?;
        files.clone_from(&artifact.files);
        Ok(())
    })?;
    Ok(files)
}

fn json(value: &Value) -> serde_json::Value {
    // A value has text keys and finite numbers: it always has a JSON form.
    serde_json::to_value(value).unwrap_or_default()
}
