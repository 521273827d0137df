//! Who owns an object on a target cluster.
//!
//! An applied object carries the uid of its Release as a label (to list by) and the Release's name and the
//! installation's id as annotations (for people, and to recognise a Release that was made again).
//!
//! # Invariant
//! An object whose label names another Release is never [`Ownership::Ours`]; stamping happens after the hash, so that
//! ownership is no part of a renderRef.

use alloc::string::{String, ToString};

use sha2::{Digest, Sha256};

use crate::id::ReleaseId;
use crate::names::{PRUNE_DISABLED, annotation, label};
use crate::object::Object;

/// A Release as the owner of objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// Namespace and name.
    pub release: ReleaseId,
    /// `metadata.uid`.
    pub uid: String,
    /// Id of this installation of convoy.
    pub installation: String,
}

/// An owner as the labels of a live object tell it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignOwner {
    /// uid of its Release.
    pub uid: String,
    /// `namespace/name` of its Release, empty when it does not say.
    pub release: String,
    /// Installation id, empty when it does not say.
    pub installation: String,
    /// Whether it is of our own installation. Only then may the caller look the uid up in the control plane and adopt
    /// the object when no such Release exists any more.
    pub same_installation: bool,
}

impl core::fmt::Display for ForeignOwner {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self.release.as_str() {
            "" => write!(f, "a Release with uid `{}`", self.uid)?,
            release => write!(f, "Release `{release}`")?,
        }
        if self.same_installation || self.installation.is_empty() {
            Ok(())
        } else {
            write!(f, " of installation `{}`", self.installation)
        }
    }
}

/// What a live object is to a Release that would apply it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ownership {
    /// It does not exist.
    Absent,
    /// It carries our label.
    Ours,
    /// Nobody claims it: applying adopts it.
    Unowned,
    /// It was applied by a Release of the same installation and name that was made again since: applying adopts it.
    SameName,
    /// Another Release claims it.
    Foreign(ForeignOwner),
}

impl Ownership {
    /// Whether the Release may apply the object.
    #[must_use]
    pub const fn may_apply(&self) -> bool {
        match self {
            Self::Absent | Self::Ours | Self::Unowned | Self::SameName => true,
            Self::Foreign(_) => false,
        }
    }

    /// Whether applying takes over an object that existed without being ours.
    #[must_use]
    pub const fn adopts(&self) -> bool {
        match self {
            Self::Unowned | Self::SameName => true,
            Self::Absent | Self::Ours | Self::Foreign(_) => false,
        }
    }
}

/// What a live object is to `owner`.
#[must_use]
pub fn assess_ownership(live: Option<&Object>, owner: &Owner) -> Ownership {
    let Some(live) = live else {
        return Ownership::Absent;
    };
    let uid = match live.label(label::RELEASE_UID) {
        None | Some("") => return Ownership::Unowned,
        Some(uid) if uid == owner.uid => return Ownership::Ours,
        Some(uid) => uid,
    };
    let release = live.annotation(annotation::RELEASE).unwrap_or_default();
    let installation = live.annotation(annotation::INSTALLATION).unwrap_or_default();
    let same_installation = !installation.is_empty() && installation == owner.installation;
    if same_installation && release == owner.release.to_string() {
        return Ownership::SameName;
    }
    Ownership::Foreign(ForeignOwner {
        uid: uid.to_string(),
        release: release.to_string(),
        installation: installation.to_string(),
        same_installation,
    })
}

/// Writes the owner's label and annotations on an object that is about to be applied.
pub fn stamp(object: &mut Object, owner: &Owner) {
    object.set_label(label::RELEASE_UID, &owner.uid);
    object.set_annotation(annotation::RELEASE, &owner.release.to_string());
    object.set_annotation(annotation::INSTALLATION, &owner.installation);
}

/// Whether an object asks to be neither pruned nor deleted.
#[must_use]
pub fn prune_disabled(object: &Object) -> bool {
    object.annotation(annotation::PRUNE) == Some(PRUNE_DISABLED)
}

/// The field manager of a Release: `convoy-` and the first 16 hex digits of the SHA-256 of `namespace/name`.
#[must_use]
pub fn field_manager(release: &ReleaseId) -> String {
    let digest = Sha256::digest(release.to_string().as_bytes());
    let first: [u8; 8] = core::array::from_fn(|index| digest[index]);
    alloc::format!("convoy-{:016x}", u64::from_be_bytes(first))
}

#[cfg(test)]
mod tests {
    use super::*;
    use convoy_value::{Limits, json};

    fn owner() -> Owner {
        Owner {
            release: ReleaseId::new("apps", "web").unwrap(),
            uid: "uid-1".into(),
            installation: "here".into(),
        }
    }

    fn live(uid: &str, release: &str, installation: &str) -> Object {
        let text = r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}"#;
        let mut object = Object::new(json::parse(text, &Limits::default()).unwrap()).unwrap();
        if !uid.is_empty() {
            object.set_label(label::RELEASE_UID, uid);
        }
        if !release.is_empty() {
            object.set_annotation(annotation::RELEASE, release);
        }
        if !installation.is_empty() {
            object.set_annotation(annotation::INSTALLATION, installation);
        }
        object
    }

    fn foreign(uid: &str, release: &str, installation: &str, same_installation: bool) -> Ownership {
        Ownership::Foreign(ForeignOwner {
            uid: uid.into(),
            release: release.into(),
            installation: installation.into(),
            same_installation,
        })
    }

    #[test]
    fn an_object_belongs_to_the_release_that_its_label_names() {
        assert_eq!(assess_ownership(None, &owner()), Ownership::Absent);
        for (object, expect) in [
            (live("", "", ""), Ownership::Unowned),
            (live("", "apps/web", "here"), Ownership::Unowned),
            (live("uid-1", "", ""), Ownership::Ours),
            (live("uid-1", "apps/old", "there"), Ownership::Ours),
            (live("uid-2", "apps/web", "here"), Ownership::SameName),
            (
                live("uid-2", "apps/web", "there"),
                foreign("uid-2", "apps/web", "there", false),
            ),
            (live("uid-2", "apps/web", ""), foreign("uid-2", "apps/web", "", false)),
            (
                live("uid-2", "apps/db", "here"),
                foreign("uid-2", "apps/db", "here", true),
            ),
            (live("uid-2", "", ""), foreign("uid-2", "", "", false)),
        ] {
            assert_eq!(assess_ownership(Some(&object), &owner()), expect);
        }
    }

    #[test]
    fn only_what_is_another_releases_may_not_be_applied() {
        for (ownership, may, adopts) in [
            (Ownership::Absent, true, false),
            (Ownership::Ours, true, false),
            (Ownership::Unowned, true, true),
            (Ownership::SameName, true, true),
            (foreign("a", "", "", true), false, false),
        ] {
            assert_eq!(
                (ownership.may_apply(), ownership.adopts()),
                (may, adopts),
                "{ownership:?}"
            );
        }
    }

    #[test]
    fn a_stamped_object_is_ours() {
        let mut object = live("uid-2", "apps/db", "there");
        stamp(&mut object, &owner());
        assert_eq!(assess_ownership(Some(&object), &owner()), Ownership::Ours);
        assert_eq!(object.label("core.convoy.kumodo.io/release-uid"), Some("uid-1"));
        assert_eq!(object.annotation("core.convoy.kumodo.io/release"), Some("apps/web"));
        assert_eq!(object.annotation("core.convoy.kumodo.io/installation"), Some("here"));
    }

    #[test]
    fn conflicts_name_the_other_owner() {
        let text = |object: &Object| match assess_ownership(Some(object), &owner()) {
            Ownership::Foreign(owner) => owner.to_string(),
            Ownership::Absent | Ownership::Ours | Ownership::Unowned | Ownership::SameName => String::new(),
        };
        assert_eq!(text(&live("u", "apps/db", "here")), "Release `apps/db`");
        assert_eq!(
            text(&live("u", "apps/db", "there")),
            "Release `apps/db` of installation `there`"
        );
        assert_eq!(text(&live("u", "", "")), "a Release with uid `u`");
    }

    /// Made by hand with `printf apps/web | sha256sum`.
    #[test]
    fn the_field_manager_is_pinned() {
        assert_eq!(field_manager(&owner().release), "convoy-3b4e3efd29cd131b");
    }
}
