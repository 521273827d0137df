//! The rules of keys.

use convoy_ports::BlobError;
use object_store::path::Path;

/// Most bytes of a key, as of S3.
const MAX_BYTES: usize = 1_024;

/// The first rule that a key breaks.
pub(crate) fn broken_rule(key: &str) -> Option<&'static str> {
    if key.is_empty() {
        return Some("a key must not be empty");
    }
    if key.len() > MAX_BYTES {
        return Some("a key has at most 1024 bytes");
    }
    if key.bytes().any(|byte| byte.is_ascii_control()) {
        return Some("a key must not have control characters");
    }
    if key.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return Some("a key must be relative, without empty, `.` or `..` parts");
    }
    None
}

/// The first rule of files that a key breaks: shapes that `object_store` takes for temporary files, or that its URLs
/// take for the drive of another system.
pub(crate) fn broken_file_rule(key: &str) -> Option<&'static str> {
    let last = key.rsplit('/').next().unwrap_or_default();
    if let Some((_, digits)) = last.split_once('#')
        && !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
    {
        return Some("a key of a file store must not end in `#` and digits");
    }
    if let [.., letter, b':' | b'|'] = last.as_bytes()
        && letter.is_ascii_alphabetic()
    {
        return Some("a key of a file store must not end in a letter and `:` or `|`");
    }
    None
}

/// The first rule of URLs that a key breaks: what reads them takes a backslash for a slash, and two keys for one.
pub(crate) fn broken_url_rule(key: &str) -> Option<&'static str> {
    key.contains('\\')
        .then_some("a key of this store must not have a backslash")
}

/// The backend's path of a key, with the very same text.
pub(crate) fn to_path(prefix: &str, key: &str) -> Result<Path, BlobError> {
    let refuse = |why: String| BlobError::Other {
        key: key.to_owned(),
        why,
    };
    let whole = format!("{prefix}{key}");
    if let Some(rule) = broken_rule(key).or_else(|| broken_rule(&whole)) {
        return Err(refuse(rule.to_owned()));
    }
    Path::parse(&whole).map_err(|error| refuse(error.to_string()))
}

/// The path below which every key that starts with the literal text `prefix` lies; `None` when no key can.
pub(crate) fn directory_of(prefix: &str) -> Option<Path> {
    match prefix.rsplit_once('/') {
        None => Some(Path::ROOT),
        Some((directory, _)) if broken_rule(directory).is_none() => Path::parse(directory).ok(),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_the_text_of_its_key() {
        for key in ["a", "a/sha256:0f", "a/b%2Fc", "a/%", "a/é 😀", "a/{}^~`|", "a/#x"] {
            assert_eq!(to_path("", key).unwrap().as_ref(), key);
            assert_eq!(to_path("pre/fix-", key).unwrap().as_ref(), format!("pre/fix-{key}"));
        }
    }

    #[test]
    fn a_key_outside_the_rules_has_no_path() {
        let long = "k".repeat(1_025);
        for key in [
            "",
            "/",
            "/a",
            "a/",
            "a//b",
            ".",
            "a/..",
            "a/./b",
            "a\u{7f}",
            "a\nb",
            long.as_str(),
        ] {
            let error = to_path("", key).unwrap_err();
            assert!(!error.is_transient(), "{error}");
        }
        assert!(to_path("", &long[1..]).is_ok());
        assert!(to_path("p/", &long[1..]).is_err());
    }

    #[test]
    fn shapes_that_files_cannot_have_are_told() {
        for key in ["a#1", "a/b#12", "#1", "a/C:", "a/C|", "a/bc:"] {
            assert!(broken_file_rule(key).is_some(), "`{key}`");
        }
        for key in ["a#", "a#x", "a#1x", "a#1/b", "a/C:/b", "a/1:", "a/:", "a/sha256:0f", ""] {
            assert_eq!(broken_file_rule(key), None, "`{key}`");
        }
    }

    #[test]
    fn a_list_begins_at_the_last_whole_part_of_its_prefix() {
        for (prefix, directory) in [
            ("", Some("")),
            ("ns", Some("")),
            ("ns/", Some("ns")),
            ("ns/app", Some("ns")),
            ("ns/app/history/2026", Some("ns/app/history")),
            ("/ns", None),
            ("ns//", None),
            ("ns/../x", None),
        ] {
            assert_eq!(
                directory_of(prefix).as_ref().map(AsRef::as_ref),
                directory,
                "`{prefix}`"
            );
        }
    }
}
