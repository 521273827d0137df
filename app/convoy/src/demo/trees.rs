//! Directories that are git repositories to the controller: what is saved in one becomes a commit.
//!
//! Each directory has a bare repository of its own. A change is committed once it has held still between two looks,
//! so that a save of several files is one commit. Commits may also be pushed to the repository; the next change in the
//! directory then makes a commit with the directory's content on top.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use convoy_git::repository;

use super::project::Project;
use crate::failure::Failure;

/// The branch of every repository of a demo.
pub(super) const BRANCH: &str = "main";

/// Entries of a directory that are looked at; a repository has this limit too.
const ENTRIES: usize = 50_000;

/// Path to time and length: differs when something was saved.
type Snapshot = BTreeMap<PathBuf, (Option<SystemTime>, u64)>;

/// One directory and its repository.
#[derive(Debug)]
pub(super) struct Tree {
    /// The name that URLs give it.
    pub(super) name: String,
    /// Where people edit.
    pub(super) directory: PathBuf,
    /// The bare repository.
    pub(super) repository: PathBuf,
    committed: Snapshot,
    last_seen: Snapshot,
}

impl Tree {
    /// The URL that the controller reads.
    pub(super) fn url(&self) -> String {
        format!("file://{}", self.repository.display())
    }

    /// Commits what was saved since the last commit; answers the new commit's revision, if there is one.
    pub(super) fn poll(&mut self) -> Result<Option<String>, Failure> {
        let now = snapshot(&self.directory);
        let settled = now == self.last_seen;
        self.last_seen.clone_from(&now);
        if !settled || now == self.committed {
            return Ok(None);
        }
        // Whatever comes of it, the same state is not tried again: an error is said once.
        self.committed = now;
        let committed = commit(&self.repository, &self.directory)?;
        Ok(committed.changed.then_some(committed.revision.0))
    }
}

/// Makes the repositories of a project below `dir`, each with one commit.
pub(super) fn make(project: &Project, dir: &Path) -> Result<Vec<Tree>, Failure> {
    let mut trees = Vec::new();
    for (name, directory) in &project.trees {
        let repository = dir.join(format!("{name}.git"));
        if !repository.join("HEAD").exists() {
            repository::init(&repository, BRANCH).map_err(|error| {
                Failure::new(format!("cannot make the git repository of `{}`", directory.display())).because(&error)
            })?;
        }
        let before = snapshot(directory);
        commit(&repository, directory)?;
        trees.push(Tree {
            name: name.clone(),
            directory: directory.clone(),
            repository,
            committed: before.clone(),
            last_seen: before,
        });
    }
    Ok(trees)
}

/// The YAML files at the top of a demo's directory, and whether they have changed.
#[derive(Debug)]
pub(super) struct Watched {
    dir: PathBuf,
    handled: Snapshot,
    last_seen: Snapshot,
}

impl Watched {
    /// Begins with what is there.
    pub(super) fn new(dir: &Path) -> Self {
        let now = files(dir);
        Self {
            dir: dir.to_path_buf(),
            handled: now.clone(),
            last_seen: now,
        }
    }

    /// Whether something was saved and holds still; each change is told once.
    pub(super) fn changed(&mut self) -> bool {
        let now = files(&self.dir);
        let settled = now == self.last_seen;
        self.last_seen.clone_from(&now);
        let changed = settled && now != self.handled;
        if changed {
            self.handled = now;
        }
        changed
    }
}

fn files(dir: &Path) -> Snapshot {
    fs::read_dir(dir)
        .into_iter()
        .flatten()
        .flatten()
        .take(ENTRIES)
        .filter_map(|entry| {
            let facts = entry.metadata().ok().filter(fs::Metadata::is_file)?;
            Some((entry.path(), (facts.modified().ok(), facts.len())))
        })
        .collect()
}

fn commit(repository: &Path, directory: &Path) -> Result<repository::Committed, Failure> {
    repository::commit_directory(repository, BRANCH, directory)
        .map_err(|error| Failure::new(format!("cannot commit `{}`", directory.display())).because(&error))
}

/// What the directory holds now. What cannot be read is left out: the commit will say so.
fn snapshot(directory: &Path) -> Snapshot {
    let mut found = Snapshot::new();
    let mut left = vec![directory.to_path_buf()];
    while let Some(dir) = left.pop() {
        for entry in fs::read_dir(&dir).into_iter().flatten().flatten() {
            if found.len() >= ENTRIES {
                return found;
            }
            let path = entry.path();
            let Ok(facts) = entry.metadata() else { continue };
            if facts.is_dir() && path.file_name().is_some_and(|name| name != ".git") {
                left.push(path.clone());
            }
            found.insert(path, (facts.modified().ok(), facts.len()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::sample;

    fn made() -> (tempfile::TempDir, Tree) {
        let dir = tempfile::tempdir().unwrap();
        sample::write(dir.path()).unwrap();
        let project = Project::load(dir.path()).unwrap();
        let tree = make(&project, &dir.path().join("repositories")).unwrap().remove(0);
        (dir, tree)
    }

    #[test]
    fn nothing_is_committed_while_nothing_changes() {
        let (_dir, mut tree) = made();
        assert_eq!(tree.poll().unwrap(), None);
        assert_eq!(tree.poll().unwrap(), None);
    }

    #[test]
    fn a_change_is_committed_once_it_holds_still() {
        let (_dir, mut tree) = made();
        fs::write(tree.directory.join("new.yaml"), "kind: A\n").unwrap();
        assert_eq!(tree.poll().unwrap(), None, "it may still be written to");
        let revision = tree.poll().unwrap().unwrap();
        assert_eq!(revision.len(), 40);
        assert_eq!(tree.poll().unwrap(), None);
        fs::remove_file(tree.directory.join("new.yaml")).unwrap();
        assert_eq!(tree.poll().unwrap(), None);
        assert_ne!(tree.poll().unwrap().unwrap(), revision);
    }

    #[test]
    fn an_error_is_said_once() {
        let (_dir, mut tree) = made();
        fs::remove_dir_all(&tree.repository).unwrap();
        fs::write(tree.directory.join("new.yaml"), "kind: A\n").unwrap();
        assert_eq!(tree.poll().unwrap(), None);
        assert!(tree.poll().is_err());
        assert_eq!(tree.poll().unwrap(), None);
    }
}
