//! From what a Release selects to a name on the server, and from the server's list to a commit.

use convoy_domain::source::GitRef;
use convoy_ports::FetchError;
use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::protocol::handshake::Ref;

use convoy_sprig::semver::{Constraint, Version};
use convoy_web::{Site, unsupported};

/// What is looked up.
#[derive(Clone, Debug)]
pub(crate) enum Wanted {
    /// The full name of a ref.
    Name(String),
    /// A commit, known already.
    Commit(ObjectId),
    /// The tag with the highest version that fits.
    Version(Constraint),
}

/// Reads a ref.
///
/// # Errors
/// `RefNotFound` for what cannot be the name of a ref, a commit, or a constraint; `Unsupported` for SHA-256.
pub(crate) fn wanted(git_ref: &GitRef, site: &Site) -> Result<Wanted, FetchError> {
    let named = |prefix: &str, name: &str| {
        let full = format!("{prefix}{name}");
        match gix::validate::reference::name(full.as_bytes().as_bstr()) {
            Ok(_) => Ok(Wanted::Name(full)),
            Err(_) => Err(site.not_found(git_ref)),
        }
    };
    match git_ref {
        GitRef::Head => Ok(Wanted::Name("HEAD".to_owned())),
        GitRef::Branch(name) => named("refs/heads/", name),
        GitRef::Tag(name) => named("refs/tags/", name),
        GitRef::Commit(sha) if sha.len() == 64 && sha.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            Err(unsupported("a git repository with SHA-256 objects"))
        }
        GitRef::Commit(sha) => match ObjectId::from_hex(sha.as_bytes()) {
            Ok(id) if sha.len() == 40 && !id.is_null() => Ok(Wanted::Commit(id)),
            Ok(_) | Err(_) => Err(site.not_found(git_ref)),
        },
        GitRef::Semver(text) => match Constraint::parse(text) {
            Ok(constraint) => Ok(Wanted::Version(constraint)),
            Err(_) => Err(site.not_found(&format!("{git_ref}, which is no constraint on versions,"))),
        },
    }
}

/// The commit that the ref `name` of a server's list is at, annotated tags followed.
pub(crate) fn commit_at(refs: &[Ref], name: &str) -> Option<ObjectId> {
    refs.iter().find_map(|found| match found {
        Ref::Peeled {
            full_ref_name, object, ..
        }
        | Ref::Direct { full_ref_name, object }
        | Ref::Symbolic {
            full_ref_name, object, ..
        } => (full_ref_name == name).then_some(*object),
        Ref::Unborn { .. } => None,
    })
}

/// Where the names of tags begin.
pub(crate) const TAGS: &str = "refs/tags/";

/// A tag of a server's list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tag {
    /// Without `refs/tags/`.
    pub(crate) name: String,
    pub(crate) commit: ObjectId,
    /// The tag's own object, if it has one.
    pub(crate) object: Option<ObjectId>,
}

/// The tags of a list.
pub(crate) fn tags(refs: &[Ref]) -> impl Iterator<Item = Tag> {
    refs.iter().filter_map(|found| {
        let (name, commit, object) = match found {
            Ref::Peeled {
                full_ref_name,
                tag,
                object,
            } => (full_ref_name, *object, Some(*tag)),
            Ref::Direct { full_ref_name, object } => (full_ref_name, *object, None),
            Ref::Symbolic { .. } | Ref::Unborn { .. } => return None,
        };
        let name = name.to_str().ok()?.strip_prefix(TAGS)?.to_owned();
        Some(Tag { name, commit, object })
    })
}

/// The tag with the highest version that fits; of equal versions (`1.2` and `v1.2.0`) the one whose name is last.
pub(crate) fn highest(tags: impl Iterator<Item = Tag>, constraint: &Constraint) -> Option<Tag> {
    let versions = tags.filter_map(|tag| {
        let version = Version::parse(&tag.name).ok()?;
        constraint.check(&version).then_some((version, tag))
    });
    let highest = versions.max_by(|(a, one), (b, other)| a.compare(b).then_with(|| one.name.cmp(&other.name)));
    highest.map(|(_, tag)| tag)
}

/// The objects that the refs of a list name themselves: tags, not what they are of.
pub(crate) fn tips(refs: &[Ref]) -> impl Iterator<Item = ObjectId> {
    refs.iter().filter_map(|found| match found {
        Ref::Peeled { tag, .. } => Some(*tag),
        Ref::Direct { object, .. } => Some(*object),
        Ref::Symbolic { tag, object, .. } => Some(tag.unwrap_or(*object)),
        Ref::Unborn { .. } => None,
    })
}

/// The object that a server of an old protocol lets us ask for to get `commit`: only what a ref names itself.
pub(crate) fn advertised(refs: &[Ref], commit: ObjectId) -> Option<ObjectId> {
    refs.iter().find_map(|found| match found {
        Ref::Peeled { tag, object, .. } if *object == commit => Some(*tag),
        Ref::Direct { object, .. } if *object == commit => Some(*object),
        Ref::Symbolic { tag, object, .. } if *object == commit => Some(tag.unwrap_or(*object)),
        Ref::Peeled { .. } | Ref::Direct { .. } | Ref::Symbolic { .. } | Ref::Unborn { .. } => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_version_that_fits_wins() {
        let names = [
            "v1.2.3",
            "1.10.0",
            "v1.9.9",
            "2.0.0-rc.1",
            "v3",
            "app/v9.0.0",
            "latest",
            "1.10.0-beta",
            "v2.0.0-alpha",
        ];
        let tags = || {
            names.iter().enumerate().map(|(number, name)| Tag {
                name: (*name).to_owned(),
                commit: ObjectId::from_bytes_or_panic(&[u8::try_from(number).unwrap() + 1; 20]),
                object: None,
            })
        };
        let check = |constraint: &str, expect: Option<&str>| {
            let found = highest(tags(), &Constraint::parse(constraint).unwrap());
            assert_eq!(found.map(|tag| tag.name).as_deref(), expect, "{constraint}");
        };
        check("*", Some("v3"));
        check("1.x", Some("1.10.0"));
        check("~1.2", Some("v1.2.3"));
        check(">=1.0.0 <2.0.0", Some("1.10.0"));
        check(">=2.0.0-0 <3.0.0-0", Some("2.0.0-rc.1"));
        check("3.0.0", Some("v3"));
        check("^4", None);
    }
    use reqwest::Url;

    #[test]
    fn refs_become_full_names() {
        let site = Site::of(&Url::parse("https://example.com/a.git").unwrap());
        let check = |git_ref: GitRef, expect: &str| {
            let found = match wanted(&git_ref, &site) {
                Ok(Wanted::Name(name)) => name,
                Ok(Wanted::Commit(id)) => format!("commit {id}"),
                Ok(Wanted::Version(_)) => "a version".to_owned(),
                Err(error) => error.to_string(),
            };
            assert_eq!(found, expect, "{git_ref:?}");
        };
        check(GitRef::Head, "HEAD");
        check(GitRef::Branch("release/1.2".into()), "refs/heads/release/1.2");
        check(GitRef::Tag("v1".into()), "refs/tags/v1");
        check(GitRef::Branch("ä/ö".into()), "refs/heads/ä/ö");
        let absent = |what: &str| format!("{what} does not exist in `https://example.com/a.git`");
        for name in ["", "a..b", "a b", "/a", "a/", "a\n", "a.lock", "-\u{7f}"] {
            check(GitRef::Branch(name.into()), &absent(&format!("branch {name}")));
        }
        let sha = "0123456789abcdef0123456789abcdef01234567";
        check(GitRef::Commit(sha.into()), &format!("commit {sha}"));
        check(GitRef::Commit(sha.to_uppercase()), &format!("commit {sha}"));
        check(GitRef::Commit("0123".into()), &absent("commit 0123"));
        check(
            GitRef::Commit("0".repeat(40)),
            &absent(&format!("commit {}", "0".repeat(40))),
        );
        check(
            GitRef::Commit("a".repeat(64)),
            "a git repository with SHA-256 objects is not supported",
        );
        check(GitRef::Semver("1.x".into()), "a version");
        check(
            GitRef::Semver("one".into()),
            &absent("semver one, which is no constraint on versions,"),
        );
    }
}
