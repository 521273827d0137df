//! Ours against the tool's answer for a tree, and the smallest tree that still shows a difference.

use std::fmt::Write as _;

use super::{Answer, Tree, ours_of, refusals};

/// Who answers for the tool.
pub type Judge<'j> = dyn FnMut(&Tree) -> Answer + 'j;

/// The kustomization that is built.
pub const TOP: &str = "top";
/// The most builds that go into making a tree small.
const BUILDS: usize = 1_500;

/// What we refuse and the tool does not: rows of `docs/differences.md`, by words of ours.
const REFUSED_HERE: &[&str] = &["have no hash here", "it has no name or no kind, and gets another one"];

/// What we find before the tool does, which may refuse another thing first: texts that it cannot write, and objects that
/// have lost their names.
const FOUND_SOONER: &[&str] = &["which its YAML cannot hold", "/[noName]"];

/// Whether two answers are the same text, or both a refusal of one class, or differ in a way that is known.
#[must_use]
pub fn agree(ours: &Answer, theirs: &Answer) -> bool {
    match (ours, theirs) {
        (Ok(ours), Ok(theirs)) => ours == theirs,
        (Err(ours), _) if REFUSED_HERE.iter().any(|words| ours.contains(words)) => true,
        (Err(ours), Err(_)) if FOUND_SOONER.iter().any(|words| ours.contains(words)) => true,
        (Err(ours), Err(theirs)) => refusals::of_ours(ours) == refusals::of_tool(theirs),
        (Err(_), Ok(_)) | (Ok(_), Err(_)) => false,
    }
}

/// Whether ours and the tool differ on a tree.
#[must_use]
pub fn differ(judge: &mut Judge<'_>, tree: &Tree) -> bool {
    !agree(&ours_of(tree, TOP), &judge(tree))
}

/// Whether ours and the tool both refuse a tree, for whatever reason.
#[must_use]
pub fn both_refuse(judge: &mut Judge<'_>, tree: &Tree) -> bool {
    ours_of(tree, TOP).is_err() && judge(tree).is_err()
}

/// A tree with few files and lines of `tree` on which ours and the tool still differ in the same way: in text, or in which
/// of the two refuses.
#[must_use]
pub fn reduce(judge: &mut Judge<'_>, tree: Tree) -> Tree {
    let mut answers = |tree: &Tree| (ours_of(tree, TOP), judge(tree));
    let kind = |(ours, theirs): &(Answer, Answer)| (ours.is_ok(), theirs.is_ok());
    let wanted = kind(&answers(&tree));
    let mut left = BUILDS;
    let mut fails = |tree: &Tree| {
        left = left.saturating_sub(1);
        if left == 0 {
            return false;
        }
        let both = answers(tree);
        kind(&both) == wanted && !agree(&both.0, &both.1)
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
pub fn show(judge: &mut Judge<'_>, tree: &Tree) -> String {
    let mut out = String::new();
    for (path, text) in tree {
        let _ = writeln!(out, "# {path}\n{}", text.trim_end());
    }
    match (ours_of(tree, TOP), judge(tree)) {
        (Ok(ours), Ok(theirs)) => {
            let _ = writeln!(out, "== {}", super::difference(&ours, &theirs));
        }
        (ours, theirs) => {
            let _ = writeln!(out, "== ours {ours:?}\n== theirs {theirs:?}");
        }
    }
    out
}
