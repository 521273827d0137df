//! The keys of the render store.
//!
//! # Invariant
//! A key is built only from names that are checked ([`ReleaseId`]) and refs and times whose texts hold no `/`, so that
//! no key leaves its Release's prefix; and [`parse`] is the inverse of [`blob`] and [`history`].

use alloc::format;
use alloc::string::String;

use crate::history::HistoryKey;
use crate::id::ReleaseId;
use crate::render_ref::RenderRef;

/// What a key is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreKey {
    /// A stored render.
    Blob(RenderRef),
    /// An entry of the history.
    History(HistoryKey),
    /// Nothing that this version knows (or a key of another Release); it is left alone and counted.
    Unknown,
}

/// `<namespace>/<name>/`: everything that belongs to a Release.
#[must_use]
pub fn prefix(release: &ReleaseId) -> String {
    format!("{release}/")
}

/// `<namespace>/<name>/renders/`.
#[must_use]
pub fn blobs_prefix(release: &ReleaseId) -> String {
    format!("{release}/renders/")
}

/// `<namespace>/<name>/history/`.
#[must_use]
pub fn history_prefix(release: &ReleaseId) -> String {
    format!("{release}/history/")
}

/// Key of a stored render.
#[must_use]
pub fn blob(release: &ReleaseId, render: RenderRef) -> String {
    format!("{release}/renders/{render}")
}

/// Key of an entry of the history.
#[must_use]
pub fn history(release: &ReleaseId, key: &HistoryKey) -> String {
    format!("{release}/history/{key}")
}

/// What a key is to a Release.
#[must_use]
pub fn parse(release: &ReleaseId, key: &str) -> StoreKey {
    let Some(rest) = key.strip_prefix(&prefix(release)) else {
        return StoreKey::Unknown;
    };
    if let Some(text) = rest.strip_prefix("renders/") {
        text.parse().map_or(StoreKey::Unknown, StoreKey::Blob)
    } else if let Some(text) = rest.strip_prefix("history/") {
        text.parse().map_or(StoreKey::Unknown, StoreKey::History)
    } else {
        StoreKey::Unknown
    }
}

/// Whose key it is, and what it is there: for tools that look at every key of a store. `None` when it is nobody's.
#[must_use]
pub fn locate(key: &str) -> Option<(ReleaseId, StoreKey)> {
    let (namespace, rest) = key.split_once('/')?;
    let (name, _) = rest.split_once('/')?;
    let release = ReleaseId::new(namespace, name).ok()?;
    let what = parse(&release, key);
    Some((release, what))
}

#[cfg(test)]
mod tests {
    use super::*;

    const REF: &str = "sha256:0000000000000000000000000000000000000000000000000000000000000001";

    fn release() -> ReleaseId {
        ReleaseId::new("apps", "web").unwrap()
    }

    #[test]
    fn keys_have_the_layout_of_the_specification() {
        let time = "20260102T030405.000000006Z";
        let entry: HistoryKey = format!("{time}-{REF}").parse().unwrap();
        assert_eq!(prefix(&release()), "apps/web/");
        assert_eq!(blobs_prefix(&release()), "apps/web/renders/");
        assert_eq!(history_prefix(&release()), "apps/web/history/");
        assert_eq!(
            blob(&release(), REF.parse().unwrap()),
            format!("apps/web/renders/{REF}")
        );
        assert_eq!(history(&release(), &entry), format!("apps/web/history/{time}-{REF}"));
    }

    #[test]
    fn keys_read_back_to_what_they_were_built_from() {
        let render: RenderRef = REF.parse().unwrap();
        let entry: HistoryKey = format!("20260102T030405.000000006Z-{REF}").parse().unwrap();
        assert_eq!(parse(&release(), &blob(&release(), render)), StoreKey::Blob(render));
        assert_eq!(
            parse(&release(), &history(&release(), &entry)),
            StoreKey::History(entry)
        );
    }

    #[test]
    fn other_keys_are_unknown() {
        let other = ReleaseId::new("apps", "web2").unwrap();
        for key in [
            blob(&other, REF.parse().unwrap()),
            format!("apps/web/renders/{REF}/x"),
            format!("apps/web/renders/{}", REF.to_uppercase()),
            format!("apps/web/history/{REF}"),
            format!("apps/web/{REF}"),
            "apps/web/renders/".into(),
            "apps/web".into(),
            String::new(),
        ] {
            assert_eq!(parse(&release(), &key), StoreKey::Unknown, "{key}");
        }
    }

    #[test]
    fn a_key_tells_whose_it_is() {
        let render: RenderRef = REF.parse().unwrap();
        assert_eq!(
            locate(&blob(&release(), render)),
            Some((release(), StoreKey::Blob(render)))
        );
        assert_eq!(locate("apps/web/notes"), Some((release(), StoreKey::Unknown)));
        for key in [
            "",
            "apps",
            "apps/web",
            "/web/renders/x",
            "apps//x",
            "../web/x",
            "apps/../x",
            "Apps/web/x",
            "a%2fb/web/x",
        ] {
            assert_eq!(locate(key), None, "{key}");
        }
    }

    /// A Release that another could be taken for has another prefix, and no key of the one is a key of the other.
    #[test]
    fn no_name_reaches_the_keys_of_another_release() {
        let (long, refused) = ("n".repeat(253), "n".repeat(254));
        for (namespace, name) in [
            ("apps", ".."),
            ("apps", "."),
            ("apps", "a/../web"),
            ("apps", "a/b"),
            ("apps", "a%2fb"),
            ("apps", ""),
            ("", "web"),
            ("..", "web"),
            ("apps/web", "renders"),
            ("apps", "web\0"),
            ("apps", refused.as_str()),
        ] {
            assert!(ReleaseId::new(namespace, name).is_err(), "{namespace}/{name}");
        }
        let alike = ["web", "web2", "web-2", "web.2", "we", long.as_str()];
        let ids: alloc::vec::Vec<ReleaseId> = alike
            .iter()
            .map(|name| ReleaseId::new("apps", name).unwrap())
            .chain([
                ReleaseId::new("apps-web", "2").unwrap(),
                ReleaseId::new("app", "web").unwrap(),
            ])
            .collect();
        for one in &ids {
            for other in ids.iter().filter(|other| *other != one) {
                assert!(!prefix(other).starts_with(&prefix(one)), "{one} and {other}");
                assert_eq!(parse(one, &blob(other, REF.parse().unwrap())), StoreKey::Unknown);
            }
        }
    }
}
