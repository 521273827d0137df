//! From a tree to the files of an artifact.
//!
//! Symbolic links are followed: a link to a file gives a file, a link to a folder all that is in it. File modes and
//! export rules are ignored. A submodule is a folder when it was put into the tree, else it is left out.
//!
//! # Invariant
//! Files and bytes are counted as the artifact has them, links followed, and no file is read that passes a limit.

use std::collections::BTreeMap;
use std::sync::Arc;

use convoy_domain::artifact::Files;
use convoy_domain::limits::Limits;
use convoy_ports::FetchError;
use gix::ObjectId;
use gix::objs::Kind;

use crate::links::{self, Place, Refusal, Target};
use crate::tree::{Folder, Node, Reading};

/// Bytes of a path.
const PATH_BYTES: usize = 4096;

/// What a Git LFS pointer begins with, and more than how long it is (the specification's bound).
const LFS_BEGINNING: &[u8] = b"version https://git-lfs.github.com/spec/";
const LFS_BYTES: usize = 1024;

/// Reads all files below `root`.
///
/// # Errors
/// `Invalid` for damaged or hostile content and LFS pointers, `Limit` where a bound is passed.
pub(crate) fn checkout(reading: &Reading<'_>, root: &Folder, limits: &Limits) -> Result<Files, FetchError> {
    let mut checkout = Checkout {
        reading,
        limits,
        files: Files::new(),
        bytes: 0,
        visits: entries(limits),
        blobs: BTreeMap::new(),
        open: Vec::new(),
    };
    checkout.folder(&vec![root], "")?;
    Ok(checkout.files)
}

/// How many files, links and folders a tree may have: some folders and links for each file.
pub(crate) fn entries(limits: &Limits) -> usize {
    limits.files.saturating_mul(4).saturating_add(1000)
}

struct Checkout<'a, 'b> {
    reading: &'a Reading<'b>,
    limits: &'a Limits,
    files: Files,
    bytes: u64,
    /// How many entries may still be visited, links followed.
    visits: usize,
    /// Contents that were read, because one file may be there under many names.
    blobs: BTreeMap<ObjectId, Arc<[u8]>>,
    /// The folders that are being visited.
    open: Vec<&'a Folder>,
}

impl<'a> Checkout<'a, '_> {
    fn folder<'t: 'a>(&mut self, place: &Place<'t>, path: &str) -> Result<(), FetchError> {
        let Some(&folder) = place.last() else {
            return Ok(());
        };
        if self.open.iter().any(|open| std::ptr::eq(*open, folder)) {
            return Err(self.refused(path, Refusal::Circle));
        }
        self.open.push(folder);
        for (name, node) in folder {
            let path = format!("{path}{}{name}", if path.is_empty() { "" } else { "/" });
            self.visits = self
                .visits
                .checked_sub(1)
                .ok_or_else(|| self.reading.site.limit("what the number of files allows for links"))?;
            if path.len() > PATH_BYTES {
                return Err(self.reading.site.limit(format!("{PATH_BYTES} bytes in a path")));
            }
            match node {
                Node::File(id) => self.file(id, path)?,
                // One that is not asked for.
                Node::Module(_) => {}
                Node::Folder(below) => {
                    let mut place = place.clone();
                    place.push(below);
                    self.folder(&place, &path)?;
                }
                Node::Link(target) => match links::follow(place, target) {
                    Ok(Target::File(id)) => self.file(id, path)?,
                    Ok(Target::Folder(place)) => self.folder(&place, &path)?,
                    // As on a disk, whoever reads the path finds nothing.
                    Ok(Target::Nothing) => tracing::debug!(path, target, "a symbolic link leads nowhere"),
                    Err(refusal) => return Err(self.refused(&path, refusal)),
                },
            }
        }
        self.open.pop();
        Ok(())
    }

    fn refused(&self, path: &str, refusal: Refusal) -> FetchError {
        self.reading.site.invalid(format!("the link `{path}` {refusal}"))
    }

    fn file(&mut self, id: &ObjectId, path: String) -> Result<(), FetchError> {
        if self.files.len() >= self.limits.files {
            return Err(self.reading.site.limit(format!("{} files", self.limits.files)));
        }
        let content = match self.blobs.get(id) {
            Some(content) => Arc::clone(content),
            None => self.read(id, &path)?,
        };
        self.bytes = self
            .bytes
            .saturating_add(u64::try_from(content.len()).unwrap_or(u64::MAX));
        if self.bytes > self.limits.source_bytes {
            let limit = format!("{} bytes in all files", self.limits.source_bytes);
            return Err(self.reading.site.limit(limit));
        }
        self.files.insert(path, content);
        Ok(())
    }

    fn read(&mut self, id: &ObjectId, path: &str) -> Result<Arc<[u8]>, FetchError> {
        let what = format!("the file `{path}`");
        let content = self.reading.read(id, Kind::Blob, self.limits.file_bytes, &what)?;
        if content.len() < LFS_BYTES && content.starts_with(LFS_BEGINNING) {
            return Err(self
                .reading
                .site
                .invalid(format!("`{path}` is a Git LFS pointer, and Git LFS is not supported")));
        }
        let content: Arc<[u8]> = content.into();
        self.blobs.insert(*id, Arc::clone(&content));
        Ok(content)
    }
}
