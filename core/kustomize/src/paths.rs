//! Paths: joined and cleaned as Go's `filepath` does it, and split into the parts of a field path.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

/// `path` seen from `directory`, both below the root of the tree; nothing if it leaves the tree.
pub(crate) fn join(directory: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = directory.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// As `filepath.Join(directory, path)` prints it: `..` may lead out.
pub(crate) fn join_display(directory: &str, path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in directory.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    if parts.is_empty() {
        String::new()
    } else {
        parts.join("/")
    }
}

/// Whether `path` is `directory` or below it.
pub(crate) fn is_within(path: &str, directory: &str) -> bool {
    directory.is_empty() || path == directory || path.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'))
}

/// The parts between `delimiter`s; one behind a backslash is part of its part, an empty part at the beginning is
/// none.
pub(crate) fn split(path: &str, delimiter: char) -> Vec<String> {
    let mut parts: Vec<&str> = path.split(delimiter).collect();
    if parts.len() > 1 && parts[0].is_empty() {
        parts.remove(0);
    }
    let mut out: Vec<String> = Vec::with_capacity(parts.len());
    for part in parts {
        match out.last_mut() {
            Some(last) if last.ends_with('\\') => {
                last.pop();
                last.push(delimiter);
                last.push_str(part);
            }
            _ => out.push(part.to_string()),
        }
    }
    out
}

/// As [`split`], but `[a.b=c.d]` is one part, and `[a.b]` the key `a.b`.
pub(crate) fn split_smart(path: &str, delimiter: char) -> Vec<String> {
    let parts = split(path, delimiter);
    let mut out = Vec::with_capacity(parts.len());
    let mut parts = parts.into_iter();
    while let Some(part) = parts.next() {
        if !part.starts_with('[') || part.ends_with(']') {
            out.push(part);
            continue;
        }
        let mut whole = part;
        for next in parts.by_ref() {
            let end = next.ends_with(']');
            whole = format!("{whole}{delimiter}{next}");
            if end {
                break;
            }
        }
        if whole.contains('=') {
            out.push(whole);
        } else {
            out.push(whole.trim_matches(['[', ']']).to_string());
        }
    }
    out
}

/// Where something remote is, if `path` names that: what kustomize fetches over HTTP or clones with git.
pub(crate) fn is_remote(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let lower = lower.strip_prefix("git::").unwrap_or(&lower);
    ["http://", "https://", "ssh://", "file://", "github.com/", "github.com:"]
        .iter()
        .any(|scheme| lower.starts_with(scheme))
        || is_scp(lower)
}

/// `user@host:path` and `user@host/path`.
fn is_scp(path: &str) -> bool {
    let Some((user, rest)) = path.split_once('@') else {
        return false;
    };
    let named = user.starts_with(|c: char| c.is_ascii_alphabetic())
        && user.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    named && rest.contains([':', '/'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stays_in_the_tree_or_is_none() {
        for (directory, path, expect) in [
            ("a/b", "../c", Some("a/c")),
            ("a", "./b//c/", Some("a/b/c")),
            ("", ".", Some("")),
            ("a", "..", Some("")),
            ("a", "../..", None),
        ] {
            assert_eq!(join(directory, path).as_deref(), expect, "{directory} {path}");
        }
        assert!(is_within("a/b", "a") && is_within("a", "") && !is_within("ab", "a"));
    }

    #[test]
    fn field_paths_are_split_with_escapes_and_brackets() {
        for (path, expect) in [
            ("a.b", &["a", "b"][..]),
            (r"a.b\.c.d", &["a", "b.c", "d"]),
            ("a.[name=x.y].c", &["a", "[name=x.y]", "c"]),
            ("a.[b.c].d", &["a", "b.c", "d"]),
            (".a", &["a"]),
        ] {
            assert_eq!(split_smart(path, '.'), expect, "{path}");
        }
    }

    #[test]
    fn remote_places_are_known() {
        for (path, expect) in [
            ("https://example.com/a.yaml", true),
            ("github.com/a/b//c?ref=d", true),
            ("git@github.com:a/b", true),
            ("git::https://x/y", true),
            ("../base", false),
            ("a@b", false),
        ] {
            assert_eq!(is_remote(path), expect, "{path}");
        }
    }
}
