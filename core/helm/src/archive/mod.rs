//! A packaged chart: gzip around tar, read in memory.
//!
//! # Invariant
//! What comes out has relative names without `..`, is made of regular files only, and stays within [`Limits`].

mod gzip;
mod tar;

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::sync::Arc;
use alloc::vec::Vec;

/// Bounds on an archive. A breach is an error that names the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of all files together.
    pub total: usize,
    /// Bytes of one file.
    pub file: usize,
    /// Files.
    pub files: usize,
    /// Unpacked bytes for each packed one.
    pub ratio: usize,
    /// Archives inside of archives.
    pub depth: usize,
}

impl Default for Limits {
    /// Helm's 100 MiB in all and 5 MiB a file; 50,000 files, 200:1, eight deep.
    fn default() -> Self {
        Self {
            total: 100 << 20,
            file: 5 << 20,
            files: 50_000,
            ratio: 200,
            depth: 8,
        }
    }
}

/// Why an archive is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArchiveError {
    /// It does not begin as gzip does, or its header is malformed.
    #[error("gzip: invalid header")]
    NotGzip,
    /// The compressed data are damaged.
    #[error("gzip: the compressed data are damaged")]
    Damaged,
    /// The checksum or the length of the data is another.
    #[error("gzip: invalid checksum")]
    Checksum,
    /// A header of the tar archive is malformed.
    #[error("archive/tar: invalid tar header")]
    Header,
    /// The archive ends within a file.
    #[error("unexpected EOF")]
    Truncated,
    /// There is nothing in it.
    #[error("no files in chart archive")]
    Empty,
    /// A file lies beside the chart's folder.
    #[error("chart illegally contains content outside the base directory: {0:?}")]
    Outside(String),
    /// A name is absolute.
    #[error("chart illegally contains absolute paths")]
    Absolute,
    /// A name climbs out of the chart.
    #[error("chart illegally references parent directory")]
    Parent,
    /// A name begins with a drive.
    #[error("chart contains illegally named files")]
    Named,
    /// A name of what is no chart leads elsewhere, or is none.
    #[error("the archive has a file named {0:?}")]
    Name(String),
    /// `Chart.yaml` is not in a folder.
    #[error("chart yaml not in base directory")]
    NoBase,
    /// An entry is a link or a device.
    #[error("chart illegally contains a link or a device: {0:?}")]
    Irregular(String),
    /// A limit of ours, named.
    #[error("the archive passes the limit of {0}")]
    Limit(String),
    /// Helm's limit on all files.
    #[error("decompressed chart is larger than the maximum size {0}")]
    TooLarge(usize),
    /// Helm's limit on one file.
    #[error("decompressed chart file {name:?} is larger than the maximum file size {limit}")]
    FileTooLarge {
        /// The file.
        name: String,
        /// Bytes.
        limit: usize,
    },
}

/// A file of a chart: its name in the chart and its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The path below the chart's folder, with `/`.
    pub name: String,
    /// The content.
    pub data: Arc<[u8]>,
}

/// Unpacks a chart's archive. The first folder of every name is the chart's own and goes; links are refused.
///
/// # Errors
/// When the archive is damaged, names what it may not, or passes a limit.
pub fn unpack(bytes: &[u8], limits: &Limits) -> Result<Vec<File>, ArchiveError> {
    let mut files = read(bytes, limits, name_in_chart)?;
    if files.is_empty() {
        return Err(ArchiveError::Empty);
    }
    for file in &mut files {
        if let Some(text) = file.data.strip_prefix(b"\xef\xbb\xbf") {
            file.data = text.into();
        }
    }
    Ok(files)
}

/// Unpacks an archive of any files, whose names and bytes stay as they are. Links are refused.
///
/// # Errors
/// As [`unpack`].
pub fn unpack_files(bytes: &[u8], limits: &Limits) -> Result<Vec<File>, ArchiveError> {
    read(bytes, limits, name_in_archive)
}

fn read(
    bytes: &[u8],
    limits: &Limits,
    name_of: impl Fn(&str) -> Result<String, ArchiveError>,
) -> Result<Vec<File>, ArchiveError> {
    let cap = limits.total.min(bytes.len().saturating_mul(limits.ratio).max(1 << 20));
    let text = gzip::inflate(bytes, cap.saturating_add(limits.files * 1024), limits)?;
    let mut files = Vec::new();

    let mut remaining = limits.total;
    let mut reader = tar::Reader::new(&text);
    while let Some(entry) = reader.next()? {
        if entry.kind == tar::Kind::Folder {
            continue;
        }
        let name = name_of(&entry.name)?;
        if entry.kind == tar::Kind::Irregular {
            return Err(ArchiveError::Irregular(entry.name));
        }
        if entry.data.len() > remaining {
            return Err(ArchiveError::TooLarge(limits.total));
        }
        if entry.data.len() > limits.file {
            return Err(ArchiveError::FileTooLarge {
                name: entry.name,
                limit: limits.file,
            });
        }
        remaining -= entry.data.len();
        if files.len() == limits.files {
            return Err(ArchiveError::Limit(format!("{} files", limits.files)));
        }
        files.push(File {
            name,
            data: entry.data.into(),
        });
    }
    Ok(files)
}

/// The name below the chart's folder.
fn name_in_chart(name: &str) -> Result<String, ArchiveError> {
    let delimiter = if name.contains('\\') { '\\' } else { '/' };
    let (base, inner) = name.split_once(delimiter).unwrap_or((name, ""));
    let inner = inner.replace(delimiter, "/");
    if inner.starts_with('/') {
        return Err(ArchiveError::Absolute);
    }
    let clean = clean(&inner);
    if clean == "." {
        return Err(ArchiveError::Outside(name.to_string()));
    }
    if clean.starts_with("..") {
        return Err(ArchiveError::Parent);
    }
    let bytes = clean.as_bytes();
    if bytes.len() > 2 && bytes[0].is_ascii_alphabetic() && &bytes[1..3] == b":/" {
        return Err(ArchiveError::Named);
    }
    if base == "Chart.yaml" {
        return Err(ArchiveError::NoBase);
    }
    Ok(clean)
}

/// The name of a file that lies anywhere in an archive.
fn name_in_archive(name: &str) -> Result<String, ArchiveError> {
    let outside = || ArchiveError::Name(name.to_string());
    if name.starts_with('/') || name.contains(['\\', '\0']) || name.split('/').any(|part| part == "..") {
        return Err(outside());
    }
    match clean(name) {
        clean if clean == "." => Err(outside()),
        clean => Ok(clean),
    }
}

/// Go's `path.Clean` of a relative path.
fn clean(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    if parts.is_empty() { ".".into() } else { parts.join("/") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_inside_of_the_chart() {
        let check = |name: &str, expect: Result<&str, ArchiveError>| {
            assert_eq!(name_in_chart(name), expect.map(Into::into), "{name}");
        };
        check("a/Chart.yaml", Ok("Chart.yaml"));
        check("a/./b//c", Ok("b/c"));
        check("a\\b\\c", Ok("b/c"));
        check("a/b/../../c", Err(ArchiveError::Parent));
        check("a/../../etc", Err(ArchiveError::Parent));
        check("a//etc", Err(ArchiveError::Absolute));
        check("a", Err(ArchiveError::Outside("a".into())));
        check("a/c:/x", Err(ArchiveError::Named));
        check("Chart.yaml/x", Err(ArchiveError::NoBase));
    }

    #[test]
    fn names_of_files_stay_inside_of_the_archive() {
        let check = |name: &str, expect: Option<&str>| {
            let expect = expect.map_or_else(|| Err(ArchiveError::Name(name.into())), |clean| Ok(clean.into()));
            assert_eq!(name_in_archive(name), expect, "{name}");
        };
        check("a.yaml", Some("a.yaml"));
        check("./a//b/./c", Some("a/b/c"));
        check("a/..b", Some("a/..b"));
        check("/etc/passwd", None);
        check("../a", None);
        check("a/../b", None);
        check("a\\..\\b", None);
        check("./", None);
        check("", None);
    }

    #[test]
    fn what_is_no_archive_is_refused() {
        assert_eq!(unpack(b"", &Limits::default()), Err(ArchiveError::NotGzip));
        assert_eq!(
            unpack(b"name: a\nversion: 1", &Limits::default()),
            Err(ArchiveError::NotGzip)
        );
        assert_eq!(
            unpack(b"\x1f\x8b\x08\0\0\0\0\0\0\0\xff\xff", &Limits::default()),
            Err(ArchiveError::Damaged)
        );
    }
}
