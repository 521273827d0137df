//! Files of this machine as a source's files: what `convoy render` reads in place of fetching.
//!
//! # Invariant
//! Keys are relative, separated by `/`, without empty, `.` or `..` parts, and nothing is read past the limits.
//! Only regular files are opened: a pipe or a device could keep the command for ever. `.git` is passed over. Links are followed as the person who runs the command would follow them; a directory that
//! contains itself is an error.

use std::fs;
use std::io::{ErrorKind, Read as _};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use convoy_domain::artifact::Files;
use convoy_domain::limits::Limits;

use crate::failure::Failure;

/// Deepest directory that is looked into.
const DEPTH: usize = 100;

/// Which files of a directory are read.
pub(crate) type Wanted<'a> = &'a dyn Fn(&str) -> bool;

/// Collects files under the keys that their paths give, within limits.
#[derive(Debug)]
pub(crate) struct Tree<'a> {
    limits: &'a Limits,
    files: Files,
    bytes: u64,
    links: Vec<PathBuf>,
}

impl<'a> Tree<'a> {
    /// An empty tree.
    pub(crate) fn new(limits: &'a Limits) -> Self {
        Self {
            limits,
            files: Files::new(),
            bytes: 0,
            links: Vec::new(),
        }
    }

    /// Links that were met in directories, whether what they lead to was wanted or not.
    pub(crate) fn links(&self) -> &[PathBuf] {
        &self.links
    }

    /// The files.
    pub(crate) fn into_files(self) -> Files {
        self.files
    }

    /// Reads the wanted files of a directory; their keys begin with `key`.
    pub(crate) fn add_directory(&mut self, dir: &Path, key: &str, wanted: Wanted<'_>) -> Result<(), Failure> {
        self.walk(dir, key, wanted, &mut Vec::new())
    }

    fn walk(&mut self, dir: &Path, key: &str, wanted: Wanted<'_>, parents: &mut Vec<Identity>) -> Result<(), Failure> {
        let place = || format!("cannot read directory `{}`", dir.display());
        let identity = identity(dir).map_err(|error| Failure::new(place()).because(&error))?;
        if parents.contains(&identity) {
            return Err(Failure::new(place()).because_text("a link makes it contain itself"));
        }
        if parents.len() >= DEPTH {
            return Err(Failure::new(place()).because_text(format!("it is deeper than the limit of {DEPTH}")));
        }
        parents.push(identity);
        let mut entries = fs::read_dir(dir)
            .and_then(|entries| entries.map(|entry| named(&entry?)).collect::<Result<Vec<_>, _>>())
            .map_err(|error| Failure::new(place()).because(&error))?;
        entries.sort();
        for (path, is_dir, is_link) in entries {
            if is_link {
                self.links.push(path.clone());
            }
            let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
                return Err(Failure::new(place()).because_text(format!(
                    "the file name `{}` is not UTF-8",
                    path.file_name().unwrap_or_default().display()
                )));
            };
            let below = if key.is_empty() {
                name.to_string()
            } else {
                format!("{key}/{name}")
            };
            if is_dir {
                if name != ".git" {
                    self.walk(&path, &below, wanted, parents)?;
                }
            } else if wanted(&below) {
                self.add_file(&path, &below)?;
            }
        }
        parents.pop();
        Ok(())
    }

    /// Reads one file.
    pub(crate) fn add_file(&mut self, path: &Path, key: &str) -> Result<(), Failure> {
        let place = || format!("cannot read `{}`", path.display());
        let content = read_bounded(path, self.limits.file_bytes)?;
        self.bytes = self.bytes.saturating_add(content.len() as u64);
        if self.files.len() >= self.limits.files {
            let limit = self.limits.files;
            return Err(
                Failure::new(place()).because_text(format!("it passes the limit `files in a source` of {limit}"))
            );
        }
        if self.bytes > self.limits.source_bytes {
            let limit = self.limits.source_bytes;
            return Err(
                Failure::new(place()).because_text(format!("it passes the limit `bytes of a source` of {limit}"))
            );
        }
        self.files.insert(key.to_string(), Arc::from(content));
        Ok(())
    }
}

/// A path, whether a directory is there, behind a link too, and whether it is a link.
fn named(entry: &fs::DirEntry) -> std::io::Result<(PathBuf, bool, bool)> {
    let (path, kind) = (entry.path(), entry.file_type()?);
    let is_dir = if kind.is_symlink() {
        path.is_dir()
    } else {
        kind.is_dir()
    };
    Ok((path, is_dir, kind.is_symlink()))
}

/// What tells a directory from every other one, whatever path leads to it.
#[cfg(unix)]
type Identity = (u64, u64);
#[cfg(not(unix))]
type Identity = PathBuf;

#[cfg(unix)]
fn identity(dir: &Path) -> std::io::Result<Identity> {
    use std::os::unix::fs::MetadataExt as _;
    let facts = fs::metadata(dir)?;
    Ok((facts.dev(), facts.ino()))
}
#[cfg(not(unix))]
fn identity(dir: &Path) -> std::io::Result<Identity> {
    fs::canonicalize(dir)
}

/// Reads a file of at most `limit` bytes.
pub(crate) fn read_bounded(path: &Path, limit: u64) -> Result<Vec<u8>, Failure> {
    let place = || format!("cannot read `{}`", path.display());
    let facts = fs::metadata(path).map_err(|error| Failure::new(place()).because(&error))?;
    check_regular(path, &facts)?;
    let file = fs::File::open(path).map_err(|error| Failure::new(place()).because(&error))?;
    // One more byte than it has, so that the end is found without growing.
    let expected = usize::try_from(facts.len().min(limit)).unwrap_or_default();
    let mut content = vec![0; expected.saturating_add(1)];
    let mut file = file.take(limit.saturating_add(1));
    // As many bytes as it says to have, and room for more: the end was met, no second read need say so.
    let read = loop {
        match file.read(&mut content) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            read => break read.map_err(|error| Failure::new(place()).because(&error))?,
        }
    };
    content.truncate(read);
    if read != expected {
        file.read_to_end(&mut content)
            .map_err(|error| Failure::new(place()).because(&error))?;
    }
    if content.len() as u64 > limit {
        return Err(Failure::new(place())
            .because_text(format!("it passes the limit `bytes of one file` of {limit}"))
            .hint("`--limit-file-bytes` sets another"));
    }
    Ok(content)
}

/// Refuses what opening or reading need not end for: pipes, devices, sockets; and directories.
fn check_regular(path: &Path, facts: &fs::Metadata) -> Result<(), Failure> {
    if facts.is_file() {
        return Ok(());
    }
    let failure = Failure::new(format!("cannot read `{}`", path.display())).because_text("it is not a regular file");
    Err(if facts.is_dir() {
        failure
    } else {
        failure.hint("save what it gives to a file first")
    })
}

/// Refuses a file that something else is to read and that is there, but is not a regular file or passes a limit.
pub(crate) fn check_readable(path: &Path, limit: u64) -> Result<(), Failure> {
    // What cannot be looked at is for the reader to report.
    let Ok(facts) = fs::metadata(path) else { return Ok(()) };
    check_regular(path, &facts)?;
    if facts.len() > limit {
        return Err(Failure::new(format!("cannot read `{}`", path.display()))
            .because_text(format!("it passes the limit of {limit} bytes")));
    }
    Ok(())
}

/// The key of a path as it was given: itself when it stays below the working directory, else its absolute form
/// without the root.
pub(crate) fn key(path: &Path) -> Result<String, Failure> {
    let refuse = |why: &str| Failure::new(format!("cannot use path `{}`", path.display())).because_text(why);
    let climbs = path.components().any(|part| matches!(part, Component::ParentDir));
    let path = if climbs {
        fs::canonicalize(path).map_err(|error| refuse(&error.to_string()))?
    } else {
        path.to_path_buf()
    };
    let parts: Vec<&str> = path
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_str().ok_or_else(|| refuse("it is not UTF-8"))),
            Component::Prefix(_) | Component::RootDir | Component::CurDir | Component::ParentDir => None,
        })
        .collect::<Result<_, _>>()?;
    Ok(parts.join("/"))
}

/// Whether a file is one that manifests take from a directory.
pub(crate) fn is_yaml(key: &str) -> bool {
    Path::new(key)
        .extension()
        .is_some_and(|extension| extension == "yaml" || extension == "yml")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(files: usize, file_bytes: u64, source_bytes: u64) -> Limits {
        Limits {
            files,
            file_bytes,
            source_bytes,
            ..Limits::default()
        }
    }

    fn read(dir: &Path, limits: &Limits) -> Result<Vec<String>, String> {
        let mut tree = Tree::new(limits);
        tree.add_directory(dir, "", &is_yaml)
            .map(|()| tree.into_files().into_keys().collect())
            .map_err(|failure| format!("{failure:?}"))
    }

    fn sample() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("b/.git")).unwrap();
        for (path, text) in [
            ("a.yaml", "a: 1"),
            ("b/c.yml", "c: 12"),
            ("b/d.txt", "d"),
            ("b/.git/e.yaml", "e: 1"),
        ] {
            fs::write(dir.path().join(path), text).unwrap();
        }
        dir
    }

    #[test]
    fn a_directory_gives_its_wanted_files_but_not_those_of_git() {
        assert_eq!(
            read(sample().path(), &Limits::default()).unwrap(),
            ["a.yaml", "b/c.yml"]
        );
    }

    #[test]
    fn each_limit_is_named_when_it_is_passed() {
        let check = |limits: Limits, expect: &str| {
            let text = read(sample().path(), &limits).unwrap_err();
            assert!(text.contains(expect), "{text}");
        };
        check(limits(1, 100, 100), "limit `files in a source` of 1");
        check(limits(10, 4, 100), "limit `bytes of one file` of 4");
        check(limits(10, 5, 8), "limit `bytes of a source` of 8");
    }

    #[cfg(unix)]
    #[test]
    fn a_directory_that_contains_itself_ends() {
        let dir = sample();
        std::os::unix::fs::symlink(dir.path(), dir.path().join("b/loop")).unwrap();
        assert!(
            read(dir.path(), &Limits::default())
                .unwrap_err()
                .contains("contain itself")
        );
    }

    #[cfg(unix)]
    #[test]
    fn what_is_not_a_regular_file_is_refused_before_it_is_opened() {
        let check = |path: &Path| {
            let text = format!("{:?}", read_bounded(path, 10).unwrap_err());
            assert!(text.contains("not a regular file"), "{text}");
            assert!(check_readable(path, 10).is_err());
        };
        let dir = sample();
        let pipe = dir.path().join("b/pipe.yaml");
        assert!(
            std::process::Command::new("mkfifo")
                .arg(&pipe)
                .status()
                .unwrap()
                .success()
        );
        check(&pipe);
        check(Path::new("/dev/zero"));
        check(dir.path());
        let text = read(dir.path(), &Limits::default()).unwrap_err();
        assert!(
            text.contains("b/pipe.yaml") && text.contains("not a regular file"),
            "{text}"
        );
        fs::remove_file(&pipe).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &pipe).unwrap();
        assert!(
            read(dir.path(), &Limits::default())
                .unwrap_err()
                .contains("not a regular file")
        );
        check_readable(&dir.path().join("a.yaml"), 10).unwrap();
        check_readable(&dir.path().join("absent"), 10).unwrap();
        assert!(check_readable(&dir.path().join("a.yaml"), 2).is_err());
    }

    proptest::proptest! {
        #[test]
        fn a_key_is_always_a_plain_relative_path(text in convoy_testkit_strategies::path_text()) {
            // Paths that climb must exist; those that do not exist are refused.
            if let Ok(key) = key(Path::new(&text)) {
                let plain = key.split('/').all(|part| !part.is_empty() && part != "." && part != "..");
                proptest::prop_assert!(key.is_empty() || plain, "{} gives {}", text, key);
            }
        }
    }

    #[test]
    fn keys_hold_no_special_parts() {
        let check = |path: &str, expect: &str| assert_eq!(key(Path::new(path)).unwrap(), expect);
        check("a/b.yaml", "a/b.yaml");
        check("./a//b.yaml", "a/b.yaml");
        check("/a/b.yaml", "a/b.yaml");
        check(".", "");
        assert!(!key(Path::new("..")).unwrap().contains(".."));
    }
}
