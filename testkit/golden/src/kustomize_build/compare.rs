//! Ours against the tool's answer for a tree, and the smallest tree that still shows a difference.

use std::fmt::Write as _;
use std::path::Path;

use super::{Answer, Tree, ours_of, theirs};

/// The kustomization that is built.
const TOP: &str = "top";
/// The most builds that go into making a tree small.
const BUILDS: usize = 1_500;

/// Whether two answers are the same text, or both a refusal.
#[must_use]
pub fn agree(ours: &Answer, theirs: &Answer) -> bool {
    match (ours, theirs) {
        (Ok(ours), Ok(theirs)) => ours == theirs,
        (Err(_), Err(_)) => true,
        (Ok(_), Err(_)) | (Err(_), Ok(_)) => false,
    }
}

/// Whether ours and the tool differ on a tree.
#[must_use]
pub fn differ(kubectl: &Path, tree: &Tree) -> bool {
    !agree(&ours_of(tree, TOP), &theirs(kubectl, tree, TOP))
}

/// A tree with few files and lines of `tree` on which ours and the tool still differ in the same way: in text, or in which
/// of the two refuses.
#[must_use]
pub fn reduce(kubectl: &Path, tree: Tree) -> Tree {
    let kind = |tree: &Tree| (ours_of(tree, TOP).is_ok(), theirs(kubectl, tree, TOP).is_ok());
    let wanted = kind(&tree);
    let mut left = BUILDS;
    let mut fails = |tree: &Tree| {
        left = left.saturating_sub(1);
        left > 0 && kind(tree) == wanted && differ(kubectl, tree)
    };
    let mut best = tree;
    for path in best.keys().cloned().collect::<Vec<_>>() {
        let mut smaller = best.clone();
        smaller.remove(&path);
        if fails(&smaller) {
            best = smaller;
        }
    }
    loop {
        let before = best.clone();
        for path in before.keys() {
            reduce_file(&mut best, path, &mut fails);
        }
        if best == before {
            return best;
        }
    }
}

/// Takes lines out of a file, many at a time first.
fn reduce_file(best: &mut Tree, path: &str, fails: &mut impl FnMut(&Tree) -> bool) {
    let mut lines: Vec<String> = best[path].split_inclusive('\n').map(str::to_owned).collect();
    let mut size = lines.len().div_ceil(2);
    while size > 0 {
        let mut at = 0;
        while at < lines.len() {
            let end = (at + size).min(lines.len());
            let shorter: Vec<String> = lines[..at].iter().chain(&lines[end..]).cloned().collect();
            let mut smaller = best.clone();
            smaller.insert(path.to_owned(), shorter.concat());
            if fails(&smaller) {
                lines = shorter;
                *best = smaller;
            } else {
                at += size;
            }
        }
        size /= 2;
    }
}

/// A tree and both answers, to read.
#[must_use]
pub fn show(kubectl: &Path, tree: &Tree) -> String {
    let mut out = String::new();
    for (path, text) in tree {
        let _ = writeln!(out, "# {path}\n{}", text.trim_end());
    }
    match (ours_of(tree, TOP), theirs(kubectl, tree, TOP)) {
        (Ok(ours), Ok(theirs)) => {
            let _ = writeln!(out, "== {}", super::difference(&ours, &theirs));
        }
        (ours, theirs) => {
            let _ = writeln!(out, "== ours {ours:?}\n== theirs {theirs:?}");
        }
    }
    out
}
