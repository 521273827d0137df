//! Repositories below one folder, made by the crate itself, by raw objects, and by the git program.

use std::path::{Path, PathBuf};
use std::process::Command;

use convoy_domain::artifact::{Files, Revision};
use convoy_git::repository;
use gix::objs::tree::{Entry, EntryKind};
use gix::objs::{Commit, Kind, Tag, Write as _};
use gix::refs::Target;
use gix::refs::transaction::{Change, LogChange, PreviousValue, RefEdit};
use gix::{ObjectId, Repository};

/// Bytes that do not pack.
pub(crate) fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut state = 88_172_645_463_325_252_u64.wrapping_add(seed);
    let mut bytes = Vec::with_capacity(length + 8);
    while bytes.len() < length {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend_from_slice(&state.to_le_bytes());
    }
    bytes.truncate(length);
    bytes
}

/// A temporary folder of bare repositories.
#[derive(Debug)]
pub(crate) struct Repositories {
    pub(crate) root: tempfile::TempDir,
}

impl Repositories {
    pub(crate) fn new() -> Self {
        Self {
            root: tempfile::tempdir().expect("a temporary folder"),
        }
    }

    pub(crate) fn folder(&self, name: &str) -> PathBuf {
        self.root.path().join(format!("{name}.git"))
    }

    pub(crate) fn url(&self, name: &str) -> String {
        format!("file://{}", self.folder(name).display())
    }

    pub(crate) fn create(&self, name: &str) {
        repository::init(&self.folder(name), "main").expect("a repository");
    }

    pub(crate) fn commit(&self, name: &str, branch: &str, files: &Files) -> Revision {
        repository::commit_files(&self.folder(name), branch, files, "a commit")
            .expect("a commit")
            .revision
    }

    pub(crate) fn open(&self, name: &str) -> Repository {
        gix::open_opts(self.folder(name), gix::open::Options::isolated()).expect("it opens")
    }

    /// Puts an annotated tag on an object.
    pub(crate) fn tag(&self, name: &str, tag: &str, target: ObjectId, kind: Kind) -> ObjectId {
        let repository = self.open(name);
        let id = repository
            .write_object(Tag {
                target,
                target_kind: kind,
                name: tag.into(),
                tagger: Some(signature()),
                message: "a tag".into(),
                signature: None,
            })
            .expect("a tag")
            .detach();
        set_ref(&repository, &format!("refs/tags/{tag}"), id);
        id
    }

    /// Makes `tree` the content of `main`.
    pub(crate) fn commit_tree(&self, name: &str, tree: ObjectId) -> Revision {
        let repository = self.open(name);
        let id = repository
            .write_object(Commit {
                tree,
                parents: [].into_iter().collect(),
                author: signature(),
                committer: signature(),
                encoding: None,
                message: "a tree".into(),
                extra_headers: Vec::new(),
            })
            .expect("a commit")
            .detach();
        set_ref(&repository, "refs/heads/main", id);
        Revision(id.to_string())
    }
}

pub(crate) fn signature() -> gix::actor::Signature {
    gix::actor::Signature {
        name: "Ann".into(),
        email: "ann@example.com".into(),
        time: gix::date::Time::new(1_700_000_000, 0),
    }
}

pub(crate) fn set_ref(repository: &Repository, name: &str, id: ObjectId) {
    repository
        .edit_reference(RefEdit {
            change: Change::Update {
                log: LogChange::default(),
                expected: PreviousValue::Any,
                new: Target::Object(id),
            },
            name: name.try_into().expect("a name"),
            deref: false,
        })
        .expect("a ref");
}

/// Writes a tree object with whatever names.
pub(crate) fn tree(repository: &Repository, entries: &[(&[u8], EntryKind, ObjectId)]) -> ObjectId {
    let entries = entries.iter().map(|(name, kind, oid)| Entry {
        mode: (*kind).into(),
        filename: (*name).into(),
        oid: *oid,
    });
    let mut entries: Vec<Entry> = entries.collect();
    entries.sort();
    let mut bytes = Vec::new();
    // By hand, because the library refuses to write some of these names.
    for entry in &entries {
        let mode = format!("{:o} ", entry.mode.value());
        bytes.extend_from_slice(mode.as_bytes());
        bytes.extend_from_slice(&entry.filename);
        bytes.push(0);
        bytes.extend_from_slice(entry.oid.as_bytes());
    }
    repository.objects.write_buf(Kind::Tree, &bytes).expect("a tree")
}

pub(crate) fn blob(repository: &Repository, content: &[u8]) -> ObjectId {
    repository.write_blob(content).expect("a blob").detach()
}

/// Runs the git program with nobody's settings.
pub(crate) fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .current_dir(folder)
        .args(["-c", "user.name=Ann", "-c", "user.email=ann@example.com"])
        .args(["-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always"])
        .args(arguments)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .expect("the git program");
    assert!(
        output.status.success(),
        "git {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}
