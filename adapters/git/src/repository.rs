//! Makes repositories: a bare one, commits out of files, and commits out of a folder whenever it changes.
//!
//! Commits have one parent, the branch's last commit, and no signature. The settings of the machine and the user are
//! not read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use convoy_domain::artifact::{Files, Revision};
use convoy_web::failure::clean;
use gix::objs::tree::{Entry, EntryKind};
use gix::objs::{Commit, Tree};
use gix::refs::transaction::PreviousValue;
use gix::{ObjectId, Repository};

use crate::tree::NAMES;

/// How many files and bytes a folder may have, and how deep it may be nested.
const FILES: usize = 50_000;
const BYTES: u64 = 256 * 1024 * 1024;
const DEPTH: usize = 128;

/// Why a repository could not be made or changed.
#[derive(Debug, thiserror::Error)]
pub enum RepositoryError {
    /// It could not be made.
    #[error("cannot make a git repository in `{folder}`: {why}")]
    Init {
        /// Its folder.
        folder: PathBuf,
        /// What went wrong.
        why: String,
    },
    /// It could not be opened.
    #[error("`{folder}` cannot be opened as a git repository: {why}")]
    Open {
        /// Its folder.
        folder: PathBuf,
        /// What went wrong.
        why: String,
    },
    /// A commit could not be written.
    #[error("cannot commit to `{branch}` in `{folder}`: {why}")]
    Commit {
        /// Its folder.
        folder: PathBuf,
        /// The branch.
        branch: String,
        /// What went wrong.
        why: String,
    },
    /// A file or folder could not be read.
    #[error("cannot read `{path}`")]
    Read {
        /// Its path.
        path: PathBuf,
        /// What the operating system answered.
        source: std::io::Error,
    },
    /// A path is no plain relative path in UTF-8.
    #[error("`{path}` cannot be a path in a git repository")]
    Path {
        /// The path.
        path: PathBuf,
    },
    /// A folder is too large.
    #[error("`{folder}` passes the limit of {limit}")]
    Limit {
        /// The folder.
        folder: PathBuf,
        /// The limit.
        limit: String,
    },
}

/// What a commit came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committed {
    /// The branch's last commit.
    pub revision: Revision,
    /// Whether it is new: `false` when the branch held these very files already.
    pub changed: bool,
}

/// Makes a bare repository in `folder`, which is empty or not there, with HEAD at `branch`.
///
/// # Errors
/// [`RepositoryError::Init`].
pub fn init(folder: &Path, branch: &str) -> Result<(), RepositoryError> {
    let failed = |why: String| RepositoryError::Init {
        folder: folder.to_owned(),
        why: clean(&why),
    };
    let name =
        gix::refs::FullName::try_from(format!("refs/heads/{branch}")).map_err(|error| failed(error.to_string()))?;
    std::fs::create_dir_all(folder).map_err(|error| failed(error.to_string()))?;
    gix::ThreadSafeRepository::init_opts(
        folder,
        gix::create::Kind::Bare,
        gix::create::Options::default(),
        gix::open::Options::isolated(),
    )
    .map_err(|error| failed(error.to_string()))?;
    std::fs::write(folder.join("HEAD"), format!("ref: {name}\n")).map_err(|error| failed(error.to_string()))
}

/// Makes `files` the whole content of `branch`, by a commit with `message` if that changes it.
///
/// # Errors
/// [`RepositoryError::Open`], [`RepositoryError::Path`], [`RepositoryError::Commit`].
pub fn commit_files(folder: &Path, branch: &str, files: &Files, message: &str) -> Result<Committed, RepositoryError> {
    let entries = files
        .iter()
        .map(|(path, content)| (path.as_str(), Content::File(content)));
    commit(folder, branch, entries, message)
}

/// Makes what is in `worktree` now (without `.git`) the whole content of `branch`, if that changes it.
///
/// # Errors
/// As [`commit_files`], and [`RepositoryError::Read`], [`RepositoryError::Limit`].
pub fn commit_directory(folder: &Path, branch: &str, worktree: &Path) -> Result<Committed, RepositoryError> {
    let mut found = Found::default();
    read_folder(worktree, worktree, "", 0, &mut found)?;
    let entries = found.entries.iter().map(|(path, (content, link))| {
        let content = if *link {
            Content::Link(content)
        } else {
            Content::File(content)
        };
        (path.as_str(), content)
    });
    let message = format!("Content of {}", worktree.display());
    commit(folder, branch, entries, &message)
}

/// One file's bytes, or a link's target.
#[derive(Clone, Copy)]
enum Content<'a> {
    File(&'a [u8]),
    Link(&'a [u8]),
}

/// A folder that becomes a tree.
#[derive(Default)]
struct Branching<'a> {
    folders: BTreeMap<&'a str, Branching<'a>>,
    files: BTreeMap<&'a str, Content<'a>>,
}

impl<'a> Branching<'a> {
    fn insert(&mut self, path: &'a str, content: Content<'a>) -> Result<(), RepositoryError> {
        let refused = || RepositoryError::Path { path: path.into() };
        let mut folder = self;
        let mut rest = path;
        loop {
            let (name, below) = rest
                .split_once('/')
                .map_or((rest, None), |(name, below)| (name, Some(below)));
            let plain = gix::validate::path::component(name.into(), None, NAMES);
            if plain.is_err() || folder.files.contains_key(name) {
                return Err(refused());
            }
            match below {
                Some(below) => {
                    folder = folder.folders.entry(name).or_default();
                    rest = below;
                }
                None if folder.folders.contains_key(name) => return Err(refused()),
                None => {
                    folder.files.insert(name, content);
                    return Ok(());
                }
            }
        }
    }

    fn write(&self, repository: &Repository) -> gix::Result<ObjectId> {
        let mut entries = Vec::new();
        for (name, folder) in &self.folders {
            entries.push(Entry {
                mode: EntryKind::Tree.into(),
                filename: (*name).into(),
                oid: folder.write(repository)?,
            });
        }
        for (name, content) in &self.files {
            let (kind, bytes) = match content {
                Content::File(bytes) => (EntryKind::Blob, bytes),
                Content::Link(bytes) => (EntryKind::Link, bytes),
            };
            entries.push(Entry {
                mode: kind.into(),
                filename: (*name).into(),
                oid: repository.write_blob(bytes)?.detach(),
            });
        }
        entries.sort();
        Ok(repository.write_object(Tree { entries })?.detach())
    }
}

fn commit<'a>(
    folder: &Path,
    branch: &str,
    entries: impl Iterator<Item = (&'a str, Content<'a>)>,
    message: &str,
) -> Result<Committed, RepositoryError> {
    let mut root = Branching::default();
    for (path, content) in entries {
        root.insert(path, content)?;
    }
    let repository = gix::open_opts(folder, gix::open::Options::isolated()).map_err(|error| RepositoryError::Open {
        folder: folder.to_owned(),
        why: clean(&error.to_string()),
    })?;
    write_commit(&repository, branch, &root, message).map_err(|error| RepositoryError::Commit {
        folder: folder.to_owned(),
        branch: branch.to_owned(),
        why: clean(&error.to_string()),
    })
}

fn write_commit(repository: &Repository, branch: &str, root: &Branching<'_>, message: &str) -> gix::Result<Committed> {
    let tree = root.write(repository)?;
    let name = format!("refs/heads/{branch}");
    let parent = match repository.try_find_reference(name.as_str())? {
        Some(mut reference) => Some(reference.peel_to_id()?.detach()),
        None => None,
    };
    if let Some(parent) = parent
        && repository.find_commit(parent)?.tree_id()? == tree
    {
        return Ok(Committed {
            revision: Revision(parent.to_string()),
            changed: false,
        });
    }
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs();
    let by = gix::actor::Signature {
        name: "convoy".into(),
        email: "convoy@localhost".into(),
        time: gix::date::Time::new(i64::try_from(now).unwrap_or_default(), 0),
    };
    let id = repository
        .write_object(Commit {
            tree,
            parents: parent.into_iter().collect(),
            author: by.clone(),
            committer: by,
            encoding: None,
            message: message.into(),
            extra_headers: Vec::new(),
        })?
        .detach();
    let previous = match parent {
        Some(parent) => PreviousValue::MustExistAndMatch(parent.into()),
        None => PreviousValue::MustNotExist,
    };
    repository.edit_reference(gix::refs::transaction::RefEdit {
        change: gix::refs::transaction::Change::Update {
            log: gix::refs::transaction::LogChange {
                // Bare repositories keep no log of refs, and a log would need a committer in the settings.
                mode: gix::refs::transaction::RefLog::AndReference,
                force_create_reflog: false,
                message: "commit".into(),
            },
            expected: previous,
            new: gix::refs::Target::Object(id),
        },
        name: gix::refs::FullName::try_from(name).map_err(gix::Error::from_error)?,
        deref: false,
    })?;
    Ok(Committed {
        revision: Revision(id.to_string()),
        changed: true,
    })
}

/// What was read of a folder: contents by path, and whether they are the target of a link.
#[derive(Default)]
struct Found {
    entries: BTreeMap<String, (Vec<u8>, bool)>,
    bytes: u64,
}

fn read_folder(root: &Path, folder: &Path, path: &str, depth: usize, found: &mut Found) -> Result<(), RepositoryError> {
    let limit = |limit: String| RepositoryError::Limit {
        folder: root.to_owned(),
        limit,
    };
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| RepositoryError::Read { path, source }
    };
    if depth > DEPTH {
        return Err(limit(format!("{DEPTH} nested folders")));
    }
    for entry in std::fs::read_dir(folder).map_err(failed(folder))? {
        let entry = entry.map_err(failed(folder))?;
        let real = entry.path();
        let name = entry.file_name();
        if name == ".git" {
            continue;
        }
        let name = name
            .to_str()
            .ok_or_else(|| RepositoryError::Path { path: real.clone() })?;
        let below = format!("{path}{}{name}", if path.is_empty() { "" } else { "/" });
        let metadata = entry.metadata().map_err(failed(&real))?;
        if metadata.is_dir() {
            read_folder(root, &real, &below, depth + 1, found)?;
            continue;
        }
        found.bytes = found.bytes.saturating_add(metadata.len());
        if found.bytes > BYTES {
            return Err(limit(format!("{BYTES} bytes")));
        }
        if found.entries.len() >= FILES {
            return Err(limit(format!("{FILES} files")));
        }
        let content = if metadata.is_symlink() {
            let target = std::fs::read_link(&real).map_err(failed(&real))?;
            let target = target
                .to_str()
                .ok_or_else(|| RepositoryError::Path { path: real.clone() })?;
            (target.as_bytes().to_vec(), true)
        } else if metadata.is_file() {
            (std::fs::read(&real).map_err(failed(&real))?, false)
        } else {
            // Sockets and devices have no content.
            continue;
        };
        found.entries.insert(below, content);
    }
    Ok(())
}
