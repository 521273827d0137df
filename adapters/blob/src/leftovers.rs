//! Files of a directory that are no blobs: what writers left that died, and what others put there.
//!
//! # Invariant
//! A temporary file is removed only when nothing has written to it for [`STALE`]: no writer lives so long, since each
//! call has its time. A blob that a stalled writer should publish after all verifies itself when it is read.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::error::OpenError;
use crate::key::broken_file_rule;
use crate::location::{Location, Place, parse};

/// Age from which a temporary file belongs to a dead writer.
pub const STALE: Duration = Duration::from_hours(1);

/// What a file is that is no blob.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftoverKind {
    /// Half a write.
    Temporary {
        /// Since its last write; 0 when the clock stepped back.
        age: Duration,
    },
    /// A link, a socket, or another thing that is no file.
    NotAFile,
    /// A file whose name is no text, so that it has no key.
    NoText,
}

/// A file that is no blob.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leftover {
    /// Its path.
    pub path: PathBuf,
    /// What it is.
    pub kind: LeftoverKind,
}

impl Leftover {
    /// Whether it is the temporary file of a dead writer.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        matches!(self.kind, LeftoverKind::Temporary { age } if age >= STALE)
    }
}

/// Walks the directory of a `file://` URL; other stores have none.
///
/// # Errors
/// [`OpenError`] when the URL breaks a rule or a directory cannot be read.
pub fn leftovers(url: &str) -> Result<Vec<Leftover>, OpenError> {
    match parse(url)? {
        Some(Location {
            place: Place::Directory { dir, .. },
            ..
        }) => walk(&dir),
        Some(_) | None => Ok(Vec::new()),
    }
}

/// Removes the temporary files of dead writers; answers how many. One that cannot be removed stays.
///
/// # Errors
/// As [`leftovers`].
pub fn remove_stale(url: &str) -> Result<usize, OpenError> {
    let stale = leftovers(url)?.into_iter().filter(Leftover::is_stale);
    Ok(stale.filter(|leftover| fs::remove_file(&leftover.path).is_ok()).count())
}

pub(crate) fn walk(dir: &Path) -> Result<Vec<Leftover>, OpenError> {
    let mut found = Vec::new();
    let mut dirs = vec![dir.to_path_buf()];
    while let Some(dir) = dirs.pop() {
        let unreadable = |source| OpenError::Unreadable {
            dir: dir.clone(),
            source,
        };
        for entry in fs::read_dir(&dir).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            // Gone since: the writer lives.
            let Ok(metadata) = fs::symlink_metadata(&path) else {
                continue;
            };
            if metadata.is_dir() {
                dirs.push(path);
            } else if let Some(kind) = kind(&path, &metadata) {
                found.push(Leftover { path, kind });
            }
        }
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(found)
}

fn kind(path: &Path, metadata: &fs::Metadata) -> Option<LeftoverKind> {
    if !metadata.is_file() {
        return Some(LeftoverKind::NotAFile);
    }
    let Some(name) = path.file_name().and_then(std::ffi::OsStr::to_str) else {
        return Some(LeftoverKind::NoText);
    };
    let temporary = name.contains('#') && broken_file_rule(name).is_some();
    temporary.then(|| {
        let written = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        LeftoverKind::Temporary {
            age: SystemTime::now().duration_since(written).unwrap_or_default(),
        }
    })
}

/// Removes stale temporary files in the background: a large directory must not hold up a start.
pub(crate) fn clean_in_background(dir: &Path) {
    let dir = dir.to_path_buf();
    let clean = move || {
        let Ok(found) = walk(&dir) else { return };
        let stale = found.into_iter().filter(Leftover::is_stale);
        let removed = stale.filter(|leftover| fs::remove_file(&leftover.path).is_ok()).count();
        if removed > 0 {
            tracing::info!(
                removed,
                "removed temporary files that dead writers left in the render store"
            );
        }
    };
    // Without a thread they stay until the next start.
    drop(std::thread::Builder::new().name("store-clean".to_owned()).spawn(clean));
}
