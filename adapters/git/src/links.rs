//! Where symbolic links inside a tree lead, without any file system.
//!
//! # Invariant
//! A link never leads out of the tree: absolute targets and `..` above the root are refused, and so is more than
//! [`HOPS`] links in a row.

use crate::tree::{Folder, Node};

/// How many links one path may pass, as Linux has it.
const HOPS: usize = 40;

/// A folder and those that hold it, from the root on.
pub(crate) type Place<'a> = Vec<&'a Folder>;

/// What a link leads to.
#[derive(Debug)]
pub(crate) enum Target<'a> {
    File(&'a gix::ObjectId),
    Folder(Place<'a>),
    /// Nothing of that name is in the tree, as below a submodule that is left out.
    Nothing,
}

/// Why a link is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("leads out of the repository")]
    Escape,
    #[error("leads in a circle")]
    Circle,
}

/// Follows the link `target` that stands in the folder at `place`.
pub(crate) fn follow<'a>(place: &Place<'a>, target: &'a str) -> Result<Target<'a>, Refusal> {
    let mut place = place.clone();
    let mut hops = 0;
    // Components that are left to walk, the next one last.
    let mut rest = Vec::new();
    push(&mut rest, target)?;
    while let Some(name) = rest.pop() {
        match name {
            "" | "." => continue,
            ".." => {
                if place.len() < 2 {
                    return Err(Refusal::Escape);
                }
                place.pop();
                continue;
            }
            _ => {}
        }
        match place.last().and_then(|folder| folder.get(name)) {
            Some(Node::Folder(folder)) => place.push(folder),
            Some(Node::File(id)) if rest.is_empty() => return Ok(Target::File(id)),
            Some(Node::File(_) | Node::Module(_)) | None => return Ok(Target::Nothing),
            Some(Node::Link(target)) => {
                hops += 1;
                if hops > HOPS {
                    return Err(Refusal::Circle);
                }
                push(&mut rest, target)?;
            }
        }
    }
    Ok(Target::Folder(place))
}

fn push<'a>(rest: &mut Vec<&'a str>, target: &'a str) -> Result<(), Refusal> {
    if target.starts_with('/') {
        return Err(Refusal::Escape);
    }
    rest.extend(target.split('/').rev());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(number: u8) -> Node {
        Node::File(gix::ObjectId::from_bytes_or_panic(&[number; 20]))
    }

    fn folder(entries: impl IntoIterator<Item = (&'static str, Node)>) -> Folder {
        entries
            .into_iter()
            .map(|(name, node)| (name.to_owned(), node))
            .collect()
    }

    fn link(target: &str) -> Node {
        Node::Link(target.to_owned())
    }

    /// `a/` holds the link under test; `b/` holds the file 1, and links.
    fn check(target: &str, expect: &str) {
        let root = folder([
            ("a", Node::Folder(folder([("self", link("self"))]))),
            (
                "b",
                Node::Folder(folder([
                    ("one", file(1)),
                    ("up", link("..")),
                    ("out", link("../..")),
                    ("again", link("one")),
                ])),
            ),
            ("ping", link("pong")),
            ("pong", link("ping")),
        ]);
        let Some(Node::Folder(a)) = root.get("a") else {
            panic!("a is there")
        };
        let found = match follow(&vec![&root, a], target) {
            Ok(Target::File(id)) => format!("file {}", id.as_bytes()[0]),
            Ok(Target::Folder(place)) => {
                format!("folder at depth {} with {}", place.len(), place[place.len() - 1].len())
            }
            Ok(Target::Nothing) => "nothing".to_owned(),
            Err(refusal) => refusal.to_string(),
        };
        assert_eq!(found, expect, "{target}");
    }

    #[test]
    fn links_are_followed_inside_the_tree() {
        check("../b/one", "file 1");
        check("../b/again", "file 1");
        check("./..//b/./one", "file 1");
        check("../b/up/b/one", "file 1");
        check("../b", "folder at depth 2 with 4");
        check("..", "folder at depth 1 with 4");
        check("../b/up", "folder at depth 1 with 4");
    }

    #[test]
    fn links_to_what_is_not_there_lead_to_nothing() {
        check("absent", "nothing");
        check("../b/absent/one", "nothing");
        check("../b/one/below", "nothing");
    }

    #[test]
    fn links_out_of_the_tree_are_refused() {
        check("/etc/passwd", "leads out of the repository");
        check("../..", "leads out of the repository");
        check("../../root/b/one", "leads out of the repository");
        check("../b/out", "leads out of the repository");
        check("../b/up/..", "leads out of the repository");
    }

    #[test]
    fn links_in_a_circle_are_refused() {
        check("self", "leads in a circle");
        check("../ping", "leads in a circle");
    }
}
