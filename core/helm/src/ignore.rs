//! `.helmignore`: which files of a folder are no part of the chart.
//!
//! Rules are tried in order and the first that answers decides; a negated rule ignores what it does not match.

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use crate::error::Error;
use crate::path_match;

#[derive(Clone, Debug)]
struct Rule {
    pattern: String,
    negated: bool,
    only_folders: bool,
    /// Only the last part of the path is looked at.
    base_name: bool,
}

/// The rules of one `.helmignore`.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    rules: Vec<Rule>,
}

impl Rules {
    /// Reads the file, and adds what is always ignored: hidden files of `templates/`.
    ///
    /// # Errors
    /// When a rule is malformed.
    pub fn parse(text: &[u8]) -> Result<Self, Error> {
        let text = String::from_utf8_lossy(text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text));
        let mut rules = Self::default();
        for line in text.lines() {
            rules.add(line).map_err(Error::Ignore)?;
        }
        rules.add("templates/.?*").map_err(Error::Ignore)?;
        Ok(rules)
    }

    fn add(&mut self, line: &str) -> Result<(), &'static str> {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            return Ok(());
        }
        if line.contains("**") {
            return Err("double-star (**) syntax is not supported");
        }
        path_match::matches(line, "abc")?;
        let (negated, line) = line.strip_prefix('!').map_or((false, line), |rest| (true, rest));
        let (only_folders, line) = line.strip_suffix('/').map_or((false, line), |rest| (true, rest));
        let (base_name, pattern) = match line.strip_prefix('/') {
            Some(rooted) => (false, rooted),
            None => (!line.contains('/'), line),
        };
        self.rules.push(Rule {
            pattern: pattern.to_string(),
            negated,
            only_folders,
            base_name,
        });
        Ok(())
    }

    /// Whether the file or folder at `path` is ignored.
    #[must_use]
    pub fn ignores(&self, path: &str, folder: bool) -> bool {
        for rule in &self.rules {
            let subject = if rule.base_name {
                path.rsplit('/').next().unwrap_or(path)
            } else {
                path
            };
            let wrong_kind = rule.only_folders && !folder;
            if rule.negated {
                if wrong_kind || !path_match::matches(&rule.pattern, subject).unwrap_or(false) {
                    return true;
                }
            } else if !wrong_kind && path_match::matches(&rule.pattern, subject).unwrap_or(false) {
                return true;
            }
        }
        false
    }

    /// Whether the file at `path` is ignored, by itself or by a folder above it.
    #[must_use]
    pub fn ignores_file(&self, path: &str) -> bool {
        let folders = path.match_indices('/').map(|(at, _)| &path[..at]);
        folders.into_iter().any(|folder| self.ignores(folder, true)) || self.ignores(path, false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_decide_in_order() {
        let check = |text: &str, path: &str, expect: bool| {
            let rules = Rules::parse(text.as_bytes()).unwrap();
            assert_eq!(rules.ignores_file(path), expect, "{text:?} {path}");
        };
        check("*.txt", "a/b.txt", true);
        check("/b.txt", "a/b.txt", false);
        check("a/", "a/b.txt", true);
        check("b.txt/", "a/b.txt", false);
        check("a/*.txt", "a/b.txt", true);
        check("# *.txt\n\n", "b.txt", false);
        check("!*.yaml", "b.txt", true);
        check("!*.txt", "b.txt", false);
        check("", "templates/.hidden", true);
        check("", ".hidden", false);
    }

    #[test]
    fn what_helm_does_not_read_is_an_error() {
        assert!(Rules::parse(b"a/**").is_err());
        assert!(Rules::parse(b"[").is_err());
    }
}
