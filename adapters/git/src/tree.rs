//! A commit's tree: folders, files and links by name, without contents.
//!
//! # Invariant
//! Every name is UTF-8 and one plain path component: not empty, not `.` or `..`, without `/`, and nothing that a file
//! system would take for `.git`. Depth and number of entries are bounded, however often subtrees are shared.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use convoy_domain::Timestamp;
use convoy_ports::FetchError;
use convoy_web::Site;
use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::hash::Kind as HashKind;
use gix::objs::tree::EntryKind;
use gix::objs::{CommitRefIter, Kind, TreeRefIter};
use gix::validate::path::component;

use crate::cancel::Cancel;
use crate::objects::Objects;

/// How deep folders may be nested.
const DEPTH: usize = 128;

/// Bytes of one tree object, of a commit, and of a link's target.
pub(crate) const TREE_BYTES: u64 = 16 * 1024 * 1024;
pub(crate) const COMMIT_BYTES: u64 = 1024 * 1024;
const LINK_BYTES: u64 = 4096;

/// Which names are refused. Those that only Windows forbids are left alone: nothing is written to a disk.
pub(crate) const NAMES: component::Options = component::Options {
    protect_windows: false,
    protect_hfs: true,
    protect_ntfs: true,
};

/// A folder's entries by name.
pub(crate) type Folder = BTreeMap<String, Node>;

/// One entry of a folder.
#[derive(Debug)]
pub(crate) enum Node {
    Folder(Folder),
    File(ObjectId),
    /// A symbolic link and its target, as written.
    Link(String),
    /// A submodule at a commit of another repository.
    Module(ObjectId),
}

/// Where objects come from, and what speaks of them.
pub(crate) struct Reading<'a> {
    pub(crate) objects: &'a dyn Objects,
    pub(crate) site: &'a Site,
    pub(crate) cancel: &'a Cancel,
}

impl Reading<'_> {
    /// Kind and size; an absent object is `Invalid`.
    fn header(&self, id: &ObjectId, what: &str) -> Result<(Kind, u64), FetchError> {
        if self.cancel.is_raised() {
            return Err(self.site.unreachable("ended by the caller"));
        }
        match self.objects.header(id) {
            Ok(Some(header)) => Ok(header),
            Ok(None) => Err(self.site.invalid(format!("{what} is missing ({id})"))),
            Err(_) => Err(self.site.invalid(format!("{what} is damaged ({id})"))),
        }
    }

    /// The content of an object of kind `expect` and at most `limit` bytes.
    pub(crate) fn read(&self, id: &ObjectId, expect: Kind, limit: u64, what: &str) -> Result<Vec<u8>, FetchError> {
        let (kind, size) = self.header(id, what)?;
        if kind != expect {
            return Err(self.site.invalid(format!("{what} is a {kind}, not a {expect} ({id})")));
        }
        if size > limit {
            return Err(self.site.limit(format!("{limit} bytes for {what}")));
        }
        let mut content = Vec::new();
        match self.objects.read(id, &mut content) {
            Ok(Some(_)) => Ok(content),
            Ok(None) | Err(_) => Err(self.site.invalid(format!("{what} is damaged ({id})"))),
        }
    }
}

/// Loads the tree of `commit`, with at most `left` of `entries` files, links and folders, which it counts down.
///
/// # Errors
/// `Invalid` for a damaged or hostile tree, `Limit` for one that is too large.
pub(crate) fn load(
    reading: &Reading<'_>,
    commit: &ObjectId,
    left: &mut usize,
    entries: usize,
) -> Result<Folder, FetchError> {
    let content = reading.read(commit, Kind::Commit, COMMIT_BYTES, "the commit")?;
    let root = CommitRefIter::from_bytes(&content, HashKind::Sha1)
        .tree_id()
        .map_err(|_| reading.site.invalid(format!("the commit is damaged ({commit})")))?;
    let mut loader = Loader {
        reading,
        left: *left,
        entries,
    };
    let folder = loader.folder(&root, "", 0)?;
    *left = loader.left;
    Ok(folder)
}

/// When a commit was made, if it says so in a way that can be read.
pub(crate) fn committed_at(reading: &Reading<'_>, commit: &ObjectId) -> Option<Timestamp> {
    let content = reading.read(commit, Kind::Commit, COMMIT_BYTES, "the commit").ok()?;
    let parts = CommitRefIter::from_bytes(&content, HashKind::Sha1);
    let seconds = parts.committer().ok()?.seconds();
    Timestamp::from_second(seconds).ok()
}

struct Loader<'a, 'b> {
    reading: &'a Reading<'b>,
    left: usize,
    entries: usize,
}

impl Loader<'_, '_> {
    fn folder(&mut self, id: &ObjectId, path: &str, depth: usize) -> Result<Folder, FetchError> {
        let site = self.reading.site;
        if depth > DEPTH {
            return Err(site.limit(format!("{DEPTH} nested folders")));
        }
        let what = format!("the folder `{path}/`");
        let content = self.reading.read(id, Kind::Tree, TREE_BYTES, &what)?;
        let mut folder = Folder::new();
        for entry in TreeRefIter::from_bytes(&content, HashKind::Sha1) {
            let entry = entry.map_err(|_| site.invalid(format!("{what} is damaged ({id})")))?;
            self.left = self
                .left
                .checked_sub(1)
                .ok_or_else(|| site.limit(format!("{} files and folders", self.entries)))?;
            let kind = entry.mode.kind();
            let name = self.name(entry.filename, kind, path)?;
            let path = format!("{path}{}{name}", if path.is_empty() { "" } else { "/" });
            let node = match kind {
                EntryKind::Tree => Node::Folder(self.folder(&entry.oid.to_owned(), &path, depth + 1)?),
                EntryKind::Blob | EntryKind::BlobExecutable => Node::File(entry.oid.to_owned()),
                EntryKind::Link => Node::Link(self.target(&entry.oid.to_owned(), &path)?),
                EntryKind::Commit => Node::Module(entry.oid.to_owned()),
            };
            match folder.entry(name) {
                Entry::Vacant(place) => drop(place.insert(node)),
                Entry::Occupied(_) => return Err(site.invalid(format!("`{path}` is there twice"))),
            }
        }
        Ok(folder)
    }

    fn name(&self, name: &gix::bstr::BStr, kind: EntryKind, folder: &str) -> Result<String, FetchError> {
        let refuse = |why: &str| {
            let shown = name.to_str_lossy();
            let shown: String = shown.chars().flat_map(char::escape_debug).take(200).collect();
            Err(self
                .reading
                .site
                .invalid(format!("the name `{shown}` in the folder `{folder}/` {why}")))
        };
        let mode = (kind == EntryKind::Link).then_some(component::Mode::Symlink);
        if gix::validate::path::component(name, mode, NAMES).is_err() {
            return refuse("is not allowed");
        }
        match name.to_str() {
            Ok(text) if text.contains('\0') => refuse("is not allowed"),
            Ok(text) => Ok(text.to_owned()),
            Err(_) => refuse("is not UTF-8"),
        }
    }

    fn target(&self, id: &ObjectId, path: &str) -> Result<String, FetchError> {
        let what = format!("the link `{path}`");
        let target = self.reading.read(id, Kind::Blob, LINK_BYTES, &what)?;
        String::from_utf8(target).map_err(|_| self.reading.site.invalid(format!("the target of {what} is not UTF-8")))
    }
}
