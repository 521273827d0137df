//! What a person names on the command line: files, pipes and standard input, read up to a bound.
//!
//! Unlike files that are found in a directory, these may be pipes (`-f <(…)`): who names one wants it read.
//! URLs are refused by name: nothing is fetched.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::failure::Failure;

/// How many bytes are read at most.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    pub(super) bytes: u64,
    /// The flag that sets another bound, if one does.
    pub(super) flag: Option<&'static str>,
}

/// Reads a file, or standard input for `-`.
pub(super) fn read_file(name: &OsStr, bound: Bound) -> Result<Vec<u8>, Failure> {
    if name.to_str().is_some_and(|name| name.trim() == "-") {
        return read_all(io::stdin().lock(), 0, "cannot read standard input", bound);
    }
    check_local(name)?;
    read(Path::new(name), bound)
}

/// Reads a file or a pipe.
pub(super) fn read(path: &Path, bound: Bound) -> Result<Vec<u8>, Failure> {
    let place = format!("cannot read `{}`", path.display());
    let opened = File::open(path).and_then(|file| Ok((file.metadata()?, file)));
    let (facts, file) = opened.map_err(|error| Failure::new(place.clone()).because(&error))?;
    if facts.is_dir() {
        return Err(Failure::new(place).because_text("it is a directory"));
    }
    read_all(file, facts.len(), &place, bound)
}

fn read_all(from: impl Read, expected: u64, place: &str, bound: Bound) -> Result<Vec<u8>, Failure> {
    // One more byte than it has, so that the end is found without growing.
    let room = usize::try_from(expected.min(bound.bytes)).unwrap_or_default();
    let mut content = Vec::with_capacity(room.saturating_add(1));
    let read = from.take(bound.bytes.saturating_add(1)).read_to_end(&mut content);
    read.map_err(|error| Failure::new(place).because(&error))?;
    if content.len() as u64 <= bound.bytes {
        return Ok(content);
    }
    let failure = Failure::new(place).because_text(format!("it passes the limit of {} bytes", bound.bytes));
    Err(match bound.flag {
        Some(flag) => failure.hint(format!("`{flag}` sets another")),
        None => failure,
    })
}

/// Refuses what would be fetched.
pub(super) fn check_local(name: &OsStr) -> Result<(), Failure> {
    if !name.to_string_lossy().contains("://") || Path::new(name).exists() {
        return Ok(());
    }
    Err(Failure::new(format!("cannot read `{}`", name.display()))
        .because_text("it is remote, and nothing is fetched")
        .hint("fetch it first (a chart with `helm pull`), and name the file"))
}
