//! `convoy render FILE`: a Release and its source, from files, to objects.
//!
//! Order: the files and their fields, the Release's own rules, the source's files, rendering, mutation. It is the
//! controller's order without a cluster; what it gives has the renderRef that the controller will store.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use convoy_domain::Timestamp;
use convoy_domain::artifact::Files;
use convoy_domain::compat::Compat;
use convoy_domain::content::{self, Inputs};
use convoy_domain::entropy::EntropyKey;
use convoy_domain::limits::Limits;
use convoy_domain::mutation::mutate;
use convoy_domain::object::Object;
use convoy_domain::release::{Content, Release};
use convoy_domain::validate::validate;
use convoy_kube::written_release;
use convoy_ports::{Clock as _, Entropy as _};
use convoy_system::{SystemClock, SystemEntropy};

use super::manifests;
use crate::disk::{self, Tree};
use crate::documents::{self, Document};
use crate::failure::Failure;
use crate::{jobs, lint, print, sources};

/// What to render.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted<'a> {
    /// Files with the Release and its source.
    pub(super) files: &'a [PathBuf],
    /// Name of the Release, where there are several.
    pub(super) name: Option<&'a str>,
    /// Directory in place of what the source gives.
    pub(super) source: Option<&'a Path>,
    /// File with the key of random functions.
    pub(super) key: Option<&'a Path>,
}

/// Renders the Release of the files.
pub(super) fn render(wanted: Wanted<'_>, limits: &Limits) -> Result<Vec<Object>, Failure> {
    let Wanted {
        files,
        name,
        source,
        key,
    } = wanted;
    let mut documents = Vec::new();
    for file in files {
        documents.extend(documents::read(file).map_err(not_a_file)?);
    }
    lint::documents(&documents)?;
    let document = choose(&documents, files, name)?;
    let release = released(document)?;
    let tree = match source {
        Some(dir) => Sources::of_directory(dir, &release.spec.content, limits)?,
        None => source_files(&documents, &release, limits)?,
    };
    let key = key_of(key)?;
    let mut objects = deep(limits.render_time, |cancel| {
        objects(&release, &tree, (&key, cancel), limits)
    })?;
    mutate(&release.mutations, &mut objects).map_err(|error| Failure::of(&error).at(document.place()))?;
    Ok(objects)
}

/// The files of a source, and when their revision was made.
struct Sources {
    files: Files,
    time: Option<Timestamp>,
}

impl Sources {
    /// What a directory gives for the content: of manifests only the files that may count, else all.
    fn of_directory(dir: &Path, content: &Content, limits: &Limits) -> Result<Self, Failure> {
        let files = match content {
            Content::Manifests(manifests) => manifests::read(dir, manifests, limits)?,
            Content::Helm(_) | Content::Kustomize(_) => {
                let mut tree = Tree::new(limits);
                tree.add_directory(dir, "", &|_| true)?;
                tree.into_files()
            }
        };
        Ok(Self { files, time: None })
    }
}

fn objects(
    release: &Release,
    tree: &Sources,
    (key, cancel): (&EntropyKey, Arc<AtomicBool>),
    limits: &Limits,
) -> Result<Vec<Object>, Failure> {
    let inputs = Inputs {
        release: &release.id,
        entropy: Some(key),
        // A Release in a file was not created yet.
        now: tree.time.unwrap_or_else(|| SystemClock.now()),
        cluster: None,
        cancel: Some(cancel),
    };
    let rendered = content::render(&tree.files, &release.spec.content, &inputs, limits).map_err(|error| {
        let failure = Failure::of(&error);
        if error == content::ContentError::NoClusterApi {
            failure.hint("`capabilities: cluster` is rendered by the controller only")
        } else {
            failure
        }
    })?;
    for warning in &rendered.warnings {
        print::err_line(&format!("warning: {warning}"));
    }
    Ok(rendered.objects)
}

/// The key of a file, or one of this run only.
fn key_of(file: Option<&Path>) -> Result<EntropyKey, Failure> {
    /// Bytes of a file with a key, at most.
    const MOST: u64 = 64 * 1024;
    let Some(path) = file else {
        let mut bytes = vec![0; EntropyKey::BYTES];
        let filled = SystemEntropy.fill(&mut bytes);
        filled.map_err(|error| Failure::of(&error))?;
        return EntropyKey::new(bytes).map_err(|error| Failure::of(&error));
    };
    let bytes = disk::read_bounded(path, MOST)?;
    EntropyKey::new(bytes).map_err(|error| Failure::new(format!("cannot use key `{}`", path.display())).because(&error))
}

/// Runs `work` on a thread with a stack for templates that call each other a thousand deep; it is told to end when the
/// time is over.
fn deep<T: Send>(
    time: Duration,
    work: impl FnOnce(Arc<AtomicBool>) -> Result<T, Failure> + Send,
) -> Result<T, Failure> {
    const STACK: usize = 1 << 30;
    let cancel = Arc::new(AtomicBool::new(false));
    let (ended, told) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let flag = Arc::clone(&cancel);
        let worker = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, move || {
            // Dropped when the work is done, which ends the wait.
            let _ended = ended;
            work(flag)
        });
        let worker = worker.map_err(|error| Failure::new("cannot start a thread to render in").because(&error))?;
        if told.recv_timeout(time) == Err(RecvTimeoutError::Timeout) {
            cancel.store(true, Ordering::Relaxed);
        }
        worker
            .join()
            .unwrap_or_else(|_| Err(Failure::new("the render ended unexpectedly")))
    })
}

/// Reads and checks a Release.
pub(crate) fn released(document: &Document) -> Result<Release, Failure> {
    let invalid = || Failure::new(format!("{} is not valid", document.place()));
    let release = written_release(document.json()).map_err(|error| invalid().because(&error))?;
    validate(&release, Compat::Current)
        .map_err(|failure| invalid().because_text(format!("{}: {}", failure.reason, failure.message)))?;
    Ok(release)
}

/// A live Release has a name, not a file: say so, rather than that a file is missing.
fn not_a_file(failure: Failure) -> Failure {
    failure.hint("`convoy render` reads files; a Release on a cluster is not rendered by this version")
}

/// The Release of the files, or the one of a name.
pub(crate) fn choose<'a>(
    documents: &'a [Document],
    files: &[PathBuf],
    name: Option<&str>,
) -> Result<&'a Document, Failure> {
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
fn source_files(documents: &[Document], release: &Release, limits: &Limits) -> Result<Sources, Failure> {
    let document = sources::of_release(documents, release)?;
    if let Some(dir) = document.text(&["spec", "url"]).strip_prefix(sources::RELATIVE) {
        let beside = document.file.parent().unwrap_or(Path::new(".")).join(dir);
        return Sources::of_directory(&beside, &release.spec.content, limits);
    }
    let source = sources::described(documents, document, release)?;
    let (mut files, mut time) = (Files::new(), None);
    // The one part that needs an async runtime.
    jobs::block_on(async {
        let (_, artifact) = sources::fetch(&source, &release.spec.source_ref, limits).await?;
        files.clone_from(&artifact.files);
        time = artifact.time;
        Ok(())
    })?;
    Ok(Sources { files, time })
}
